/* The definition, a thread an output: it walks over the channels and the taps of its window.
 *
 *      x, one channel         a thread's window      f, one channel       y, one filter
 *      . . . . . . .                                                      . . . . .
 *      . [a b c] . .     a b c                       0 1 2                . o . . .    o = a*0 + b*1 + ... + i*8,
 *      . [d e f] . .  -> d e f    times, tap by tap, 3 4 5   summed up -> . . . . .    over all channels
 *      . [g h i] . .     g h i                       6 7 8                . . . . .
 *
 * The lanes of a warp have neighbouring places in a row of y: they read neighbouring pixels, and all the same tap. Yet
 * each product takes two loads, as in step 1: a pixel is read again by each of the r*s windows that hold it and for
 * each of the k filters. Taps outside of the image are left out. */
#include "conv/conv_kernel.cuh"

static const int THREADS = 256;

static __global__ void __launch_bounds__(THREADS) conv_direct(conv_problem p) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (number >= (int64_t)conv_places(&p) * p.k) return;
    int place = (int)(number % (p.p * p.q)), plane = (int)(number / (p.p * p.q)); /* plane: image and filter */
    int image = plane / p.k, k = plane % p.k;
    int i0 = place / p.q * p.stride[0] - p.pad[0], j0 = place % p.q * p.stride[1] - p.pad[1];
    const float *x = (const float *)p.x + (int64_t)image * p.c * p.h * p.w;
    const float *f = (const float *)p.f + (int64_t)k * conv_taps(&p);

    float sum = 0.0f;
    for (int c = 0; c < p.c; c++)
        for (int r = 0; r < p.r; r++) {
            int i = i0 + r * p.dilation[0];
            for (int s = 0; s < p.s; s++) {
                int j = j0 + s * p.dilation[1];
                float tap = *f++;
                if (i >= 0 && i < p.h && j >= 0 && j < p.w) sum += x[(c * p.h + i) * p.w + j] * tap;
            }
        }
    conv_store(p, sum, k, (float *)p.y + number);
}

extern "C" kernel_info kernel_conv_direct(void) {
    return {(const void *)conv_direct, THREADS, 0};
}

extern "C" cudaError_t launch_conv_direct(const conv_problem *p, cudaStream_t stream) {
    int64_t outputs = (int64_t)conv_places(p) * p->k;
    if (outputs == 0) return cudaSuccess;
    conv_direct<<<conv_blocks(outputs, THREADS), THREADS, 0, stream>>>(conv_effective(p));
    return cudaGetLastError();
}
