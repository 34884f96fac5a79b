/* Barriers that the threads of a warp, or the warps of a block, do not reach together. */
#include "faulty.h"

enum { T = 128 };

__global__ void barrier_in_branches(int *g, int n) {
    if (threadIdx.x % 32 < 16) {
        g[threadIdx.x] = 1;
        __syncthreads(); // FAULT barrier
    } else {
        g[threadIdx.x] = 2;
        g[threadIdx.x + T] = 3;
        __syncthreads(); // FAULT barrier
    }
}
__global__ void ok_barrier_in_branches_of_warps(int *g, int n) {
    if (threadIdx.x < 64) {
        g[threadIdx.x] = 1;
        __syncthreads();
    } else {
        g[threadIdx.x] = 2;
        __syncthreads();
    }
}
__global__ void ok_some_have_left(int *g, int n) {
    if (threadIdx.x >= 100) return;
    __syncthreads();
    g[threadIdx.x] = 1;
}
/* Threads that have ended count as arrived. So barriers that others leave out on their way to the end are no faults, be
 * it by whole warps or in the middle of one: nvcc makes the same code of the first two. */
__global__ void ok_barrier_of_those_who_stay(int *g, int n) {
    if (threadIdx.x < 48) {
        __syncthreads();
        g[threadIdx.x] = 1;
    }
}
__global__ void ok_early_return(int *g, int n) {
    if (threadIdx.x >= 48) return;
    __syncthreads();
    g[threadIdx.x] = 1;
}
__global__ void ok_end_after_some_rounds(int *g, int n) {
    for (int i = 0; i < n; i++) {
        if ((int)threadIdx.x % 5 <= i) return;
        __syncthreads();
        g[threadIdx.x] = i;
    }
}
__global__ void ok_barrier_left_out_by_warps(int *g, int n) {
    if (threadIdx.x < 64) __syncthreads();
    g[threadIdx.x] = 1;
}
/* Some lanes take longer to the barrier, round after round, but they come. */
__global__ void ok_detour_to_the_barrier(int *g, int n) {
    for (int i = 0; i < n % 8 + 2; i++) {
        if ((threadIdx.x ^ i) & 1) {
            g[threadIdx.x] = i;
            if (i % 3 == 0) __threadfence();
            for (int k = 0; k < (int)threadIdx.x % 3; k++) g[T + threadIdx.x] += k;
        }
        __syncthreads();
    }
}
/* Within a warp they are faults where those who leave one out meet the others again behind it. */
__global__ void barrier_left_out(int *g, int n) {
    if (threadIdx.x < 48) __syncthreads(); // FAULT barrier
    g[threadIdx.x] = 1;
}
__global__ void barrier_left_out_in_a_loop(int *g, int n) {
    for (int half = T / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) { // FAULT barrier
            g[threadIdx.x] += 1;
            __syncthreads(); // FAULT barrier
        }
    }
}
__global__ void fewer_rounds(int *g, int n) {
    for (int i = 0; i < (int)threadIdx.x % 5; i++) __syncthreads(); // FAULT barrier
    g[threadIdx.x] = 1;
}
static __device__ __noinline__ void maybe_waits(int *g) {
    if (g[threadIdx.x] >= 0) return;
    __syncthreads();
    g[threadIdx.x] = 3;
}
__global__ void barrier_left_out_in_a_function(int *g, int n) {
    g[threadIdx.x] = (int)threadIdx.x - 48;
    maybe_waits(g);
    g[threadIdx.x] = 1; // FAULT barrier
}
/* Across warps they are faults where it matters: something should have been ordered, or somebody waits elsewhere. */
__global__ void read_past_a_barrier(int *g, int n) {
    __shared__ int s[T];
    s[threadIdx.x] = g[threadIdx.x];         // FAULT race
    if (threadIdx.x < 48) __syncthreads();   // FAULT barrier
    g[threadIdx.x] = s[T - 1 - threadIdx.x]; // FAULT race and uninitialised
}
__global__ void read_after_fewer_rounds(int *g, int n) {
    __shared__ int s[T];
    int sum = 0;
    for (int i = 0; i < (int)threadIdx.x / 32 + 1; i++) {
        s[threadIdx.x] = g[T + i]; // FAULT race
        __syncthreads();
        sum += s[T - 1 - threadIdx.x]; // FAULT race
    }
    g[threadIdx.x] = sum;
}
__global__ void barrier_and_the_next(int *g, int n) {
    if (threadIdx.x % 32 < 16) __syncthreads(); // FAULT barrier
    g[threadIdx.x] = 1;
    __syncthreads(); // FAULT barrier
}
__global__ void barrier_and_the_next_of_warps(int *g, int n) {
    __shared__ int s[T];
    if (threadIdx.x < 64) __syncthreads(); // the other warps' is the next one
    s[threadIdx.x] = g[threadIdx.x];       // FAULT race
    __syncthreads();
    g[threadIdx.x] = s[T - 1 - threadIdx.x]; // FAULT race and uninitialised
}
__global__ void barrier_and_the_warp(int *g, int n) {
    if (threadIdx.x % 32 < 16)
        __syncthreads(); // FAULT kernel
    else
        asm volatile("bar.warp.sync -1;" ::: "memory");
    g[threadIdx.x] = 1;
}
__global__ void mismatched_counts(int *g, int n) {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 1, 96;" ::: "memory"); // FAULT illegal instruction
}
__global__ void barrier_never_reached(int *g, int n) {
    if (threadIdx.x < 64) {
        asm volatile("bar.sync 3, 96;" ::: "memory"); // FAULT kernel
    }
    g[threadIdx.x] = 1;
}
__global__ void not_in_its_own_mask(int *g, int n) {
    int x = g[threadIdx.x];
    g[threadIdx.x] = __shfl_xor_sync(0x0000ffff, x, 1); // FAULT illegal instruction
}

FAULTY_MAIN(CASE(barrier_in_branches, 1, T), CASE(ok_barrier_in_branches_of_warps, 1, T), CASE(ok_some_have_left, 1, T),
            CASE(ok_barrier_of_those_who_stay, 1, T), CASE(ok_early_return, 1, T), CASE(ok_end_after_some_rounds, 1, T),
            CASE(ok_barrier_left_out_by_warps, 1, T), CASE(ok_detour_to_the_barrier, 1, T),
            CASE(barrier_left_out, 1, T), CASE(barrier_left_out_in_a_loop, 1, T), CASE(fewer_rounds, 1, T),
            CASE(barrier_left_out_in_a_function, 1, T), CASE(read_past_a_barrier, 1, T),
            CASE(read_after_fewer_rounds, 1, T), CASE(barrier_and_the_next, 1, T),
            CASE(barrier_and_the_next_of_warps, 1, T), CASE(barrier_and_the_warp, 1, T), CASE(mismatched_counts, 1, 96),
            CASE(barrier_never_reached, 1, 64), CASE(not_in_its_own_mask, 1, 32))
