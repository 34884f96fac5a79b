/* ld.acquire and st.release: a flag in global memory that orders what was written before it (PTX ISA, "Data Movement
 * and Conversion Instructions: ld, st" and "Memory Consistency Model: release and acquire patterns"; sm_70 and newer).
 *
 * What a thread wrote before store_release is seen by a thread whose load_acquire returned the released value. For the
 * writes of a whole block: __syncthreads(), then one thread releases. */
#pragma once

__device__ __forceinline__ unsigned load_acquire(const unsigned *p) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

__device__ __forceinline__ void store_release(unsigned *p, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
