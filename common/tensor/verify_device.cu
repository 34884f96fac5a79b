/* The harness's own kernels: they fill operands, look for overwritten guards, and compute the FP64 reference. */
#include <cuda_runtime.h>
#include <string.h>

#include "ptx/griddepcontrol.cuh"
#include "tensor/matrix.h"
#include "tensor/verify.h"

/* Totals of one comparison, or of one fingerprint; or one element, for the report. */
struct totals {
    unsigned long long wrong, first, worst_bits, worst_index, fingerprint;
    verify_element element;
};

static __device__ totals found;
static const unsigned long long NONE = ~0ull;

static cudaError_t clear_totals(cudaStream_t stream) {
    static const totals empty = {0, NONE, 0, NONE, 0, {}};
    return cudaMemcpyToSymbolAsync(found, &empty, sizeof empty, 0, cudaMemcpyHostToDevice, stream);
}

static cudaError_t fetch_totals(totals *t, cudaStream_t stream) {
    cudaError_t error = cudaGetLastError(); /* of the launch before */
    if (error == cudaSuccess) error = cudaMemcpyFromSymbolAsync(t, found, sizeof *t, 0, cudaMemcpyDeviceToHost, stream);
    return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

static unsigned grid_for(size_t work, int threads) {
    size_t blocks = (work + threads - 1) / threads;
    return (unsigned)(blocks < 65536 ? blocks : 65536); /* the kernels stride over the rest */
}

__global__ void fill_kernel(matrix x) {
    griddepcontrol_launch_dependents(); /* gemv_operands.c: a kernel that may overlap has to wait for x itself */
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < x.words; i += (size_t)gridDim.x * blockDim.x) {
        bool is_element;
        matrix_set_word(&x, i, matrix_expected(&x, i, &is_element));
    }
}

extern "C" cudaError_t matrix_fill_device(matrix *x, values_kind kind, uint64_t seed, cudaStream_t stream) {
    x->kind = kind;
    x->seed = seed;
    fill_kernel<<<grid_for(x->words, 256), 256, 0, stream>>>(*x);
    return cudaGetLastError();
}

__global__ void changed_kernel(matrix x, bool elements) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < x.words; i += (size_t)gridDim.x * blockDim.x) {
        bool is_element;
        uint32_t expected = matrix_expected(&x, i, &is_element);
        if ((is_element && !elements) || matrix_word(&x, i) == expected) continue;
        atomicAdd(&found.wrong, 1ull);
        atomicMin(&found.first, (unsigned long long)i);
    }
}

extern "C" cudaError_t matrix_changed_device(const matrix *x, bool elements, cudaStream_t stream, uint64_t *changed,
                                             int64_t *first) {
    totals t = {};
    cudaError_t error = clear_totals(stream);
    if (error != cudaSuccess) return error;
    changed_kernel<<<grid_for(x->words, 256), 256, 0, stream>>>(*x, elements);
    error = fetch_totals(&t, stream);
    *changed = t.wrong;
    *first = t.wrong > 0 ? (int64_t)t.first - matrix_front(x) : 0;
    return error;
}

__global__ void fingerprint_kernel(matrix x) {
    const uint64_t count = (uint64_t)x.rows * x.cols;
    unsigned long long sum = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x)
        sum += matrix_fingerprint_at(&x, (int)(i / x.cols), (int)(i % x.cols));
    atomicAdd(&found.fingerprint, sum);
}

extern "C" cudaError_t matrix_fingerprint_device(const matrix *x, cudaStream_t stream, uint64_t *fingerprint) {
    const size_t count = (size_t)x->rows * x->cols;
    totals t = {};
    cudaError_t error = clear_totals(stream);
    const unsigned wanted = grid_for(count, 256), blocks = wanted < 1024 ? wanted : 1024; /* an atomic a thread */
    if (error == cudaSuccess && count > 0) fingerprint_kernel<<<blocks, 256, 0, stream>>>(*x);
    if (error == cudaSuccess) error = fetch_totals(&t, stream);
    *fingerprint = t.fingerprint;
    return error;
}

/* Compares element (row, col) with its sums and counts it if it is wrong. Returns its share. `find`: 0, or the bits of
 * a share; then only the first element with this share is looked for. Not inlined: verify_kernel would have sixteen
 * copies, which take long to compile. */
