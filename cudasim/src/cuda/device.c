/* The device: one. Which it is, its settings, the driver's entry points. (What it has: attributes.c) */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/device_model.h"
#include "base/heap.h"
#include "cuda/ending.h"
#include "cuda/runtime.h"
#include "machine/tensormap.h"

#define PCI_BUS_ID "0000:00:00.0"

static _Atomic unsigned device_flags;
static _Atomic int cache_config;

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
    return runtime_result(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return runtime_result(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int source, int destination) {
    return runtime_result(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

/* ---- the driver's entry points: those for tensor maps ------------------------------------------------------------ */

static const struct {
    const char *name;
    void *function;
    unsigned since; /* the CUDA version that brought it */
} driver_functions[] = {{"cuTensorMapEncodeTiled", (void *)tensormap_encode_tiled, 12000},
                        {"cuTensorMapEncodeIm2col", (void *)tensormap_encode_im2col, 12000},
                        {"cuTensorMapReplaceAddress", (void *)tensormap_replace_address, 12000}};

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **pointer, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status) {
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

/* ---- cudaDeviceReset, and exit ----------------------------------------------------------------------------------- */

/* All that the program has made but its modules. */
static void free_objects(void) {
    streams_close();
    events_close();
    graphs_close();
    pools_close();
}

cudaError_t cudaDeviceReset(void) {
    machine_lock();
    runtime_lock();
    sim_printf_flush();
    free_objects();
    modules_unload();
    memory_reset();
    heap_reset();
    limits_reset();
    runtime_set_sticky(cudaSuccess);
    runtime_unlock();
    machine_unlock();
    runtime_forget_error();
    return cudaSuccess;
}

__attribute__((destructor)) static void runtime_close(void) {
    machine_lock();
    const int status = ending_report();
    runtime_lock();
    free_objects();
    modules_close();
    refusals_forget();
    runtime_unlock();
    machine_unlock();
    if (status == 0) return;
    fflush(NULL);
    _exit(status);
}
