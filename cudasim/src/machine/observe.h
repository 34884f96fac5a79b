/* Who watches a launch: what the machine tells while it runs one.
 *
 * An observer is a table of functions; one that is NULL is not called. Where nobody watches (launch->observer is NULL),
 * nothing of this runs: memory instructions tell only in the watched copy of a function's code (function->watched,
 * isa/watch.c), where an op_observe stands in front of their handlers; what else tells asks launch->observer on paths
 * that are cold. An observer is called by several workers at once, each for blocks of its own. */
#ifndef SIM_OBSERVE_H
#define SIM_OBSERVE_H

#include "isa/form.h"
#include "machine/access.h"
#include "machine/machine.h"
#include "machine/tensormap.h"

/* ---- an access to memory by some lanes of a warp ----------------------------------------------------------------- */

typedef struct observed_access {
    warp *w;
    const function *function; /* the watched one; ->source, ->files and the number of each instruction are the same */
    const insn *i;            /* i->pc, function->source->instructions[i->pc] */
    uint32_t mask;            /* the lanes; of ldmatrix and stmatrix those that give an address of a row */
    access_kind kind;
    uint8_t order, scope; /* watch_order, watch_scope */
    /* PTX_GLOBAL, PTX_CONST, PTX_SHARED (the block's own: addresses are offsets into block->shared), PTX_SHARED_CLUSTER
     * (of any block of the cluster: its rank << CLUSTER_RANK_SHIFT | offset), PTX_LOCAL (offsets into each lane's
     * stack), PTX_PARAM (offsets into launch->params). A generic address has been resolved; where the lanes mean
     * several spaces there is a call for each. */
    ptx_space space;
    /* The mask, and how far apart the lanes' addresses are, are those of this instruction's latest execution by this
     * worker (where one of the observers counts). */
    bool same_pattern;
    unsigned bytes;          /* a lane, from its address on */
    const uint64_t *address; /* of LANES; lanes outside of the mask have the first active one's */
} observed_access;

/* ---- copies that are done later ---------------------------------------------------------------------------------- */

typedef enum copy_stage {
    COPY_ISSUED, /* by the instruction */
    COPY_READ,   /* the source has been read; of COPY_LANDED it has been, too */
    COPY_LANDED  /* the destination is written */
} copy_stage;

/* cp.async: the lanes copy from global memory to their block's shared memory. */
typedef struct observed_async {
    copy_stage stage;
    warp *w;
    const function *function; /* that issued it, with `i` */
    const insn *i;
    uint32_t lanes, reading; /* those that copy, and of them those that read anything */
    bool same_to, same_from; /* as observed_access.same_pattern, of the lanes and of those reading; COPY_ISSUED */
    unsigned width;          /* bytes written a lane */
    const uint64_t *to;      /* of LANES: offsets into block->shared */
    const uint64_t *from;    /* of LANES: global addresses; of lanes that read 0 bytes they mean nothing */
    const uint32_t *bytes;   /* of LANES: bytes read, the rest of the width is zeros */
} observed_async;

/* cp.async.bulk, cp.async.bulk.tensor, cp.reduce.async.bulk, st.async, red.async: one thread's copy, told for each
 * block that it goes to. */
typedef struct observed_bulk {
    copy_stage stage;
    warp *w; /* that issued it; its block may have ended since */
    const function *function;
    const insn *i;
    int lane;
    block *to_block, *from_block; /* whose shared memory it writes and reads; NULL: global memory, or registers */
    uint32_t to, from, mbarrier;  /* offsets in there */
    uint64_t global;              /* 0: a tensor's (map), or no global memory */
    uint64_t bytes;               /* that are moved */
    uint32_t extent;              /* bytes of shared memory that the copy spans */
    const tensor_map *map;        /* NULL: a plain copy, of `bytes` from `global` on */
    const int32_t *at;            /* its coordinates */
    bool reduces;
    uint64_t serial; /* the same at each stage */
} observed_bulk;

/* wgmma.mma_async: ISSUED by each warp, READ (and done) once for the warpgroup. The places that its descriptors lead
 * to: wgmma_address (machine/wgmma.h). SYNC_WGMMA_PASS says which each warp has waited for. */
typedef struct observed_wgmma {
    copy_stage stage;
    warp *w; /* READ: that waits */
    const function *function;
    const insn *i;
    uint32_t number; /* of the warpgroup's, from the block's first on */
    uint64_t a, b;   /* descriptors; a means nothing where A is in registers */
} observed_wgmma;

