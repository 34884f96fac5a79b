/* From a parsed function to machine form: checks every instruction's form, picks its handler, turns operands into
 * offsets. What is not understood is refused here, by name, before anything runs. */
#pragma once

#include <setjmp.h>
#include <stdlib.h>

#include "base/memory.h"
#include "isa/form.h"
#include "isa/insn.h"
#include "isa/rows.h"

typedef struct decoder decoder;

/* What a name outside of a function stands for (load/module.c). */
typedef enum symbol_kind { SYMBOL_NONE, SYMBOL_VARIABLE, SYMBOL_SHARED, SYMBOL_FUNCTION } symbol_kind;
typedef struct symbol {
    symbol_kind kind;
    uint64_t address; /* of a variable or function: generic; of a shared array: its offset */
    ptx_space space;
    uint64_t bytes;     /* of a shared array; 0: extern */
    function *function; /* of a function with a body */
    builtin builtin;    /* of one without */
} symbol;

/* What a decoder is handed. */
typedef struct decode_context {
    sim_handler *const *handlers;     /* by row of isa/ops.def */
    const sim_other_handlers *others; /* likewise */
    /* Looks up a name that stands in function `owner`; false if there is none. */
    bool (*symbol)(void *module, const function *owner, const char *name, symbol *s);
    void *module;
} decode_context;

/* Decodes f->source into f, its code into f->made. False and one line in `error` naming the instruction, the PTX line,
 * the function and the source line. */
bool decode_function(function *f, const decode_context *context, char *error, size_t error_size);
/* f->made becomes f->code: other threads may call the function from now on. */
void function_publish(function *f);
void decode_free(function *f);

/* Finds the registers that may be kept as base + lane * step, and picks handlers for that (isa/affine.c). True
 * where op_spread is among them. */
bool affine_function(decoder *d, insn *code);
/* insn.next of an instruction whose `straight` is known; in watched code no branch goes with the run before it. */
sim_handler *decode_next(const decode_context *c, const insn *i, bool watched);
/* Has dot products executed together: isa/dot.c. */
void dot_function(decoder *d, insn *code);
/* Puts guards before the instructions that touch registers of a wgmma (isa/decode_wgmma.c). False where there is none.
 */
bool wgmma_guard_function(decoder *d, insn *code);

/* Makes f->watched of f, which is decoded, unless it is there (isa/watch.c). False where there is no memory. */
bool watch_function(function *f, const decode_context *context);

/* Bytes of shared memory from SHARED_RESERVED on, with the function's own after the first `start` bytes. */
uint32_t function_shared_end(const ptx_function *source, uint32_t start);

/* ---- isa/table.c ---- */

/* Decodes the instruction at hand. False where it has been refused. */
bool decode_instruction(decoder *d);

/* A row's operands, as in ops.def; NULL where it has none there. */
const char *row_operands(int row);
bool row_is_float(int row);
op_class row_class(int row);
/* A function has an instruction of that row: for CUDASIM_ROWS. */
void row_use(int row);

/* ---- for the decoders of single instructions (decode_*.c): isa/operand.c ---- */

typedef struct constant_map {
    struct constant {
        uint64_t value;
        unsigned bytes;
        uint32_t slot;
    } * entries;
    int count, room;
} constant_map;

/* Where a .local, .param or .shared variable of the function lies. */
struct local_slot {
    uint64_t offset;
};

#define MOST_PARTS 32

struct decoder {
    const decode_context *context;
    function *f;
    const ptx_function *source;
    const ptx_instruction *text; /* the instruction at hand */
    int index;
    insn *i;
    const char *parts[MOST_PARTS]; /* its opcode, split at the dots: parts[0] is the mnemonic */
    size_t part_lengths[MOST_PARTS];
    int part_count;            /* at most MOST_PARTS: an opcode of more is refused */
    int next_part;             /* first one no decoder has looked at */
    uint32_t *register_slots;  /* by register number */
    struct local_slot *locals; /* by local's number: frame or shared offsets */
    struct constant_map *constants;
    uint32_t constant_end; /* of the lane arrays */
    bool in_table;         /* the instruction is a row with operands */
    negation negations[MOST_NEGATIONS];
    int negation_count;
    insn *code;
    arena scratch;     /* what serves decoding alone */
    jmp_buf no_memory; /* the way out where there is none */
    char *error;
    size_t error_size;
    bool failed;
};

typedef enum decoded { DECODED, NOT_MINE, REFUSED } decoded;

