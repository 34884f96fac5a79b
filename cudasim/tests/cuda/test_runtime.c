/* The simulator's CUDA runtime, over a machine that is faked here: a launch only notes that it happened. */
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
    (void)module;
    *address = variable;
    *size = 64;
    return strcmp(name, "variable") == 0;
}

sim_kernel *sim_module_kernel(sim_module *module, const char *name, char *error, size_t size) {
    (void)module, (void)error, (void)size;
    return strcmp(name, "plain") == 0 ? &plain : strcmp(name, "heavy") == 0 ? &heavy : NULL;
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
    (void)kernel;
    *offset = 0;
    *size = 1;
    return index == 0;
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
    (void)kernel;
    static struct launch running;
    launched = *config;
    running = (struct launch){*(const char *)params, next_status, next_is_long};
    next_status = SIM_OK;
    next_is_long = false;
    return &running;
}

void sim_launch_work(sim_running *running, int number, double until) {
    (void)number;
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
    (void)seconds;
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
    (void)data, (void)limit, (void)error, (void)size;
    *fat = (fatbin){NULL, 0};
    return true;
}

void fatbin_close(fatbin *fat) {
    (void)fat;
}

const fatbin_entry *fatbin_choose_ptx(const fatbin *fat, unsigned arch, char *error, size_t size) {
    (void)fat, (void)arch, (void)error, (void)size;
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
    (void)state;
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
    (void)state;
    __cudaUnregisterFatBinary(module);
    __cudaUnregisterFatBinary(bad_module);
    return 0;
}

/* Every test begins with a fresh device. */
static int reset(void **state) {
    cudaGetLastError(); /* of a test whose last calls were to fail */
    (void)state;
    memset(order, 0, sizeof(order));
    plain.max_dynamic = heavy.max_dynamic = 48 * 1024;
    plain.max_threads = heavy.max_threads = 1024;
    return cudaDeviceReset();
}

static cudaError_t launch(const void *host, unsigned grid, unsigned block, size_t shared, char name,
                          cudaStream_t stream) {
    void *args[] = {&name};
    return cudaLaunchKernel(host, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, shared, stream);
}

/* ---- launches ---- */

static void configurations(void **state) {
    (void)state;
    OK(launch(&plain_host, 1, 1024, 0, 'a', NULL));
    assert_string_equal(order, "a");
    GIVES(launch(&plain_host, 0, 32, 0, 'b', NULL), cudaErrorInvalidValue);
    GIVES(launch(&plain_host, 1, 0, 0, 'b', NULL), cudaErrorInvalidValue);
    GIVES(launch(&plain_host, 1, 2048, 0, 'b', NULL), cudaErrorInvalidValue);
    GIVES(launch(&plain_host, 0x80000000u, 1, 0, 'b', NULL), cudaErrorInvalidValue);
    GIVES(launch(&heavy_host, 1, 1024, 0, 'b', NULL), cudaErrorLaunchOutOfResources);
    heavy.max_threads = 256; /* a bound of its own, below what its registers allow */
    GIVES(launch(&heavy_host, 1, 512, 0, 'b', NULL), cudaErrorInvalidValue);
    heavy.max_threads = 512; /* what its registers allow */
    GIVES(launch(&heavy_host, 1, 1024, 0, 'b', NULL), cudaErrorLaunchOutOfResources);
    GIVES(launch(&plain_host, 1, 32, 48 * 1024 + 1, 'b', NULL), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    GIVES(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1),
          cudaErrorInvalidValue);
    OK(launch(&plain_host, 1, 32, 227 * 1024, 'c', NULL));
    assert_string_equal(order, "ac");
    cudaGetLastError();
    OK(cudaGetLastError());
}

static void unknown_kernels(void **state) {
    (void)state;
    int other = 0;
    struct cudaFuncAttributes attributes;
    GIVES(launch(NULL, 1, 1, 0, 'a', NULL), cudaErrorInvalidDeviceFunction);
    GIVES(launch(&other, 1, 1, 0, 'a', NULL), cudaErrorInvalidResourceHandle);
    GIVES(cudaFuncGetAttributes(&attributes, &other), cudaErrorInvalidResourceHandle);
    GIVES(launch(&absent_host, 1, 1, 0, 'a', NULL), cudaErrorInvalidDeviceFunction);
    GIVES(launch(&bad_host, 1, 1, 0, 'a', NULL), cudaErrorNoKernelImageForDevice);
    GIVES(cudaPeekAtLastError(), cudaErrorNoKernelImageForDevice);
    GIVES(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
    OK(cudaGetLastError());
}

static void cooperative(void **state) {
    (void)state;
    char name = 'a';
    void *args[] = {&name};
    OK(cudaLaunchCooperativeKernel(&plain_host, (dim3){132 * 2, 1, 1}, (dim3){1024, 1, 1}, args, 0, NULL));
    GIVES(cudaLaunchCooperativeKernel(&plain_host, (dim3){132 * 2 + 1, 1, 1}, (dim3){1024, 1, 1}, args, 0, NULL),
          cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
}

static void launch_attributes(void **state) {
    (void)state;
    char name = 'a';
    void *args[] = {&name};
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {1, 1, 1}};
    cudaLaunchConfig_t config = {{1, 1, 1}, {1, 1, 1}, 0, NULL, &attribute, 1};
    OK(cudaLaunchKernelExC(&config, &plain_host, args));
    attribute.val.clusterDim.x = 2;
    GIVES(cudaLaunchKernelExC(&config, &plain_host, args), cudaErrorInvalidClusterSize); /* does not divide the grid */
    config.gridDim.x = 16;
    OK(cudaLaunchKernelExC(&config, &plain_host, args));
    assert_int_equal(launched.cluster[0], 2);
    assert_true(launched.explicit_cluster);
    attribute.val.clusterDim.x = 16;
    GIVES(cudaLaunchKernelExC(&config, &plain_host, args), cudaErrorInvalidClusterSize); /* not portable */
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaLaunchKernelExC(&config, &plain_host, args));
    assert_int_equal(launched.cluster[0], 16);
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    OK(cudaLaunchKernelExC(&config, &plain_host, args));
    attribute.id = (cudaLaunchAttributeID)15;
    GIVES(cudaLaunchKernelExC(&config, &plain_host, args), cudaErrorInvalidValue);
    assert_string_equal(order, "aaaa");
    cudaGetLastError();
}

