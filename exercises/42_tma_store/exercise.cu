/* Exercise: the results of a block, 64 x 128, leave through shared memory by TMA. stmatrix has laid them down, a warp's
 * 16 rows of 64 columns in a slab. Two things are missing: what makes TMA see them, and what keeps the slab from being
 * filled again, or lost with the block, before TMA has read it.
 */
#include "../step06_tensorcore/f16.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/stmatrix.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 64, BN = 128, BK = 64, STEPS = BK / 16, THREADS = 128;

struct tile {
    __half a[BM][BK], b[BN][BK];
};
struct slab {
    __half c[16][64];
};
static const int BYTES = 1024 + sizeof(tile) + THREADS / 32 * sizeof(slab); /* the first 1024 for the barrier */

/* A warp's 16 rows of C from (row, col) on, 64 columns at a time. */
static __device__ __forceinline__ void store_rows(const CUtensorMap *c_map, const gemm_problem &p, int row, int col,
                                                  const float (&d)[BN / 2], slab &to) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < BN / 8; j += 2) { /* 16 columns: four 8 x 8 matrices */
        uint32_t four[4];
#pragma unroll
        for (int x = 0; x < 4; x++) {
            __half2 two = result_pair(p, row + x % 2 * 8 + lane / 4, col + (j + x / 2) * 8 + lane % 4 * 2,
                                      d[4 * j + 2 * x], d[4 * j + 2 * x + 1]);
            memcpy(&four[x], &two, 4);
        }
        int r = lane % 16, chunk = (j % 8 + lane / 16) ^ r % 8;
        stmatrix_x4(shared_address(&to.c[r][chunk * 8]), four[0], four[1], four[2], four[3]);
        if (j % 8 == 6) { /* the slab is full */
            __syncwarp();
            if (lane == 0) {
                tma_store(c_map, col + (j - 6) * 8, row, shared_address(to.c));
                tma_store_commit();
            }
            __syncwarp();
        }
    }
}

__global__ void __launch_bounds__(THREADS)
    gemm_exercise(const __grid_constant__ tensor_maps maps, const __grid_constant__ CUtensorMap c_map, gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared);
    tile &now = *(tile *)(shared + 1024);
    slab *slabs = (slab *)(&now + 1);
    int tiles_m = (p.m + BM - 1) / BM, row0 = blockIdx.x % tiles_m * BM, col0 = blockIdx.x / tiles_m * BN;
    if (threadIdx.x == 0) {
        mbarrier_init(full, 1);
        fence_mbarrier_init();
    }
    __syncthreads();
    float d[BN / 2];
    for (int t = 0; t * BK < p.k; t++) {
        if (threadIdx.x == 0) {
            mbarrier_arrive_expect_tx(full, sizeof(tile));
            tma_load(shared_address(now.a), &maps.a, t * BK, row0, full);
            tma_load(shared_address(now.b), &maps.b, t * BK, col0, full);
        }
        mbarrier_wait(full, t & 1);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            wgmma_f16<0>(d, wgmma_k_major(shared_address(now.a)) + step * wgmma_advance(32),
                         wgmma_k_major(shared_address(now.b)) + step * wgmma_advance(32), t > 0 || step > 0);
        wgmma_commit();
        wgmma_wait<0>(d);
        __syncthreads(); /* the tile has been read */
    }
    int warp = threadIdx.x / 32;
    store_rows(&c_map, p, row0 + warp * 16, col0, d, slabs[warp]);
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)gemm_exercise, THREADS, BYTES};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    CUtensorMap c_map;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BN);
    if (error == cudaSuccess) error = tensor_map_c(&c_map, p, 16);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_exercise, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, maps, c_map, *p);
}
