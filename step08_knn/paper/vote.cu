/* The neighbours vote: one block per query, a counter in shared memory for each class, atomicAdd, and the largest count
 * wins; among equal counts, the smallest label. If there are more classes than counters, they are counted one range at
 * a time. Counting is exact regardless of the order of the additions, so the winner is the same on every run. */
#include <cuda_runtime.h>
#include <stdint.h>

#include "knn/knn.h"

static const int THREADS = 128;
static const int COUNTERS = 4096;

/* The larger count and, among equal ones, the smaller label: the larger of these keys. */
static __device__ __forceinline__ uint64_t candidate(int count, int label) {
    return (uint64_t)(unsigned)count << 32 | (0xffffffffu - (unsigned)label);
}

static __global__ void __launch_bounds__(THREADS)
    knn_vote_kernel(const int *index, int k, int stride, const int *labels, int classes, int *out) {
    __shared__ int counts[COUNTERS];
    __shared__ unsigned long long best;
    const int *neighbours = index + (int64_t)blockIdx.x * stride;
    if (threadIdx.x == 0) best = 0;
    for (int first = 0; first < classes; first += COUNTERS) {
        int here = min(COUNTERS, classes - first);
        for (int c = threadIdx.x; c < here; c += THREADS) counts[c] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < k; i += THREADS) {
            int label = labels[neighbours[i]] - first;
            if (label >= 0 && label < here) atomicAdd(&counts[label], 1);
        }
        __syncthreads();
        uint64_t mine = 0;
        for (int c = threadIdx.x; c < here; c += THREADS) mine = max(mine, candidate(counts[c], first + c));
        atomicMax(&best, (unsigned long long)mine);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = (int)(0xffffffffu - (unsigned)best);
}

extern "C" cudaError_t knn_vote(const int *index, int m, int k, int stride, const int *labels, int classes, int *out,
                                cudaStream_t stream) {
    if (m == 0) return cudaSuccess;
    knn_vote_kernel<<<(unsigned)m, THREADS, 0, stream>>>(index, k, stride, labels, classes, out);
    return cudaGetLastError();
}
