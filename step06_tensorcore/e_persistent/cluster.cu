/* Clusters: two blocks, one above the other, share the columns of B. Each loads half of them and multicasts it to both,
 * so that L2 delivers 128 x 64 of A and half of 128 x 64 of B to a block for each tile of K.
 *
 *     block 0    A rows 0-127    ── B columns 0-63 ───┐    both rings get all of B: a stage is empty
 *     block 1    A rows 128-255  ── B columns 64-127 ─┴─►  when the consumers of both blocks have read it
 */
#include "../sums.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/cluster.cuh"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/named_barrier.cuh"
#include "ptx/setmaxnreg.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 128, BN = 128, BK = 64, STEPS = BK / 16, STAGES = 6;
static const int CLUSTER = 2; /* blocks, one above the other */
static const int CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS);

#include "pair.cuh"

/* A consumer warpgroup: multiplies all tiles of K of one tile of C, from number `it` in the ring on. If there is
 * another tile of C, the other consumer may begin it when all of this one's have arrived. */
static __device__ __forceinline__ void multiply(float (&upper)[BN / 2], float (&lower)[BN / 2], int k, int consumer,
                                                bool another, unsigned it, const stage *ring, uint32_t full,
                                                uint32_t empty) {
    for (int t = 0; t * BK < k; t++, it++) {
        int s = it % STAGES;
        uint64_t a = wgmma_k_major(shared_address(ring[s].a)), b = wgmma_k_major(shared_address(ring[s].b));
        mbarrier_wait(full + 8 * s, it / STAGES & 1);
        if (another && (t + 1) * BK >= k) named_barrier_arrive(1 + (consumer ^ 1), 256);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            uint64_t a_now = a + step * wgmma_advance(32), b_now = b + step * wgmma_advance(32);
            wgmma_f16<0>(upper, a_now, b_now, t > 0 || step > 0);
            wgmma_f16<0>(lower, a_now + wgmma_advance(sizeof ring[s].a / 2), b_now, t > 0 || step > 0);
        }
        wgmma_commit();
        wgmma_wait<1>(upper); /* by now tile t - 1 has been multiplied, this one perhaps not yet */
        wgmma_wait<1>(lower);
        if (threadIdx.x % 128 < CLUSTER && t > 0) mbarrier_arrive_remote(empty + 8 * ((it - 1) % STAGES));
    }
    wgmma_wait<0>(upper);
    wgmma_wait<0>(lower);
    if (threadIdx.x % 128 < CLUSTER) mbarrier_arrive_remote(empty + 8 * ((it - 1) % STAGES));
}

/* A consumer warpgroup: every second tile of C of this block, consumer 0 the first. A parity only tells neighbouring
 * phases apart, so a consumer waits for its stages only once the other has seen all of its own arrive. */
static __device__ __forceinline__ void consume(const gemm_problem &p, int consumer, const stage *ring, uint32_t full,
                                               uint32_t empty) {
    int tiles_m = (p.m + CLUSTER * BM - 1) / (CLUSTER * BM), tiles_n = (p.n + BN - 1) / BN, steps = (p.k + BK - 1) / BK;
    int row = threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2, step = gridDim.x / CLUSTER;
    /* Both blocks load into both rings: thread i of a warpgroup tells block i that a stage is empty. */
    if (threadIdx.x % 128 < CLUSTER) empty = cluster_map(empty, threadIdx.x % 128);
    unsigned it = consumer * steps;
    for (int tile = blockIdx.x / CLUSTER + consumer * step; tile < tiles_m * tiles_n;
         tile += 2 * step, it += 2 * steps) {
        int2 at = gemm_rasterize(tile, tiles_m, tiles_n);
        float upper[BN / 2], lower[BN / 2]; /* 64 rows each */
        if (tile >= step) named_barrier_wait(1 + consumer, 256);
        multiply(upper, lower, p.k, consumer, tile + step < tiles_m * tiles_n, it, ring, full, empty);
        store_sums(p, (at.x * CLUSTER + cluster_rank()) * BM + row, at.y * BN + col, upper);
        store_sums(p, (at.x * CLUSTER + cluster_rank()) * BM + row + 64, at.y * BN + col, lower);
    }
}

__global__ void __launch_bounds__(THREADS, 1) gemm_cluster(const __grid_constant__ tensor_maps maps, gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared), empty = full + 8 * STAGES;
    stage *ring = (stage *)(shared + 1024);
    init_barriers(full, empty, CLUSTER);
    cluster_sync();

    int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* which the compiler now knows to be one for all lanes */
    if (warpgroup == 0) {
        setmaxnreg_dec<40>();
        if (threadIdx.x == 0) produce(maps, p, ring, full, empty);
        __syncwarp();
    } else {
        setmaxnreg_inc<232>();
        consume(p, warpgroup - 1, ring, full, empty);
    }
    cluster_sync(); /* no block exits while the other may still send it a tile or an arrival */
}

extern "C" kernel_info kernel_cluster(void) {
    return {(const void *)gemm_cluster, THREADS, BYTES};
}

extern "C" cudaError_t launch_cluster(const gemm_problem *p, cudaStream_t stream) {
    unsigned clusters = min(gemm_blocks(p, CLUSTER * BM, BN), gemm_multiprocessors() / CLUSTER);
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BN / CLUSTER);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_cluster, clusters * CLUSTER, CLUSTER, THREADS, BYTES, stream, maps, *p);
}
