/* Exercise: two blocks of a cluster share B, and both consumers of a block share its tile of 128 x 256. Each block
 * loads half of B into both blocks. So a stage is empty when all consumers of both blocks have read it. The kernel
 * below asks only the block's own: repair who is told, and how many arrivals `empty` counts.
 */
#include "../step06_tensorcore/sums.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/cluster.cuh"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 128, BN = 256, BK = 64, STEPS = BK / 16, CLUSTER = 2, CONSUMERS = 2, THREADS = 384;

struct tile {
    __half a[BM][BK], b[BN][BK];
};
static const int BYTES = 1024 + sizeof(tile); /* the first 1024 for the barriers; the ring has one stage */

/* Thread 0: all tiles of K of the block's rows of A, and its half of the columns of B for both blocks. */
static __device__ __forceinline__ void produce(const tensor_maps &maps, int k, int row0, int col0, tile &now,
                                               uint32_t full, uint32_t empty) {
    const int PART = BN / CLUSTER;
    unsigned rank = cluster_rank();
    for (int t = 0; t * BK < k; t++) {
        mbarrier_wait(empty, (t & 1) ^ 1);
        mbarrier_arrive_expect_tx(full, sizeof(tile));
        tma_load(shared_address(now.a), &maps.a, t * BK, row0, full);
        tma_load_multicast(shared_address(now.b[rank * PART]), &maps.b, t * BK, col0 + rank * PART, full,
                           (1 << CLUSTER) - 1);
    }
}

__global__ void __launch_bounds__(THREADS) gemm_exercise(const __grid_constant__ tensor_maps maps, gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared), empty = full + 8;
    tile &now = *(tile *)(shared + 1024);
    int pairs = (p.m + CLUSTER * BM - 1) / (CLUSTER * BM), pair = blockIdx.x / CLUSTER;
    int row0 = (pair % pairs * CLUSTER + cluster_rank()) * BM, col0 = pair / pairs * BN;
    if (threadIdx.x == 0) {
        mbarrier_init(full, 1);
        mbarrier_init(empty, CONSUMERS);
        fence_mbarrier_init();
    }
    cluster_sync();
    int warpgroup = threadIdx.x / 128;
    if (threadIdx.x == 0) produce(maps, p.k, row0, col0, now, full, empty);
    if (warpgroup > 0) {
        float d[BN / 2];
        for (int t = 0; t * BK < p.k; t++) {
            uint64_t a = wgmma_k_major(shared_address(now.a[(warpgroup - 1) * 64]));
            uint64_t b = wgmma_k_major(shared_address(now.b));
            mbarrier_wait(full, t & 1);
            wgmma_fence();
#pragma unroll
            for (int step = 0; step < STEPS; step++)
                wgmma_f16<0>(d, a + step * wgmma_advance(32), b + step * wgmma_advance(32), t > 0 || step > 0);
            wgmma_commit();
            wgmma_wait<0>(d);
            if (threadIdx.x % 128 == 0) mbarrier_arrive(empty);
        }
        store_sums(p, row0 + threadIdx.x / 32 % 4 * 16 + (warpgroup - 1) * 64 + threadIdx.x % 32 / 4,
                   col0 + threadIdx.x % 4 * 2, d);
    }
    __syncwarp();
    cluster_sync();
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)gemm_exercise, THREADS, BYTES};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BN / CLUSTER);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_exercise, gemm_blocks(p, CLUSTER * BM, BN) * CLUSTER, CLUSTER, THREADS, BYTES, stream, maps,
                       *p);
}
