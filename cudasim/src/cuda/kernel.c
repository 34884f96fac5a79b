/* Kernels as operations: the shapes, resources and clusters that a launch may have, its arguments, and how many
 * clusters the device holds. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/device_model.h"
#include "cuda/runtime.h"
#include "cuda/unchecked.h"

#define MAX_PARAMS 32764u

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

#define PORTABLE_CLUSTER 8u
#define LARGEST_CLUSTER  16u /* where the kernel allows more than the portable size */

/* Kernels say how large their clusters must be in their PTX (__cluster_dims__), programs by cudaFuncSetAttribute. */
static dim3 required_cluster(const runtime_function *f, const sim_kernel_info *info) {
    if (info->reqcluster[0] != 0) return (dim3){info->reqcluster[0], info->reqcluster[1], info->reqcluster[2]};
    return (dim3){(unsigned)f->cluster[0], (unsigned)f->cluster[1], (unsigned)f->cluster[2]};
}

/* What the device allows the kernel, */
static unsigned device_limit(const runtime_function *f) {
    return f->nonportable_cluster ? LARGEST_CLUSTER : PORTABLE_CLUSTER;
}

/* and what its launch bounds leave of that. */
static unsigned largest_cluster(const runtime_function *f, const sim_kernel_info *info) {
    const unsigned most = device_limit(f);
    return info->max_cluster_rank != 0 && info->max_cluster_rank < most ? info->max_cluster_rank : most;
}

/* The clusters of a launch: what it asks for (NULL: nothing) and what the kernel requires must agree. */
static cudaError_t choose_cluster(const runtime_function *f, const sim_kernel_info *info, const dim3 *asked,
                                  dim3 *cluster, bool *is_explicit) {
    const dim3 required = required_cluster(f, info);
    *is_explicit = asked != NULL || required.x != 0;
    *cluster = asked != NULL ? *asked : required.x != 0 ? required : (dim3){1, 1, 1};
    if (asked == NULL && required.x == 0 && info->explicit_cluster) return cudaErrorInvalidClusterSize;
    if (cluster->x == 0 || cluster->y == 0 || cluster->z == 0) return cudaErrorInvalidValue;
    if (required.x != 0 && (cluster->x != required.x || cluster->y != required.y || cluster->z != required.z))
        return cudaErrorInvalidClusterSize;
    const uint64_t most = largest_cluster(f, info);
    if (cluster->x > most || cluster->y > most || cluster->z > most ||
        (uint64_t)cluster->x * cluster->y * cluster->z > most)
        return cudaErrorInvalidClusterSize;
    if (device_model_current()->cc_major < 9 && cluster->x * cluster->y * cluster->z > 1)
        return runtime_refuse("a launch with clusters of more than one block on a GPU before sm_90");
    return cudaSuccess;
}

cudaError_t cluster_configure(runtime_function *f, sim_launch_config *config, const dim3 *asked) {
    sim_kernel_info info;
    runtime_lock();
    sim_kernel_describe(f->kernel, &info);
    runtime_unlock();
    dim3 cluster;
    bool is_explicit;
    /* All zeros: as if none were asked for; the occupancy calls take that for a mistake. */
    if (asked != NULL && asked->x == 0 && asked->y == 0 && asked->z == 0) asked = NULL;
    if (asked != NULL && (asked->x == 0 || asked->y == 0 || asked->z == 0)) return cudaErrorInvalidClusterSize;
    cudaError_t error = choose_cluster(f, &info, asked, &cluster, &is_explicit);
    if (error) return error;
    if (config->grid[0] % cluster.x || config->grid[1] % cluster.y || config->grid[2] % cluster.z)
        return cudaErrorInvalidClusterSize;
    config->cluster[0] = cluster.x;
    config->cluster[1] = cluster.y;
    config->cluster[2] = cluster.z;
    config->explicit_cluster = is_explicit;
    return cudaSuccess;
}

/* A cluster lies within one group of SMs (GPC), and has no more blocks than that has SMs. The groups of the H200 that
 * was asked (cudaOccupancyMaxActiveClusters, every size, 1 to 8 blocks per SM); another H200 may have others. */
