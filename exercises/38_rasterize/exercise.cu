/* Exercise: 132 blocks run at the same time, and what they read of A and B should be little: few rows and columns of
 * tiles. Numbered row by row, in a C of 64 x 64 tiles, they need 3 rows and 64 columns. Number the tiles in bands of 8
 * rows, down each column of a band and on to the next: 25. The last band may have fewer rows (C here has 10 rows of
 * tiles), and each tile must be somebody's. The count is made when the kernel is compiled, and is part of its name.
 */
#include "gemm/gemm_kernel.cuh"

static const int TILE = 16, BAND = 8, AT_ONCE = 132;

struct place {
    int row, col;
};

/* The place of tile number `tile` among tiles_m x tiles_n. */
static __host__ __device__ constexpr place tile_place(int tile, int tiles_m, int tiles_n) {
    return {tile / tiles_n, tile % tiles_n};
}

/* Rows and columns of tiles that the first AT_ONCE blocks need of 64 x 64 tiles. */
static constexpr int tiles_read() {
    bool rows[64] = {}, cols[64] = {};
    int count = 0;
    for (int b = 0; b < AT_ONCE; b++) {
        const place at = tile_place(b, 64, 64);
        count += !rows[at.row] + !cols[at.col];
        rows[at.row] = cols[at.col] = true;
    }
    return count;
}

template <int TILES_READ> __global__ void __launch_bounds__(TILE *TILE) sgemm_exercise(sgemm_problem p) {
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    const place at = tile_place(blockIdx.x, (p.m + TILE - 1) / TILE, (p.n + TILE - 1) / TILE);
    int x = threadIdx.x, y = threadIdx.y, row = at.row * TILE + y, col = at.col * TILE + x;

    float acc = 0.0f;
    for (int k0 = 0; k0 < p.k; k0 += TILE) {
        As[y][x] = row < p.m && k0 + x < p.k ? *gemm_at(p.A, p.lda, row, k0 + x) : 0.0f;
        Bs[y][x] = k0 + y < p.k && col < p.n ? *gemm_at(p.B, p.ldb, k0 + y, col) : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) acc += As[y][k] * Bs[k][x];
        __syncthreads();
    }

    if (row < p.m && col < p.n) {
        float *c = gemm_at(p.C, p.ldc, row, col);
        *c = gemm_blend(p, acc, c);
    }
}

extern "C" kernel_info kernel_exercise(void) {
    return {(const void *)sgemm_exercise<tiles_read()>, TILE * TILE, 0};
}

extern "C" cudaError_t launch_exercise(const gemm_problem *p, cudaStream_t stream) {
    unsigned blocks = gemm_blocks(p, TILE, TILE);
    if (blocks == 0) return cudaSuccess;
    sgemm_exercise<tiles_read()><<<blocks, dim3(TILE, TILE), 0, stream>>>(gemm_launch_copy(p));
    return cudaGetLastError();
}