/* Writes the reason and marks the function as refused. Returns REFUSED. */
decoded refuse(decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The instruction is this row, its handler the row's. Returns DECODED, or REFUSED where something has been refused. */
decoded run_row(decoder *d, uint16_t row);

/* Zeroed memory, 8-byte aligned, that the function keeps, or that is gone when it has been decoded. Does not return
 * where there is none: the function is refused with OUT_OF_MEMORY. */
void *decode_take(decoder *d, size_t bytes);
void *decode_scratch(decoder *d, size_t bytes);
/* The first, aligned to 128 bytes. */
void *decode_aligned(decoder *d, size_t bytes);
/* An array with room for one item more: when the count is 0 or a power of two, a copy of twice the size. */
void *decode_grow(decoder *d, void *items, int count, size_t item_size);
/* Gives the instruction at hand a form of so many bytes, all zeros, which it keeps. */
void *put_form(decoder *d, form_kind kind, size_t bytes);

/* Splits the instruction's opcode; refuses one of too many parts. */
bool split_opcode(decoder *d);
bool part_is(const decoder *d, int part, const char *word);

/* The next part of the opcode if it is `word` (then it is taken). */
bool take(decoder *d, const char *word);
/* The same of one of several words, with a blank between them: its number among them, or -1. */
int take_one(decoder *d, const char *words);
/* True where all parts have been taken; else refuses, naming the first that was not. */
bool taken_all(decoder *d);
/* A type from the next part; PTX_NO_TYPE (and nothing taken) if it is none. */
ptx_type take_type(decoder *d);
/* Likewise an atomic operation; ATOMIC_NONE. */
atomic_op take_atomic(decoder *d);

/* Operand as an offset of lanes. `kind` is a letter as in isa/ops.def. Refuses what does not fit. */
uint32_t operand_slot(decoder *d, const ptx_operand *operand, char kind);
/* The same for what the instruction writes: a register, or "_" for the sink. */
uint32_t destination_slot(decoder *d, const ptx_operand *operand, char kind);
/* So many operands, from `least` to `most`; else refuses. */
bool operands_are(decoder *d, int least, int most);
/* `count` operands in braces, or one without, as offsets of lanes. */
typedef enum elements_kind {
    ELEMENTS_ANY,      /* what the instruction reads */
    ELEMENTS_WRITTEN,  /* registers, or "_" */
    ELEMENTS_REGISTERS /* registers only */
} elements_kind;
bool vector_slots(decoder *d, const ptx_operand *o, unsigned count, char kind, elements_kind elements, uint32_t *slots);
uint32_t constant_slot(decoder *d, uint64_t value, unsigned bytes);
/* The address of the running block's own shared memory at this offset. */
uint32_t shared_address_slot(decoder *d, uint64_t offset, unsigned bytes);
unsigned register_bytes(const decoder *d, const ptx_operand *operand);

/* The address operand: *slot gets the register's lanes (or a constant's), i->imm the offset; *wide tells whether the
 * lanes are 64-bit. A symbol's space must be `space` (or anything where PTX_NO_SPACE). Frame symbols (.local, and
 * .param of a function): *frame = true, imm = offset in the frame. */
typedef struct address {
    uint32_t slot;
    int64_t offset;
    bool wide;  /* 64-bit lanes */
    bool frame; /* offset is from the frame's base; no register */
    bool param; /* offset is into the kernel's parameters; no register */
} address;
bool operand_address(decoder *d, const ptx_operand *operand, ptx_space space, address *a);

/* Where a .local or .param variable of the function lies in its frame, or a .shared one in the block's memory. */
typedef struct place {
    ptx_space space; /* PTX_LOCAL (in the frame), PTX_PARAM (kernel parameter), PTX_SHARED, PTX_GLOBAL/CONST */
    uint64_t address;
    uint64_t size;
} place;
bool find_place(decoder *d, const char *name, place *p);

/* barrier.cluster (isa/decode_cluster.c). */
decoded decode_barrier_cluster(decoder *d);

typedef decoded decode_fn(decoder *d);
#define OP(name, spelling, modifiers, operands, class, handler)
#define OP_DECODE(name, mnemonic, decoder, class) decode_fn decoder;
#define HANDLER_ROW(name, class)
#include "isa/ops.def"
#undef OP
#undef OP_DECODE
#undef HANDLER_ROW

/* cp.async.bulk..., cp.reduce..., cp.async.mbarrier..., fence.proxy..., st.async..., red.async..., from the part after
 * these words on (isa/decode_async.c). */
decoded decode_store_async(decoder *d, bool reduces);
decode_fn decode_bulk, decode_bulk_reduce, decode_cp_mbarrier, decode_proxy_fence;

/* Bits of the modifiers column. */
#define ROUND     (1u << 0)
#define RN        (1u << 1)
#define FTZ       (1u << 2)
#define SAT       (1u << 3)
#define RELU      (1u << 4)
#define NAN_      (1u << 5)
#define XORSIGN   (1u << 6)
#define SATFINITE (1u << 7)
#define COMPARE   (1u << 8)
#define BOOLEAN   (1u << 9)
#define ROUND_INT (1u << 10)
#define RNA       (1u << 11)
#define RZ        (1u << 14)
#define OOB       (1u << 16)
