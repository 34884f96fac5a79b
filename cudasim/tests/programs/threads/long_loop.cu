// 32 warps meet at 4000 barriers: a trace of it has more slices than one may have.
#include "../check.h"

__global__ void rounds(int *result, int n) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    for (int i = 0; i < n; i++) {
        __syncthreads();
        if (threadIdx.x == i % blockDim.x) total += i;
    }
    __syncthreads();
    if (threadIdx.x == 0) *result = total;
}

int main() {
    int *device, host = 0;
    CHECK(cudaMalloc(&device, sizeof *device));
    rounds<<<1, 1024>>>(device, 4000);
    CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    printf("sum %d\n", host);
    expect(host == 4000 / 2 * 3999, "the sum of all rounds");
    return finish("long_loop");
}
