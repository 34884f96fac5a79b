/* cp.async: asynchronous copies from global to shared memory that bypass registers (PTX ISA, "Data Movement and
 * Conversion Instructions: Asynchronous copy", non-bulk; sm_80 and newer, SASS: LDGSTS).
 *
 * A thread issues copies, closes them into a group with cp_async_commit, and waits with cp_async_wait<N> until at most
 * its N youngest groups are still in flight. Each thread waits only for its own copies: others see the data only after
 * a barrier. */
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define KL_CP_ASYNC(...) asm volatile(__VA_ARGS__)
#else
#define KL_CP_ASYNC(...) __trap() /* variants that would get here say so through `supports` */
#endif

/* The 32-bit shared-space address that PTX needs, from a generic pointer into shared memory. */
__device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

/* 4 bytes; dst and src aligned to 4. .ca: through L1 (the only choice below 16 bytes). */
__device__ __forceinline__ void cp_async_4(unsigned dst, const void *src) {
    KL_CP_ASYNC("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(dst), "l"(src) : "memory");
}

/* 16 bytes; dst and src aligned to 16. .cg: cached in L2 only. */
__device__ __forceinline__ void cp_async_16(unsigned dst, const void *src) {
    KL_CP_ASYNC("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(dst), "l"(src) : "memory");
}

/* The same with 4, 8 and 16 bytes, reading only `bytes` (0 ... 4, 8 or 16) of the source and filling the rest of dst
 * with zeros. If that is all or nothing it costs nothing: a predicate. */
__device__ __forceinline__ void cp_async_4_zfill(unsigned dst, const void *src, int bytes) {
    KL_CP_ASYNC("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}

__device__ __forceinline__ void cp_async_8_zfill(unsigned dst, const void *src, int bytes) {
    KL_CP_ASYNC("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}

__device__ __forceinline__ void cp_async_16_zfill(unsigned dst, const void *src, int bytes) {
    KL_CP_ASYNC("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}

/* The same through L1, which pays where others read the same soon, and where source and destination do not lie alike:
 * past L1 a copy moves whole sectors from one line to one line at a time. */
__device__ __forceinline__ void cp_async_16_zfill_l1(unsigned dst, const void *src, int bytes) {
    KL_CP_ASYNC("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(dst), "l"(src), "r"(bytes) : "memory");
}

/* Closes the copies issued since the last commit into a group (an empty group is allowed and counts). */
__device__ __forceinline__ void cp_async_commit() {
    KL_CP_ASYNC("cp.async.commit_group;" ::: "memory");
}

/* Waits until at most N of this thread's groups are in flight. */
template <int N> __device__ __forceinline__ void cp_async_wait() {
    KL_CP_ASYNC("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
