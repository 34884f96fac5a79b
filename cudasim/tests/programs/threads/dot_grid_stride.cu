// Dot product with a grid-stride loop, a tree in shared memory and one atomicAdd of double a block; the grid is smaller
// than the data. A second version lets the last block to finish add up the partial sums (__threadfence).
#include "../check.h"

const int block_size = 128;
const int blocks = 10;

__device__ double block_sum(double value) {
    __shared__ double s[block_size];
    s[threadIdx.x] = value;
    __syncthreads();
    for (int half = block_size / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    return s[0];
}

__device__ double thread_sum(const float *x, const float *y, int n) {
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += (double)x[i] * y[i];
    return sum;
}

__global__ void dot_atomic(const float *x, const float *y, int n, double *result) {
    double sum = block_sum(thread_sum(x, y, n));
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

__device__ unsigned blocks_done;

__global__ void dot_last_block(const float *x, const float *y, int n, volatile double *partial, double *result) {
    __shared__ bool last;
    double sum = block_sum(thread_sum(x, y, n));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1; // back to 0 for the next launch
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        double total = 0;
        for (unsigned b = 0; b < gridDim.x; b++) total += partial[b];
        *result = total;
    }
}

int main() {
    const int n = 20011;
    static float x[n], y[n];
    double want = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (i % 50) * 0.25f;
        y[i] = (i % 31 - 10) * 0.5f;
        want += (double)x[i] * y[i]; // multiples of 1/8: exact in any order
    }
    float *d_x, *d_y;
    double *d_result, *d_partial, result[2];
    CHECK(cudaMalloc(&d_x, sizeof x));
    CHECK(cudaMalloc(&d_y, sizeof y));
    CHECK(cudaMalloc(&d_result, sizeof result));
    CHECK(cudaMalloc(&d_partial, blocks * sizeof(double)));
    CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y, sizeof y, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_result, 0, sizeof result));
    dot_atomic<<<blocks, block_size>>>(d_x, d_y, n, d_result);
    for (int run = 0; run < 2; run++) dot_last_block<<<blocks, block_size>>>(d_x, d_y, n, d_partial, d_result + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result, d_result, sizeof result, cudaMemcpyDeviceToHost));
    printf("atomic %.3f, last block %.3f\n", result[0], result[1]);
    expect(result[0] == want, "atomic");
    expect(result[1] == want, "last block");
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(d_result));
    CHECK(cudaFree(d_partial));
    return finish("dot_grid_stride");
}
