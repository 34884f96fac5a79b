/* Loaded modules: their text, variables, functions and kernels. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_model.h"
#include "isa/decode.h"
#include "load/kernel.h"
#include "machine/call.h"

struct sim_kernel {
    sim_module *module;
    function *entry;
    const cubin_kernel *resources; /* NULL where the fat binary has no machine code for it */
    unsigned max_dynamic_shared;
    bool ready;
    int async_proxy; /* 0: not yet looked, 1: no, 2: yes */
};

struct sim_module {
    ptx_module *ptx;
    cubin cubin;
    uint64_t *variables;      /* addresses, by the number of the variable */
    uint64_t *shared_offsets; /* of module-scope .shared variables, likewise */
    function *functions;      /* by the number of the function */
    uint64_t **local_statics; /* .global and .const declared inside functions, by function and local */
    sim_kernel *kernels;      /* by the number of the function; entry NULL for those that are no kernels */
    uint32_t shared_bytes;    /* module-scope .shared, and that of functions which are no kernels */
    uint32_t dynamic_offset;  /* where extern .shared begins, in every kernel of the module */
};

static pthread_mutex_t decode_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t align_up(uint64_t value, uint64_t align) {
    return (value + align - 1) & ~(align - 1);
}

/* ---- addresses of functions -------------------------------------------------------------------------------------- */

#define MOST_FUNCTIONS 65536
static function *functions_by_number[MOST_FUNCTIONS];
static int function_count;

static bool number_function(function *f) {
    int n = function_count;
    if (n == MOST_FUNCTIONS) /* those of modules that are gone are free again */
        for (n = 0; n < MOST_FUNCTIONS && functions_by_number[n] != NULL; n++) continue;
    if (n == MOST_FUNCTIONS) return false;
    /* Kernels that run may look for others meanwhile (module_function_at). */
    __atomic_store_n(&functions_by_number[n], f, __ATOMIC_RELEASE);
    if (n == function_count) __atomic_store_n(&function_count, n + 1, __ATOMIC_RELEASE);
    f->address = memory_arena() + WINDOW_FUNCTION + 16 * (uint64_t)n;
    return true;
}

const function *module_function_at(uint64_t address) {
    const uint64_t offset = address - memory_arena() - WINDOW_FUNCTION;
    if (offset % 16 != 0 || offset / 16 >= (uint64_t)__atomic_load_n(&function_count, __ATOMIC_ACQUIRE)) return NULL;
    return __atomic_load_n(&functions_by_number[offset / 16], __ATOMIC_ACQUIRE);
}

bool module_function_ready(function *f, char *error, size_t error_size) {
    bool ok = true;
    pthread_mutex_lock(&decode_lock);
    if (f->code == NULL) ok = decode_function(f, error, error_size);
    pthread_mutex_unlock(&decode_lock);
    return ok;
}

const char *function_file(const function *f, int file) {
    const ptx_module *p = f->module->ptx;
    return file >= 0 && file < p->file_count ? p->files[file] : NULL;
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

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

bool module_symbol(sim_module *m, function *owner, const char *name, symbol *s) {
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
                          .space = PTX_SHARED};
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
            s->function = &m->functions[k];
            s->address = m->functions[k].address;
            s->space = PTX_GLOBAL;
            return true;
        }
        s->builtin = builtin_named(name);
    }
    return s->kind == SYMBOL_FUNCTION;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static bool initialise(sim_module *m, const ptx_variable *v, uint64_t address, char *error, size_t error_size) {
    if (v->init != NULL) memcpy((void *)address, v->init, v->size);
    for (int r = 0; r < v->relocation_count; r++) {
        const ptx_relocation *at = &v->relocations[r];
        symbol s;
        uint64_t value;
        if (!module_symbol(m, NULL, at->symbol, &s) || s.kind == SYMBOL_SHARED ||
            (s.kind == SYMBOL_FUNCTION && s.function == NULL)) {
            snprintf(error, error_size, "PTX line %d: the initial value of %s refers to %s, which is not there",
                     v->line, v->name, at->symbol);
            return false;
        }
        value = s.address + (uint64_t)at->addend;
        memcpy((void *)(address + at->offset), &value, at->size);
    }
    return true;
}

