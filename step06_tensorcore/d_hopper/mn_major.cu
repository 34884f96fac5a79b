/* MN-major: `wgmma` for a B that lies row by row (nn), k x n. No transposing: a box of TMA is 64 columns of 64 k, and
 * the descriptor of B says that its columns, not its k, are what lies side by side.
 *
 *   A of a stage: 128 rows of 64 k           B: two boxes, each 64 k of 64 columns = 128 bytes
 *   +----+----+----+----+                    +-------------+ +-------------+
 *   | k0 | 16 | 32 | 48 |  each 16 k:        | k = 0..15   | | k = 0..15   |  each 16 k: 16 rows,
 *   |    |    |    |    |  32 bytes further  | k = 16..31  | | k = 16..31  |  2048 bytes further
 *   |    |    |    |    |                    | ...         | | ...         |
 *   +----+----+----+----+                    +-------------+ +-------------+
 *                                            columns 0..63   columns 64..127: 8192 bytes further, the leading offset */
#include "../sums.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 128, BN = 128, BK = 64, STEPS = BK / 16, STAGES = 3;
static const int BOX = 64;                  /* columns of B in 128 bytes, the width of the swizzle */
static const int THREADS = 128, BLOCKS = 2; /* one warpgroup; each thread holds 2 x 64 sums */

struct stage {
    __half a[BM][BK], b[BN / BOX][BK][BOX];
};
static const int BYTES = 1024 + STAGES * sizeof(stage); /* the first 1024 for the barriers */

/* One thread requests tile t along K of A and of B, if there is one. The barrier counts their bytes. */
static __device__ __forceinline__ void request(const tensor_maps &maps, int k, int row0, int col0, int t, stage *ring,
                                               uint32_t full) {
    if (threadIdx.x != 0 || t * BK >= k) return;
    stage &to = ring[t % STAGES];
    uint32_t barrier = full + 8 * (t % STAGES);
    mbarrier_arrive_expect_tx(barrier, sizeof(stage));
    tma_load(shared_address(to.a), &maps.a, t * BK, row0, barrier);
    for (int i = 0; i < BN / BOX; i++) tma_load(shared_address(to.b[i]), &maps.b, col0 + i * BOX, t * BK, barrier);
}

__global__ void __launch_bounds__(THREADS, BLOCKS)
    gemm_mn_major(const __grid_constant__ tensor_maps maps, gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared); /* a barrier a stage */
    stage *ring = (stage *)(shared + 1024);
    int2 tile = gemm_rasterize(blockIdx.x, (p.m + BM - 1) / BM, (p.n + BN - 1) / BN);
    int row0 = tile.x * BM, col0 = tile.y * BN;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) mbarrier_init(full + 8 * s, 1);
        fence_mbarrier_init();
    }
    __syncthreads(); /* the barriers are there */
    for (int t = 0; t < STAGES - 1; t++) request(maps, p.k, row0, col0, t, ring, full);
    float upper[BN / 2], lower[BN / 2]; /* 64 rows each */
    for (int t = 0; t * BK < p.k; t++) {
        const stage &now = ring[t % STAGES];
        uint64_t a = wgmma_k_major(shared_address(now.a));
        uint64_t b = wgmma_mn_major(shared_address(now.b), sizeof now.b[0]);
        mbarrier_wait(full + 8 * (t % STAGES), t / STAGES & 1);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < STEPS; step++) { /* 16 k: of A 32 bytes, of B 16 rows */
            uint64_t a_now = a + step * wgmma_advance(32), b_now = b + step * wgmma_advance(16 * sizeof now.b[0][0]);
            wgmma_f16<1>(upper, a_now, b_now, t > 0 || step > 0);
            wgmma_f16<1>(lower, a_now + wgmma_advance(sizeof now.a / 2), b_now, t > 0 || step > 0);
        }
        wgmma_commit();
        wgmma_wait<1>(upper); /* at most this tile's are in flight: this warp reads tile t - 1 no more, */
        wgmma_wait<1>(lower);
        __syncthreads(); /* and neither does any other */
        request(maps, p.k, row0, col0, t + STAGES - 1, ring, full);
    }
    wgmma_wait<0>(upper);
    wgmma_wait<0>(lower);

    int row = row0 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = col0 + threadIdx.x % 4 * 2;
    store_sums(p, row, col, upper);
    store_sums(p, row + 64, col, lower);
}

extern "C" kernel_info kernel_mn_major(void) {
    return {(const void *)gemm_mn_major, THREADS, BYTES};
}

extern "C" cudaError_t launch_mn_major(const gemm_problem *p, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BK);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_mn_major, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, maps, *p);
}
