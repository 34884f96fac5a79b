/* What the checks keep of a launch, of its clusters and their blocks. */
#pragma once

#include "check/cells.h"
#include "check/findings.h"
#include "check/grid_order.h"
#include "check/poison.h"
#include "machine/cluster.h"
#include "machine/observe.h"

#define MOST_CHECKED_FUNCTIONS 4095u
#define SITE_FUNCTION_SHIFT    20

/* The clocks of a place where threads meet. */
typedef struct meeting {
    uint64_t key;               /* an mbarrier's offset, or an address */
    known_clocks *coming, *met; /* of those who arrive; what those who pass learn */
} meeting;

typedef struct meetings {
    meeting *list;
    uint32_t count, made; /* in use; that have clocks */
    uint32_t room, last;
} meetings;

/* A read of unwritten memory, kept until an instruction computes with the value; or a shuffle from a lane that takes
 * no part. */
typedef struct unwritten_read {
    const function *function;
    ptx_space space; /* of memory: PTX_SHARED, PTX_GLOBAL, PTX_LOCAL; PTX_REG: a shuffle */
    uint32_t pc, lane;
    uint64_t address; /* of shared memory the offset, of local memory into the thread's stack; PTX_REG: the lane */
    unsigned bytes;
    uint32_t missing;   /* which of them nothing has written, a bit each */
    const block *where; /* whose shared memory */
    const frame *frame; /* of local memory */
    site copy;          /* that has brought it there; its function NULL: none has */
} unwritten_read;

/* Lanes that have gone round a barrier at which others of their warp wait (divergent.h). */
typedef struct left_out {
    uint32_t lanes; /* none: 0 */
    site barrier, meeting;
} left_out;

typedef struct checked_warp {
    poisons poisons;
    unwritten_read *reads; /* a poison's origin is a number of this list */
    int read_count, read_room;
    uint8_t *unwritten; /* of its lanes' stacks, a bit a byte; NULL: the kernel has no local arrays */
    size_t unwritten_bytes;
    uint32_t *assigned; /* of the kernel's loose registers: lanes in which something has been assigned */
    left_out left_out;
} checked_warp;

/* What a warpgroup's latest wgmmas met, for those of its warps that issue them later. */
#define WGMMAS_KEPT 64
typedef struct issued_wgmma {
    uint32_t clock;
    use_writes met;
} issued_wgmma;
typedef struct issued_wgmmas {
    issued_wgmma recent[WGMMAS_KEPT]; /* by number */
} issued_wgmmas;

typedef struct checked_block {
    block *block;
    struct checked_cluster *cluster;
    struct checked_block *next; /* of the launch's */
    cells cells;
    uint32_t first_agent;
    checked_warp *warps;
    int warp_count;
    uint32_t passed; /* threads that have passed the barrier that opens */
    meeting barriers[BARRIERS], exited;
    issued_wgmmas *wgmmas;     /* by warpgroup; NULL: the kernel has none */
    meetings mbarriers, flags; /* flags: what strong and atomic accesses go to */
} checked_block;

typedef struct checked_cluster {
    struct checked_launch *launch;
    struct checked_cluster *next;
    clocks clocks;
    meeting barrier;
    uint32_t number; /* in the grid, of the one that runs */
    run *run;        /* NULL: none of its threads has used a fence */
} checked_cluster;

/* A worker's latest noted write to global memory (global.c), in a cache line of its own. */
typedef struct write_number {
    uint32_t now;
    char apart[60];
} write_number;

typedef struct checked_launch {
    launch *la;
    uint32_t unit;                /* bytes of a cell */
    uint32_t warps, groups, each; /* of a block: warps, warpgroups with an agent of their own, agents */
    checked_block *blocks;
    checked_cluster *clusters;
    const function *functions[MOST_CHECKED_FUNCTIONS];
    uint32_t function_count;
    uint32_t serial;       /* of all launches */
    write_number *writing; /* by worker */
    uint32_t turn;         /* the worker at a strong write, from 1; 0: none */
    grid_order *order;     /* NULL: nobody has used a fence */
} checked_launch;

static inline checked_block *checked(const block *b) {
    return b->checks;
}

/* Are there stores that race with others unless they leave what was there (shared.h, global.h)? Their own thread says.
 */
extern _Thread_local bool checked_doubts;

/* Agents: of each block its warps, the one of copies, then those of its warpgroups' wgmmas. */
static inline uint32_t agent_of(const warp *w) {
    return checked(w->block)->first_agent + w->index;
}
static inline uint32_t copier_of(const block *b) {
    return checked(b)->first_agent + (uint32_t)b->warp_count;
}

/* A place in the code in 32 bits, and back. */
uint32_t site_number(checked_launch *l, const function *f, uint32_t pc);
site site_at(const checked_launch *l, uint32_t number);

/* The checks' state of a launch. checked_begin makes that of the block's cluster, or clears it for the block that
 * begins. NULL or false if there is no memory. */
checked_launch *checked_launch_new(launch *la);
void checked_launch_free(checked_launch *l);
bool checked_begin(checked_launch *l, block *b);

/* A plain load whose value only an atom.cas uses counts as a relaxed one. */
static inline strength strength_of(const observed_access *a) {
    if (a->kind == ACCESS_ATOMIC) return STRENGTH_ATOMIC;
    return a->order != ORDER_WEAK || a->function->watch[a->i->pc].guarded ? STRENGTH_STRONG : STRENGTH_WEAK;
}

/* What a strong or atomic access does to the flag that it goes to; its key is not set. */
static inline flag_access flag_access_of(const observed_access *a) {
    const bool both = a->order == ORDER_ACQUIRE_RELEASE;
    return (flag_access){.reads = a->kind != ACCESS_WRITE,
                         .writes = a->kind != ACCESS_READ,
                         .releases = both || a->order == ORDER_RELEASE,
                         .acquires = both || a->order == ORDER_ACQUIRE};
}

/* The meeting with this key; a new one where there is none yet (NULL: no memory). */
meeting *meeting_at(meetings *m, uint64_t key, const clocks *c);
meeting *meeting_find(meetings *m, uint64_t key);
void meeting_forget(meeting *m, const clocks *c);
