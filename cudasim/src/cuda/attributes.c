/* What the device answers when it is asked what it is and has: attributes and properties. */
#include <stdio.h>
#include <string.h>

#include "base/device_model.h"
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

/* An attribute's value, or NO_ATTRIBUTE. What sm_90 answers was asked of an H200 (1 to 147), but for the PCI ids of the
 * slot. */
static long long attribute(enum cudaDeviceAttr attr) {
    const device_model *m = device_model_current();
    switch ((int)attr) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
        return 1024;
    case cudaDevAttrMaxBlockDimZ:
        return 64;
    case cudaDevAttrMaxGridDimX:
        return 0x7fffffff;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return m->shared_per_block;
    case cudaDevAttrTotalConstantMemory:
        return 65536;
    case cudaDevAttrWarpSize:
        return 32;
    case cudaDevAttrMaxPitch:
        return 0x7fffffff;
    case cudaDevAttrMaxRegistersPerBlock:
        return 65536;
    case cudaDevAttrClockRate:
        return m->clock_khz;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
        return 512;
    case cudaDevAttrTexturePitchAlignment:
        return 32;
    case cudaDevAttrMultiProcessorCount:
        return m->sms;
    case cudaDevAttrEccEnabled:
        return 1;
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
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        return m->registers_per_sm;
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
    case cudaDevAttrGPUDirectRDMAWritesOrdering:
        return cudaGPUDirectRDMAWritesOrderingOwner;
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
    case cudaDevAttrNumaId:
        return -1;
    case cudaDevAttrMaxTexture1DWidth:
    case cudaDevAttrMaxTexture2DWidth:
        return 131072;
    case cudaDevAttrMaxTexture2DHeight:
        return 65536;
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth:
        return 16384;
    case cudaDevAttrMaxTexture3DWidthAlt:
    case cudaDevAttrMaxTexture3DHeightAlt:
        return 8192;
    case cudaDevAttrMaxTexture3DDepthAlt:
        return 32768;
    case cudaDevAttrMaxTexture1DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredWidth:
    case cudaDevAttrMaxTexture2DLayeredHeight:
    case cudaDevAttrMaxTexture2DGatherWidth:
    case cudaDevAttrMaxTexture2DGatherHeight:
    case cudaDevAttrMaxTextureCubemapWidth:
    case cudaDevAttrMaxTextureCubemapLayeredWidth:
    case cudaDevAttrMaxTexture2DMipmappedWidth:
    case cudaDevAttrMaxTexture2DMipmappedHeight:
    case cudaDevAttrMaxTexture1DMipmappedWidth:
    case cudaDevAttrMaxSurface1DWidth:
    case cudaDevAttrMaxSurface1DLayeredWidth:
    case cudaDevAttrMaxSurface2DLayeredWidth:
    case cudaDevAttrMaxSurface2DLayeredHeight:
    case cudaDevAttrMaxSurfaceCubemapWidth:
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
        return 32768;
    case cudaDevAttrMaxTexture1DLayeredLayers:
    case cudaDevAttrMaxTexture2DLayeredLayers:
    case cudaDevAttrMaxSurface1DLayeredLayers:
    case cudaDevAttrMaxSurface2DLayeredLayers:
        return 2048;
    case cudaDevAttrMaxTextureCubemapLayeredLayers:
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
        return 2046;
    case cudaDevAttrMaxSurface2DWidth:
        return 131072;
    case cudaDevAttrMaxSurface2DHeight:
        return 65536;
    case cudaDevAttrMaxSurface3DWidth:
    case cudaDevAttrMaxSurface3DHeight:
    case cudaDevAttrMaxSurface3DDepth:
        return 16384;
    case cudaDevAttrMaxTexture1DLinearWidth:
        return 268435456;
    case cudaDevAttrMaxTexture2DLinearWidth:
        return 131072;
    case cudaDevAttrMaxTexture2DLinearHeight:
        return 65000;
    case cudaDevAttrMaxTexture2DLinearPitch:
        return 2097120;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrSparseCudaArraySupported:
    case cudaDevAttrHostRegisterReadOnlySupported:
    case cudaDevAttrTimelineSemaphoreInteropSupported:
    case cudaDevAttrGPUDirectRDMASupported:
    case cudaDevAttrGPUDirectRDMAFlushWritesOptions:
    case cudaDevAttrDeferredMappingCudaArraySupported:
    case cudaDevAttrIpcEventSupport:
    case cudaDevAttrHostNumaMemoryPoolsSupported:
    case cudaDevAttrHostMemoryPoolsSupported:
    case ATTRIBUTE_GATHER:
    case ATTRIBUTE_VIRTUAL_MEMORY:
    case ATTRIBUTE_FILE_HANDLES:
    case ATTRIBUTE_RDMA_VIRTUAL:
    case cudaDevAttrReserved96:  /* cooperative launches over several devices */
    case cudaDevAttrReserved122: /* operations of streams on memory */
    case cudaDevAttrReserved123:
    case cudaDevAttrReserved124:
    case cudaDevAttrReserved129: /* one pointer for a function everywhere */
    case cudaDevAttrReserved141: /* the host's virtual memory */
    case cudaDevAttrReserved145:
        return 1;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrPciBusId:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrCanFlushRemoteWrites:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrNumaConfig:
    case cudaDevAttrMpsEnabled:
    case cudaDevAttrHostNumaId:
    case cudaDevAttrD3D12CigSupported:
    case cudaDevAttrVulkanCigSupported:
    case cudaDevAttrHostNumaMultinodeIpcSupported:
    case cudaDevAttrOnlyPartialHostNativeAtomicSupported:
    case ATTRIBUTE_WIN32_HANDLES:
    case ATTRIBUTE_WIN32_KMT_HANDLES:
    case ATTRIBUTE_DECOMPRESSION:
    case ATTRIBUTE_DECOMPRESSION_LENGTH:
    case ATTRIBUTE_DMA_BUFFERS:
    case cudaDevAttrReserved92: /* the first version of 122 to 124 */
    case cudaDevAttrReserved93:
    case cudaDevAttrReserved94:
    case cudaDevAttrReserved132: /* multicast */
        return 0;
    default:
        return NO_ATTRIBUTE;
    }
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