unsigned cluster_capacity(unsigned blocks_per_sm, unsigned blocks) {
    static const unsigned groups[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};
    unsigned clusters = 0;
    if (blocks == 1) return device_model_current()->sms * blocks_per_sm;
    for (unsigned g = 0; g < sizeof groups / sizeof *groups; g++)
        if (blocks <= groups[g]) clusters += groups[g] * blocks_per_sm / blocks;
    return clusters;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static cudaError_t check_shape(dim3 grid, dim3 block, const sim_kernel_info *info) {
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) {
        return cudaErrorInvalidValue;
    }
    if (block.x > 1024 || block.y > 1024 || block.z > 64 || (uint64_t)block.x * block.y * block.z > 1024) {
        return cudaErrorInvalidValue;
    }
    if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) return cudaErrorInvalidValue;
    if (info->reqntid[0] && (block.x != info->reqntid[0] || block.y != (info->reqntid[1] ? info->reqntid[1] : 1) ||
                             block.z != (info->reqntid[2] ? info->reqntid[2] : 1))) {
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t shape_refused(cudaError_t error, dim3 grid, dim3 block, const sim_kernel_info *info) {
    char why[160];
    snprintf(why, sizeof why, "a grid of %u x %u x %u blocks of %u x %u x %u threads", grid.x, grid.y, grid.z, block.x,
             block.y, block.z);
    unchecked_because(info->name, why);
    return error;
}

/* Says what a launch has too much of; the same thing once. Returns the error. */
__attribute__((format(printf, 3, 4))) static cudaError_t too_much(cudaError_t error, const sim_kernel_info *info,
                                                                  const char *format, ...) {
    static char before[1024];
    char text[1024];
    size_t used = (size_t)snprintf(text, 600, "cudasim: kernel %s cannot be launched: ", READABLE(info->name));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    unchecked_because(info->name, ""); /* this says it */
    runtime_lock();
    if (strcmp(text, before) != 0) fprintf(stderr, "%s\n", text);
    memcpy(before, text, sizeof before);
    runtime_unlock();
    return error;
}

static cudaError_t check_resources(const sim_kernel_info *info, unsigned threads, size_t shared) {
    const device_model *model = device_model_current();
    const unsigned most = model->shared_per_block_optin;
    if (shared + info->static_shared > most)
        return too_much(cudaErrorInvalidValue, info,
                        "%zu bytes of dynamic and %u of static shared memory per block, of which %s has %u", shared,
                        info->static_shared, model->arch, most);
    if (shared > info->max_dynamic_shared)
        return too_much(cudaErrorInvalidValue, info,
                        "%zu bytes of dynamic shared memory, where it may have %u (more, up to %u, with "
                        "cudaFuncAttributeMaxDynamicSharedMemorySize)",
                        shared, info->max_dynamic_shared, most - info->static_shared);
    /* Registers that do not suffice are one error, a bound that the kernel declares, and which is lower, another. */
    bool bounded =
        info->max_threads < 1024 && device_model_blocks_per_sm(model, info->max_threads + 1, info->registers, 0);
    if (threads > info->max_threads && bounded)
        return too_much(cudaErrorInvalidValue, info, "%u threads per block, where its launch bounds allow %u", threads,
                        info->max_threads);
    if (threads > info->max_threads || device_model_blocks_per_sm(model, threads, info->registers, 0) == 0)
        return too_much(cudaErrorLaunchOutOfResources, info,
                        "too many resources: %u threads per block of %u registers each%s, of which an SM has %u",
                        threads, info->registers, info->has_cubin ? "" : " (estimated: it has no machine code)",
                        REGISTERS_PER_SM);
    return cudaSuccess;
}

static cudaError_t copy_arguments(kernel_operation *k, void **args, void **extra) {
    size_t offset, size, total = 0;
    unsigned count = 0;
    while (sim_kernel_param(k->function->kernel, count, &offset, &size)) {
        if (offset + size > total) total = offset + size;
        count++;
    }
    if (total > MAX_PARAMS) return cudaErrorInvalidValue;
    k->params = calloc(1, total + 16);
    k->args = calloc(count + 1, sizeof(void *));
    if (!k->params || !k->args) return cudaErrorMemoryAllocation;
    k->params_size = total;
    k->arg_count = count;
    const void *buffer = NULL;
    size_t buffer_size = 0;
    /* The driver's way: a buffer laid out like the parameters. */
    for (void **e = extra; e && *e; e += 2) {
        if (*e == (void *)1) buffer = e[1];
        if (*e == (void *)2) buffer_size = *(size_t *)e[1];
    }
    if (buffer) memcpy(k->params, buffer, buffer_size < total ? buffer_size : total);
    if (!buffer && count > 0 && !args) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        sim_kernel_param(k->function->kernel, i, &offset, &size);
        k->args[i] = k->params + offset;
        if (!buffer) {
            if (!args[i]) return cudaErrorInvalidValue;
            memcpy(k->params + offset, args[i], size);
        }
    }
    return cudaSuccess;
}

