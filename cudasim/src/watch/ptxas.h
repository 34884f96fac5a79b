/* What ptxas makes of accesses to shared memory. */
#pragma once

#include "banks.h"
#include "ptx/ptx.h"

/* May it merge the instruction, which accesses so many bytes, with one of the bytes before or behind it? */
bool ptxas_may_merge(const ptx_function *f, uint32_t pc, unsigned bytes);

/* If it does: the least wavefronts that are left of this load or store, of `wavefronts` by itself, in quarters. */
int ptxas_quarters(const unsigned *offsets, uint32_t lanes, unsigned bytes, banks_kind kind, int wavefronts);

/* An addition of 1 whose result nobody wants is an instruction of its own in machine code, ATOMS.POPC.INC, which counts
 * how many lanes want the same word. What adds to floating-point or to 64-bit numbers is a loop around a swap. */
banks_kind ptxas_atomic_kind(const ptx_function *f, const ptx_instruction *i);
