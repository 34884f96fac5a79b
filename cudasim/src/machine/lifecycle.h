/* Threads call functions, return from them, and end. */
#pragma once

#include "machine/machine.h"

/* The lanes end. */
void warp_exit(warp *w, uint32_t lanes);

/* The lanes (of the running group) call, return. */
void warp_call(warp *w, const insn *i, uint32_t lanes);
void warp_return(warp *w, uint32_t lanes);
