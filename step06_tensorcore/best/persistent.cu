/* Launches the persistent kernel (persistent.cuh, read that first) as plan.c has decided; f16 in tn is instantiated
 * here. */
#include <utility>

#include "align.h"
#include "persistent_tiles.cuh"

static const int BAND_ROWS = 2048; /* of C, or columns of it where tiles are swapped: of a threadblock swizzle's band */

/* Asks the current device, `device`, how many clusters of this kernel it runs at the same time; once per device. */
static cudaError_t ask_clusters(persistent_choice *c, int device) {
    cudaError_t error = cudaSuccess;
    if (c->device == device) return error;
    for (int i = 0; i < CLUSTER_SIZES && error == cudaSuccess; i++)
        error = gemm_active_clusters((const void *)c->kernel, 1 << i, c->threads, c->bytes, &c->tile.clusters[i]);
    if (error == cudaSuccess) c->device = device;
    return error;
}

/* The choices for the problem's type and a layout. */
static persistent_choice *choices(gemm_type type, gemm_layout layout) {
    if (type == GEMM_BF16) return layout == GEMM_TN ? persistent_bf16_tn() : persistent_bf16_nn();
    if (type == GEMM_S8) return persistent_s8();
    if (type == GEMM_TF32) return layout == GEMM_TN ? persistent_tf32() : persistent_tf32_nn();
    return layout == GEMM_TN ? persistent_choices<GEMM_F16, GEMM_TN>() : persistent_f16_nn();
}

extern "C" int persistent_tiles(const gemm_problem *p, plan_tile tiles[PERSISTENT_TILES]) {
    persistent_choice *all = choices(p->type, p->layout);
    int device, count = 0;
    if (cudaGetDevice(&device) != cudaSuccess) return 0;
    for (; count < PERSISTENT_TILES; count++) {
        if (all[count].kernel != NULL && ask_clusters(&all[count], device) != cudaSuccess) break;
        tiles[count] = all[count].tile;
    }
    return count;
}

extern "C" hopper_plan plan_persistent(const gemm_problem *p) {
    plan_tile tiles[PERSISTENT_TILES];
    return plan_hopper(p, tiles, persistent_tiles(p, tiles), current_costs());
}

extern "C" kernel_info kernel_persistent(void) {
    return {(const void *)gemm_persistent<GEMM_F16, GEMM_TN, wide>, wide::THREADS, wide::BYTES};
}

static cudaError_t launch_product(const hopper_plan *plan, cudaStream_t stream) {
    const gemm_problem *p = &plan->p;
    const persistent_choice *c = &choices(p->type, p->layout)[plan->tile];
    const plan_tile *t = &c->tile;
    const cluster_shape *s = &cluster_shapes[plan->shape];
    CUtensorMap a_map, b_map, c_map, last_map;
    const bool swapped = plan->swapped;
    const int rows = t->bm / s->across, columns = plan->columns / s->down; /* of a tile, that a block loads for all */
    const int of_k = hopper_bk(p->type) / (swapped ? s->across : s->down); /* rows of B in nn, likewise */
    const int row = 128 / (int)dtype_size(p->out);                         /* elements of C in a row of a slab */
    const int slab = swapped ? row : 16, last = plan->columns % row;       /* its rows; what an exact tile's last has */
    cudaError_t error = tensor_map_a(&a_map, p, swapped ? columns : rows);
    if (error != cudaSuccess) return error;
    c_map = last_map = a_map; /* where they are not used */
    error = tensor_map_b(&b_map, p, p->layout == GEMM_NN ? of_k : swapped ? rows : columns);
    if (error == cudaSuccess && !t->any_c) error = tensor_map_c(&c_map, p, slab);
    if (error == cudaSuccess && last > 0 && !t->any_c)
        error = swapped ? tensor_map_c(&last_map, p, last) : tensor_map_c_part(&last_map, p, slab, last);
    if (error != cudaSuccess) return error;
    if (swapped) std::swap(a_map, b_map);
    const int cluster = 1 << s->size;
    const persistent_work work = work_of(plan, t, BAND_ROWS);
    return gemm_launch_overlapping(c->kernel, (unsigned)(plan->clusters * cluster), cluster, c->threads, c->bytes,
                                   stream, a_map, b_map, c_map, last_map, hopper_of(p), work);
}

extern "C" cudaError_t launch_persistent(const hopper_plan *plan, cudaStream_t stream) {
    const cudaError_t error = align_operands(&plan->a, &plan->b, stream);
    return error == cudaSuccess ? launch_product(plan, stream) : error;
}
