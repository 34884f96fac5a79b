/* What every GEMV kernel needs besides its own idea: element types, 16-byte loads, y, and the launch. */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "gemv/gemv.h"
#include "ptx/griddepcontrol.cuh"

/* ---- in the kernel --------------------------------------------------------------------------------------------- */

/* The first line of a kernel: from here on the next kernel may get ready, and what the preceding one wrote is visible.
 * Both matter only to a launch with programmatic stream serialization (gemv_problem.pdl). */
__device__ __forceinline__ void gemv_begin() {
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
}

/* The first element of a row; 64-bit arithmetic, since n * lda exceeds 2^31 for real matrices. */
template <typename T> __device__ __forceinline__ const T *gemv_row(const gemv_problem &p, int row) {
    return (const T *)p.A + (int64_t)row * p.lda;
}

/* 16 bytes of elements: one load instruction. */
template <typename T> struct alignas(16) gemv_vector {
    static const int COUNT = 16 / sizeof(T);
    T e[COUNT];
};

/* The vector at x, which is aligned to 16 bytes. */
template <typename T> __device__ __forceinline__ gemv_vector<T> gemv_load(const T *x) {
    gemv_vector<T> v;
    *(uint4 *)&v = *(const uint4 *)x;
    return v;
}

template <typename T> __device__ __forceinline__ float gemv_dot(const gemv_vector<T> &a, const gemv_vector<T> &x) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < gemv_vector<T>::COUNT; i++) sum += (float)a.e[i] * (float)x.e[i];
    return sum;
}

/* May x and every row of A be read 16 bytes at a time? A row's last elements may still be fewer. */
template <typename T> static inline __host__ __device__ bool gemv_aligned(const gemv_problem &p) {
    return (uintptr_t)p.A % 16 == 0 && (uintptr_t)p.x % 16 == 0 && p.lda % gemv_vector<T>::COUNT == 0;
}

/* y[row] = alpha*sum + beta*y[row], reading y only when beta != 0 (it may hold NaN otherwise). */
template <typename T> __device__ __forceinline__ void gemv_write(const gemv_problem &p, int row, float sum) {
    T *y = (T *)p.y + row;
    *y = (T)(p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * (float)*y);
}

/* ---- in the launcher ------------------------------------------------------------------------------------------- */

/* The instance of a kernel template for the problem's element type. */
#define GEMV_INSTANCE(type, kernel)                                                                                    \
    ((type) == DTYPE_F16 ? kernel<__half> : (type) == DTYPE_BF16 ? kernel<__nv_bfloat16> : kernel<float>)

/* Of a kernel template <type, BLOCK_N, REDUCE_THREADS>, whose blocks have BLOCK_N x REDUCE_THREADS threads: any of its
 * configurations as launch_at<BLOCK_N, REDUCE_THREADS> and kernel_at, and as the row of a gemv_candidate's table. */
#define GEMV_CONFIGURATIONS(kernel)                                                                                    \
    template <int BLOCK_N, int REDUCE_THREADS> static void (*instance_at(dtype type))(gemv_problem) {                  \
        return type == DTYPE_F16    ? kernel<__half, BLOCK_N, REDUCE_THREADS>                                          \
               : type == DTYPE_BF16 ? kernel<__nv_bfloat16, BLOCK_N, REDUCE_THREADS>                                   \
                                    : kernel<float, BLOCK_N, REDUCE_THREADS>;                                          \
    }                                                                                                                  \
    template <int BLOCK_N, int REDUCE_THREADS> static kernel_info kernel_at(dtype type) {                              \
        return {(const void *)instance_at<BLOCK_N, REDUCE_THREADS>(type), BLOCK_N * REDUCE_THREADS, 0};                \
    }                                                                                                                  \
    template <int BLOCK_N, int REDUCE_THREADS>                                                                         \
    static cudaError_t launch_at(const gemv_problem *p, cudaStream_t stream) {                                         \
        return gemv_launch_kernel(instance_at<BLOCK_N, REDUCE_THREADS>(p->type), p, BLOCK_N,                           \
                                  dim3(BLOCK_N, REDUCE_THREADS), stream);                                              \
    }
#define GEMV_CONFIGURATION(rung, n, r)                                                                                 \
    { #rung " n" #n " r" #r, n, r, 1, 1, launch_at < n, r>, kernel_at < n, r> }

/* Blocks of block_n rows each. */
static inline unsigned gemv_blocks(const gemv_problem *p, int block_n) {
    return (unsigned)(((int64_t)p->n + block_n - 1) / block_n);
}

/* Launches a kernel with `shared` bytes of dynamic shared memory. If there is no product, the kernel sees k == 0: alpha
 * == 0 means that too, whatever A and x hold. */
static inline cudaError_t gemv_launch_blocks(void (*kernel)(gemv_problem), const gemv_problem *p, unsigned blocks,
                                             dim3 threads, size_t shared, cudaStream_t stream) {
    if (p->n == 0) return cudaSuccess;
    gemv_problem copy = *p;
    if (copy.alpha == 0.0f || copy.k == 0) {
        copy.alpha = 0.0f;
        copy.k = 0;
    }
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;

    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = p->pdl ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, copy);
}

/* The same with block_n rows per block. */
static inline cudaError_t gemv_launch_kernel(void (*kernel)(gemv_problem), const gemv_problem *p, int block_n,
                                             dim3 threads, cudaStream_t stream) {
    return gemv_launch_blocks(kernel, p, gemv_blocks(p, block_n), threads, 0, stream);
}
