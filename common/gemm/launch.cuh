/* Launching a kernel with dynamic shared memory, and in clusters; what the current device is capable of. */
#pragma once

#include <cuda_runtime.h>

/* Those of the current device. */
static inline unsigned gemm_multiprocessors(void) {
    int device = 0, count = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return (unsigned)count;
}

/* Ten times the major number, and the minor one, of the current device's compute capability; 0: not known. */
static inline int gemm_capability(void) {
    int device = 0, major = 0, minor = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return 0;
    return 10 * major + minor;
}

/* How many clusters of `cluster` blocks of a kernel the current device runs at the same time. */
static inline cudaError_t gemm_active_clusters(const void *kernel, int cluster, int threads, int bytes, int *clusters) {
    const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)cluster, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(cluster);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaOccupancyMaxActiveClusters(clusters, kernel, &config);
}

/* Launches `blocks` blocks of `threads` in clusters of `cluster` (1: none) with `bytes` of dynamic shared memory, of
 * which more than 48 KB are to be had only on request (CUDA C++ Programming Guide, "Shared Memory"). `overlaps`:
 * programmatic dependent launch (ptx/griddepcontrol.cuh): it may start before the preceding kernel has ended, and waits
 * for that by itself. No blocks: nothing to do. Returns the launch's error. */
template <class... PARAMETERS, class... ARGUMENTS>
static cudaError_t gemm_launch_as(bool overlaps, void (*kernel)(PARAMETERS...), unsigned blocks, int cluster,
                                  int threads, int bytes, cudaStream_t stream, const ARGUMENTS &...arguments) {
    if (blocks == 0) return cudaSuccess;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    if (cluster > 1) {
        cudaLaunchAttribute *clusters = &attributes[config.numAttrs++];
        clusters->id = cudaLaunchAttributeClusterDimension;
        clusters->val.clusterDim = {(unsigned)cluster, 1, 1};
    }
    if (overlaps) {
        cudaLaunchAttribute *overlap = &attributes[config.numAttrs++];
        overlap->id = cudaLaunchAttributeProgrammaticStreamSerialization;
        overlap->val.programmaticStreamSerializationAllowed = 1;
    }
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = attributes;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <class... PARAMETERS, class... ARGUMENTS>
static cudaError_t gemm_launch(void (*kernel)(PARAMETERS...), unsigned blocks, int cluster, int threads, int bytes,
                               cudaStream_t stream, const ARGUMENTS &...arguments) {
    return gemm_launch_as(false, kernel, blocks, cluster, threads, bytes, stream, arguments...);
}

template <class... PARAMETERS, class... ARGUMENTS>
static cudaError_t gemm_launch_overlapping(void (*kernel)(PARAMETERS...), unsigned blocks, int cluster, int threads,
                                           int bytes, cudaStream_t stream, const ARGUMENTS &...arguments) {
    return gemm_launch_as(true, kernel, blocks, cluster, threads, bytes, stream, arguments...);
}
