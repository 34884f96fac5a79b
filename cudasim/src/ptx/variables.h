/* Declarations: registers, variables with their initial values, parameters. PTX ISA 9.0, section 5. */
#pragma once

#include "ptx/parser.h"

typedef struct linkage {
    bool is_extern, is_visible, is_weak;
} linkage;

/* The state space that the current token names, or PTX_NO_SPACE. */
ptx_space space_named(const parser *p);

/* .reg ...; and the variables of another space */
void parse_registers(parser *p);
void parse_variables(parser *p, linkage linkage);

/* ( .param .b32 a, .reg .b32 %b ), or nothing */
ptx_variable *parse_params(parser *p, int *count);

void skip_parentheses(parser *p);
