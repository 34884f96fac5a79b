// cudaLaunchKernelEx: without attributes, with programmatic stream serialization (a kernel that may start before the
// one in front of it ends), and with the cooperative attribute.
#include <cooperative_groups.h>

#include "../check.h"

namespace cg = cooperative_groups;

const int n = 1024;

__global__ void produce(int *data, int seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i * seed;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void consume(const int *data, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = i % 10; // what does not depend on the kernel before comes first
    cudaGridDependencySynchronize();
    out[i] = data[n - 1 - i] + mine;
}

__global__ void rotate_sum(const int *in, int *out, int *total) {
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();
    int value = in[i];
    atomicAdd(total, value);
    grid.sync();
    out[i] = *(volatile int *)total - value;
}

int main() {
    int *data, *out, *total;
    static int host[n];
    cudaStream_t stream;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceSynchronize());

    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(n / 128);
    config.blockDim = dim3(128);
    config.stream = stream;
    CHECK(cudaLaunchKernelEx(&config, produce, data, 3));

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, consume, (const int *)data, out));
    CHECK(cudaMemcpyAsync(host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != (n - 1 - i) * 3 + i % 10;
    printf("programmatic: %d %d\n", host[0], host[n - 1]);
    expect(wrong == 0, "programmatic");

    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    CHECK(cudaLaunchKernelEx(&config, rotate_sum, (const int *)data, out, total));
    CHECK(cudaMemcpyAsync(host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    int sum = 3 * n * (n - 1) / 2;
    wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != sum - 3 * i;
    printf("cooperative: %d %d\n", host[0], host[n - 1]);
    expect(wrong == 0, "cooperative");
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    CHECK(cudaFree(total));
    return finish("launch_ex");
}
