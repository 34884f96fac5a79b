/* The instruction sets the handlers are compiled for: one for use, all in tests. The rest of exec/ is compiled
 * once for each, with SIM_ISA its name. */
#ifndef SIM_ISA_H
#define SIM_ISA_H

#include "machine/machine.h"

/* Row numbers of isa/ops.def. */
enum {
#define OP(name, spelling, modifiers, operands, class, handler) ROW_##name,
#define OP_DECODE(name, mnemonic, decoder, class)               ROW_##name,
#define HANDLER_ROW(name, class)                                ROW_##name,
#include "isa/ops.def"
#undef OP
#undef OP_DECODE
#undef HANDLER_ROW
    ROW_COUNT
};

/* Handlers by row (NULL for OP_DECODE rows), for the best instruction set of this processor among those that this
 * simulator was built for; CUDASIM_ISA (baseline, v3, v4) picks another. Where there is none, isa_choose ends the
 * process with one line and exit status 3, for a wrong CUDASIM_ISA with 2. */
extern sim_handler *const *sim_handlers;

/* Those beside a row's handler, NULL where there is none: the one that works on registers kept as base + lane * step,
 * too (affine.h), and those that go on with the next instruction (STRAIGHT_HANDLER). Wherever there is a name_affine or
 * a name_next it is found. */
typedef struct sim_other_handlers {
    sim_handler *affine, *next, *affine_next;
} sim_other_handlers;
extern const sim_other_handlers *sim_others;
void isa_choose(void);

#endif
