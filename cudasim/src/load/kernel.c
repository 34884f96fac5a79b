/* Kernels: what they need, and their launches. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/align.h"
#include "base/device_model.h"
#include "load/loaded.h"
#include "machine/observe.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. */
static bool decode(sim_kernel *kernel, char *error, size_t error_size) {
    if (!kernel->decoded)
        kernel->decoded = functions_decode(kernel->module, kernel->entry, error, error_size) &&
                          functions_decode_named(kernel->module, error, error_size);
    return kernel->decoded;
}

bool sim_kernel_decode(sim_kernel *kernel, char *error, size_t error_size) {
    error[0] = '\0';
    pthread_mutex_lock(&lock);
    const bool ok = decode(kernel, error, error_size);
    pthread_mutex_unlock(&lock);
    return ok;
}

sim_kernel *sim_module_kernel(sim_module *m, const char *name, char *error, size_t error_size) {
    error[0] = '\0';
    for (int k = 0; k < m->ptx->function_count; k++) {
        const ptx_function *f = &m->ptx->functions[k];
        if (!f->is_entry || !f->has_body || strcmp(f->name, name) != 0) continue;
        sim_kernel *kernel = &m->kernels[k];
        pthread_mutex_lock(&lock);
        kernel->module = m;
        kernel->entry = &m->functions[k];
        if (!kernel->ready) kernel->resources = cubin_find(&m->cubin, name);
        if (!kernel->ready && (kernel->resources != NULL || decode(kernel, error, error_size))) {
            if (kernel->resources == NULL) kernel_estimate(kernel);
            kernel->ready = true;
            sim_kernel_info info;
            sim_kernel_describe(kernel, &info);
            kernel->max_dynamic_shared = info.static_shared < 49152 ? 49152 - info.static_shared : 0;
        }
        pthread_mutex_unlock(&lock);
        return kernel->ready ? kernel : NULL;
    }
    return NULL;
}

bool sim_kernel_code(const sim_kernel *kernel, const uint8_t **code, size_t *bytes, unsigned *arch) {
    const cubin_kernel *k = kernel->resources;
    if (k == NULL || k->code == NULL) return false;
    *code = k->code;
    *bytes = k->code_bytes;
    *arch = kernel->module->cubin_arch;
    return true;
}

void sim_kernel_describe(const sim_kernel *kernel, sim_kernel_info *info) {
    const ptx_function *f = kernel->entry->source;
    *info = (sim_kernel_info){.name = f->name};
    info->has_cubin = kernel->resources != NULL;
    const cubin_kernel *needs = kernel->resources != NULL ? kernel->resources : &kernel->estimate;
    info->registers = needs->registers;
    info->static_shared = needs->shared_bytes;
    info->local_bytes = needs->local_bytes;
    const ptx_module *p = kernel->module->ptx;
    for (int k = 0; k < p->variable_count; k++)
        if (p->variables[k].space == PTX_CONST) info->const_bytes += (unsigned)p->variables[k].size;
    const device_model *model = device_model_current();
    const unsigned warps = device_model_warps_by_registers(info->registers), most = warps < 32 ? warps * 32 : 1024;
    const unsigned declared = declared_threads(f);
    info->max_threads = declared != 0 && declared < most ? declared : most;
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

unsigned sim_kernel_param_align(const sim_kernel *kernel, unsigned index) {
    return kernel->entry->source->params[index].align;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* First address past a block's shared memory with `dynamic` bytes of dynamic shared memory. */
static uint32_t shared_end(const sim_kernel *kernel, uint64_t dynamic) {
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

/* Does its module contain instructions of the asynchronous proxy: bulk copies, wgmma? */
static bool uses_async_proxy(const sim_kernel *kernel) {
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

/* setmaxnreg counts from what the kernel was compiled for, and has no effect where neither .maxnreg nor a number of
 * threads was given. */
static unsigned own_registers(const sim_kernel *kernel, unsigned registers) {
    const ptx_function *f = kernel->entry->source;
    return f->maxnreg != 0 || declared_threads(f) != 0 ? registers : 0;
}

sim_running *sim_launch_begin(sim_kernel *kernel, const sim_launch_config *config, const void *params) {
    sim_kernel_info info;
    sim_kernel_describe(kernel, &info);
    observer *watches = observers_get();
    if (watches != NULL && !functions_watch(kernel->module, kernel->entry)) return NULL;
    const launch_spec spec = {.entry = watches != NULL ? kernel->entry->watched : kernel->entry,
                              .observer = watches,
                              .config = *config,
                              .shared_end = shared_end(kernel, config->dynamic_shared),
                              .registers = info.registers,
                              .static_shared = info.static_shared,
                              .own_registers = own_registers(kernel, info.registers),
                              .async_proxy = uses_async_proxy(kernel)};
    return launch_begin(&spec, params);
}

sim_status sim_launch(sim_kernel *kernel, const sim_launch_config *config, const void *params) {
    sim_status status = SIM_NO_MEMORY;
    sim_running *running = sim_launch_begin(kernel, config, params);
    if (running != NULL) {
        sim_launch_work(running, 0, 0);
        sim_launch_end(running, 0, &status);
    }
    return status;
}