static cudaError_t cluster_launch(unsigned grid, unsigned x, unsigned y) {
    char name = 'a';
    void *args[] = {&name};
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {x, y, 1}};
    cudaLaunchConfig_t config = {{grid, 2, 1}, {32, 1, 1}, 0, NULL, &attribute, 1};
    launched = (sim_launch_config){0};
    return cudaLaunchKernelExC(&config, &plain_host, args);
}

static bool was_cluster(unsigned x, unsigned y, unsigned z, bool is_explicit) {
    return launched.cluster[0] == x && launched.cluster[1] == y && launched.cluster[2] == z &&
           launched.explicit_cluster == is_explicit;
}

static void clusters(void **state) {
    (void)state;
    char name = 'a';
    void *args[] = {&name};
    const dim3 eight = {8, 2, 1}, warp = {32, 1, 1};
    struct cudaFuncAttributes attributes;
    OK(cudaLaunchKernel(&plain_host, eight, warp, args, 0, NULL));
    assert_true(was_cluster(1, 1, 1, false));
    OK(cluster_launch(8, 4, 2));
    assert_true(was_cluster(4, 2, 1, true));
    OK(cluster_launch(8, 1, 1));
    assert_true(was_cluster(1, 1, 1, true));
    GIVES(cluster_launch(8, 3, 1), cudaErrorInvalidClusterSize);
    GIVES(cluster_launch(18, 9, 1), cudaErrorInvalidClusterSize);
    GIVES(cluster_launch(8, 0, 1), cudaErrorInvalidClusterSize);
    GIVES(cluster_launch(8, 0x10001, 0x10000), cudaErrorInvalidClusterSize);
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cluster_launch(18, 9, 1));
    GIVES(cluster_launch(34, 17, 1), cudaErrorInvalidClusterSize);
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));

    /* What the program requires at run time, */
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterWidth, 2));
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterHeight, 2));
    OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterDepth, 1));
    OK(cudaLaunchKernel(&plain_host, eight, warp, args, 0, NULL));
    assert_true(was_cluster(2, 2, 1, true));
    GIVES(cudaLaunchKernel(&plain_host, (dim3){7, 2, 1}, warp, args, 0, NULL), cudaErrorInvalidClusterSize);
    GIVES(cluster_launch(8, 4, 1), cudaErrorInvalidClusterSize);
    OK(cudaFuncGetAttributes(&attributes, &plain_host));
    assert_int_equal(attributes.requiredClusterHeight, 2);
    for (int k = 0; k < 3; k++)
        OK(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterWidth + (unsigned)k, 0));

    /* and what the kernel itself does. */
    plain.cluster[0] = 4, plain.cluster[1] = plain.cluster[2] = 1, plain.explicit_cluster = true;
    OK(cudaLaunchKernel(&plain_host, eight, warp, args, 0, NULL));
    assert_true(was_cluster(4, 1, 1, true));
    OK(cluster_launch(8, 4, 1));
    GIVES(cluster_launch(8, 2, 1), cudaErrorInvalidClusterSize);
    GIVES(cudaLaunchKernel(&plain_host, (dim3){6, 1, 1}, warp, args, 0, NULL), cudaErrorInvalidClusterSize);
    GIVES(cudaFuncSetAttribute(&plain_host, cudaFuncAttributeRequiredClusterWidth, 2), cudaErrorInvalidValue);
    OK(cudaFuncGetAttributes(&attributes, &plain_host));
    assert_int_equal(attributes.requiredClusterWidth, 4);
    assert_int_equal(attributes.requiredClusterDepth, 1);
    assert_int_equal(attributes.clusterDimMustBeSet, 1);
    plain.cluster[0] = plain.cluster[1] = plain.cluster[2] = 0;
    GIVES(cudaLaunchKernel(&plain_host, eight, warp, args, 0, NULL), cudaErrorInvalidClusterSize);
    plain.explicit_cluster = false;
    plain.max_cluster_rank = 2;
    OK(cluster_launch(8, 2, 1));
    GIVES(cluster_launch(8, 4, 1), cudaErrorInvalidClusterSize);
    plain.max_cluster_rank = 0;
    cudaGetLastError();
}

