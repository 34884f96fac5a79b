/* A function's body, and directives that may also be outside of one. */
#pragma once

#include "ptx/variables.h"

/* { ... } of the function p->function. */
void parse_body(parser *p);

/* .visible .weak ... */
linkage parse_linkage(parser *p);

void parse_pragma(parser *p);
void parse_file(parser *p);
void skip_section(parser *p);

/* .noreturn, .abi_preserve 4: of functions and prototypes; nothing here uses them. */
bool accept_plain_attribute(parser *p);

_Noreturn void fail_directive(parser *p);
