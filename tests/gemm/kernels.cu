/* A plain GEMM of every type and layout, one thread per element, and the same with one mistake at a time: does the
 * harness find it? */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gemm/gemm_kernel.cuh"

#include "faults.h"

#define FAULT_NAME(name, ...) name,
enum fault { FAULTS(FAULT_NAME) };

static const int BLOCK = 16; /* a block computes 16 x 16 elements of C */

/* A and B's element, how it is multiplied, and the type of a sum that is too short. */
template <gemm_type TYPE> struct operand {};
template <> struct operand<GEMM_F32> { typedef float memory, sum, short_sum; };
template <> struct operand<GEMM_TF32> {
    typedef float memory, sum;
    typedef __nv_bfloat16 short_sum;
};
template <> struct operand<GEMM_TF32X3> {
    typedef float memory, sum;
    typedef __nv_bfloat16 short_sum;
};
template <> struct operand<GEMM_F16> {
    typedef __half memory, short_sum;
    typedef float sum;
};
template <> struct operand<GEMM_BF16> {
    typedef __nv_bfloat16 memory, short_sum;
    typedef float sum;
};
template <> struct operand<GEMM_S8> {
    typedef signed char memory;
    typedef int sum;
    typedef short short_sum;
};

/* To TF32. */
__device__ float cut_off(float x) {
    return __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}

__device__ float nearest_tf32(float x) {
    return cut_off(__uint_as_float(__float_as_uint(x) + 0x1000));
}

/* The product of a and b; TF32X3: of three. */
template <gemm_type TYPE, int FAULT, typename T> __device__ T product(T a, T b) {
    if constexpr (TYPE == GEMM_TF32X3) {
        float big_a = nearest_tf32(a), big_b = nearest_tf32(b);
        float small_a = FAULT == drops_small ? 0.0f : cut_off(a - big_a), small_b = cut_off(b - big_b);
        return small_a * big_b + big_a * small_b + big_a * big_b;
    }
    return a * b;
}

template <gemm_type TYPE, int FAULT> __device__ typename operand<TYPE>::sum load(const void *x, int64_t i) {
    typename operand<TYPE>::sum value = ((const typename operand<TYPE>::memory *)x)[i];
    if (TYPE == GEMM_TF32) value = cut_off(value); /* the worst that may be done to it */
    if (FAULT == rounds_operands) value = (float)(__nv_bfloat16)(float)value;
    return value;
}

template <gemm_type TYPE, typename OUT, int FAULT> __global__ void gemm(gemm_problem p) {
    typedef typename operand<TYPE>::sum number;
    int blocks_n = (p.n + BLOCK - 1) / BLOCK;
    int row = blockIdx.x / blocks_n * BLOCK + threadIdx.y, col = blockIdx.x % blocks_n * BLOCK + threadIdx.x;
    if (row >= p.m || col >= p.n) return;

    bool tn = (p.layout == GEMM_TN) != (FAULT == other_layout);
    int ldb = FAULT == forgets_ldb ? (p.layout == GEMM_TN ? p.k : p.n) : p.ldb;
    int k = FAULT == drops_last ? p.k - 1 : FAULT == drops_round ? p.k / 16 * 16 : p.k;
    number sum = 0;
    for (int l = 0; l < k; l++) {
        sum += product<TYPE, FAULT>(load<TYPE, FAULT>(p.A, (int64_t)row * p.lda + l),
                                    load<TYPE, FAULT>(p.B, tn ? (int64_t)col * ldb + l : (int64_t)l * ldb + col));
        if (FAULT == short_sum) sum = (number)(typename operand<TYPE>::short_sum)sum;
        if (FAULT == saturates) sum = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
    }

    OUT *c = (OUT *)p.C + (int64_t)row * p.ldc + col;
    number result = (number)p.alpha * sum;
    if (p.beta != 0.0f || FAULT == reads_c) result += (number)p.beta * (number)*c;
    if (FAULT == rounds_twice) result = (float)(__nv_bfloat16)(float)result;
    if (FAULT == skips_corner && row == p.m - 1 && col == p.n - 1) return;
    *c = (OUT)result;
    if (FAULT == writes_past && row == p.m - 1 && col == p.n - 1) c[1 + p.ldc - p.n] = (OUT)1.0f;
    if (FAULT == writes_padding && row == 0 && col == p.n - 1) c[1] = (OUT)1.0f;
    if (FAULT == writes_a && row == 0 && col == 0) *(typename operand<TYPE>::memory *)p.A = 0.0f;
}

/* Copies A's rows to the workspace, tight. */
template <typename T, int FAULT> __global__ void copy(gemm_problem p) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    T *to = (T *)p.workspace;
    if (i < (int64_t)p.m * p.k) {
        const T old = FAULT == reads_workspace ? to[i] : (T)0.0f;
        to[i] = (T)((float)((const T *)p.A)[i / p.k * p.lda + i % p.k] + (float)old);
    }
    /* Behind the last of its rows of 256 bytes. */
    if (FAULT == writes_past_workspace && i == 0)
        to[((size_t)p.m * p.k * sizeof(T) + 255) / 256 * (256 / sizeof(T))] = to[0];
}

template <gemm_type TYPE, typename OUT, int FAULT> static cudaError_t run(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BLOCK, BLOCK);
    if (blocks == 0) return cudaSuccess;
    gemm_problem q = FAULT == reads_a ? *p : gemm_effective(p);
    if (FAULT >= by_workspace && q.k > 0) {
        const unsigned copies = (unsigned)(((int64_t)q.m * q.k + 255) / 256);
        copy<typename operand<TYPE>::memory, FAULT><<<copies, 256, 0, stream>>>(q);
        q.A = q.workspace;
        q.lda = q.k;
    }
    gemm<TYPE, OUT, FAULT><<<blocks, dim3(BLOCK, BLOCK), 0, stream>>>(q);
    return cudaGetLastError();
}

template <int FAULT> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    switch (p->type) {
    case GEMM_F32:
        return run<GEMM_F32, float, FAULT>(p, stream);
    case GEMM_TF32:
        return run<GEMM_TF32, float, FAULT>(p, stream);
    case GEMM_TF32X3:
        return run<GEMM_TF32X3, float, FAULT>(p, stream);
    case GEMM_F16:
        if (p->out == DTYPE_F32) return run<GEMM_F16, float, FAULT>(p, stream);
        return run<GEMM_F16, __half, FAULT>(p, stream);
    case GEMM_BF16:
        if (p->out == DTYPE_F32) return run<GEMM_BF16, float, FAULT>(p, stream);
        return run<GEMM_BF16, __nv_bfloat16, FAULT>(p, stream);
    case GEMM_S8:
        return run<GEMM_S8, int, FAULT>(p, stream);
    }
    return cudaErrorInvalidValue;
}

#define VARIANT(name, ...)                                                                                             \
    extern "C" cudaError_t launch_##name(const gemm_problem *p, cudaStream_t stream) {                                 \
        return launch<name>(p, stream);                                                                                \
    }                                                                                                                  \
    extern "C" kernel_info kernel_##name(void) {                                                                       \
        return {(const void *)gemm<GEMM_F16, __half, name>, BLOCK * BLOCK, 0};                                         \
    }
FAULTS(VARIANT)
