/* What the tests of the CUDA runtime share: a machine that is faked, where a launch only notes that it happened. */
#pragma once

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>

#include "base/device_model.h"
#include "base/environment.h"
#include "base/heap.h"
#include "base/memory.h"
#include "exec/handlers.h"
#include "load/module.h"
#include "ptx/fatbin.h"

#define OK(call)         assert_int_equal(call, cudaSuccess)
#define GIVES(call, why) assert_int_equal(call, why)

/* ---- the machine ---- */

struct sim_module {
    int unused;
};
struct sim_kernel {
    const char *name;
    unsigned registers, max_dynamic, max_threads;
    unsigned cluster[3], max_cluster_rank;
    bool explicit_cluster;
};

static struct sim_kernel plain = {.name = "plain", .registers = 32, .max_dynamic = 48 * 1024, .max_threads = 1024},
                         heavy = {.name = "heavy", .registers = 128, .max_dynamic = 48 * 1024, .max_threads = 1024};
static sim_launch_config launched; /* the latest */
static char order[64];             /* the first character of each launch's argument, in order */
static sim_status next_status;     /* of the next launch */
static uint64_t variable;          /* of every module */

static char wrapper_good[64], wrapper_bad[64];
static const struct {
    int magic, version;
    const void *container;
    void *unused;
} good = {FATBIN_WRAPPER_MAGIC, 1, wrapper_good, NULL}, bad = {FATBIN_WRAPPER_MAGIC, 1, wrapper_bad, NULL};

sim_module *sim_module_load(const void *container, char *error, size_t size) {
    if (container == wrapper_bad) {
        snprintf(error, size, "no PTX in this program");
        return NULL;
    }
    variable = memory_allocate(64, 16, MEMORY_VARIABLE, "variable", NULL);
    return calloc(1, sizeof(sim_module));
}

void sim_module_unload(sim_module *module) {
    memory_free(variable);
    free(module);
}

bool sim_module_variable(const sim_module *module, const char *name, uint64_t *address, uint64_t *size) {
    *address = variable;
    *size = 64;
    return strcmp(name, "variable") == 0;
}

sim_kernel *sim_module_kernel(sim_module *module, const char *name, char *error, size_t size) {
    return strcmp(name, "plain") == 0 ? &plain : strcmp(name, "heavy") == 0 ? &heavy : NULL;
}

bool sim_kernel_decode(sim_kernel *kernel, char *error, size_t size) {
    return true;
}

void sim_kernel_describe(const sim_kernel *kernel, sim_kernel_info *info) {
    *info = (sim_kernel_info){.name = kernel->name,
                              .registers = kernel->registers,
                              .max_threads = kernel->max_threads,
                              .ptx_version = 90,
                              .binary_version = 90,
                              .param_count = 1,
                              .max_dynamic_shared = kernel->max_dynamic,
                              .reqcluster = {kernel->cluster[0], kernel->cluster[1], kernel->cluster[2]},
                              .max_cluster_rank = kernel->max_cluster_rank,
                              .explicit_cluster = kernel->explicit_cluster};
}

void sim_kernel_set_max_dynamic_shared(sim_kernel *kernel, unsigned bytes) {
    kernel->max_dynamic = bytes;
}

bool sim_kernel_param(const sim_kernel *kernel, unsigned index, size_t *offset, size_t *size) {
    *offset = 0;
    *size = 1;
    return index == 0;
}

unsigned sim_kernel_param_align(const sim_kernel *kernel, unsigned index) {
    return 4;
}

static void note(char name) {
    size_t length = strlen(order);
    if (length + 1 < sizeof(order)) order[length] = name;
}

/* A kernel that takes longer than its launch: until it is let go. */
struct launch {
    char name;
    sim_status status;
    bool is_long;
};
static bool next_is_long;
static _Atomic bool let_go;

sim_running *sim_launch_begin(sim_kernel *kernel, const sim_launch_config *config, const void *params) {
    static struct launch running;
    launched = *config;
    running = (struct launch){*(const char *)params, next_status, next_is_long};
    next_status = SIM_OK;
    next_is_long = false;
    return &running;
}

bool sim_kernel_code(const sim_kernel *kernel, const uint8_t **code, size_t *bytes, unsigned *arch) {
    return false;
}

void sim_launch_work(sim_running *running, int number, double until) {
    while (running->is_long && until == 0 && !let_go) usleep(100);
}

bool sim_launch_end(sim_running *running, double until, sim_status *status) {
    if (running->is_long && until > 0) return false;
    note(running->name);
    *status = running->status;
    return true;
}

static _Atomic int host_waits;

void sim_host_waits(int threads) {
    host_waits = threads;
}

void sim_launch_interrupt(double seconds) {
}

static _Atomic int flushes;
static uint64_t stack = 1024;

void sim_printf_flush(void) {
    flushes++;
}

void sim_set_stack_limit(uint64_t bytes) {
    stack = bytes;
}

uint64_t sim_stack_limit(void) {
    return stack;
}

void isa_choose(void) {
}

void environment_check(void) {
}

bool fatbin_open(fatbin *fat, const void *data, size_t limit, char *error, size_t size) {
    *fat = (fatbin){NULL, 0};
    return true;
}

void fatbin_close(fatbin *fat) {
}

const fatbin_entry *fatbin_choose_ptx(const fatbin *fat, unsigned arch, char *error, size_t size) {
    return NULL;
}

/* ---- what nvcc's stubs call ---- */

void **__cudaRegisterFatBinary(const void *wrapper);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, uint3 *tid,
                            uint3 *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

static char plain_host, heavy_host, absent_host, bad_host, variable_host; /* their addresses are the host pointers */
static void **module, **bad_module;

static int set_up(void **state) {
    module = __cudaRegisterFatBinary(&good);
    __cudaRegisterFunction(module, &plain_host, &plain_host, "plain", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(module, &heavy_host, &heavy_host, "heavy", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(module, &absent_host, &absent_host, "absent", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(module, &variable_host, &variable_host, "variable", 0, 64, 0, 0);
    bad_module = __cudaRegisterFatBinary(&bad);
    __cudaRegisterFunction(bad_module, &bad_host, &bad_host, "plain", -1, NULL, NULL, NULL, NULL, NULL);
    return 0;
}

static int tear_down(void **state) {
    __cudaUnregisterFatBinary(module);
    __cudaUnregisterFatBinary(bad_module);
    return 0;
}

/* Every test begins with a fresh device. */
static int reset(void **state) {
    cudaGetLastError(); /* of a test whose last calls were to fail */
    memset(order, 0, sizeof(order));
    plain.max_dynamic = heavy.max_dynamic = 48 * 1024;
    plain.max_threads = heavy.max_threads = 1024;
    return cudaDeviceReset();
}

static inline cudaError_t launch(const void *host, unsigned grid, unsigned block, size_t shared, char name,
                                 cudaStream_t stream) {
    void *args[] = {&name};
    return cudaLaunchKernel(host, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, shared, stream);
}
