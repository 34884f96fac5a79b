/* A plain GEMV, one thread per row, and the same with one mistake at a time: does the harness find it? */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gemv/gemv.h"

#include "faults.h"

#define FAULT_NAME(name, ...) name,
enum fault { FAULTS(FAULT_NAME) };

template <typename T> __device__ float load(const void *x, int64_t i) {
    return (float)((const T *)x)[i];
}

template <typename T, int FAULT> __global__ void gemv(gemv_problem p) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= p.n) return;
    float sum = 0.0f;
    int k = FAULT == drops_last && p.k > 1 ? p.k - 1 : p.k;
    if (p.alpha != 0.0f || FAULT == reads_a)
        for (int j = 0; j < k; j++) {
            float product = load<T>(p.A, (int64_t)row * p.lda + j) * load<T>(p.x, j);
            sum += FAULT == rounds_products ? (float)(T)product : product;
        }
    T *y = (T *)p.y + row;
    float result = p.alpha * sum;
    if (p.beta != 0.0f || FAULT == reads_y) result += p.beta * (float)*y;
    *y = (T)result;
    if (FAULT == writes_past && row == p.n - 1) y[1] = (T)1.0f;
}

template <int FAULT> static cudaError_t launch(const gemv_problem *p, cudaStream_t stream) {
    const int threads = 64;
    if (p->n == 0) return cudaSuccess;
    unsigned blocks = (unsigned)(((int64_t)p->n + threads - 1) / threads);
    if (p->type == DTYPE_F16) gemv<__half, FAULT><<<blocks, threads, 0, stream>>>(*p);
    if (p->type == DTYPE_BF16) gemv<__nv_bfloat16, FAULT><<<blocks, threads, 0, stream>>>(*p);
    if (p->type == DTYPE_F32) gemv<float, FAULT><<<blocks, threads, 0, stream>>>(*p);
    return cudaGetLastError();
}

#define VARIANT(name, ...)                                                                                             \
    extern "C" cudaError_t launch_##name(const gemv_problem *p, cudaStream_t stream) {                                 \
        return launch<name>(p, stream);                                                                                \
    }                                                                                                                  \
    extern "C" kernel_info kernel_##name(dtype) {                                                                      \
        return {(const void *)gemv<__half, name>, 64, 0};                                                              \
    }
FAULTS(VARIANT)

extern "C" cudaError_t launch_refuses(const gemv_problem *, cudaStream_t) {
    return cudaErrorNotSupported;
}
