/* Warp specialisation: producer warps that only load tiles, and consumer warps that only multiply them.
 *
 * The producer's one busy thread waits until a stage is empty and requests the next tile; two consumer warpgroups wait
 * until the stage is full. No warp does both, so multiplying never stops for issuing loads, and only the two mbarriers
 * of a stage synchronise the two sides. The tile grows to 128 x 256: a consumer has 64 x 256 sums, 128 registers per
 * thread, which the producer's warps can spare (setmaxnreg).
 *
 *                       ┌── full ──►  consumer 0: rows 0-63      128 + registers per thread for sums: 240
 *     producer ──► stage│
 *     24 registers  ▲   └── full ──►  consumer 1: rows 64-127    both read the same tile of B
 *                   └────── empty ◄── one arrival of each
 */
#include "hopper.cuh"

static const int BM = 128, BN = 256, STAGES = 4;
static const int CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS);
static const int A_BYTES = BM * ROW_BYTES, STAGE_BYTES = A_BYTES + BN * ROW_BYTES;
static const int BYTES = 1024 + STAGES * STAGE_BYTES; /* the first 1024 for the barriers: tiles begin on 1024 */

template <int TYPE, int LAYOUT>
__global__ void __launch_bounds__(THREADS, 1)
    gemm_warp_specialised(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                          const hopper_problem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) unsigned char shared[];
    const uint32_t full = shared_address(shared), empty = full + 8 * STAGES, ring = full + 1024;
    const int BK = hopper_bk(TYPE), blocks_n = (p.n + BN - 1) / BN, tiles = (p.k + BK - 1) / BK;
    const int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(full + 8 * s, 1); /* the producer's arrival, and the bytes that it announces */
            mbarrier_init(empty + 8 * s, CONSUMERS);
        }
        fence_mbarrier_init();
    }
    __syncthreads();

    const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* so that the compiler sees it is the same for all
                                                                   * lanes */
    if (warpgroup == 0) {
        setmaxnreg_dec<24>();
        if (threadIdx.x == 0) {
            for (int t = 0; t < tiles; t++) {
                const int s = t % STAGES;
                const uint32_t stage = ring + s * STAGE_BYTES;
                mbarrier_wait(empty + 8 * s, (t / STAGES & 1) ^ 1); /* returns at once if the stage was never full */
                mbarrier_arrive_expect_tx(full + 8 * s, STAGE_BYTES);
                tma_load(stage, &a_map, t * BK, row0, full + 8 * s);
                if (LAYOUT == GEMM_TN)
                    tma_load(stage + A_BYTES, &b_map, t * BK, col0, full + 8 * s);
                else /* boxes of 64 columns */
                    for (int i = 0; i < BN / 64; i++)
                        tma_load(stage + A_BYTES + i * 64 * ROW_BYTES, &b_map, col0 + 64 * i, t * BK, full + 8 * s);
            }
        }
    } else {
        setmaxnreg_inc<240>();
        const int consumer = warpgroup - 1, thread = threadIdx.x % 128;
        typename hopper_sum<TYPE>::type d[BN / 2];
        for (int t = 0; t < tiles; t++) {
            const int s = t % STAGES;
            const uint32_t stage = ring + s * STAGE_BYTES;
            const uint64_t a = wgmma_k_major(stage + consumer * 64 * ROW_BYTES), b = hopper_b<LAYOUT>(stage + A_BYTES);
            mbarrier_wait(full + 8 * s, t / STAGES & 1);
            wgmma_fence();
#pragma unroll
            for (int i = 0; i < K_STEPS; i++)
                hopper_multiply<TYPE, LAYOUT>(d, a + i * wgmma_advance(32), b + i * hopper_b_step<LAYOUT>(),
                                              i > 0 || t > 0);
            wgmma_commit();
            wgmma_wait<1>(d); /* by now tile t-1 has been multiplied, this one perhaps not yet */
            if (thread == 0 && t > 0) mbarrier_arrive(empty + 8 * ((t - 1) % STAGES));
        }
        wgmma_wait<0>(d);
        hopper_store<TYPE>(p, d, row0 + consumer * 64 + thread / 32 * 16 + thread % 32 / 4, col0);
    }
#else
    __trap();
#endif
}

extern "C" kernel_info kernel_warp_specialised(void) {
    return {(const void *)gemm_warp_specialised<GEMM_F16, GEMM_TN>, THREADS, BYTES};
}

template <int TYPE, int LAYOUT> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    CUtensorMap a, b;
    cudaError_t error = tensor_map_a(&a, p, BM);
    if (error == cudaSuccess) error = tensor_map_b(&b, p, LAYOUT == GEMM_TN ? BN : hopper_bk(TYPE));
    if (error != cudaSuccess) return error;
    return hopper_launch(gemm_warp_specialised<TYPE, LAYOUT>, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, a, b,
                         hopper_of(p));
}

extern "C" cudaError_t launch_warp_specialised(const gemm_problem *problem, cudaStream_t stream) {
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
