/* The machine: decoded instructions, warps, blocks, launches, and what an instruction's handler may use.
 *
 * A warp's registers are arrays of 32 lanes in one piece of memory; an operand is the byte offset of such an array, so
 * that registers and constants are read alike. A handler is one loop over the lanes under a mask, which the compiler
 * vectorises; it is compiled for this machine's instruction set, or once for each (exec/handlers.h).
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/threads.h"
#include "machine/launch.h"
#include "ptx/ptx.h"

#define LANES     32
#define ALL_LANES 0xffffffffu

struct warp;
struct insn;
typedef void sim_handler(struct warp *w, const struct insn *i, uint32_t mask);

/* What an instruction is: for the counters to come. */
typedef enum op_class {
    CLASS_INTEGER,
    CLASS_FP16,
    CLASS_FP32,
    CLASS_FP64,
    CLASS_CONVERT,
    CLASS_MOVE,
    CLASS_CONTROL,
    CLASS_WARP,
    CLASS_BARRIER,
    CLASS_MEMORY,
    CLASS_ATOMIC,
    CLASS_ASYNC,
    CLASS_TENSOR,
    CLASS_COUNT
} op_class;

typedef enum rounding {
    ROUND_DEFAULT,
    ROUND_RN,
    ROUND_RZ,
    ROUND_RM,
    ROUND_RP,
    ROUND_RNA, /* to nearest even, zero, -inf, +inf, away */
    ROUND_RNI,
    ROUND_RZI,
    ROUND_RMI,
    ROUND_RPI /* the same, to an integer */
} rounding;

typedef enum comparison {
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_LO,
    COMPARE_LS,
    COMPARE_HI,
    COMPARE_HS, /* unsigned */
    COMPARE_EQU,
    COMPARE_NEU,
    COMPARE_LTU,
    COMPARE_LEU,
    COMPARE_GTU,
    COMPARE_GEU, /* true if either is NaN */
    COMPARE_NUM,
    COMPARE_NAN
} comparison;

typedef enum boolean_op { BOOLEAN_NONE, BOOLEAN_AND, BOOLEAN_OR, BOOLEAN_XOR } boolean_op;

#define INSN_OPERANDS 8

/* One decoded instruction. */
typedef struct insn {
    sim_handler *run;           /* executes it */
    sim_handler *next;          /* executes it and goes on with the next, through to the end of the straight run */
    uint32_t op[INSN_OPERANDS]; /* destinations, then sources, in the order of the `operands` column of isa/ops.def */
    uint32_t guard;             /* a predicate; SLOT_TRUE without a guard */
    uint32_t guard_invert;      /* 0 or ALL_LANES */
    int64_t imm;                /* an immediate, an address offset, a branch target, an index into function->calls */
    uint8_t rounding, compare, boolean;
    bool ftz, sat, relu, oob, nan, xorsign, satfinite, boolean_negate;
    uint8_t type, type2; /* ptx_type, where the handler needs it (loads, stores, atomics) */
    uint8_t vector, space;
    uint8_t width;        /* bytes of the destination register, where it may differ from the type's */
    uint8_t mode;         /* for the handler */
    uint16_t row;         /* in isa/ops.def */
    uint32_t straight;    /* how many instructions from this on are neither guarded nor branch or wait */
    uint32_t pc;          /* its own */
    const uint32_t *more; /* operands past op[], or NULL */
} insn;

/* Fixed places in every warp's registers. Predicates are masks of 32 bits, a lane a bit. */
#define SLOT_TRUE   0u   /* the predicate that always holds */
#define SLOT_SINK_P 4u   /* where unwanted predicates go */
#define SLOT_FALSE  8u   /* the predicate that never holds */
#define SLOT_SINK   128u /* where unwanted results ("_") go: room for 128-bit lanes */

/* A special register (%tid.x ...) that keeps its value throughout a thread's life, and the lane array it is put in. */
typedef struct special_slot {
    int special;    /* isa/specials.h */
    unsigned bytes; /* of a lane */
    uint32_t slot;
    uint64_t addend; /* the lanes hold its value and this */
} special_slot;

