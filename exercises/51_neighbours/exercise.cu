/* Exercise: f16 in NHWC by mma.sync. A lane's sums of a product are two neighbours in y, so a store of a warp brings 16
 * bytes to each of 8 places, half a sector. Let a lane have eight neighbours, and store them at once: the copies may
 * put any filter into any row of the tile of filters. There must be no bank conflicts.
 */
#include <cuda_fp16.h>

#include "../step09_conv/nhwc.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"

static const int BM = 64, BN = 32, BK = 64, THREADS = 64; /* places, filters, values of a tile: 32 places a warp */

/* The place of chunk `chunk` of row `row`, as an index of its first number. */
static __device__ __forceinline__ int place(int row, int chunk) {
    return (chunk ^ row % 8) * 8;
}

/* The filter in row `row` of the tile. */
static __device__ __forceinline__ int filter_in(int row) {
    return row;
}

/* c is a multiple of 64: a tile has channels of one tap. */
static __device__ __forceinline__ void copy_tiles(const conv_problem &p, int place0, int k0, int l0, __half (*a)[BK],
                                                  __half (*b)[BK]) {
    int tap = l0 / p.c, c = l0 % p.c, chunk = threadIdx.x % 8;
    for (int row = threadIdx.x / 8; row < BM; row += THREADS / 8) {
        int pixel = pixel_of(p, corner_of(p, place0 + row), tap / p.s, tap % p.s);
        const __half *from = (const __half *)p.x + (int64_t)pixel * p.c + c + chunk * 8;
        cp_async_16_zfill(shared_address(&a[row][place(row, chunk)]), from, pixel >= 0 ? 16 : 0);
    }
    for (int row = threadIdx.x / 8; row < BN; row += THREADS / 8) {
        int k = k0 + filter_in(row);
        const __half *from = (const __half *)p.f + (int64_t)k * conv_taps(&p) + l0 + chunk * 8;
        cp_async_16_zfill(shared_address(&b[row][place(row, chunk)]), from, k < p.k ? 16 : 0);
    }
    cp_async_commit();
    cp_async_wait<0>();
}

static __global__ void __launch_bounds__(THREADS) conv_exercise(conv_problem p) {
    __shared__ __align__(128) __half a[BM][BK], b[BN][BK];
    int tiles = (p.k + BN - 1) / BN, k0 = blockIdx.x % tiles * BN, place0 = blockIdx.x / tiles * BM;
    int wm = threadIdx.x / 32 * 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;

    float c_frag[2][4][4] = {};
    for (int l0 = 0; l0 < conv_taps(&p); l0 += BK) {
        copy_tiles(p, place0, k0, l0, a, b);
        __syncthreads();
#pragma unroll
        for (int step = 0; step < BK / 16; step++) {
            unsigned a_frag[2][4], b_frag[4][2];
            for (int i = 0; i < 2; i++) {
                int row = wm + i * 16 + lane % 16, chunk = step * 2 + lane / 16;
                ldmatrix_x4(a_frag[i], shared_address(&a[row][place(row, chunk)]));
            }
            for (int j = 0; j < 4; j += 2) {
                int row = j * 8 + lane / 16 * 8 + lane % 8, chunk = step * 2 + lane / 8 % 2;
                ldmatrix_x4(b_frag[j], shared_address(&b[row][place(row, chunk)]));
            }
            for (int x = 0; x < 8; x++) mma_m16n8k16_f16(c_frag[x / 4][x % 4], a_frag[x / 4], b_frag[x % 4]);
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 4; i++) { /* rows g, g + 8, g + 16, g + 24 */
        int at = place0 + wm + i * 8 + g;
        if (at >= conv_places(&p)) break;
        __half *y = (__half *)p.y + (int64_t)at * p.k + k0 + t * 2;
#pragma unroll
        for (int j = 0; j < 4; j++, y += 8) { /* two filters each */
            const float *two = &c_frag[i / 2][j][i % 2 * 2];
            int k = k0 + j * 8 + t * 2;
            if (k < p.k)
                *(__half2 *)y = __floats2half2_rn(conv_result(p, two[0], k, y), conv_result(p, two[1], k + 1, y + 1));
        }
    }
}

extern "C" kernel_info kernel_conv_exercise(void) {
    return {(const void *)conv_exercise, THREADS, 0};
}

extern "C" cudaError_t launch_conv_exercise(const conv_problem *p, cudaStream_t stream) {
    int64_t tiles = ((int64_t)conv_places(p) + BM - 1) / BM * ((p->k + BN - 1) / BN);
    if (tiles > 0) conv_exercise<<<(unsigned)tiles, THREADS, 0, stream>>>(conv_effective(p));
    return cudaGetLastError();
}
