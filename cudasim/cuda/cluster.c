/* Clusters as the runtime sees them: which sizes a launch may have, and how many of them the device holds. */
#include "base/device_model.h"
#include "cuda/runtime.h"

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
 * was asked (cudaOccupancyMaxActiveClusters, every size, 1 to 8 blocks an SM); another H200 may have others. */
unsigned cluster_capacity(unsigned blocks_per_sm, unsigned blocks) {
    static const unsigned groups[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};
    unsigned clusters = 0;
    if (blocks == 1) return device_model_current()->sms * blocks_per_sm;
    for (unsigned g = 0; g < sizeof groups / sizeof *groups; g++)
        if (blocks <= groups[g]) clusters += groups[g] * blocks_per_sm / blocks;
    return clusters;
}

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
