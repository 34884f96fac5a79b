// Histogram of bytes into 16 bins: atomics straight to global memory, and to shared memory first.
#include "../check.h"

const int bins = 16;

__global__ void histogram_global(const unsigned char *data, int n, unsigned *counts) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&counts[data[i] / 16], 1u);
}

__global__ void histogram_shared(const unsigned char *data, int n, unsigned *counts) {
    __shared__ unsigned local[bins];
    if (threadIdx.x < bins) local[threadIdx.x] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&local[data[i] / 16], 1u);
    __syncthreads();
    if (threadIdx.x < bins) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

int main() {
    const int n = 30000;
    static unsigned char data[n];
    unsigned want[bins] = {};
    unsigned state = 12345;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        unsigned a = state >> 24, b = state >> 16 & 0xff;
        data[i] = (a + b) / 2; // the sum of two: a triangle
        want[data[i] / 16]++;
    }
    unsigned char *d_data;
    unsigned *d_counts;
    CHECK(cudaMalloc(&d_data, n));
    CHECK(cudaMalloc(&d_counts, sizeof want));
    CHECK(cudaMemcpy(d_data, data, n, cudaMemcpyHostToDevice));

    for (int shared = 0; shared < 2; shared++) {
        unsigned counts[bins];
        CHECK(cudaMemset(d_counts, 0, sizeof counts));
        if (shared)
            histogram_shared<<<12, 128>>>(d_data, n, d_counts);
        else
            histogram_global<<<12, 128>>>(d_data, n, d_counts);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost));
        printf("%s:", shared ? "shared" : "global");
        for (int b = 0; b < bins; b++) {
            printf(" %u", counts[b]);
            expect(counts[b] == want[b], "bin");
        }
        printf("\n");
    }
    CHECK(cudaFree(d_data));
    CHECK(cudaFree(d_counts));
    return finish("histogram");
}
