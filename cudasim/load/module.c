/* Loaded modules: from a fat binary to variables in memory and functions with addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_model.h"
#include "exec/handlers.h"
#include "load/loaded.h"

static const fatbin_entry *machine_code(const fatbin *f, unsigned arch) {
    const fatbin_entry *best = NULL;
    for (int k = 0; k < f->count; k++) {
        const fatbin_entry *e = &f->entries[k];
        if (e->kind != FATBIN_ELF || e->compressed) continue;
        if (best == NULL || (e->arch == arch && best->arch != arch) ||
            (e->arch <= arch && best->arch != arch && (e->arch > best->arch || best->arch > arch)))
            best = e;
    }
    return best;
}

sim_module *sim_module_load(const void *container, char *error, size_t error_size) {
    isa_choose();
    const device_model *model = device_model_current();
    const unsigned arch = model->cc_major * 10 + model->cc_minor;
    fatbin f;
    error[0] = '\0';
    if (!fatbin_open(&f, container, SIZE_MAX, error, error_size)) return NULL;
    const fatbin_entry *text = fatbin_choose_ptx(&f, arch, error, error_size);
    sim_module *m = NULL;
    if (text != NULL) {
        m = calloc(1, sizeof *m);
        m->ptx = ptx_parse((const char *)text->data, text->size, error, error_size);
        const fatbin_entry *code = machine_code(&f, arch);
        char ignored[256];
        if (code == NULL || !cubin_open(&m->cubin, code->data, code->size, ignored, sizeof ignored))
            m->cubin = (cubin){0};
    }
    fatbin_close(&f);
    if (m == NULL) return NULL;
    if (m->ptx == NULL) {
        sim_module_unload(m);
        return NULL;
    }
    const ptx_module *p = m->ptx;
    m->variables = calloc((size_t)p->variable_count + 1, sizeof *m->variables);
    m->shared_offsets = calloc((size_t)p->variable_count + 1, sizeof *m->shared_offsets);
    m->functions = calloc((size_t)p->function_count + 1, sizeof *m->functions);
    m->local_statics = calloc((size_t)p->function_count + 1, sizeof *m->local_statics);
    m->kernels = calloc((size_t)p->function_count + 1, sizeof *m->kernels);
    m->named = calloc((size_t)p->function_count + 1, sizeof *m->named);
    if (!functions_make(m, error, error_size) || !variables_load(m, error, error_size)) {
        sim_module_unload(m);
        return NULL;
    }
    variables_place_shared(m);
    functions_decode_named(m);
    return m;
}

void sim_module_unload(sim_module *m) {
    if (m == NULL) return;
    if (m->functions != NULL) {
        functions_free(m);
        variables_free(m);
    }
    free(m->variables);
    free(m->shared_offsets);
    free(m->functions);
    free(m->named);
    free(m->local_statics);
    free(m->kernels);
    cubin_close(&m->cubin);
    if (m->ptx != NULL) ptx_free(m->ptx);
    free(m);
}

bool sim_module_variable(const sim_module *m, const char *name, uint64_t *address, uint64_t *size) {
    for (int k = 0; k < m->ptx->variable_count; k++) {
        if (strcmp(m->ptx->variables[k].name, name) != 0 || m->variables[k] == 0) continue;
        *address = m->variables[k];
        *size = m->ptx->variables[k].size;
        return true;
    }
    return false;
}
