/* Radix select: finds the k smallest by their digits, without comparisons, for any k.
 *
 * One block per row. It counts how many distances have each leading digit (11 of the ordered bits, see knn_key.h), and
 * then knows which digit the k-th smallest begins with, and how many with that digit it needs. Among these it counts
 * the second digit, and among what is left the third (10 bits): then the k-th smallest is known exactly.
 *
 *   digit        0   1   2   3   4  ...
 *   how many     2   0   5   9   1             k = 10: digits 0 ... 2 hold 7, all of them among the k;
 *                            |                 of the 9 that begin with 3, the 3 smallest are
 *                            +-- next digit
 *
 * One more pass over the row extracts everything smaller and, of those equal to the k-th, the ones with the smallest
 * indices, as many as are still missing. A bitonic sort (sort_rows.cuh) puts the k in order. The row is read four
 * times, mostly from the L2 cache; k matters only for the sort. */
#include "sort_rows.cuh"

static const int THREADS = 512;
static const int BITS = 11, BINS = 1 << BITS;
static const int WARPS = THREADS / 32;

/* How many of the threads before this one, and how many in all, say yes; with a barrier at each end. */
static __device__ __forceinline__ int rank_in_block(bool yes, int *counts, int *all) {
    unsigned votes = __ballot_sync(0xffffffffu, yes);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, before = 0, sum = 0;
    __syncthreads();
    if (lane == 0) counts[warp] = __popc(votes);
    __syncthreads();
    for (int w = 0; w < WARPS; w++) {
        if (w < warp) before += counts[w];
        sum += counts[w];
    }
    *all = sum;
    return before + __popc(votes & ((1u << lane) - 1));
}

/* Finds the bin that contains the `wanted`-th (counting from 1): *bin, how many are before it, and in it. */
static __device__ void find_bin(const unsigned *bins, unsigned wanted, unsigned *sums, unsigned *found) {
    const int OWN = BINS / THREADS;
    unsigned own = 0;
    for (int i = 0; i < OWN; i++) own += bins[threadIdx.x * OWN + i];
    unsigned through = own; /* of this thread and those before it in the warp */
    for (int step = 1; step < 32; step *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, through, step);
        if (threadIdx.x % 32 >= step) through += other;
    }
    if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = through;
    __syncthreads();
    for (int w = 0; w < threadIdx.x / 32; w++) through += sums[w];
    unsigned before = through - own;
    if (before < wanted && wanted <= through) { /* one thread */
        int i = threadIdx.x * OWN;
        while (before + bins[i] < wanted) before += bins[i++];
        found[0] = i;
        found[1] = before;
        found[2] = bins[i];
    }
    __syncthreads();
}

static __global__ void __launch_bounds__(THREADS) knn_radix(knn_rows r, uint64_t *keys, int64_t length) {
    __shared__ unsigned bins[BINS], sums[WARPS], found[3], taken;
    __shared__ int counts[WARPS];
    int64_t row = blockIdx.x;
    const float *distances = r.distances + row * r.n;
    uint64_t *out = keys + row * length;

    unsigned kth = 0, known = 0, wanted = r.k,
             equal = 0; /* bits of the k-th; which of them are; its place among these */
    for (int bits = 32; bits > 0;) {
        int digit = bits > BITS ? BITS : bits;
        bits -= digit;
        for (int i = threadIdx.x; i < BINS; i += THREADS) bins[i] = 0;
        __syncthreads();
        for (int64_t i = threadIdx.x; i < r.n; i += THREADS) {
            unsigned x = knn_order_distance(distances[i]);
            if ((x & known) == kth) atomicAdd(&bins[x >> bits & ((1u << digit) - 1)], 1);
        }
        __syncthreads();
        find_bin(bins, wanted, sums, found);
        kth |= found[0] << bits;
        known |= ((1u << digit) - 1) << bits;
        wanted -= found[1];
        equal = found[2];
        __syncthreads();
    }

    if (threadIdx.x == 0) taken = 0;
    __syncthreads();
    for (int64_t i = threadIdx.x; i < r.n; i += THREADS) {
        unsigned x = knn_order_distance(distances[i]);
        if (x < kth || (x == kth && equal == wanted)) out[atomicAdd(&taken, 1)] = (uint64_t)x << 32 | (unsigned)i;
    }
    if (equal > wanted) { /* a tie at the end: the first of them in the row */
        int64_t at = r.k - (int64_t)wanted;
        for (int64_t i0 = 0; i0 < r.n && at < r.k; i0 += THREADS) {
            int64_t i = i0 + threadIdx.x;
            int all;
            bool is = i < r.n && knn_order_distance(distances[i]) == kth;
            int rank = rank_in_block(is, counts, &all);
            if (is && at + rank < r.k) out[at + rank] = (uint64_t)kth << 32 | (unsigned)i;
            at += all;
        }
    }
    for (int64_t i = r.k + threadIdx.x; i < length; i += THREADS) out[i] = KNN_NO_KEY;
}

static cudaError_t select(const knn_rows *r, cudaStream_t stream) {
    int64_t length = padded_length(r->k);
    uint64_t *keys = (uint64_t *)r->scratch;
    knn_radix<<<(unsigned)r->rows, THREADS, 0, stream>>>(*r, keys, length);
    cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : sort_rows(*r, keys, length, stream);
}

static size_t scratch(int, int k) {
    return (size_t)padded_length(k) * sizeof(uint64_t);
}

extern "C" const knn_selector knn_select_radix = {select, scratch, NULL, NULL};
