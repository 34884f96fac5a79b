/* `naive` as the article's compiler made it: 256 threads, of which the upper 128 copy and the lower 128 multiply.
 *
 * Two mbarriers take the place of the two __syncthreads: a half waits only for the other half, not for itself. Copying
 * takes few registers and gives up the rest (setmaxnreg). But there is one tile, which is either being filled or being
 * read, so the halves take turns, and there are still 8 blocks for 1024 rows.
 *
 *   threads 128-255   copy tile 0 |               | copy tile 1 |               | ...     24 registers each
 *                             full v              ^ empty       v               ^
 *   threads 0-127                 | multiply tile 0 |           | multiply tile 1 | ...   240 registers each
 */
#include "gemv.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/setmaxnreg.cuh"

static const int HALF = 128; /* a warpgroup: setmaxnreg is for all four warps of one */
static const int BLOCK_N = HALF;

template <typename T> static __global__ void __launch_bounds__(2 * HALF, 1) gemv_naive_specialised(gemv_problem p) {
    const int BLOCK_K = 256 / sizeof(T); /* 128 halves; 64 floats, so that the tile stays below 48 KB */
    const int PAD = 4 / sizeof(T);       /* a word: rows r and r+1 must not share a bank */
    const int STEP = HALF / BLOCK_K;     /* rows that are copied at once */
    __shared__ T As[BLOCK_N][BLOCK_K + PAD];
    __shared__ T xs[BLOCK_K];
    __shared__ uint64_t barriers[2];
    gemv_begin();
    int tid = threadIdx.x % HALF, row0 = blockIdx.x * BLOCK_N;
    uint32_t full = shared_address(&barriers[0]), empty = shared_address(&barriers[1]);
    if (threadIdx.x == 0) {
        mbarrier_init(full, HALF);
        mbarrier_init(empty, HALF);
    }
    __syncthreads();

    unsigned parity = 0; /* of the phase that tile k0 ends: 0, 1, 0, ... */
    if (__shfl_sync(~0u, threadIdx.x / HALF, 0) == 1) {
        setmaxnreg_dec<24>();
        for (int k0 = 0; k0 < p.k; k0 += BLOCK_K, parity ^= 1) {
            mbarrier_wait(empty, parity ^ 1); /* the first time at once: the tile was never full */
            int c = tid % BLOCK_K;
            int rows = k0 + c < p.k ? p.n - row0 : 0; /* that have this column */
            const T *a = gemv_row<T>(p, row0 + tid / BLOCK_K) + k0 + c;
#pragma unroll 4
            for (int r = tid / BLOCK_K; r < BLOCK_N; r += STEP, a += STEP * (int64_t)p.lda)
                As[r][c] = r < rows ? *a : (T)0.0f;
            if (tid < BLOCK_K) xs[tid] = k0 + tid < p.k ? ((const T *)p.x)[k0 + tid] : (T)0.0f;
            mbarrier_arrive(full);
        }
    } else {
        setmaxnreg_inc<240>();
        float acc = 0.0f;
        for (int k0 = 0; k0 < p.k; k0 += BLOCK_K, parity ^= 1) {
            mbarrier_wait(full, parity);
            for (int k = 0; k < BLOCK_K; k++) acc += (float)As[tid][k] * (float)xs[k];
            mbarrier_arrive(empty);
        }
        if (row0 + tid < p.n) gemv_write<T>(p, row0 + tid, acc);
    }
}

extern "C" kernel_info kernel_naive_specialised(dtype type) {
    return {(const void *)GEMV_INSTANCE(type, gemv_naive_specialised), 2 * HALF, 0};
}

extern "C" cudaError_t launch_naive_specialised(const gemv_problem *p, cudaStream_t stream) {
    return gemv_launch_kernel(GEMV_INSTANCE(p->type, gemv_naive_specialised), p, BLOCK_N, 2 * HALF, stream);
}
