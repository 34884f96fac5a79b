// What the device says of itself: the limits of an H200 (compute capability 9.0), by its properties and its attributes.
#include "../check.h"

static int attribute(cudaDeviceAttr which) {
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main() {
    int devices = 0, current = -1;
    cudaDeviceProp p;
    CHECK(cudaGetDeviceCount(&devices));
    expect(devices >= 1, "device count");
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&current));
    expect(current == 0, "current device");
    CHECK(cudaGetDeviceProperties(&p, 0));

    printf("compute capability       %d.%d\n", p.major, p.minor);
    printf("warp size                %d\n", p.warpSize);
    printf("threads per block        %d\n", p.maxThreadsPerBlock);
    printf("threads per SM           %d\n", p.maxThreadsPerMultiProcessor);
    printf("blocks per SM            %d\n", p.maxBlocksPerMultiProcessor);
    printf("block                    %d x %d x %d\n", p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    printf("grid                     %d x %d x %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("shared memory per block  %d\n", (int)p.sharedMemPerBlock);
    printf("  with opt-in            %d\n", (int)p.sharedMemPerBlockOptin);
    printf("  reserved               %d\n", (int)p.reservedSharedMemPerBlock);
    printf("shared memory per SM     %d\n", (int)p.sharedMemPerMultiprocessor);
    printf("registers per block      %d\n", p.regsPerBlock);
    printf("registers per SM         %d\n", p.regsPerMultiprocessor);
    printf("constant memory          %d\n", (int)p.totalConstMem);
    printf("unified addressing       %d\n", p.unifiedAddressing);
    printf("managed memory           %d\n", p.managedMemory);
    printf("cooperative launch       %d\n", p.cooperativeLaunch);
    printf("concurrent kernels       %d\n", p.concurrentKernels);

    expect(attribute(cudaDevAttrComputeCapabilityMajor) == p.major, "major");
    expect(attribute(cudaDevAttrComputeCapabilityMinor) == p.minor, "minor");
    expect(attribute(cudaDevAttrWarpSize) == p.warpSize, "warp size");
    expect(attribute(cudaDevAttrMaxThreadsPerBlock) == p.maxThreadsPerBlock, "threads per block");
    expect(attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount, "SMs");
    expect(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == (int)p.sharedMemPerBlockOptin, "opt-in");
    expect(attribute(cudaDevAttrMaxBlockDimZ) == p.maxThreadsDim[2], "block z");
    expect(attribute(cudaDevAttrMaxGridDimY) == p.maxGridSize[1], "grid y");
    expect(p.multiProcessorCount >= 1 && p.totalGlobalMem > (1u << 30), "size of the device");
    expect(p.name[0] != 0, "name");

    int driver = 0, runtime = 0;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    expect(runtime == CUDART_VERSION && driver / 1000 >= runtime / 1000, "versions");
    return finish("device_query");
}
