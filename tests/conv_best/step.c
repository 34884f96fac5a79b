/* Every tile of step 9's FP32 best as three variants: whole tiles; the second half of them divided among seven workers,
 * who have parts of several; all divided, each among five. Each launch says a hash of y where that is asked for
 * (bits.h). */
#include "../../step09_conv/best/best.h"
#include "../../step09_conv/best/f32_plan.h"
#include "../steps/bits.h"

typedef enum { WHOLE, SHARED, SPLIT } kind;

static bool is_empty(const conv_problem *p) {
    return p->n == 0 || p->k == 0 || p->p == 0 || p->q == 0 || p->c == 0 || p->alpha == 0.0f;
}

/* Tile number i of the problem's layout; in NCHW thin kernels come after the tiles. */
static int tile_of(const conv_problem *p, int i) {
    if (p->nhwc) return F32_NHWC + i < F32_TILE_COUNT ? F32_NHWC + i : -1;
    return i < F32_NHWC ? i : F32_TILE_COUNT + i - F32_NHWC;
}

static f32_plan plan_for(const conv_problem *p, int i, kind kind) {
    const int tile = tile_of(p, i);
    const int64_t tiles = f32_tiles(p, tile), taps = f32_tiles_of_taps(p, tile);
    if (kind == WHOLE) return f32_plan_of(p, tile, 0, 0);
    const int64_t divided = kind == SHARED ? (tiles + 1) / 2 : tiles, wanted = kind == SHARED ? 7 : 5 * tiles;
    const int64_t workers = wanted < divided * taps ? wanted : divided * taps;
    return f32_plan_of(p, tile, divided, (int)(workers < F32_MAX_WORKERS ? workers : F32_MAX_WORKERS));
}

static const char *refuses(const conv_problem *p, int i) {
    const int tile = tile_of(p, i);
    if (p->type != DTYPE_F32) return "takes f32";
    return is_empty(p) || (tile >= 0 && f32_tile_takes(p, tile)) ? NULL : "is not for this layout or filter";
}

static size_t workspace(const conv_problem *p, int tile, kind kind) {
    return is_empty(p) ? 0 : plan_for(p, tile, kind).workspace;
}

static cudaError_t launch(const conv_problem *p, int tile, kind kind, cudaStream_t stream) {
    if (is_empty(p)) return launch_conv_best(p, stream);
    const f32_plan plan = plan_for(p, tile, kind);
    const cudaError_t error = f32_launch_plan(p, &plan, stream);
    print_bits(p->y, (size_t)p->n * (size_t)p->k * (size_t)p->p * (size_t)p->q * sizeof(float));
    return error;
}

#define VARIANT_OF(name, tile, kind)                                                                                   \
    static cudaError_t launch_##name(const conv_problem *p, cudaStream_t stream) {                                     \
        return launch(p, tile, kind, stream);                                                                          \
    }                                                                                                                  \
    static const char *refuses_##name(const conv_problem *p) {                                                         \
        return refuses(p, tile);                                                                                       \
    }                                                                                                                  \
    static size_t workspace_##name(const conv_problem *p) {                                                            \
        return workspace(p, tile, kind);                                                                               \
    }
#define ROW(name_, tile, kind)                                                                                         \
    {.name = #name_,                                                                                                   \
     .idea = "tile " #tile,                                                                                            \
     .launch = launch_##name_,                                                                                         \
     .kernel = f32_kernel,                                                                                             \
     .refuses = refuses_##name_,                                                                                       \
     .workspace = workspace_##name_},
/* clang-format off */
#define THREE(X, i) X(whole_##i, i, WHOLE) X(shared_##i, i, SHARED) X(split_##i, i, SPLIT)
#define TILES(X) \
    THREE(X, 0) THREE(X, 1) THREE(X, 2) THREE(X, 3) THREE(X, 4) THREE(X, 5) THREE(X, 6) \
    X(thin_0, 7, WHOLE) X(thin_1, 8, WHOLE) X(thin_2, 9, WHOLE) X(thin_3, 10, WHOLE)
/* clang-format on */
TILES(VARIANT_OF)

int main(int argc, char **argv) {
    static const conv_variant variants[] = {TILES(ROW)};
    return conv_step_main(argc, argv, "test_conv_best", variants, ARRAY_SIZE(variants));
}
