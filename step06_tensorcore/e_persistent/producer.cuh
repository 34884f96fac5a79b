/* What persistent blocks load, one after the other. */
#pragma once

#include "ring.cuh"

/* The producer's one busy thread: requests all tiles of K of all the block's tiles of C, each as soon as its stage is
 * empty. `it` counts what has passed through the ring. */
static __device__ __forceinline__ void produce(const tensor_maps &maps, const gemm_problem &p, stage *ring,
                                               uint32_t full, uint32_t empty) {
    int tiles_m = (p.m + BM - 1) / BM, tiles_n = (p.n + BN - 1) / BN;
    unsigned it = 0;
    for (int tile = blockIdx.x; tile < tiles_m * tiles_n; tile += gridDim.x) {
        int2 at = gemm_rasterize(tile, tiles_m, tiles_n);
        for (int t = 0; t * BK < p.k; t++, it++) {
            int s = it % STAGES;
            mbarrier_wait(empty + 8 * s, (it / STAGES & 1) ^ 1); /* returns at once if the stage was never full */
            mbarrier_arrive_expect_tx(full + 8 * s, sizeof(stage));
            tma_load(shared_address(ring[s].a), &maps.a, t * BK, at.x * BM, full + 8 * s);
            tma_load(shared_address(ring[s].b), &maps.b, t * BK, at.y * BN, full + 8 * s);
        }
    }
}
