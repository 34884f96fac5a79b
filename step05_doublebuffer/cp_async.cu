/* cp.async (LDGSTS): copies from global to shared memory that bypass registers, in a pipeline of four tiles.
 *
 * The staging registers of double buffering are gone, and with them the stores into shared memory: the words arrive
 * while the warps multiply. A is transposed on the way, since each 4-byte copy may go to any address.
 *
 *   stage      0         1          2            3           one group of copies per tile; a thread waits until
 *   tile       t        t+1        t+2          t+3          at most STAGES-2 groups are in flight: tile t is there
 *           computed  in flight  in flight  being issued
 *
 * Copies beyond an edge fill with zeros: the source size given to the instruction says how much to read. */
#include "ptx/cp_async.cuh"
#include "gemm/gemm_kernel.cuh"

static const int BM = 128, BN = 128, BK = 16;
static const int STAGES = 4;
static const int THREADS = 256;  /* 16 x 16; each has 2x2 blocks of 4x4 results, 64 rows and columns apart */
static const int A_ROW = BM + 4; /* 8 values of k and 4 rows, copied at once by a warp, fall into 32 banks */

struct stage {
    float A[BK][A_ROW];
    float B[BK][BN];
};

/* Issues this thread's share of the copies of the tiles at k0. VECTOR: B is made of whole float4. */
template <bool VECTOR>
static __device__ __forceinline__ void copy_tiles(const sgemm_problem &p, int row0, int col0, int k0, stage *to) {
    /* A: a warp takes 8 values of k in 4 rows, one sector a row. */
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int s = 0; s < BM * BK / THREADS; s++) {
        int row = s / (BK / 8) * 32 + warp * 4 + lane / 8, k = s % (BK / 8) * 8 + lane % 8;
        bool inside = row0 + row < p.m && k0 + k < p.k;
        const float *from = inside ? gemm_at(p.A, p.lda, row0 + row, k0 + k) : p.A;
        cp_async_4_zfill(shared_address(&to->A[k][row]), from, inside ? 4 : 0);
    }
    /* B: 16 bytes per copy if the alignment of all rows allows it, else 4. */
    const int WIDTH = VECTOR ? 4 : 1;
#pragma unroll
    for (int s = 0; s < BK * BN / WIDTH / THREADS; s++) {
        int e = threadIdx.x + s * THREADS, k = e / (BN / WIDTH), col = e % (BN / WIDTH) * WIDTH;
        bool inside = k0 + k < p.k && col0 + col < p.n;
        const float *from = inside ? gemm_at(p.B, p.ldb, k0 + k, col0 + col) : p.B;
        if (VECTOR)
            cp_async_16_zfill(shared_address(&to->B[k][col]), from, inside ? 16 : 0);
        else
            cp_async_4_zfill(shared_address(&to->B[k][col]), from, inside ? 4 : 0);
    }
}

template <bool VECTOR> __global__ void __launch_bounds__(THREADS) sgemm_cp_async(sgemm_problem p) {
    extern __shared__ __align__(16) unsigned char shared[];
    stage *stages = (stage *)shared;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM;
    int col0 = blockIdx.x % blocks_n * BN;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int tiles = (p.k + BK - 1) / BK;

    /* Fill the pipeline: one group per tile, empty ones where there is no tile, so that counting groups counts tiles.
     */
    for (int t = 0; t < STAGES - 1; t++) {
        if (t < tiles) copy_tiles<VECTOR>(p, row0, col0, t * BK, &stages[t]);
        cp_async_commit();
    }

    float c_reg[8][8] = {};
    for (int t = 0; t < tiles; t++) {
        cp_async_wait<STAGES - 2>(); /* my copies of tile t have landed */
        __syncthreads();             /* so have everyone's, and no one reads tile t-1 any more */
        if (t + STAGES - 1 < tiles)
            copy_tiles<VECTOR>(p, row0, col0, (t + STAGES - 1) * BK, &stages[(t + STAGES - 1) % STAGES]);
        cp_async_commit();

        const stage *now = &stages[t % STAGES];
#pragma unroll
        for (int k = 0; k < BK; k++) {
            __align__(16) float a_reg[8], b_reg[8];
            *(float4 *)&a_reg[0] = *(const float4 *)&now->A[k][ty * 4];
            *(float4 *)&a_reg[4] = *(const float4 *)&now->A[k][ty * 4 + 64];
            *(float4 *)&b_reg[0] = *(const float4 *)&now->B[k][tx * 4];
            *(float4 *)&b_reg[4] = *(const float4 *)&now->B[k][tx * 4 + 64];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) c_reg[i][j] += a_reg[i] * b_reg[j];
        }
    }

    bool vector_c = gemm_is_float4(p.C, p.ldc, p.n);
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            int row = row0 + i / 4 * 64 + ty * 4 + i % 4, col = col0 + j / 4 * 64 + tx * 4;
            float4 acc = make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]);
            if (vector_c)
                gemm_store4<true>(p, row, col, acc);
            else
                gemm_store4<false>(p, row, col, acc);
        }
}

extern "C" kernel_info kernel_cp_async(void) {
    return {(const void *)sgemm_cp_async<true>, THREADS, STAGES * sizeof(stage)};
}

extern "C" cudaError_t launch_cp_async(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, BM, BN);
    if (blocks == 0) return cudaSuccess;
    auto kernel = gemm_is_float4(p->B, p->ldb, p->n) ? sgemm_cp_async<true> : sgemm_cp_async<false>;
    const int bytes = STAGES * sizeof(stage); /* more than 48 KB is available only on request */
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
    kernel<<<blocks, THREADS, bytes, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
