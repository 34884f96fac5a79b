/* A stage of the ring, as stages has it. A rung has its constants, BM to BLOCKS, before it includes this. */
#pragma once

struct stage {
    __half a[BM][BK], b[BN][BK];
};
static const int BYTES = STAGES * sizeof(stage);

/* The place of chunk `chunk` of row `row`, as an index of its first number. */
static __device__ __forceinline__ int place(int row, int chunk) {
    return (chunk ^ row % 8) * 8;
}
