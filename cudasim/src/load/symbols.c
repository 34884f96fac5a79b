/* Names of a module: variables, functions, and the functions that the simulator provides. */
#include <string.h>

#include "load/loaded.h"

static builtin builtin_named(const char *name) {
    static const struct {
        const char *name;
        builtin builtin;
    } names[] = {{"vprintf", BUILTIN_VPRINTF},
                 {"__assertfail", BUILTIN_ASSERTFAIL},
                 {"malloc", BUILTIN_MALLOC},
                 {"free", BUILTIN_FREE}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k].name, name) == 0) return names[k].builtin;
    return BUILTIN_NONE;
}

bool symbol_find(void *module, const function *owner, const char *name, symbol *s) {
    sim_module *m = module;
    *s = (symbol){0};
    if (owner != NULL) {
        const long at = owner - m->functions;
        const ptx_function *f = owner->source;
        for (int k = 0; k < f->local_count; k++)
            if (strcmp(f->locals[k].name, name) == 0 && m->local_statics[at] != NULL && m->local_statics[at][k] != 0) {
                *s = (symbol){.kind = SYMBOL_VARIABLE, .address = m->local_statics[at][k], .space = f->locals[k].space};
                return true;
            }
    }
    for (int k = 0; k < m->ptx->variable_count; k++) {
        const ptx_variable *v = &m->ptx->variables[k];
        if (strcmp(v->name, name) != 0) continue;
        if (v->space == PTX_SHARED) {
            *s = (symbol){.kind = SYMBOL_SHARED,
                          .address = v->is_extern ? m->dynamic_offset : m->shared_offsets[k],
                          .space = PTX_SHARED,
                          .bytes = v->is_extern ? 0 : v->size};
            return true;
        }
        if (m->variables[k] == 0) return false; /* extern, and not in the program */
        *s = (symbol){.kind = SYMBOL_VARIABLE, .address = m->variables[k], .space = v->space};
        return true;
    }
    for (int k = 0; k < m->ptx->function_count; k++) {
        const ptx_function *f = &m->ptx->functions[k];
        if (strcmp(f->name, name) != 0) continue;
        s->kind = SYMBOL_FUNCTION;
        if (f->has_body) {
            m->named[k] = true;
            s->function = &m->functions[k];
            s->address = m->functions[k].address;
            s->space = PTX_GLOBAL;
            return true;
        }
        s->builtin = builtin_named(name);
    }
    return s->kind == SYMBOL_FUNCTION;
}
