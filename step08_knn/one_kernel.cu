/* Distances and selection in one kernel: the m x n matrix is never written.
 *
 * A block computes tiles of distances as distance_direct.cu does, 64 queries x 128 points, each in a register of the
 * thread that computed it. A warp's threads hold 8 rows of the tile, so it looks at them without another warp:
 *
 *            128 points
 *          +-----------+     distance below the k-th so far?   no: nearly always
 *  8 rows  |  a warp's |                                        yes: the warp inserts it into the query's sorted list:
 *          +-----------+        list   2  4  7  9      min(own, max(newcomer, the one before)):
 *                               5:     2  4  5  7      every key above it moves up by one, the last drops out
 *
 * Lists lie in shared memory, 64 keys each. There are too few tiles of queries to fill a GPU, so the points are split:
 * split s takes tiles s, s + splits, ..., and leaves lists of its own. In the end a query's lists are sorted together
 * (paper/select_bitonic.cu). */
#include "knn/knn.h"
#include "knn/knn_key.h"
#include "sort_rows.h"

static const int BM = 64, BN = 128, BK = 16;
static const int TM = 4, TN = 8;
static const int THREADS = 256; /* 16 x 16 */
static const int PAD = 4;       /* rows stay 16-byte aligned; neighbours in k are in different banks */
static const int LIST = 64;     /* keys; k at most */
static const int BLOCKS = 264;  /* at least: two for each multiprocessor of an H200 */

/* Coordinates k0 ... k0 + 15 of ROWS rows from row0 on; zeros beyond the last row and coordinate. */
template <int ROWS>
static __device__ __forceinline__ void load_tile(const float *from, int rows, int d, int64_t row0, int k0,
                                                 float (*to)[ROWS + PAD]) {
    int k = threadIdx.x % BK;
#pragma unroll
    for (int i = threadIdx.x / BK; i < ROWS; i += THREADS / BK) {
        bool exists = row0 + i < rows && k0 + k < d;
        to[k][i] = exists ? from[(row0 + i) * d + k0 + k] : 0.0f;
    }
}

/* Inserts a key into a sorted list of 64; a lane has two places. Called by all lanes of a warp together. */
static __device__ __forceinline__ void insert(uint64_t *list, uint64_t key) {
    int low = threadIdx.x % 32, high = low + 32;
    uint64_t a = min(list[low], max(key, low > 0 ? list[low - 1] : 0));
    uint64_t b = min(list[high], max(key, list[high - 1]));
    __syncwarp();
    list[low] = a;
    list[high] = b;
    __syncwarp();
}

static __global__ void __launch_bounds__(THREADS, 2)
    knn_one_kernel(knn_problem p, int splits, uint64_t *out, int64_t length) {
    __shared__ __align__(16) float X[BK][BM + PAD], Y[BK][BN + PAD];
    __shared__ uint64_t lists[BM][LIST];
    int split = blockIdx.x % splits;
    int64_t row0 = (int64_t)(blockIdx.x / splits) * BM;
    int row = threadIdx.x / 16 * TM, col = threadIdx.x % 16 * 4; /* and 64 columns further on */
    for (int i = threadIdx.x; i < BM * LIST; i += THREADS) lists[i / LIST][i % LIST] = KNN_NO_KEY;
    __syncthreads();

    for (int64_t col0 = (int64_t)split * BN; col0 < p.n; col0 += (int64_t)splits * BN) {
        float acc[TM][TN] = {};
        for (int64_t k0 = 0; k0 < p.d; k0 += BK) {
            load_tile<BM>(p.queries, p.m, p.d, row0, (int)k0, X);
            load_tile<BN>(p.points, p.n, p.d, col0, (int)k0, Y);
            __syncthreads();
#pragma unroll 4
            for (int k = 0; k < BK; k++) {
                float x[TM], y[TN];
                *(float4 *)&x[0] = *(const float4 *)&X[k][row];
                *(float4 *)&y[0] = *(const float4 *)&Y[k][col];
                *(float4 *)&y[4] = *(const float4 *)&Y[k][col + BN / 2];
#pragma unroll
                for (int i = 0; i < TM; i++)
#pragma unroll
                    for (int j = 0; j < TN; j++) {
                        float difference = __fsub_rn(x[i], y[j]);
                        acc[i][j] = __fmaf_rn(difference, difference, acc[i][j]);
                    }
            }
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j++) {
                int64_t at = col0 + col + j / 4 * (BN / 2) + j % 4;
                uint64_t key = at < p.n ? knn_key(acc[i][j], (int)at) : KNN_NO_KEY;
                unsigned near = __ballot_sync(~0u, key < lists[row + i][p.k - 1]);
                for (; near != 0; near &= near - 1) {
                    int lane = __ffs(near) - 1;
                    insert(lists[__shfl_sync(~0u, row, lane) + i], __shfl_sync(~0u, key, lane));
                }
            }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BM * LIST; i += THREADS)
        if (row0 + i / LIST < p.m)
            out[(row0 + i / LIST) * length + split * LIST + i % LIST] = lists[i / LIST][i % LIST];
}

/* How many parts to split the points into. */
static int splits_of(const knn_problem *p) {
    int64_t tiles_m = ((int64_t)p->m + BM - 1) / BM, tiles_n = ((int64_t)p->n + BN - 1) / BN;
    int64_t wanted = tiles_m > 0 && tiles_m < BLOCKS ? BLOCKS / tiles_m : 1;
    return (int)(wanted < tiles_n ? wanted : tiles_n);
}

extern "C" size_t workspace_one_kernel(const knn_problem *p, size_t limit) {
    size_t bytes = (size_t)padded_length(splits_of(p) * LIST) * sizeof(uint64_t) * (size_t)p->m;
    return bytes <= limit ? bytes : 0;
}

extern "C" const char *refuses_one_kernel(const knn_problem *p) {
    if (p->k > LIST) return "takes k up to 64";
    size_t bytes = workspace_one_kernel(p, SIZE_MAX);
    return bytes <= p->workspace_bytes ? NULL : knn_needs((double)bytes);
}

extern "C" kernel_info knn_kernel_one_kernel(void) {
    return {(const void *)knn_one_kernel, THREADS, 0};
}

extern "C" cudaError_t search_one_kernel(const knn_problem *p, cudaStream_t stream) {
    if (p->m == 0) return cudaSuccess;
    int splits = splits_of(p);
    int64_t length = padded_length(splits * LIST);
    uint64_t *keys = (uint64_t *)p->workspace;
    cudaError_t error = cudaMemsetAsync(keys, 0xff, (size_t)(length * p->m) * sizeof(uint64_t), stream); /* no key */
    if (error != cudaSuccess) return error;
    knn_one_kernel<<<((unsigned)p->m + BM - 1) / BM * splits, THREADS, 0, stream>>>(*p, splits, keys, length);
    return sort_rows(keys, p->m, length, p->k, p->index, p->distance, stream);
}
