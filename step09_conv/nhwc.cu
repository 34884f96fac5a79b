/* NHWC: a pixel's channels are neighbours, and so are those of a filter's tap, so a thread loads four at once.
 *
 *   precomputed, NCHW: 4 bytes a load                  nhwc: 16 bytes a load
 *
 *   channel 0   . . . [x] . .     each has an          pixel    ... 0 1 2 3 4 5 6 7 ...
 *   channel 1   . . . [x] . .     address, and the              [lane 0][lane 1]   8 channels of a place: a sector
 *   ...                           question whether
 *                                 it is inside         the next one: 8 channels on, the same pixel
 *
 * The channels of a tap lie behind one address, and all of them are inside of the image or none is. So address and
 * question belong to the tap. They stand outside of the loop over the channels, and no table is needed for them.
 *
 * Tile and product are tile.cuh's, but a column of the tile is a place again: in y the filters of a place are
 * neighbours now, and a thread stores four of them at once, where k is a multiple of four. */
#include "nhwc.cuh"
#include "tile.cuh"

static __global__ void __launch_bounds__(THREADS) conv_nhwc(conv_problem p) {
    __shared__ __align__(16) float As[BK][BM + PAD], Bs[BK][BN + PAD];
    int tiles = (p.k + BM - 1) / BM, k0 = blockIdx.x % tiles * BM, place0 = blockIdx.x / tiles * BN;
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16, row = tid / 2, part = tid % 2 * 4;
    bool filter = k0 + row < p.k;
    const float *f = (const float *)p.f + (int64_t)(k0 + row) * conv_taps(&p) + part;
    corner first = corner_of(p, place0 + row), second = corner_of(p, place0 + row + BN / 2);

    float sums[8][8] = {};
    for (int r = 0; r < p.r; r++)
        for (int s = 0; s < p.s; s++, f += p.c) {
            int one = pixel_of(p, first, r, s), other = pixel_of(p, second, r, s);
            const float *x1 = (const float *)p.x + (int64_t)one * p.c + part;
            const float *x2 = (const float *)p.x + (int64_t)other * p.c + part;
            for (int c = 0; c < p.c; c += BK) {
                bool channels = c + part < p.c; /* there may be four of the eight */
                float4 a = load4(f + c, filter && channels);
                float4 b1 = load4(x1 + c, one >= 0 && channels), b2 = load4(x2 + c, other >= 0 && channels);
                store_down(As, part, row, a);
                store_down(Bs, part, row, b1);
                store_down(Bs, part, row + BN / 2, b2);
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

extern "C" kernel_info kernel_conv_nhwc(void) {
    return {(const void *)conv_nhwc, THREADS, 0};
}

extern "C" cudaError_t launch_conv_nhwc(const conv_problem *p, cudaStream_t stream) {
    unsigned blocks = tile_blocks(p);
    if (blocks > 0) conv_nhwc<<<blocks, THREADS, 0, stream>>>(conv_effective(p));
    return cudaGetLastError();
}
