/* elect.sync (PTX ISA, "Parallel Synchronization and Communication Instructions: elect.sync"): true in one lane of a
 * warp, all of whose lanes are here; always the same one. The compiler then knows that a single thread goes on, and
 * gives TMA its operands in uniform registers. Behind `threadIdx.x == 0` it makes a loop over the lanes that might be
 * there around each request. */
#pragma once

#include "ptx/sm90.cuh"

__device__ __forceinline__ bool elect_one(void) {
    unsigned one = 0;
    KL_SM90("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }" : "=r"(one));
    return one != 0;
}
