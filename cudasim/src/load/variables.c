/* A module's variables: global and constant ones in the device's memory, shared ones by their offsets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "base/demangle.h"
#include "base/memory.h"
#include "load/loaded.h"

static bool initialise(sim_module *m, const ptx_variable *v, uint64_t address, char *error, size_t error_size) {
    if (v->init != NULL) memcpy((void *)address, v->init, v->size);
    for (int r = 0; r < v->relocation_count; r++) {
        const ptx_relocation *at = &v->relocations[r];
        symbol s;
        uint64_t value;
        if (!symbol_find(m, NULL, at->symbol, &s) || s.kind == SYMBOL_SHARED ||
            (s.kind == SYMBOL_FUNCTION && s.function == NULL)) {
            snprintf(error, error_size, "PTX line %d: the initial value of %s refers to %s, which is not there",
                     v->line, READABLE(v->name), READABLE(at->symbol));
            return false;
        }
        value = s.address + (uint64_t)at->addend;
        memcpy((void *)(address + at->offset), &value, at->size);
    }
    return true;
}

static bool no_memory(const ptx_variable *v, char *error, size_t error_size) {
    snprintf(error, error_size, "%s for %s (%llu bytes)", OUT_OF_MEMORY, READABLE(v->name),
             (unsigned long long)v->size);
    return false;
}

static uint64_t allocate(const ptx_variable *v) {
    const memory_kind kind = v->space == PTX_CONST ? MEMORY_CONSTANT : v->is_managed ? MEMORY_MANAGED : MEMORY_VARIABLE;
    return memory_allocate(v->size ? v->size : 1, v->align, kind, v->name, NULL);
}

bool variables_load(sim_module *m, char *error, size_t error_size) {
    const ptx_module *p = m->ptx;
    for (int k = 0; k < p->variable_count; k++) {
        const ptx_variable *v = &p->variables[k];
        if (v->space == PTX_SHARED && !v->is_extern) {
            m->shared_bytes = (uint32_t)align_up(m->shared_bytes, v->align < 16 ? 16 : v->align);
            m->shared_offsets[k] = SHARED_RESERVED + m->shared_bytes;
            m->shared_bytes += (uint32_t)v->size;
        }
        if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || v->is_extern) continue;
        m->variables[k] = allocate(v);
        if (m->variables[k] == 0) return no_memory(v, error, error_size);
    }
    for (int f = 0; f < p->function_count; f++) {
        const ptx_function *s = &p->functions[f];
        if (s->local_count == 0) continue;
        m->local_statics[f] = arena_take(&m->memory, (size_t)s->local_count * sizeof **m->local_statics);
        if (m->local_statics[f] == NULL) return no_memory(&s->locals[0], error, error_size);
        for (int k = 0; k < s->local_count; k++) {
            const ptx_variable *v = &s->locals[k];
            if (v->space != PTX_GLOBAL && v->space != PTX_CONST) continue;
            m->local_statics[f][k] = allocate(v);
            if (m->local_statics[f][k] == 0) return no_memory(v, error, error_size);
            if (!initialise(m, v, m->local_statics[f][k], error, error_size)) return false;
        }
    }
    for (int k = 0; k < p->variable_count; k++)
        if (m->variables[k] != 0 && !initialise(m, &p->variables[k], m->variables[k], error, error_size)) return false;
    return true;
}

void variables_free(sim_module *m) {
    for (int k = 0; k < m->ptx->variable_count; k++)
        if (m->variables[k] != 0) memory_free(m->variables[k]);
    for (int f = 0; f < m->ptx->function_count; f++) {
        for (int k = 0; m->local_statics[f] != NULL && k < m->ptx->functions[f].local_count; k++)
            if (m->local_statics[f][k] != 0) memory_free(m->local_statics[f][k]);
    }
}

void variables_place_shared(sim_module *m) {
    const ptx_module *p = m->ptx;
    for (int f = 0; f < p->function_count; f++) {
        if (p->functions[f].is_entry) continue;
        m->functions[f].shared_from = m->shared_bytes;
        m->shared_bytes = function_shared_end(&p->functions[f], m->shared_bytes);
    }
    uint32_t end = m->shared_bytes, align = 16;
    for (int f = 0; f < p->function_count; f++) {
        if (!p->functions[f].is_entry) continue;
        m->functions[f].shared_from = m->shared_bytes;
        const uint32_t mine = function_shared_end(&p->functions[f], m->shared_bytes);
        if (mine > end) end = mine;
    }
    for (int k = 0; k < p->variable_count; k++)
        if (p->variables[k].space == PTX_SHARED && p->variables[k].is_extern && p->variables[k].align > align)
            align = p->variables[k].align;
    m->dynamic_offset = (uint32_t)align_up(SHARED_RESERVED + end, align);
}
