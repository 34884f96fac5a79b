/* Stream capture: which streams take part in which capture, and the graphs that come of it. */
#include <stdatomic.h>
#include <stdlib.h>

#include "cuda/stream.h"

static stream_state legacy_stream = {.id = 1, .legacy = true};
static _Thread_local stream_state thread_stream = {.id = 2, .per_thread = true};
static capture *captures;
static unsigned long long next_id = 3;
static _Atomic int capture_count; /* so that the common case takes no lock */
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

unsigned long long stream_next_id(void) {
    return next_id++;
}

capture *capture_by_id(unsigned long long id) {
    capture *c = id ? captures : NULL;
    while (c && c->id != id) c = c->next;
    return c;
}

stream_state *stream_state_of(cudaStream_t stream) {
    if (!stream || stream == cudaStreamLegacy) return &legacy_stream;
    if (stream == cudaStreamPerThread) return &thread_stream;
    return handle_find(HANDLE_STREAM, stream);
}

capture *capture_of(stream_state *s) {
    capture *c = capture_by_id(s->capture_id);
    if (!c && s->capture_id) {
        s->capture_id = 0;
        node_set_clear(&s->ends);
    }
    return c;
}

void capture_join(const stream_state *s, capture *c) {
    if (!(s->flags & cudaStreamNonBlocking)) c->blocking = true;
}

cudaError_t stream_valid(cudaStream_t stream) {
    runtime_lock();
    bool valid = stream_state_of(stream) != NULL;
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

cudaError_t capture_operation(stream_state *s, capture *c, operation *op) {
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
    node_set_clear(&s->ends);
    if (node_set_add(&s->ends, node)) return cudaSuccess;
    c->invalid = true;
    return cudaErrorMemoryAllocation;
}

void capture_end(capture *c) {
    capture **at = &captures;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    atomic_fetch_sub(&capture_count, 1);
    free(c);
}

static cudaError_t begin_capture(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
                                 enum cudaStreamCaptureMode mode) {
    stream_state *s = stream_state_of(stream);
    if (!s) return cudaErrorInvalidResourceHandle;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (s->legacy) return cudaErrorStreamCaptureUnsupported;
    if (capture_of(s)) return cudaErrorIllegalState;
    capture *c = calloc(1, sizeof(*c));
    const node_set ends = {(cudaGraphNode_t *)(uintptr_t)deps, count};
    cudaGraph_t into = graph ? graph : graph_new();
    if (!c || !into || !node_set_assign(&s->ends, &ends)) {
        if (!graph) graph_free(into);
        free(c);
        return cudaErrorMemoryAllocation;
    }
    *c = (capture){.id = next_id++,
                   .graph = into,
                   .graph_ours = !graph,
                   .mode = mode,
                   .thread = &thread_mode,
                   .origin = s,
                   .next = captures};
    captures = c;
    atomic_fetch_add(&capture_count, 1);
    s->capture_id = c->id;
    capture_join(s, c);
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
    runtime_lock();
    bool valid = handle_find(HANDLE_GRAPH, graph) && (count == 0 || deps);
    cudaError_t error = valid ? begin_capture(stream, graph, deps, count, mode) : cudaErrorInvalidValue;
    return runtime_leave(error);
}

static cudaError_t end_capture(cudaStream_t stream, cudaGraph_t *graph) {
    stream_state *s = stream_state_of(stream);
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
    node_set_clear(&s->ends);
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
    stream_state *s = stream_state_of(stream);
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
    if (flags > cudaStreamSetCaptureDependencies || (count > 0 && !deps)) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    stream_state *s = stream_state_of(stream);
    capture *c = s ? capture_of(s) : NULL;
    cudaError_t error = !s ? cudaErrorInvalidResourceHandle : !c ? cudaErrorIllegalState : cudaSuccess;
    if (!error && flags == cudaStreamSetCaptureDependencies) node_set_clear(&s->ends);
    for (size_t i = 0; !error && i < count; i++)
        if (!node_set_add(&s->ends, deps[i])) error = cudaErrorMemoryAllocation;
    return runtime_leave(error);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed) return runtime_result(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}

void captures_close(void) {
    while (captures) {
        if (captures->graph_ours) graph_free(captures->graph);
        capture_end(captures);
    }
    node_set_clear(&legacy_stream.ends);
    node_set_clear(&thread_stream.ends);
}
