/* Exercise: Winograd's F(2x2, 3x3), a thread a filter and a tile of 2x2 places. In each channel it transforms 4x4
 * pixels and 3x3 taps, multiplies 16 pairs, and transforms the 16 products back into 4 places. The result is right, and
 * it takes more additions than it has to: what is done for each channel need not be. Find it, and reach the goal.
 */
#include "conv/conv_kernel.cuh"

static const int THREADS = 128;

/* One dimension of each transform, of elements `step` apart. */
static __device__ __forceinline__ void transform_taps(const float *g, int step, float *to) {
    float outer = g[0] + g[2 * step];
    to[0] = g[0];
    to[step] = 0.5f * (outer + g[step]);
    to[2 * step] = 0.5f * (outer - g[step]);
    to[3 * step] = g[2 * step];
}

static __device__ __forceinline__ void transform_pixels(float *d, int step) {
    float d1 = d[step], d2 = d[2 * step];
    d[0] -= d2;
    d[step] = d1 + d2;
    d[2 * step] = d2 - d1;
    d[3 * step] = d1 - d[3 * step];
}

static __device__ __forceinline__ void transform_back(float *m, int step) {
    float m1 = m[step], m2 = m[2 * step];
    m[0] += m1 + m2;
    m[step] = m1 - m2 - m[3 * step];
}

static __global__ void __launch_bounds__(THREADS) conv_exercise(conv_problem p) {
    int tiles_h = (p.p + 1) / 2, tiles_w = (p.q + 1) / 2, tiles = p.n * tiles_h * tiles_w;
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int k = (int)(number / tiles), tile = (int)(number % tiles), image = tile / (tiles_h * tiles_w);
    if (k >= p.k) return;
    int row = tile / tiles_w % tiles_h * 2, col = tile % tiles_w * 2;
    float y[4] = {};
    for (int c = 0; c < p.c; c++) {
        const float *x = (const float *)p.x + ((int64_t)image * p.c + c) * p.h * p.w;
        const float *f = (const float *)p.f + ((int64_t)k * p.c + c) * 9;
        float d[16], rows[12], u[16], m[16];
        for (int e = 0; e < 16; e++) {
            int i = row - p.pad[0] + e / 4, j = col - p.pad[1] + e % 4;
            d[e] = i >= 0 && i < p.h && j >= 0 && j < p.w ? x[i * p.w + j] : 0.0f;
        }
        for (int i = 0; i < 4; i++) transform_pixels(d + i, 4);
        for (int i = 0; i < 4; i++) transform_pixels(d + i * 4, 1);
        for (int i = 0; i < 3; i++) transform_taps(f + i, 3, rows + i);
        for (int i = 0; i < 4; i++) transform_taps(rows + i * 3, 1, u + i * 4);
        for (int e = 0; e < 16; e++) m[e] = u[e] * d[e];
        for (int i = 0; i < 4; i++) transform_back(m + i, 4);
        transform_back(m, 1);
        transform_back(m + 4, 1);
        for (int e = 0; e < 4; e++) y[e] += m[e / 2 * 4 + e % 2];
    }
    float *to = (float *)p.y + ((int64_t)image * p.k + k) * p.p * p.q;
    for (int e = 0; e < 4; e++) {
        int i = row + e / 2, j = col + e % 2;
        if (i < p.p && j < p.q) conv_store(p, y[e], k, to + i * p.q + j);
    }
}

extern "C" kernel_info kernel_conv_exercise(void) {
    return {(const void *)conv_exercise, THREADS, 0};
}

extern "C" cudaError_t launch_conv_exercise(const conv_problem *p, cudaStream_t stream) {
    int64_t threads = (int64_t)p->n * ((p->p + 1) / 2) * ((p->q + 1) / 2) * p->k;
    if (threads == 0) return cudaSuccess;
    conv_exercise<<<conv_blocks(threads, THREADS), THREADS, 0, stream>>>(conv_effective(p));
    return cudaGetLastError();
}
