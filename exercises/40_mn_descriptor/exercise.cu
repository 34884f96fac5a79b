/* Exercise: a descriptor for a B that lies row by row. A block multiplies 64 x 128 of C. Its tile of B is two boxes of
 * TMA with the 128-byte swizzle: 64 rows of k, 64 columns each, and the second box follows the first. The descriptor
 * below is that of a K-major B. Write that of this one: address / 16 in bits 0-13, the leading byte offset / 16 in bits
 * 16-29, the stride byte offset / 16 in bits 32-45, and 1 in bits 62-63; and how far it moves for the next 16 k.
 */
#include "../step06_tensorcore/sums.cuh"
#include "gemm/launch.cuh"
#include "gemm/tensor_map.h"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 64, BN = 128, BK = 64, STEPS = BK / 16, THREADS = 128;

struct tile {
    __half a[BM][BK], b[BN / 64][BK][64];
};
static const int BYTES = 1024 + sizeof(tile); /* the first 1024 for the barrier */

/* The descriptor of B's columns for 16 k, from step * 16 on. */
static __device__ __forceinline__ uint64_t b_descriptor(const tile &now, int step) {
    uint64_t address = shared_address(now.b) + step * 32, leading = 0, stride = 1024;
    return (address & 0x3ffff) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | 1ull << 62;
}

__global__ void __launch_bounds__(THREADS) gemm_exercise(const __grid_constant__ tensor_maps maps, gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared);
    tile &now = *(tile *)(shared + 1024);
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
            for (int i = 0; i < BN / 64; i++) tma_load(shared_address(now.b[i]), &maps.b, col0 + 64 * i, t * BK, full);
        }
        mbarrier_wait(full, t & 1);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            wgmma_f16<1>(d, wgmma_k_major(shared_address(now.a)) + step * wgmma_advance(32), b_descriptor(now, step),
                         t > 0 || step > 0);
        wgmma_commit();
        wgmma_wait<0>(d);
        __syncthreads(); /* the tile has been read */
    }
    store_sums(p, row0 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col0 + threadIdx.x % 4 * 2, d);
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)gemm_exercise, THREADS, BYTES};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    tensor_maps maps;
    cudaError_t error = tensor_maps_of(&maps, p, BM, BK);
    if (error != cudaSuccess) return error;
    return gemm_launch(gemm_exercise, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, maps, *p);
}
