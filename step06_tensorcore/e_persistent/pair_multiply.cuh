/* What each of two consumers multiplies of a tile, as cooperative has it. */
#pragma once

#include "ring.cuh"

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
