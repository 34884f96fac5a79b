/* Streams. All work is done in the order of the calls, which every set of streams permits, and most of it at the call
 * (cuda/queue.c). So streams only have to be told apart, and to remember what they capture and the number of the work
 * that is to be done before theirs. */
#include <stdlib.h>
#include <string.h>

#include "cuda/stream.h"

static uint64_t newest_legacy, newest_blocking; /* work of the legacy stream, of all streams that wait for it */

/* The number of the work that comes before the stream's next. */
static uint64_t stream_after(const stream_state *s) {
    if (s->legacy) return newest_blocking;
    const bool blocking = !(s->flags & cudaStreamNonBlocking);
    return blocking && newest_legacy > s->newest ? newest_legacy : s->newest;
}

static void raise_to(uint64_t *newest, uint64_t number) {
    if (number > *newest) *newest = number;
}

void stream_note(stream_state *s, uint64_t number) {
    raise_to(&s->newest, number);
    if (s->legacy) raise_to(&newest_legacy, number);
    if (!(s->flags & cudaStreamNonBlocking)) raise_to(&newest_blocking, number);
}

/* The same of a handle; 0 where the stream is none. */
static uint64_t after_of(cudaStream_t stream) {
    runtime_lock();
    const stream_state *s = stream_state_of(stream);
    const uint64_t after = s ? stream_after(s) : 0;
    runtime_unlock();
    return after;
}

void stream_wait_legacy(void) {
    queue_wait(after_of(cudaStreamLegacy));
}

/* Work of this number, if any, has been put in the queue for the stream. */
static void note(cudaStream_t stream, uint64_t number) {
    if (number == 0) return;
    runtime_lock();
    stream_state *s = stream_state_of(stream);
    if (s) stream_note(s, number);
    runtime_unlock();
}

cudaError_t stream_run(cudaStream_t stream, const operation *op) {
    const uint64_t after = after_of(stream);
    uint64_t number;
    if (operation_of_pageable(op)) queue_wait(after);
    cudaError_t error = queue_run(op, after, &number);
    note(stream, number);
    return error;
}

/* Adds the operation to the graph that the stream is capturing, if it is, and takes it over then. */
static cudaError_t submit(cudaStream_t stream, operation *op, bool *captured) {
    runtime_lock();
    stream_state *s = stream_state_of(stream);
    capture *c = s ? capture_of(s) : NULL;
    cudaError_t error = s ? cudaSuccess : cudaErrorInvalidResourceHandle;
    *captured = c != NULL;
    if (c)
        error = capture_operation(s, c, op);
    else if (s && s->legacy)
        error = capture_forbids_legacy();
    runtime_unlock();
    return error;
}

cudaError_t stream_submit(cudaStream_t stream, operation *op) {
    bool captured;
    cudaError_t error = submit(stream, op, &captured);
    if (captured) return error;
    if (!error) error = stream_run(stream, op);
    operation_free(op);
    return error;
}

cudaError_t stream_begin(cudaStream_t stream, operation *op, launching *l) {
    bool captured;
    *l = (launching){.stream = stream};
    cudaError_t error = submit(stream, op, &captured);
    if (captured) return error;
    if (!error) error = queue_begin(op, after_of(stream), l);
    if (l->running == NULL) note(stream, l->number);
    operation_free(op);
    return error;
}

cudaError_t stream_end(launching *l) {
    cudaError_t error = queue_end(l);
    note(l->stream, l->number);
    return error;
}

