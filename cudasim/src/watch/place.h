/* The source line of an instruction. */
#pragma once

#include "isa/insn.h"

/* The instruction's line in the kernel's own file, that of the outermost place where it was inlined. NULL: the PTX does
 * not say, or it is the end of the text. */
const char *place_of(const function *f, uint32_t pc, int *line);