static bool load_variables(sim_module *m, char *error, size_t error_size) {
    const ptx_module *p = m->ptx;
    for (int k = 0; k < p->variable_count; k++) {
        const ptx_variable *v = &p->variables[k];
        if (v->space == PTX_SHARED && !v->is_extern) {
            m->shared_bytes = (uint32_t)align_up(m->shared_bytes, v->align < 16 ? 16 : v->align);
            m->shared_offsets[k] = SHARED_RESERVED + m->shared_bytes;
            m->shared_bytes += (uint32_t)v->size;
        }
        if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || v->is_extern) continue;
        m->variables[k] = memory_allocate(v->size ? v->size : 1, v->align,
                                          v->space == PTX_CONST ? MEMORY_CONSTANT : MEMORY_VARIABLE, v->name, NULL);
        if (m->variables[k] == 0) {
            snprintf(error, error_size, "no memory for %s (%llu bytes)", v->name, (unsigned long long)v->size);
            return false;
        }
    }
    for (int f = 0; f < p->function_count; f++) {
        const ptx_function *s = &p->functions[f];
        m->local_statics[f] = calloc((size_t)s->local_count + 1, sizeof **m->local_statics);
        for (int k = 0; k < s->local_count; k++) {
            const ptx_variable *v = &s->locals[k];
            if (v->space != PTX_GLOBAL && v->space != PTX_CONST) continue;
            m->local_statics[f][k] =
                memory_allocate(v->size ? v->size : 1, v->align,
                                v->space == PTX_CONST ? MEMORY_CONSTANT : MEMORY_VARIABLE, v->name, NULL);
            if (m->local_statics[f][k] == 0 || !initialise(m, v, m->local_statics[f][k], error, error_size))
                return false;
        }
    }
    for (int k = 0; k < p->variable_count; k++)
        if (m->variables[k] != 0 && !initialise(m, &p->variables[k], m->variables[k], error, error_size)) return false;
    return true;
}

/* Shared memory: first what functions other than kernels own (they may be called by any), then each kernel's own, then,
 * at one place for all kernels of the module, the dynamic part. */
static void place_shared(sim_module *m) {
    const ptx_module *p = m->ptx;
    for (int f = 0; f < p->function_count; f++) {
        if (p->functions[f].is_entry) continue;
        m->functions[f].shared_bytes = m->shared_bytes;
        m->shared_bytes = function_shared_end(&p->functions[f], m->shared_bytes);
    }
    uint32_t end = m->shared_bytes, align = 16;
    for (int f = 0; f < p->function_count; f++) {
        if (!p->functions[f].is_entry) continue;
        m->functions[f].shared_bytes = m->shared_bytes;
        const uint32_t mine = function_shared_end(&p->functions[f], m->shared_bytes);
        if (mine > end) end = mine;
    }
    for (int k = 0; k < p->variable_count; k++)
        if (p->variables[k].space == PTX_SHARED && p->variables[k].is_extern && p->variables[k].align > align)
            align = p->variables[k].align;
    m->dynamic_offset = (uint32_t)align_up(SHARED_RESERVED + end, align);
}

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
    bool numbered = true;
    pthread_mutex_lock(&decode_lock);
    for (int k = 0; k < p->function_count; k++) {
        m->functions[k].source = &p->functions[k];
        m->functions[k].module = m;
        if (p->functions[k].has_body) numbered = number_function(&m->functions[k]) && numbered;
    }
    pthread_mutex_unlock(&decode_lock);
    if (!numbered) snprintf(error, error_size, "more than %d functions", MOST_FUNCTIONS);
    if (!numbered || !load_variables(m, error, error_size)) {
        sim_module_unload(m);
        return NULL;
    }
    place_shared(m);
    return m;
}

