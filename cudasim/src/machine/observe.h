/* Observers: the hooks that the machine calls while it runs a launch.
 *
 * An observer is a table of functions; one that is NULL is not called. Where nobody watches (launch->observer is NULL),
 * none of this costs anything: the hooks of memory instructions are called only from the watched copy of a function's
 * code (function->watched, isa/watch.c), where an op_observe stands in front of their handlers, and all others are on
 * cold paths that test launch->observer. Several workers call an observer at once, each for blocks of its own. */
#pragma once

#include "isa/form.h"
#include "machine/access.h"
#include "machine/machine.h"
#include "machine/tensormap.h"

/* ---- an access to memory by some lanes of a warp ----------------------------------------------------------------- */

typedef struct observed_access {
    warp *w;
    const function *function; /* the watched one; ->source, ->files and the number of each instruction are the same */
    const insn *i;            /* function->source->instructions[i->pc] is its text */
    uint32_t mask;            /* the lanes; for ldmatrix and stmatrix those that give a row's address */
    access_kind kind;
    uint8_t order, scope; /* watch_order, watch_scope */
    /* What the addresses are: PTX_GLOBAL, PTX_CONST: themselves; PTX_SHARED: offsets into the block's own shared
     * memory; PTX_SHARED_CLUSTER: those of any block of the cluster, as its rank << CLUSTER_RANK_SHIFT | offset;
     * PTX_LOCAL: offsets into each lane's stack; PTX_PARAM: offsets into launch->params. Generic addresses have been
     * resolved; where the lanes' addresses lie in several spaces, the hook is called once for each. */
    ptx_space space;
    /* True if the mask and the differences between the lanes' addresses are those of the latest execution of this
     * instruction by this worker. Always false where no observer counts. */
    bool same_pattern;
    unsigned bytes;          /* that each lane accesses, from its address on */
    const uint64_t *address; /* of LANES; lanes outside the mask have the address of the first active one */
} observed_access;

/* ---- copies that are executed later -------------------------------------------------------------------------------
 */

typedef enum copy_stage {
    COPY_ISSUED, /* by the instruction */
    COPY_READ,   /* the source has been read, as it has at COPY_LANDED, too */
    COPY_LANDED  /* the destination has been written */
} copy_stage;

/* cp.async: the lanes copy from global memory to their block's shared memory. */
typedef struct observed_async {
    copy_stage stage;
    warp *w;
    const function *function; /* whose instruction `i` issued it */
    const insn *i;
    uint32_t lanes, reading; /* the lanes that copy, and those among them that read anything */
    bool same_to, same_from; /* as observed_access.same_pattern, for `lanes` and for `reading`; set at COPY_ISSUED */
    unsigned width;          /* bytes that each lane writes */
    const uint64_t *to;      /* of LANES: offsets into block->shared */
    const uint64_t *from;    /* of LANES: global addresses; meaningless for lanes that read 0 bytes */
    const uint32_t *bytes;   /* of LANES: bytes read; the rest of the width is filled with zeros */
} observed_async;

/* cp.async.bulk, cp.async.bulk.tensor, cp.reduce.async.bulk, st.async, red.async: one thread's copy. The hook is
 * called for each block that it writes to. */
typedef struct observed_bulk {
    copy_stage stage;
    warp *w; /* the warp that issued it; its block may have ended since */
    const function *function;
    const insn *i;
    int lane;
    block *to_block, *from_block; /* whose shared memory it writes and reads; NULL: global memory, or registers */
    uint32_t to, from, mbarrier;  /* offsets in there */
    uint64_t global;              /* address; 0: the tensor of `map`, or no global memory */
    uint64_t bytes;               /* that the copy moves */
    uint32_t extent;              /* bytes of shared memory that it spans */
    const tensor_map *map;        /* NULL: a plain copy, of `bytes` from `global` on */
    const tensor_at *at;          /* where it begins */
    bool reduces;
    uint64_t serial; /* the same at each stage */
} observed_bulk;

/* wgmma.mma_async: COPY_ISSUED comes from each warp, COPY_READ once for the warpgroup, when its operands have been read
 * and the product is done. wgmma_address (machine/wgmma.h) turns its descriptors into addresses. SYNC_WGMMA_PASS says
 * which products a warp has waited for. */
