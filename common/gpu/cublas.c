#include "gpu/cublas.h"

#include <string.h>

#include "base/array.h"
#include "gpu/library.h"

/* The few entry points needed, declared here so that a step builds without cuBLAS's headers. */
typedef struct cublasContext *handle_t;
enum { STATUS_SUCCESS = 0, OP_N = 0, OP_T = 1, MATH_DEFAULT = 0, MATH_PEDANTIC = 2 };
enum { R_32F = 0, R_16F = 2, R_16BF = 14, GEMM_DEFAULT = -1 };
enum { WORKSPACE_BYTES = 32 << 20 };

/* 16-bit operands, FP32 scalars: trans, m, n, alpha, A, lda, stride, x, inc, stride, beta, y, inc, stride, count. */
typedef int (*strided_gemv)(handle_t, int, int, int, const float *, const void *, int, long long, const void *, int,
                            long long, const float *, void *, int, long long, int);

static struct {
    void *library;
    handle_t handle;
    void *workspace;
    char version[32];
    int (*destroy)(handle_t);
    int (*set_stream)(handle_t, cudaStream_t);
    int (*set_math)(handle_t, int);
    int (*set_workspace)(handle_t, void *, size_t);
    int (*sgemm)(handle_t, int, int, int, int, int, const float *, const float *, int, const float *, int,
                 const float *, float *, int);
    int (*gemm_ex)(handle_t, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                   const void *, void *, int, int, int, int);
    int (*sgemv)(handle_t, int, int, int, const float *, const float *, int, const float *, int, const float *, float *,
                 int);
    strided_gemv hsh_gemv, tst_gemv;
} cublas;

const char *cublas_open(void) {
    int (*create)(handle_t *);
    int (*get_version)(handle_t, int *);
    const library_entry needed[] = {{"cublasCreate_v2", &create},
                                    {"cublasDestroy_v2", &cublas.destroy},
                                    {"cublasSetStream_v2", &cublas.set_stream},
                                    {"cublasSetMathMode", &cublas.set_math},
                                    {"cublasSetWorkspace_v2", &cublas.set_workspace},
                                    {"cublasSgemm_v2", &cublas.sgemm},
                                    {"cublasGetVersion_v2", &get_version}};
    /* Older versions lack some of these and have the rest. */
    const library_entry more[] = {{"cublasGemmEx", &cublas.gemm_ex},
                                  {"cublasSgemv_v2", &cublas.sgemv},
                                  {"cublasHSHgemvStridedBatched", &cublas.hsh_gemv},
                                  {"cublasTSTgemvStridedBatched", &cublas.tst_gemv}};
    const char *reason = NULL;
    int version = 0;
    if (cublas.handle != NULL) return NULL;
    cublas.library = library_open(LIBRARY_OF_TOOLKIT("libcublas"));
    if (cublas.library == NULL) return "cuBLAS is not installed (libcublas.so.13)";
    library_find(cublas.library, more, ARRAY_SIZE(more));
    if (!library_find(cublas.library, needed, ARRAY_SIZE(needed)))
        reason = "this cuBLAS is too old";
    else if (create(&cublas.handle) != STATUS_SUCCESS || get_version(cublas.handle, &version) != STATUS_SUCCESS)
        reason = "cuBLAS does not start on this GPU";
    else if (cudaMalloc(&cublas.workspace, WORKSPACE_BYTES) != cudaSuccess)
        reason = "no memory for cuBLAS's workspace (32 MiB)";
    if (reason != NULL) {
        cublas_close();
        cudaGetLastError(); /* a failed cudaMalloc leaves its error for the next launch to find */
        return reason;
    }
    snprintf(cublas.version, sizeof cublas.version, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    return NULL;
}

void cublas_close(void) {
    if (cublas.handle != NULL) cublas.destroy(cublas.handle);
    if (cublas.workspace != NULL) cudaFree(cublas.workspace);
    if (cublas.library != NULL) library_close(cublas.library);
    memset(&cublas, 0, sizeof cublas);
}

const char *cublas_version(void) {
    return cublas.version;
}

/* Sets the stream, and the workspace again: changing the stream resets it to cuBLAS's own. */
static int prepare(cudaStream_t stream, int math) {
    int status = cublas.set_stream(cublas.handle, stream);
    if (status == STATUS_SUCCESS) status = cublas.set_workspace(cublas.handle, cublas.workspace, WORKSPACE_BYTES);
    return status == STATUS_SUCCESS ? cublas.set_math(cublas.handle, math) : status;
}

static cudaError_t answer(int status) {
    if (status == STATUS_SUCCESS) return cudaSuccess;
    cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaErrorNotSupported;
}

cudaError_t cublas_sgemm(bool b_transposed, int m, int n, int k, float alpha, const void *A, int lda, const void *B,
                         int ldb, float beta, void *C, int ldc, cublas_math math, cudaStream_t stream) {
    if (m == 0 || n == 0) return cudaSuccess;
    const int of_b = b_transposed ? OP_T : OP_N; /* n x k row-major is k x n column-major */
    int status = prepare(stream, math == CUBLAS_PEDANTIC ? MATH_PEDANTIC : MATH_DEFAULT);
    if (status == STATUS_SUCCESS)
        status = cublas.sgemm(cublas.handle, of_b, OP_N, n, m, k, &alpha, B, ldb, A, lda, &beta, C, ldc);
    return answer(status);
}

cudaError_t cublas_gemm(const blas_gemm *g, cudaStream_t stream) {
    const blas_scalar alpha = blas_scalar_of(g, g->alpha), beta = blas_scalar_of(g, g->beta);
    if (cublas.gemm_ex == NULL) return cudaErrorNotSupported;
    if (g->m == 0 || g->n == 0) return cudaSuccess;
    int status = prepare(stream, MATH_DEFAULT);
    if (status == STATUS_SUCCESS)
        status = cublas.gemm_ex(cublas.handle, g->a_transposed ? OP_T : OP_N, g->b_transposed ? OP_T : OP_N, g->m, g->n,
                                g->k, &alpha, g->A, g->type, g->lda, g->B, g->type, g->ldb, &beta, g->C, g->out, g->ldc,
                                (int)g->compute, GEMM_DEFAULT);
    return answer(status);
}

const char *cublas_gemv_name(int type) {
    if (type == R_32F && cublas.sgemv != NULL) return "cublasSgemv";
    if (type == R_16F && cublas.hsh_gemv != NULL) return "cublasHSHgemvStridedBatched";
    if (type == R_16BF && cublas.tst_gemv != NULL) return "cublasTSTgemvStridedBatched";
    return NULL;
}

/* The row-major A (n x k) is the column-major k x n matrix A^T. */
cudaError_t cublas_gemv(int type, int n, int k, float alpha, const void *A, int lda, const void *x, float beta, void *y,
                        cudaStream_t stream) {
    const strided_gemv strided = type == R_16F ? cublas.hsh_gemv : cublas.tst_gemv;
    if (cublas_gemv_name(type) == NULL) return cudaErrorNotSupported;
    if (n == 0) return cudaSuccess;
    int status = prepare(stream, MATH_DEFAULT);
    if (status != STATUS_SUCCESS) return answer(status);
    if (type == R_32F)
        status = cublas.sgemv(cublas.handle, OP_T, k, n, &alpha, A, lda, x, 1, &beta, y, 1);
    else
        status = strided(cublas.handle, OP_T, k, n, &alpha, A, lda, 0, x, 1, 0, &beta, y, 1, 0, 1);
    return answer(status);
}
