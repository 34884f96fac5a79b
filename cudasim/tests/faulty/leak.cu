/* Frees one of two allocations. */
#include <cuda_runtime.h>

__global__ void fill(int *to) {
    to[threadIdx.x] = (int)threadIdx.x;
}

int main() {
    int *kept, *freed;
    if (cudaMalloc(&kept, 4096) != cudaSuccess || cudaMalloc(&freed, 8192) != cudaSuccess) return 3;
    fill<<<1, 32>>>(kept);
    return cudaFree(freed) != cudaSuccess;
}
