// Sum of an array in five styles: interleaved addressing with a divergent branch, interleaved with strided threads,
// sequential addressing, a first add during the load, and warp shuffles.
#include "../check.h"

const int block_size = 256;

__global__ void reduce_divergent(const int *in, int *out, int n) {
    __shared__ int data[block_size];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    data[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < (int)blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) data[tid] += data[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = data[0];
}

__global__ void reduce_strided(const int *in, int *out, int n) {
    __shared__ int data[block_size];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    data[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = 1; s < (int)blockDim.x; s *= 2) {
        int index = 2 * s * tid;
        if (index < (int)blockDim.x) data[index] += data[index + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = data[0];
}

__global__ void reduce_sequential(const int *in, int *out, int n) {
    __shared__ int data[block_size];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    data[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) data[tid] += data[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = data[0];
}

// Half as many blocks: every thread adds two elements as it loads them.
__global__ void reduce_first_add(const int *in, int *out, int n) {
    __shared__ int data[block_size];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x * 2 + tid;
    int sum = i < n ? in[i] : 0;
    if (i + (int)blockDim.x < n) sum += in[i + blockDim.x];
    data[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) data[tid] += data[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = data[0];
}

__device__ int warp_sum(int value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

__global__ void reduce_shuffle(const int *in, int *out, int n) {
    __shared__ int warp_sums[block_size / 32];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    int sum = warp_sum(i < n ? in[i] : 0);
    if (tid % 32 == 0) warp_sums[tid / 32] = sum;
    __syncthreads();
    if (tid < 32) {
        sum = warp_sum(tid < block_size / 32 ? warp_sums[tid] : 0);
        if (tid == 0) out[blockIdx.x] = sum;
    }
}

struct variant {
    const char *name;
    void (*kernel)(const int *, int *, int);
    int per_block;
};

// For what is predicted: the parameter lies apart from the one before it.
struct alignas(128) apart {
    int n;
};

__global__ void chase(const int *next, int *out, apart steps) {
    int at = 0;
    for (int i = 0; i < steps.n; i++) at = next[at];
    *out = at;
}

int main() {
    const int n = 20001; // the last block is not full
    static int in[n];
    int want = 0;
    for (int i = 0; i < n; i++) {
        in[i] = i * 7 % 101 - 40;
        want += in[i];
    }
    int *d_in, *d_out;
    const int max_blocks = (n + block_size - 1) / block_size;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, max_blocks * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));

    const variant variants[] = {{"divergent", reduce_divergent, block_size},
                                {"strided", reduce_strided, block_size},
                                {"sequential", reduce_sequential, block_size},
                                {"first add", reduce_first_add, 2 * block_size},
                                {"shuffle", reduce_shuffle, block_size}};
    for (const variant &v : variants) {
        int blocks = (n + v.per_block - 1) / v.per_block;
        static int partial[max_blocks];
        CHECK(cudaMemset(d_out, 0xff, max_blocks * sizeof(int)));
        v.kernel<<<blocks, block_size>>>(d_in, d_out, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(partial, d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
        int sum = 0;
        for (int b = 0; b < blocks; b++) sum += partial[b];
        printf("%-10s %3d blocks, sum %d\n", v.name, blocks, sum);
        expect(sum == want, v.name);
    }
    CHECK(cudaMemset(d_in, 0, sizeof(int)));
    chase<<<1, 1>>>(d_in, d_out, {1000});
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return finish("reduction");
}
