/* Operations: copies, fills and host functions, checked when they are made, run now or as nodes of a graph; what a
 * kernel leaves behind. Kernels are in cuda/kernel.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/check.h"
#include "cuda/stream.h"

cudaError_t operation_error(sim_status status) {
    /* Past a thread's stack there is no memory; cudaErrorHardwareStackError does not come. */
    static const cudaError_t errors[] = {[SIM_OK] = cudaSuccess,
                                         [SIM_ILLEGAL_ADDRESS] = cudaErrorIllegalAddress,
                                         [SIM_MISALIGNED_ADDRESS] = cudaErrorMisalignedAddress,
                                         [SIM_INVALID_ADDRESS_SPACE] = cudaErrorInvalidAddressSpace,
                                         [SIM_INVALID_PC] = cudaErrorInvalidPc,
                                         [SIM_ILLEGAL_INSTRUCTION] = cudaErrorIllegalInstruction,
                                         [SIM_STACK_ERROR] = cudaErrorIllegalAddress,
                                         [SIM_TRAP] = cudaErrorLaunchFailure,
                                         [SIM_LAUNCH_FAILURE] = cudaErrorLaunchFailure,
                                         [SIM_ASSERT] = cudaErrorAssert,
                                         [SIM_TIMEOUT] = cudaErrorLaunchTimeout,
                                         [SIM_NO_MEMORY] = cudaErrorMemoryAllocation,
                                         [SIM_UNSUPPORTED] = cudaErrorNotSupported};
    return errors[status];
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

typedef enum side { SIDE_HOST, SIDE_DEVICE, SIDE_BOTH, SIDE_BAD } side;

/* Whose memory [address, address + size) is. */
static side side_of(uint64_t address, uint64_t size) {
    if (address == 0) return SIDE_BAD;
    const memory_allocation *a = memory_find(address);
    if (!a) return memory_in_arena(address) ? SIDE_BAD : SIDE_HOST;
    bool inside = size <= a->size - (address - a->base);
    if (a->kind == MEMORY_HOST) {
        /* Registered memory lies among the program's own, and a copy may begin in it and end outside. */
        return inside ? SIDE_BOTH : memory_in_arena(address) ? SIDE_BAD : SIDE_HOST;
    }
    if (!inside) return SIDE_BAD;
    return a->kind == MEMORY_MANAGED ? SIDE_BOTH : SIDE_DEVICE;
}

static bool fits(side s, bool device) {
    return s == SIDE_BOTH || s == (device ? SIDE_DEVICE : SIDE_HOST);
}

/* Bytes from the first to the last of `depth` slices of `slice_rows` rows, `pitch` bytes apart; false where no memory
 * is that large. */
static bool region_bytes(size_t pitch, size_t slice_rows, size_t width, size_t height, size_t depth, uint64_t *bytes) {
    uint64_t rows;
    return !__builtin_mul_overflow(depth - 1, slice_rows, &rows) && !__builtin_add_overflow(rows, height - 1, &rows) &&
           !__builtin_mul_overflow(rows, pitch, bytes) && !__builtin_add_overflow(*bytes, width, bytes);
}

static uint8_t *region_start(const struct cudaPitchedPtr *p, const struct cudaPos *pos) {
    return (uint8_t *)p->ptr + (pos->z * p->ysize + pos->y) * p->pitch + pos->x;
}

static bool empty(const struct cudaExtent *e) {
    return e->width == 0 || e->height == 0 || e->depth == 0;
}

/* Whose memory one end of a copy is: its rows must lie within the pitch, and its slices within their rows. */
static side side_of_region(const struct cudaPitchedPtr *p, const struct cudaPos *pos, const struct cudaExtent *e) {
    uint64_t bytes;
    bool one_row = e->height == 1 && e->depth == 1 && pos->y == 0 && pos->z == 0;
    bool one_slice = e->depth == 1 && pos->z == 0;
    if (!(one_row && p->pitch == 0) && (pos->x > p->pitch || e->width > p->pitch - pos->x)) return SIDE_BAD;
    if (!one_slice && (pos->y > p->ysize || e->height > p->ysize - pos->y)) return SIDE_BAD;
    if (!region_bytes(p->pitch, p->ysize, e->width, e->height, e->depth, &bytes)) return SIDE_BAD;
    return side_of((uint64_t)(uintptr_t)region_start(p, pos), bytes);
}

