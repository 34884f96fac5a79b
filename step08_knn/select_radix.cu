/* Radix select: finds the k smallest by their digits, without comparing one with another, for any k.
 *
 * One block per row. It counts how many keys have each leading digit (11 bits of the 64 of a key, see knn_key.h), and
 * then knows which digit the k-th smallest begins with, and how many with that digit it needs. Among these it counts
 * the next digit, and so on until it needs all that are left.
 *
 *   digit        0   1   2   3   4  ...
 *   how many     2   0   5   9   1             k = 10: digits 0 ... 2 hold 7, all of them among the k;
 *                            |                 of the 9 that begin with 3, the 3 smallest are
 *                            +-- next digit
 *
 * Three digits are a distance, the others are the point's index: so ties need no code of their own. One more pass over
 * the row extracts every key that is not above the k-th, and a bitonic sort (paper/select_bitonic.cu) puts them in
 * order. */
#include "knn/knn_key.h"
#include "parts.h"
#include "sort_rows.h"

static const int THREADS = 512;
static const int BITS = 11, BINS = 1 << BITS;

/* Finds the bin that contains the `wanted`-th key (counting from 1): found[] = the bin, how many keys are in bins
 * before it, how many are in it. */
static __device__ void find_bin(const unsigned *bins, unsigned wanted, unsigned *sums, unsigned *found) {
    const int OWN = BINS / THREADS;
    unsigned own = 0;
    for (int i = 0; i < OWN; i++) own += bins[threadIdx.x * OWN + i];
    unsigned through = own; /* in the bins of this thread and of those before it in the warp */
    for (int step = 1; step < 32; step *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, through, step);
        if (threadIdx.x % 32 >= step) through += other;
    }
    if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = through;
    __syncthreads();
    for (int warp = 0; warp < threadIdx.x / 32; warp++) through += sums[warp];
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
    __shared__ unsigned bins[BINS], sums[THREADS / 32], found[3], taken;
    const float *distances = r.distances + (int64_t)blockIdx.x * r.n;
    uint64_t *out = keys + blockIdx.x * length;

    uint64_t kth = 0, known = 0; /* the k-th smallest key, and which of its bits are known */
    unsigned wanted = r.k,
             left = r.n; /* of the keys with these bits: how many are among the k, and how many there are */
    for (int shift = 64; left > wanted;) {
        shift = max(shift - BITS, 0);
        for (int i = threadIdx.x; i < BINS; i += THREADS) bins[i] = 0;
        __syncthreads();
        for (int64_t i = threadIdx.x; i < r.n; i += THREADS) {
            uint64_t key = knn_key(distances[i], (int)i);
            if ((key & known) == kth) atomicAdd(&bins[key >> shift & (BINS - 1)], 1);
        }
        __syncthreads();
        find_bin(bins, wanted, sums, found);
        kth |= (uint64_t)found[0] << shift;
        known |= (uint64_t)(BINS - 1) << shift;
        wanted -= found[1];
        left = found[2];
        __syncthreads();
    }

    if (threadIdx.x == 0) taken = 0;
    __syncthreads();
    for (int64_t i = threadIdx.x; i < r.n; i += THREADS) {
        uint64_t key = knn_key(distances[i], (int)i);
        if ((key & known) <= kth) out[atomicAdd(&taken, 1)] = key;
    }
    for (int64_t i = r.k + threadIdx.x; i < length; i += THREADS) out[i] = KNN_NO_KEY;
}

static cudaError_t select(const knn_rows *r, cudaStream_t stream) {
    int64_t length = padded_length(r->k);
    uint64_t *keys = (uint64_t *)r->scratch;
    knn_radix<<<(unsigned)r->rows, THREADS, 0, stream>>>(*r, keys, length);
    return sort_rows(keys, r->rows, length, r->k, r->index, r->distance, stream);
}

static size_t scratch(int, int k) {
    return (size_t)padded_length(k) * sizeof(uint64_t);
}

extern "C" const knn_selector knn_select_radix = {select, scratch, NULL, NULL};
