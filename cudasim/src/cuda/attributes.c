/* What the device answers when it is asked what it is and has: attributes, properties and limits. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/device_model.h"
#include "base/heap.h"
#include "cuda/runtime.h"

static uint64_t total_memory(void) {
    uint64_t available, total;
    memory_info(&available, &total);
    return total;
}

static int double_ratio(const device_model *m) {
    return m->cc_minor == 0 && m->cc_major >= 8 ? 2 : m->cc_major == 7 ? 32 : 64;
}

static int persisting_max(const device_model *m) {
    return (int)(m->l2_bytes / 16 * m->persisting_l2_16ths);
}

/* Attributes of the driver that the runtime answers too, without a name for them. */
enum {
    ATTRIBUTE_GATHER = 44,
    ATTRIBUTE_VIRTUAL_MEMORY = 102,
    ATTRIBUTE_FILE_HANDLES = 103,
    ATTRIBUTE_WIN32_HANDLES = 104,
    ATTRIBUTE_WIN32_KMT_HANDLES = 105,
    ATTRIBUTE_COMPRESSION = 107,
    ATTRIBUTE_RDMA_VIRTUAL = 110,
    ATTRIBUTE_DECOMPRESSION = 136,
    ATTRIBUTE_DECOMPRESSION_LENGTH = 137,
    ATTRIBUTE_DMA_BUFFERS = 146,
    NO_ATTRIBUTE = -1000
};

/* Those that every GPU here has alike, by their value. What sm_90 answers was asked of an H200 (1 to 147), but for the
 * PCI ids of the slot. Of those without a name, 96 are cooperative launches over several devices, 122 to 124 operations
 * of streams on memory (92 to 94 their first version), 129 one pointer for a function everywhere, 132 multicast, and
 * 141 the host's virtual memory. */