typedef struct observed_wgmma {
    copy_stage stage;
    warp *w; /* COPY_READ: the warp that waits */
    const function *function;
    const insn *i;
    uint32_t number; /* counts the warpgroup's products since the block began */
    uint64_t a, b;   /* descriptors; `a` is meaningless where A is in registers */
} observed_wgmma;

/* ---- what orders threads ----------------------------------------------------------------------------------------- */

typedef enum sync_kind {
    SYNC_BARRIER_ARRIVE,  /* the lanes arrive at the block's barrier `id`, and may wait there */
    SYNC_BARRIER_PASS,    /* the warp's lanes that waited there go on; once for each warp, */
    SYNC_BARRIER_DONE,    /* and then this: all have gone on, and the barrier starts over (w is NULL) */
    SYNC_CLUSTER_ARRIVE,  /* the lanes arrive at the cluster's barrier */
    SYNC_CLUSTER_DONE,    /* all have arrived (w is NULL); comes before the waiting lanes go on */
    SYNC_CLUSTER_PASS,    /* the lanes go on */
    SYNC_LANES,           /* the lanes of a warp have waited for one another: bar.warp.sync */
    SYNC_FENCE,           /* membar, fence */
    SYNC_MBARRIER_INIT,   /* the mbarrier at offset `id` of the block's shared memory is initialised */
    SYNC_MBARRIER_ARRIVE, /* w, of any block of the cluster, arrives at it or makes it expect bytes */
    SYNC_MBARRIER_DONE,   /* its phase ends (w is NULL) */
    SYNC_MBARRIER_PASS,   /* the lanes have seen that the phase has ended */
    SYNC_WGMMA_PASS,      /* the warp has waited for all products of its warpgroup before number `id` */
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

/* An instruction's latest access by this worker, and how often it has been repeated since without a call of a hook. An
 * access repeats the latest one if all lanes take part, their addresses have the same differences, and each lane's
 * address lies at the same place in its 32-byte sector (in shared memory: in its 4-byte word). Then all counts are the
 * same but that of the cache lines which the sectors lie in. */
#define MOST_MOVES 64
typedef struct access_pattern {
    uint64_t step;
    uint32_t modulo, low, high; /* a repeat's first address & modulo is between low and high; modulo: 31 (shared: 3) */
    uint32_t mask;              /* 0: none yet */
    bool repeatable;
    bool affine; /* the address register was base + lane * step */
    int moves;
    uint64_t sector;         /* of the latest access's first address */
    int64_t stays;           /* repeats not yet counted that began in the sector of the latest access with a hook */
    uint64_t apart[LANES];   /* each lane's address minus the first active lane's */
    uint64_t to[MOST_MOVES]; /* other sectors in which repeats began, and how many did */
    int64_t times[MOST_MOVES];
} access_pattern;
/* What the loads of a dot product that was executed in one piece (exec/dot.c) have read and what is not counted yet:
 * each load was executed `rows` times, with lane 0's address at first, first + step ... These are multiples of 4, plus
 * 1 (DOT_APART) where the lanes read one word after another instead of all the same word. */
#define DOT_APART 1u
typedef struct dot_load {
    uint64_t first, step, next; /* next: where the latest execution read, plus step */
} dot_load;
typedef struct dot_rows {
    int count;
    int64_t rows;
    dot_load loads[];
} dot_rows;
/* Executed instructions by pc, as differences: an execution of the instructions from `first` to `end` - 1 by n lanes
 * adds 1 and n at `first` and subtracts them at `end`. Lanes that a guard keeps away are not counted. */
typedef struct run_count {
    int64_t warps, threads;
} run_count;
typedef struct run_counts {
    run_count *runs;          /* of instruction_count + 2 */
    access_pattern *patterns; /* of 2 * instruction_count, for same_pattern; NULL: nobody asks for that */
    dot_rows **dots;          /* by a dot product's first instruction; NULL just where patterns is */
} run_counts;

typedef struct observer observer;
struct observer {
    observer *next; /* called after this one; NULL: none */
    void (*launch_begin)(observer *o, launch *la);
    void (*launch_end)(observer *o, launch *la); /* la->status says how it ended; its blocks are gone */
    void (*block_begin)(observer *o, block *b);
    void (*block_end)(observer *o, block *b); /* its last thread has exited; not called after a fault */
    /* Before an access is executed, and after it has been. In between, the instruction may stop the launch, or be put
     * off because another block must run first or lanes wait for others. Then `after` is not called, and both are
     * called when the instruction is executed again. */
    void (*before)(observer *o, const observed_access *a);
    void (*after)(observer *o, const observed_access *a);
    /* After the handler of a store or an atomic operation that `before` was called for, even if the instruction has
     * been put off. Only where it stops the launch is this not called. */
    void (*written)(observer *o, const warp *w);
    /* After a strong or atomic access has been executed, whether or not an observer has `after`. */
    void (*strong)(observer *o, const observed_access *a);
    /* Asked first, where every other observer with hooks for accesses has `repeated`: a weak read of the block's own
     * shared memory by all lanes, each of `bytes` bytes from first + lane * step on, where step is 0 or `bytes`. If it
     * returns false, `before` is called for the read. */
    bool (*quick)(observer *o, warp *w, const function *f, const insn *i, uint64_t first, uint32_t step,
                  unsigned bytes);
    void (*async)(observer *o, const observed_async *c);
    void (*bulk)(observer *o, const observed_bulk *c);
    void (*wgmma)(observer *o, const observed_wgmma *c);
    /* An observer with this hook takes repeats of an access all together, where no other observer has a hook for that
     * access: as the pattern's stays and moves, which it resets to 0. What has not been reported when the launch ends
     * is still in the patterns. Such an observer must not have `before`. */
    void (*repeated)(observer *o, run_counts *counts, const function *f, uint32_t pc);
    /* The same for the first `loads` loads of the dot product that begins at pc: its dot_rows say what they read. */
    void (*loaded)(observer *o, run_counts *counts, const function *f, uint32_t pc, int loads);
    void (*sync)(observer *o, const observed_sync *s);
    /* Before each instruction of a warp whose `careful` has this observer's bit. The mask has the lanes that execute
     * it, and is 0 where a guard keeps all of them away. */
    void (*step)(observer *o, warp *w, const insn *i, uint32_t mask);
    uint32_t careful; /* CAREFUL_... */
#define CAREFUL_CHECK 1u
#define CAREFUL_TRACE 2u
    /* The instruction of the latest `step` waits: it has not been executed and will be tried again. */
    void (*again)(observer *o, warp *w);
    /* Before an instruction that reads or assigns a register which may be read before it is first assigned. */
    void (*loose)(observer *o, warp *w, const insn *i, uint32_t mask);
    /* The spaces (1 << PTX_GLOBAL ...) for which before and after are called if the instruction names its space; 0: all
     * spaces. */
    uint32_t spaces;
/* Global memory, except for reads of allocations of which every byte has been written and which nobody is writing
 * (memory_changes). */
#define SPACES_INCOMPLETE (1u << 31)
    /* The lanes enter a function, which has the frame. */
    void (*enter)(observer *o, warp *w, const frame *f, uint32_t lanes);
    /* The kernel's malloc has returned `bytes` bytes at the address. */
    void (*heap)(observer *o, warp *w, uint64_t address, uint64_t bytes);
    /* The kernel's printf prints with this format, for this lane and perhaps for others. */
    void (*printf)(observer *o, warp *w, const insn *i, uint32_t lane, const char *format);
    /* A shuffle by these lanes: lane l gets what lane from[l] holds. For lanes in `absent` that source does not take
     * part or is not in the mask. Called only if there are such lanes or the warp is careful. */
    void (*shuffle)(observer *o, warp *w, const insn *i, uint32_t lanes, uint32_t absent, const uint32_t *from);
    /* The launch is stopped, and the user has been told why. */
    void (*fault)(observer *o, launch *la);
    /* Where to count the instructions of the function that this worker executes; NULL: nowhere. */
    run_counts *(*counts)(observer *o, worker *k, const function *f);
};

/* Sets the observers of all later launches; NULL: none. */
void observers_set(observer *first);
observer *observers_get(void);

void observe_launch(launch *la, bool begins);
void observe_block(block *b, bool begins);
void observe_before(const observed_access *a);
void observe_after(const observed_access *a);
void observe_written(const warp *w);
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
