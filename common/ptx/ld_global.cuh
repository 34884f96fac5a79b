/* ld.global in forms that C++ cannot express (PTX ISA, "Data Movement and Conversion Instructions: ld" and
 * "ld.global.nc"). All are volatile: they stay in program order, several loads before the first use of one, and before
 * or after griddepcontrol_wait(). */
#pragma once

/* 16 bytes that are read once; p aligned to 16. .nc: no one writes there while the kernel runs. L1::no_allocate: leaves
 * L1 to data that is read again. */
__device__ __forceinline__ uint4 ld_global_once_16(const void *p) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
}

/* 16 bytes that another kernel may have written while this one was already running. */
__device__ __forceinline__ uint4 ld_global_16(const void *p) {
    uint4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}