/* ---- what orders threads ----------------------------------------------------------------------------------------- */

typedef enum sync_kind {
    SYNC_BARRIER_ARRIVE,  /* the lanes at the block's barrier `id`; they may be waiting there */
    SYNC_BARRIER_PASS,    /* the warp's lanes that waited there go on; told of each warp, */
    SYNC_BARRIER_DONE,    /* then this: all have, and the barrier begins anew (w is NULL) */
    SYNC_CLUSTER_ARRIVE,  /* the lanes at the cluster's barrier */
    SYNC_CLUSTER_DONE,    /* all have arrived (w is NULL); told before those that wait go on */
    SYNC_CLUSTER_PASS,    /* lanes go on */
    SYNC_LANES,           /* the lanes of a warp have waited for one another: bar.warp.sync */
    SYNC_FENCE,           /* membar, fence */
    SYNC_MBARRIER_INIT,   /* of the one at offset `id` of the block's shared memory; */
    SYNC_MBARRIER_ARRIVE, /* w, of any block of the cluster, arrives at it, or expects bytes there */
    SYNC_MBARRIER_DONE,   /* its phase ends (w is NULL) */
    SYNC_MBARRIER_PASS,   /* the lanes have seen that it has ended */
    SYNC_WGMMA_PASS,      /* the warp has waited for the wgmmas of its warpgroup before number `id` */
    SYNC_EXIT             /* the lanes end */
} sync_kind;

typedef struct observed_sync {
    sync_kind kind;
    block *b;
    warp *w;
    uint32_t lanes;
    uint32_t id;
} observed_sync;

/* ---- observers --------------------------------------------------------------------------------------------------- */

/* Executed instructions by pc, as differences: an execution of those from `first` to `end` - 1 by n lanes adds 1 and n
 * at `first`, and takes them away at `end`. Of an instruction that is guarded only the lanes that do it are counted. */
/* What an instruction's latest access was, by this worker; and how often it has been repeated since without anybody
 * being told. An access repeats one where all lanes take part and are as far apart, and none leaves its 32-byte sector
 * (of shared memory: its 4-byte word) of the place that it has in the pattern. To whoever counts it comes to the same,
 * but for the cache lines that these sectors lie in. */
#define MOST_MOVES 64
typedef struct access_pattern {
    uint64_t step;
    uint32_t modulo, low, high; /* the first address modulo 32 (4) may go from low to high; modulo: 31 (3) */
    uint32_t mask;              /* 0: none yet */
    bool repeatable;
    bool affine; /* the address register was base + lane * step */
    int moves;
    uint64_t sector;         /* that the latest access's first address lies in */
    int64_t stays;           /* repeats not yet told, in the sector of the access that was told */
    uint64_t apart[LANES];   /* from the first active lane's address */
    uint64_t to[MOST_MOVES]; /* repeats that began in another sector, and how many followed there */
    int64_t times[MOST_MOVES];
} access_pattern;
/* Where the loads of a dot product have read that was executed in one piece (exec/dot.c), not told yet: `rows` times,
 * from `first`, first + step ... on. That is lane 0's address, a multiple of 4; plus 1 (DOT_APART) where the lanes read
 * one word after another, not all the same. */
#define DOT_APART 1u
typedef struct dot_load {
    uint64_t first, step, next; /* next: where the latest has read, plus step */
} dot_load;
typedef struct dot_rows {
    int count;
    int64_t rows;
    dot_load loads[];
} dot_rows;
typedef struct run_count {
    int64_t warps, threads;
} run_count;
typedef struct run_counts {
    run_count *runs;          /* of instruction_count + 2 */
    access_pattern *patterns; /* of 2 * instruction_count: what is needed for same_pattern; NULL: it is not wanted */
    dot_rows **dots;          /* by a dot product's first instruction; not NULL where patterns are not */
} run_counts;

