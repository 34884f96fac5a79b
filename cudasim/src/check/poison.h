/* Registers that hold what was read from memory that nothing has written. Reading it is no mistake by itself: programs
 * fetch the next operands one time too often. Computing with it is; shuffles carry it along, and so do stores to local
 * memory, and those of a struct's padding.
 *
 * And registers that hold what a shuffle has given from a lane that does not take part. Reductions compute with it in
 * lanes whose results nobody needs, so it spreads: to store it, to go by it or to take it for an address is the
 * mistake.
 */
#pragma once

#include "machine/machine.h"

typedef struct poison {
    const frame *frame;
    int reg; /* of the frame's function's source */
    uint32_t lanes;
    uint32_t origin; /* number of the read, for whoever reports it */
    bool spreads;
    bool padding;           /* it looks like the padding of a struct: to store it is no use of it */
    uint16_t bytes;         /* of the register, a bit each */
    uint32_t carried;       /* while an instruction is looked at: lanes in which the result has it, */
    uint16_t carried_bytes; /* and which bytes */
} poison;

enum { POISON_MARKS = 16 }; /* words of a set of registers, by number modulo its 1024 bits */

typedef struct poisons {
    poison *list;
    int count, room;
    uint64_t marked[POISON_MARKS]; /* registers that may be in the list: no others are */
    uint16_t stored[LANES];        /* bytes of it that the instruction stores, and that are no use of it */
} poisons;

#define ALL_BYTES 0xffffu

/* Of what lane `lane` reads at pc these bytes are unwritten memory; of ldmatrix the lanes that get the row whose
 * address the lane gives. False: nothing was noted (no memory, or no register). */
bool poison_read(poisons *p, const frame *f, uint32_t pc, uint32_t lane, uint32_t origin, uint32_t bytes);

/* The lanes are about to execute the instruction. True where it computes with poison, whose origin it gives and which
 * is then forgotten; what is overwritten is, too. Moves and selections carry it on. */
bool poison_step(poisons *p, const warp *w, const insn *i, uint32_t mask, uint32_t *origin);

/* A shuffle by `lanes`, of which `absent` get what is nothing: of all others it moves what is known. */
void poison_shuffle(poisons *p, const frame *f, const insn *i, uint32_t lanes, uint32_t absent, const uint32_t *from,
                    uint32_t origin);

void poison_clear(poisons *p);
void poison_free(poisons *p);
