/* Exercise: NHWC, 16 bytes a load. A thread brings 8 channels of a place, in two loads, so the lanes of a warp ask for
 * one half of 32 sectors, and then for the other half. Make every load of x ask for whole sectors, 16 of them, without
 * bank conflicts in the stores to shared memory.
 */
#include "../step09_conv/nhwc.cuh"
#include "../step09_conv/tile.cuh"

static __global__ void __launch_bounds__(THREADS) conv_exercise(conv_problem p) {
    __shared__ __align__(16) float As[BK][BM + PAD], Bs[BK][BN];
    int tiles = (p.k + BM - 1) / BM, k0 = blockIdx.x % tiles * BM, place0 = blockIdx.x / tiles * BN;
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16, row = tid / 2, part = tid % 2 * 4;
    const float *f = (const float *)p.f + (int64_t)(k0 + row) * conv_taps(&p) + part;
    corner window = corner_of(p, place0 + tid);

    float sums[8][8] = {};
    for (int r = 0; r < p.r; r++)
        for (int s = 0; s < p.s; s++, f += p.c) {
            int pixel = pixel_of(p, window, r, s);
            const float *x = (const float *)p.x + (int64_t)pixel * p.c;
            for (int c = 0; c < p.c; c += BK) {
                float4 low = load4(x + c, pixel >= 0), high = load4(x + c + 4, pixel >= 0 && c + 4 < p.c);
                store_down(Bs, 0, tid, low);
                store_down(Bs, 4, tid, high);
                store_down(As, part, row, load4(f + c, k0 + row < p.k && c + part < p.c));
                __syncthreads();
#pragma unroll
                for (int i = 0; i < BK; i++) multiply(&As[i][ty * 4], &Bs[i][tx * 4], sums);
                __syncthreads();
            }
        }

#pragma unroll
    for (int j = 0; j < 16; j++) { /* four filters of a place each */
        float four[4];
#pragma unroll
        for (int i = 0; i < 4; i++) four[i] = sums[j / 8 * 4 + i][j % 8];
        int at = place0 + tx * 4 + j % 4 + j % 8 / 4 * (BN / 2);
        store_filters<float>(p, at, k0 + ty * 4 + j / 8 * (BM / 2), four);
    }
}

extern "C" kernel_info kernel_conv_exercise(void) {
    return {(const void *)conv_exercise, THREADS, 0};
}

extern "C" cudaError_t launch_conv_exercise(const conv_problem *p, cudaStream_t stream) {
    unsigned blocks = tile_blocks(p);
    if (blocks > 0) conv_exercise<<<blocks, THREADS, 0, stream>>>(conv_effective(p));
    return cudaGetLastError();
}