static cudaError_t check_copy(const struct cudaMemcpy3DParms *p) {
    if ((unsigned)p->kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (p->srcArray || p->dstArray) return runtime_refuse("copying CUDA arrays");
    if (empty(&p->extent)) return cudaSuccess;
    if (!p->srcPtr.ptr || !p->dstPtr.ptr) return cudaErrorInvalidValue;
    side to = side_of_region(&p->dstPtr, &p->dstPos, &p->extent);
    side from = side_of_region(&p->srcPtr, &p->srcPos, &p->extent);
    if (to == SIDE_BAD || from == SIDE_BAD) return cudaErrorInvalidValue;
    /* A copy from host to host takes device pointers too, as on a GPU. */
    if (p->kind == cudaMemcpyDefault || p->kind == cudaMemcpyHostToHost) return cudaSuccess;
    bool to_device = p->kind == cudaMemcpyHostToDevice || p->kind == cudaMemcpyDeviceToDevice;
    bool from_device = p->kind == cudaMemcpyDeviceToHost || p->kind == cudaMemcpyDeviceToDevice;
    return fits(to, to_device) && fits(from, from_device) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t operation_copy(operation *op, const struct cudaMemcpy3DParms *params) {
    *op = (operation){.type = cudaGraphNodeTypeMemcpy};
    op->copy.params = *params;
    runtime_lock(); /* allocations stay while they are looked at */
    cudaError_t error = check_copy(params);
    runtime_unlock();
    return error;
}

cudaError_t operation_copy_1d(operation *op, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)src, count, count, 1},
                                  .dstPtr = {dst, count, count, 1},
                                  .extent = {count, 1, 1},
                                  .kind = kind};
    return operation_copy(op, &p);
}

/* Whether one end of a copy, or what is filled, is not the device's, or pageable. */
static bool touches(const operation *op, bool (*is)(side s)) {
    const struct cudaMemcpy3DParms *p = &op->copy.params;
    const bool copies = op->type == cudaGraphNodeTypeMemcpy;
    if (!copies && op->type != cudaGraphNodeTypeMemset) return false;
    if (copies && empty(&p->extent)) return false;
    runtime_lock();
    const bool yes = copies ? is(side_of_region(&p->dstPtr, &p->dstPos, &p->extent)) ||
                                  is(side_of_region(&p->srcPtr, &p->srcPos, &p->extent))
                            : is(side_of((uint64_t)(uintptr_t)op->set.params.dst, 1));
    runtime_unlock();
    return yes;
}

static bool is_of_host(side s) {
    return s != SIDE_DEVICE;
}
static bool is_pageable(side s) {
    return s == SIDE_HOST;
}

bool operation_of_host(const operation *op) {
    return touches(op, is_of_host);
}
bool operation_of_pageable(const operation *op) {
    return touches(op, is_pageable);
}

static void run_copy(const struct cudaMemcpy3DParms *p) {
    if (empty(&p->extent)) return;
    runtime_lock();
    const bool to_host = side_of_region(&p->dstPtr, &p->dstPos, &p->extent) != SIDE_DEVICE;
    runtime_unlock();
    uint8_t *to = region_start(&p->dstPtr, &p->dstPos);
    const uint8_t *from = region_start(&p->srcPtr, &p->srcPos);
    for (size_t z = 0; z < p->extent.depth; z++) {
        for (size_t y = 0; y < p->extent.height; y++) {
            if (to_host) checks_host_copy(from + (z * p->srcPtr.ysize + y) * p->srcPtr.pitch, p->extent.width);
            memory_written((uint64_t)(uintptr_t)(to + (z * p->dstPtr.ysize + y) * p->dstPtr.pitch), p->extent.width);
            memmove(to + (z * p->dstPtr.ysize + y) * p->dstPtr.pitch,
                    from + (z * p->srcPtr.ysize + y) * p->srcPtr.pitch, p->extent.width);
        }
    }
}

/* ---- fills ------------------------------------------------------------------------------------------------------- */

static cudaError_t check_set(const operation *op) {
    const struct cudaMemsetParams *p = &op->set.params;
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) return cudaErrorInvalidValue;
    if (p->width == 0 || p->height == 0 || op->set.depth == 0) return cudaSuccess;
    uint64_t row;
    if (__builtin_mul_overflow(p->width, p->elementSize, &row)) return cudaErrorInvalidValue;
    if ((p->height > 1 || op->set.depth > 1) && p->pitch < row) return cudaErrorInvalidValue;
    uint64_t bytes;
    if (!region_bytes(p->pitch, op->set.slice_rows, row, p->height, op->set.depth, &bytes))
        return cudaErrorInvalidValue;
    uint64_t address = (uint64_t)(uintptr_t)p->dst;
    if (address % p->elementSize) return cudaErrorInvalidValue;
    return fits(side_of(address, bytes), true) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t finish_set(operation *op) {
    runtime_lock();
    cudaError_t error = check_set(op);
    runtime_unlock();
    return error;
}

