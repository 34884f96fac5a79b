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

/* Those beside them, by row; NULL where there is none. */
#define OP(name, spelling, modifiers, operands, class, handler) ROW(handler)
#define OP_DECODE(name, mnemonic, decoder, class)               NO_ROW
#define HANDLER_ROW(name, class)                                ROW(name)

#define NO_ROW
#define ROW(handler)                                                                                                   \
    sim_handler SIM_JOIN(handler##_affine, SIM_ISA) __attribute__((weak));                                             \
    sim_handler SIM_JOIN(handler##_next, SIM_ISA) __attribute__((weak));                                               \
    sim_handler SIM_JOIN(handler##_affine_next, SIM_ISA) __attribute__((weak));
#include "isa/ops.def"
#undef NO_ROW
#undef ROW

const sim_other_handlers SIM_JOIN(sim_others, SIM_ISA)[ROW_COUNT] = {
#define NO_ROW {NULL, NULL, NULL},
#define ROW(handler)                                                                                                   \
    {SIM_JOIN(handler##_affine, SIM_ISA), SIM_JOIN(handler##_next, SIM_ISA), SIM_JOIN(handler##_affine_next, SIM_ISA)},
#include "isa/ops.def"
};
