/* Stream-ordered allocation. An allocation is one at once, a free comes in the stream's order, and a pool is only a
 * name with attributes and counts. */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime.h"

struct CUmemPoolHandle_st {
    uint64_t attributes[cudaMemPoolAttrUsedMemHigh + 1];
};

/* Which pool an allocation came from, so that its counts can go down again. */
static cudaMemPool_t default_pool, current_pool;

static cudaMemPool_t pool_new(void) {
    cudaMemPool_t pool = calloc(1, sizeof(*pool));
    if (!pool) return NULL;
    pool->attributes[cudaMemPoolReuseFollowEventDependencies] = 1;
    pool->attributes[cudaMemPoolReuseAllowOpportunistic] = 1;
    pool->attributes[cudaMemPoolReuseAllowInternalDependencies] = 1;
    if (handle_add(HANDLE_POOL, pool, pool)) return pool;
    free(pool);
    return NULL;
}

static cudaMemPool_t the_default(void) {
    if (!default_pool) default_pool = pool_new();
    return default_pool;
}

static void count(cudaMemPool_t pool, int64_t bytes) {
    uint64_t *a = pool->attributes;
    a[cudaMemPoolAttrUsedMemCurrent] += (uint64_t)bytes;
    a[cudaMemPoolAttrReservedMemCurrent] = a[cudaMemPoolAttrUsedMemCurrent];
    for (int high = cudaMemPoolAttrReservedMemHigh; high <= cudaMemPoolAttrUsedMemHigh; high += 2) {
        if (a[high] < a[high - 1]) a[high] = a[high - 1];
    }
}

typedef struct pool_allocation {
    uint64_t address, size;
    cudaMemPool_t pool;
    struct pool_allocation *next;
} pool_allocation;
static pool_allocation *allocations;

bool memory_may_free(uint64_t address, bool host) {
    const memory_allocation *a = memory_find(address);
    return a && a->base == address &&
           (host ? a->kind == MEMORY_HOST && memory_in_arena(address)
                 : (a->kind == MEMORY_DEVICE || (a->kind == MEMORY_MANAGED && a->name == NULL)) && !a->heap);
}

/* A freed allocation that came from a pool. */
void pool_forget(uint64_t address) {
    runtime_lock();
    for (pool_allocation **at = &allocations; *at; at = &(*at)->next) {
        pool_allocation *a = *at;
        if (a->address != address) continue;
        if (handle_find(HANDLE_POOL, a->pool)) count(a->pool, -(int64_t)a->size);
        *at = a->next;
        free(a);
        break;
    }
    runtime_unlock();
}

static cudaError_t allocate(const char *call, void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    TOUCH_DEVICE();
    if (!pointer) return runtime_result_of(call, cudaErrorInvalidValue);
    *pointer = NULL;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaError_t error = cudaStreamIsCapturing(stream, &status);
    if (!error && status != cudaStreamCaptureStatusNone) return runtime_refuse("cudaMallocAsync in a captured stream");
    if (!error) error = stream_check(stream);
    if (error || size == 0) return runtime_result_of(call, error);
    runtime_lock();
    if (!pool) pool = current_pool ? current_pool : the_default();
    pool_allocation *a = calloc(1, sizeof(*a));
    if (pool && !handle_find(HANDLE_POOL, pool)) {
        error = cudaErrorInvalidValue;
    } else {
        uint64_t address = a && pool ? memory_allocate(size, 512, MEMORY_DEVICE, NULL, NULL) : 0;
        if (!address) {
            error = cudaErrorMemoryAllocation;
        } else {
            *a = (pool_allocation){address, size, pool, allocations};
            allocations = a;
            a = NULL;
            count(pool, (int64_t)size);
            *pointer = (void *)(uintptr_t)address;
        }
    }
    runtime_unlock();
    free(a);
    return runtime_result_of(call, error);
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
    return allocate(__func__, pointer, size, NULL, stream);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    if (!pool) return runtime_result(cudaErrorInvalidValue);
    return allocate(__func__, pointer, size, pool, stream);
}

