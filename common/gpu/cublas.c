#include "gpu/cublas.h"

#include <dlfcn.h>
#include <stdlib.h>

/* The few entry points needed, declared here so that a step builds without cuBLAS's headers. */
typedef struct cublasContext *handle_t;
enum { STATUS_SUCCESS = 0, OP_N = 0, OP_T = 1, MATH_DEFAULT = 0, MATH_PEDANTIC = 2 };
enum { COMPUTE_32F = 68, GEMM_DEFAULT = -1 };
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

static bool find(void *function, const char *name) {
    *(void **)function = dlsym(cublas.library, name);
    return *(void **)function != NULL;
}

/* The loader's own search first, then the toolkit this program was built with. */
static void *load(void) {
    static const char *const names[] = {"libcublas.so.13", CUDA_LIB_DIR "/libcublas.so.13", "libcublas.so.12",
                                        "libcublas.so", CUDA_LIB_DIR "/libcublas.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return library;
    }
    return NULL;
}

bool cublas_open(FILE *err) {
    int (*create)(handle_t *);
    int (*get_version)(handle_t, int *);
    int version = 0;
    if (cublas.handle != NULL) return true;
    unsetenv("NVIDIA_TF32_OVERRIDE");
    cublas.library = load();
    if (cublas.library == NULL) {
        fprintf(err, "cuBLAS is not installed (libcublas.so.13): nothing to compare with\n");
        return false;
    }
    if (!find(&create, "cublasCreate_v2") || !find(&cublas.destroy, "cublasDestroy_v2") ||
        !find(&cublas.set_stream, "cublasSetStream_v2") || !find(&cublas.set_math, "cublasSetMathMode") ||
        !find(&cublas.set_workspace, "cublasSetWorkspace_v2") || !find(&cublas.sgemm, "cublasSgemm_v2") ||
        !find(&get_version, "cublasGetVersion_v2")) {
        fprintf(err, "this cuBLAS is too old: nothing to compare with\n");
    } else if (create(&cublas.handle) != STATUS_SUCCESS || get_version(cublas.handle, &version) != STATUS_SUCCESS) {
        fprintf(err, "cuBLAS does not start on this GPU: nothing to compare with\n");
    } else if (cudaMalloc(&cublas.workspace, WORKSPACE_BYTES) != cudaSuccess) {
        fprintf(err, "no memory for cuBLAS's workspace (32 MiB): nothing to compare with\n");
    } else {
        /* Older versions lack some of these and have the rest. */
        find(&cublas.gemm_ex, "cublasGemmEx");
        find(&cublas.sgemv, "cublasSgemv_v2");
        find(&cublas.hsh_gemv, "cublasHSHgemvStridedBatched");
        find(&cublas.tst_gemv, "cublasTSTgemvStridedBatched");
        snprintf(cublas.version, sizeof cublas.version, "%d.%d.%d", version / 10000, version / 100 % 100,
                 version % 100);
        return true;
    }
    cublas_close();
    cudaGetLastError(); /* a failed cudaMalloc leaves its error for the next launch to find */
    return false;
}

void cublas_close(void) {
    if (cublas.handle != NULL) cublas.destroy(cublas.handle);
    if (cublas.workspace != NULL) cudaFree(cublas.workspace);
    if (cublas.library != NULL) dlclose(cublas.library);
    cublas.handle = NULL;
    cublas.workspace = NULL;
    cublas.library = NULL;
    cublas.version[0] = '\0';
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

/* ---- GEMV ---- */

enum { GEMM_MATRIX_FIRST, GEMM_VECTOR_FIRST, GEMV_STRIDED, GEMV_PLAIN };

const char *cublas_gemv_name(cublas_type type, int call) {
    switch (call) {
    case GEMM_MATRIX_FIRST:
        return cublas.gemm_ex != NULL ? "cublasGemmEx A*x" : NULL;
    case GEMM_VECTOR_FIRST:
        return cublas.gemm_ex != NULL ? "cublasGemmEx x*A" : NULL;
    case GEMV_STRIDED:
        if (type == CUBLAS_F16 && cublas.hsh_gemv != NULL) return "cublasHSHgemvStridedBatched";
        if (type == CUBLAS_BF16 && cublas.tst_gemv != NULL) return "cublasTSTgemvStridedBatched";
        return NULL;
    case GEMV_PLAIN:
        return type == CUBLAS_F32 && cublas.sgemv != NULL ? "cublasSgemv" : NULL;
    }
    return NULL;
}

/* cublasGemmEx: the row-major A (n x k) is the column-major k x n matrix A^T. Either y = (A^T)^T x, n x 1, or the row
 * y^T = x^T A^T, 1 x n. */
cudaError_t cublas_gemv(cublas_type type, int call, int n, int k, float alpha, const void *A, int lda, const void *x,
                        float beta, void *y, cudaStream_t stream) {
    if (cublas_gemv_name(type, call) == NULL) return cudaErrorNotSupported;
    if (n == 0) return cudaSuccess;
    const strided_gemv strided = type == CUBLAS_F16 ? cublas.hsh_gemv : cublas.tst_gemv;
    int status = prepare(stream, MATH_DEFAULT);
    if (status != STATUS_SUCCESS) return answer(status);
    switch (call) {
    case GEMM_MATRIX_FIRST:
        status = cublas.gemm_ex(cublas.handle, OP_T, OP_N, n, 1, k, &alpha, A, type, lda, x, type, k > 0 ? k : 1, &beta,
                                y, type, n, COMPUTE_32F, GEMM_DEFAULT);
        break;
    case GEMM_VECTOR_FIRST:
        status = cublas.gemm_ex(cublas.handle, OP_N, OP_N, 1, n, k, &alpha, x, type, 1, A, type, lda, &beta, y, type, 1,
                                COMPUTE_32F, GEMM_DEFAULT);
        break;
    case GEMV_STRIDED:
        status = strided(cublas.handle, OP_T, k, n, &alpha, A, lda, 0, x, 1, 0, &beta, y, 1, 0, 1);
        break;
    default:
        status = cublas.sgemv(cublas.handle, OP_T, k, n, &alpha, A, lda, x, 1, &beta, y, 1);
    }
    return answer(status);
}
