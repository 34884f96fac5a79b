/* Rasterization (threadblock swizzle): blocks are numbered down bands of 8 rows of tiles, column by column, so that
 * those that run at the same time cover a compact rectangle of C and share rows of A and columns of B in L2.
 *
 *    row by row            in bands of (here) 2
 *    0  1  2  3            0  2  4  6       four blocks at once read   1 row of A and 4 columns of B
 *    4  5  6  7            1  3  5  7                              or  2 rows     and 2 columns
 *    8  9 10 11            8 10 12 14
 */
#include "../f16.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"

static const int BM = 128, BN = 128, BK = 64, STEPS = BK / 16, STAGES = 3;
static const int WM = 64, WN = 64;
static const int THREADS = 128, BLOCKS = 2; /* per multiprocessor: one waits while the other multiplies */

struct stage {
    __half a[BM][BK], b[BN][BK];
};
static const int BYTES = STAGES * sizeof(stage);

/* The place of chunk `chunk` of row `row`, as an index of its first number. */
static __device__ __forceinline__ int place(int row, int chunk) {
    return (chunk ^ row % 8) * 8;
}

/* What a thread copies of a tile: its chunk of every 16th row of A and of B. */
static const int EACH = BM * 8 / THREADS, APART = BM / EACH;
struct source {
    const __half *a, *b;     /* the first ones, */
    int a_rows, b_rows, col; /* how many of the rows exist, their column in a tile, */
    unsigned to;             /* and where the first one of A goes in stage 0 */
};

static __device__ __forceinline__ source source_of(const gemm_problem &p, int row0, int col0, const stage *ring) {
    int row = threadIdx.x / 8, chunk = threadIdx.x % 8;
    return {gemm_at((const __half *)p.A, p.lda, row0 + row, chunk * 8),
            gemm_at((const __half *)p.B, p.ldb, col0 + row, chunk * 8),
            (p.m - row0 - row + APART - 1) / APART,
            (p.n - col0 - row + APART - 1) / APART,
            chunk * 8,
            shared_address(&ring->a[row][place(row, chunk)])};
}

/* Requests copies first ... last - 1 of the tile at k0, `ahead` tiles further on than the pointers, into stage s; zeros
 * beyond the last row or k: a predicate, no branch. */
static __device__ __forceinline__ void request(const gemm_problem &p, const source &x, int k0, int ahead, int s,
                                               int first, int last) {
    unsigned to = x.to + s * (int)sizeof(stage);
    int a_rows = k0 + x.col < p.k ? x.a_rows : 0, b_rows = k0 + x.col < p.k ? x.b_rows : 0;
#pragma unroll
    for (int i = first; i < last; i++) {
        int down = i * APART;
        cp_async_16_zfill(to + down * BK * 2, gemm_at(x.a, p.lda, down, ahead * BK), i < a_rows ? 16 : 0);
        cp_async_16_zfill(to + (BM + down) * BK * 2, gemm_at(x.b, p.ldb, down, ahead * BK), i < b_rows ? 16 : 0);
    }
}

/* The fragments of a warp's rows of A and columns of B for the 16 values of k of step `step`. */
static __device__ __forceinline__ void load_fragments(const stage &now, int wm, int wn, int step, unsigned (*a_frag)[4],
                                                      unsigned (*b_frag)[2]) {
    int lane = threadIdx.x % 32;
    for (int i = 0; i < WM / 16; i++) {
        int row = wm + i * 16 + lane % 16, chunk = step * 2 + lane / 16;
        ldmatrix_x4(a_frag[i], shared_address(&now.a[row][place(row, chunk)]));
    }
    for (int j = 0; j < WN / 8; j += 2) {
        int row = wn + j * 8 + lane / 16 * 8 + lane % 8, chunk = step * 2 + lane / 8 % 2;
        ldmatrix_x4(b_frag[j], shared_address(&now.b[row][place(row, chunk)]));
    }
}

__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_rasterized(gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    stage *ring = (stage *)shared;
    int2 tile = gemm_rasterize(blockIdx.x, (p.m + BM - 1) / BM, (p.n + BN - 1) / BN);
    int row0 = tile.x * BM, col0 = tile.y * BN;
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    float c_frag[WM / 16][WN / 8][4] = {};
    source from = source_of(p, row0, col0, ring);
    for (int t = 0; t < STAGES - 1; t++) {
        request(p, from, t * BK, t, t, 0, EACH);
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    unsigned a_frag[2][WM / 16][4], b_frag[2][WN / 8][2]; /* one set is multiplied, the other loaded */
    load_fragments(ring[0], wm, wn, 0, a_frag[0], b_frag[0]);
    for (int t0 = 0; t0 * BK < p.k; t0 += STAGES) {
#pragma unroll
        for (int at = 0; at < STAGES; at++) { /* the stage that is multiplied, a constant in each instruction */
            if ((t0 + at) * BK >= p.k) break;
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                const int now = step % 2, next = (step + 1) % 2, SHARE = EACH / STEPS;
                int ahead = at + STAGES - 1; /* the tile whose copies are requested, a quarter in each step */
                request(p, from, (t0 + ahead) * BK, ahead, ahead % STAGES, step * SHARE, (step + 1) * SHARE);
                if (step == STEPS - 1) { /* the next fragments are of the next tile */
                    cp_async_commit();
                    cp_async_wait<STAGES - 2>(); /* this thread's part of it is there, */
                    __syncthreads();             /* everyone's is, and no one reads this tile any more */
                }
                load_fragments(ring[(at + (step == STEPS - 1)) % STAGES], wm, wn, (step + 1) % STEPS, a_frag[next],
                               b_frag[next]);
#pragma unroll
                for (int i = 0; i < WM / 16; i++)
#pragma unroll
                    for (int j = 0; j < WN / 8; j++) mma_m16n8k16_f16(c_frag[i][j], a_frag[now][i], b_frag[now][j]);
            }
        }
        from.a += STAGES * BK, from.b += STAGES * BK;
    }

    for (int x = 0; x < WM / 16 * (WN / 8); x++) {
        int i = x / (WN / 8), j = x % (WN / 8), row = row0 + wm + i * 16 + g, col = col0 + wn + j * 8 + pair * 2;
        store_pair(p, row, col, c_frag[i][j][0], c_frag[i][j][1]);
        store_pair(p, row + 8, col, c_frag[i][j][2], c_frag[i][j][3]);
    }
}

extern "C" kernel_info kernel_rasterized(void) {
    return {(const void *)gemm_rasterized, THREADS, BYTES};
}

extern "C" cudaError_t launch_rasterized(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(gemm_rasterized, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_effective(p));
}
