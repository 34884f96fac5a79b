/* Winograd's F(2x2, 3x3): 16 multiplications where four places of a 3x3 filter take 36, for more additions.
 *
 *   In one dimension two neighbouring places, which see four pixels d0 ... d3 through three taps g0 ... g2, are
 *
 *      y0 = m0 + m1 + m2      m0 = (d0 - d2) g0                  m1 = (d1 + d2) (g0 + g1 + g2)/2
 *      y1 = m1 - m2 - m3      m3 = (d1 - d3) g2                  m2 = (d2 - d1) (g0 - g1 + g2)/2
 *
 *   4 products in the place of 6. In two dimensions rows and then columns: a tile of 4x4 pixels, 2x2 places, 16
 * products.
 *
 *     x: tiles of 4x4, two apart             V: 16 matrices, c x tiles      M: 16 matrices, k x tiles        y
 *     +---+---+---                           +----------------+             +----------------+
 *     |   |   |        pixels transformed -> | number t of    |  U_t V_t -> | sums over all  |  back  ->   2x2 of a
 *     +---+---+---     (4 additions each)    | each tile's 16 |  for each t | channels       |             tile
 *     |   |   |                              +----------------+             +----------------+
 *     f: 3x3 each      taps transformed  ->  U: 16 matrices, c x k
 *
 * The transforms are linear, so what is summed over the channels are the 16 products, and M is transformed back once.
 * All that is left to multiply are 16 products of matrices, step 4's. The price is in memory: V has four words for each
 * pixel, M four for each place, and both are written and read. And d0 - d2 is rounded: the error has a bound of its own
 * (tensor/verify.h). */
#include "tile.cuh"

static const int SIZE = 16; /* of a transformed tile */

/* The matrices in the workspace. A row ends on 16 bytes, for the loads of the products. */
struct transformed {
    int tiles, tiles_w, ld, filters; /* of all images, beside each other in one; words of a row of V and M, and of U */
    float *U, *V, *M;                /* [16][c][filters], [16][c][ld], [16][k][ld] */
};

static int whole(int words) {
    return (words + 3) / 4 * 4;
}

static transformed transformed_of(const conv_problem *p) {
    transformed t = {};
    t.tiles_w = (p->q + 1) / 2;
    t.tiles = p->n * ((p->p + 1) / 2) * t.tiles_w;
    t.ld = whole(t.tiles);
    t.filters = whole(p->k);
    t.U = (float *)p->workspace;
    t.V = t.U + (int64_t)SIZE * p->c * t.filters;
    t.M = t.V + (int64_t)SIZE * p->c * t.ld;
    return t;
}

/* One dimension of each transform, of elements `step` apart. */
static __device__ __forceinline__ void transform_taps(const float *g, int step, float *to) {
    float outer = g[0] + g[2 * step];
    to[0] = g[0];
    to[step] = 0.5f * (outer + g[step]);
    to[2 * step] = 0.5f * (outer - g[step]);
    to[3 * step] = g[2 * step];
}

static __device__ __forceinline__ void transform_pixels(float *d, int step) {
    float d1 = d[step], d2 = d[2 * step];
    d[0] -= d2;
    d[step] = d1 + d2;
    d[2 * step] = d2 - d1;
    d[3 * step] = d1 - d[3 * step];
}

static __device__ __forceinline__ void transform_back(float *m, int step) {
    float m1 = m[step], m2 = m[2 * step];
    m[0] += m1 + m2;
    m[step] = m1 - m2 - m[3 * step];
}

/* A thread transforms a filter's taps in one channel; lanes have neighbouring filters, and write neighbours. */
static __global__ void __launch_bounds__(THREADS) winograd_taps(conv_problem p, transformed t) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int c = (int)(number / p.k), k = (int)(number % p.k);
    if (c >= p.c) return;
    const float *f = (const float *)p.f + ((int64_t)k * p.c + c) * 9;
    float g[9], rows[12], u[SIZE]; /* rows of 3, then of 4 */
#pragma unroll
    for (int i = 0; i < 9; i++) g[i] = f[i];
#pragma unroll
    for (int s = 0; s < 3; s++) transform_taps(g + s, 3, rows + s);
#pragma unroll
    for (int r = 0; r < 4; r++) transform_taps(rows + r * 3, 1, u + r * 4);
#pragma unroll
    for (int i = 0; i < SIZE; i++) t.U[((int64_t)i * p.c + c) * t.filters + k] = u[i];
}

/* A thread transforms a tile of pixels of one channel; lanes have neighbouring tiles. */
static __global__ void __launch_bounds__(THREADS) winograd_pixels(conv_problem p, transformed t) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int c = (int)(number / t.tiles), tile = (int)(number % t.tiles), tiles_h = (p.p + 1) / 2;
    if (c >= p.c) return;
    int image = tile / (tiles_h * t.tiles_w);
    int i0 = tile / t.tiles_w % tiles_h * 2 - p.pad[0], j0 = tile % t.tiles_w * 2 - p.pad[1];
    const float *x = (const float *)p.x + ((int64_t)image * p.c + c) * p.h * p.w;
    float d[SIZE];
#pragma unroll
    for (int e = 0; e < SIZE; e++) {
        int i = i0 + e / 4, j = j0 + e % 4;
        d[e] = i >= 0 && i < p.h && j >= 0 && j < p.w ? x[i * p.w + j] : 0.0f;
    }
#pragma unroll
    for (int e = 0; e < 4; e++) transform_pixels(d + e, 4);
