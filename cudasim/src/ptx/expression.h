/* Constant expressions. PTX ISA 9.0, section 4.5. */
#pragma once

#include "ptx/parser.h"

typedef struct constant {
    uint64_t bits;
    bool is_unsigned;
} constant;

/* An expression of operators of precedence `lowest` (1: all) and above; `depth` counts how deep it is nested. */
constant parse_expression(parser *p, int lowest, int depth);

/* A number that directives give: a size, an alignment, a line. */
uint64_t parse_number(parser *p, uint64_t most, const char *what);

/* "+ 8", "+ -8", "- 8 + 4" after a name; 0 where nothing follows. */
int64_t parse_addend(parser *p);

/* Only a float takes its sign here: an integer expression reads the - itself. */
bool accept_minus_of_float(parser *p);
