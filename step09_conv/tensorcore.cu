/* Tensor cores: f16 or bf16 in NHWC. The product is step 6's ring of stages (lesson 6.5): cp.async, the XOR swizzle,
 * ldmatrix, mma.sync. A row of its A is now a place's window, of which a tile has 64 values, in chunks of 16 bytes:
 *
 *   c = 24: 3 chunks a tap     tap (0,0)   tap (0,1)   tap (0,2)   tap (1,0)   ...
 *   chunks of tile 0           0 1 2       3 4 5       6 7
 *             tile 1                                       0       1 2 3       4 5 6 ...      no gaps
 *
 * c is a multiple of 8, so a chunk has channels of one tap. A thread copies one chunk of a tile, the same for a few
 * places, and keeps count of the tap and the channel that it has got to. Where a tap is outside of the image, cp.async
 * fills in zeros.
 *
 * mma.sync leaves two neighbours of eight columns with a lane, in D as in y 4 bytes. But which filter is in a row of B
 * is for the copies to choose, and they put it so that a lane's sums of four products are eight neighbours: 16 bytes.
 *
 *   row of B     0  1  2  3  4  5  6  7     8  9 10 11 12 13 14 15    ...       of 32
 *   filter       0  1  8  9 16 17 24 25     2  3 10 11 18 19 26 27    ...
 *   lane (g, t)  t = 0  1     2     3       0     1     2     3                 t = 0: filters 0 to 7 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gemm/launch.cuh"
#include "nhwc.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"

static const int BM = 128, BK = 64, STAGES = 3; /* places and values of the sums in a tile; BN filters, 128 or 64 */
static const int WM = 64, WN = 32;

template <int BN> struct stage { unsigned short a[BM][BK], b[BN][BK]; };

/* The place of chunk `chunk` of row `row`, as an index of its first number. */
static __device__ __forceinline__ int place(int row, int chunk) {
    return (chunk ^ row % 8) * 8;
}

/* The filter in row `row` of B's tile, both counted from the first. */
static __device__ __forceinline__ int filter_in(int row) {
    return row / 32 * 32 + row % 8 / 2 * 8 + row / 8 % 4 * 2 + row % 2;
}

template <typename T> __device__ void multiply(float d[4], const unsigned a[4], const unsigned b[2]);
template <> __device__ __forceinline__ void multiply<__half>(float d[4], const unsigned a[4], const unsigned b[2]) {
    mma_m16n8k16_f16(d, a, b);
}
template <>
__device__ __forceinline__ void multiply<__nv_bfloat16>(float d[4], const unsigned a[4], const unsigned b[2]) {
    mma_m16n8k16_bf16(d, a, b);
}

/* What a thread copies: chunk threadIdx.x % 8 of every APART-th row. */
template <int BN> struct source {
    static const int THREADS = 2 * BN, APART = THREADS / 8;
    corner places[BM / APART];
    int r, s, c, l; /* the tap and the channel where the chunk begins, and where that is in a filter */
    unsigned to;    /* where the first one goes in stage 0 */
};

/* Requests the next tile along the sums. */
template <typename T, int BN>
static __device__ __forceinline__ void request(const conv_problem &p, source<BN> &next, int k0, int number) {
    const int APART = source<BN>::APART;
    unsigned to = next.to + number % STAGES * (int)sizeof(stage<BN>);
    int taps = conv_taps(&p);
    for (; next.c >= p.c; next.c -= p.c)
        if (++next.s == p.s) next.s = 0, next.r++;
#pragma unroll
    for (int i = 0; i < BM / APART; i++) {
        int pixel = pixel_of(p, next.places[i], next.r, next.s);
        const T *from = (const T *)p.x + (int64_t)pixel * p.c + next.c;
        cp_async_16_zfill(to + i * APART * BK * 2, from, pixel >= 0 && next.l < taps ? 16 : 0);
    }
#pragma unroll
    for (int i = 0; i < BN / APART; i++) {
        int k = k0 + filter_in(threadIdx.x / 8 + i * APART);
        const T *from = (const T *)p.f + (int64_t)k * taps + next.l;
        cp_async_16_zfill(to + (BM + i * APART) * BK * 2, from, k < p.k && next.l < taps ? 16 : 0);
    }
    next.c += BK, next.l += BK;
}

