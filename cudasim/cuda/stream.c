/* Streams, events and stream capture. All work is done in the order of the calls, which every set of streams permits,
 * and most of it at the call (cuda/queue.c). So streams only have to be told apart, and to remember what they
 * capture and the number of the work that is to be done before theirs. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/runtime.h"

typedef struct node_set {
    cudaGraphNode_t *nodes;
    size_t count;
} node_set;

typedef struct capture {
    unsigned long long id;
    cudaGraph_t graph;
    bool graph_ours; /* made by cudaStreamBeginCapture */
    bool invalid;
    bool blocking; /* a stream that takes part waits for the legacy one, or did */
    enum cudaStreamCaptureMode mode;
    const void *thread;
    struct stream_state *origin;
    struct capture *next;
} capture;

typedef struct stream_state {
    unsigned flags;
    int priority;
    unsigned long long id;
    bool legacy, per_thread;
    uint64_t newest;               /* work of the stream, or of an event that it waits for */
    unsigned long long capture_id; /* 0: not capturing */
    node_set ends;                 /* what the next node depends on */
    cudaStreamAttrValue attributes[20];
} stream_state;

struct CUevent_st {
    unsigned flags;
    bool recorded;
    uint64_t number; /* of the work that records it */
    double milliseconds;
    unsigned long long capture_id; /* of the capture that it was last recorded in */
    node_set ends;
};

static stream_state legacy_stream = {.id = 1, .legacy = true};
static _Thread_local stream_state thread_stream = {.id = 2, .per_thread = true};
static uint64_t newest_legacy, newest_blocking; /* work of the legacy stream, of all streams that wait for it */
static capture *captures;
static unsigned long long next_id = 3;
static _Atomic int capture_count; /* so that the common case takes no lock */
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

static void set_clear(node_set *set) {
    free(set->nodes);
    *set = (node_set){NULL, 0};
}

static bool set_add(node_set *set, cudaGraphNode_t node) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->nodes[i] == node) return true;
    }
    cudaGraphNode_t *nodes = realloc(set->nodes, (set->count + 1) * sizeof(*nodes));
    if (!nodes) return false;
    nodes[set->count++] = node;
    set->nodes = nodes;
    return true;
}

static void set_assign(node_set *to, const node_set *from) {
    set_clear(to);
    for (size_t i = 0; i < from->count; i++) set_add(to, from->nodes[i]);
}

static capture *capture_by_id(unsigned long long id) {
    capture *c = id ? captures : NULL;
    while (c && c->id != id) c = c->next;
    return c;
}

static stream_state *state_of(cudaStream_t stream) {
    if (!stream || stream == cudaStreamLegacy) return &legacy_stream;
    if (stream == cudaStreamPerThread) return &thread_stream;
    return handle_find(HANDLE_STREAM, stream);
}

/* The capture a stream takes part in; forgets one that has ended. */
static capture *capture_of(stream_state *s) {
    capture *c = capture_by_id(s->capture_id);
    if (!c && s->capture_id) {
        s->capture_id = 0;
        set_clear(&s->ends);
    }
    return c;
}

/* A stream takes part in a capture. One that is non-blocking does not wait for the legacy stream. */
static void join(const stream_state *s, capture *c) {
    if (!(s->flags & cudaStreamNonBlocking)) c->blocking = true;
}

