/* The SM's state, for replay.c and load_store.c. */
#ifndef SIM_PREDICT_SM_H
#define SIM_PREDICT_SM_H

#include "predict/cache.h"
#include "predict/lanes.h"
#include "predict/replay.h"

enum { SCHEDULERS = 4, MOST_WARPS = 64, MOST_BLOCKS = 32, GROUPS = 64, QUEUE_ROOM = 16 };

/* What a memory instruction asks of the load/store unit. */
typedef struct request {
    int warp;
    const sass_insn *insn;
    double time; /* from when on it can be taken up */
    int clocks;  /* for which it holds the unit */
    int lines;   /* of global memory */
    uint64_t line[LANES];
    uint8_t sectors[LANES];
} request;

typedef struct sm_warp {
    lane_warp *lanes;
    int block;  /* -1: none */
    int wave;   /* its block is the scheduler's so many-th in this place */
    bool waits; /* at a barrier */
    int barrier;
    double next;                   /* from when on it can issue */
    int pending[SASS_SCOREBOARDS]; /* instructions that the load/store unit has yet to take up */
    double ready[SASS_SCOREBOARDS];
    uint8_t waits_for[SASS_SCOREBOARDS]; /* WAIT_: on what sets it */
    double returned;                     /* when the last load's words came: they come in order */
    uint64_t copies, copied;             /* LDGSTS issued, taken up */
    double copies_done;
    struct {
        uint64_t copies;
        double done;  /* < 0: not all have been taken up */
    } groups[GROUPS]; /* LDGDEPBAR: a ring */
    unsigned first_group, group_count;
} sm_warp;

typedef struct sm_block {
    lane_block block;
    int warps; /* that have not ended; 0: the place is free */
    int arrived[NAMED_BARRIERS];
    bool passed;          /* a barrier */
    double since[SHARES]; /* its last barrier */
} sm_block;

typedef struct scheduler {
    request queue[QUEUE_ROOM];
    int first, count;
    double address_free, dispatch_free, debt;
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
    sm_warp warps[MOST_WARPS];
    sm_block blocks[MOST_BLOCKS];
    scheduler schedulers[SCHEDULERS];
    cache memory;
    memo *memos; /* by instruction */
    double now, unit_free;
    int turn; /* of the schedulers' queues */
    int warps_per_block, begun, ended;
    uint64_t sleeps;
    replay_result result;
} sm;

/* Puts an access into its scheduler's queue. */
void unit_ask(sm *m, int warp, const sass_insn *i, const lane_access *a);
bool unit_is_full(const sm *m, int warp);
/* The load/store unit takes up a request, if it is free. */
void unit_step(sm *m);
/* Of cp.async: LDGDEPBAR; groups of a warp that are not done; when that changes by itself (0: it does not). */
void unit_group(sm *m, sm_warp *w);
unsigned unit_groups(const sm *m, const sm_warp *w, double *until);

#endif
