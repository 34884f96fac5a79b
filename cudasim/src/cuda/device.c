/* The device: one. Which it is, its limits and settings, the driver's entry points. (What it has: attributes.c) */
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

void limits_reset(void) {
    heap_set_size(DEFAULT_HEAP);
    for (size_t i = 0; i < sizeof(set_limits) / sizeof(set_limits[0]); i++) atomic_store(&set_limits[i], 0);
    sim_set_stack_limit(DEFAULT_STACK);
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