cudaError_t operation_set(operation *op, const struct cudaMemsetParams *params) {
    *op = (operation){.type = cudaGraphNodeTypeMemset};
    op->set.params = *params;
    op->set.depth = 1;
    return finish_set(op);
}

cudaError_t operation_set_3d(operation *op, struct cudaPitchedPtr to, int value, struct cudaExtent extent) {
    *op = (operation){.type = cudaGraphNodeTypeMemset};
    op->set.params = (struct cudaMemsetParams){.dst = to.ptr,
                                               .pitch = to.pitch,
                                               .value = (unsigned char)value,
                                               .elementSize = 1,
                                               .width = extent.width,
                                               .height = extent.height};
    op->set.depth = extent.depth;
    op->set.slice_rows = to.ysize;
    return finish_set(op);
}

static void fill_row(uint8_t *row, size_t count, unsigned size, unsigned value) {
    memory_written((uint64_t)(uintptr_t)row, count * size);
    if (size == 1) {
        memset(row, (int)value, count);
    } else if (size == 2) {
        for (size_t i = 0; i < count; i++) ((uint16_t *)(void *)row)[i] = (uint16_t)value;
    } else {
        for (size_t i = 0; i < count; i++) ((uint32_t *)(void *)row)[i] = value;
    }
}

static void run_set(const operation *op) {
    const struct cudaMemsetParams *p = &op->set.params;
    if (p->width == 0) return;
    for (size_t z = 0; z < op->set.depth; z++) {
        for (size_t y = 0; y < p->height; y++) {
            uint8_t *row = (uint8_t *)p->dst + (z * op->set.slice_rows + y) * p->pitch;
            fill_row(row, p->width, p->elementSize, p->value);
        }
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Memory that was there when a copy or a fill was made part of a graph may have gone: as where a GPU's copy engine
 * meets it, what comes after the launch tells. */
static bool still_there(const operation *op) {
    runtime_lock();
    const bool copies = op->type == cudaGraphNodeTypeMemcpy;
    const bool there = (copies ? check_copy(&op->copy.params) : check_set(op)) == cudaSuccess;
    runtime_unlock();
    if (there) return true;
    if (copies)
        fprintf(stderr,
                "cudasim: illegal address in a copy from %p to %p: memory has been freed since it was asked for\n",
                op->copy.params.srcPtr.ptr, op->copy.params.dstPtr.ptr);
    else
        fprintf(stderr, "cudasim: illegal address in a memset at %p: memory has been freed since it was asked for\n",
                op->set.params.dst);
    runtime_set_sticky(cudaErrorIllegalAddress);
    return false;
}

bool event_valid(cudaEvent_t event) {
    runtime_lock();
    bool valid = handle_find(HANDLE_EVENT, event) != NULL;
    runtime_unlock();
    return valid;
}

void event_recorded(cudaEvent_t event, uint64_t number) {
    runtime_lock();
    if (handle_find(HANDLE_EVENT, event)) {
        event->recorded = true;
        event->number = number;
        event->capture_id = 0;
        node_set_clear(&event->ends);
    }
    runtime_unlock();
}

uint64_t event_number(cudaEvent_t event) {
    runtime_lock();
    const uint64_t number = handle_find(HANDLE_EVENT, event) ? event->number : 0;
    runtime_unlock();
    return number;
}

/* The time at which an event is reached: milliseconds of a clock that only goes on. */
static void record_event(cudaEvent_t event) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    runtime_lock();
    if (handle_find(HANDLE_EVENT, event)) event->milliseconds = (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
    runtime_unlock();
}

cudaError_t operation_run(const operation *op) {
    if (op->type == cudaGraphNodeTypeHost && op->host.callback) {
        op->host.callback(op->host.stream, runtime_sticky(), op->host.data);
        return cudaSuccess;
    }
    if (runtime_sticky()) return runtime_sticky();
    switch (op->type) {
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeMemset:
        if (!still_there(op)) break;
        memory_access_begin();
        if (op->type == cudaGraphNodeTypeMemcpy)
            run_copy(&op->copy.params);
        else
            run_set(op);
        memory_access_end();
        break;
    case cudaGraphNodeTypeHost:
        op->host.function(op->host.data);
        break;
    case cudaGraphNodeTypeEventRecord:
        record_event(op->event);
        break;
    default:
        break;
    }
    return cudaSuccess;
}
