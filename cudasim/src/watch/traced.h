/* What a trace keeps of a launch until it is written down: slices of a warp's track, and spans of what is in flight.
 *
 * Their time is an order. Each warp has a clock that goes on by 1 with every instruction it executes; where a warp
 * waits for others (a barrier, a phase of an mbarrier, a wgmma that takes four warps), it goes on no sooner than the
 * last of them has come. So what must come before something else has the smaller number, whichever warp the simulator
 * ran first, and what runs side by side stands side by side. Copies and wgmmas take no instruction: they are in flight
 * until somebody waits for them. */
#pragma once

#include "machine/observe.h"

/* What an instruction, or one after the other of the kind, keeps busy. */
typedef enum trace_pipe {
#define PIPE(id, name) PIPE_##id,
#include "watch/pipes.def"
#undef PIPE
    PIPE_COUNT
} trace_pipe;

typedef enum wait_kind { WAIT_NOTHING, WAIT_BARRIER, WAIT_CLUSTER, WAIT_MBARRIER, WAIT_WARPGROUP } wait_kind;

/* Bytes of the block's shared memory from `low` to before `high`; low >= high: none. */
typedef struct shared_range {
    uint32_t low, high;
} shared_range;
#define RANGE_NONE ((shared_range){UINT32_MAX, 0})

/* Instructions of one warp and pipe, one after the other; or a wait. */
typedef struct slice {
    uint64_t begin, end;
    int64_t warps, threads; /* executed; a wait: 0 */
    const function *f;      /* of the first instruction, and of the last; a wait: that waits */
    const function *last_f;
    uint32_t pc, last_pc;
    uint32_t warp, id;   /* id: the barrier's number, the mbarrier's offset */
    shared_range shared; /* that these instructions read or write */
    uint8_t pipe, wait;
} slice;

/* Copies by cp.async until the warp's commit, one bulk copy, or the wgmmas of a warpgroup until its commit. */
typedef enum span_kind { SPAN_CP_ASYNC, SPAN_LOAD, SPAN_STORE, SPAN_WGMMA } span_kind;
typedef struct span {
    span_kind kind;
    bool open, closed_to_more; /* in flight; nothing is added any more */
    uint64_t begin, issued, end;
    uint64_t serial; /* of a bulk copy; of a wgmma: the number of its first operation */
    const function *f;
    uint32_t pc, warp, count, done; /* count: instructions, of cp.async lanes' copies; done: of them */
    uint64_t bytes;
    uint32_t mbarrier;       /* a bulk load's, */
    uint32_t phase;          /* and which of its phases the bytes were for, once they have landed */
    shared_range to, from;   /* a copy's two sides in shared memory; a wgmma's B and A */
    bool tensor, incomplete; /* by a tensor map; still in flight when the block or the trace ended */
} span;

typedef struct traced_warp {
    uint64_t clock;         /* when its next instruction begins */
    uint64_t end;           /* of the latest one's */
    bool pending;           /* it is under way, from end - 1 on, or waits: */
    slice instruction;      /* it alone */
    slice open;             /* the latest slice, to which others may be added; warps 0: none */
    wait_kind wait;         /* what the clock was last put forward for */
    uint32_t wait_id;       /* its barrier or mbarrier */
    uint32_t wgmmas, group; /* it has issued, and committed */
    int slices;             /* of it so far */
    bool cut;               /* it is not traced any more; its clock is then beyond all others */
    uint32_t tid[3];        /* of its first thread */
} traced_warp;

typedef struct meeting_clock {
    uint32_t offset, phase;
    uint64_t coming, met; /* of the phase under way, the latest of those that have come; of the one before */
} meeting_clock;

typedef struct traced_warpgroup {
    uint32_t known, done; /* operations issued by the first warp to come; done */
    uint32_t group;       /* that warp's commits at the latest of them */
} traced_warpgroup;

typedef struct traced_block {
    struct traced_launch *launch;
    uint32_t ctaid[3];
    bool begun;
    uint64_t until; /* what begins then or later is left out: a warp had too many slices; UINT64_MAX: nothing is */
    traced_warp *warps;
    traced_warpgroup *warpgroups;
    int warp_count;
    slice *slices;
    int slice_count, slice_room;
    span *spans;
    int span_count, span_room, oldest_open;
    uint64_t barriers[BARRIERS]; /* the latest that has come */
    meeting_clock cluster;       /* of the cluster's first block */
    meeting_clock *mbarriers;
    int mbarrier_count, mbarrier_room;
} traced_block;

typedef struct traced_launch {
    const char *what, *problem, *name; /* the variant and its problem; the kernel */
    uint64_t traced;                   /* blocks, the first of the grid */
    uint64_t begin;                    /* where the clocks start */
    traced_block list[];
} traced_launch;

/* The launch under way, one at a time; NULL: it is not traced. */
extern traced_launch *traced_now;

/* The block's part of the trace, or NULL. */
traced_block *traced(const block *b);

/* The mbarrier at this offset of its shared memory; made where there was none. */
meeting_clock *traced_mbarrier(traced_block *t, uint32_t offset);

/* The warp goes on no sooner than at that time. */
void wait_until(traced_warp *w, uint64_t time, wait_kind wait, uint32_t id);

void range_widen(shared_range *r, uint64_t low, uint64_t high);

static inline uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* `items` with room for one more; *room is how many it has. */
void *traced_grow(void *items, int count, int *room, size_t size);

/* The host has no memory for it: ends the process. */
_Noreturn void trace_no_memory(void);
