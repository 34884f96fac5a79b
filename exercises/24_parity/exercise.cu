/* Exercise: an mbarrier of a stage counts the bytes that the stage's tile still lacks. Each pass of the ring through
 * the stage is a phase, and a wait names its parity. In the loop the parity is wrong.
 */
#include "../step06_tensorcore/f16.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/fence.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/mma.cuh"
#include "ptx/tma.cuh"

static const int BM = 128, BN = 128, BK = 64, STEPS = BK / 16, STAGES = 3;
static const int WM = 64, WN = 64;
static const int THREADS = 128, BLOCKS = 2;

struct stage {
    __half a[BM][BK], b[BN][BK];
};
static const int BYTES = 1024 + STAGES * sizeof(stage); /* the first 1024 for the barriers */

/* The place of chunk `chunk` of row `row`, as an index of its first number. */
static __device__ __forceinline__ int place(int row, int chunk) {
    return (chunk ^ row % 8) * 8;
}

/* One thread requests tile t along K of A and of B, if there is one, into stage s. The barrier counts their bytes. */
static __device__ __forceinline__ void request(const tensor_maps &maps, int k, int row0, int col0, int t, int s,
                                               stage *ring, uint32_t full) {
    if (threadIdx.x != 0 || t * BK >= k) return;
    uint32_t barrier = full + 8 * s;
    mbarrier_arrive_expect_tx(barrier, sizeof(stage));
    tma_load(shared_address(ring[s].a), &maps.a, t * BK, row0, barrier);
    tma_load(shared_address(ring[s].b), &maps.b, t * BK, col0, barrier);
}

/* The fragments of a warp's rows of A and columns of B for the 16 k of step `step`. */
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

__global__ void __launch_bounds__(THREADS, BLOCKS) gemm_exercise(const __grid_constant__ tensor_maps maps, gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared); /* a barrier a stage */
    stage *ring = (stage *)(shared + 1024);
    int2 tile = gemm_rasterize(blockIdx.x, (p.m + BM - 1) / BM, (p.n + BN - 1) / BN);
    int row0 = tile.x * BM, col0 = tile.y * BN;
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    float c_frag[WM / 16][WN / 8][4] = {};
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) mbarrier_init(full + 8 * s, 1);
        fence_mbarrier_init();
    }
    __syncthreads(); /* the barriers are there */
    for (int t = 0; t < STAGES - 1; t++) request(maps, p.k, row0, col0, t, t, ring, full);
    mbarrier_wait(full, 0);
    unsigned a_frag[2][WM / 16][4], b_frag[2][WN / 8][2]; /* one set is multiplied, the other loaded */
    load_fragments(ring[0], wm, wn, 0, a_frag[0], b_frag[0]);
    for (int t0 = 0; t0 * BK < p.k; t0 += STAGES) {
#pragma unroll
        for (int at = 0; at < STAGES; at++) { /* the stage that is multiplied, a constant in each instruction */
            int t = t0 + at, at_next = (at + 1) % STAGES;
            if (t * BK >= p.k) break;
            request(maps, p.k, row0, col0, t + STAGES - 1, (at + STAGES - 1) % STAGES, ring, full);
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                const int now = step % 2, next = (step + 1) % 2;
                if (step == STEPS - 1) { /* the next fragments are of the next tile: wait for its bytes, */
                    if ((t + 1) * BK < p.k) mbarrier_wait(full + 8 * at_next, (t + 1) & 1);
                    __syncthreads(); /* and until no one reads this tile any more */
                }
                load_fragments(ring[step == STEPS - 1 ? at_next : at], wm, wn, (step + 1) % STEPS, a_frag[next],
                               b_frag[next]);
#pragma unroll
                for (int i = 0; i < WM / 16; i++)
#pragma unroll
                    for (int j = 0; j < WN / 8; j++) mma_m16n8k16_f16(c_frag[i][j], a_frag[now][i], b_frag[now][j]);
            }
        }
    }

    for (int x = 0; x < WM / 16 * (WN / 8); x++) {
        int i = x / (WN / 8), j = x % (WN / 8), row = row0 + wm + i * 16 + g, col = col0 + wn + j * 8 + pair * 2;
        store_pair(p, row, col, c_frag[i][j][0], c_frag[i][j][1]);
        store_pair(p, row + 8, col, c_frag[i][j][2], c_frag[i][j][3]);
    }
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)gemm_exercise, THREADS, BYTES};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BN);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_exercise, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, maps, *p);
}
