/* What a pair of blocks loads. */
#pragma once

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