/* 132 SMs in GPCs of 18, 16, 8 and 2. A block of 1024 threads and 128 registers fills an SM's half. */
static void cluster_occupancy(void **state) {
    (void)state;
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {2, 1, 1}};
    cudaLaunchConfig_t config = {{16, 1, 1}, {512, 1, 1}, 0, NULL, &attribute, 1};
    int count;
    static const struct {
        unsigned size;
        int clusters;
    } expected[] = {{1, 132}, {2, 66}, {3, 39}, {4, 30}, {8, 15}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        attribute.val.clusterDim.x = expected[k].size;
        OK(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config));
        assert_int_equal(count, expected[k].clusters);
    }
    attribute.val.clusterDim.x = 16;
    GIVES(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    GIVES(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    attribute.val.clusterDim.x = 2;
    heavy.max_cluster_rank = 4; /* counts for a launch alone */
    OK(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config));
    assert_int_equal(count, 8);
    heavy.max_cluster_rank = 0;
    attribute.val.clusterDim.x = 16;
    OK(cudaFuncSetAttribute(&heavy_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config));
    assert_int_equal(count, 7);
    OK(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config));
    assert_int_equal(count, 16);
    OK(cudaFuncSetAttribute(&heavy_host, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    config.numAttrs = 0;
    GIVES(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    heavy.cluster[0] = 4, heavy.cluster[1] = heavy.cluster[2] = 1;
    OK(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config));
    assert_int_equal(count, 30);
    OK(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config));
    assert_int_equal(count, 4);
    config.numAttrs = 1;
    GIVES(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    GIVES(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config), cudaErrorInvalidClusterSize);
    attribute.val.clusterDim.x = 4;
    OK(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config));
    assert_int_equal(count, 4);
    for (config.numAttrs = 0; config.numAttrs < 2; config.numAttrs++) {
        config.gridDim.x = 0;
        GIVES(cudaOccupancyMaxActiveClusters(&count, &heavy_host, &config), cudaErrorInvalidValue);
        GIVES(cudaOccupancyMaxPotentialClusterSize(&count, &heavy_host, &config), cudaErrorInvalidValue);
    }
    heavy.cluster[0] = 0;
    cudaGetLastError();
}

static void cluster_graph(void **state) {
    (void)state;
    char name = 'a';
    void *args[] = {&name};
    struct cudaKernelNodeParams params = {
        .func = (void *)&plain_host, .gridDim = {8, 1, 1}, .blockDim = {32, 1, 1}, .kernelParams = args};
    cudaLaunchAttributeValue value = {.clusterDim = {4, 1, 1}}, read;
    cudaGraph_t graph;
    cudaGraphNode_t node, other;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    OK(cudaGraphAddKernelNode(&other, graph, &node, 1, &params));
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
    value.clusterDim.x = 3;
    GIVES(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value),
          cudaErrorInvalidClusterSize);
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &read));
    assert_int_equal(read.clusterDim.x, 4);
    params.gridDim.x = 12;
    OK(cudaGraphKernelNodeSetParams(node, &params));
    params.gridDim.x = 10;
    GIVES(cudaGraphKernelNodeSetParams(node, &params), cudaErrorInvalidClusterSize);
    OK(cudaGraphKernelNodeCopyAttributes(other, node));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaStreamSynchronize(NULL));
    assert_true(was_cluster(4, 1, 1, true));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    cudaGetLastError();
}

static void call_configurations(void **state) {
    (void)state;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    assert_int_equal(__cudaPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7, (void *)8), 0);
    assert_int_equal(__cudaPushCallConfiguration((dim3){9, 1, 1}, (dim3){1, 1, 1}, 0, NULL), 0);
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    assert_int_equal(grid.x, 9);
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    assert_int_equal(grid.z * 100 + block.y * 10 + shared, 357);
    assert_ptr_equal(stream, (void *)8);
    GIVES(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
    cudaGetLastError();
}

/* A fault is told by every call that needs the device until that is reset, and by the last error only after such. */
static void sticky_errors(void **state) {
    (void)state;
    void *p;
    int flushed = flushes, number;
    struct cudaPointerAttributes attributes;
    next_status = SIM_ILLEGAL_ADDRESS;
    OK(launch(&plain_host, 1, 1, 0, 'a', NULL));
    OK(cudaPeekAtLastError());
    OK(cudaGetLastError());
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    assert_true(flushes > flushed);
    GIVES(cudaPeekAtLastError(), cudaErrorIllegalAddress);
    GIVES(cudaGetLastError(), cudaErrorIllegalAddress);
    OK(cudaGetLastError());
    OK(cudaGetDeviceCount(&number));
    OK(cudaSetDevice(0));
    OK(cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0));
    OK(cudaPointerGetAttributes(&attributes, &number));
    OK(cudaGetLastError());
    GIVES(cudaMalloc(&p, 4), cudaErrorIllegalAddress);
    GIVES(launch(&plain_host, 1, 1, 0, 'b', NULL), cudaErrorIllegalAddress);
    GIVES(cudaGetLastError(), cudaErrorIllegalAddress);
    OK(cudaGetLastError());
    assert_string_equal(order, "a");
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    OK(launch(&plain_host, 1, 1, 0, 'b', NULL));
    OK(cudaDeviceSynchronize());
    next_status = SIM_STACK_ERROR;
    OK(launch(&plain_host, 1, 1, 0, 'c', NULL));
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

/* ---- memory ---- */

static void pointers(void **state) {
    (void)state;
    void *p = &p, *q;
    OK(cudaMalloc(&p, 0));
    assert_null(p);
    OK(cudaFree(NULL));
    OK(cudaMalloc(&p, 1000));
    OK(cudaMalloc(&q, 1000));
    assert_int_equal((uintptr_t)p % 256, 0);
    GIVES(cudaFree((char *)p + 1), cudaErrorInvalidValue);
    GIVES(cudaFree(&q), cudaErrorInvalidValue);
    struct cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, (char *)p + 999));
    assert_int_equal(a.type, cudaMemoryTypeDevice);
    OK(cudaPointerGetAttributes(&a, &q));
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    OK(cudaFree(p));
    GIVES(cudaFree(p), cudaErrorInvalidValue);
    GIVES(cudaMemset(p, 0, 1), cudaErrorInvalidValue);
    size_t before, after, total;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaMalloc(&p, 1 << 20));
    OK(cudaMemGetInfo(&after, &total));
    assert_int_equal(before - after, 1 << 20);
    GIVES(cudaMalloc(&q, total), cudaErrorMemoryAllocation);
    cudaGetLastError();
}

