/* TMA and wgmma: a warpgroup multiplies tiles straight from shared memory; only sums are in registers.
 *
 * One thread has the tensor memory accelerator copy tiles of 128 bytes along K, swizzled on the way, into a ring of
 * stages. Each stage has an mbarrier that knows how many bytes are still to come. The warpgroup of four warps processes
 * a stage with four wgmmas (32 bytes along K each) for the upper 64 rows and four for the lower ones.
 *
 *     stage          0          1          2          3
 *     tile           t         t+1        t+2        t+3
 *                multiplied  in flight  in flight  requested as soon as tile t-1, which was there, is multiplied
 *
 * wgmma does not wait either: what is issued for tile t is still running while the warpgroup prepares tile t+1. */
#include "hopper.cuh"

static const int BM = 128, BN = 128, STAGES = 4;
static const int THREADS = 128; /* one warpgroup; each thread holds 2 x 64 sums */
static const int A_BYTES = BM * ROW_BYTES, STAGE_BYTES = A_BYTES + BN * ROW_BYTES;
static const int BYTES = 1024 + STAGES * STAGE_BYTES; /* the first 1024 for the barriers: tiles begin on 1024 */

/* One thread requests tile t along K of A and B. */
template <int TYPE, int LAYOUT>
__device__ __forceinline__ void ask(const CUtensorMap *a_map, const CUtensorMap *b_map, int row0, int col0, int t,
                                    uint32_t stage, uint32_t full) {
    const int k = t * hopper_bk(TYPE);
    mbarrier_arrive_expect_tx(full, STAGE_BYTES);
    tma_load(stage, a_map, k, row0, full);
    if (LAYOUT == GEMM_TN)
        tma_load(stage + A_BYTES, b_map, k, col0, full);
    else /* boxes of 64 columns */
        for (int i = 0; i < BN / 64; i++) tma_load(stage + A_BYTES + i * 64 * ROW_BYTES, b_map, col0 + 64 * i, k, full);
}

template <int TYPE, int LAYOUT>
__global__ void __launch_bounds__(THREADS)
    gemm_wgmma(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
               const hopper_problem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) unsigned char shared[];
    const uint32_t full = shared_address(shared), ring = full + 1024;
    const int blocks_n = (p.n + BN - 1) / BN, tiles = (p.k + hopper_bk(TYPE) - 1) / hopper_bk(TYPE);
    const int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) mbarrier_init(full + 8 * s, 1);
        fence_mbarrier_init();
        for (int t = 0; t < STAGES - 1 && t < tiles; t++)
            ask<TYPE, LAYOUT>(&a_map, &b_map, row0, col0, t, ring + t * STAGE_BYTES, full + 8 * t);
    }
    __syncthreads(); /* the barriers are there */

    typename hopper_sum<TYPE>::type upper[BN / 2], lower[BN / 2];
    for (int t = 0; t < tiles; t++) {
        const uint32_t stage = ring + t % STAGES * STAGE_BYTES;
        const uint64_t a = wgmma_k_major(stage), b = hopper_b<LAYOUT>(stage + A_BYTES);
        mbarrier_wait(full + 8 * (t % STAGES), t / STAGES & 1);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < K_STEPS; i++) {
            const uint64_t a_now = a + i * wgmma_advance(32), b_now = b + i * hopper_b_step<LAYOUT>();
            hopper_multiply<TYPE, LAYOUT>(upper, a_now, b_now, i > 0 || t > 0);
            hopper_multiply<TYPE, LAYOUT>(lower, a_now + wgmma_advance(64 * ROW_BYTES), b_now, i > 0 || t > 0);
        }
        wgmma_commit();
        /* At most the wgmmas of this tile are in flight, so no one reads the stage of tile t-1 any more. */
        wgmma_wait<1>(upper);
        wgmma_wait<1>(lower);
        __syncthreads();
        const int next = t + STAGES - 1;
        if (threadIdx.x == 0 && next < tiles)
            ask<TYPE, LAYOUT>(&a_map, &b_map, row0, col0, next, ring + next % STAGES * STAGE_BYTES,
                              full + 8 * (next % STAGES));
    }
    wgmma_wait<0>(upper);
    wgmma_wait<0>(lower);

    const int row = row0 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    hopper_store<TYPE>(p, upper, row, col0);
    hopper_store<TYPE>(p, lower, row + 64, col0);
#else
    __trap();
#endif
}

extern "C" kernel_info kernel_wgmma(void) {
    return {(const void *)gemm_wgmma<GEMM_F16, GEMM_TN>, THREADS, BYTES};
}

template <int TYPE, int LAYOUT> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    CUtensorMap a, b;
    cudaError_t error = tensor_map_a(&a, p, BM);
    if (error == cudaSuccess) error = tensor_map_b(&b, p, LAYOUT == GEMM_TN ? BN : hopper_bk(TYPE));
    if (error != cudaSuccess) return error;
    return hopper_launch(gemm_wgmma<TYPE, LAYOUT>, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, a, b,
                         hopper_of(p));
}

extern "C" cudaError_t launch_wgmma(const gemm_problem *problem, cudaStream_t stream) {
    if (problem->m == 0 || problem->n == 0) return cudaSuccess;
    if (tensor_map_refuses(problem) != NULL) return launch_multistage(problem, stream);
    gemm_problem now = *problem, *p = &now;
    const cudaError_t error = transpose_b(p, stream);
    if (error != cudaSuccess) return error;
    const bool tn = p->layout == GEMM_TN;
    if (p->type == GEMM_S8) return launch<GEMM_S8, GEMM_TN>(p, stream);
    if (p->type == GEMM_TF32) return launch<GEMM_TF32, GEMM_TN>(p, stream);
    if (p->type == GEMM_F16) return tn ? launch<GEMM_F16, GEMM_TN>(p, stream) : launch<GEMM_F16, GEMM_NN>(p, stream);
    return tn ? launch<GEMM_BF16, GEMM_TN>(p, stream) : launch<GEMM_BF16, GEMM_NN>(p, stream);
}
