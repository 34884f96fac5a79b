/* The handlers of one instruction set, by row of isa/ops.def. Compiled once for each. */
#include "exec/handlers.h"

#include "exec/lanes.h"

#define OP(name, spelling, modifiers, operands, class, handler) sim_handler SIM_JOIN(handler, SIM_ISA);
#define OP_DECODE(name, mnemonic, decoder, class)
#define HANDLER_ROW(name, class) sim_handler SIM_JOIN(name, SIM_ISA);
#include "isa/ops.def"
#undef OP
#undef OP_DECODE
#undef HANDLER_ROW

sim_handler *const SIM_JOIN(sim_handlers, SIM_ISA)[ROW_COUNT] = {
#define OP(name, spelling, modifiers, operands, class, handler) SIM_JOIN(handler, SIM_ISA),
#define OP_DECODE(name, mnemonic, decoder, class)               NULL,
#define HANDLER_ROW(name, class)                                SIM_JOIN(name, SIM_ISA),
#include "isa/ops.def"
#undef OP
#undef OP_DECODE
#undef HANDLER_ROW
};