static void copies(void **state) {
    (void)state;
    char host[16] = "fifteen letters", back[16] = "";
    void *p, *q;
    OK(cudaMalloc(&p, 16));
    OK(cudaMalloc(&q, 16));
    OK(cudaMemcpy(p, host, 16, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(q, p, 16, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(back, q, 16, cudaMemcpyDefault));
    assert_string_equal(back, host);
    GIVES(cudaMemcpy(back, q, 17, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(back, (char *)q + 1, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(p, q, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpy(p, host, 4, (enum cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
    GIVES(cudaMemcpy(NULL, host, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    OK(cudaMemset(p, 'x', 3));
    OK(cudaMemcpy2D(back, 8, p, 4, 2, 2, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, "xx", 2);
    assert_memory_equal(back + 8, "ee", 2);
    GIVES(cudaMemcpy2D(back, 1, p, 4, 2, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GIVES(cudaMemcpy2D(back, 1, p, 4, 2, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    OK(cudaMemcpy(q, p, 4, cudaMemcpyHostToHost));
    GIVES(cudaMemcpy2D(back, 8, p, SIZE_MAX / 2, 2, 5, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    cudaGetLastError();
}

/* Boxes within a box of 8 x 4 x 2 bytes. */
static void copies_3d(void **state) {
    (void)state;
    char host[64], back[64];
    struct cudaPitchedPtr box;
    for (int i = 0; i < 64; i++) host[i] = (char)i;
    memset(back, -1, sizeof(back));
    OK(cudaMalloc3D(&box, (struct cudaExtent){8, 4, 2}));
    struct cudaMemcpy3DParms to = {
        .srcPtr = {host, 8, 8, 4}, .dstPtr = box, .extent = {8, 4, 2}, .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&to));
    struct cudaMemcpy3DParms from = {.srcPtr = box,
                                     .srcPos = {2, 1, 1},
                                     .dstPtr = {back, 8, 8, 4},
                                     .extent = {4, 2, 1},
                                     .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&from));
    assert_memory_equal(back, host + 32 + 8 + 2, 4);
    assert_memory_equal(back + 8, host + 32 + 16 + 2, 4);
    assert_int_equal(back[4], -1);
    from.dstPos.x = 5; /* a row would end past the pitch */
    GIVES(cudaMemcpy3D(&from), cudaErrorInvalidValue);
    from.dstPos.x = 0;
    from.srcPos.z = 2; /* there is no such slice */
    GIVES(cudaMemcpy3D(&from), cudaErrorInvalidValue);
    from.srcPos = (struct cudaPos){0, 3, 0}; /* rows of the next slice */
    from.extent.depth = 2;
    GIVES(cudaMemcpy3D(&from), cudaErrorInvalidValue);
    from.extent.depth = 0;
    OK(cudaMemcpy3D(&from));
    cudaGetLastError();
}

/* More than the host's kernel would map one by one; each is found within its bounds only. */
static void many_allocations(void **state) {
    (void)state;
    enum { MANY = 70000 };
    char **all = malloc(MANY * sizeof(*all));
    for (int i = 0; i < MANY; i++) {
        OK(cudaMalloc((void **)&all[i], 16));
        if (i % 1000 == 0) OK(cudaMemset(all[i], i / 1000, 16));
    }
    for (int i = 0; i < MANY; i += 1000) {
        char last;
        OK(cudaMemcpy(&last, all[i] + 15, 1, cudaMemcpyDeviceToHost));
        assert_int_equal(last, i / 1000);
        GIVES(cudaMemset(all[i] + 15, 0, 2), cudaErrorInvalidValue);
        assert_null(memory_find((uint64_t)(uintptr_t)all[i] + 16));
        assert_null(memory_find((uint64_t)(uintptr_t)all[i] + 16 + 255));
        assert_null(memory_find((uint64_t)(uintptr_t)all[i] - 1));
    }
    for (int i = 0; i < MANY; i++) {
        OK(cudaFree(all[i]));
        assert_null(memory_find((uint64_t)(uintptr_t)all[i]));
    }
    void *large, *small;
    for (int i = 0; i < 100; i++) {
        OK(cudaMalloc(&large, 3 << 20));
        OK(cudaMalloc(&small, 1000));
        OK(cudaMemset(large, 1, 3 << 20));
        OK(cudaMemset(small, 1, 1000));
        OK(cudaFree(large));
        OK(cudaFree(small));
    }
    free(all);
    cudaGetLastError();
}

static void host_memory(void **state) {
    (void)state;
    void *pinned, *device;
    char own[64];
    unsigned flags;
    OK(cudaHostAlloc(&pinned, 100, cudaHostAllocPortable));
    OK(cudaHostGetFlags(&flags, pinned));
    assert_true(flags & cudaHostAllocPortable);
    GIVES(cudaFree(pinned), cudaErrorInvalidValue);
    OK(cudaFreeHost(pinned));
    OK(cudaHostRegister(own, sizeof(own), cudaHostRegisterMapped));
    GIVES(cudaHostRegister(own, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostGetDevicePointer(&device, own, 0));
    assert_ptr_equal(device, own);
    OK(cudaHostUnregister(own));
    GIVES(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    OK(cudaMallocManaged(&device, 8, cudaMemAttachGlobal));
    *(int *)device = 3;
    OK(cudaFree(device));
    cudaGetLastError();
}

static void symbols(void **state) {
    (void)state;
    void *address;
    size_t size;
    int value = 42, other = 0;
    OK(cudaGetSymbolAddress(&address, &variable_host));
    assert_int_equal((uintptr_t)address, variable);
    OK(cudaGetSymbolSize(&size, &variable_host));
    assert_int_equal(size, 64);
    OK(cudaMemcpyToSymbol(&variable_host, &value, 4, 60, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(&other, &variable_host, 4, 60, cudaMemcpyDeviceToHost));
    assert_int_equal(other, 42);
    GIVES(cudaMemcpyToSymbol(&variable_host, &value, 4, 61, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    GIVES(cudaMemcpyToSymbol(&variable_host, &value, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    GIVES(cudaGetSymbolSize(&size, &plain_host), cudaErrorInvalidSymbol);
    cudaGetLastError();
}

static void pools(void **state) {
    (void)state;
    cudaMemPool_t pool;
    void *p;
    uint64_t used;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMallocAsync(&p, 100, NULL));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    assert_int_equal(used, 100);
    OK(cudaFreeAsync(p, NULL));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    assert_int_equal(used, 0);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used));
    assert_int_equal(used, 100);
}

/* ---- streams and events ---- */

static void streams(void **state) {
    (void)state;
    cudaStream_t s;
    unsigned flags;
    int priority;
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -99));
    OK(cudaStreamGetFlags(s, &flags));
    OK(cudaStreamGetPriority(s, &priority));
    assert_int_equal(flags, cudaStreamNonBlocking);
    assert_int_equal(priority, -5);
    OK(cudaStreamSynchronize(s));
    OK(cudaStreamQuery(cudaStreamPerThread));
    OK(launch(&plain_host, 1, 1, 0, 'a', cudaStreamLegacy));
    OK(cudaStreamDestroy(s));
    GIVES(launch(&plain_host, 1, 1, 0, 'b', s), cudaErrorInvalidResourceHandle);
    GIVES(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

static void events(void **state) {
    (void)state;
    cudaEvent_t a, b, untimed;
    float ms = -1;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    GIVES(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(a, NULL));
    OK(cudaEventRecord(b, NULL));
    OK(cudaEventRecord(untimed, NULL));
    OK(cudaEventElapsedTime(&ms, a, b));
    assert_true(ms >= 0);
    GIVES(cudaEventElapsedTime(&ms, a, untimed), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(a));
    GIVES(cudaEventRecord(a, NULL), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

/* ---- work that goes on while the host does ---- */

static void host_function(void *data) {
    strcat(order, data);
}

static struct cudaKernelNodeParams kernel_params(void **args) {
    return (struct cudaKernelNodeParams){&plain_host, {1, 1, 1}, {1, 1, 1}, 0, args, NULL};
}

static void *let_it_go(void *unused) {
    usleep(50000);
    assert_true(host_waits);
    let_go = true;
    return unused;
}

static pthread_t helper;

/* A kernel that has not ended when its launch has, */
static void begin_long(char name, cudaStream_t stream) {
    let_go = false;
    next_is_long = true;
    OK(launch(&plain_host, 1, 1, 0, name, stream));
    assert_int_equal(strchr(order, name) != NULL, 0);
    GIVES(cudaStreamQuery(stream), cudaErrorNotReady);
    GIVES(cudaGetLastError(), cudaErrorNotReady);
}
/* but does when somebody has waited for it a while. */
static void soon(void) {
    assert_int_equal(pthread_create(&helper, NULL, let_it_go, NULL), 0);
}
static void is_over(const char *expected) {
    pthread_join(helper, NULL);
    assert_string_equal(order, expected);
}

static void streams_go_on(void **state) {
    (void)state;
    cudaStream_t s, t, blocking;
    cudaEvent_t before, after;
    float ms;
    char *device, *pinned;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&blocking));
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&after));
    OK(cudaMalloc((void **)&device, 64));
    OK(cudaMallocHost((void **)&pinned, 64));
    OK(cudaEventRecord(before, s));
    begin_long('a', s);
    OK(launch(&plain_host, 1, 1, 0, 'b', s));
    OK(cudaLaunchHostFunc(s, host_function, "h"));
    OK(cudaMemsetAsync(device, 5, 64, s));
    OK(cudaMemcpyAsync(pinned + 32, device, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaEventRecord(after, s));
    GIVES(cudaEventQuery(after), cudaErrorNotReady);
    GIVES(cudaEventElapsedTime(&ms, before, after), cudaErrorNotReady);
    cudaGetLastError();
    OK(cudaEventQuery(before));
    OK(cudaEventSynchronize(before));
    /* Streams that do not wait for this one */
    OK(cudaStreamQuery(t));
    OK(cudaStreamSynchronize(NULL));
    OK(cudaMemsetAsync(device, 3, 64, t));
    OK(cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, t));
    OK(cudaStreamSynchronize(t));
    OK(cudaMemcpy(pinned + 8, device, 4, cudaMemcpyDeviceToHost));
    assert_int_equal(pinned[0], 3);
    assert_int_equal(pinned[8], 3);
    assert_int_equal(pinned[32], 0);
    /* and one that is made to; so do those that wait for the legacy stream. */
    OK(cudaStreamWaitEvent(NULL, after, 0));
    OK(cudaLaunchHostFunc(blocking, host_function, "i"));
    GIVES(cudaStreamQuery(blocking), cudaErrorNotReady);
    cudaGetLastError();
    assert_string_equal(order, "");
    soon();
    OK(cudaStreamSynchronize(blocking));
    is_over("abhi");
    assert_int_equal(pinned[32], 5);
    OK(cudaEventElapsedTime(&ms, before, after));
    assert_true(ms >= 0);
    assert_int_equal(host_waits, 0);
}

/* What waits for work of the legacy stream, all at once or by its own means. */
static void what_waits(void **state) {
    (void)state;
    char *device, *pinned, pageable[8] = {0};
    cudaStream_t s;
    cudaEvent_t event;
    for (int way = 0; way < 9; way++) {
        memset(order, 0, sizeof order);
        OK(cudaMalloc((void **)&device, 64));
        OK(cudaMallocHost((void **)&pinned, 64));
        OK(cudaEventCreate(&event));
        OK(cudaStreamCreate(&s));
        OK(cudaMemset(device, way, 64));
        begin_long('a', NULL);
        OK(cudaMemset(device, 20 + way, 64)); /* not this */
        OK(cudaEventRecord(event, NULL));
        assert_string_equal(order, "");
        soon();
        if (way == 0) OK(cudaDeviceSynchronize());
        if (way == 1) OK(cudaStreamSynchronize(NULL));
        if (way == 2) OK(cudaEventSynchronize(event));
        if (way == 3) OK(cudaMemcpy(pinned, device, 4, cudaMemcpyDeviceToHost));
        if (way == 4) OK(cudaMemcpyAsync(pageable, device, 4, cudaMemcpyDeviceToHost, s)); /* is not pinned */
        if (way == 5) OK(cudaFree(device));
        if (way == 6) OK(cudaFreeHost(pinned));
        if (way == 7) OK(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
        if (way == 8) OK(cudaDeviceReset());
        is_over("a");
        if (way == 3) assert_int_equal(pinned[0], 23);
        if (way == 4) assert_int_equal(pageable[0], 24);
        OK(cudaDeviceReset());
    }
}

static void status_of_stream(cudaStream_t stream, cudaError_t status, void *data) {
    (void)stream;
    *(cudaError_t *)data = status;
}

static void late_errors(void **state) {
    (void)state;
    cudaError_t told = cudaSuccess;
    next_status = SIM_ILLEGAL_ADDRESS;
    begin_long('a', NULL);
    OK(launch(&plain_host, 1, 1, 0, 'b', NULL));
    OK(cudaStreamAddCallback(NULL, status_of_stream, &told, 0));
    OK(cudaGetLastError());
    soon();
    GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    is_over("a");
    assert_int_equal(told, cudaErrorIllegalAddress);
    GIVES(cudaGetLastError(), cudaErrorIllegalAddress);
    GIVES(launch(&plain_host, 1, 1, 0, 'c', NULL), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    /* Memory that the host lacks is told by the launch, where it still can, and is no fault. */
    next_status = SIM_NO_MEMORY;
    GIVES(launch(&plain_host, 1, 1, 0, 'd', NULL), cudaErrorMemoryAllocation);
    OK(cudaDeviceSynchronize());
    next_status = SIM_NO_MEMORY;
    begin_long('e', NULL);
    soon();
    GIVES(cudaDeviceSynchronize(), cudaErrorMemoryAllocation);
    is_over("ade");
}

/* What was asked for runs, whatever has become of the handles; a free comes when its turn does. */
static void handles_may_go(void **state) {
    (void)state;
    char name = 'g', *device, pinned_text[] = "x";
    void *args[] = {&name};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b;
    cudaStream_t s;
    cudaEvent_t event;
    struct cudaKernelNodeParams params = kernel_params(args);
    struct cudaHostNodeParams host = {host_function, "h"};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddHostNode(&a, graph, NULL, 0, &host));
    OK(cudaGraphAddKernelNode(&b, graph, &a, 1, &params));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreate(&event));
    OK(cudaMallocAsync((void **)&device, 64, s));
    begin_long('a', s);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaMemsetAsync(device, 1, 64, s));
    OK(cudaFreeAsync(device, s));
    assert_non_null(memory_find((uint64_t)(uintptr_t)device));
    OK(cudaLaunchHostFunc(s, host_function, pinned_text));
    OK(cudaEventRecord(event, s));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(s));
    assert_string_equal(order, "");
    soon();
    OK(cudaDeviceSynchronize());
    is_over("ahgx");
    assert_null(memory_find((uint64_t)(uintptr_t)device));
}

/* ---- graphs ---- */

static void capture_fork_and_join(void **state) {
    (void)state;
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes, edges;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(launch(&plain_host, 1, 1, 0, 'a', s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    OK(launch(&plain_host, 1, 1, 0, 'b', t));
    OK(launch(&plain_host, 1, 1, 0, 'c', s));
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(launch(&plain_host, 1, 1, 0, 'd', s));
    OK(cudaStreamEndCapture(s, &graph));
    assert_string_equal(order, "");
    OK(cudaGraphGetNodes(graph, NULL, &nodes));
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    assert_int_equal(nodes, 4);
    assert_int_equal(edges, 4);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    assert_string_equal(order, "abcdabcd");
    OK(cudaGraphExecDestroy(exec));
}

static void capture_errors(void **state) {
    (void)state;
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaGraph_t graph;
    void *p;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&e));
    GIVES(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorIllegalState);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GIVES(cudaMalloc(&p, 4), cudaErrorStreamCaptureUnsupported);
    GIVES(launch(&plain_host, 1, 1, 0, 'a', s), cudaErrorStreamCaptureInvalidated);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    assert_null(graph);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&p, 4));
    GIVES(launch(&plain_host, 1, 1, 0, 'a', NULL), cudaErrorStreamCaptureImplicit);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    OK(launch(&plain_host, 1, 1, 0, 'a', t));
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureUnjoined);
    GIVES(cudaEventSynchronize(e), cudaErrorInvalidValue);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GIVES(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    assert_string_equal(order, "");
    cudaGetLastError();
}

/* The legacy stream waits for the streams of a capture, unless all of them are non-blocking. */
static void capture_and_legacy(void **state) {
    (void)state;
    cudaStream_t s, t;
    cudaEvent_t e, join;
    cudaGraph_t graph;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(e, s));
    OK(launch(&plain_host, 1, 1, 0, 'a', NULL));
    OK(cudaStreamWaitEvent(t, e, 0));
    GIVES(launch(&plain_host, 1, 1, 0, 'b', NULL), cudaErrorStreamCaptureImplicit);
    GIVES(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(launch(&plain_host, 1, 1, 0, 'c', NULL));
    assert_string_equal(order, "ac");
    cudaGetLastError();
}

/* Arguments are copied when a node is added; dependencies, not the order of adding, decide. */
static void explicit_graph(void **state) {
    (void)state;
    cudaGraph_t graph, clone, child;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, b, c, d, h, found;
    char name = 'a';
    void *args[] = {&name};
    struct cudaKernelNodeParams params = kernel_params(args), got;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    OK(cudaGraphAddKernelNode(&a, graph, NULL, 0, &params));
    name = 'b';
    OK(cudaGraphAddKernelNode(&b, graph, NULL, 0, &params));
    OK(cudaGraphAddDependencies(graph, &b, &a, NULL, 1));
    struct cudaHostNodeParams host = {host_function, "h"};
    OK(cudaGraphAddHostNode(&h, graph, &a, 1, &host));
    name = 'c';
    OK(cudaGraphAddKernelNode(&c, child, NULL, 0, &params));
    OK(cudaGraphAddChildGraphNode(&d, graph, &h, 1, child));
    OK(cudaGraphDestroy(child));
    OK(cudaGraphKernelNodeGetParams(a, &got));
    assert_int_equal(*(char *)got.kernelParams[0], 'a');
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&found, a, clone));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, NULL));
    assert_string_equal(order, "bahc");
    name = 'z';
    OK(cudaGraphExecKernelNodeSetParams(exec, a, &params));
    OK(cudaGraphNodeSetEnabled(exec, b, 0));
    OK(cudaGraphLaunch(exec, NULL));
    assert_string_equal(order, "bahczhc");
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, clone, &info));
    OK(cudaGraphAddEmptyNode(&found, clone, NULL, 0));
    GIVES(cudaGraphExecUpdate(exec, clone, &info), cudaErrorGraphExecUpdateFailure);
    assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphAddDependencies(graph, &a, &b, NULL, 1));
    GIVES(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    cudaGetLastError();
}

/* Nodes whose memory has gone since they were made: the launch is fine, what comes after it tells. */
static void graph_of_freed_memory(void **state) {
    (void)state;
    static char host[8 << 20];
    for (int kind = 0; kind < 4; kind++) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        cudaGraphNode_t node;
        char *there;
        OK(cudaMalloc((void **)&there, sizeof host));
        OK(cudaGraphCreate(&graph, 0));
        struct cudaMemsetParams set = {.dst = there, .elementSize = 4, .width = sizeof host / 4, .height = 1};
        if (kind == 3)
            OK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &set));
        else
            OK(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, kind == 1 ? host : there, kind == 1 ? there : host,
                                        sizeof host, cudaMemcpyDefault));
        OK(cudaGraphInstantiate(&exec, graph, 0));
        OK(cudaGraphLaunch(exec, NULL));
        OK(cudaDeviceSynchronize());
        OK(cudaFree(there));
        if (kind == 2) OK(cudaMalloc((void **)&there, 4096)); /* does not come to lie there */
        OK(cudaGraphLaunch(exec, NULL));
        GIVES(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        OK(cudaDeviceReset());
    }
}

/* ---- the device ---- */

static void device(void **state) {
    (void)state;
    struct cudaDeviceProp prop;
    int value;
    char text[16];
    assert_int_equal(sizeof(prop), 1008);
    OK(cudaGetDeviceCount(&value));
    assert_int_equal(value, 1);
    GIVES(cudaSetDevice(1), cudaErrorInvalidDevice);
    OK(cudaGetDeviceProperties(&prop, 0));
    assert_string_equal(prop.name, "H200 (simulated)");
    assert_int_equal(prop.multiProcessorCount, 132);
    assert_int_equal(prop.sharedMemPerBlockOptin, 232448);
    assert_int_equal(prop.l2CacheSize, 62914560);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryClockRate, 0));
    assert_int_equal(value, 3201000);
    GIVES(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0), cudaErrorInvalidValue);
    OK(cudaDeviceGetPCIBusId(text, sizeof(text), 0));
    OK(cudaDeviceGetByPCIBusId(&value, text));
    assert_int_equal(value, 0);
    assert_string_equal(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
    cudaGetLastError();
}

/* What an H200 answers: the whole list of measured attributes is in the simulator's device, here are the odd ones. */
static void attributes(void **state) {
    (void)state;
    static const int known[][2] = {{14, 512},        {36, 3201000},    {37, 6016},      {44, 1},          {92, 0},
                                   {96, 1},          {107, 1},         {108, 39321600}, {109, 134217728}, {118, 100},
                                   {119, 9},         {126, 4},         {131, -1},       {132, 0},         {136, 0},
                                   {139, 590680286}, {140, 415174878}, {146, 0}};
    int value;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        OK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)known[i][0], 0));
        if (value != known[i][1]) fail_msg("attribute %d: %d", known[i][0], value);
    }
    for (int i = 1; i <= 147; i++) OK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)i, 0));
    for (int i = 148; i < 160; i++)
        GIVES(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)i, 0), cudaErrorInvalidValue);
    cudaGetLastError();
}