/* Other streams' kernels may run: what they still hold of the tables of memory is given back when they have ended. */
static void free_in_order(void *pointer) {
    runtime_lock();
    pool_forget((uint64_t)(uintptr_t)pointer);
    memory_free((uint64_t)(uintptr_t)pointer);
    runtime_unlock();
    if (!machine_try_lock()) return;
    runtime_lock();
    memory_quiesce();
    runtime_unlock();
    machine_unlock();
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    TOUCH_DEVICE();
    if (!pointer) return cudaSuccess;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaError_t error = cudaStreamIsCapturing(stream, &status);
    if (!error && status != cudaStreamCaptureStatusNone) return runtime_refuse("cudaFreeAsync in a captured stream");
    if (error || (error = stream_check(stream))) return runtime_result(error);
    operation op = {.type = cudaGraphNodeTypeHost, .host = {.function = free_in_order, .data = pointer}};
    runtime_lock();
    const bool ours = memory_may_free((uint64_t)(uintptr_t)pointer, false);
    runtime_unlock();
    return runtime_result(ours ? stream_run(stream, &op) : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
    TOUCH_DEVICE();
    if (!pool || !props || props->allocType != cudaMemAllocationTypePinned) {
        return runtime_result(cudaErrorInvalidValue);
    }
    if (props->location.type != cudaMemLocationTypeDevice) return runtime_refuse("a memory pool of host memory");
    if (props->location.id != 0) return runtime_result(cudaErrorInvalidDevice);
    if (props->handleTypes != cudaMemHandleTypeNone) return runtime_refuse("a memory pool that can be exported");
    runtime_lock();
    *pool = pool_new();
    return runtime_leave(*pool ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    TOUCH_DEVICE();
    runtime_lock();
    bool ours = pool && pool != default_pool && handle_find(HANDLE_POOL, pool);
    if (ours) {
        handle_remove(HANDLE_POOL, pool);
        if (current_pool == pool) current_pool = NULL;
        free(pool);
    }
    return runtime_leave(ours ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t get_pool(cudaMemPool_t *pool, int device, bool current) {
    if (!pool) return runtime_result(cudaErrorInvalidValue);
    if (device != 0) return runtime_result(cudaErrorInvalidDevice);
    runtime_lock();
    *pool = current && current_pool ? current_pool : the_default();
    return runtime_leave(*pool ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    return get_pool(pool, device, false);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    return get_pool(pool, device, true);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    if (device != 0) return runtime_result(cudaErrorInvalidDevice);
    runtime_lock();
    bool valid = handle_find(HANDLE_POOL, pool) != NULL;
    if (valid) current_pool = pool;
    return runtime_leave(valid ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
    runtime_lock();
    bool valid = handle_find(HANDLE_POOL, pool) != NULL;
    return runtime_leave(valid ? cudaSuccess : cudaErrorInvalidValue);
}

/* The first three attributes are ints, the others 64 bits. */
static cudaError_t pool_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value, bool set) {
    if (!value || attr < cudaMemPoolReuseFollowEventDependencies || attr > cudaMemPoolAttrUsedMemHigh) {
        return cudaErrorInvalidValue;
    }
    bool number = attr >= cudaMemPoolAttrReleaseThreshold;
    uint64_t *at = &pool->attributes[attr];
    if (!set) {
        if (number) {
            *(uint64_t *)value = *at;
        } else {
            *(int *)value = (int)*at;
        }
        return cudaSuccess;
    }
    bool high = attr == cudaMemPoolAttrReservedMemHigh || attr == cudaMemPoolAttrUsedMemHigh;
    if (attr == cudaMemPoolAttrReservedMemCurrent || attr == cudaMemPoolAttrUsedMemCurrent)
        return cudaErrorInvalidValue;
    if (high && *(uint64_t *)value != 0) return cudaErrorInvalidValue;
    *at = high ? at[-1] : number ? *(uint64_t *)value : (uint64_t) * (int *)value;
    return cudaSuccess;
}

static cudaError_t with_pool(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value, bool set) {
    TOUCH_DEVICE();
    runtime_lock();
    cudaError_t error = handle_find(HANDLE_POOL, pool) ? pool_attribute(pool, attr, value, set) : cudaErrorInvalidValue;
    return runtime_leave(error);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    return with_pool(pool, attr, value, true);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    return with_pool(pool, attr, value, false);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t entries) {
    if (entries > 0 && !list) return runtime_result(cudaErrorInvalidValue);
    for (size_t i = 0; i < entries; i++) {
        if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0) {
            return runtime_result(cudaErrorInvalidDevice);
        }
    }
    return cudaMemPoolTrimTo(pool, 0);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location) {
    if (!flags || !location) return runtime_result(cudaErrorInvalidValue);
    *flags = location->type == cudaMemLocationTypeDevice && location->id == 0 ? cudaMemAccessFlagsProtReadWrite
                                                                              : cudaMemAccessFlagsProtNone;
    return cudaMemPoolTrimTo(pool, 0);
}

void pools_close(void) {
    while (allocations) {
        pool_allocation *a = allocations;
        allocations = a->next;
        free(a);
    }
    const void *key;
    cudaMemPool_t pool;
    while ((pool = handle_any(HANDLE_POOL, &key)) != NULL) {
        handle_remove(HANDLE_POOL, key);
        free(pool);
    }
    default_pool = current_pool = NULL;
}