static const struct {
    int value;
    unsigned char attributes[36]; /* 0: no more */
} same_everywhere[] = {
    {SHARED_PER_BLOCK, {cudaDevAttrMaxSharedMemoryPerBlock}},
    {REGISTERS_PER_SM, {cudaDevAttrMaxRegistersPerMultiprocessor, cudaDevAttrMaxRegistersPerBlock}},
    {1024, {cudaDevAttrMaxThreadsPerBlock, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY}},
    {64, {cudaDevAttrMaxBlockDimZ}},
    {0x7fffffff, {cudaDevAttrMaxGridDimX, cudaDevAttrMaxPitch}},
    {65535, {cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ}},
    {65536, {cudaDevAttrTotalConstantMemory, cudaDevAttrMaxTexture2DHeight, cudaDevAttrMaxSurface2DHeight}},
    {32, {cudaDevAttrWarpSize, cudaDevAttrTexturePitchAlignment}},
    {512, {cudaDevAttrTextureAlignment, cudaDevAttrSurfaceAlignment}},
    {1,
     {cudaDevAttrEccEnabled,
      cudaDevAttrGpuOverlap,
      cudaDevAttrCanMapHostMemory,
      cudaDevAttrConcurrentKernels,
      cudaDevAttrUnifiedAddressing,
      cudaDevAttrStreamPrioritiesSupported,
      cudaDevAttrGlobalL1CacheSupported,
      cudaDevAttrLocalL1CacheSupported,
      cudaDevAttrManagedMemory,
      cudaDevAttrConcurrentManagedAccess,
      cudaDevAttrComputePreemptionSupported,
      cudaDevAttrCanUseHostPointerForRegisteredMem,
      cudaDevAttrCooperativeLaunch,
      cudaDevAttrHostRegisterSupported,
      cudaDevAttrMemoryPoolsSupported,
      cudaDevAttrSparseCudaArraySupported,
      cudaDevAttrHostRegisterReadOnlySupported,
      cudaDevAttrTimelineSemaphoreInteropSupported,
      cudaDevAttrGPUDirectRDMASupported,
      cudaDevAttrGPUDirectRDMAFlushWritesOptions,
      cudaDevAttrDeferredMappingCudaArraySupported,
      cudaDevAttrIpcEventSupport,
      cudaDevAttrHostNumaMemoryPoolsSupported,
      cudaDevAttrHostMemoryPoolsSupported,
      ATTRIBUTE_GATHER,
      ATTRIBUTE_VIRTUAL_MEMORY,
      ATTRIBUTE_FILE_HANDLES,
      ATTRIBUTE_RDMA_VIRTUAL,
      cudaDevAttrReserved96,
      cudaDevAttrReserved122,
      cudaDevAttrReserved123,
      cudaDevAttrReserved124,
      cudaDevAttrReserved129,
      cudaDevAttrReserved141,
      cudaDevAttrReserved145}},
    {cudaGPUDirectRDMAWritesOrderingOwner, {cudaDevAttrGPUDirectRDMAWritesOrdering}},
    {-1, {cudaDevAttrNumaId}},
    {131072,
     {cudaDevAttrMaxTexture1DWidth, cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxSurface2DWidth,
      cudaDevAttrMaxTexture2DLinearWidth}},
    {16384,
     {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth,
      cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth}},
    {8192, {cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt}},
    {32768,
     {cudaDevAttrMaxTexture3DDepthAlt, cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture2DLayeredWidth,
      cudaDevAttrMaxTexture2DLayeredHeight, cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight,
      cudaDevAttrMaxTextureCubemapWidth, cudaDevAttrMaxTextureCubemapLayeredWidth,
      cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight,
      cudaDevAttrMaxTexture1DMipmappedWidth, cudaDevAttrMaxSurface1DWidth, cudaDevAttrMaxSurface1DLayeredWidth,
      cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight, cudaDevAttrMaxSurfaceCubemapWidth,
      cudaDevAttrMaxSurfaceCubemapLayeredWidth}},
    {2048,
     {cudaDevAttrMaxTexture1DLayeredLayers, cudaDevAttrMaxTexture2DLayeredLayers, cudaDevAttrMaxSurface1DLayeredLayers,
      cudaDevAttrMaxSurface2DLayeredLayers}},
    {2046, {cudaDevAttrMaxTextureCubemapLayeredLayers, cudaDevAttrMaxSurfaceCubemapLayeredLayers}},
    {268435456, {cudaDevAttrMaxTexture1DLinearWidth}},
    {65000, {cudaDevAttrMaxTexture2DLinearHeight}},
    {2097120, {cudaDevAttrMaxTexture2DLinearPitch}},
    {0,
     {cudaDevAttrKernelExecTimeout,
      cudaDevAttrIntegrated,
      cudaDevAttrComputeMode,
      cudaDevAttrPciBusId,
      cudaDevAttrPciDeviceId,
      cudaDevAttrPciDomainId,
      cudaDevAttrTccDriver,
      cudaDevAttrIsMultiGpuBoard,
      cudaDevAttrMultiGpuBoardGroupID,
      cudaDevAttrHostNativeAtomicSupported,
      cudaDevAttrPageableMemoryAccess,
      cudaDevAttrCanFlushRemoteWrites,
      cudaDevAttrPageableMemoryAccessUsesHostPageTables,
      cudaDevAttrDirectManagedMemAccessFromHost,
      cudaDevAttrNumaConfig,
      cudaDevAttrMpsEnabled,
      cudaDevAttrHostNumaId,
      cudaDevAttrD3D12CigSupported,
      cudaDevAttrVulkanCigSupported,
      cudaDevAttrHostNumaMultinodeIpcSupported,
      cudaDevAttrOnlyPartialHostNativeAtomicSupported,
      ATTRIBUTE_WIN32_HANDLES,
      ATTRIBUTE_WIN32_KMT_HANDLES,
      ATTRIBUTE_DECOMPRESSION,
      ATTRIBUTE_DECOMPRESSION_LENGTH,
      ATTRIBUTE_DMA_BUFFERS,
      cudaDevAttrReserved92,
      cudaDevAttrReserved93,
      cudaDevAttrReserved94,
      cudaDevAttrReserved132}},
};

