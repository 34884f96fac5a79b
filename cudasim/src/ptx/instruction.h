/* What an instruction's text says about it. */
#pragma once

#include "ptx/ptx.h"

/* Does the opcode begin with these whole parts ("mov", "wmma.store")? */
bool opcode_is(const char *opcode, const char *parts);
/* The same of one of several, with a blank between them. */
bool opcode_is_of(const char *opcode, const char *list);

/* Does the operand name the register, itself or in an element? */
bool operand_names(const ptx_operand *o, int reg);

/* Is the first operand the result? */
bool instruction_has_result(const ptx_instruction *t);
