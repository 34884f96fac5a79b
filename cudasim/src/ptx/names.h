/* Names and their scopes. */
#pragma once

#include "ptx/parser.h"

/* Declares a name in this scope, which must not have it yet. */
ptx_symbol *declare_name(parser *p, ptx_atom *atom, symbol_kind kind, int line);

/* What the name means here, or NULL. The first use of a register of a range creates that register. */
const ptx_symbol *look_up_name(parser *p, ptx_atom *atom);

/* What the name means in the module, outside of its functions. */
const ptx_symbol *find_module_symbol(const ptx_atom *atom);

/* The name by which operands refer to a variable, table or function. */
const char *symbol_name(const ptx_symbol *symbol);

/* A name for a part of a function, made different from those that the function has already. */
const char *unique_name(parser *p, ptx_atom *atom);

/* Its index in its function. */
int add_register(parser *p, const char *name, unsigned type, unsigned vector);

ptx_atom *atom_of(const char *text);

void open_scope(parser *p);
/* Resolves the operands that waited for the scope's labels. */
void close_scope(parser *p);
