/* Step 6's persistent kernel, a variant for each configuration, and multistage. On three clusters of blocks, so that
 * small problems take several waves of tiles, and parts of tiles behind them; with CLUSTERS=N in the environment on so
 * many, if the GPU has room for them (CLUSTERS=1000: what each configuration takes on it). */
#include <stdlib.h>

#include "../../step06_tensorcore/best/best.h"
#include "../../step06_tensorcore/best/multistage.h"

/* The plan with configuration number `tile` alone. */
static hopper_plan plan_with(const gemm_problem *p, int tile) {
    const char *set = getenv("CLUSTERS");
    const int most = set != NULL ? atoi(set) : 3;
    plan_tile tiles[PERSISTENT_TILES];
    const int count = persistent_tiles(p, tiles);
    for (int i = 0; i < count; i++) {
        if (tiles[i].clusters > most) tiles[i].clusters = most;
        if (i != tile) tiles[i].clusters = 0;
    }
    return plan_hopper(p, tiles, count);
}

static const char *refuses(const gemm_problem *p, int tile) {
    if (p->type == GEMM_S8 && p->layout == GEMM_NN) return "takes s8 in tn";
    return p->m == 0 || p->n == 0 || plan_with(p, tile).tile >= 0 ? NULL : "there is no such plan";
}

static const char *note(const gemm_problem *p, int tile) {
    const hopper_plan plan = plan_with(p, tile);
    static const char *const notes[] = {"whole tiles", "whole tiles and parts", "parts"};
    return plan.tile < 0 ? NULL : notes[plan.parts == 1 ? 0 : plan.whole > 0 ? 1 : 2];
}

static cudaError_t launch(const gemm_problem *p, int tile, cudaStream_t stream) {
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    const hopper_plan plan = plan_with(p, tile);
    return launch_persistent(&plan, stream);
}

#define TILE(i)                                                                                                        \
    static cudaError_t launch_##i(const gemm_problem *p, cudaStream_t s) {                                             \
        return launch(p, i, s);                                                                                        \
    }                                                                                                                  \
    static const char *refuses_##i(const gemm_problem *p) {                                                            \
        return refuses(p, i);                                                                                          \
    }                                                                                                                  \
    static const char *note_##i(const gemm_problem *p) {                                                               \
        return note(p, i);                                                                                             \
    }                                                                                                                  \
    static size_t bytes_##i(const gemm_problem *p) {                                                                   \
        return plan_with(p, i).bytes;                                                                                  \
    }
TILE(0)
TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)
TILE(7)
TILE(8)

#define ROW(name_, i)                                                                                                  \
    {                                                                                                                  \
        .name = name_, .idea = "that configuration alone", .launch = launch_##i, .kernel = kernel_persistent,          \
        .refuses = refuses_##i, .note = note_##i, .workspace = bytes_##i                                               \
    }

int main(int argc, char **argv) {
    static const gemm_variant variants[] = {
        ROW("wide", 0),
        ROW("wide_pair", 1),
        ROW("square", 2),
        ROW("flat", 3),
        ROW("flat_pair", 4),
        ROW("square_any", 5),
        ROW("flat_any", 6),
        ROW("tall_any", 7),
        ROW("small_any", 8),
        {.name = "multistage",
         .idea = "for comparison",
         .launch = launch_multistage,
         .kernel = kernel_multistage,
         .workspace = workspace_multistage},
    };
    static const gemm_type types[] = {GEMM_F16, GEMM_BF16, GEMM_S8, GEMM_TF32};
    static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};
    static const gemm_offer offer = {types, ARRAY_SIZE(types), layouts, ARRAY_SIZE(layouts), NULL, 0};
    return gemm_step_main(argc, argv, "persistent", variants, ARRAY_SIZE(variants), &offer);
}
