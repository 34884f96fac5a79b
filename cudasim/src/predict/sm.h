/* The SM's state, for replay.c and load_store.c. */
#pragma once

#include "predict/cache.h"
#include "predict/constants.h"
#include "predict/lanes.h"
#include "predict/replay.h"

enum { SCHEDULERS = 4, MOST_WARPS = 64, MOST_BLOCKS = 32, GROUPS = 64, QUEUE_ROOM = 16, WARPGROUP = 4 };
enum { COPIES_ROOM = 32, PRODUCTS_ROOM = 32, EVENTS_ROOM = 128 };

typedef struct copy_group {
    uint64_t begun; /* of the ring, with this group */
    double done;    /* < 0: not all have been taken up */
    double issued;  /* for a trace, of LDGSTS, as what follows: a part of shared memory */
    unsigned low, high;
} copy_group;

/* What a warp has begun and does not wait for, in groups that it can wait for. */
typedef struct group_ring {
    uint64_t begun, taken; /* so many; of these it is known when they are done */
    double done;           /* the last one of these */
    copy_group groups[GROUPS];
    unsigned first, count;
} group_ring;
enum { RING_COPIES /* LDGSTS */, RING_PRODUCTS /* wgmma */, RING_STORES /* of TMA */, RINGS };

/* An mbarrier: its phase ends when all have arrived and all bytes have come. */
typedef struct mbarrier {
    unsigned offset; /* in shared memory */
    int expected, missing;
    int64_t bytes;
    unsigned phase; /* so many have ended */
} mbarrier;

/* What comes to an mbarrier. */
typedef struct event {
    double time;
    int place;
    unsigned offset;
    int arrivals;
    int64_t bytes;
} event;

typedef struct product {
    int warp, wave; /* the warpgroup's first; of which block, as below */
    const sass_insn *insn;
    double time; /* from when on it can begin */
    unsigned b;  /* where B lies in shared memory */
} product;

typedef struct copy_line {
    uint64_t line;
    uint8_t sectors;
} copy_line;

/* Instructions of a kind, one after the other; the part of shared memory that they touch. */
typedef struct slice {
    const char *name; /* NULL: none */
    double begin, end;
    unsigned low, high;
} slice;

/* A copy of TMA. */
typedef struct tma_copy {
    int warp, wave, place, blocks; /* blocks that get it */
    bool is_store;
    unsigned offset, barrier; /* in shared memory */
    int64_t bytes;
    double time, done;
    copy_line *lines;
    int room, count, next;
} tma_copy;

/* What a memory instruction asks of the load/store unit. */
typedef struct request {
    int warp, wave; /* of which block, as below */
    const sass_insn *insn;
    double time; /* from when on it can be taken up */
    int clocks;  /* for which it holds the unit */
    int lines;   /* of global memory */
    uint64_t line[LANES];
    uint8_t sectors[LANES];
} request;

typedef struct sm_warp {
    lane_warp *lanes;
    const sass_insn *insn; /* the next one */
    group_ring *rings;
    int block;  /* -1: none */
    int wave;   /* its block is the scheduler's so many-th in this place */
    bool waits; /* at a barrier */
    int barrier;
    double next;                   /* from when on it can issue */
    int pending[SASS_SCOREBOARDS]; /* instructions that the load/store unit has yet to take up */
    double ready[SASS_SCOREBOARDS];
    uint8_t waits_for[SASS_SCOREBOARDS]; /* WAIT_: on what sets it */
    double returned;                     /* when the last load's words came: they come in order */
    mbarrier *awaits;                    /* its phase's end; NULL: none */
    unsigned parity;
    int board;    /* that tells of it */
    double since; /* when it began to wait at a barrier */
    slice slice;  /* for a trace, as what follows */
    double copies_issued;
    unsigned copies_low, copies_high; /* of the group to come */
} sm_warp;

typedef struct sm_block {
    lane_block block;
    int warps; /* that have not ended; 0: the place is free */
    int arrived[BARRIERS];
    mbarrier words[MBARRIER_WORDS];
    int word_count;
    bool passed;          /* a barrier */
    double since[SHARES]; /* its last barrier */
} sm_block;

typedef struct scheduler {
    request queue[QUEUE_ROOM];
    int first, count;
    double address_free, dispatch_free, debt;
    double asleep; /* no warp of its can issue until then, if nothing happens that wakes it */
    double pipe_free[SASS_PIPES], bank_free[2];
    int last;    /* the warp that issued last */
    int kept_by; /* whose operands are kept, and which registers by place; -1: none */
    int16_t kept[3];
} scheduler;

/* Bank conflicts of an instruction are those of its last execution where the lanes' addresses differ alike. */
typedef struct memo {
    bool known;
    uint32_t mask, copying;
    int32_t apart[LANES], target_apart[LANES];
    unsigned low;
    int clocks;
} memo;

typedef struct sm {
    const replay_spec *spec;
    sm_warp warps[MOST_WARPS]; /* small: the schedulers look at all of them at every clock */
    group_ring rings[MOST_WARPS][RINGS];
    sm_block blocks[MOST_BLOCKS];
    scheduler schedulers[SCHEDULERS];
    cache memory;
    memo *memos; /* by instruction */
    double now, unit_free;
    int turn; /* of the schedulers' queues */
    product products[PRODUCTS_ROOM];
    tma_copy copies[COPIES_ROOM];
    event events[EVENTS_ROOM];
    int first_product, product_count, first_copy, copy_count, event_count;
    double tensor_free, tma_free;
    unsigned spans; /* of the trace */
    int warps_per_block, begun, ended;
    uint64_t sleeps;
    replay_result result;
} sm;

/* Puts an access into its scheduler's queue. */
void unit_ask(sm *m, int warp, const sass_insn *i, const lane_access *a);
bool unit_is_full(const sm *m, int warp);
/* The load/store unit takes up a request, if it is free. */
void unit_step(sm *m);

/* One more has been taken up, and will be done then. A group ends with what has begun. Groups that are not done; when
 * that changes by itself (0: it does not). */
void ring_take(group_ring *r, double done);
void ring_group(group_ring *r, double now, double issued, unsigned low, unsigned high);
unsigned ring_open(const group_ring *r, double now, double *until);

/* wgmma, TMA, mbarriers: executes an instruction for the lanes that are active. */
void async_issue(sm *m, int warp, const sass_insn *i, uint32_t active);
bool async_is_full(const sm *m, const sm_warp *w, const sass_insn *i);
/* What happens by itself now; when the next does. */
void async_step(sm *m);
double async_next(const sm *m);
void async_end(sm *m);

/* The trace of the first block: a warp has waited since w->since; something was in flight; groups of LDGSTS are done;
 * an instruction is executed. */
void timeline_wait(const sm *m, const sm_warp *w, const char *name);
void timeline_span(sm *m, const sm_warp *w, const char *kind, double begin, double end, const char *range,
                   unsigned offset, unsigned bytes, const mbarrier *word);
void timeline_copies(sm *m, sm_warp *w, double until);
void timeline_issue(sm *m, sm_warp *w, const sass_insn *i, const lane_access *a);
