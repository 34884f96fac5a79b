/* Operands of instructions. PTX ISA 9.0, section 6. */
#pragma once

#include "ptx/parser.h"

ptx_operand parse_operand(parser *p, bool is_call);

/* A new operand in OPERANDS, where those from `first` on belong together. */
ptx_operand *push_operand(parser *p, size_t first, ptx_operand_kind kind);

/* Moves the operands from `first` on to their final place. */
ptx_operand *take_operands(parser *p, size_t first, int *count, int line);