__device__ __noinline__ double judge(const verify_case &v, int row, int col, double sum, double sum_abs,
                                     unsigned long long find) {
    unsigned long long index = (unsigned long long)row * verify_n(&v) + col;
    double c0 = verify_c0(&v, row, col), d0 = verify_d0(&v, col);
    double ref = verify_expected(&v, sum, c0, d0);
    double share = verify_judge(&v, verify_c_at(&v, row, col), ref, verify_bound(&v, sum_abs, ref, c0, d0));
    if (find != 0) {
        if ((unsigned long long)__double_as_longlong(share) == find) atomicMin(&found.worst_index, index);
    } else if (share > 1.0) {
        atomicAdd(&found.wrong, 1ull);
        atomicMin(&found.first, index);
    }
    return share;
}

/* Shares are never negative, so their bits sort like integers. */
__device__ void note_share(double share) {
    if (share > 0.0) atomicMax(&found.worst_bits, (unsigned long long)__double_as_longlong(share));
}

static const int ROW_THREADS = 256;

/* The sums of element (row, col), by a block of ROW_THREADS, for thread 0. */
__device__ void sum_element(const verify_case &v, int row, int col, double *sum, double *sum_abs) {
    __shared__ double sums[ROW_THREADS], magnitudes[ROW_THREADS];
    const int k = v.alpha == 0.0f ? 0 : verify_k(&v), tid = threadIdx.x;
    __syncthreads(); /* thread 0 has read the sums before */
    sums[tid] = magnitudes[tid] = 0.0;
    for (int64_t l = tid; l < k; l += ROW_THREADS) {
        const double product = verify_a_at(&v, row, (int)l) * verify_b_at(&v, (int)l, col);
        sums[tid] += product;
        magnitudes[tid] += fabs(product);
    }
    for (int half = ROW_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid >= half) continue;
        sums[tid] += sums[tid + half];
        magnitudes[tid] += magnitudes[tid + half];
    }
    *sum = sums[0];
    *sum_abs = magnitudes[0];
}

/* A vector: each block takes one row at a time. */
__global__ void __launch_bounds__(ROW_THREADS) verify_vector_kernel(verify_case v, unsigned long long find) {
    const int m = verify_m(&v);
    for (int64_t row = blockIdx.x; row < m; row += gridDim.x) {
        double sum, sum_abs;
        sum_element(v, (int)row, 0, &sum, &sum_abs);
        if (threadIdx.x > 0) continue;
        const double share = judge(v, (int)row, 0, sum, sum_abs, find);
        if (find == 0) note_share(share);
    }
}

/* 64 x 64 elements per block of 16 x 16 threads, 4 x 4 per thread, each with its sum and the sum of magnitudes in FP64.
 */
static const int TILE = 64, DEPTH = 16, SIDE = 16, PER = TILE / SIDE;

__global__ void __launch_bounds__(SIDE *SIDE) verify_kernel(verify_case v, unsigned long long find) {
    __shared__ float As[DEPTH][TILE + 1], Bs[DEPTH][TILE + 1];
    int m = verify_m(&v), n = verify_n(&v), k = v.alpha == 0.0f ? 0 : verify_k(&v);
    int tiles_n = (n + TILE - 1) / TILE;
    int row0 = blockIdx.x / tiles_n * TILE, col0 = blockIdx.x % tiles_n * TILE;
    int tid = threadIdx.x, tx = tid % SIDE, ty = tid / SIDE;

    double sum[PER][PER] = {}, sum_abs[PER][PER] = {};
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        for (int e = tid; e < TILE * DEPTH; e += SIDE * SIDE) {
            int r = e / DEPTH, l = e % DEPTH;
            As[l][r] = row0 + r < m && k0 + l < k ? (float)verify_a_at(&v, row0 + r, k0 + l) : 0.0f;
        }
        for (int e = tid; e < DEPTH * TILE; e += SIDE * SIDE) {
            /* Neighbouring threads read neighbours in memory: along n or, if B is stored n x k, along k. */
            int l = v.b_transposed ? e % DEPTH : e / TILE, c = v.b_transposed ? e / DEPTH : e % TILE;
            Bs[l][c] = k0 + l < k && col0 + c < n ? (float)verify_b_at(&v, k0 + l, col0 + c) : 0.0f;
        }
        __syncthreads();
        for (int l = 0; l < DEPTH; l++) {
            double a[PER], b[PER];
#pragma unroll
            for (int i = 0; i < PER; i++) a[i] = As[l][ty + i * SIDE];
#pragma unroll
            for (int j = 0; j < PER; j++) b[j] = Bs[l][tx + j * SIDE];
#pragma unroll
            for (int i = 0; i < PER; i++)
#pragma unroll
                for (int j = 0; j < PER; j++) {
                    sum[i][j] = fma(a[i], b[j], sum[i][j]);
                    if (!verify_is_exact(&v)) sum_abs[i][j] = fma(fabs(a[i]), fabs(b[j]), sum_abs[i][j]);
                }
        }
        __syncthreads();
    }

    double worst = 0.0;
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++) {
            int row = row0 + ty + i * SIDE, col = col0 + tx + j * SIDE;
            if (row >= m || col >= n) continue;
            double share = judge(v, row, col, sum[i][j], sum_abs[i][j], find);
            worst = share > worst ? share : worst;
        }
    if (find == 0) note_share(worst);
}

