#include "gpu/blas.h"

#include "gpu/cublas.h"
#include "gpu/cublaslt.h"

bool blas_open(FILE *err) {
    const char *no_cublas = cublas_open(), *no_lt = cublaslt_open();
    if (no_cublas != NULL && no_lt != NULL)
        fprintf(err, "%s; %s: nothing to compare with\n", no_cublas, no_lt);
    else if (no_cublas != NULL)
        fprintf(err, "%s: only cublasLt to compare with\n", no_cublas);
    else if (no_lt != NULL)
        fprintf(err, "%s: only cuBLAS to compare with\n", no_lt);
    return no_cublas == NULL || no_lt == NULL;
}

void blas_close(void) {
    cublas_close();
    cublaslt_close();
}

void blas_name(char *text, size_t size) {
    const char *cublas = cublas_version(), *lt = cublaslt_version();
    if (*cublas != '\0')
        snprintf(text, size, "cuBLAS %s%s", cublas, *lt != '\0' ? " and cublasLt" : "");
    else
        snprintf(text, size, *lt != '\0' ? "cublasLt %s" : "", lt);
}
