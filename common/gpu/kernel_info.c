#include "gpu/kernel_info.h"

#include "gpu/error.h"

int kernel_info_occupancy(kernel_info kernel, struct cudaFuncAttributes *attributes) {
    int blocks = 0;
    CUDA_CHECK(cudaFuncGetAttributes(attributes, kernel.function));
    if (kernel.dynamic_shared > 0)
        CUDA_CHECK(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)kernel.dynamic_shared));
    CUDA_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, kernel.threads, kernel.dynamic_shared));
    return blocks;
}
