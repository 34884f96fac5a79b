/* Registers that may be read before anything is assigned to them, on some path through a kernel. */
#pragma once

#include "ptx/ptx.h"

/* By register: its number from 1 on among the `count` that are such, or 0. The caller frees it; NULL: no memory. */
uint16_t *loose_registers(const ptx_function *s, int *count);

/* Is the register read, or assigned to, by the instruction? */
bool loose_reads(const ptx_instruction *t, int reg);
bool loose_assigns(const ptx_instruction *t, int reg);