cudaError_t stream_valid(cudaStream_t stream) {
    runtime_lock();
    bool valid = state_of(stream) != NULL;
    runtime_unlock();
    return valid ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t capture_forbids(void) {
    if (atomic_load(&capture_count) == 0 || thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    bool forbidden = false;
    runtime_lock();
    for (capture *c = captures; c; c = c->next) {
        bool own = c->thread == &thread_mode && c->mode != cudaStreamCaptureModeRelaxed;
        bool others = thread_mode == cudaStreamCaptureModeGlobal && c->mode == cudaStreamCaptureModeGlobal;
        if (own || others) {
            c->invalid = true;
            forbidden = true;
        }
    }
    runtime_unlock();
    return forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t capture_forbids_legacy(void) {
    if (atomic_load(&capture_count) == 0) return cudaSuccess;
    bool forbidden = false;
    runtime_lock();
    for (capture *c = captures; c; c = c->next) {
        if (c->blocking) {
            c->invalid = true;
            forbidden = true;
        }
    }
    runtime_unlock();
    return forbidden ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

static cudaError_t capture_operation(stream_state *s, capture *c, operation *op) {
    if (c->invalid) {
        operation_free(op);
        return cudaErrorStreamCaptureInvalidated;
    }
    cudaGraphNode_t node;
    cudaError_t error = graph_add(c->graph, s->ends.nodes, s->ends.count, op, &node);
    if (error) {
        c->invalid = true;
        return error;
    }
    set_clear(&s->ends);
    set_add(&s->ends, node);
    return cudaSuccess;
}

/* The number of the work that comes before the stream's next. */
static uint64_t stream_after(const stream_state *s) {
    if (s->legacy) return newest_blocking;
    const bool blocking = !(s->flags & cudaStreamNonBlocking);
    return blocking && newest_legacy > s->newest ? newest_legacy : s->newest;
}

static void raise_to(uint64_t *newest, uint64_t number) {
    if (number > *newest) *newest = number;
}

static void stream_note(stream_state *s, uint64_t number) {
    raise_to(&s->newest, number);
    if (s->legacy) raise_to(&newest_legacy, number);
    if (!(s->flags & cudaStreamNonBlocking)) raise_to(&newest_blocking, number);
}

/* The same of a handle; 0 where the stream is none. */
static uint64_t after_of(cudaStream_t stream) {
    runtime_lock();
    const stream_state *s = state_of(stream);
    const uint64_t after = s ? stream_after(s) : 0;
    runtime_unlock();
    return after;
}

void stream_wait_legacy(void) {
    queue_wait(after_of(cudaStreamLegacy));
}

cudaError_t stream_run(cudaStream_t stream, const operation *op) {
    const uint64_t after = after_of(stream);
    uint64_t number;
    if (operation_of_pageable(op)) queue_wait(after);
    cudaError_t error = queue_run(op, after, &number);
    runtime_lock();
    stream_state *s = number ? state_of(stream) : NULL;
    if (s) stream_note(s, number);
    runtime_unlock();
    return error;
}

cudaError_t stream_submit(cudaStream_t stream, operation *op) {
    runtime_lock();
    stream_state *s = state_of(stream);
    capture *c = s ? capture_of(s) : NULL;
    cudaError_t error = s ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (c) {
        error = capture_operation(s, c, op);
        runtime_unlock();
        return error;
    }
    if (s && s->legacy) error = capture_forbids_legacy();
    runtime_unlock();
    if (!error) error = stream_run(stream, op);
    operation_free(op);
    return error;
}

cudaError_t stream_check(cudaStream_t stream) {
    runtime_lock();
    stream_state *s = state_of(stream);
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
    s->id = next_id++;
    handle_add(HANDLE_STREAM, s, s);
    runtime_unlock();
    *stream = (cudaStream_t)(void *)s;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

static void capture_end(capture *c) {
    capture **at = &captures;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    atomic_fetch_sub(&capture_count, 1);
    free(c);
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
        set_clear(&s->ends);
        free(s);
    }
    return runtime_leave(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* Waits for work, and brings the kernels' output out. */
static cudaError_t wait_for(uint64_t number) {
    queue_wait(number);
    sim_printf_flush();
    return runtime_result(runtime_sticky());
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    TOUCH_DEVICE();
    cudaError_t error = stream_check(stream);
    return error ? runtime_result(error) : wait_for(after_of(stream));
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
        stream_state *s = state_of(stream);                                                                            \
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
    stream_state *s = state_of(stream);
    if (s) {
        s->attributes[id] = *value;
        if (id == cudaStreamAttributePriority) s->priority = value->priority;
    }
    return runtime_leave(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
    runtime_lock();
    stream_state *to = state_of(dst), *from = state_of(src);
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
    (void)length;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle) {
        return runtime_result(cudaErrorInvalidValue);
    }
    runtime_lock();
    const memory_allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
    bool managed = a && a->kind == MEMORY_MANAGED;
    return runtime_leave(managed ? stream_check(stream) : cudaErrorInvalidValue);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

bool event_valid(cudaEvent_t event) {
    runtime_lock();
    bool valid = handle_find(HANDLE_EVENT, event) != NULL;
    runtime_unlock();
    return valid;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void event_record_now(cudaEvent_t event) {
    runtime_lock();
    if (handle_find(HANDLE_EVENT, event)) event->milliseconds = now_ms();
    runtime_unlock();
}

void event_recorded(cudaEvent_t event, uint64_t number) {
    runtime_lock();
    if (handle_find(HANDLE_EVENT, event)) {
        event->recorded = true;
        event->number = number;
        event->capture_id = 0;
        set_clear(&event->ends);
    }
    runtime_unlock();
}

uint64_t event_number(cudaEvent_t event) {
    runtime_lock();
    const uint64_t number = handle_find(HANDLE_EVENT, event) ? event->number : 0;
    runtime_unlock();
    return number;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    TOUCH_DEVICE();
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    bool timed_interprocess = (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
    if (!event || (flags & ~known) || timed_interprocess) return runtime_result(cudaErrorInvalidValue);
    cudaEvent_t e = calloc(1, sizeof(*e));
    if (!e) return runtime_result(cudaErrorMemoryAllocation);
    e->flags = flags;
    runtime_lock();
    handle_add(HANDLE_EVENT, e, e);
    runtime_unlock();
    *event = e;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    TOUCH_DEVICE();
    runtime_lock();
    bool valid = handle_find(HANDLE_EVENT, event) != NULL;
    if (valid) {
        handle_remove(HANDLE_EVENT, event);
        set_clear(&event->ends);
        free(event);
    }
    return runtime_leave(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream, bool external) {
    stream_state *s = state_of(stream);
    if (!s || !handle_find(HANDLE_EVENT, event)) return cudaErrorInvalidResourceHandle;
    capture *c = capture_of(s);
    if (c && external) {
        operation op = {.type = cudaGraphNodeTypeEventRecord, .event = event};
        return capture_operation(s, c, &op);
    }
    if (c) {
        if (c->invalid) return cudaErrorStreamCaptureInvalidated;
        event->capture_id = c->id;
        set_assign(&event->ends, &s->ends);
        return cudaSuccess;
    }
    cudaError_t error = s->legacy ? capture_forbids_legacy() : cudaSuccess;
    operation op = {.type = cudaGraphNodeTypeEventRecord, .event = event};
    return error ? error : stream_run(stream, &op);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    TOUCH_DEVICE();
    if (flags & ~(unsigned)cudaEventRecordExternal) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    cudaError_t error = record(event, stream, flags & cudaEventRecordExternal);
    return runtime_leave(error);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

static cudaError_t query_event(cudaEvent_t event) {
    runtime_lock();
    cudaError_t error = cudaErrorInvalidResourceHandle;
    if (handle_find(HANDLE_EVENT, event)) {
        capture *c = capture_by_id(event->capture_id);
        if (c) c->invalid = true;
        /* Recorded in a capture that has ended, it is no event to wait for. */
        error = c ? cudaErrorCapturedEvent : event->capture_id ? cudaErrorInvalidValue : cudaSuccess;
    }
    runtime_unlock();
    return error;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    TOUCH_DEVICE();
    cudaError_t error = query_event(event);
    if (!error) error = capture_forbids();
    if (!error && !queue_done(event_number(event))) error = cudaErrorNotReady;
    return runtime_result(error ? error : runtime_sticky());
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    TOUCH_DEVICE();
    cudaError_t error = query_event(event);
    if (!error) error = capture_forbids();
    return error ? runtime_result(error) : wait_for(event_number(event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    TOUCH_DEVICE();
    if (!ms) return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = cudaErrorInvalidResourceHandle;
    runtime_lock();
    if (handle_find(HANDLE_EVENT, start) && handle_find(HANDLE_EVENT, end)) {
        bool timed = !((start->flags | end->flags) & cudaEventDisableTiming) && start->recorded && end->recorded;
        if (start->capture_id || end->capture_id) {
            error = cudaErrorCapturedEvent;
        } else if (timed && !(queue_done(start->number) && queue_done(end->number))) {
            error = cudaErrorNotReady;
        } else if (timed) {
            *ms = (float)(end->milliseconds - start->milliseconds);
            error = cudaSuccess;
        }
    }
    return runtime_leave(error);
}

static cudaError_t wait_event(stream_state *s, cudaEvent_t event, bool external) {
    capture *own = capture_of(s), *theirs = capture_by_id(event->capture_id);
    if (own && own->invalid) return cudaErrorStreamCaptureInvalidated;
    if (own && external) {
        operation op = {.type = cudaGraphNodeTypeWaitEvent, .event = event};
        return capture_operation(s, own, &op);
    }
    if (event->capture_id && !theirs) return cudaErrorCapturedEvent;
    if (!theirs) {
        /* Work outside of the capture cannot be a node's dependency; an event never recorded is none. */
        if (!own) stream_note(s, event->number);
        if (!own || !event->recorded) return cudaSuccess;
        own->invalid = true;
        return cudaErrorStreamCaptureIsolation;
    }
    if (s->legacy) {
        theirs->invalid = true;
        return cudaErrorStreamCaptureImplicit;
    }
    if (own && own != theirs) {
        own->invalid = theirs->invalid = true;
        return cudaErrorStreamCaptureMerge;
    }
    s->capture_id = theirs->id;
    join(s, theirs);
    for (size_t i = 0; i < event->ends.count; i++) set_add(&s->ends, event->ends.nodes[i]);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    TOUCH_DEVICE();
    if (flags & ~(unsigned)cudaEventWaitExternal) return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = cudaErrorInvalidResourceHandle;
    runtime_lock();
    stream_state *s = state_of(stream);
    if (s && handle_find(HANDLE_EVENT, event)) error = wait_event(s, event, flags & cudaEventWaitExternal);
    return runtime_leave(error);
}

/* ---- capture ----------------------------------------------------------------------------------------------------- */

static cudaError_t begin_capture(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
                                 enum cudaStreamCaptureMode mode) {
    stream_state *s = state_of(stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (s->legacy) return cudaErrorStreamCaptureUnsupported;
    if (capture_of(s)) return cudaErrorIllegalState;
    capture *c = calloc(1, sizeof(*c));
    if (!c) return cudaErrorMemoryAllocation;
    *c = (capture){.id = next_id++,
                   .graph = graph ? graph : graph_new(),
                   .graph_ours = !graph,
                   .mode = mode,
                   .thread = &thread_mode,
                   .origin = s,
                   .next = captures};
    captures = c;
    atomic_fetch_add(&capture_count, 1);
    s->capture_id = c->id;
    join(s, c);
    set_clear(&s->ends);
    for (size_t i = 0; i < count; i++) set_add(&s->ends, deps[i]);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    TOUCH_DEVICE();
    runtime_lock();
    cudaError_t error = begin_capture(stream, NULL, NULL, 0, mode);
    return runtime_leave(error);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode) {
    TOUCH_DEVICE();
    (void)edges;
    runtime_lock();
    bool valid = handle_find(HANDLE_GRAPH, graph) && (count == 0 || deps);
    cudaError_t error = valid ? begin_capture(stream, graph, deps, count, mode) : cudaErrorInvalidValue;
    return runtime_leave(error);
}

static cudaError_t end_capture(cudaStream_t stream, cudaGraph_t *graph) {
    stream_state *s = state_of(stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    capture *c = capture_of(s);
    if (!c) return cudaErrorIllegalState;
    cudaError_t error = cudaSuccess;
    if (c->origin != s) {
        c->invalid = true;
        return cudaErrorStreamCaptureUnmatched;
    }
    if (c->mode != cudaStreamCaptureModeRelaxed && c->thread != &thread_mode) {
        c->invalid = true;
        return cudaErrorStreamCaptureWrongThread;
    }
    if (c->invalid) {
        error = cudaErrorStreamCaptureInvalidated;
    } else if (c->graph_ours && !graph_joined(c->graph, s->ends.nodes, s->ends.count)) {
        error = cudaErrorStreamCaptureUnjoined;
    }
    if (!error) {
        *graph = c->graph;
    } else if (c->graph_ours) {
        graph_free(c->graph);
    }
    capture_end(c);
    s->capture_id = 0;
    set_clear(&s->ends);
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    TOUCH_DEVICE();
    if (!graph) return runtime_result(cudaErrorInvalidValue);
    *graph = NULL;
    runtime_lock();
    cudaError_t error = end_capture(stream, graph);
    return runtime_leave(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    return cudaStreamGetCaptureInfo(stream, status, NULL, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges,
                                     size_t *count) {
    TOUCH_DEVICE();
    if (!status) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    stream_state *s = state_of(stream);
    capture *c = s ? capture_of(s) : NULL;
    cudaError_t error = s ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (s && s->legacy) error = capture_forbids_legacy();
    *status = !c           ? cudaStreamCaptureStatusNone
              : c->invalid ? cudaStreamCaptureStatusInvalidated
                           : cudaStreamCaptureStatusActive;
    if (c && id) *id = c->id;
    if (c && graph) *graph = c->graph;
    if (c && deps) *deps = s->ends.nodes;
    if (edges) *edges = NULL;
    if (c && count) *count = s->ends.count;
    return runtime_leave(error);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                                const cudaGraphEdgeData *edges, size_t count, unsigned flags) {
    TOUCH_DEVICE();
    (void)edges;
    if (flags > cudaStreamSetCaptureDependencies || (count > 0 && !deps)) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    stream_state *s = state_of(stream);
    capture *c = s ? capture_of(s) : NULL;
    cudaError_t error = !s ? cudaErrorInvalidResourceHandle : !c ? cudaErrorIllegalState : cudaSuccess;
    if (!error && flags == cudaStreamSetCaptureDependencies) set_clear(&s->ends);
    for (size_t i = 0; !error && i < count; i++) set_add(&s->ends, deps[i]);
    return runtime_leave(error);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed) return runtime_result(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}

void streams_close(void) {
    while (captures) {
        if (captures->graph_ours) graph_free(captures->graph);
        capture_end(captures);
    }
    const void *key;
    stream_state *s;
    while ((s = handle_any(HANDLE_STREAM, &key)) != NULL) {
        handle_remove(HANDLE_STREAM, key);
        set_clear(&s->ends);
        free(s);
    }
    cudaEvent_t event;
    while ((event = handle_any(HANDLE_EVENT, &key)) != NULL) {
        handle_remove(HANDLE_EVENT, key);
        set_clear(&event->ends);
        free(event);
    }
    set_clear(&legacy_stream.ends);
    set_clear(&thread_stream.ends);
}
