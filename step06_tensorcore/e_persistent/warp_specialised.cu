/* Warp specialisation: producer warps that only load tiles, and consumer warps that only multiply them.
 *
 * The producer's one busy thread waits until a stage is empty and requests the next tile; two consumer warpgroups wait
 * until the stage is full. No warp does both, so multiplying never stops for issuing loads, and only the two mbarriers
 * of a stage synchronise the two sides. The tile grows to 128 x 256: a consumer has 64 x 256 sums, 128 registers per
 * thread, which the producer's warps can spare (setmaxnreg).
 *
 *                       ┌── full ──►  consumer 0: rows 0-63      128 + registers per thread for sums: 240
 *     producer ──► stage│
 *     24 registers  ▲   └── full ──►  consumer 1: rows 64-127    both read the same tile of B
 *                   └────── empty ◄── one arrival of each
 */
#include "../sums.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/setmaxnreg.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 128, BN = 256, BK = 64, STEPS = BK / 16, STAGES = 4;
static const int CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS);

#include "ring.cuh"

/* The producer's one busy thread: requests all tiles of K, each as soon as its stage is empty. */
static __device__ __forceinline__ void produce(const tensor_maps &maps, int k, int row0, int col0, stage *ring,
                                               uint32_t full, uint32_t empty) {
    for (int t = 0; t * BK < k; t++) {
        int s = t % STAGES;
        mbarrier_wait(empty + 8 * s, (t / STAGES & 1) ^ 1); /* returns at once if the stage was never full */
        mbarrier_arrive_expect_tx(full + 8 * s, sizeof(stage));
        tma_load(shared_address(ring[s].a), &maps.a, t * BK, row0, full + 8 * s);
        tma_load(shared_address(ring[s].b), &maps.b, t * BK, col0, full + 8 * s);
    }
}

/* A consumer warpgroup: multiplies its 64 rows of each tile. */
static __device__ __forceinline__ void consume(float (&d)[BN / 2], int k, int consumer, const stage *ring,
                                               uint32_t full, uint32_t empty) {
    for (int t = 0; t * BK < k; t++) {
        int s = t % STAGES;
        uint64_t a = wgmma_k_major(shared_address(ring[s].a[consumer * 64]));
        uint64_t b = wgmma_k_major(shared_address(ring[s].b));
        mbarrier_wait(full + 8 * s, t / STAGES & 1);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            wgmma_f16<0>(d, a + step * wgmma_advance(32), b + step * wgmma_advance(32), t > 0 || step > 0);
        wgmma_commit();
        wgmma_wait<1>(d); /* by now tile t - 1 has been multiplied, this one perhaps not yet */
        if (threadIdx.x % 128 == 0 && t > 0) mbarrier_arrive(empty + 8 * ((t - 1) % STAGES));
    }
    wgmma_wait<0>(d);
}

__global__ void __launch_bounds__(THREADS, 1)
    gemm_warp_specialised(const __grid_constant__ tensor_maps maps, gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared), empty = full + 8 * STAGES;
    stage *ring = (stage *)(shared + 1024);
    init_barriers(full, empty, CONSUMERS);
    __syncthreads();

    int2 tile = gemm_rasterize(blockIdx.x, (p.m + BM - 1) / BM, (p.n + BN - 1) / BN);
    int row0 = tile.x * BM, col0 = tile.y * BN;
    int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* which the compiler now knows to be one for all lanes */
    if (warpgroup == 0) {
        setmaxnreg_dec<24>();
        if (threadIdx.x == 0) produce(maps, p.k, row0, col0, ring, full, empty);
    } else {
        setmaxnreg_inc<240>();
        int consumer = warpgroup - 1, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
        float d[BN / 2];
        consume(d, p.k, consumer, ring, full, empty);
        store_sums(p, row0 + consumer * 64 + warp * 16 + lane / 4, col0 + lane % 4 * 2, d);
    }
}

extern "C" kernel_info kernel_warp_specialised(void) {
    return {(const void *)gemm_warp_specialised, THREADS, BYTES};
}

extern "C" cudaError_t launch_warp_specialised(const gemm_problem *p, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BN);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_warp_specialised, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, maps, *p);
}
