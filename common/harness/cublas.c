#include "cublas.h"

#include <dlfcn.h>
#include <stdlib.h>

/* The few entry points needed, declared here so that a step builds where cuBLAS's headers are not. */
typedef struct cublasContext *handle_t;
enum { STATUS_SUCCESS = 0, OP_N = 0, MATH_DEFAULT = 0, MATH_PEDANTIC = 2 };
enum { WORKSPACE_BYTES = 32 << 20 };

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

cudaError_t cublas_sgemm(const gemm_problem *p, cublas_math math, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    int status = cublas.set_stream(cublas.handle, stream); /* resets the workspace to cuBLAS's own */
    if (status == STATUS_SUCCESS) status = cublas.set_workspace(cublas.handle, cublas.workspace, WORKSPACE_BYTES);
    if (status == STATUS_SUCCESS)
        status = cublas.set_math(cublas.handle, math == CUBLAS_PEDANTIC ? MATH_PEDANTIC : MATH_DEFAULT);
    if (status == STATUS_SUCCESS)
        status = cublas.sgemm(cublas.handle, OP_N, OP_N, p->n, p->m, p->k, &p->alpha, p->B, p->ldb, p->A, p->lda,
                              &p->beta, p->C, p->ldc);
    if (status == STATUS_SUCCESS) return cudaSuccess;
    cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaErrorNotSupported;
}
