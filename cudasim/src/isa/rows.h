#pragma once

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
