/* Between streams, events and captures. Everything here but stream_wait_work wants the state's lock. */
#pragma once

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

/* ---- graph.c ---- */

void node_set_clear(node_set *set);
bool node_set_add(node_set *set, cudaGraphNode_t node);
bool node_set_assign(node_set *to, const node_set *from);

/* ---- capture.c ---- */

/* A stream's state by its handle; NULL if there is none. */
stream_state *stream_state_of(cudaStream_t stream);
unsigned long long stream_next_id(void);

/* NULL once it has ended. */
capture *capture_by_id(unsigned long long id);
/* The capture a stream takes part in; forgets one that has ended. */
capture *capture_of(stream_state *s);
/* A stream takes part in a capture. One that is non-blocking does not wait for the legacy stream. */
void capture_join(const stream_state *s, capture *c);
/* The operation becomes a node. Takes it over. */
cudaError_t capture_operation(stream_state *s, capture *c, operation *op);
/* Without its graph. */
void capture_end(capture *c);
void captures_close(void);

/* ---- stream.c ---- */

/* Work of this number is the stream's latest, or what it waits for. */
void stream_note(stream_state *s, uint64_t number);
/* Waits for work, and brings the kernels' output out. */
cudaError_t stream_wait_work(uint64_t number);
