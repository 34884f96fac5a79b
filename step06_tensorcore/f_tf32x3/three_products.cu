/* FP32 from three TF32 products. TF32 keeps 11 of a float's 24 bits; what it drops is kept in a second one:
 *
 *   a       1.mmmmmmmmmmmmmmmmmmmmmmm     24 bits
 *   big     1.mmmmmmmmmm                  a, rounded to TF32
 *   small            +-1.mmmmmmmmmm       a - big, rounded to TF32
 *
 *   a * b = small_a * big_b + big_a * small_b + big_a * big_b + (about 2^-22 of it: left out)
 *
 * Tensor cores truncate their sums, always towards zero, which adds up over thousands of k. So a sum stays there for 32
 * k only, and is then added to another by FADD, which rounds to nearest. The loop is that of `stages`, in FP32. */
#include "gemm/gemm_kernel.cuh"
#include "gemm/launch.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"

static const int BM = 128, BN = 128, BK = 32, STAGES = 3;
static const int WM = 64, WN = 32;
static const int THREADS = 256;

/* Stores the results of (row, col) and (row, col + 1), col even, if they exist. */
static __device__ __forceinline__ void store_pair(const gemm_problem &p, int row, int col, float x, float y) {
    if (row >= p.m || col >= p.n) return;
    float2 *c = (float2 *)gemm_at((float *)p.C, p.ldc, row, col);
    float2 r = make_float2(p.alpha * x, p.alpha * y);
    if (p.beta != 0.0f) r = make_float2(r.x + p.beta * c->x, r.y + p.beta * c->y);
    *c = r;
}

struct stage {
    float a[BM][BK], b[BN][BK];
};
static const int BYTES = STAGES * sizeof(stage);

/* The place of chunk `chunk` of row `row`, as an index of its first number. */
static __device__ __forceinline__ int place(int row, int chunk) {
    return (chunk ^ row % 8) * 4;
}

/* Copies 128 rows of 32 k, 8 chunks of 16 bytes each. Beyond the last k there are zeros; rows beyond the last are
 * copies of it, for sums that are never stored. */
static __device__ __forceinline__ void copy_tile(const void *x, int ld, int rows, int k, int row0, int k0,
                                                 float (*tile)[BK]) {
#pragma unroll
    for (int i = threadIdx.x; i < BM * 8; i += THREADS) {
        int row = i / 8, chunk = i % 8, col = k0 + chunk * 4;
        const float *from = gemm_at((const float *)x, ld, min(row0 + row, rows - 1), min(col, k - 4));
        cp_async_16_zfill(shared_address(&tile[row][place(row, chunk)]), from, col < k ? 16 : 0);
    }
}

/* The nearest TF32: 11 bits, to nearest, ties away from zero. */
static __device__ __forceinline__ float to_tf32(float x) {
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
}

/* x[i] = big + small + at most 2^-23 of it: x becomes big, and small is returned. */
template <int COUNT> static __device__ __forceinline__ void split(unsigned (&x)[COUNT], unsigned (&small)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        float all = __uint_as_float(x[i]), big = to_tf32(all);
        small[i] = __float_as_uint(to_tf32(all - big));
        x[i] = __float_as_uint(big);
    }
}

/* Requests tile t along K of A and of B, if there is one; in any case that is a group of copies. */
static __device__ __forceinline__ void request(const gemm_problem &p, int row0, int col0, int t, stage *ring) {
    stage &to = ring[t % STAGES];
    if (t * BK < p.k) {
        copy_tile(p.A, p.lda, p.m, p.k, row0, t * BK, to.a);
        copy_tile(p.B, p.ldb, p.n, p.k, col0, t * BK, to.b);
    }
    cp_async_commit();
}

__global__ void __launch_bounds__(THREADS) gemm_three_products(gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    stage *ring = (stage *)shared;
    int blocks_n = (p.n + BN - 1) / BN;
    int row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, pair = lane % 4;
    int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;

    float sum[WM / 16][WN / 8][4] = {};
    for (int t = 0; t < STAGES - 1; t++) request(p, row0, col0, t, ring);
    for (int t = 0; t * BK < p.k; t++) {
        cp_async_wait<STAGES - 2>(); /* this thread's part of tile t is there, */
        __syncthreads();             /* everyone's is, and no one reads tile t - 1 any more */
        request(p, row0, col0, t + STAGES - 1, ring);
        const stage &now = ring[t % STAGES];
        float part[WM / 16][WN / 8][4] = {}; /* of 32 k, on the tensor cores */
#pragma unroll
        for (int k = 0; k < BK; k += 8) {
            unsigned a_big[WM / 16][4], a_small[WM / 16][4], b_big[WN / 8][2], b_small[WN / 8][2];
#pragma unroll
            for (int i = 0; i < WM / 16; i++) {
                int row = wm + i * 16 + lane % 16, chunk = k / 4 + lane / 16;
                ldmatrix_x4(a_big[i], shared_address(&now.a[row][place(row, chunk)]));
                split(a_big[i], a_small[i]);
            }
#pragma unroll
            for (int j = 0; j < WN / 8; j += 2) {
                int row = wn + j * 8 + lane / 16 * 8 + lane % 8, chunk = k / 4 + lane / 8 % 2;
                ldmatrix_x4(b_big[j], shared_address(&now.b[row][place(row, chunk)]));
                split(b_big[j], b_small[j]);
                split(b_big[j + 1], b_small[j + 1]);
            }
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++) { /* the smaller ones first, while the sum is small */
                    mma_m16n8k8_tf32(part[i][j], a_small[i], b_big[j]);
                    mma_m16n8k8_tf32(part[i][j], a_big[i], b_small[j]);
                    mma_m16n8k8_tf32(part[i][j], a_big[i], b_big[j]);
                }
        }
#pragma unroll
        for (int i = 0; i < WM / 16; i++)
#pragma unroll
            for (int j = 0; j < WN / 8; j++)
#pragma unroll
                for (int x = 0; x < 4; x++) sum[i][j][x] += part[i][j][x]; /* FADD, which rounds */
    }

#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 8; j++) {
            int row = row0 + wm + i * 16 + g, col = col0 + wn + j * 8 + pair * 2;
            store_pair(p, row, col, sum[i][j][0], sum[i][j][1]);
            store_pair(p, row + 8, col, sum[i][j][2], sum[i][j][3]);
        }
}

extern "C" kernel_info kernel_three_products(void) {
    return {(const void *)gemm_three_products, THREADS, BYTES};
}

extern "C" cudaError_t launch_three_products(const gemm_problem *p, cudaStream_t stream) {
    return gemm_launch(gemm_three_products, gemm_blocks(p, BM, BN), 1, THREADS, BYTES, stream, gemm_effective(p));
}
