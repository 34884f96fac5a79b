/* Copies an array to the host of which the kernel has written the half ("whole": all). */
#include <cstring>
#include <cuda_runtime.h>

__global__ void fill(int *to, int n) {
    if (threadIdx.x < n) to[threadIdx.x] = (int)threadIdx.x;
}

int main(int argc, char **argv) {
    enum { N = 32 };
    int *from, to[N];
    if (cudaMalloc(&from, sizeof to) != cudaSuccess) return 3;
    fill<<<1, N>>>(from, argc > 1 && strcmp(argv[1], "whole") == 0 ? N : N / 2);
    const bool ok = cudaMemcpy(to, from, sizeof to, cudaMemcpyDeviceToHost) == cudaSuccess;
    return cudaFree(from) != cudaSuccess || !ok;
}
