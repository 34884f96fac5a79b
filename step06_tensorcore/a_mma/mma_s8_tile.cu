/* One instruction: a warp multiplies an 8x16 by a 16x8 matrix of bytes on the tensor core and adds the 8x8 result to
 * its sums. The instruction does 2048 operations on 256 bytes where FMA does 2 on 12. But the tiles come straight from
 * global memory and nothing is reused: 8 operations per byte cannot feed a tensor core (an H200 needs about 400), and
 * that is what the rest of this step is about. `--show mma_s8` runs one tile and draws which lane holds what.
 *
 *                    B: 16 k of columns 0..7                    Four k are one 32-bit register:
 *                    +----+                                       lane 4*g + t holds of A   row g, k = 4t .. 4t+3,
 *                    |    |                                                          of B   column g, the same k,
 *                    +----+                                                          of C   row g, columns 2t, 2t+1.
 *   A: 16 k of       +----+
 *   rows 0..7 +----+ | C  |  8x8, stays in registers            A row by row, B column by column ("tn"): both are
 *             +----+ +----+                                     indexed alike, and four k are contiguous in memory.
 */
#include "gemm/gemm_kernel.cuh"
#include "ptx/mma.cuh"

static const int WARP = 32, TILE = 8, TILE_K = 16;

/* Four bytes from x on, the first in the lowest bits, of which only the first `left` exist; the others are read as
 * zero. */
__device__ __forceinline__ unsigned load4(const signed char *x, int left) {
    if (left >= 4 && (uintptr_t)x % 4 == 0) return *(const unsigned *)x;
    unsigned four = 0;
    for (int i = 0; i < 4; i++)
        if (i < left) four |= (unsigned)(unsigned char)x[i] << 8 * i;
    return four;
}

__global__ void __launch_bounds__(WARP) gemm_mma_s8_tile(gemm_problem p) {
    const int g = threadIdx.x / 4, t = threadIdx.x % 4;
    const int tiles_n = (p.n + TILE - 1) / TILE;
    const int row = blockIdx.x / tiles_n * TILE + g;                      /* of A, and of C */
    const int tile_col = blockIdx.x % tiles_n * TILE, col = tile_col + g; /* of B; of C it holds others */
    const signed char *a = gemm_at((const signed char *)p.A, p.lda, row, 4 * t);
    const signed char *b = gemm_at((const signed char *)p.B, p.ldb, col, 4 * t);

    int d[2] = {0, 0};
    for (int k0 = 0; k0 < p.k; k0 += TILE_K) {
        const int left = p.k - k0 - 4 * t;
        mma_m8n8k16_s8(d, row < p.m ? load4(a + k0, left) : 0, col < p.n ? load4(b + k0, left) : 0);
    }

    /* Integers that wrap around, like the tensor core's sums: unsigned, since int must not overflow. */
    const unsigned alpha = (unsigned)(int)p.alpha, beta = (unsigned)(int)p.beta;
    for (int i = 0; i < 2; i++) {
        const int c_col = tile_col + 2 * t + i;
        if (row >= p.m || c_col >= p.n) continue;
        unsigned *c = gemm_at((unsigned *)p.C, p.ldc, row, c_col);
        *c = alpha * (unsigned)d[i] + (beta == 0 ? 0 : beta * *c);
    }
}

extern "C" kernel_info kernel_mma_s8_tile(void) {
    return {(const void *)gemm_mma_s8_tile, WARP, 0};
}

extern "C" cudaError_t launch_mma_s8_tile(const gemm_problem *p, cudaStream_t stream) {
    unsigned tiles = gemm_blocks(p, TILE, TILE);
    if (tiles == 0) return cudaSuccess;
    gemm_mma_s8_tile<<<tiles, WARP, 0, stream>>>(gemm_effective(p));
    return cudaGetLastError();
}
