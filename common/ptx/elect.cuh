/* elect.sync (PTX ISA, "Parallel Synchronization and Communication Instructions: elect.sync"): true in exactly one
 * lane, always the same one. All lanes of the warp must be here. The compiler then knows that a single thread goes on,
 * and hands TMA its operands in uniform registers. Behind `threadIdx.x == 0` it does not know, and puts each request
 * into a loop over the lanes that might be active. */
#pragma once

#include "ptx/sm90.cuh"

__device__ __forceinline__ bool elect_one(void) {
    unsigned one = 0;
    KL_SM90("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }" : "=r"(one));
    return one != 0;
}
