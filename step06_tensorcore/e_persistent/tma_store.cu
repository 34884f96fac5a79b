/* A store by TMA: sums leave a warp through shared memory. stmatrix lays 16 rows of 64 columns down as a box, swizzled,
 * and one thread has TMA copy the box to C. No one waits for C: the warp multiplies the next tile meanwhile.
 *
 *     warp's sums, 16 x 256      slab 0          slab 1
 *     columns 0-63       ──────► filled, sent
 *     columns 64-127     ──────────────────────► filled, sent
 *     columns 128-191    ──────► read by TMA? then filled, sent
 *     columns 192-255    ──────────────────────► the same      ... and on to the next tile
 */
#include "../f16.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/cluster.cuh"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/setmaxnreg.cuh"
#include "ptx/stmatrix.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 128, BN = 256, BK = 64, STEPS = BK / 16, STAGES = 4;
static const int CLUSTER = 2; /* blocks, one above the other */
static const int CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS);

#include "pair.cuh"
#include "pair_multiply.cuh"

static const int SLABS = 2; /* of each consumer warp */
struct slab {
    __half c[16][64];
};
static const int ALL_BYTES = BYTES + 4 * CONSUMERS * SLABS * sizeof(slab);

/* A warp's 16 rows of a tile of C from (row, col) on: 64 columns at a time go into the next slab, and from there on
 * their way. ADD: beta is not 0, so C is read. */
template <bool ADD>
static __device__ __forceinline__ void store_rows(const CUtensorMap *c_map, const gemm_problem &p, int row, int col,
                                                  const float (&d)[BN / 2], slab *slabs) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < BN / 64; i++, col += 64) {
        slab &to = slabs[i % SLABS];
        if (lane == 0) tma_store_wait_read<SLABS - 1>(); /* all but the latest have been read, so this slab is free */
        __syncwarp();
#pragma unroll
        for (int j = 0; j < 8; j += 2) { /* 16 columns: four 8 x 8 matrices */
            uint32_t four[4];
#pragma unroll
            for (int x = 0; x < 4; x++) { /* rows 0-7, 8-15 of the left, then of the right */
                float left = d[32 * i + 4 * j + 2 * x], right = d[32 * i + 4 * j + 2 * x + 1];
                int r = row + x % 2 * 8 + lane / 4, c = col + (j + x / 2) * 8 + lane % 4 * 2;
                __half2 pair =
                    ADD ? result_pair(p, r, c, left, right) : __floats2half2_rn(p.alpha * left, p.alpha * right);
                memcpy(&four[x], &pair, 4);
            }
            int r = lane % 16, chunk = (j + lane / 16) ^ r % 8;
            stmatrix_x4(shared_address(&to.c[r][chunk * 8]), four[0], four[1], four[2], four[3]);
        }
        fence_proxy_async(); /* TMA shall see what this lane has stored, */
        __syncwarp();        /* and what all others have */
        if (lane == 0) {
            tma_store(c_map, col, row, shared_address(to.c));
            tma_store_commit();
        }
    }
}

/* A consumer warpgroup: one tile of C after the other. */
static __device__ __forceinline__ void consume(const CUtensorMap *c_map, const gemm_problem &p, int consumer,
                                               const stage *ring, slab *slabs, uint32_t full, uint32_t empty) {
    int tiles_m = (p.m + CLUSTER * BM - 1) / (CLUSTER * BM), tiles_n = (p.n + BN - 1) / BN, steps = (p.k + BK - 1) / BK;
    int warp = consumer * 4 + threadIdx.x / 32 % 4;
    /* Both blocks load into both rings: thread i of a warpgroup tells block i that a stage is empty. */
    if (threadIdx.x % 128 < CLUSTER) empty = cluster_map(empty, threadIdx.x % 128);
    unsigned it = 0;
    for (int tile = blockIdx.x / CLUSTER; tile < tiles_m * tiles_n; tile += gridDim.x / CLUSTER, it += steps) {
        int2 at = gemm_rasterize(tile, tiles_m, tiles_n);
        float d[BN / 2];
        multiply(d, p.k, consumer, it, ring, full, empty);
        int row = (at.x * CLUSTER + cluster_rank()) * BM + warp * 16, col = at.y * BN;
        if (p.beta == 0.0f)
            store_rows<false>(c_map, p, row, col, d, slabs + warp * SLABS);
        else
            store_rows<true>(c_map, p, row, col, d, slabs + warp * SLABS);
    }
    if (threadIdx.x % 32 == 0) tma_store_wait_read<0>(); /* shared memory ends with the block */
    __syncwarp();
}

__global__ void __launch_bounds__(THREADS, 1)
    gemm_tma_store(const __grid_constant__ tensor_maps maps, const __grid_constant__ CUtensorMap c_map,
                   gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared), empty = full + 8 * STAGES;
    stage *ring = (stage *)(shared + 1024);
    slab *slabs = (slab *)(ring + STAGES);
    init_barriers(full, empty, CLUSTER * CONSUMERS);
    cluster_sync();

    int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* which the compiler now knows to be one for all lanes */
    if (warpgroup == 0) {
        setmaxnreg_dec<40>();
        if (threadIdx.x == 0) produce(maps, p, ring, full, empty);
        __syncwarp();
    } else {
        setmaxnreg_inc<232>();
        consume(&c_map, p, warpgroup - 1, ring, slabs, full, empty);
    }
    cluster_sync(); /* no block exits while the other may still send it a tile or an arrival */
}

extern "C" kernel_info kernel_tma_store(void) {
    return {(const void *)gemm_tma_store, THREADS, ALL_BYTES};
}

extern "C" cudaError_t launch_tma_store(const gemm_problem *p, cudaStream_t stream) {
    unsigned clusters = min(gemm_blocks(p, CLUSTER * BM, BN), gemm_multiprocessors() / CLUSTER);
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    CUtensorMap c_map;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BN / CLUSTER);
    if (error == cudaSuccess) error = tensor_map_c(&c_map, p, 16);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_tma_store, clusters * CLUSTER, CLUSTER, THREADS, ALL_BYTES, stream, maps, c_map, *p);
}
