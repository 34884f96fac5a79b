/* Cooperative: both consumers of a block share its tile of 128 x 256, 64 rows each, in a cluster of two blocks. The
 * pair makes 256 x 256 of C. For each tile of K a block gets 128 rows of A and 256 columns of B from shared memory, but
 * L2 delivers only half of B to it.
 *
 *                                       columns of B: 0-127 from block 0, 128-255 from block 1, to both
 *     block 0, consumer 0   A rows    0-63    │ 64 x 256 of C: 128 sums a thread
 *              consumer 1   A rows   64-127   │
 *     block 1, consumer 0   A rows  128-191   │   a stage is empty when all four
 *              consumer 1   A rows  192-255   │   have read it
 */
#include "../sums.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/cluster.cuh"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/setmaxnreg.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 128, BN = 256, BK = 64, STEPS = BK / 16, STAGES = 4;
static const int CLUSTER = 2; /* blocks, one above the other */
static const int CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS);

#include "pair.cuh"
#include "pair_multiply.cuh"

/* A consumer warpgroup: one tile of C after the other. */
static __device__ __forceinline__ void consume(const gemm_problem &p, int consumer, const stage *ring, uint32_t full,
                                               uint32_t empty) {
    int tiles_m = (p.m + CLUSTER * BM - 1) / (CLUSTER * BM), tiles_n = (p.n + BN - 1) / BN, steps = (p.k + BK - 1) / BK;
    int row = consumer * 64 + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
    /* Both blocks load into both rings: thread i of a warpgroup tells block i that a stage is empty. */
    if (threadIdx.x % 128 < CLUSTER) empty = cluster_map(empty, threadIdx.x % 128);
    unsigned it = 0;
    for (int tile = blockIdx.x / CLUSTER; tile < tiles_m * tiles_n; tile += gridDim.x / CLUSTER, it += steps) {
        int2 at = gemm_rasterize(tile, tiles_m, tiles_n);
        float d[BN / 2];
        multiply(d, p.k, consumer, it, ring, full, empty);
        store_sums(p, (at.x * CLUSTER + cluster_rank()) * BM + row, at.y * BN + col, d);
    }
}

__global__ void __launch_bounds__(THREADS, 1)
    gemm_cooperative(const __grid_constant__ tensor_maps maps, gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared), empty = full + 8 * STAGES;
    stage *ring = (stage *)(shared + 1024);
    init_barriers(full, empty, CLUSTER * CONSUMERS);
    cluster_sync();

    int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* which the compiler now knows to be one for all lanes */
    if (warpgroup == 0) {
        setmaxnreg_dec<40>();
        if (threadIdx.x == 0) produce(maps, p, ring, full, empty);
        __syncwarp();
    } else {
        setmaxnreg_inc<232>();
        consume(p, warpgroup - 1, ring, full, empty);
    }
    cluster_sync(); /* no block exits while the other may still send it a tile or an arrival */
}

extern "C" kernel_info kernel_cooperative(void) {
    return {(const void *)gemm_cooperative, THREADS, BYTES};
}

extern "C" cudaError_t launch_cooperative(const gemm_problem *p, cudaStream_t stream) {
    unsigned clusters = min(gemm_blocks(p, CLUSTER * BM, BN), gemm_multiprocessors() / CLUSTER);
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BN / CLUSTER);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_cooperative, clusters * CLUSTER, CLUSTER, THREADS, BYTES, stream, maps, *p);
}
