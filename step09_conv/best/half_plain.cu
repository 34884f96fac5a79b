/* f16 and bf16, a thread an output: for filters of so many weights that half.cu cannot count them. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "conv/conv_kernel.cuh"
#include "half.h"

static const int THREADS = 256;

/* Element number c, i, j of image n. */
static __device__ int64_t at(bool nhwc, int n, int c, int i, int j, int channels, int h, int w) {
    return nhwc ? (((int64_t)n * h + i) * w + j) * channels + c : (((int64_t)n * channels + c) * h + i) * w + j;
}

template <typename T> static __global__ void __launch_bounds__(THREADS) half_plain(conv_problem p) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (number >= (int64_t)conv_places(&p) * p.k) return;
    int place = (int)(number / p.k), k = (int)(number % p.k);
    int n = place / (p.p * p.q), row = place / p.q % p.p, col = place % p.q;
    float sum = 0.0f;
    for (int c = 0; c < p.c; c++)
        for (int r = 0; r < p.r; r++)
            for (int s = 0; s < p.s; s++) {
                int i = row * p.stride[0] - p.pad[0] + r * p.dilation[0];
                int j = col * p.stride[1] - p.pad[1] + s * p.dilation[1];
                if (i < 0 || i >= p.h || j < 0 || j >= p.w) continue;
                sum += (float)((const T *)p.x)[at(p.nhwc, n, c, i, j, p.c, p.h, p.w)] *
                       (float)((const T *)p.f)[at(p.nhwc, k, c, r, s, p.c, p.r, p.s)];
            }
    T *y = (T *)p.y + at(p.nhwc, n, k, row, col, p.k, p.p, p.q);
    float result = p.alpha * sum;
    if (p.beta != 0.0f) result += p.beta * (float)*y;
    if (p.bias != NULL) result += (float)((const T *)p.bias)[k];
    *y = (T)result;
}

cudaError_t launch_half_plain(const conv_problem *problem, cudaStream_t stream) {
    const conv_problem p = conv_effective(problem);
    auto kernel = p.type == DTYPE_F16 ? half_plain<__half> : half_plain<__nv_bfloat16>;
    kernel<<<conv_blocks((int64_t)conv_places(&p) * p.k, THREADS), THREADS, 0, stream>>>(p);
    return cudaGetLastError();
}
