/* Allocating, copying, filling, and asking about memory. */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime.h"

#define PITCH_ALIGNMENT 512u

/* A free waits for all work, as on a GPU; besides, kernels hold pointers that memory_find gave them. */
static cudaError_t free_address(uint64_t address, bool host) {
    machine_lock();
    runtime_lock();
    bool ours = memory_may_free(address, host);
    if (ours) {
        pool_forget(address);
        memory_free(address);
        memory_quiesce();
    }
    runtime_unlock();
    machine_unlock();
    return ours ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t allocate(void **pointer, size_t size, memory_kind kind, unsigned flags) {
    *pointer = NULL;
    if (size == 0) return cudaSuccess;
    uint64_t address = memory_allocate(size, 512, kind, NULL, NULL);
    if (!address) return cudaErrorMemoryAllocation;
    if (flags) memory_set_flags(address, flags);
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t size) {
    TOUCH_DEVICE();
    if (!pointer) return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = capture_forbids();
    return runtime_result(error ? error : allocate(pointer, size, MEMORY_DEVICE, 0));
}

cudaError_t cudaFree(void *pointer) {
    TOUCH_DEVICE();
    if (!pointer) return cudaSuccess;
    cudaError_t error = capture_forbids();
    if (!error) error = free_address((uint64_t)(uintptr_t)pointer, false);
    return runtime_result(error ? error : runtime_sticky());
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    if (!pointer || !pitch) return runtime_result(cudaErrorInvalidValue);
    *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    size_t bytes;
    if (__builtin_mul_overflow(*pitch, height, &bytes)) return runtime_result(cudaErrorMemoryAllocation);
    return cudaMalloc(pointer, bytes);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent) {
    if (!pointer) return runtime_result(cudaErrorInvalidValue);
    size_t rows;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return runtime_result(cudaErrorMemoryAllocation);
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, rows);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
    TOUCH_DEVICE();
    if (!pointer || size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
        return runtime_result(cudaErrorInvalidValue);
    }
    cudaError_t error = capture_forbids();
    return runtime_result(error ? error : allocate(pointer, size, MEMORY_MANAGED, flags));
}

/* ---- host memory ------------------------------------------------------------------------------------------------- */

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
    TOUCH_DEVICE();
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!pointer || (flags & ~known)) return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = capture_forbids();
    /* With unified addressing all pinned memory is mapped, and the flags say so. */
    return runtime_result(error ? error : allocate(pointer, size, MEMORY_HOST, flags | cudaHostAllocMapped));
}

