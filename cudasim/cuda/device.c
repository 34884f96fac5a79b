/* The device: one, whose figures are the model's. Attributes, properties, limits, functions' attributes, occupancy. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_model.h"
#include "base/heap.h"
#include "cuda/runtime.h"
#include "machine/tensormap.h"

#define PCI_BUS_ID    "0000:00:00.0"
#define DEFAULT_STACK 1024u
#define DEFAULT_HEAP  (8u << 20)

static _Atomic unsigned device_flags;
static _Atomic int cache_config;
static _Atomic uint64_t set_limits[8]; /* by cudaDeviceSetLimit, plus 1; 0: the default */

cudaError_t cudaGetDeviceCount(int *count) {
    if (!count) return runtime_result(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    return runtime_result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device) {
    if (!device) return runtime_result(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned flags, unsigned valid) {
    (void)flags, (void)valid;
    return runtime_result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaSetValidDevices(int *devices, int count) {
    for (int i = 0; i < count; i++) {
        if (!devices || devices[i] != 0) return runtime_result(cudaErrorInvalidDevice);
    }
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    if (flags & ~(unsigned)cudaDeviceMask) return runtime_result(cudaErrorInvalidValue);
    atomic_store(&device_flags, flags);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    if (!flags) return runtime_result(cudaErrorInvalidValue);
    *flags = atomic_load(&device_flags) | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
    if (runtime_sticky() == cudaSuccess) {
        cudaError_t error = capture_forbids();
        if (error) return runtime_result(error);
        queue_wait_all();
    }
    sim_printf_flush();
    return runtime_result(runtime_sticky());
}

cudaError_t cudaDeviceReset(void) {
    machine_lock();
    runtime_lock();
    sim_printf_flush();
    streams_close();
    graphs_close();
    pools_close();
    modules_unload();
    memory_reset();
    heap_reset();
    heap_set_size(DEFAULT_HEAP);
    for (size_t i = 0; i < sizeof(set_limits) / sizeof(set_limits[0]); i++) atomic_store(&set_limits[i], 0);
    runtime_set_sticky(cudaSuccess);
    sim_set_stack_limit(DEFAULT_STACK);
    runtime_unlock();
    machine_unlock();
    cudaGetLastError();
    return cudaSuccess;
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

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

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    if (!device || !prop) return runtime_result(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
    if (!text || size <= 0) return runtime_result(cudaErrorInvalidValue);
    if (device != 0) return runtime_result(cudaErrorInvalidDevice);
    snprintf(text, (size_t)size, "%s", PCI_BUS_ID);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
    if (!device || !text) return runtime_result(cudaErrorInvalidValue);
    unsigned domain = 0, bus = 1, slot = 1, function = 0;
    if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3 &&
        (domain = 0, sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2)) {
        return runtime_result(cudaErrorInvalidValue);
    }
    if (domain || bus || slot || function) return runtime_result(cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    TOUCH_DEVICE();
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
    if (!version) return runtime_result(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    return cudaDriverGetVersion(version);
}

/* ---- limits and settings ----------------------------------------------------------------------------------------- */

#define LIMIT_SHARED 7 /* without a name in the headers: shared memory a block may have */

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

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    TOUCH_DEVICE();
    if ((unsigned)config > cudaFuncCachePreferEqual) return runtime_result(cudaErrorInvalidValue);
    atomic_store(&cache_config, (int)config);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    TOUCH_DEVICE();
    if (!config) return runtime_result(cudaErrorInvalidValue);
    *config = (enum cudaFuncCache)atomic_load(&cache_config);
    return cudaSuccess;
}

/* Bank sizes: 4 bytes, whatever is asked for. */
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    if (!config) return runtime_result(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    return runtime_result((unsigned)config <= cudaSharedMemBankSizeEightByte ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config) {
    if (!function_find(func)) return runtime_result(cudaErrorInvalidDeviceFunction);
    return runtime_result((unsigned)config <= cudaSharedMemBankSizeEightByte ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    TOUCH_DEVICE();
    return cudaSuccess;
}

/* Of cuda_profiler_api.h, which CUDA's Python wheels leave out. */
#pragma GCC visibility push(default)
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
#pragma GCC visibility pop

cudaError_t cudaProfilerStart(void) {
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void) {
    return cudaSuccess;
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope) {
    (void)target, (void)scope;
    return runtime_result(cudaErrorNotSupported);
}

/* ---- peers: there are none --------------------------------------------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (!can) return runtime_result(cudaErrorInvalidValue);
    if (device != 0 || peer != 0) return runtime_result(cudaErrorInvalidDevice);
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    (void)peer, (void)flags;
    return runtime_result(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return runtime_result(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int source, int destination) {
    (void)attr, (void)source, (void)destination;
    return runtime_result(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

/* ---- the driver's entry points: those for tensor maps ------------------------------------------------------------ */

static const struct {
    const char *name;
    void *function;
    unsigned since; /* the CUDA version that brought it */
} driver_functions[] = {{"cuTensorMapEncodeTiled", (void *)tensormap_encode_tiled, 12000},
                        {"cuTensorMapReplaceAddress", (void *)tensormap_replace_address, 12000}};

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **pointer, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status) {
    (void)flags;
    if (!symbol || !pointer) return runtime_result(cudaErrorInvalidValue);
    *pointer = NULL;
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    for (size_t k = 0; k < sizeof driver_functions / sizeof *driver_functions; k++) {
        if (strcmp(symbol, driver_functions[k].name) != 0) continue;
        found =
            version < driver_functions[k].since ? cudaDriverEntryPointVersionNotSufficent : cudaDriverEntryPointSuccess;
        if (found == cudaDriverEntryPointSuccess) *pointer = driver_functions[k].function;
    }
    if (status) *status = found;
    return found == cudaDriverEntryPointSuccess || status ? cudaSuccess : runtime_result(cudaErrorSymbolNotFound);
}

#undef cudaGetDriverEntryPoint
#pragma GCC visibility push(default)
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **pointer, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status);
cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **pointer, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status);
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **pointer, unsigned version,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status);
#pragma GCC visibility pop

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **pointer, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
    return cudaGetDriverEntryPointByVersion(symbol, pointer, CUDART_VERSION, flags, status);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **pointer, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status) {
    return cudaGetDriverEntryPointByVersion(symbol, pointer, CUDART_VERSION, flags, status);
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **pointer, unsigned version,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status) {
    return cudaGetDriverEntryPointByVersion(symbol, pointer, version, flags, status);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind) {
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}