void sim_module_unload(sim_module *m) {
    if (m == NULL) return;
    if (m->functions != NULL) {
        pthread_mutex_lock(&decode_lock);
        for (int k = 0; k < m->ptx->function_count; k++) {
            decode_free(&m->functions[k]);
            for (int n = 0; n < function_count; n++)
                if (functions_by_number[n] == &m->functions[k]) functions_by_number[n] = NULL;
        }
        pthread_mutex_unlock(&decode_lock);
        for (int k = 0; k < m->ptx->variable_count; k++)
            if (m->variables[k] != 0) memory_free(m->variables[k]);
        for (int f = 0; f < m->ptx->function_count; f++) {
            for (int k = 0; m->local_statics[f] != NULL && k < m->ptx->functions[f].local_count; k++)
                if (m->local_statics[f][k] != 0) memory_free(m->local_statics[f][k]);
            free(m->local_statics[f]);
        }
    }
    free(m->variables);
    free(m->shared_offsets);
    free(m->functions);
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

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Decodes what the function calls, and what that calls. */
static bool decode_reachable(function *f, char *error, size_t error_size) {
    if (f->code != NULL) return true;
    const uint32_t shared_before = f->shared_bytes;
    bool ok = decode_function(f, error, error_size);
    for (int k = 0; ok && k < f->call_count; k++)
        if (f->calls[k].callee != NULL) ok = decode_reachable(f->calls[k].callee, error, error_size);
    if (!ok) { /* so that whoever asks again is told again */
        decode_free(f);
        f->shared_bytes = shared_before;
    }
    return ok;
}

sim_kernel *sim_module_kernel(sim_module *m, const char *name, char *error, size_t error_size) {
    error[0] = '\0';
    for (int k = 0; k < m->ptx->function_count; k++) {
        const ptx_function *f = &m->ptx->functions[k];
        if (!f->is_entry || !f->has_body || strcmp(f->name, name) != 0) continue;
        sim_kernel *kernel = &m->kernels[k];
        pthread_mutex_lock(&decode_lock);
        if (!kernel->ready && decode_reachable(&m->functions[k], error, error_size)) {
            kernel->module = m;
            kernel->entry = &m->functions[k];
            kernel->resources = cubin_find(&m->cubin, name);
            kernel->ready = true;
            sim_kernel_info info;
            sim_kernel_describe(kernel, &info);
            kernel->max_dynamic_shared = info.static_shared < 49152 ? 49152 - info.static_shared : 0;
        }
        pthread_mutex_unlock(&decode_lock);
        return kernel->ready ? kernel : NULL;
    }
    return NULL;
}

/* Without machine code: as many as the widest set of names would take, within what a thread may have. */
static unsigned estimated_registers(const ptx_function *f) {
    unsigned words = 0;
    for (int r = 0; r < f->register_count && words < 255; r++) words += ptx_type_size(f->registers[r].type) > 4 ? 2 : 1;
    unsigned most = f->maxnreg != 0 ? f->maxnreg : 255;
    unsigned threads = f->maxntid[0] * f->maxntid[1] * f->maxntid[2];
    if (threads > 0 && 65536 / threads < most) most = 65536 / threads;
    words = words < 16 ? 16 : words;
    return words < most ? words : most;
}

void sim_kernel_describe(const sim_kernel *kernel, sim_kernel_info *info) {
    const ptx_function *f = kernel->entry->source;
    *info = (sim_kernel_info){.name = f->name};
    info->has_cubin = kernel->resources != NULL;
    info->registers = kernel->resources != NULL ? kernel->resources->registers : estimated_registers(f);
    info->static_shared = kernel->resources != NULL ? kernel->resources->shared_bytes : kernel->entry->shared_bytes;
    info->local_bytes = kernel->resources != NULL ? kernel->resources->local_bytes : kernel->entry->frame_bytes;
    const ptx_module *p = kernel->module->ptx;
    for (int k = 0; k < p->variable_count; k++)
        if (p->variables[k].space == PTX_CONST) info->const_bytes += (unsigned)p->variables[k].size;
    const device_model *model = device_model_current();
    unsigned most = 1024;
    if (info->registers > 0) {
        const unsigned per_warp = (unsigned)align_up(info->registers * 32u, model->register_granularity);
        /* Four schedulers share the register file; each warp lies within one. */
        const unsigned warps = model->registers_per_sm / 4 / per_warp * 4;
        if (warps * 32 < most) most = warps * 32;
    }
    const unsigned *given = f->reqntid[0] != 0 ? f->reqntid : f->maxntid;
    if (given[0] != 0) {
        const unsigned threads = given[0] * (given[1] ? given[1] : 1) * (given[2] ? given[2] : 1);
        if (threads < most) most = threads;
    }
    info->max_threads = most;
    memcpy(info->reqntid, f->reqntid, sizeof info->reqntid);
    for (int k = 0; f->reqnctapercluster[0] != 0 && k < 3; k++)
        info->reqcluster[k] = f->reqnctapercluster[k] ? f->reqnctapercluster[k] : 1;
    info->max_cluster_rank = f->maxclusterrank;
    info->explicit_cluster = f->explicitcluster;
    info->ptx_version = 90;
    unsigned version = 0;
    if (sscanf(p->target, "sm_%u", &version) == 1) info->ptx_version = version;
    info->binary_version = model->cc_major * 10 + model->cc_minor;
    info->param_count = (unsigned)f->param_count;
    info->max_dynamic_shared = kernel->max_dynamic_shared;
}

void sim_kernel_set_max_dynamic_shared(sim_kernel *kernel, unsigned bytes) {
    kernel->max_dynamic_shared = bytes;
}

bool sim_kernel_param(const sim_kernel *kernel, unsigned index, size_t *offset, size_t *size) {
    const ptx_function *f = kernel->entry->source;
    if (index >= (unsigned)f->param_count) return false;
    *offset = kernel->entry->formals[f->return_count + (int)index];
    *size = f->params[index].size;
    return true;
}

const function *sim_kernel_entry(const sim_kernel *kernel) {
    return kernel->entry;
}
uint32_t sim_kernel_shared_end(const sim_kernel *kernel, uint64_t dynamic) {
    const uint32_t own = SHARED_RESERVED + kernel->entry->shared_bytes;
    const uint64_t end = (uint64_t)kernel->module->dynamic_offset + dynamic;
    return dynamic > 0 ? (uint32_t)end : own;
}

static bool function_uses_async_proxy(const ptx_function *f) {
    static const char *const families[] = {"cp.async.bulk", "cp.reduce.async.bulk", "wgmma"};
    for (int k = 0; k < f->instruction_count; k++)
        for (size_t n = 0; n < sizeof families / sizeof *families; n++)
            if (strncmp(f->instructions[k].opcode, families[n], strlen(families[n])) == 0) return true;
    return false;
}

bool sim_kernel_uses_async_proxy(const sim_kernel *kernel) {
    const ptx_module *p = kernel->module->ptx;
    int known = __atomic_load_n(&kernel->async_proxy, __ATOMIC_RELAXED);
    if (known == 0) {
        bool uses = function_uses_async_proxy(kernel->entry->source);
        for (int k = 0; k < p->function_count && !uses; k++) /* it may call any of them */
            uses = !p->functions[k].is_entry && function_uses_async_proxy(&p->functions[k]);
        known = uses ? 2 : 1;
        __atomic_store_n((int *)&kernel->async_proxy, known, __ATOMIC_RELAXED);
    }
    return known == 2;
}