cudaError_t cudaMallocHost(void **pointer, size_t size) {
    return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *pointer) {
    TOUCH_DEVICE();
    if (!pointer) return cudaSuccess;
    cudaError_t error = capture_forbids();
    if (!error) error = free_address((uint64_t)(uintptr_t)pointer, true);
    return runtime_result(error ? error : runtime_sticky());
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags) {
    TOUCH_DEVICE();
    const unsigned known =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!pointer || size == 0 || (flags & ~known) || address + size < address) {
        return runtime_result(cudaErrorInvalidValue);
    }
    if (memory_in_arena(address)) {
        return runtime_result(memory_find(address) ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue);
    }
    uint64_t base = memory_allocate(size, 1, MEMORY_HOST, NULL, pointer);
    if (!base) return runtime_result(cudaErrorHostMemoryAlreadyRegistered);
    memory_set_flags(base, flags | cudaHostRegisterMapped);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer) {
    TOUCH_DEVICE();
    if (!pointer) return runtime_result(cudaErrorInvalidValue);
    machine_lock();
    runtime_lock();
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    const memory_allocation *a = memory_find(address);
    bool found = a && a->kind == MEMORY_HOST && a->base == address && !memory_in_arena(address);
    if (found) {
        memory_free(address);
        memory_quiesce();
    }
    runtime_unlock();
    machine_unlock();
    return runtime_result(found ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

/* A copy of the live allocation at the pointer. */
static bool find_copy(const void *pointer, memory_allocation *found) {
    runtime_lock();
    const memory_allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    if (a) *found = *a;
    runtime_unlock();
    return a != NULL;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    TOUCH_DEVICE();
    memory_allocation a;
    if (!device || flags != 0) return runtime_result(cudaErrorInvalidValue);
    *device = NULL;
    if (!find_copy(host, &a) || a.kind != MEMORY_HOST) return runtime_result(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    TOUCH_DEVICE();
    memory_allocation a;
    if (!flags || !find_copy(host, &a) || a.kind != MEMORY_HOST) return runtime_result(cudaErrorInvalidValue);
    *flags = a.flags;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
    if (!attributes) return runtime_result(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof(*attributes));
    memory_allocation a;
    void *same = (void *)(uintptr_t)pointer;
    if (!find_copy(pointer, &a)) {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = memory_in_arena((uint64_t)(uintptr_t)pointer) ? NULL : same;
        return cudaSuccess;
    }
    attributes->device = 0;
    attributes->devicePointer = same;
    if (a.kind == MEMORY_HOST || a.kind == MEMORY_MANAGED) attributes->hostPointer = same;
    attributes->type = a.kind == MEMORY_HOST      ? cudaMemoryTypeHost
                       : a.kind == MEMORY_MANAGED ? cudaMemoryTypeManaged
                                                  : cudaMemoryTypeDevice;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    TOUCH_DEVICE();
    uint64_t f, t;
    memory_info(&f, &t);
    if (available) *available = f;
    if (total) *total = t;
    return cudaSuccess;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Copies and fills that block, but for those within the device: they use the legacy stream and bring the kernels'
 * output out. */
static cudaError_t run_blocking_of(const char *call, cudaError_t error, operation *op) {
    if (error) return runtime_result_of(call, error);
    error = capture_forbids_legacy();
    if (!error) error = capture_forbids();
    if (!error && operation_of_host(op)) stream_wait_legacy();
    if (!error) error = stream_run(cudaStreamLegacy, op);
    operation_free(op);
    sim_printf_flush();
    return runtime_result_of(call, error);
}

#define run_blocking(error, op) run_blocking_of(__func__, error, op)

static cudaError_t run_in_stream_of(const char *call, cudaError_t error, operation *op, cudaStream_t stream) {
    return runtime_result_of(call, error ? error : stream_submit(stream, op));
}
#define run_in_stream(error, op, stream) run_in_stream_of(__func__, error, op, stream)

/* A copy or a fill that blocks, and the same in a stream: the parameters but for this, and what makes its operation. */
#define BLOCKING_AND_ASYNC(name, parameters, made)                                                                     \
    cudaError_t name parameters {                                                                                      \
        TOUCH_DEVICE();                                                                                                \
        operation op;                                                                                                  \
        return run_blocking(made, &op);                                                                                \
    }                                                                                                                  \
    cudaError_t name##Async(LIST parameters, cudaStream_t stream) {                                                    \
        TOUCH_DEVICE();                                                                                                \
        operation op;                                                                                                  \
        return run_in_stream(made, &op, stream);                                                                       \
    }

BLOCKING_AND_ASYNC(cudaMemcpy, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind),
                   operation_copy_1d(&op, dst, src, count, kind))

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t count) {
    if (dst_device != 0 || src_device != 0) return runtime_result(cudaErrorInvalidDevice);
    return cudaMemcpy(dst, src, count, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t count,
                                cudaStream_t stream) {
    if (dst_device != 0 || src_device != 0) return runtime_result(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, stream);
}

static cudaError_t copy_2d(operation *op, void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind) {
    const struct cudaMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)src, src_pitch, width, height},
                                        .dstPtr = {dst, dst_pitch, width, height},
                                        .extent = {width, height, 1},
                                        .kind = kind};
    return operation_copy(op, &p);
}

BLOCKING_AND_ASYNC(cudaMemcpy2D,
                   (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
                    enum cudaMemcpyKind kind),
                   copy_2d(&op, dst, dst_pitch, src, src_pitch, width, height, kind))
BLOCKING_AND_ASYNC(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p),
                   p ? operation_copy(&op, p) : cudaErrorInvalidValue)