template <typename T, int BN>
static __global__ void __launch_bounds__(2 * BN, BN == 128 ? 2 : 3) conv_tensorcore(conv_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    stage<BN> *ring = (stage<BN> *)shared;
    int tiles_k = (p.k + BN - 1) / BN, k0 = blockIdx.x % tiles_k * BN, place0 = blockIdx.x / tiles_k * BM;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;
    int row0 = threadIdx.x / 8, chunk0 = threadIdx.x % 8, tiles = (conv_taps(&p) + BK - 1) / BK;

    source<BN> next = {{}, 0, 0, chunk0 * 8, chunk0 * 8, shared_address(&ring->a[row0][place(row0, chunk0)])};
#pragma unroll
    for (int i = 0; i < BM / source<BN>::APART; i++)
        next.places[i] = corner_of(p, place0 + row0 + i * source<BN>::APART);

    float c_frag[WM / 16][WN / 8][4] = {};
    for (int n = 0; n < STAGES - 1; n++) {
        if (n < tiles) request<T>(p, next, k0, n);
        cp_async_commit();
    }
    for (int n = 0; n < tiles; n++) {
        cp_async_wait<STAGES - 2>(); /* this thread's part of tile n is there, */
        __syncthreads();             /* everyone's is, and no one reads tile n - 1 any more */
        if (n + STAGES - 1 < tiles) request<T>(p, next, k0, n + STAGES - 1);
        cp_async_commit();
        const stage<BN> &now = ring[n % STAGES];
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned a_frag[WM / 16][4], b_frag[WN / 8][2];
#pragma unroll
            for (int i = 0; i < WM / 16; i++) {
                int row = wm + i * 16 + lane % 16, chunk = k / 8 + lane / 16;
                ldmatrix_x4(a_frag[i], shared_address(&now.a[row][place(row, chunk)]));
            }
#pragma unroll
            for (int j = 0; j < WN / 8; j += 2) {
                int row = wn + j * 8 + lane / 16 * 8 + lane % 8, chunk = k / 8 + lane / 8 % 2;
                ldmatrix_x4(b_frag[j], shared_address(&now.b[row][place(row, chunk)]));
            }
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++) multiply<T>(c_frag[i][j], a_frag[i], b_frag[j]);
        }
    }

#pragma unroll
    for (int i = 0; i < WM / 16 * 2; i++) { /* rows g and g + 8 of each 16 */
        float sums[WN / 4];
#pragma unroll
        for (int j = 0; j < WN / 4; j++) sums[j] = c_frag[i / 2][j / 2][i % 2 * 2 + j % 2];
        store_filters<T>(p, place0 + wm + i * 8 + g, k0 + wn + t * 8, sums);
    }
}

template <typename T, int BN> static cudaError_t launch(const conv_problem *p, cudaStream_t stream) {
    int64_t tiles = ((int64_t)conv_places(p) + BM - 1) / BM * ((p->k + BN - 1) / BN);
    int bytes = STAGES * sizeof(stage<BN>);
    return gemm_launch(conv_tensorcore<T, BN>, (unsigned)tiles, 1, 2 * BN, bytes, stream, conv_effective(p));
}

extern "C" kernel_info kernel_conv_tensorcore(void) {
    return {(const void *)conv_tensorcore<__half, 128>, 256, STAGES * sizeof(stage<128>)};
}

/* Half as many filters a tile where there are no more. */
extern "C" cudaError_t launch_conv_tensorcore(const conv_problem *p, cudaStream_t stream) {
    if (p->type == DTYPE_F16) return p->k > 64 ? launch<__half, 128>(p, stream) : launch<__half, 64>(p, stream);
    return p->k > 64 ? launch<__nv_bfloat16, 128>(p, stream) : launch<__nv_bfloat16, 64>(p, stream);
}