/* Those that differ from model to model; NO_ATTRIBUTE for all others. */
static long long attribute_of_model(const device_model *m, int attribute) {
    switch (attribute) {
    case cudaDevAttrClockRate:
        return m->clock_khz;
    case cudaDevAttrMultiProcessorCount:
        return m->sms;
    case cudaDevAttrMemoryClockRate:
        return m->memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
        return m->memory_bus_bits;
    case cudaDevAttrL2CacheSize:
        return m->l2_bytes;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return m->max_threads_per_sm;
    case cudaDevAttrAsyncEngineCount:
        return m->copy_engines;
    case cudaDevAttrComputeCapabilityMajor:
        return m->cc_major;
    case cudaDevAttrComputeCapabilityMinor:
        return m->cc_minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return m->shared_per_sm;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        return double_ratio(m);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return m->shared_per_block_optin;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return m->max_blocks_per_sm;
    case cudaDevAttrMaxPersistingL2CacheSize:
        return persisting_max(m);
    case cudaDevAttrMaxAccessPolicyWindowSize:
        return m->access_window_bytes;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        return m->shared_reserved;
    case cudaDevAttrMemoryPoolSupportedHandleTypes:
        return m->cc_major >= 9 ? cudaMemHandleTypePosixFileDescriptor | cudaMemHandleTypeFabric
                                : cudaMemHandleTypePosixFileDescriptor;
    case cudaDevAttrGpuPciDeviceId:
        return (int)m->pci_device;
    case cudaDevAttrGpuPciSubsystemId:
        return (int)m->pci_subsystem;
    case cudaDevAttrMemSyncDomainCount:
        return m->cc_major >= 9 ? 4 : 1;
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrReserved127: /* tensor maps */
    case cudaDevAttrReserved128: /* fabric handles */
        return m->cc_major >= 9;
    case ATTRIBUTE_COMPRESSION:
        return m->cc_major >= 8;
    default:
        return NO_ATTRIBUTE;
    }
}

