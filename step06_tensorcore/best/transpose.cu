/* B transposed, for TF32: for 32-bit (and 8-bit) types wgmma only takes K-major tiles, so a B of k x n is transposed to
 * n x k in the workspace. Tiles pass through shared memory, so that both sides access whole lines:
 *
 *     a warp reads 32 neighbours of a row of B,   and writes 32 neighbours of a column of B, which is a row now;
 *     33 words per row: a column of the tile lies in 32 banks
 */
#include "best.h"

static const int TILE = 32, ROWS = 8; /* 32 x 8 threads, four rows each */

__global__ void __launch_bounds__(TILE *ROWS)
    gemm_transpose(const uint32_t *b, int ldb, uint32_t *to, int ld, int k, int n) {
    __shared__ uint32_t tile[TILE][TILE + 1];
    const int tiles_n = (n + TILE - 1) / TILE, lane = threadIdx.x % TILE, warp = threadIdx.x / TILE;
    const int k0 = blockIdx.x / tiles_n * TILE, n0 = blockIdx.x % tiles_n * TILE;
    for (int r = warp; r < TILE; r += ROWS)
        if (k0 + r < k && n0 + lane < n) tile[r][lane] = b[(int64_t)(k0 + r) * ldb + n0 + lane];
    __syncthreads();
    for (int r = warp; r < TILE; r += ROWS)
        if (n0 + r < n && k0 + lane < k) to[(int64_t)(n0 + r) * ld + k0 + lane] = tile[lane][r];
}

/* Rows of the transposed B begin on 16 bytes. */
static int transposed_ld(const gemm_problem *p) {
    return (p->k + 3) / 4 * 4;
}

static bool wanted(const gemm_problem *p) {
    return p->type == GEMM_TF32 && p->layout == GEMM_NN && p->m > 0 && p->n > 0 && tensor_map_refuses(p) == NULL;
}

extern "C" size_t workspace_hopper(const gemm_problem *p) {
    return wanted(p) ? (size_t)p->n * transposed_ld(p) * sizeof(float) : 0;
}

extern "C" cudaError_t transpose_b(gemm_problem *p, cudaStream_t stream) {
    if (!wanted(p)) return cudaSuccess;
    const int ld = transposed_ld(p);
    const int64_t tiles = (int64_t)((p->k + TILE - 1) / TILE) * ((p->n + TILE - 1) / TILE);
    gemm_transpose<<<(unsigned)tiles, TILE * ROWS, 0, stream>>>((const uint32_t *)p->B, p->ldb,
                                                                (uint32_t *)p->workspace, ld, p->k, p->n);
    p->B = p->workspace;
    p->ldb = ld;
    p->layout = GEMM_TN;
    return cudaGetLastError();
}