/* A register's lanes as base + lane * step (in 32-bit lanes modulo 2^32), where that is known (exec/affine.h). There is
 * one for every AFFINE_UNIT bytes of lane arrays. */
#define AFFINE_UNIT 128
typedef enum affine_kept {
    LANES_ONLY = 0,  /* the other members mean nothing */
    AFFINE_ONLY = 1, /* the lane array means nothing */
    AFFINE_AND_LANES = 3
} affine_kept;
typedef struct affine {
    _Alignas(32) uint64_t base;
    uint64_t step;
    uint32_t kept, bytes; /* of a lane: 4 or 8 */
} affine;

/* Registers to be spread before an instruction that knows nothing of this, and its handler. */
typedef struct affine_sources {
    sim_handler *run;
    int count;
    uint32_t slots[];
} affine_sources;

/* A function's machine form. `instructions[pc]` matches source->instructions[pc]. */
typedef struct call_site call_site;
typedef struct function {
    const ptx_function *source;
    sim_module *module;
    insn *code;              /* source->instruction_count, and one that returns (an entry: exits) */
    uint32_t register_bytes; /* size of the lane arrays */
    uint8_t *constants;      /* initial contents of the lane arrays from constant_offset on */
    uint32_t constant_offset, constant_bytes;
    affine *affine_constants; /* of the constants; NULL: no register of this function is kept so */
    uint32_t affine_bytes;    /* size of all, behind the lane arrays */
    affine_sources **spreads; /* by instruction; NULL: none */
    special_slot *specials;   /* special registers that it reads as operands */
    int special_count;
    uint32_t param_bytes;  /* of an entry's parameter buffer */
    uint32_t frame_bytes;  /* .local and .param memory a thread and call */
    uint32_t shared_bytes; /* static shared memory, from offset SHARED_RESERVED on */
    uint32_t *formals;     /* offsets in the frame: the return values, then the parameters */
    call_site *calls;
    int call_count;
    bool uses_stack;  /* it has .local or .param memory, or calls */
    uint64_t address; /* arena + WINDOW_FUNCTION + 16 * its number */
    struct wgmma_function *wgmma;
} function;

/* Functions of the device's runtime library that the simulator itself provides. */
typedef enum builtin { BUILTIN_NONE, BUILTIN_VPRINTF, BUILTIN_ASSERTFAIL, BUILTIN_MALLOC, BUILTIN_FREE } builtin;

/* One call instruction. Arguments and results are .param variables of the caller's frame. */
struct call_site {
    function *callee; /* NULL: through a register, or a builtin */
    builtin builtin;
    uint32_t pointer;  /* the register with the function's address */
    uint32_t *offsets; /* in the caller's frame: results, then arguments */
    uint32_t *sizes;
    int return_count, param_count;
};

/* One activation of a function by some lanes of a warp. */
typedef struct frame {
    struct frame *caller;
    const function *function;
    uint8_t *registers;
    affine *affine;
    uint32_t local_base; /* offset of its .local and .param memory in each thread's stack */
    uint32_t return_pc;
    const call_site *site;
    uint32_t lanes; /* still inside */
    uint32_t carry; /* CC.CF, a lane a bit */
    int depth;
    uint32_t capacity;  /* bytes behind `registers` */
    struct frame *next; /* of all frames of a worker, in use or not */
} frame;

/* Lanes of a warp that stand at the same instruction of the same frame. */
typedef enum group_state {
    GROUP_READY,
    GROUP_AT_BARRIER,
    GROUP_AT_WARP_SYNC,
    GROUP_POLLING,
    GROUP_AT_MBARRIER,
    GROUP_AT_WARPGROUP,
    GROUP_AT_REGISTERS
} group_state;
typedef struct group {
    frame *frame;
    uint32_t pc;
    uint32_t lanes;
    group_state state;
    uint32_t wanted; /* the member mask waited for, or the barrier's number, or the mbarrier's offset */
} group;

