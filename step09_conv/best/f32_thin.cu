/* FP32 in NCHW with few filters. A tile of f32_tile.cuh has 32 of them at least, and would multiply zeros; here the
 * sums of all filters for two places are in a thread's registers, and pixels go straight there.
 *
 *      lanes: places             x   o o o o ... o          of one tap, neighbours
 *      a chunk of 64 taps        f   | | | | ... |          in shared memory, tap by tap, with where the taps lie:
 *      in turn                       sums of 2 or 8 filters      all lanes read the same words
 *
 * Where places are few, eight warps have the same ones, an eighth of each chunk's taps each, and add up in the end. */
#include "f32_plan.h"
#include "f32_tile.cuh"

static const int CHUNK = 64;

struct thin {
    static const bool NHWC = false, FAR = false;
    static const int X_ROWS = 2, F_ROWS = 1; /* places of a thread */
    typedef near_tap tap;
};

template <int FILTERS, int SLICES> static __global__ void __launch_bounds__(THREADS) conv_thin(f32_problem q) {
    const int ACROSS = THREADS / SLICES, OF_SLICE = CHUNK / SLICES, DEEP = FILTERS > 2 ? 4 : 8; /* taps in flight */
    __shared__ near_tap taps[CHUNK];
    __shared__ __align__(16) float f[CHUNK][FILTERS], others[SLICES][2 * FILTERS][SLICES > 1 ? ACROSS : 1];
    const conv_problem &p = q.p;
    const int all = conv_taps(&p), slice = threadIdx.x / ACROSS, tiles_f = (p.k + FILTERS - 1) / FILTERS;
    const int k0 = blockIdx.x % tiles_f * FILTERS;
    const int place = blockIdx.x / tiles_f * 2 * ACROSS + threadIdx.x % ACROSS;
    f32_copier<thin> x;
    griddepcontrol_launch_dependents();
    set_place<thin>(p, place, 0, &x);
    set_place<thin>(p, place + ACROSS, 1, &x);
    griddepcontrol_wait(); /* and no __ldg: x may have been written while this block was there */

    float sums[2][FILTERS] = {};
    for (int l0 = 0; l0 < all; l0 += CHUNK) {
        __syncthreads(); /* the chunk before it is done with */
        for (int l = threadIdx.x; l < CHUNK; l += THREADS) set_tap<thin>(q, l0 + l, &taps[l]);
        for (int i = threadIdx.x; i < CHUNK * FILTERS; i += THREADS) {
            int l = i % CHUNK, k = i / CHUNK;
            bool inside = l0 + l < all && k0 + k < p.k;
            f[l][k] = inside ? ((const float *)p.f)[(int64_t)(k0 + k) * all + l0 + l] : 0.0f;
        }
        __syncthreads();
        for (int l = slice * OF_SLICE; l < (slice + 1) * OF_SLICE && l0 + l < all; l += DEEP) {
            float pixels[DEEP][2];
#pragma unroll
            for (int d = 0; d < DEEP; d++)
#pragma unroll
                for (int n = 0; n < 2; n++)
                    pixels[d][n] = x.outside[n] & taps[l + d].outside ? 0.0f : x.x[n][taps[l + d].offset];
#pragma unroll
            for (int d = 0; d < DEEP; d++)
#pragma unroll
                for (int k = 0; k < FILTERS; k++)
#pragma unroll
                    for (int n = 0; n < 2; n++) sums[n][k] += pixels[d][n] * f[l + d][k];
        }
    }
    if (SLICES > 1) {
#pragma unroll
        for (int i = 0; i < 2 * FILTERS; i++) others[slice][i][threadIdx.x % ACROSS] = sums[i / FILTERS][i % FILTERS];
        __syncthreads();
        if (slice > 0) return;
#pragma unroll 1
        for (int s = 1; s < SLICES; s++)
#pragma unroll
            for (int i = 0; i < 2 * FILTERS; i++) sums[i / FILTERS][i % FILTERS] += others[s][i][threadIdx.x];
    }
#pragma unroll
    for (int n = 0; n < 2; n++) {
        int at = place + n * ACROSS, in_image = p.p * p.q;
        if (at >= conv_places(&p)) return;
        float *y = (float *)p.y + (int64_t)(at / in_image) * p.k * in_image + at % in_image;
#pragma unroll
        for (int k = 0; k < FILTERS; k++)
            if (k0 + k < p.k) conv_store(p, sums[n][k], k0 + k, y + (int64_t)(k0 + k) * in_image);
    }
}

extern "C" cudaError_t f32_launch_thin(const conv_problem *p, int kernel, int64_t blocks, cudaStream_t stream) {
#define KERNEL(FILTERS, SLICES, RATE) conv_thin<FILTERS, SLICES>,
    static void (*const kernels[F32_THIN_COUNT])(f32_problem) = {F32_THIN(KERNEL)};
    const f32_problem q = {*p, make_divisor(p->r * p->s), make_divisor(p->s)};
    /* conv_store reads the bias by __ldg. */
    return gemm_launch_as(p->bias == NULL, kernels[kernel], (unsigned)blocks, 1, THREADS, 0, stream, q);
}