#pragma unroll
    for (int e = 0; e < 4; e++) transform_pixels(d + e * 4, 1);
#pragma unroll
    for (int e = 0; e < SIZE; e++) t.V[((int64_t)e * p.c + c) * t.ld + tile] = d[e];
}

/* Four words of a row of `ld` words, or zeros: both may end within a block's tile, at a multiple of four. */
static __device__ __forceinline__ float4 load_four(const float *from, int rows, int ld, int row, int col) {
    return row < rows && col < ld ? *(const float4 *)(from + (int64_t)row * ld + col) : make_float4(0, 0, 0, 0);
}

/* Product number blockIdx.y: M = U^T V. Both matrices have a row a channel, so both tiles are loaded as they lie. */
static __global__ void __launch_bounds__(THREADS) winograd_products(int channels, int k, transformed t) {
    __shared__ __align__(16) float As[BK][BM], Bs[BK][BN];
    int blocks_k = (k + BM - 1) / BM, k0 = blockIdx.x % blocks_k * BM, tile0 = blockIdx.x / blocks_k * BN;
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    const float *U = t.U + (int64_t)blockIdx.y * channels * t.filters;
    const float *V = t.V + (int64_t)blockIdx.y * channels * t.ld;
    float *M = t.M + (int64_t)blockIdx.y * k * t.ld;
    float sums[8][8] = {};
    for (int c0 = 0; c0 < channels; c0 += BK) {
        int a_row = tid / (BM / 4), a_col = tid % (BM / 4) * 4, b_row = tid / (BN / 4), b_col = tid % (BN / 4) * 4;
        float4 a = load_four(U, channels, t.filters, c0 + a_row, k0 + a_col);
        float4 b = load_four(V, channels, t.ld, c0 + b_row, tile0 + b_col);
        float4 below = load_four(V, channels, t.ld, c0 + b_row + BK / 2, tile0 + b_col);
        *(float4 *)&As[a_row][a_col] = a;
        *(float4 *)&Bs[b_row][b_col] = b;
        *(float4 *)&Bs[b_row + BK / 2][b_col] = below;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BK; i++) multiply(&As[i][ty * 4], &Bs[i][tx * 4], sums);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            int row = k0 + ty * 4 + i % 4 + i / 4 * (BM / 2), col = tile0 + tx * 4 + j / 4 * (BN / 2);
            if (row < k && col < t.ld) *(float4 *)(M + (int64_t)row * t.ld + col) = *(const float4 *)&sums[i][j];
        }
}

/* A thread turns the 16 sums of a filter and a tile into its places, of which the last row and column may have half. */
static __global__ void __launch_bounds__(THREADS) winograd_places(conv_problem p, transformed t) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int k = (int)(number / t.tiles), tile = (int)(number % t.tiles), tiles_h = (p.p + 1) / 2;
    if (k >= p.k) return;
    float m[SIZE] = {};
    if (p.c > 0) {
#pragma unroll
        for (int e = 0; e < SIZE; e++) m[e] = t.M[((int64_t)e * p.k + k) * t.ld + tile];
    }
#pragma unroll
    for (int e = 0; e < 4; e++) transform_back(m + e, 4);
    transform_back(m, 1);
    transform_back(m + 4, 1);
    int image = tile / (tiles_h * t.tiles_w), i0 = tile / t.tiles_w % tiles_h * 2, j0 = tile % t.tiles_w * 2;
    float *y = (float *)p.y + ((int64_t)image * p.k + k) * p.p * p.q;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        int i = i0 + e / 2, j = j0 + e % 2;
        if (i < p.p && j < p.q) conv_store(p, m[e / 2 * 4 + e % 2], k, y + i * p.q + j);
    }
}

extern "C" const char *refuses_winograd(const conv_problem *p) {
    const bool plain = p->stride[0] == 1 && p->stride[1] == 1 && p->dilation[0] == 1 && p->dilation[1] == 1;
    return p->r == 3 && p->s == 3 && plain ? NULL : "takes 3x3 filters at stride 1 and without dilation";
}

extern "C" size_t workspace_winograd(const conv_problem *p) {
    if (conv_places(p) == 0 || p->k == 0 || conv_effective(p).c == 0) return 0;
    const transformed t = transformed_of(p);
    return SIZE * ((size_t)p->c * t.filters + ((size_t)p->c + p->k) * t.ld) * sizeof(float);
}

extern "C" kernel_info kernel_conv_winograd(void) {
    return {(const void *)winograd_products, THREADS, 0};
}

extern "C" cudaError_t launch_conv_winograd(const conv_problem *problem, cudaStream_t stream) {
    const conv_problem p = conv_effective(problem);
    if (conv_places(&p) == 0 || p.k == 0) return cudaSuccess;
    const transformed t = transformed_of(&p);
    if (p.c > 0) {
        winograd_taps<<<conv_blocks((int64_t)p.c * p.k, THREADS), THREADS, 0, stream>>>(p, t);
        winograd_pixels<<<conv_blocks((int64_t)p.c * t.tiles, THREADS), THREADS, 0, stream>>>(p, t);
        const dim3 grid(conv_blocks(t.ld, BN) * conv_blocks(p.k, BM), SIZE);
        winograd_products<<<grid, THREADS, 0, stream>>>(p.c, p.k, t);
    }
    winograd_places<<<conv_blocks((int64_t)p.k * t.tiles, THREADS), THREADS, 0, stream>>>(p, t);
    return cudaGetLastError();
}