typedef struct warp {
    /* the running group, unpacked */
    uint8_t *registers;
    affine *affine;
    const insn *code;
    uint32_t pc;      /* the next instruction */
    uint32_t active;  /* its lanes */
    uint32_t meet_pc; /* where another group of this frame waits ahead, else UINT32_MAX */
    uint32_t event;   /* not 0: leave the loop */
    frame *frame;
    frame *entry_frame;
    struct block *block;
    struct launch *launch;
    struct worker *worker;
    uint8_t *stack; /* LANES stacks of launch->stack_bytes, a lane after the other */
    uint32_t index; /* in the block */
    uint32_t lanes; /* that exist */
    uint32_t exited;
    int64_t budget; /* backward branches left before others get their turn */
    int current;    /* the running group's place in groups[] */
    int group_count;
    group groups[LANES + 2]; /* one may be empty for a moment */
    bool runnable;
    uint32_t tid[3][LANES];
    struct async_copies *async;               /* cp.async, not yet waited for */
    uint32_t cluster_arrived, cluster_passed; /* machine/cluster.c */
    uint32_t wait_expired;                    /* lanes whose mbarrier.try_wait has waited long enough */
} warp;

/* Name of source file `file` of the function's module, or NULL. */
const char *function_file(const function *f, int file);

/* Number of a special register by name, or -1; whether it keeps its value. */
int special_named(const char *name);
bool special_is_fixed(int special);

/* ---- blocks and launches ----------------------------------------------------------------------------------------- */

#define BARRIERS        16
#define BARRIER_REDUCES 1u /* insn.type2 of bar.red */
typedef struct barrier {
    uint32_t arrived; /* threads */
    uint32_t absent;  /* threads that never were or have exited, of warps all of whose others have come */
    uint32_t count;   /* threads expected, the absent ones included; 0: all of the block that have not exited */
    uint32_t reduced; /* bar.red: how many predicates held */
    bool red_and, red_or;
    bool waiting;
} barrier;

typedef struct block {
    struct launch *launch;
    struct worker *worker;
    struct block *next; /* in the worker's queue */
    uint32_t ctaid[3];
    uint64_t index;
    uint8_t *shared;     /* host memory behind shared addresses 0.. */
    uint32_t shared_end; /* first address past the block's shared memory */
    uint32_t live;       /* threads that have not exited */
    /* Since the worker last looked: a thread has ended or passed a barrier; has looked at what others may write; has
     * changed memory by an atomic operation. */
    bool progressed, polled, changed;
    int stale;               /* turns without any of them */
    uint64_t state;          /* a checksum of all registers, some turns ago */
    struct cluster *cluster; /* that it is one of, of itself alone at least */
    uint32_t rank;           /* in there */
    uint32_t ran_ahead;      /* machine/cluster.c */
    int begun;               /* turns before the cluster's first barrier */
    bool waits;              /* no thread can go on before another block of the cluster does */
    barrier barriers[BARRIERS];
    int warp_count;
    warp *warps;
    struct mbarriers *mbarriers; /* machine/mbarrier.c */
    struct bulk_copies *bulk;    /* machine/bulk.c */
    uint32_t *dirty;             /* machine/proxy.h; NULL where no instruction uses the asynchronous proxy */
    bool unfenced;               /* some are */
    int expiries;                /* times that every thread waited and none had progressed since */
    struct wgmma_block *wgmma;   /* machine/wgmma.c; NULL until it is needed */
} block;

/* A host thread that executes blocks. */
#define RECENT_ALLOCATIONS 64
typedef struct worker {
    struct launch *launch;
    struct block *queue, *queue_end;                     /* begun and not done; the first is next */
    struct warp *running;                                /* the one whose turn it is */
    struct cluster *clusters, *free_clusters;            /* all, and those at hand */
    struct frame *frames, *free_frames;                  /* but for the blocks' own */
    const memory_allocation *recent[RECENT_ALLOCATIONS]; /* by pc: what that instruction last touched */
    void *escape;                                        /* jmp_buf of the worker's loop */
    bool first;                                          /* the launching thread's: it shows progress */
    double shown;                                        /* when it last did */
    bool done;                                           /* nothing is left for it to do */
} worker;

