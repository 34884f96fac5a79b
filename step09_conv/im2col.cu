/* The convolution as a product of matrices: its windows are written out, a column a place ("image to column"), and then
 * it is step 5's `best` that multiplies, linked in rather than copied.
 *
 *              c*r*s            n*p*q places                  n*p*q places
 *            +-------+      +------------------+           +------------------+
 *         k  |   f   |  x   |  windows         | c*r*s  =  |  sums            | k    then: alpha, beta, bias,
 *            +-------+      +------------------+           +------------------+      and y's order of images
 *
 * f is in memory as it is needed. A pixel is written up to r*s times: the matrix has c*r*s * n*p*q words, r*s/stride^2
 * times as many as x. They are written once and read at least once, and that is the price of a fast kernel that knows
 * nothing of convolutions. The sums, too, make a detour: theirs is k x (n*p*q), while y has an image's filters
 * together. Rows begin on 16 bytes, for the loads of `best`. */
#include "conv/conv_kernel.cuh"
#include "gemm/gemm.h"

extern "C" {
GEMM_VARIANT(best);
size_t workspace_sgemm_best(const gemm_problem *p);
}

static const int THREADS = 256;

/* Words of a row: a multiple of four. */
static __host__ __device__ int row_words(const conv_problem *p) {
    return (conv_places(p) + 3) / 4 * 4;
}

/* A thread writes a place's window in one channel, down r*s rows; lanes have neighbouring places, and write neighbours.
 */
static __global__ void __launch_bounds__(THREADS) conv_im2col(conv_problem p, float *windows) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int places = conv_places(&p), c = (int)(number / places), at = (int)(number % places);
    if (c >= p.c) return;
    int image = at / (p.p * p.q), i0 = at / p.q % p.p * p.stride[0] - p.pad[0], j0 = at % p.q * p.stride[1] - p.pad[1];
    const float *x = (const float *)p.x + ((int64_t)image * p.c + c) * p.h * p.w;
    float *to = windows + (int64_t)c * p.r * p.s * row_words(&p) + at;
    for (int r = 0; r < p.r; r++)
        for (int s = 0; s < p.s; s++, to += row_words(&p)) {
            int i = i0 + r * p.dilation[0], j = j0 + s * p.dilation[1];
            *to = i >= 0 && i < p.h && j >= 0 && j < p.w ? x[i * p.w + j] : 0.0f;
        }
}

/* A thread an output, in y's order. */
static __global__ void __launch_bounds__(THREADS) conv_from_sums(conv_problem p, const float *sums) {
    int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (number >= (int64_t)conv_places(&p) * p.k) return;
    int in_image = p.p * p.q, plane = (int)(number / in_image), image = plane / p.k, k = plane % p.k;
    int64_t from = (int64_t)k * row_words(&p) + (int64_t)image * in_image + number % in_image;
    conv_store(p, p.c > 0 ? sums[from] : 0.0f, k, (float *)p.y + number);
}

/* The windows, the sums, and what `best` needs, all in whole multiples of 256 bytes. */
static size_t bytes_of(const conv_problem *p, int rows) {
    return ((size_t)rows * (size_t)row_words(p) * sizeof(float) + 255) / 256 * 256;
}

static gemm_problem product_of(const conv_problem *p, char *workspace) {
    gemm_problem g = {};
    g.type = GEMM_F32, g.out = DTYPE_F32, g.layout = GEMM_NN;
    g.m = p->k, g.n = conv_places(p), g.k = conv_taps(p);
    g.lda = g.k, g.ldb = g.ldc = row_words(p);
    g.alpha = 1.0f;
    g.A = p->f, g.B = workspace, g.C = workspace + bytes_of(p, g.k);
    return g;
}

extern "C" size_t workspace_im2col(const conv_problem *p) {
    if (conv_places(p) == 0 || p->k == 0 || conv_effective(p).c == 0) return 0;
    gemm_problem g = product_of(p, (char *)256); /* for its alignment: nothing is read */
    return bytes_of(p, g.k) + bytes_of(p, g.m) + workspace_sgemm_best(&g);
}

extern "C" kernel_info kernel_conv_im2col(void) {
    return {(const void *)conv_im2col, THREADS, 0};
}

extern "C" cudaError_t launch_conv_im2col(const conv_problem *problem, cudaStream_t stream) {
    const conv_problem p = conv_effective(problem);
    int64_t places = conv_places(&p), outputs = places * p.k;
    if (outputs == 0) return cudaSuccess;
    float *windows = (float *)p.workspace, *sums = NULL;
    if (p.c > 0) {
        gemm_problem g = product_of(&p, (char *)p.workspace);
        sums = (float *)g.C;
        if (workspace_sgemm_best(&g) > 0) g.workspace = (char *)sums + bytes_of(&p, g.m);
        conv_im2col<<<conv_blocks(places * p.c, THREADS), THREADS, 0, stream>>>(p, windows);
        cudaError_t error = cudaGetLastError();
        if (error == cudaSuccess) error = launch_best(&g, stream);
        if (error != cudaSuccess) return error;
    }
    conv_from_sums<<<conv_blocks(outputs, THREADS), THREADS, 0, stream>>>(p, sums);
    return cudaGetLastError();
}