static struct cudaMemcpy3DParms params_of_peer(const struct cudaMemcpy3DPeerParms *p) {
    return (struct cudaMemcpy3DParms){p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                      p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    if (!p) return runtime_result(cudaErrorInvalidValue);
    if (p->srcDevice != 0 || p->dstDevice != 0) return runtime_result(cudaErrorInvalidDevice);
    struct cudaMemcpy3DParms plain = params_of_peer(p);
    return cudaMemcpy3D(&plain);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    if (!p) return runtime_result(cudaErrorInvalidValue);
    if (p->srcDevice != 0 || p->dstDevice != 0) return runtime_result(cudaErrorInvalidDevice);
    struct cudaMemcpy3DParms plain = params_of_peer(p);
    return cudaMemcpy3DAsync(&plain, stream);
}

cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                 cudaStream_t stream) {
    TOUCH_DEVICE();
    if (!dsts || !srcs || !sizes || count == 0 || !attributes || !indices || attribute_count == 0 ||
        attribute_count > count || indices[0] != 0) {
        return runtime_result(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; i++) {
        cudaError_t error = cudaMemcpyAsync(dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, stream);
        if (error) return error;
    }
    return cudaSuccess;
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
    TOUCH_DEVICE();
    if (!pointer) return runtime_result(cudaErrorInvalidValue);
    uint64_t address, size;
    cudaError_t error = symbol_resolve(symbol, &address, &size);
    if (!error) *pointer = (void *)(uintptr_t)address;
    return runtime_result(error);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    TOUCH_DEVICE();
    if (!bytes) return runtime_result(cudaErrorInvalidValue);
    uint64_t address, size;
    cudaError_t error = symbol_resolve(symbol, &address, &size);
    if (!error) *bytes = size;
    return runtime_result(error);
}

cudaError_t symbol_copy_operation(operation *op, const void *symbol, void *other, size_t count, size_t offset,
                                  enum cudaMemcpyKind kind, bool to_symbol) {
    uint64_t address, size;
    cudaError_t error = symbol_resolve(symbol, &address, &size);
    if (error) return error;
    if (offset > size || count > size - offset) return cudaErrorInvalidValue;
    enum cudaMemcpyKind wrong = to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    if (kind == wrong || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
    void *at = (void *)(uintptr_t)(address + offset);
    return to_symbol ? operation_copy_1d(op, at, other, count, kind) : operation_copy_1d(op, other, at, count, kind);
}

BLOCKING_AND_ASYNC(cudaMemcpyToSymbol,
                   (const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind),
                   symbol_copy_operation(&op, symbol, (void *)(uintptr_t)src, count, offset, kind, true))
BLOCKING_AND_ASYNC(cudaMemcpyFromSymbol,
                   (void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
                   symbol_copy_operation(&op, symbol, dst, count, offset, kind, false))

/* ---- fills ------------------------------------------------------------------------------------------------------- */

static cudaError_t set_2d(operation *op, void *pointer, size_t pitch, int value, size_t width, size_t height) {
    struct cudaMemsetParams p = {.dst = pointer,
                                 .pitch = pitch,
                                 .value = (unsigned char)value,
                                 .elementSize = 1,
                                 .width = width,
                                 .height = height};
    return operation_set(op, &p);
}

BLOCKING_AND_ASYNC(cudaMemset, (void *pointer, int value, size_t count), set_2d(&op, pointer, count, value, count, 1))
BLOCKING_AND_ASYNC(cudaMemset2D, (void *pointer, size_t pitch, int value, size_t width, size_t height),
                   set_2d(&op, pointer, pitch, value, width, height))
BLOCKING_AND_ASYNC(cudaMemset3D, (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent),
                   operation_set_3d(&op, pointer, value, extent))

/* ---- managed memory: hints, since there is one memory only ------------------------------------------------------- */

static cudaError_t check_range(const void *pointer, size_t count) {
    memory_allocation a;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (count == 0 || !find_copy(pointer, &a) || count > a.size - (address - a.base)) return cudaErrorInvalidValue;
    return a.kind == MEMORY_MANAGED ? cudaSuccess : cudaErrorInvalidValue;
}

static bool known_location(struct cudaMemLocation location) {
    return (location.type == cudaMemLocationTypeDevice && location.id == 0) ||
           (location.type >= cudaMemLocationTypeHost && location.type <= cudaMemLocationTypeHostNumaCurrent);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, struct cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
    TOUCH_DEVICE();
    if (flags != 0) return runtime_result(cudaErrorInvalidValue);
    if (!known_location(location)) return runtime_result(cudaErrorInvalidDevice);
    cudaError_t error = check_range(pointer, count);
    return runtime_result(error ? error : stream_check(stream));
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    TOUCH_DEVICE();
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) {
        return runtime_result(cudaErrorInvalidValue);
    }
    return runtime_result(check_range(pointer, count));
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute, const void *pointer,
                                     size_t count) {
    TOUCH_DEVICE();
    if (!data || size < 4 || size % 4) return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = check_range(pointer, count);
    if (error) return runtime_result(error);
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
    case cudaMemRangeAttributePreferredLocationType:
    case cudaMemRangeAttributeLastPrefetchLocationType:
        memset(data, 0, size);
        return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributeAccessedBy:
    case cudaMemRangeAttributeLastPrefetchLocation:
    case cudaMemRangeAttributePreferredLocationId:
    case cudaMemRangeAttributeLastPrefetchLocationId:
        for (size_t i = 0; i < size / 4; i++) ((int *)data)[i] = cudaInvalidDeviceId;
        return cudaSuccess;
    }
    return runtime_result(cudaErrorInvalidValue);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes,
                                      size_t attribute_count, const void *pointer, size_t count) {
    if (!data || !sizes || !attributes) return runtime_result(cudaErrorInvalidValue);
    for (size_t i = 0; i < attribute_count; i++) {
        cudaError_t error = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, count);
        if (error) return error;
    }
    return cudaSuccess;
}
