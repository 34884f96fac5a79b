/* What a program may ask and set of a kernel, and how many of its blocks fit. */
#include <string.h>

#include "base/device_model.h"
#include "cuda/runtime.h"

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *func) {
    TOUCH_DEVICE();
    if (!attributes) return runtime_result(cudaErrorInvalidValue);
    runtime_function *f;
    sim_kernel_info info;
    cudaError_t error = function_describe(func, &f, &info);
    if (error) return runtime_result(error);
    memset(attributes, 0, sizeof(*attributes));
    attributes->sharedSizeBytes = info.static_shared;
    attributes->constSizeBytes = info.const_bytes;
    attributes->localSizeBytes = info.local_bytes;
    attributes->maxThreadsPerBlock = (int)info.max_threads;
    attributes->numRegs = (int)info.registers;
    attributes->ptxVersion = (int)info.ptx_version;
    attributes->binaryVersion = (int)info.binary_version;
    attributes->maxDynamicSharedSizeBytes = (int)info.max_dynamic_shared;
    attributes->preferredShmemCarveout = f->carveout;
    const bool compiled = info.reqcluster[0] != 0;
    attributes->clusterDimMustBeSet = info.explicit_cluster;
    attributes->requiredClusterWidth = compiled ? (int)info.reqcluster[0] : f->cluster[0];
    attributes->requiredClusterHeight = compiled ? (int)info.reqcluster[1] : f->cluster[1];
    attributes->requiredClusterDepth = compiled ? (int)info.reqcluster[2] : f->cluster[2];
    attributes->clusterSchedulingPolicyPreference = f->cluster_policy;
    attributes->nonPortableClusterSizeAllowed = f->nonportable_cluster;
    return cudaSuccess;
}

static cudaError_t set_attribute(runtime_function *f, const sim_kernel_info *info, enum cudaFuncAttribute attr,
                                 int value) {
    const device_model *model = device_model_current();
    switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (uint64_t)value + info->static_shared > model->shared_per_block_optin) {
            return cudaErrorInvalidValue;
        }
        sim_kernel_set_max_dynamic_shared(f->kernel, (unsigned)value);
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        f->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        /* __cluster_dims__ stands; the manual has cudaErrorNotPermitted for that, an H200's driver this. */
        if (info->reqcluster[0] != 0 || value < 0) return cudaErrorInvalidValue;
        f->cluster[attr - cudaFuncAttributeRequiredClusterWidth] = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        f->nonportable_cluster = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        f->cluster_policy = value;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
    TOUCH_DEVICE();
    runtime_function *f;
    sim_kernel_info info;
    cudaError_t error = function_describe(func, &f, &info);
    if (!error) {
        runtime_lock();
        error = set_attribute(f, &info, attr, value);
        runtime_unlock();
    }
    return runtime_result(error);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value, int device) {
    if (device != 0) return runtime_result(cudaErrorInvalidDevice);
    return cudaFuncSetAttribute(kernel, attr, value);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config) {
    TOUCH_DEVICE();
    runtime_function *f;
    if ((unsigned)config > cudaFuncCachePreferEqual) return runtime_result(cudaErrorInvalidValue);
    return runtime_result(function_resolve(func, &f));
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size) {
    TOUCH_DEVICE();
    if (!offset) return runtime_result(cudaErrorInvalidValue);
    runtime_function *f;
    size_t unused;
    cudaError_t error = function_resolve(func, &f);
    if (!error) error = function_decode(f);
    if (!error && !sim_kernel_param(f->kernel, (unsigned)index, offset, size ? size : &unused)) {
        error = cudaErrorInvalidValue;
    }
    return runtime_result(error);
}

/* ---- occupancy --------------------------------------------------------------------------------------------------- */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int block_size,
                                                                   size_t dynamic, unsigned flags) {
    TOUCH_DEVICE();
    if (!blocks || block_size <= 0 || flags > cudaOccupancyDisableCachingOverride) {
        return runtime_result(cudaErrorInvalidValue);
    }
    runtime_function *f;
    sim_kernel_info info;
    cudaError_t error = function_describe(func, &f, &info);
    if (error) return runtime_result(error);
    bool fits = (unsigned)block_size <= info.max_threads && dynamic <= info.max_dynamic_shared;
    *blocks = fits ? device_model_blocks_per_sm(device_model_current(), (unsigned)block_size, info.registers,
                                                info.static_shared + dynamic)
                   : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int block_size,
                                                          size_t dynamic) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, block_size, dynamic, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks, int block_size) {
    TOUCH_DEVICE();
    if (!bytes || blocks <= 0 || block_size <= 0) return runtime_result(cudaErrorInvalidValue);
    runtime_function *f;
    sim_kernel_info info;
    cudaError_t error = function_describe(func, &f, &info);
    if (error) return runtime_result(error);
    const device_model *m = device_model_current();
    if (device_model_blocks_per_sm(m, (unsigned)block_size, info.registers, info.static_shared) < blocks) {
        return runtime_result(cudaErrorInvalidValue);
    }
    uint64_t each = m->shared_per_sm / (unsigned)blocks / m->shared_granularity * m->shared_granularity;
    uint64_t taken = m->shared_reserved + info.static_shared;
    uint64_t available = each > taken ? each - taken : 0;
    uint64_t most = m->shared_per_block_optin - info.static_shared;
    *bytes = available < most ? available : most;
    return cudaSuccess;
}
