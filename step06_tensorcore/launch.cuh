/* Launching a kernel in clusters. */
#ifndef KL_STEP06_LAUNCH_CUH
#define KL_STEP06_LAUNCH_CUH

#include <cuda_runtime.h>

/* Launches `blocks` blocks in clusters of `cluster` with `bytes` of dynamic shared memory. */
template <class... PARAMETERS, class... ARGUMENTS>
static cudaError_t hopper_launch(void (*kernel)(PARAMETERS...), unsigned blocks, int cluster, int threads, int bytes,
                                 cudaStream_t stream, const ARGUMENTS &...arguments) {
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) return error;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)cluster, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = cluster > 1 ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#endif
