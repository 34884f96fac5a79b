// A kernel writes through a null pointer: the launch itself is fine, the wait for it reports the error, and from then
// on every call does.
#include "../check.h"

__global__ void write_to(int *p) {
    p[threadIdx.x] = 1;
}

int main() {
    int host = 0, *device, *other;
    CHECK(cudaMalloc(&device, 32 * sizeof(int)));
    write_to<<<1, 32>>>(device);
    CHECK(cudaDeviceSynchronize());

    write_to<<<1, 32>>>(nullptr);
    cudaError_t launch = cudaPeekAtLastError();
    cudaError_t wait = cudaDeviceSynchronize();
    cudaError_t last = cudaGetLastError();
    printf("launch: %s\n", cudaGetErrorName(launch));
    printf("wait: %s\n", cudaGetErrorName(wait));
    printf("last error: %s\n", cudaGetErrorName(last));
    expect(launch == cudaSuccess && wait == cudaErrorIllegalAddress && last == wait, "the error");

    // What no call has returned is no last error.
    last = cudaGetLastError();
    printf("asked again: %s\n", cudaGetErrorName(last));
    expect(last == cudaSuccess, "the last error is told once");

    wait = cudaDeviceSynchronize();
    cudaError_t copy = cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaError_t allocation = cudaMalloc(&other, 64);
    printf("wait again: %s\n", cudaGetErrorName(wait));
    printf("copy: %s\n", cudaGetErrorName(copy));
    printf("malloc: %s\n", cudaGetErrorName(allocation));
    expect(wait == cudaErrorIllegalAddress && copy == wait && allocation == wait, "it stays");
    return finish("sticky_error");
}
