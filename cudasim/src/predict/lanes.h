/* A warp of machine code, lane by lane: its path, predicates and addresses. Integers are computed, and what loads bring
 * from memory; floating-point results are not, since neither paths nor addresses hang on them but by exception. */
#pragma once

#include "isa/insn.h"
#include "predict/sass.h"

enum { CONSTANT_BYTES = 4096 + 0x280, IN_CLUSTER = 0x140, PARAMS_POINTER = 0x198, PARAMS_AT = 0x210 };
enum { NAMED_BARRIERS = 16, CLUSTER_BARRIER = NAMED_BARRIERS, BARRIERS };

#define SHARED_OFFSETS 0xffffffu /* of an address in shared memory; above them is the block's rank in its cluster */

typedef struct lane_launch {
    const sass_code *code;
    unsigned grid[3], block[3], cluster[3];
    uint32_t shared_bytes;                          /* of a block, with the reserved ones */
    _Alignas(64) uint8_t constants[CONSTANT_BYTES]; /* bank 0: sizes, where the parameters are, they */
} lane_launch;

typedef struct lane_block {
    unsigned index[3], rank; /* in its cluster */
    uint8_t *shared;
} lane_block;

typedef enum lane_effect {
    EFFECT_NONE,
    EFFECT_TAKEN, /* a branch that is taken */
    EFFECT_ACCESS,
    EFFECT_BARRIER,
    EFFECT_ASYNC, /* wgmma, TMA, an mbarrier: async.c */
    EFFECT_EXIT   /* its last lane has ended */
} lane_effect;

/* What an instruction touches. */
typedef struct lane_access {
    uint32_t mask;
    unsigned bytes;
    uint64_t address[LANES];
    unsigned target[LANES]; /* LDGSTS: in shared memory */
    uint32_t copying;       /* LDGSTS: its lanes that read; the others write zeros */
    int barrier, threads;   /* of EFFECT_BARRIER: its number; 0 threads: all of the block */
    bool waits;
} lane_access;

typedef struct lane_warp {
    uint32_t registers[256][LANES];
    uint32_t predicates[16]; /* a bit a lane; from SASS_UPREDICATES on the uniform ones, all bits alike */
    uint32_t uniform[64];
    const lane_launch *launch;
    lane_block *block;
    unsigned thread; /* of lane 0 */
    int pc;          /* of the next instruction */
    uint32_t alive, group;
    bool parted; /* lanes have pcs of their own; those with the lowest go first */
    int pcs[LANES];
    bool napped; /* it has slept: the flag that it polls for is taken to be set when it looks again */
} lane_warp;

void lanes_begin(lane_warp *w, const lane_launch *launch, lane_block *block, unsigned thread);
/* Executes the instruction at w->pc and moves on. `clock` is what it reads as the SM's clock. */
lane_effect lanes_step(lane_warp *w, lane_access *a, uint64_t clock);

/* Operands: a mask of lanes; 32 words, perhaps in `temporary`; a result, into the register so much further on. */
uint32_t lanes_predicate(const lane_warp *w, const sass_operand *o);
const uint32_t *lanes_value(const lane_warp *w, const sass_operand *o, uint32_t temporary[LANES]);
void lanes_set(lane_warp *w, const sass_operand *o, int further, const uint32_t *value, uint32_t active);
/* What an instruction computes, and what it loads and stores, for the lanes that are active. */
void lanes_compute(lane_warp *w, const sass_insn *i, uint32_t active);
uint64_t lanes_address(const lane_warp *w, const sass_operand *o, int lane);
lane_effect lanes_memory(lane_warp *w, const sass_insn *i, uint32_t active, lane_access *a);
