/* A plain convolution, one thread an output, for every type and both layouts, and the same with one mistake at a time:
 * does the harness find it? */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "conv/conv_kernel.cuh"

#include "faults.h"

#define FAULT_NAME(name, ...) name,
enum fault { FAULTS(FAULT_NAME) };

template <typename T> __device__ float load(const void *x, int64_t i) {
    return (float)((const T *)x)[i];
}

/* Element number c, i, j of image n, of `sides` channels, rows and columns. */
__device__ int64_t at(bool nhwc, int n, int c, int i, int j, int channels, int h, int w) {
    return nhwc ? (((int64_t)n * h + i) * w + j) * channels + c : (((int64_t)n * channels + c) * h + i) * w + j;
}

template <typename T, int FAULT> __global__ void conv(conv_problem p) {
    int64_t number = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, count = (int64_t)conv_places(&p) * p.k;
    if (number >= count) return;
    int place = (int)(number / p.k), k = (int)(number % p.k);
    int n = place / (p.p * p.q), row = place / p.q % p.p, col = place % p.q;
    const int across = FAULT == swaps_strides ? 0 : 1, pad = FAULT == pads_one ? 1 : p.pad[0];
    float sum = 0.0f;
    int channels = FAULT == reads_x || p.alpha != 0.0f ? p.c : 0;
    for (int c = 0; c < channels; c++)
        for (int tap = 0; tap < p.r * p.s - (FAULT == drops_last && p.r * p.s > 1); tap++) {
            int r = tap / p.s, s = tap % p.s, step = FAULT == no_dilation ? 1 : p.dilation[0];
            int i = row * p.stride[1 - across] - pad + r * step;
            int j = col * p.stride[across] - p.pad[1] + s * p.dilation[1];
            bool inside = i >= 0 && i < p.h && j >= 0 && j < p.w;
            if (FAULT == wraps && i >= 0 && i < p.h) inside = i * p.w + j >= 0 && i * p.w + j < p.h * p.w;
            if (!inside && (FAULT != reads_border || n > 0 || c > 0 || i != -1)) continue;
            int fr = FAULT == turned ? p.r - 1 - r : r, fs = FAULT == turned ? p.s - 1 - s : s;
            float x = load<T>(p.x, at(p.nhwc, n, c, i, j, p.c, p.h, p.w));
            float product = x * load<T>(p.f, at(p.nhwc, k, c, fr, fs, p.c, p.r, p.s));
            if (inside) sum += FAULT == rounds_products ? (float)(T)product : product;
            if (!inside && x == 12345.0f) sum += product;
        }
    T *y = (T *)p.y + at(p.nhwc, n, k, row, col, p.k, p.p, p.q);
    float bias = p.bias != NULL && FAULT != no_bias ? load<T>(p.bias, k) : 0.0f;
    float result = FAULT == scales_bias ? p.alpha * (sum + bias) : p.alpha * sum + bias;
    if (p.beta != 0.0f || FAULT == reads_y) result += p.beta * (float)*y;
    *y = (T)result;
    if (FAULT == writes_past && number == count - 1) y[1] = (T)1.0f;
}

template <int FAULT> static cudaError_t launch(const conv_problem *p, cudaStream_t stream) {
    const unsigned threads = 64, blocks = conv_blocks((int64_t)conv_places(p) * p->k, threads);
    if (blocks == 0) return cudaSuccess;
    if (p->type == DTYPE_F16) conv<__half, FAULT><<<blocks, threads, 0, stream>>>(*p);
    if (p->type == DTYPE_BF16) conv<__nv_bfloat16, FAULT><<<blocks, threads, 0, stream>>>(*p);
    if (p->type == DTYPE_F32) conv<float, FAULT><<<blocks, threads, 0, stream>>>(*p);
    return cudaGetLastError();
}

#define VARIANT(name, ...)                                                                                             \
    extern "C" cudaError_t launch_conv_##name(const conv_problem *p, cudaStream_t stream) {                            \
        return launch<name>(p, stream);                                                                                \
    }                                                                                                                  \
    extern "C" kernel_info kernel_conv_##name(void) {                                                                  \
        return {(const void *)conv<float, name>, 64, 0};                                                               \
    }
FAULTS(VARIANT)