/* An attribute's value, or NO_ATTRIBUTE. */
static long long attribute(enum cudaDeviceAttr attr) {
    for (size_t k = 0; k < sizeof same_everywhere / sizeof *same_everywhere; k++)
        for (const unsigned char *a = same_everywhere[k].attributes; *a != 0; a++)
            if (*a == attr) return same_everywhere[k].value;
    return attribute_of_model(device_model_current(), (int)attr);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    if (!value) return runtime_result(cudaErrorInvalidValue);
    if (device != 0) return runtime_result(cudaErrorInvalidDevice);
    long long v = attribute(attr);
    if (v == NO_ATTRIBUTE) return runtime_result(cudaErrorInvalidValue);
    *value = (int)v;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    if (!prop) return runtime_result(cudaErrorInvalidValue);
    if (device != 0) return runtime_result(cudaErrorInvalidDevice);
    const device_model *m = device_model_current();
    memset(prop, 0, sizeof(*prop));
    snprintf(prop->name, sizeof(prop->name), "%s (simulated)", m->gpu);
    memcpy(prop->uuid.bytes, "cudasim", 7);
    memcpy(prop->uuid.bytes + 8, m->arch, strlen(m->arch));
    prop->totalGlobalMem = total_memory();
#define FILL(field, attr) prop->field = attribute(cudaDevAttr##attr)
    FILL(sharedMemPerBlock, MaxSharedMemoryPerBlock), FILL(regsPerBlock, MaxRegistersPerBlock);
    FILL(warpSize, WarpSize), FILL(memPitch, MaxPitch), FILL(maxThreadsPerBlock, MaxThreadsPerBlock);
    FILL(maxThreadsDim[0], MaxBlockDimX), FILL(maxThreadsDim[1], MaxBlockDimY), FILL(maxThreadsDim[2], MaxBlockDimZ);
    FILL(maxGridSize[0], MaxGridDimX), FILL(maxGridSize[1], MaxGridDimY), FILL(maxGridSize[2], MaxGridDimZ);
    FILL(totalConstMem, TotalConstantMemory), FILL(major, ComputeCapabilityMajor);
    FILL(minor, ComputeCapabilityMinor), FILL(textureAlignment, TextureAlignment);
    FILL(texturePitchAlignment, TexturePitchAlignment), FILL(multiProcessorCount, MultiProcessorCount);
    FILL(canMapHostMemory, CanMapHostMemory), FILL(maxTexture1D, MaxTexture1DWidth);
    FILL(maxTexture1DMipmap, MaxTexture1DMipmappedWidth), FILL(maxTexture2D[0], MaxTexture2DWidth);
    FILL(maxTexture2D[1], MaxTexture2DHeight), FILL(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth);
    FILL(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight), FILL(maxTexture2DLinear[0], MaxTexture2DLinearWidth);
    FILL(maxTexture2DLinear[1], MaxTexture2DLinearHeight), FILL(maxTexture2DLinear[2], MaxTexture2DLinearPitch);
    FILL(maxTexture2DGather[0], MaxTexture2DGatherWidth), FILL(maxTexture2DGather[1], MaxTexture2DGatherHeight);
    FILL(maxTexture3D[0], MaxTexture3DWidth), FILL(maxTexture3D[1], MaxTexture3DHeight);
    FILL(maxTexture3D[2], MaxTexture3DDepth), FILL(maxTexture3DAlt[0], MaxTexture3DWidthAlt);
    FILL(maxTexture3DAlt[1], MaxTexture3DHeightAlt), FILL(maxTexture3DAlt[2], MaxTexture3DDepthAlt);
    FILL(maxTextureCubemap, MaxTextureCubemapWidth), FILL(maxTexture1DLayered[0], MaxTexture1DLayeredWidth);
    FILL(maxTexture1DLayered[1], MaxTexture1DLayeredLayers), FILL(maxTexture2DLayered[0], MaxTexture2DLayeredWidth);
    FILL(maxTexture2DLayered[1], MaxTexture2DLayeredHeight), FILL(maxTexture2DLayered[2], MaxTexture2DLayeredLayers);
    FILL(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth);
    FILL(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers), FILL(maxSurface1D, MaxSurface1DWidth);
    FILL(maxSurface2D[0], MaxSurface2DWidth), FILL(maxSurface2D[1], MaxSurface2DHeight);
    FILL(maxSurface3D[0], MaxSurface3DWidth), FILL(maxSurface3D[1], MaxSurface3DHeight);
    FILL(maxSurface3D[2], MaxSurface3DDepth), FILL(maxSurface1DLayered[0], MaxSurface1DLayeredWidth);
    FILL(maxSurface1DLayered[1], MaxSurface1DLayeredLayers), FILL(maxSurface2DLayered[0], MaxSurface2DLayeredWidth);
    FILL(maxSurface2DLayered[1], MaxSurface2DLayeredHeight), FILL(maxSurface2DLayered[2], MaxSurface2DLayeredLayers);
    FILL(maxSurfaceCubemap, MaxSurfaceCubemapWidth), FILL(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth);
    FILL(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers), FILL(surfaceAlignment, SurfaceAlignment);
    FILL(concurrentKernels, ConcurrentKernels), FILL(ECCEnabled, EccEnabled), FILL(asyncEngineCount, AsyncEngineCount);
    FILL(unifiedAddressing, UnifiedAddressing), FILL(memoryBusWidth, GlobalMemoryBusWidth);
    FILL(l2CacheSize, L2CacheSize), FILL(persistingL2CacheMaxSize, MaxPersistingL2CacheSize);
    FILL(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
    FILL(streamPrioritiesSupported, StreamPrioritiesSupported), FILL(globalL1CacheSupported, GlobalL1CacheSupported);
    FILL(localL1CacheSupported, LocalL1CacheSupported);
    FILL(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
    FILL(regsPerMultiprocessor, MaxRegistersPerMultiprocessor), FILL(managedMemory, ManagedMemory);
    FILL(concurrentManagedAccess, ConcurrentManagedAccess);
    FILL(computePreemptionSupported, ComputePreemptionSupported);
    FILL(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem);
    FILL(cooperativeLaunch, CooperativeLaunch), FILL(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
    FILL(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
    FILL(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize);
    FILL(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock), FILL(hostRegisterSupported, HostRegisterSupported);
    FILL(memoryPoolsSupported, MemoryPoolsSupported), FILL(clusterLaunch, ClusterLaunch);
    FILL(sparseCudaArraySupported, SparseCudaArraySupported);
    FILL(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported);
    FILL(timelineSemaphoreInteropSupported, TimelineSemaphoreInteropSupported);
    FILL(gpuDirectRDMASupported, GPUDirectRDMASupported);
    FILL(gpuDirectRDMAFlushWritesOptions, GPUDirectRDMAFlushWritesOptions);
    FILL(gpuDirectRDMAWritesOrdering, GPUDirectRDMAWritesOrdering);
    FILL(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes);
    FILL(deferredMappingCudaArraySupported, DeferredMappingCudaArraySupported);
    FILL(ipcEventSupported, IpcEventSupport), FILL(unifiedFunctionPointers, Reserved129);
    FILL(deviceNumaConfig, NumaConfig), FILL(deviceNumaId, NumaId), FILL(hostNumaId, HostNumaId);
    FILL(gpuPciDeviceID, GpuPciDeviceId), FILL(gpuPciSubsystemID, GpuPciSubsystemId);
#undef FILL
    return cudaSuccess;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

#define DEFAULT_STACK 1024u
#define DEFAULT_HEAP  (8u << 20)
#define LIMIT_SHARED  7 /* without a name in the headers: shared memory a block may have */

static _Atomic uint64_t set_limits[8]; /* by cudaDeviceSetLimit, plus 1; 0: the default */

void limits_reset(void) {
    heap_set_size(DEFAULT_HEAP);
    for (size_t i = 0; i < sizeof(set_limits) / sizeof(set_limits[0]); i++) atomic_store(&set_limits[i], 0);
    sim_set_stack_limit(DEFAULT_STACK);
}

/* The limit's default into *value; an error where there is none. */
static cudaError_t default_limit(int limit, uint64_t *value) {
    const device_model *m = device_model_current();
    switch (limit) {
    case cudaLimitStackSize:
        *value = DEFAULT_STACK;
        return cudaSuccess;
    case cudaLimitPrintfFifoSize:
        *value = (8u << 20) + (256u << 10);
        return cudaSuccess;
    case cudaLimitMallocHeapSize:
        *value = DEFAULT_HEAP;
        return cudaSuccess;
    case cudaLimitDevRuntimeSyncDepth:
        *value = 2;
        return m->cc_major >= 9 ? cudaErrorUnsupportedLimit : cudaSuccess;
    case cudaLimitDevRuntimePendingLaunchCount:
        *value = 2048;
        return cudaSuccess;
    case cudaLimitMaxL2FetchGranularity:
        *value = 64;
        return cudaSuccess;
    case cudaLimitPersistingL2CacheSize:
        *value = m->l2_bytes / 16 * 3;
        return m->persisting_l2_16ths ? cudaSuccess : cudaErrorUnsupportedLimit;
    case LIMIT_SHARED:
        *value = m->shared_per_block_optin;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    TOUCH_DEVICE();
    uint64_t unused;
    cudaError_t error = default_limit((int)limit, &unused);
    if (error) return runtime_result(error);
    if (limit == cudaLimitStackSize) {
        if (value > 512 * 1024) return runtime_result(cudaErrorInvalidValue);
        machine_lock();
        sim_set_stack_limit((value + 15) / 16 * 16);
        machine_unlock();
        return cudaSuccess;
    }
    if (limit == cudaLimitMallocHeapSize) {
        machine_lock();
        bool set = heap_set_size(value);
        machine_unlock();
        return runtime_result(set ? cudaSuccess : cudaErrorInvalidValue);
    }
    atomic_store(&set_limits[limit], value + 1);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    TOUCH_DEVICE();
    if (!value) return runtime_result(cudaErrorInvalidValue);
    uint64_t otherwise;
    cudaError_t error = default_limit((int)limit, &otherwise);
    if (error) return runtime_result(error);
    if (limit == cudaLimitStackSize) {
        *value = sim_stack_limit();
    } else if (limit == cudaLimitMallocHeapSize) {
        *value = heap_size();
    } else {
        uint64_t set = atomic_load(&set_limits[limit]);
        *value = set ? set - 1 : otherwise;
    }
    return cudaSuccess;
}
