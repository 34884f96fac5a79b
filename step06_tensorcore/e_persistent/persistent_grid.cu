/* Persistent blocks: as many as the GPU has multiprocessors, each working through tile after tile of C.
 *
 *     block b       tile b, b + gridDim, b + 2 gridDim ...
 *     producer      tile 0: load load load load | tile 1: load load load ...        never stops for the epilogue
 *     consumers                multiply multiply multiply multiply | store | multiply multiply ...
 *
 * So only the first tile has a prologue to wait for: while the consumers store one tile, the first stages of the next
 * arrive. All tiles pass through one ring, so stages are counted across tiles, not within one. */
#include "../sums.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/setmaxnreg.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 128, BN = 256, BK = 64, STEPS = BK / 16, STAGES = 4;
static const int CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS);

#include "producer.cuh"

/* A consumer warpgroup: multiplies its 64 rows of each tile of K of one tile of C, from number `it` in the ring on. */
static __device__ __forceinline__ void multiply(float (&d)[BN / 2], int k, int consumer, unsigned it, const stage *ring,
                                                uint32_t full, uint32_t empty) {
    for (int t = 0; t * BK < k; t++, it++) {
        int s = it % STAGES;
        uint64_t a = wgmma_k_major(shared_address(ring[s].a[consumer * 64]));
        uint64_t b = wgmma_k_major(shared_address(ring[s].b));
        mbarrier_wait(full + 8 * s, it / STAGES & 1);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            wgmma_f16<0>(d, a + step * wgmma_advance(32), b + step * wgmma_advance(32), t > 0 || step > 0);
        wgmma_commit();
        wgmma_wait<1>(d); /* by now tile t - 1 has been multiplied, this one perhaps not yet */
        if (threadIdx.x % 128 == 0 && t > 0) mbarrier_arrive(empty + 8 * ((it - 1) % STAGES));
    }
    wgmma_wait<0>(d);
    if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + 8 * ((it - 1) % STAGES));
}

/* A consumer warpgroup: one tile of C after the other. */
static __device__ __forceinline__ void consume(const gemm_problem &p, int consumer, const stage *ring, uint32_t full,
                                               uint32_t empty) {
    int tiles_m = (p.m + BM - 1) / BM, tiles_n = (p.n + BN - 1) / BN, steps = (p.k + BK - 1) / BK;
    int row = consumer * 64 + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
    unsigned it = 0;
    for (int tile = blockIdx.x; tile < tiles_m * tiles_n; tile += gridDim.x, it += steps) {
        int2 at = gemm_rasterize(tile, tiles_m, tiles_n);
        float d[BN / 2];
        multiply(d, p.k, consumer, it, ring, full, empty);
        store_sums(p, at.x * BM + row, at.y * BN + col, d);
    }
}

__global__ void __launch_bounds__(THREADS, 1)
    gemm_persistent_grid(const __grid_constant__ tensor_maps maps, gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared), empty = full + 8 * STAGES;
    stage *ring = (stage *)(shared + 1024);
    init_barriers(full, empty, CONSUMERS);
    __syncthreads();

    int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* which the compiler now knows to be one for all lanes */
    if (warpgroup == 0) {
        setmaxnreg_dec<40>();
        if (threadIdx.x == 0) produce(maps, p, ring, full, empty);
    } else {
        setmaxnreg_inc<232>();
        consume(p, warpgroup - 1, ring, full, empty);
    }
}

extern "C" kernel_info kernel_persistent_grid(void) {
    return {(const void *)gemm_persistent_grid, THREADS, BYTES};
}

extern "C" cudaError_t launch_persistent_grid(const gemm_problem *p, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BN);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_persistent_grid, min(gemm_blocks(p, BM, BN), gemm_multiprocessors()), 1, THREADS, BYTES,
                       stream, maps, *p);
}
