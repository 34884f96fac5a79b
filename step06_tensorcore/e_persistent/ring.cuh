/* The ring of stages and its barriers. A rung has its constants, BM to THREADS, before it includes this. */
#pragma once

struct stage {
    __half a[BM][BK], b[BN][BK];
};
static const int BYTES = 1024 + STAGES * sizeof(stage); /* the first 1024 for the barriers */

/* Two barriers a stage: `full` counts the bytes that arrive, `empty` the `readers` that have read them. */
static __device__ __forceinline__ void init_barriers(uint32_t full, uint32_t empty, int readers) {
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(full + 8 * s, 1);
            mbarrier_init(empty + 8 * s, readers);
        }
        fence_mbarrier_init();
    }
}
