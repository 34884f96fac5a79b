/* The instruction sets the handlers are compiled for: one for use, all in tests. The rest of exec/ is compiled
 * once for each, with SIM_ISA its name. */
#pragma once

#include "isa/insn.h"
#include "isa/rows.h"

/* Handlers by row (NULL for OP_DECODE rows), for the best instruction set of this processor among those that this
 * simulator was built for; CUDASIM_ISA (baseline, v3, v4) picks another. Where there is none, isa_choose ends the
 * process with one line and exit status 3, for a wrong CUDASIM_ISA with 2. */
extern sim_handler *const *sim_handlers;

/* The others of each row. Wherever there is a name_affine or a name_next it is found. */
extern const sim_other_handlers *sim_others;

void isa_choose(void);
