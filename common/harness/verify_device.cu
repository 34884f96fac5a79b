/* The harness's own kernels: filling operands, looking for changed guards, and the FP64 reference. */
#include <cuda_runtime.h>
#include <string.h>

#include "matrix.h"
#include "verify.h"

/* Totals of one comparison. */
struct totals {
    unsigned long long wrong, first, worst_bits, worst_index;
};

static __device__ totals found;
static const unsigned long long NONE = ~0ull;

static cudaError_t clear_totals(cudaStream_t stream) {
    static const totals empty = {0, NONE, 0, NONE};
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
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < x.floats; i += (size_t)gridDim.x * blockDim.x) {
        bool is_element;
        x.base[i] = values_from_bits(matrix_expected(&x, i, &is_element));
    }
}

extern "C" cudaError_t matrix_fill_device(matrix *x, values_kind kind, uint64_t seed, cudaStream_t stream) {
    x->kind = kind;
    x->seed = seed;
    fill_kernel<<<grid_for(x->floats, 256), 256, 0, stream>>>(*x);
    return cudaGetLastError();
}

__global__ void changed_kernel(matrix x, bool elements) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < x.floats; i += (size_t)gridDim.x * blockDim.x) {
        bool is_element;
        uint32_t expected = matrix_expected(&x, i, &is_element);
        if ((is_element && !elements) || values_to_bits(x.base[i]) == expected) continue;
        atomicAdd(&found.wrong, 1ull);
        atomicMin(&found.first, (unsigned long long)i);
    }
}

extern "C" cudaError_t matrix_changed_device(const matrix *x, bool elements, cudaStream_t stream, uint64_t *changed,
                                             int64_t *first) {
    totals t = {};
    cudaError_t error = clear_totals(stream);
    if (error != cudaSuccess) return error;
    changed_kernel<<<grid_for(x->floats, 256), 256, 0, stream>>>(*x, elements);
    error = fetch_totals(&t, stream);
    *changed = t.wrong;
    *first = t.wrong > 0 ? (int64_t)t.first - (x->data - x->base) : 0;
    return error;
}

/* 64 x 64 elements a block of 16 x 16 threads, 4 x 4 a thread, each with its sum and the sum of magnitudes in FP64.
 * `find`: 0, or the bits of a share: then only the first element with this share is looked for. */
static const int TILE = 64, DEPTH = 16, SIDE = 16, PER = TILE / SIDE;

__global__ void __launch_bounds__(SIDE *SIDE) verify_kernel(verify_case v, unsigned long long find) {
    __shared__ float As[DEPTH][TILE + 1], Bs[DEPTH][TILE];
    int m = v.c.rows, n = v.c.cols, k = v.alpha == 0.0f ? 0 : v.a.cols;
    int tiles_n = (n + TILE - 1) / TILE;
    int row0 = blockIdx.x / tiles_n * TILE, col0 = blockIdx.x % tiles_n * TILE;
    int tid = threadIdx.x, tx = tid % SIDE, ty = tid / SIDE;

    double sum[PER][PER] = {}, sum_abs[PER][PER] = {};
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        for (int e = tid; e < TILE * DEPTH; e += SIDE * SIDE) {
            int r = e / DEPTH, l = e % DEPTH;
            As[l][r] = row0 + r < m && k0 + l < k ? v.a.data[(int64_t)(row0 + r) * v.a.ld + k0 + l] : 0.0f;
        }
        for (int e = tid; e < DEPTH * TILE; e += SIDE * SIDE) {
            int l = e / TILE, c = e % TILE;
            Bs[l][c] = k0 + l < k && col0 + c < n ? v.b.data[(int64_t)(k0 + l) * v.b.ld + col0 + c] : 0.0f;
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
                    if (!v.exact) sum_abs[i][j] = fma(fabs(a[i]), fabs(b[j]), sum_abs[i][j]);
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
            unsigned long long index = (unsigned long long)row * n + col;
            double c0 = v.beta == 0.0f ? 0.0 : (double)values_at(v.c.kind, v.c.seed, index);
            double ref = v.alpha * sum[i][j] + v.beta * c0;
            double share =
                verify_share(v.c.data[(int64_t)row * v.c.ld + col], ref, verify_bound(&v, sum_abs[i][j], ref, c0));
            if (find != 0) {
                if ((unsigned long long)__double_as_longlong(share) == find) atomicMin(&found.worst_index, index);
            } else if (share > 1.0) {
                atomicAdd(&found.wrong, 1ull);
                atomicMin(&found.first, index);
            }
            worst = share > worst ? share : worst;
        }
    /* Shares are never negative: as integers their bits are ordered alike. */
    if (find == 0 && worst > 0.0) atomicMax(&found.worst_bits, (unsigned long long)__double_as_longlong(worst));
}

