#include "gemm/gemm_baseline.h"

#include "gemm/cublaslt.h"
#include "gpu/cublas.h"

bool gemm_baseline_is_fp32(gemm_type type) {
    return type == GEMM_F32 || type == GEMM_TF32X3;
}

bool gemm_baseline_open(gemm_type type, FILE *err) {
    return gemm_baseline_is_fp32(type) ? cublas_open(err) : cublaslt_open(err);
}

void gemm_baseline_close(void) {
    cublas_close();
    cublaslt_close();
}

const char *gemm_baseline_version(gemm_type type) {
    return gemm_baseline_is_fp32(type) ? cublas_version() : cublaslt_version();
}

int gemm_baseline_calls(const gemm_problem *p) {
    if (gemm_baseline_is_fp32(p->type)) return 2;
    return p->m == 0 || p->n == 0 ? 1 : cublaslt_ask(p);
}

void gemm_baseline_name(gemm_type type, int call, char *name, size_t size) {
    if (gemm_baseline_is_fp32(type))
        snprintf(name, size, "cublas");
    else
        snprintf(name, size, "cublasLt #%d", call + 1);
}

cudaError_t gemm_baseline_call(const gemm_problem *p, int call, cudaStream_t stream) {
    if (!gemm_baseline_is_fp32(p->type)) return cublaslt_gemm(p, call, stream);
    return cublas_sgemm(p->layout == GEMM_TN, p->m, p->n, p->k, p->alpha, p->A, p->lda, p->B, p->ldb, p->beta, p->C,
                        p->ldc, call == 0 ? CUBLAS_DEFAULT : CUBLAS_PEDANTIC, stream);
}
