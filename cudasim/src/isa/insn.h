/* Decoded instructions and functions: what the decoder makes of PTX, and the machine runs.
 *
 * A warp's registers are arrays of 32 lanes in one piece of memory; an operand is the byte offset of such an array, so
 * that registers and constants are read alike. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rounding.h"
#include "ptx/ptx.h"

#define LANES     32
#define ALL_LANES 0xffffffffu

/* Executes an instruction for the lanes of the mask. */
struct warp;
struct insn;
typedef void sim_handler(struct warp *w, const struct insn *i, uint32_t mask);

/* Those beside a row's handler, NULL where there is none: the one that works on registers kept as base + lane * step,
 * too (exec/affine.h), and those that go on with the next instruction (QUICK_HANDLER, exec/lanes.h). */
typedef struct sim_other_handlers {
    sim_handler *affine, *next, *affine_next;
} sim_other_handlers;

/* What an instruction is. More than the counters depend on it: the classes up to CLASS_MOVE, and CLASS_MEMORY, may
 * stand in a straight run, so none of them may branch or wait (is_plain, isa/function.c), and registers that
 * floating-point and matrix instructions use are not kept as base + lane * step (row_is_float, isa/affine.c). */
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

typedef enum form_kind {
    FORM_PLAIN, /* nothing beyond its operands */
    FORM_TARGETS,
    FORM_NEGATIONS,
    FORM_ATOMIC_VECTOR,
    FORM_COPY,
    FORM_MATRIX,
    FORM_MBARRIER,
    FORM_BULK,
    FORM_STORE_ASYNC,
    FORM_WGMMA
} form_kind;

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
    uint8_t source_bytes; /* of the source register, likewise (an x in ops.def) */
    uint8_t flags;        /* of instructions that access memory, and of matrices: MODE_... (form.h, matrix.h) */
    uint8_t choice;       /* which of its kind it is: shuffle_kind, vote_kind ... (form.h) */
    uint8_t form;         /* form_kind */
    uint8_t dot;          /* how many instructions from this on are a dot product (isa/dot.c); 0: none begins here */
#define MOST_DOT UINT8_MAX
    uint16_t row;      /* in isa/ops.def */
    uint32_t straight; /* how many instructions from this on are neither guarded nor branch or wait */
    uint32_t pc;       /* its own */
    union {            /* what it has beyond that, by its form (form.h, matrix.h) */
        void *any;
        const uint32_t *targets; /* FORM_TARGETS */
        const struct negations *negations;
        const struct atomic_vector *vectors;
        const struct copy_offsets *offsets;
        const struct matrix_use *matrix;
        const struct mbarrier_form *mbarrier;
        const struct bulk_form *bulk;
        const struct store_form *store;
        const struct wgmma_form *wgmma;
    };
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

/* What op_observe does before an instruction that accesses memory (isa/watch.c). */
typedef enum watch_what {
    WATCH_NOTHING,
    WATCH_READ,
    WATCH_WRITE,
    WATCH_ATOMIC,
    WATCH_MATRIX, /* ldmatrix, stmatrix */
    WATCH_WMMA,   /* wmma.load, wmma.store */
    WATCH_ASYNC   /* cp.async */
} watch_what;
typedef enum watch_order {
    ORDER_WEAK,
    ORDER_VOLATILE,
    ORDER_RELAXED,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQUIRE_RELEASE
} watch_order;
typedef enum watch_scope { SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYSTEM } watch_scope;
typedef struct watched_insn {
    sim_handler *run;      /* its own handler */
    sim_handler *next;     /* the one that goes on with the next; NULL where there is only op_next */
    uint8_t what;          /* watch_what */
    uint8_t order, scope;  /* watch_order, watch_scope (of ORDER_WEAK it means nothing) */
    uint8_t bytes;         /* a lane */
    uint8_t array;         /* isa/arrays.h */
    bool loose;            /* it reads or assigns a loose register */
    bool stores, constant; /* not only reads; ld.const */
    bool learns;           /* an atomic operation of which something reads what it gives back */
    bool guarded;          /* a plain load whose value an atom.cas alone goes by (isa/cas.h) */
} watched_insn;

/* A shared array that a function names. */
typedef struct shared_array {
    const char *name;
    uint32_t offset, bytes; /* 0 bytes: extern, to the end of the block's shared memory */
} shared_array;

/* A function's machine form. `instructions[pc]` matches source->instructions[pc]. */
typedef struct call_site call_site;
typedef struct function {
    const ptx_function *source;
    arena memory;             /* holds all that decoding makes */
    const char *const *files; /* names of source files, by the number that .loc and ptx_location have */
    int file_count;
    insn *code; /* source->instruction_count, and one that returns (an entry: exits); NULL: not callable */
    insn *made; /* the same, as long as what it calls may turn out not to be decodable */
    struct function *next_made; /* for load/functions.c */
    uint32_t register_bytes;    /* size of the lane arrays */
    uint8_t *constants;         /* initial contents of the lane arrays from constant_offset on */
    uint32_t constant_offset, constant_bytes;
    affine *affine_constants; /* of the constants; NULL: no register of this function is kept so */
    uint32_t affine_bytes;    /* size of all, after the lane arrays */
    affine_sources **spreads; /* by instruction; NULL: none */
    special_slot *specials;   /* special registers that it reads as operands */
    int special_count;
    uint32_t param_bytes;  /* of an entry's parameter buffer */
    uint32_t frame_bytes;  /* .local and .param memory a thread and call */
    uint32_t shared_from;  /* where its own shared memory begins, after SHARED_RESERVED */
    uint32_t shared_bytes; /* static shared memory, from offset SHARED_RESERVED on */
    uint32_t *formals;     /* offsets in the frame: the return values, then the parameters */
    call_site *calls;
    int call_count;
    bool uses_stack;     /* it has .local or .param memory, or calls */
    uint64_t address;    /* arena + WINDOW_FUNCTION + 16 * its number */
    const char *refused; /* why it could not be decoded; NULL: it was, or nobody has tried */
    struct wgmma_function *wgmma;
    shared_array *arrays; /* those that it names, for messages */
    int array_count;
    shared_array *locals; /* its .local variables: offsets in its frame */
    int local_count;
    uint16_t *loose; /* of `watched` kernels alone: isa/loose.h; NULL: none */
    int loose_count;
    int **meetings;           /* of `watched` alone: ptx/flow.h; *meetings is NULL until somebody asks */
    struct function *watched; /* the same with op_observe in front of what accesses memory; NULL until it is needed */
    watched_insn *watch;      /* of `watched` alone: by instruction */
    uint64_t writes;          /* of `watched` alone: isa/writes.h */
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

/* Name of source file `file` of the function's module, or NULL. */
static inline const char *function_file(const function *f, int file) {
    return file >= 0 && file < f->file_count ? f->files[file] : NULL;
}