/* One element again, on the host: its row of A, column of B and itself are fetched. */
static cudaError_t fetch_element(const verify_case *v, unsigned long long index, verify_element *e) {
    int n = v->c.cols, k = v->alpha == 0.0f ? 0 : v->a.cols;
    e->row = (int)(index / n);
    e->col = (int)(index % n);
    float c;
    cudaError_t error =
        cudaMemcpy(&c, v->c.data + (int64_t)e->row * v->c.ld + e->col, sizeof c, cudaMemcpyDeviceToHost);
    double sum = 0.0, sum_abs = 0.0;
    for (int l0 = 0; l0 < k && error == cudaSuccess; l0 += 1024) {
        float a[1024], b[1024];
        int count = k - l0 < 1024 ? k - l0 : 1024;
        error =
            cudaMemcpy(a, v->a.data + (int64_t)e->row * v->a.ld + l0, count * sizeof(float), cudaMemcpyDeviceToHost);
        if (error == cudaSuccess)
            error = cudaMemcpy2D(b, sizeof(float), v->b.data + (int64_t)l0 * v->b.ld + e->col, v->b.ld * sizeof(float),
                                 sizeof(float), count, cudaMemcpyDeviceToHost);
        for (int l = 0; l < count && error == cudaSuccess; l++) {
            sum = fma((double)a[l], (double)b[l], sum);
            sum_abs = fma(fabs((double)a[l]), fabs((double)b[l]), sum_abs);
        }
    }
    double c0 = v->beta == 0.0f ? 0.0 : (double)values_at(v->c.kind, v->c.seed, index);
    e->expected = v->alpha * sum + v->beta * c0;
    e->bound = verify_bound(v, sum_abs, e->expected, c0);
    e->got = c;
    return error;
}

extern "C" cudaError_t verify_device(const verify_case *v, cudaStream_t stream, verify_result *r) {
    *r = {};
    int64_t tiles_m = ((int64_t)v->c.rows + TILE - 1) / TILE, tiles_n = ((int64_t)v->c.cols + TILE - 1) / TILE;
    unsigned blocks = (unsigned)(tiles_m * tiles_n);
    if (blocks == 0) return cudaStreamSynchronize(stream);

    totals t, again;
    cudaError_t error = clear_totals(stream);
    if (error != cudaSuccess) return error;
    verify_kernel<<<blocks, SIDE * SIDE, 0, stream>>>(*v, 0);
    error = fetch_totals(&t, stream);
    if (error != cudaSuccess) return error;
    r->wrong = t.wrong;
    memcpy(&r->worst_share, &t.worst_bits, sizeof r->worst_share);
    if (r->wrong == 0) return cudaSuccess;

    error = clear_totals(stream);
    if (error != cudaSuccess) return error;
    verify_kernel<<<blocks, SIDE * SIDE, 0, stream>>>(*v, t.worst_bits);
    error = fetch_totals(&again, stream);
    if (error == cudaSuccess) error = fetch_element(v, t.first, &r->first);
    if (error == cudaSuccess) error = fetch_element(v, again.worst_index, &r->worst);
    return error;
}

extern "C" bool verify_has_device_code(void) {
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, verify_kernel) == cudaSuccess) return true;
    cudaGetLastError(); /* not sticky: forget it */
    return false;
}
