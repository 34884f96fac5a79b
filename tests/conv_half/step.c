/* Step 9's best in f16 and bf16, a variant for each configuration of half.cuh, and half_mma.cu. On three blocks, so
 * that small problems take several waves of tiles, and parts of tiles behind them. Each launch says how it is computed,
 * and a hash of y where that is asked for (bits.h); with PAIRS=1 only pairs of blocks are offered. */
#include "../../step09_conv/best/half.h"
#include "../steps/bits.h"

static half_plan plan_with(const conv_problem *p, int tile) {
    plan_tile tiles[HALF_TILES];
    const int count = half_tiles(p->type, tiles);
    for (int i = 0; i < count; i++)
        for (int size = 0; size < CLUSTER_SIZES; size++)
            tiles[i].clusters[size] = i == tile && (size == 1 || getenv("PAIRS") == NULL) ? 3 : 0;
    return plan_half(p, tiles, count);
}

static const char *refuses(const conv_problem *p, int tile) {
    if (p->type == DTYPE_F32) return "takes f16 and bf16";
    return plan_with(p, tile).hopper || tile == HALF_TILES ? NULL : "there is no such plan";
}

static cudaError_t launch(const conv_problem *p, int tile, cudaStream_t stream) {
    const half_plan plan = plan_with(p, tile);
    if (p->k == 0 || p->n * p->p * p->q == 0) return cudaSuccess;
    static const char *const loaders[] = {"pieces of", "windows", "tiles", "halos"};
    const char *units = plan.product.parts == 1 ? "whole" : plan.product.whole > 0 ? "both" : "parts";
    printf("by %s %d, %s,%s%s\n", loaders[plan.hopper ? plan.loader : 0], plan.view.piece, plan.hopper ? units : "mma",
           plan.x.groups > 0 ? " x" : "", plan.f.groups > 0 ? " f" : "");
    const cudaError_t error = launch_half(p, &plan, stream);
    print_bits(p->y, (size_t)p->n * (size_t)p->p * (size_t)p->q * (size_t)p->k * 2);
    return error;
}

#define TILE(i)                                                                                                        \
    static cudaError_t launch_##i(const conv_problem *p, cudaStream_t s) {                                             \
        return launch(p, i, s);                                                                                        \
    }                                                                                                                  \
    static const char *refuses_##i(const conv_problem *p) {                                                            \
        return refuses(p, i);                                                                                          \
    }                                                                                                                  \
    static size_t bytes_##i(const conv_problem *p) {                                                                   \
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
TILE(9)
TILE(10)
TILE(11)
TILE(12)
TILE(13)

#define ROW(name_, i)                                                                                                  \
    {                                                                                                                  \
        .name = name_, .idea = "that configuration alone", .launch = launch_##i, .refuses = refuses_##i,               \
        .workspace = bytes_##i                                                                                         \
    }

int main(int argc, char **argv) {
    static const conv_variant variants[] = {
        ROW("wide", 0),       ROW("square", 1),   ROW("tall", 2),      ROW("flat", 3),     ROW("square_any", 4),
        ROW("tall_any", 5),   ROW("flat_any", 6), ROW("small_any", 7), ROW("exact_64", 8), ROW("exact_128", 9),
        ROW("exact_192", 10), ROW("halo_64", 11), ROW("halo_128", 12), ROW("mma", 13),
    };
    return conv_step_main(argc, argv, "conv_half", variants, ARRAY_SIZE(variants));
}
