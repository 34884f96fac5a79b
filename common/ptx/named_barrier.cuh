/* bar: the sixteen barriers of a block, 0 of which is __syncthreads (PTX ISA, "Parallel Synchronization and
 * Communication Instructions: bar"). A barrier opens when `threads` threads, in whole warps, have reached it: those
 * that call wait are held, those that call arrive go on. */
#pragma once

__device__ __forceinline__ void named_barrier_wait(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ __forceinline__ void named_barrier_arrive(int barrier, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