typedef struct observer observer;
struct observer {
    observer *next; /* another one that watches */
    void (*launch_begin)(observer *o, launch *la);
    void (*launch_end)(observer *o, launch *la); /* la->status says how; blocks are gone */
    void (*block_begin)(observer *o, block *b);
    void (*block_end)(observer *o, block *b); /* its last thread has exited; not called after a fault */
    /* Before the instruction is executed, and after it has been. Between the two it may stop the launch, or be put off
     * (another block comes first, lanes wait for others): then there is no `after`, and both come when it is executed
     * again. */
    void (*before)(observer *o, const observed_access *a);
    void (*after)(observer *o, const observed_access *a);
    /* After a strong or atomic access has been done, whether or not somebody has `after`. */
    void (*strong)(observer *o, const observed_access *a);
    /* Instead of `before`, where all other observers that are told of accesses have `repeated`: a weak read of the
     * block's own shared memory by all lanes, of `bytes` from first + lane * step on, step 0 or `bytes`. False:
     * `before` comes, too. */
    bool (*quick)(observer *o, warp *w, const function *f, const insn *i, uint64_t first, uint32_t step,
                  unsigned bytes);
    void (*async)(observer *o, const observed_async *c);
    void (*bulk)(observer *o, const observed_bulk *c);
    void (*wgmma)(observer *o, const observed_wgmma *c);
    /* It need not be told of accesses one by one: those that repeat the latest one come later, all together (the
     * pattern's stays and moves, which it sets to 0 again), or are still in the patterns at the launch's end. So it is
     * where no other observer wants to be told of the access, and it may not have `before`. */
    void (*repeated)(observer *o, run_counts *counts, const function *f, uint32_t pc);
    /* So it is with loads of the dot product that begins at pc, the first `loads` of them: they have read what its
     * dot_rows say. */
    void (*loaded)(observer *o, run_counts *counts, const function *f, uint32_t pc, int loads);
    void (*sync)(observer *o, const observed_sync *s);
    /* Before an instruction of a warp whose `careful` has this observer's bit. Its lanes are those of the mask, none
     * where a guard keeps all away. */
    void (*step)(observer *o, warp *w, const insn *i, uint32_t mask);
    uint32_t careful; /* CAREFUL_... */
#define CAREFUL_CHECK 1u
#define CAREFUL_TRACE 2u
    /* The instruction that `step` has told of has not been executed: it waits, and comes again. */
    void (*again)(observer *o, warp *w);
    /* Before an instruction that reads or assigns registers which may be read before anything is assigned to them. */
    void (*loose)(observer *o, warp *w, const insn *i, uint32_t mask);
    /* The spaces (1 << PTX_GLOBAL ...) that before and after are told of where the instruction names its space; 0: all.
     */
    uint32_t spaces;
/* Global memory but for reads of allocations that have been written to the last byte and that nobody is writing
 * (memory_changes). */
#define SPACES_INCOMPLETE (1u << 31)
    /* Lanes enter a function, in a frame of their own. */
    void (*enter)(observer *o, warp *w, const frame *f, uint32_t lanes);
    /* The kernel's malloc has given `bytes` at the address. */
    void (*heap)(observer *o, warp *w, uint64_t address, uint64_t bytes);
    /* The kernel's printf prints by this format, for the lane and others. */
    void (*printf)(observer *o, warp *w, const insn *i, uint32_t lane, const char *format);
    /* A shuffle by these lanes, which get what lanes from[l] hold; of `absent` that one is not there, or not named.
     * Told where there are any such, or the warp is careful. */
    void (*shuffle)(observer *o, warp *w, const insn *i, uint32_t lanes, uint32_t absent, const uint32_t *from);
    /* The launch is stopped, and the user has been told why. */
    void (*fault)(observer *o, launch *la);
    /* Where instructions that this worker executes of the function are to be counted; NULL: nowhere. */
    run_counts *(*counts)(observer *o, worker *k, const function *f);
};

/* For launches from now on: they all have these, until observers_set(NULL). */
void observers_set(observer *first);
observer *observers_get(void);

void observe_launch(launch *la, bool begins);
void observe_block(block *b, bool begins);
void observe_before(const observed_access *a);
void observe_after(const observed_access *a);
void observe_strong(const observed_access *a);
void observe_repeated(warp *w, uint32_t pc);
void observe_loaded(warp *w, uint32_t pc, int loads);
void observe_async(const observed_async *c);
void observe_bulk(const observed_bulk *c);
void observe_wgmma(const observed_wgmma *c);
void observe_sync(sync_kind kind, block *b, warp *w, uint32_t lanes, uint32_t id);
void observe_enter(warp *w, const frame *f, uint32_t lanes);
void observe_heap(warp *w, uint64_t address, uint64_t bytes);
void observe_printf(warp *w, const insn *i, uint32_t lane, const char *format);
void observe_shuffle(warp *w, const insn *i, uint32_t lanes, uint32_t absent, const uint32_t *from);
void observe_fault(launch *la);
void observe_step(warp *w, const insn *i);
void observe_again(warp *w);
void observe_loose(warp *w, const insn *i, uint32_t mask);
run_counts *observe_counts(worker *k, const function *f);

#endif
