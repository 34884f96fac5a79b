/* Global memory, local memory and the device's heap: outside, misaligned, freed, never written. */
#include "faulty.h"

__global__ void past_the_allocation(int *g, int n) {
    g[n + threadIdx.x] = 1; // FAULT illegal address
}
__global__ void before_the_allocation(int *g, int n) {
    g[0] = g[(int)threadIdx.x - 100000]; // FAULT illegal address
}
__global__ void one_past_the_end(int *g, int n) {
    if (threadIdx.x + 1 <= 32) g[n - 31 + threadIdx.x] += 1; // FAULT illegal address
}
__global__ void null_pointer(int *g, int n) {
    *(int *)(size_t)(g[0]) = 1; // FAULT illegal address
}
__global__ void misaligned_global(int *g, int n) {
    int2 pair = *(int2 *)(g + g[1]); // FAULT misaligned address
    g[threadIdx.x] = pair.x + pair.y;
}
__global__ void atomic_past_the_end(int *g, int n) {
    atomicAdd(g + n, 1); // FAULT illegal address
}
__global__ void freed_twice(int *g, int n) {
    int *p = (int *)malloc(256);
    asm volatile("" : "+l"(p)); /* whatever the compiler may know of malloc */
    free(p);
    g[0] = 1;
    free(p); // FAULT illegal address
}
__global__ void ok_heap(int *g, int n) {
    int *p = (int *)malloc(256);
    asm volatile("" : "+l"(p)); /* whatever the compiler may know of malloc */
    p[g[63]] = 1;
    g[threadIdx.x] = p[63];
    free(p);
}
__global__ void past_the_local_array(int *g, int n) {
    int big[64];
    for (int i = 0; i < 64; i++) big[i] = g[i];
    g[0] = big[g[5000 % n] * 100]; // FAULT illegal address
}
__device__ __constant__ int table[16] = {1, 2, 3};
__global__ void past_the_constant(int *g, int n) {
    g[threadIdx.x] = table[g[16] * 300]; // FAULT illegal address
}

/* ---- what nothing has written: `fresh` has just been allocated ---- */

__global__ void unwritten_global(int *fresh, int n) {
    fresh[threadIdx.x + 32] = fresh[threadIdx.x] + 1; // FAULT uninitialised
}
__global__ void unwritten_counter(int *fresh, int n) {
    atomicAdd(fresh, 1); // FAULT uninitialised
}
__global__ void partly_written(int *fresh, int n) {
    if (threadIdx.x < 31) fresh[threadIdx.x] = 1;
    __syncwarp();
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += fresh[i]; // FAULT uninitialised
    fresh[threadIdx.x + 64] = sum;
}
__global__ void ok_written_before_read(int *fresh, int n) {
    fresh[threadIdx.x] = 1;
    fresh[threadIdx.x + 32] = fresh[threadIdx.x];
}
/* What is read beside the point is not used. */
__global__ void ok_unused_part(int *fresh, int n) {
    fresh[2 * threadIdx.x] = 1;
    int2 pair = *(int2 *)(fresh + 2 * threadIdx.x);
    fresh[2 * threadIdx.x + 1] = pair.x;
}

/* ---- registers ---- */

__global__ void unassigned_accumulator(int *g, int n) {
    int sum; /* must begin with 0 */
    for (int i = 0; i < 4; i++)
        asm volatile("mad.lo.s32 %0, %1, %1, %0;" : "+r"(sum) : "r"(g[i])); // FAULT uninitialised
    g[threadIdx.x + 64] = sum;
}
__global__ void ok_assigned_accumulator(int *g, int n) {
    int sum = 0;
    for (int i = 0; i < 4; i++) asm volatile("mad.lo.s32 %0, %1, %1, %0;" : "+r"(sum) : "r"(g[i]));
    g[threadIdx.x + 64] = sum;
}
/* Assigned on one path and read on that one alone, which the text does not show. */
__global__ void ok_assigned_where_read(int *g, int n) {
    asm volatile("{ .reg .b32 x; .reg .pred p; setp.gt.s32 p, %0, 5; @p mov.b32 x, 7; @p add.s32 x, x, 1; @p "
                 "st.global.b32 [%1], x; }" ::"r"((int)threadIdx.x),
                 "l"(g + threadIdx.x)
                 : "memory");
}
/* A barrier that counts gives its register a value. */
__global__ void ok_counting_barrier(int *g, int n) {
    g[threadIdx.x] = __syncthreads_count(threadIdx.x & 1) + __syncthreads_or(threadIdx.x == 9);
}

#define FRESH(name, blocks, threads)                                                                                   \
    { #name, name, blocks, threads, 0, true }
FAULTY_MAIN(CASE(unassigned_accumulator, 1, 32), CASE(ok_assigned_accumulator, 1, 32),
            CASE(ok_assigned_where_read, 1, 32), CASE(ok_counting_barrier, 1, 64), FRESH(unwritten_global, 1, 32),
            FRESH(unwritten_counter, 1, 32), FRESH(partly_written, 1, 32), FRESH(ok_written_before_read, 1, 32),
            FRESH(ok_unused_part, 1, 32), CASE(past_the_allocation, 1, 32), CASE(before_the_allocation, 1, 32),
            CASE(one_past_the_end, 1, 32), CASE(null_pointer, 1, 1), CASE(misaligned_global, 1, 32),
            CASE(atomic_past_the_end, 1, 32), CASE(freed_twice, 1, 1), CASE(ok_heap, 1, 32),
            CASE(past_the_local_array, 1, 1), CASE(past_the_constant, 1, 32))
