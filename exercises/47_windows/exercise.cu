/* Exercise: the windows of an image, written out as a matrix: a row for each tap of a channel, a column for each place.
 * A thread writes one element. Lanes have neighbouring taps, so a warp's store goes to 32 rows, each word into a sector
 * of its own. Make a store of a warp go to 4 sectors. The kernel after it multiplies, and needs the matrix as it is.
 */
#include "conv/conv_kernel.cuh"

static const int THREADS = 128;

static __global__ void __launch_bounds__(THREADS) conv_windows(conv_problem p, float *windows) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int taps = conv_taps(&p), places = conv_places(&p);
    if (number >= (int64_t)taps * places) return;
    int l = (int)(number % taps), at = (int)(number / taps); /* the row and the column */
    int c = l / (p.r * p.s), r = l / p.s % p.r, s = l % p.s;
    int image = at / (p.p * p.q), row = at / p.q % p.p, col = at % p.q;
    int i = row * p.stride[0] - p.pad[0] + r * p.dilation[0], j = col * p.stride[1] - p.pad[1] + s * p.dilation[1];
    const float *x = (const float *)p.x + ((int64_t)image * p.c + c) * p.h * p.w;
    bool inside = i >= 0 && i < p.h && j >= 0 && j < p.w;
    windows[(int64_t)l * places + at] = inside ? x[i * p.w + j] : 0.0f;
}

/* A thread an output: a column of the windows times a filter. */
static __global__ void __launch_bounds__(THREADS) conv_product(conv_problem p, const float *windows) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (number >= (int64_t)conv_places(&p) * p.k) return;
    int in_image = p.p * p.q, plane = (int)(number / in_image), k = plane % p.k;
    int64_t at = (int64_t)(plane / p.k) * in_image + number % in_image;
    float sum = 0.0f;
    for (int l = 0; l < conv_taps(&p); l++)
        sum += windows[(int64_t)l * conv_places(&p) + at] * ((const float *)p.f)[(int64_t)k * conv_taps(&p) + l];
    conv_store(p, sum, k, (float *)p.y + number);
}

extern "C" kernel_info kernel_conv_exercise(void) {
    return {(const void *)conv_windows, THREADS, 0};
}

extern "C" size_t workspace_exercise(const conv_problem *p) {
    return (size_t)conv_taps(p) * conv_places(p) * sizeof(float);
}

extern "C" cudaError_t launch_conv_exercise(const conv_problem *problem, cudaStream_t stream) {
    const conv_problem p = conv_effective(problem);
    int64_t elements = (int64_t)conv_taps(&p) * conv_places(&p), outputs = (int64_t)conv_places(&p) * p.k;
    if (outputs == 0) return cudaSuccess;
    if (elements > 0) conv_windows<<<conv_blocks(elements, THREADS), THREADS, 0, stream>>>(p, (float *)p.workspace);
    conv_product<<<conv_blocks(outputs, THREADS), THREADS, 0, stream>>>(p, (const float *)p.workspace);
    return cudaGetLastError();
}