/* A bound that takes more than the sum of magnitudes: a thread an element, lanes along rows. */
__global__ void verify_magnitude_kernel(verify_case v, unsigned long long find) {
    int64_t m = verify_m(&v), n = verify_n(&v);
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < m * n; i += (int64_t)gridDim.x * blockDim.x) {
        int row = (int)(i % m), col = (int)(i / m), k = v.alpha == 0.0f ? 0 : verify_k(&v);
        double sum = 0.0;
        for (int l = 0; l < k; l++) sum = fma(verify_a_at(&v, row, l), verify_b_at(&v, l, col), sum);
        double share = judge(v, row, col, sum, verify_magnitude(&v, row, col, 0.0), find);
        if (find == 0) note_share(share);
    }
}

/* One element, with its sums once more: a block. */
__global__ void __launch_bounds__(ROW_THREADS) element_kernel(verify_case v, unsigned long long index) {
    const int n = verify_n(&v), row = (int)(index / n), col = (int)(index % n);
    double sum, sum_abs;
    sum_element(v, row, col, &sum, &sum_abs);
    if (threadIdx.x > 0) return;
    const double c0 = verify_c0(&v, row, col), d0 = verify_d0(&v, col), ref = verify_expected(&v, sum, c0, d0);
    const double bound = verify_bound(&v, verify_magnitude(&v, row, col, sum_abs), ref, c0, d0);
    found.element = {row, col, ref, verify_c_at(&v, row, col), bound};
}

static cudaError_t fetch_element(const verify_case *v, unsigned long long index, cudaStream_t stream,
                                 verify_element *e) {
    totals t;
    element_kernel<<<1, ROW_THREADS, 0, stream>>>(*v, index);
    const cudaError_t error = fetch_totals(&t, stream);
    if (error == cudaSuccess) *e = t.element;
    return error;
}

static void compare(const verify_case *v, unsigned long long find, cudaStream_t stream) {
    const int m = verify_m(v), n = verify_n(v);
    int64_t tiles_m = ((int64_t)m + TILE - 1) / TILE, tiles_n = ((int64_t)n + TILE - 1) / TILE;
    if (v->arithmetic == VERIFY_WINOGRAD && !v->exact)
        verify_magnitude_kernel<<<grid_for((size_t)m * n, 256), 256, 0, stream>>>(*v, find);
    else if (n == 1)
        verify_vector_kernel<<<grid_for(m, 1), ROW_THREADS, 0, stream>>>(*v, find);
    else
        verify_kernel<<<(unsigned)(tiles_m * tiles_n), SIDE * SIDE, 0, stream>>>(*v, find);
}

extern "C" cudaError_t verify_device(const verify_case *v, cudaStream_t stream, verify_result *r) {
    *r = {};
    if (verify_m(v) == 0 || verify_n(v) == 0) return cudaStreamSynchronize(stream);

    totals t, again;
    cudaError_t error = clear_totals(stream);
    if (error != cudaSuccess) return error;
    compare(v, 0, stream);
    error = fetch_totals(&t, stream);
    if (error != cudaSuccess) return error;
    r->wrong = t.wrong;
    memcpy(&r->worst_share, &t.worst_bits, sizeof r->worst_share);
    if (r->wrong == 0) return cudaSuccess;

    error = clear_totals(stream);
    if (error != cudaSuccess) return error;
    compare(v, t.worst_bits, stream);
    error = fetch_totals(&again, stream);
    if (error == cudaSuccess) error = fetch_element(v, t.first, stream, &r->first);
    if (error == cudaSuccess) error = fetch_element(v, again.worst_index, stream, &r->worst);
    return error;
}

extern "C" bool verify_has_device_code(void) {
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, verify_kernel) == cudaSuccess) return true;
    cudaGetLastError(); /* not sticky: forget it */
    return false;
}