cudaError_t operation_kernel(operation *op, const void *func, dim3 grid, dim3 block, void **args, void **extra,
                             size_t shared, bool cooperative, const dim3 *cluster) {
    *op = (operation){.type = cudaGraphNodeTypeKernel};
    kernel_operation *k = &op->kernel;
    sim_kernel_info info;
    cudaError_t error = function_describe(func, &k->function, &info);
    if (!error) error = function_decode(k->function);
    if (error) {
        if (k->function != NULL) unchecked_because(k->function->name, "it cannot be loaded");
        return error;
    }
    error = check_shape(grid, block, &info);
    if (error) return shape_refused(error, grid, block, &info);
    unsigned threads = block.x * block.y * block.z;
    error = check_resources(&info, threads, shared);
    if (error) return error;
    k->config = (sim_launch_config){.grid = {grid.x, grid.y, grid.z},
                                    .block = {block.x, block.y, block.z},
                                    .dynamic_shared = shared,
                                    .cooperative = cooperative};
    error = cluster_configure(k->function, &k->config, cluster);
    if (error) return error;
    if (cooperative) {
        const device_model *model = device_model_current();
        int per_sm = device_model_blocks_per_sm(model, threads, info.registers, info.static_shared + shared);
        const unsigned *size = k->config.cluster, in_cluster = size[0] * size[1] * size[2];
        uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
        uint64_t most = in_cluster == 1 ? (uint64_t)per_sm * model->sms
                                        : (uint64_t)cluster_capacity((unsigned)per_sm, in_cluster) * in_cluster;
        if (blocks > most)
            return too_much(cudaErrorCooperativeLaunchTooLarge, &info,
                            "%llu blocks, where all must run at once and %s holds %llu", (unsigned long long)blocks,
                            model->arch, (unsigned long long)most);
    }
    error = copy_arguments(k, args, extra);
    if (error) operation_free(op);
    return error;
}

/* ---- occupancy --------------------------------------------------------------------------------------------------- */

static const dim3 *asked_cluster(const cudaLaunchConfig_t *config, dim3 *cluster) {
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id != cudaLaunchAttributeClusterDimension) continue;
        *cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
        return cluster;
    }
    return NULL;
}

/* Both questions of occupancy refuse what a launch would, as an H200's driver does: a grid without blocks, then a
 * cluster size that the kernel cannot have. A grid that the clusters do not divide is let pass: what the driver says of
 * that has not been asked. */
typedef struct occupancy {
    runtime_function *f;
    sim_kernel_info info;
    dim3 cluster;
    bool is_explicit;
    int blocks_per_sm; /* by occupancy_blocks */
} occupancy;

static cudaError_t occupancy_asked(occupancy *o, const void *result, const void *func,
                                   const cudaLaunchConfig_t *config) {
    if (!result || !config || (config->numAttrs > 0 && !config->attrs)) return cudaErrorInvalidValue;
    cudaError_t error = function_describe(func, &o->f, &o->info);
    if (error) return error;
    const dim3 g = config->gridDim;
    if (g.x == 0 || g.y == 0 || g.z == 0) return cudaErrorInvalidValue;
    dim3 asked;
    return choose_cluster(o->f, &o->info, asked_cluster(config, &asked), &o->cluster, &o->is_explicit);
}

static cudaError_t occupancy_blocks(occupancy *o, const void *func, const cudaLaunchConfig_t *config) {
    const dim3 b = config->blockDim;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&o->blocks_per_sm, func, (int)(b.x * b.y * b.z),
                                                         config->dynamicSmemBytes);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func, const cudaLaunchConfig_t *config) {
    TOUCH_DEVICE();
    occupancy o;
    cudaError_t error = occupancy_asked(&o, clusters, func, config);
    if (!error && !o.is_explicit) error = cudaErrorInvalidClusterSize; /* its size must be known */
    if (error) return runtime_result(error);
    error = occupancy_blocks(&o, func, config);
    if (!error) *clusters = (int)cluster_capacity((unsigned)o.blocks_per_sm, o.cluster.x * o.cluster.y * o.cluster.z);
    return error;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const cudaLaunchConfig_t *config) {
    TOUCH_DEVICE();
    occupancy o;
    cudaError_t error = occupancy_asked(&o, size, func, config);
    if (error) return runtime_result(error);
    error = occupancy_blocks(&o, func, config);
    if (error) return error;
    const dim3 required = required_cluster(o.f, &o.info);
    if (required.x != 0)
        *size = (int)(required.x * required.y * required.z);
    else /* whatever the launch bounds say: the manual has it otherwise, an H200's driver does not */
        *size = device_model_current()->cc_major < 9 ? 1 : (int)device_limit(o.f);
    if (o.blocks_per_sm == 0) *size = 0;
    return cudaSuccess;
}