cudaError_t stream_check(cudaStream_t stream) {
    runtime_lock();
    stream_state *s = stream_state_of(stream);
    capture *c = s ? capture_of(s) : NULL;
    cudaError_t error = s ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (c) {
        c->invalid = true;
        error = cudaErrorStreamCaptureUnsupported;
    } else if (s && s->legacy) {
        error = capture_forbids_legacy();
    }
    runtime_unlock();
    return error;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    TOUCH_DEVICE();
    if (!stream || (flags & ~(unsigned)cudaStreamNonBlocking)) return runtime_result(cudaErrorInvalidValue);
    stream_state *s = calloc(1, sizeof(*s));
    if (!s) return runtime_result(cudaErrorMemoryAllocation);
    s->flags = flags;
    s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    s->attributes[cudaLaunchAttributePriority].priority = s->priority;
    runtime_lock();
    s->id = stream_next_id();
    const bool added = handle_add(HANDLE_STREAM, s, s);
    runtime_unlock();
    if (!added) {
        free(s);
        return runtime_result(cudaErrorMemoryAllocation);
    }
    *stream = (cudaStream_t)(void *)s;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    TOUCH_DEVICE();
    runtime_lock();
    stream_state *s = handle_find(HANDLE_STREAM, stream);
    if (s) {
        capture *c = capture_of(s);
        if (c && c->origin == s) {
            if (c->graph_ours) graph_free(c->graph);
            capture_end(c);
        } else if (c) {
            c->invalid = true;
        }
        handle_remove(HANDLE_STREAM, stream);
        node_set_clear(&s->ends);
        free(s);
    }
    return runtime_leave(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t stream_wait_work(uint64_t number) {
    queue_wait(number);
    sim_printf_flush();
    return runtime_result(runtime_sticky());
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    TOUCH_DEVICE();
    cudaError_t error = stream_check(stream);
    return error ? runtime_result(error) : stream_wait_work(after_of(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    TOUCH_DEVICE();
    cudaError_t error = stream_check(stream);
    if (!error && !queue_done(after_of(stream))) error = cudaErrorNotReady;
    return runtime_result(error ? error : runtime_sticky());
}

/* Reads a stream's state: `field` of it into *out. */
#define STREAM_GETTER(stream, out, value)                                                                              \
    do {                                                                                                               \
        if (!(out)) return runtime_result(cudaErrorInvalidValue);                                                      \
        runtime_lock();                                                                                                \
        stream_state *s = stream_state_of(stream);                                                                     \
        if (s) *(out) = (value);                                                                                       \
        runtime_unlock();                                                                                              \
        return runtime_result(s ? cudaSuccess : cudaErrorInvalidResourceHandle);                                       \
    } while (0)

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    STREAM_GETTER(stream, priority, s->priority);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    STREAM_GETTER(stream, flags, s->flags);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    STREAM_GETTER(stream, id, s->id);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    STREAM_GETTER(stream, device, 0);
}

static bool known_attribute(cudaStreamAttrID id) {
    return id == cudaStreamAttributeAccessPolicyWindow || id == cudaStreamAttributeSynchronizationPolicy ||
           id == cudaStreamAttributePriority || id == cudaStreamAttributeMemSyncDomainMap ||
           id == cudaStreamAttributeMemSyncDomain;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id, cudaStreamAttrValue *value) {
    if (!known_attribute(id)) return runtime_result(cudaErrorInvalidValue);
    STREAM_GETTER(stream, value, s->attributes[id]);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id, const cudaStreamAttrValue *value) {
    if (!value || !known_attribute(id)) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    stream_state *s = stream_state_of(stream);
    if (s) {
        s->attributes[id] = *value;
        if (id == cudaStreamAttributePriority) s->priority = value->priority;
    }
    return runtime_leave(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
    runtime_lock();
    stream_state *to = stream_state_of(dst), *from = stream_state_of(src);
    if (to && from) memmove(to->attributes, from->attributes, sizeof(to->attributes));
    return runtime_leave(to && from ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned flags) {
    if (!function || flags != 0) return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = stream_check(stream);
    operation op = {.type = cudaGraphNodeTypeHost, .host = {.callback = function, .stream = stream, .data = data}};
    if (!error) error = stream_run(stream, &op);
    return runtime_result(error ? error : runtime_sticky());
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length, unsigned flags) {
    TOUCH_DEVICE();
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle) {
        return runtime_result(cudaErrorInvalidValue);
    }
    runtime_lock();
    const memory_allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    bool managed = a && a->kind == MEMORY_MANAGED;
    return runtime_leave(managed ? stream_check(stream) : cudaErrorInvalidValue);
}

void streams_close(void) {
    captures_close();
    const void *key;
    stream_state *s;
    while ((s = handle_any(HANDLE_STREAM, &key)) != NULL) {
        handle_remove(HANDLE_STREAM, key);
        node_set_clear(&s->ends);
        free(s);
    }
}
