/* FP32. */
#include "best.h"
#include "conv/conv_kernel.cuh"

static const int THREADS = 256;

/* Element number c, i, j of image n. */
static __device__ int64_t at(bool nhwc, int n, int c, int i, int j, int channels, int h, int w) {
    return nhwc ? (((int64_t)n * h + i) * w + j) * channels + c : (((int64_t)n * channels + c) * h + i) * w + j;
}

static __global__ void __launch_bounds__(THREADS) f32_plain(conv_problem p) {
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
                sum += ((const float *)p.x)[at(p.nhwc, n, c, i, j, p.c, p.h, p.w)] *
                       ((const float *)p.f)[at(p.nhwc, k, c, r, s, p.c, p.r, p.s)];
            }
    conv_store(p, sum, k, (float *)p.y + at(p.nhwc, n, k, row, col, p.k, p.p, p.q));
}

extern "C" kernel_info f32_kernel(void) {
    return {(const void *)f32_plain, THREADS, 0};
}

extern "C" size_t f32_workspace(const conv_problem *) {
    return 0;
}

extern "C" cudaError_t f32_launch(const conv_problem *problem, cudaStream_t stream) {
    const conv_problem p = conv_effective(problem);
    f32_plain<<<conv_blocks((int64_t)conv_places(&p) * p.k, THREADS), THREADS, 0, stream>>>(p);
    return cudaGetLastError();
}
