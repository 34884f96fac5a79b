// What the runtime says of cluster sizes: launches, attributes of functions, occupancy.
#include "../check.h"

__global__ void plain(int *p) {
    if (p) *p = 1;
}

__global__ void __cluster_dims__(4, 2, 1) fixed(int *p) {
    if (p) *p = 1;
}

__global__ void __launch_bounds__(64, 1, 2) bounded(int *p) {
    if (p) *p = 1;
}

__global__ void __launch_bounds__(1024, 1) large(int *p) {
    extern __shared__ int memory[];
    if (p) *p = memory[threadIdx.x];
}

static void launch(const char *what, const void *kernel, dim3 grid, unsigned x, unsigned y, unsigned z) {
    int *null = nullptr;
    void *args[] = {&null};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x;
    attribute.val.clusterDim.y = y;
    attribute.val.clusterDim.z = z;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = 64;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaError_t status = cudaLaunchKernelExC(&config, kernel, args);
    printf("%s, grid %u %u, cluster %u %u %u: %s\n", what, grid.x, grid.y, x, y, z, cudaGetErrorName(status));
    cudaGetLastError();
    CHECK(cudaDeviceSynchronize());
}

#define SHOW(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t status = (call);                                                                                   \
        printf("%s: %s\n", #call, cudaGetErrorName(status));                                                           \
        cudaGetLastError();                                                                                            \
    } while (0)

static void occupancy(const char *what, const void *kernel, unsigned threads, size_t shared, unsigned size) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 16 * size; // with no size: no blocks, which a launch refuses, too
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = size != 0;
    int count = -1;
    cudaError_t status = cudaOccupancyMaxActiveClusters(&count, kernel, &config);
    printf("%s, clusters of %u: %s", what, size, cudaGetErrorName(status));
    if (status == cudaSuccess) printf(", %s", count > 0 ? "some fit" : "none fits");
    cudaGetLastError();
    int largest = -1;
    status = cudaOccupancyMaxPotentialClusterSize(&largest, kernel, &config);
    printf("; the largest: %s %d\n", cudaGetErrorName(status), largest);
    cudaGetLastError();
}

int main() {
    const void *p = (const void *)plain, *f = (const void *)fixed, *b = (const void *)bounded, *l = (const void *)large;
    printf("-- launches\n");
    launch("plain", p, dim3(8), 1, 1, 1);
    launch("plain", p, dim3(8), 8, 1, 1);
    launch("plain", p, dim3(9), 3, 1, 1);
    launch("plain", p, dim3(8, 2), 4, 2, 1);
    launch("plain", p, dim3(8), 3, 1, 1);
    launch("plain", p, dim3(8, 2), 2, 4, 1);
    launch("plain", p, dim3(8), 1, 1, 2);
    launch("plain", p, dim3(9), 9, 1, 1);
    launch("plain", p, dim3(8), 0, 1, 1);
    launch("plain", p, dim3(8), 0, 0, 0);
    launch("plain", p, dim3(0), 2, 1, 1);
    CHECK(cudaFuncSetAttribute(p, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    launch("plain, not portable", p, dim3(16), 16, 1, 1);
    launch("plain, not portable", p, dim3(9), 9, 1, 1);
    launch("plain, not portable", p, dim3(17), 17, 1, 1);
    launch("plain, not portable", p, dim3(32), 32, 1, 1);
    CHECK(cudaFuncSetAttribute(p, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    launch("fixed", f, dim3(8, 2), 4, 2, 1);
    launch("fixed", f, dim3(8, 2), 2, 2, 1);
    launch("fixed", f, dim3(8, 2), 1, 1, 1);
    launch("bounded", b, dim3(8), 2, 1, 1);
    launch("bounded", b, dim3(8), 4, 1, 1);
    fixed<<<dim3(8, 2), 64>>>(nullptr);
    SHOW(cudaGetLastError());
    fixed<<<dim3(6, 2), 64>>>(nullptr);
    SHOW(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    printf("-- attributes\n");
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, f));
    printf("fixed: required %d %d %d, must be set %d, not portable %d\n", a.requiredClusterWidth,
           a.requiredClusterHeight, a.requiredClusterDepth, a.clusterDimMustBeSet, a.nonPortableClusterSizeAllowed);
    CHECK(cudaFuncGetAttributes(&a, p));
    printf("plain: required %d %d %d, must be set %d, not portable %d\n", a.requiredClusterWidth,
           a.requiredClusterHeight, a.requiredClusterDepth, a.clusterDimMustBeSet, a.nonPortableClusterSizeAllowed);
    SHOW(cudaFuncSetAttribute(f, cudaFuncAttributeRequiredClusterWidth, 2));
    SHOW(cudaFuncSetAttribute(p, cudaFuncAttributeRequiredClusterWidth, 2));
    SHOW(cudaFuncSetAttribute(p, cudaFuncAttributeRequiredClusterHeight, 1));
    SHOW(cudaFuncSetAttribute(p, cudaFuncAttributeRequiredClusterDepth, 1));
    plain<<<8, 64>>>(nullptr);
    SHOW(cudaGetLastError());
    plain<<<7, 64>>>(nullptr);
    SHOW(cudaGetLastError());
    launch("plain, required 2", p, dim3(8), 4, 1, 1);
    CHECK(cudaDeviceSynchronize());

    printf("-- occupancy\n");
    CHECK(cudaFuncSetAttribute(l, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    occupancy("large", l, 1024, 200 * 1024, 2);
    occupancy("large", l, 1024, 200 * 1024, 8);
    occupancy("large", l, 1024, 200 * 1024, 16);
    CHECK(cudaFuncSetAttribute(l, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    occupancy("large, not portable", l, 1024, 200 * 1024, 16);
    occupancy("large, no size", l, 1024, 200 * 1024, 0);
    occupancy("fixed", f, 64, 0, 8);
    occupancy("fixed, no size", f, 64, 0, 0);
    occupancy("bounded", b, 64, 0, 2);
    return finish("cluster_errors");
}
