/* Tiles divided evenly among workers, and the sums that one worker leaves for another; for step 9's `best`, too. */
#pragma once

#include "ptx/acquire_release.cuh"

/* The tiles of the result from `first` on are divided: counting through all of them, each worker gets `share` tiles of
 * K, and the first `extra` workers one more. */
struct sharing {
    int first, share, extra;
};

/* The first tile of K of a worker; the worker that has tile of K number `at`. */
static __device__ __forceinline__ int share_begin(sharing s, int worker) {
    return worker * s.share + min(worker, s.extra);
}
static __device__ __forceinline__ int worker_of(sharing s, int at) {
    int longer = s.extra * (s.share + 1);
    return at < longer ? at / (s.share + 1) : s.extra + (at - longer) / s.share;
}

/* Leaves the COUNT sums of each of THREADS threads in `sums`, and sets the worker's flag in `ready`. Word by word:
 * neighbouring threads write neighbouring words. (A float4 would want its words in four aligned registers, which may
 * bind the registers of the main loop, too.) */
template <int COUNT, int THREADS, int TN>
static __device__ __forceinline__ void leave_sums(void *sums, unsigned *ready, int worker, const float (*c_reg)[TN]) {
    auto left = (float(*)[COUNT][THREADS])sums;
#pragma unroll
    for (int i = 0; i < COUNT; i++) left[worker][i][threadIdx.x] = c_reg[i / TN][i % TN];
    __syncthreads();
    if (threadIdx.x == 0) store_release(&ready[worker], 1);
}

/* Waits for another worker's, adds them, and clears its flag. */
template <int COUNT, int THREADS, int TN>
static __device__ __forceinline__ void add_sums(const void *sums, unsigned *ready, int worker, float (*c_reg)[TN]) {
    auto left = (const float(*)[COUNT][THREADS])sums;
    if (threadIdx.x == 0)
        while (load_acquire(&ready[worker]) == 0) __nanosleep(20);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COUNT; i++) /* from L2: L1 may hold data of an earlier launch */
        c_reg[i / TN][i % TN] += __ldcg(&left[worker][i][threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) ready[worker] = 0;
}