static void limits(void **state) {
    (void)state;
    static const size_t known[] = {1024, 8650752, 8388608, 0, 2048, 64, 11796480, 232448};
    size_t value;
    for (int i = 0; i < 8; i++) {
        if (i == cudaLimitDevRuntimeSyncDepth) {
            GIVES(cudaDeviceGetLimit(&value, i), cudaErrorUnsupportedLimit);
            continue;
        }
        OK(cudaDeviceGetLimit(&value, i));
        assert_int_equal(value, known[i]);
    }
    GIVES(cudaDeviceSetLimit((enum cudaLimit)99, 1), cudaErrorInvalidValue);
    cudaGetLastError(); /* cudaDeviceReset would hide that it has been seen */
    OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
    OK(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize));
    assert_int_equal(value, 0);
    OK(cudaDeviceReset());
    OK(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize));
    assert_int_equal(value, 11796480);
    cudaGetLastError();
}

/* Against NVIDIA's occupancy calculator. */
static void occupancy(void **state) {
    (void)state;
    static const struct {
        const char *arch;
        unsigned threads, registers, shared;
        int blocks;
    } known[] = {
        {"sm_90", 256, 32, 0, 8},         {"sm_90", 32, 32, 0, 32},     {"sm_90", 256, 128, 0, 2},
        {"sm_90", 256, 255, 0, 1},        {"sm_90", 128, 168, 0, 3},    {"sm_90", 128, 64, 227 * 1024, 1},
        {"sm_90", 128, 64, 49152, 4},     {"sm_80", 256, 32, 0, 8},     {"sm_80", 128, 32, 32768, 4},
        {"sm_86", 256, 32, 0, 6},         {"sm_86", 64, 32, 0, 16},     {"sm_89", 64, 32, 0, 24},
        {"sm_75", 256, 32, 0, 4},         {"sm_75", 256, 32, 32768, 2}, {"sm_90", 1024, 65, 0, 0},
        {"sm_80", 32, 32, 164 * 1024, 0},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        int blocks = device_model_blocks_per_sm(device_model_named(known[i].arch), known[i].threads, known[i].registers,
                                                known[i].shared);
        if (blocks != known[i].blocks) fail_msg("case %zu: %d blocks, not %d", i, blocks, known[i].blocks);
    }
    int blocks;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &heavy_host, 256, 0));
    assert_int_equal(blocks, 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &heavy_host, 1024, 0));
    assert_int_equal(blocks, 0);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &plain_host, 32, 48 * 1024 + 1)); /* not allowed yet */
    assert_int_equal(blocks, 0);
    size_t bytes;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &plain_host, 2, 256));
    assert_int_equal(bytes, 113 * 1024);
}

