/* Exercise: a convolution, one thread per output. The image has zeros around it, p.pad of them on each side, and they
 * are not stored: a tap there must be left out. One line decides which taps are, and it is not right. The simulator
 * finds a read outside x; small whole numbers show where sums are wrong.
 */
#include "conv/conv_kernel.cuh"

static const int THREADS = 128;

static __global__ void __launch_bounds__(THREADS) conv_exercise(conv_problem p) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (number >= (int64_t)conv_places(&p) * p.k) return;
    int place = (int)(number % (p.p * p.q)), plane = (int)(number / (p.p * p.q));
    int image = plane / p.k, k = plane % p.k;
    int i0 = place / p.q * p.stride[0] - p.pad[0], j0 = place % p.q * p.stride[1] - p.pad[1];
    const float *x = (const float *)p.x + (int64_t)image * p.c * p.h * p.w;
    const float *f = (const float *)p.f + (int64_t)k * conv_taps(&p);

    float sum = 0.0f;
    for (int c = 0; c < p.c; c++)
        for (int r = 0; r < p.r; r++)
            for (int s = 0; s < p.s; s++, f++) {
                int i = i0 + r * p.dilation[0], j = j0 + s * p.dilation[1];
                bool inside = i >= 0 && i <= p.h && j >= 0 && j <= p.w;
                if (inside) sum += x[(c * p.h + i) * p.w + j] * *f;
            }
    conv_store(p, sum, k, (float *)p.y + number);
}

extern "C" kernel_info kernel_conv_exercise(void) {
    return {(const void *)conv_exercise, THREADS, 0};
}

extern "C" cudaError_t launch_conv_exercise(const conv_problem *p, cudaStream_t stream) {
    unsigned blocks = conv_blocks((int64_t)conv_places(p) * p->k, THREADS);
    if (blocks == 0) return cudaSuccess;
    conv_exercise<<<blocks, THREADS, 0, stream>>>(conv_effective(p));
    return cudaGetLastError();
}
