/* What decoders write into an instruction beyond its operands, and handlers read: insn.flags, insn.choice, and the
 * forms. Those of matrices are in isa/matrix.h. */
#pragma once

#include "isa/insn.h"

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Predicates that stand negated as operands: op_negate fills in others in their place, then does the instruction. */
#define MOST_NEGATIONS 3
typedef struct negation {
    uint32_t from, to; /* predicates */
} negation;
typedef struct negations {
    sim_handler *run; /* the instruction's own */
    int count;
    negation list[MOST_NEGATIONS];
} negations;

/* ---- warps: insn.choice ------------------------------------------------------------------------------------------ */

typedef enum shuffle_kind { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX } shuffle_kind;
typedef enum vote_kind { VOTE_ALL, VOTE_ANY, VOTE_UNIFORM, VOTE_BALLOT } vote_kind;
typedef enum match_kind { MATCH_ANY, MATCH_ALL } match_kind;
typedef enum redux_kind { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR } redux_kind;
typedef enum setmaxnreg_kind { SETMAXNREG_DEC, SETMAXNREG_INC } setmaxnreg_kind;

/* ---- barriers ---------------------------------------------------------------------------------------------------- */

#define BARRIER_REDUCES 1u /* insn.type2 of bar.red */

/* insn.choice of bar.red */
typedef enum barrier_reduction { BARRIER_COUNT, BARRIER_AND, BARRIER_OR } barrier_reduction;

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* insn.flags */
#define MODE_STRONG        1u  /* volatile, relaxed, acquire or release */
#define MODE_POLL          2u  /* a loop may wait on it */
#define MODE_FRAME         4u  /* the address counts from the frame's base */
#define MODE_NARROW        8u  /* the address register has 32 bits */
#define MODE_NARROW_SOURCE 16u /* cp.async: the source's has */

/* Of atomic operations, and of copies that reduce. */
typedef enum atomic_op {
    ATOMIC_NONE,
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
    ATOMIC_INC,
    ATOMIC_DEC
} atomic_op;

#define MOST_ATOMIC_VECTOR 8

/* Registers of an atomic operation on a vector: slots. */
typedef struct atomic_vector {
    uint32_t results[MOST_ATOMIC_VECTOR], sources[MOST_ATOMIC_VECTOR];
} atomic_vector;

/* What cp.async adds to its addresses. */
typedef struct copy_offsets {
    int64_t to, from;
} copy_offsets;

/* ---- asynchronous copies ----------------------------------------------------------------------------------------- */

#define TENSOR_RANKS 5

/* Where an operand's address lies: lanes, and an offset. */
typedef struct bulk_address {
    uint32_t slot;
    bool wide;
    uint8_t space; /* bulk_space */
    int64_t offset;
} bulk_address;
typedef enum bulk_space { BULK_GENERIC, BULK_GLOBAL, BULK_CTA, BULK_CLUSTER } bulk_space;

/* A form of cp.async.bulk and its relatives, and of its prefetch. */
typedef struct bulk_form {
    bulk_address to, from, mbarrier, map;
    uint32_t size, mask; /* slots */
    uint32_t coordinates[TENSOR_RANKS], offsets[TENSOR_RANKS - 2];
    uint8_t rank; /* of a tensor copy; 0: a plain one */
    bool im2col;
    bool multicast;
    uint8_t reduce, type; /* atomic_op, ptx_type */
} bulk_form;

/* A form of st.async or red.async. */
typedef struct store_form {
    bulk_address to, mbarrier;
    uint32_t values[4];  /* slots */
    uint8_t count, size; /* of the values; bytes of each */
    uint8_t reduce, type;
} store_form;

/* An mbarrier instruction. */
typedef struct mbarrier_form {
    bulk_address address;
    bool drop;         /* arrive_drop */
    bool no_complete;  /* arrive.noComplete */
    bool expect;       /* arrive.expect_tx: op[2] bytes; mbarrier.expect_tx, not complete_tx: op[1] */
    bool wants_state;  /* arrive */
    bool parity;       /* test_wait, try_wait: op[1] is a parity, not a state */
    bool blocking;     /* try_wait */
    bool no_increment; /* cp.async.mbarrier.arrive.noinc */
} mbarrier_form;

/* insn.choice of cp.async.bulk.wait_group */
typedef enum bulk_wait_kind { BULK_WAIT_DONE, BULK_WAIT_READ } bulk_wait_kind;

/* ---- wgmma ------------------------------------------------------------------------------------------------------- */

#define WGMMA_N 256 /* the most */

typedef enum wgmma_type {
    WGMMA_F16,
    WGMMA_BF16,
    WGMMA_TF32,
    WGMMA_E4M3,
    WGMMA_E5M2,
    WGMMA_S8,
    WGMMA_U8,
    WGMMA_F32, /* of D only, as s32 */
    WGMMA_S32
} wgmma_type;

/* A form of wgmma.mma_async. insn.op: the descriptors of A (where there is one) and B, scale-d, and members
 * (all lanes). */
typedef struct wgmma_form {
    uint16_t n, k;
    uint16_t d_count; /* registers */
    uint8_t d_type, a_type, b_type;
    bool a_in_registers, trans_a, trans_b, negate_a, negate_b, satfinite, scale_negated;
    uint32_t a_slots[4];
    uint32_t d_slots[WGMMA_N / 2];
} wgmma_form;

enum { WGMMA_A, WGMMA_B, WGMMA_SCALE_D, WGMMA_MEMBERS };

/* What a function with wgmma instructions has beside its code (isa/decode_wgmma.c): its registers that any of them uses
 * as D or A are numbered, sets of them are bits in `words` words. By pc: NULL, or the instruction's own sets. */
typedef struct wgmma_use {
    sim_handler *run; /* of an instruction that is guarded; NULL: it is a wgmma */
    bool returns;
    const uint64_t *first, *second; /* of a wgmma: D, A; of others: what it touches, what of that it computes */
} wgmma_use;
typedef struct wgmma_function {
    int words, count;
    int *registers; /* by number: the register's index in the source */
    wgmma_use *uses;
    uint64_t *sets;
} wgmma_function;
