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

/* The PTX, and what machine code there is: without, figures are estimated. */
static bool read_parts(sim_module *m, const fatbin_entry *text, const fatbin_entry *code, char *error,
                       size_t error_size) {
    char ignored[256] = "";
    m->ptx = ptx_parse((const char *)text->data, text->size, error, error_size);
    if (m->ptx == NULL || code == NULL) return m->ptx != NULL;
    m->cubin_arch = code->arch;
    if (cubin_open(&m->cubin, code->data, code->size, ignored, sizeof ignored)) return true;
    m->cubin = (cubin){0};
    if (strstr(ignored, OUT_OF_MEMORY) == NULL) return true;
    snprintf(error, error_size, OUT_OF_MEMORY);
    return false;
}

/* `functions` comes last: where it is there, all of them are. */
static bool make_arrays(sim_module *m, char *error, size_t error_size) {
    const size_t variables = (size_t)m->ptx->variable_count + 1, functions = (size_t)m->ptx->function_count + 1;
    m->variables = arena_take(&m->memory, variables * sizeof *m->variables);
    m->shared_offsets = arena_take(&m->memory, variables * sizeof *m->shared_offsets);
    m->local_statics = arena_take(&m->memory, functions * sizeof *m->local_statics);
    m->kernels = arena_take(&m->memory, functions * sizeof *m->kernels);
    m->named = arena_take(&m->memory, functions * sizeof *m->named);
    function *list = arena_take(&m->memory, functions * sizeof *list);
    if (m->variables && m->shared_offsets && m->local_statics && m->kernels && m->named) m->functions = list;
    if (m->functions == NULL) snprintf(error, error_size, OUT_OF_MEMORY);
    return m->functions != NULL;
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
        if (m == NULL) snprintf(error, error_size, OUT_OF_MEMORY);
    }
    const bool ok = m != NULL && read_parts(m, text, machine_code(&f, arch), error, error_size);
    fatbin_close(&f);
    if (ok && make_arrays(m, error, error_size) && functions_make(m, error, error_size) &&
        variables_load(m, error, error_size)) {
        variables_place_shared(m);
        if (functions_decode_named(m, error, error_size)) return m;
    }
    sim_module_unload(m);
    return NULL;
}

void sim_module_unload(sim_module *m) {
    if (m == NULL) return;
    if (m->functions != NULL) {
        functions_free(m);
        variables_free(m);
    }
    arena_free(&m->memory);
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
