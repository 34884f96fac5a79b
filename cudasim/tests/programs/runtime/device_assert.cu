// assert on the device: a true one does nothing; a false one writes a line to stderr and ends in cudaErrorAssert.
#undef NDEBUG
#include <cassert>

#include "../check.h"

__global__ void check_below(const int *data, int limit, int *passed) {
    assert(data[threadIdx.x] < limit);
    atomicAdd(passed, 1);
}

int main() {
    int data[32], *d_data, *d_passed, passed = 0;
    for (int i = 0; i < 32; i++) data[i] = 2 * i;
    CHECK(cudaMalloc(&d_data, sizeof data));
    CHECK(cudaMalloc(&d_passed, sizeof(int)));
    CHECK(cudaMemcpy(d_data, data, sizeof data, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_passed, 0, sizeof(int)));

    check_below<<<1, 32>>>(d_data, 64, d_passed);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&passed, d_passed, sizeof passed, cudaMemcpyDeviceToHost));
    printf("all below 64: %d passed\n", passed);
    expect(passed == 32, "true assert");

    check_below<<<1, 32>>>(d_data, 62, d_passed);
    cudaError_t wait = cudaDeviceSynchronize();
    cudaError_t again = cudaDeviceSynchronize();
    printf("not below 62: %s, then %s\n", cudaGetErrorName(wait), cudaGetErrorName(again));
    expect(wait == cudaErrorAssert && again == cudaErrorAssert, "false assert");
    return finish("device_assert");
}
