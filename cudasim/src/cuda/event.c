/* Events: when they were recorded, and what programs do with them. */
#include <stdlib.h>

#include "cuda/stream.h"

/* ---- the calls --------------------------------------------------------------------------------------------------- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    TOUCH_DEVICE();
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    bool timed_interprocess = (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
    if (!event || (flags & ~known) || timed_interprocess) return runtime_result(cudaErrorInvalidValue);
    cudaEvent_t e = calloc(1, sizeof(*e));
    if (!e) return runtime_result(cudaErrorMemoryAllocation);
    e->flags = flags;
    runtime_lock();
    const bool added = handle_add(HANDLE_EVENT, e, e);
    runtime_unlock();
    if (!added) {
        free(e);
        return runtime_result(cudaErrorMemoryAllocation);
    }
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
        node_set_clear(&event->ends);
        free(event);
    }
    return runtime_leave(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream, bool external) {
    stream_state *s = stream_state_of(stream);
    if (!s || !handle_find(HANDLE_EVENT, event)) return cudaErrorInvalidResourceHandle;
    capture *c = capture_of(s);
    if (c && external) {
        operation op = {.type = cudaGraphNodeTypeEventRecord, .event = event};
        return capture_operation(s, c, &op);
    }
    if (c) {
        if (c->invalid) return cudaErrorStreamCaptureInvalidated;
        event->capture_id = c->id;
        return node_set_assign(&event->ends, &s->ends) ? cudaSuccess : cudaErrorMemoryAllocation;
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
    return error ? runtime_result(error) : stream_wait_work(event_number(event));
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
    capture_join(s, theirs);
    for (size_t i = 0; i < event->ends.count; i++) {
        if (node_set_add(&s->ends, event->ends.nodes[i])) continue;
        theirs->invalid = true;
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    TOUCH_DEVICE();
    if (flags & ~(unsigned)cudaEventWaitExternal) return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = cudaErrorInvalidResourceHandle;
    runtime_lock();
    stream_state *s = stream_state_of(stream);
    if (s && handle_find(HANDLE_EVENT, event)) error = wait_event(s, event, flags & cudaEventWaitExternal);
    return runtime_leave(error);
}

void events_close(void) {
    const void *key;
    cudaEvent_t event;
    while ((event = handle_any(HANDLE_EVENT, &key)) != NULL) {
        handle_remove(HANDLE_EVENT, key);
        node_set_clear(&event->ends);
        free(event);
    }
}
