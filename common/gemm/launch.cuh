/* Launching a kernel with dynamic shared memory, and in clusters. */
#ifndef KL_GEMM_LAUNCH_CUH
#define KL_GEMM_LAUNCH_CUH

#include <cuda_runtime.h>

/* Launches `blocks` blocks of `threads` in clusters of `cluster` (1: none) with `bytes` of dynamic shared memory, of
 * which more than 48 KB are to be had only on request (CUDA C++ Programming Guide, "Shared Memory"). No blocks: nothing
 * to do. Returns the launch's error. */
template <class... PARAMETERS, class... ARGUMENTS>
static cudaError_t gemm_launch(void (*kernel)(PARAMETERS...), unsigned blocks, int cluster, int threads, int bytes,
                               cudaStream_t stream, const ARGUMENTS &...arguments) {
    if (blocks == 0) return cudaSuccess;
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
