/* Machine code of sm_90: a kernel's instructions as nvdisasm names them, with the control words that their encoding
 * holds beside the operation: how long the warp waits after it, and which scoreboards it sets and waits for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an instruction is executed. */
typedef enum sass_pipe {
    PIPE_FMA,     /* FFMA, FMUL, FADD */
    PIPE_IMAD,    /* integer multiply-add: half of the FMA lanes */
    PIPE_ALU,     /* other integer and logic */
    PIPE_HALF,    /* packed half precision */
    PIPE_DOUBLE,  /* FP64 */
    PIPE_XU,      /* reciprocals, conversions */
    PIPE_UNIFORM, /* uniform datapath */
    PIPE_TENSOR,  /* mma.sync */
    PIPE_ASYNC,   /* wgmma, TMA, mbarriers: done beside the warps */
    PIPE_CONTROL, /* branches, barriers, nothing */
    PIPE_LOAD,    /* what goes to the memory queue: global, shared, shuffles, atomics */
    PIPE_CONST,   /* LDC */
    PIPE_SPECIAL, /* S2R */
    PIPE_NONE,    /* the model does not reach it */
    SASS_PIPES
} sass_pipe;

typedef enum sass_op {
#define OP(name, pipe, how) SASS_##name,
#include "predict/opcodes.def"
#undef OP
    SASS_UNKNOWN
} sass_op;

/* Parts of a name behind the dots. */
typedef enum sass_mod {
#define MOD(name, text) MOD_##name,
#include "predict/modifiers.def"
#undef MOD
    SASS_MODS
} sass_mod;

typedef enum sass_kind {
    KIND_NONE,
    KIND_REGISTER,
    KIND_UNIFORM,
    KIND_PREDICATE,
    KIND_NUMBER,
    KIND_CONSTANT,
    KIND_ADDRESS,
    KIND_OTHER
} sass_kind;
enum { SASS_RZ = 255, SASS_URZ = 63, SASS_PT = 7, SASS_UPREDICATES = 8, SASS_OPERANDS = 9, SASS_SCOREBOARDS = 6 };

typedef struct sass_operand {
    uint8_t kind;
    bool negative, inverted, absolute, wide; /* -R ~R |R| R.64; !P is inverted */
    bool real;                               /* a number written as a decimal: `number` has the bits of a float */
    uint8_t scale;                           /* R.X4 in an address */
    int16_t reg, uniform;                    /* -1: none. Uniform predicates count from SASS_UPREDICATES */
    uint16_t bank;                           /* of a constant */
    int64_t number;                          /* value, offset, target */
    double value;                            /* of a decimal */
    char text[20];                           /* KIND_OTHER: SR_TID.X */
} sass_operand;

typedef struct sass_insn {
    sass_op op;
    uint8_t pipe, stall, write_board, read_board, wait, reuse; /* boards: 7 is none; wait: a bit each */
    int8_t predicate;                                          /* SASS_PT: always */
    bool predicate_not;
    uint64_t mods;
    uint8_t count, bytes; /* operands; of a memory access a lane */
    uint16_t columns;     /* of a product of wgmma */
    sass_operand operands[SASS_OPERANDS];
    char name[32];
} sass_insn;

#define HAS(i, mod) ((i)->mods >> MOD_##mod & 1)

typedef struct sass_code {
    sass_insn *insns;
    int count;
} sass_code;

/* The control bits of an instruction of 16 bytes. */
void sass_control(const uint8_t bytes[16], sass_insn *i);
/* One line of nvdisasm without its address and semicolon: "@!P0 IADD3 R1, R2, -R3, RZ". False where it is none. */
bool sass_parse(const char *line, sass_insn *i);
/* A kernel's code, disassembled: the same for the same bytes, and never freed. NULL and a line in `error` where it
 * cannot be. sass_note: it will be wanted; all that has been noted is read at once, and beside what this program does
 * from sass_begin on. */
const sass_code *sass_read(const uint8_t *bytes, size_t size, char *error, size_t error_size);
void sass_note(const uint8_t *bytes, size_t size);
void sass_begin(void);
