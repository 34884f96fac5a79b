/* Registers that hold what was read from memory that nothing has written. Reading it is no mistake by itself: programs
 * fetch the next operands one time too often. Computing with it is. */
#ifndef SIM_POISON_H
#define SIM_POISON_H

#include "machine/machine.h"

typedef struct poison {
    const frame *frame;
    int reg; /* of the frame's function's source */
    uint32_t lanes;
    uint32_t origin; /* number of the read, for whoever reports it */
} poison;

typedef struct poisons {
    poison *list;
    int count, room;
} poisons;

/* Lane `lane` of the destinations of the read at pc is unwritten memory; of ldmatrix the lanes that get the row whose
 * address the lane gives. False: nothing was noted (no memory, or no register). */
bool poison_read(poisons *p, const frame *f, uint32_t pc, uint32_t lane, uint32_t origin);

/* The lanes are about to execute the instruction. True where it computes with poison, whose origin it gives and which
 * is then forgotten; what is overwritten is, too. Moves and selections carry it on. */
bool poison_step(poisons *p, const warp *w, const insn *i, uint32_t mask, uint32_t *origin);

void poison_clear(poisons *p);
void poison_free(poisons *p);

#endif
