// One fat binary with PTX for compute capabilities 8.0, 9.0 and 12.0, and no machine code: a device runs the newest
// that is not above itself.
#include "../check.h"

__global__ void which(int *made_for) {
#ifdef __CUDA_ARCH__
    *made_for = __CUDA_ARCH__;
#endif
}

int main() {
    cudaDeviceProp device;
    int *d_made_for, made_for;
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaMalloc(&d_made_for, sizeof made_for));
    which<<<1, 1>>>(d_made_for);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&made_for, d_made_for, sizeof made_for, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_made_for));
    printf("a device of compute capability %d.%d runs __CUDA_ARCH__ %d\n", device.major, device.minor, made_for);
    const int capability = 100 * device.major + 10 * device.minor;
    expect(made_for == (capability >= 1200 ? 1200 : capability >= 900 ? 900 : 800), "the newest PTX for this device");
    return finish("multi_arch");
}
