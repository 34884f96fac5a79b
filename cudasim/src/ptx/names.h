/* Names: what they mean in which scope. */
#ifndef PTX_NAMES_H
#define PTX_NAMES_H

#include "ptx/parser.h"

/* A name of this scope, which has none of it yet. */
ptx_symbol *declare_name(parser *p, ptx_atom *atom, symbol_kind kind, int line);

/* What the name means here, or NULL. A register of a range comes to be by it. */
const ptx_symbol *look_up_name(parser *p, ptx_atom *atom);

/* Of the module: what a name means outside of functions. */
const ptx_symbol *find_module_symbol(const ptx_atom *atom);

/* How operands call a variable, table or function. */
const char *symbol_name(const ptx_symbol *symbol);

/* A name for something of a function, told apart from what the function calls so already. */
const char *unique_name(parser *p, ptx_atom *atom);

/* Its index in its function. */
int add_register(parser *p, const char *name, unsigned type, unsigned vector);

ptx_atom *atom_of(const char *text);

void open_scope(parser *p);
/* Labels of the scope go to the operands that waited for them. */
void close_scope(parser *p);

#endif