/* ---- threads ---- */

static void *work(void *unused) {
    (void)unused;
    for (int i = 0; i < 200; i++) {
        void *p;
        int value = i, back = -1;
        if (cudaMalloc(&p, 64) || cudaMemcpy(p, &value, 4, cudaMemcpyDefault) ||
            launch(&plain_host, 1, 1, 0, 'a', cudaStreamPerThread) || cudaMemcpy(&back, p, 4, cudaMemcpyDefault) ||
            back != i || cudaFree(p)) {
            return "failed";
        }
    }
    return NULL;
}

static void threads(void **state) {
    (void)state;
    pthread_t all[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&all[i], NULL, work, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(all[i], &result);
        assert_null(result);
    }
}

static void nearest(void **state) {
    (void)state;
    memory_allocation a;
    bool freed;
    uint64_t base = memory_allocate(100, 1, MEMORY_DEVICE, NULL, NULL);
    assert_null(memory_find(base + 100));
    assert_true(memory_nearest(base + 100, &a, &freed));
    assert_true(a.base == base && !freed);
    assert_true(memory_free(base));
    assert_true(memory_nearest(base + 50, &a, &freed));
    assert_true(a.base == base && freed);
    assert_false(memory_free(base));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(configurations, reset),
        cmocka_unit_test_setup(unknown_kernels, reset),
        cmocka_unit_test_setup(cooperative, reset),
        cmocka_unit_test_setup(launch_attributes, reset),
        cmocka_unit_test_setup(clusters, reset),
        cmocka_unit_test_setup(cluster_occupancy, reset),
        cmocka_unit_test_setup(cluster_graph, reset),
        cmocka_unit_test_setup(call_configurations, reset),
        cmocka_unit_test_setup(sticky_errors, reset),
        cmocka_unit_test_setup(pointers, reset),
        cmocka_unit_test_setup(copies, reset),
        cmocka_unit_test_setup(copies_3d, reset),
        cmocka_unit_test_setup(many_allocations, reset),
        cmocka_unit_test_setup(host_memory, reset),
        cmocka_unit_test_setup(symbols, reset),
        cmocka_unit_test_setup(pools, reset),
        cmocka_unit_test_setup(streams, reset),
        cmocka_unit_test_setup(events, reset),
        cmocka_unit_test_setup(streams_go_on, reset),
        cmocka_unit_test_setup(what_waits, reset),
        cmocka_unit_test_setup(late_errors, reset),
        cmocka_unit_test_setup(handles_may_go, reset),
        cmocka_unit_test_setup(capture_fork_and_join, reset),
        cmocka_unit_test_setup(capture_errors, reset),
        cmocka_unit_test_setup(capture_and_legacy, reset),
        cmocka_unit_test_setup(explicit_graph, reset),
        cmocka_unit_test_setup(graph_of_freed_memory, reset),
        cmocka_unit_test_setup(device, reset),
        cmocka_unit_test_setup(attributes, reset),
        cmocka_unit_test_setup(limits, reset),
        cmocka_unit_test_setup(occupancy, reset),
        cmocka_unit_test_setup(threads, reset),
        cmocka_unit_test_setup(nearest, reset),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
