/* Chooses the configuration of the persistent kernel (persistent.cuh, read that first) for a problem and launches it;
 * f16 is instantiated here. */
#include "persistent.cuh"

static const int BAND_ROWS = 2048; /* rows of C in a band of the threadblock swizzle */

/* Clusters of this kernel that the current device runs at the same time; queried once per device. */
static cudaError_t resident_clusters(persistent_choice *c, int *clusters) {
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess) return error;
    if (device != c->device) {
        error = cudaFuncSetAttribute(c->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, c->bytes);
        if (error != cudaSuccess) return error;
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {(unsigned)c->cluster, 1, 1};
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(c->cluster);
        config.blockDim = dim3(c->threads);
        config.dynamicSmemBytes = c->bytes;
        config.attrs = &attribute;
        config.numAttrs = 1;
        error = cudaOccupancyMaxActiveClusters(&c->clusters, c->kernel, &config);
        if (error != cudaSuccess) return error;
        c->device = device;
    }
    *clusters = c->clusters;
    return cudaSuccess;
}

/* The number of cluster tiles of a problem. */
static int64_t cluster_tiles(const persistent_choice *c, const gemm_problem *p) {
    const int64_t BM = c->cluster * c->bm;
    return (p->m + BM - 1) / BM * ((p->n + (int64_t)c->bn - 1) / c->bn);
}

static cudaError_t launch_choice(persistent_choice *c, const gemm_problem *p, cudaStream_t stream) {
    int clusters;
    cudaError_t error = resident_clusters(c, &clusters);
    if (error != cudaSuccess) return error;
    if (clusters > cluster_tiles(c, p)) clusters = (int)cluster_tiles(c, p);
    CUtensorMap a_map, b_map, c_map;
    if ((error = tensor_map_a(&a_map, p, c->bm)) != cudaSuccess) return error;
    if ((error = tensor_map_b(&b_map, p, (p->layout == GEMM_TN ? c->bn : hopper_bk(p->type)) / c->cluster)) !=
        cudaSuccess)
        return error;
    if ((error = tensor_map_c(&c_map, p, 16)) != cudaSuccess) return error;
    const int band = BAND_ROWS > c->cluster * c->bm ? BAND_ROWS / (c->cluster * c->bm) : 1;
    return gemm_launch(c->kernel, clusters * c->cluster, c->cluster, c->threads, c->bytes, stream, a_map, b_map, c_map,
                       hopper_of(p), band);
}

/* Cycles that L2 takes to deliver 128 bytes of a row to a multiprocessor, which are one of its lines, parts of two, or
 * even parts of five sectors of 32 bytes. Measured on an H200. */
static int64_t row_cycles(const void *matrix, int64_t pitch_bytes) {
    const uintptr_t bits = (uintptr_t)matrix | (uintptr_t)pitch_bytes;
    return bits % 128 == 0 ? 1 : bits % 32 == 0 ? 2 : 4;
}

/* The approximate cost of a launch in clock cycles: as many waves as the slowest cluster has tiles, each of the same
 * number of steps along K. A step of 128 x 256 x 128 bytes keeps the tensor cores busy for 1024 cycles. The rest was
 * measured on an H200: how long L2 takes, ten more cycles per step for tiles of 128 columns, the epilogue of a tile
 * (with ping-pong consumers almost nothing except for the last one), and the start of a cluster. */
static int64_t cycles(persistent_choice *c, const gemm_problem *p) {
    const int BK = hopper_bk(p->type);
    const int64_t SIZE = ROW_BYTES / BK, steps = (p->k + BK - 1) / BK;
    int clusters;
    if (resident_clusters(c, &clusters) != cudaSuccess || clusters == 0) return INT64_MAX;
    const int64_t waves = (cluster_tiles(c, p) + clusters - 1) / clusters;
    const int64_t multiply = c->bm * c->bn / 32 + (c->bn == 128 ? 10 : 0);
    const int64_t bring =
        c->bm * row_cycles(p->A, p->lda * SIZE) + c->bn / c->cluster * row_cycles(p->B, p->ldb * SIZE);
    const int64_t epilogue = 1500 + 13 * c->bn, between = c->ping_pong ? 500 : epilogue;
    return waves * steps * (multiply > bring ? multiply : bring) + (waves - 1) * between + epilogue +
           (c->cluster > 1 ? 1000 : 0);
}

/* The choices for the problem's type and layout. */
static persistent_choice *choices(const gemm_problem *p) {
    if (p->type == GEMM_BF16) return persistent_bf16(p->layout);
    if (p->type == GEMM_S8) return persistent_s8();
    if (p->type == GEMM_TF32) return persistent_tf32();
    return p->layout == GEMM_TN ? persistent_choices<GEMM_F16, GEMM_TN>() : persistent_choices<GEMM_F16, GEMM_NN>();
}

extern "C" kernel_info kernel_persistent(void) {
    return {(const void *)gemm_persistent<GEMM_F16, GEMM_TN, wide>, wide::THREADS, wide::BYTES};
}

/* Launches the cheapest one; among equals the first. */
extern "C" cudaError_t launch_persistent(const gemm_problem *problem, cudaStream_t stream) {
    if (problem->m == 0 || problem->n == 0) return cudaSuccess;
    if (tensor_map_refuses(problem) != NULL) return launch_multistage(problem, stream);
    gemm_problem now = *problem, *p = &now;
    const cudaError_t error = transpose_b(p, stream);
    if (error != cudaSuccess) return error;
    persistent_choice *all = choices(p), *best = all;
    int64_t least = cycles(best, p);
    for (int i = 1; i < PERSISTENT_CHOICES; i++) {
        const int64_t cost = cycles(&all[i], p);
        if (cost < least) least = cost, best = &all[i];
    }
    return launch_choice(best, p, stream);
}