typedef struct launch {
    sim_kernel *kernel;
    const function *entry;
    sim_launch_config given;
    const sim_launch_config *config; /* the same */
    uint8_t *params;
    uint32_t param_bytes;
    uint32_t shared_end;
    uint32_t threads;                      /* a block */
    uint64_t blocks;                       /* in the grid */
    uint32_t cluster_size;                 /* blocks */
    uint64_t stack_bytes;                  /* a thread; 0 where nothing uses the stack */
    uint64_t grid_workspace;               /* of cooperative groups: %envreg1, %envreg2 */
    unsigned long next_block, done_blocks; /* atomic */
    unsigned long resident;                /* blocks begun and not done; atomic */
    unsigned long resident_limit;
    unsigned long progress; /* atomic: exits and barriers passed */
    int stop, faulted;      /* atomic */
    sim_status status;
    bool async_proxy; /* the module uses the asynchronous proxy */
    double patience;  /* seconds without progress until the watchdog stops it; 0: for ever */
    int unattended;   /* atomic: the launching thread has gone on, and may do what the kernel waits for */
    int told;         /* atomic: that it seems to wait for the host */
    worker *workers;  /* the launching thread's first */
    pool_job helpers; /* those of the others, */
    bool offered;     /* once it is */
    double begun;
} launch;

/* ---- groups of lanes (machine/groups.c)
 * ---------------------------------------------------------------------------------- */

#define EVENT_PREEMPT   1u /* let other groups, warps, blocks run */
#define EVENT_BLOCKED   2u /* no group can run */
#define EVENT_DONE      4u /* all lanes have exited */
#define EVENT_REGROUPED 8u /* another group may be running, or the same with other lanes */

/* The lanes `taken` of the running group go on at `target`, the others where they are. */
void warp_diverge(warp *w, uint32_t taken, uint32_t target);

/* The same without picking the next group; taken may be all of them. */
void warp_split(warp *w, uint32_t taken, uint32_t target);

/* Picks the group to run next: the deepest call, there the lowest pc; merges groups that stand at the same place. Sets
 * w->event where none can run. */
void warp_select(warp *w);

/* A branch has gone backwards: once the budget is used up, others get a turn. */
void warp_preempt(warp *w);

/* The lanes end. */
void warp_exit(warp *w, uint32_t lanes);

/* The lanes (of the running group) call, return. */
void warp_call(warp *w, const insn *i, uint32_t lanes);
void warp_return(warp *w, uint32_t lanes);

/* For a .sync instruction with member masks `members` (a lane array): which lanes may execute now. The others wait at
 * the instruction until the lanes they name have come, too. Lanes that waited here before join the running group. */
uint32_t warp_converge(warp *w, const insn *i, uint32_t mask, const uint32_t *members);

/* bar.warp.sync: the same, but the others may wait at another bar.warp.sync. */
void warp_sync(warp *w, const insn *i, uint32_t mask, const uint32_t *members);

/* The lanes arrive at barrier `id` (count 0: all threads) and wait there, or do not (bar.arrive). `predicates` is for
 * bar.red. */
void warp_barrier(warp *w, const insn *i, uint32_t mask, uint32_t id, uint32_t count, bool wait, uint32_t predicates);

/* These lanes of the running group wait at the instruction at hand, as at barrier `id`, until somebody makes their
 * group ready again. */
void warp_block(warp *w, uint32_t lanes, uint32_t id);

/* The lanes (of the running group) wait at this instruction for mbarrier `offset`; they will execute it again. Call
 * warp_select when all are parked. */
void warp_park(warp *w, uint32_t lanes, uint32_t offset);

/* The whole warp waits at the instruction, which it executes again once it is woken; and the waking. */
void warp_stop(warp *w, group_state state, uint32_t wanted);
void warp_wake(warp *w, group_state state);

/* Runs a warp until an event. */
void warp_run(warp *w);

/* ---- for handlers ------------------------------------------------------------------------------------------------ */

/* Handlers are compiled once an instruction set: HANDLER(add_u32) { ... } defines add_u32_v3, ... */
#define SIM_JOIN_(a, b) a##_##b
#define SIM_JOIN(a, b)  SIM_JOIN_(a, b)
#define HANDLER_ARGUMENTS                                                                                              \
    __attribute__((unused)) warp *w, __attribute__((unused)) const insn *i, __attribute__((unused)) uint32_t mask
