/* Every tile of step 9's FP32 best as three variants: whole tiles; the second half of them divided among seven workers,
 * who have parts of several; all divided, each among five. `run bits` prints a hash of y for problems that are divided,
 * and fails if a second launch changes it. */
#include <stdlib.h>

#include "../../step09_conv/best/best.h"
#include "../../step09_conv/best/f32_plan.h"
#include "gpu/error.h"
#include "gpu/simulator.h"

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
    return f32_launch_plan(p, &plan, stream);
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

/* y's bits, for tile number i of a layout and workers for parts of several tiles. */
static uint64_t hash_of(int i, bool nhwc) {
    const int tile = nhwc ? F32_NHWC + i : i;
    const int n = 3, c = 13, side = 10, k = 140, taps = c * 9, pixels = n * side * side;
    const size_t words = (size_t)(pixels * c + k * taps + pixels * k), bytes = words * sizeof(float);
    float *host = malloc(bytes), *device, *space;
    if (host == NULL) exit(EXIT_WRONG);
    for (size_t at = 0; at < words; at++) host[at] = (float)(at * 7919 % 1009) / 1009.0f - 0.5f;
    conv_problem p = {.nhwc = nhwc, .n = n, .c = c, .h = side, .w = side, .k = k, .r = 3, .s = 3, .alpha = 1.0f};
    for (int d = 0; d < 2; d++) p.stride[d] = p.pad[d] = p.dilation[d] = 1;
    p.p = p.q = side;
    const f32_plan plan = f32_plan_of(&p, tile, f32_tiles(&p, tile), plan_for(&p, i, SHARED).workers);
    CUDA_ALLOCATE(&device, bytes);
    CUDA_ALLOCATE(&space, plan.workspace);
    CUDA_CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    p.x = device, p.f = device + pixels * c, p.y = device + pixels * c + k * taps, p.workspace = space;
    CUDA_CHECK(f32_launch_plan(&p, &plan, 0));
    CUDA_CHECK(cudaMemcpy(host, p.y, sizeof(float) * (size_t)(pixels * k), cudaMemcpyDeviceToHost));
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (size_t at = 0; at < sizeof(float) * (size_t)(pixels * k); at++)
        hash = (hash ^ ((const unsigned char *)host)[at]) * 1099511628211u;
    CUDA_CHECK(cudaFree(device));
    CUDA_CHECK(cudaFree(space));
    free(host);
    return hash;
}

/* Of each tile, which must be the same in each of so many launches. */
static int print_bits(int launches) {
    for (int tile = 0; tile < F32_TILE_COUNT; tile++) {
        const bool nhwc = tile >= F32_NHWC;
        const int i = nhwc ? tile - F32_NHWC : tile;
        simulator_check(true);
        const uint64_t hash = hash_of(i, nhwc);
        simulator_check(false); /* as it is the same again */
        for (int launch = 1; launch < launches; launch++)
            if (hash != hash_of(i, nhwc)) return EXIT_WRONG;
        printf("%d %016llx\n", tile, (unsigned long long)hash);
    }
    return EXIT_OK;
}

int main(int argc, char **argv) {
    static const conv_variant variants[] = {TILES(ROW)};
    if (argc == 3 && strcmp(argv[1], "bits") == 0) return print_bits(atoi(argv[2]));
    return conv_step_main(argc, argv, "test_conv_best", variants, ARRAY_SIZE(variants));
}
