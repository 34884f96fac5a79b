/* What a pair of blocks loads, and what its consumers multiply, as cooperative has it. */
#ifndef KL_PAIR_CUH
#define KL_PAIR_CUH

#include "ring.cuh"

/* The producer's one busy thread: requests all tiles of K of all the block's tiles of C, each as soon as its stage is
 * empty. `it` counts what has passed through the ring. */
static __device__ __forceinline__ void produce(const tensor_maps &maps, const gemm_problem &p, stage *ring,
                                               uint32_t full, uint32_t empty) {
    int tiles_m = (p.m + CLUSTER * BM - 1) / (CLUSTER * BM), tiles_n = (p.n + BN - 1) / BN;
    const int PART = BN / CLUSTER; /* columns of B that this block loads for both */
    unsigned it = 0, rank = cluster_rank();
    for (int tile = blockIdx.x / CLUSTER; tile < tiles_m * tiles_n; tile += gridDim.x / CLUSTER) {
        int2 at = gemm_rasterize(tile, tiles_m, tiles_n);
        for (int t = 0; t * BK < p.k; t++, it++) {
            int s = it % STAGES;
            mbarrier_wait(empty + 8 * s, (it / STAGES & 1) ^ 1); /* returns at once if the stage was never full */
            mbarrier_arrive_expect_tx(full + 8 * s, sizeof(stage));
            tma_load(shared_address(ring[s].a), &maps.a, t * BK, (at.x * CLUSTER + rank) * BM, full + 8 * s);
            tma_load_multicast(shared_address(ring[s].b[rank * PART]), &maps.b, t * BK, at.y * BN + rank * PART,
                               full + 8 * s, (1 << CLUSTER) - 1);
        }
    }
}

/* A consumer warpgroup: multiplies its 64 rows of each tile of K of one tile of C, from number `it` in the ring on. */
static __device__ __forceinline__ void multiply(float (&d)[BN / 2], int k, int consumer, unsigned it, const stage *ring,
                                                uint32_t full, uint32_t empty) {
    for (int t = 0; t * BK < k; t++, it++) {
        int s = it % STAGES;
        uint64_t a = wgmma_k_major(shared_address(ring[s].a[consumer * 64]));
        uint64_t b = wgmma_k_major(shared_address(ring[s].b));
        mbarrier_wait(full + 8 * s, it / STAGES & 1);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            wgmma_f16<0>(d, a + step * wgmma_advance(32), b + step * wgmma_advance(32), t > 0 || step > 0);
        wgmma_commit();
        wgmma_wait<1>(d); /* by now tile t - 1 has been multiplied, this one perhaps not yet */
        if (threadIdx.x % 128 < CLUSTER && t > 0) mbarrier_arrive_remote(empty + 8 * ((it - 1) % STAGES));
    }
    wgmma_wait<0>(d);
    if (threadIdx.x % 128 < CLUSTER) mbarrier_arrive_remote(empty + 8 * ((it - 1) % STAGES));
}

#endif