#define HANDLER(name)                                                                                                  \
    void SIM_JOIN(name, SIM_ISA)(warp * w, const insn *i, uint32_t mask);                                              \
    void SIM_JOIN(name, SIM_ISA)(HANDLER_ARGUMENTS)

/* A handler whose usual case calls nothing. Its body says true where it has done the work, and what else to do stands
 * in `otherwise`. It defines add_u32_next_v3, too, which goes on with the next instruction's: so one jump, and no loop,
 * call and return, lies between two of them. */
#define QUICK_HANDLER(name, otherwise)                                                                                 \
    static inline __attribute__((always_inline)) bool name##_quick(warp *w, const insn *i, uint32_t mask);             \
    static __attribute__((noinline)) void name##_slow(HANDLER_ARGUMENTS) {                                             \
        otherwise;                                                                                                     \
    }                                                                                                                  \
    static __attribute__((noinline)) void name##_slow_next(warp *w, const insn *i, uint32_t mask) {                    \
        name##_slow(w, i, mask);                                                                                       \
        if (w->event == 0) i[1].next(w, i + 1, mask);                                                                  \
    }                                                                                                                  \
    void SIM_JOIN(name##_next, SIM_ISA)(warp * w, const insn *i, uint32_t mask);                                       \
    void SIM_JOIN(name##_next, SIM_ISA)(warp * w, const insn *i, uint32_t mask) {                                      \
        w->pc = i->pc + 1;                                                                                             \
        if (name##_quick(w, i, mask))                                                                                  \
            i[1].next(w, i + 1, mask);                                                                                 \
        else                                                                                                           \
            name##_slow_next(w, i, mask);                                                                              \
    }                                                                                                                  \
    HANDLER(name) {                                                                                                    \
        if (!name##_quick(w, i, mask)) name##_slow(w, i, mask);                                                        \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) bool name##_quick(HANDLER_ARGUMENTS)

/* Operand `n` as lanes. 8- and 16-bit registers hold their value zero-extended in 32-bit lanes. Destination and source
 * may be the same array, never overlapping ones. */
#define LANE_ARRAY(type, n) ((type *)__builtin_assume_aligned(w->registers + i->op[n], 128))
#define U32(n)              LANE_ARRAY(uint32_t, n)
#define S32(n)              LANE_ARRAY(int32_t, n)
#define U64(n)              LANE_ARRAY(uint64_t, n)
#define S64(n)              LANE_ARRAY(int64_t, n)
#define F32(n)              LANE_ARRAY(float, n)
#define F64(n)              LANE_ARRAY(double, n)
#define PRED(n)             (*(uint32_t *)(w->registers + i->op[n]))

#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)

/* d[l] = value for the lanes of the mask. `value` is computed for all of them, so it must not trap. Where the processor
 * has no masked stores worth the name, the other lanes are written with what they hold. */
#ifdef __AVX512F__
#define SET_SOME_LANES(d, value)                                                                                       \
    EACH_LANE {                                                                                                        \
        if (mask >> l & 1) (d)[l] = (value);                                                                           \
    }
#else
#define SET_SOME_LANES(d, value) EACH_LANE(d)[l] = mask >> l & 1 ? (value) : (d)[l];
#endif
#define SET_LANES(d, value)                                                                                            \
    do {                                                                                                               \
        if (mask == ALL_LANES) {                                                                                       \
            EACH_LANE(d)[l] = (value);                                                                                 \
        } else {                                                                                                       \
            SET_SOME_LANES(d, value)                                                                                   \
        }                                                                                                              \
    } while (0)

/* Predicate destination `n` = bits, for the lanes of the mask. */
#define SET_PRED(n, bits) (PRED(n) = (PRED(n) & ~mask) | ((bits)&mask))

/* Stops the launch: writes the report and does not return. */
_Noreturn void sim_fault(warp *w, const insn *i, uint32_t lanes, sim_status status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
