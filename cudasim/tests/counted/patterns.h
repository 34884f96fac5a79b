/* Programs that execute one access of one warp for each of many patterns of addresses, a launch each, so that what a
 * GPU counts of a launch is what it counts of the access. Launch i has FIRST + STEP * i bytes of dynamic shared memory:
 * by them it is known among others.
 *
 *     PROGRAM [FROM [TO]]     launches patterns FROM to TO - 1
 *     PROGRAM --list          prints them, a line each: number,kind,name,mask,offsets of the 32 lanes[,from] */
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { WARP = 32, MOST_PATTERNS = 1000, DYNAMIC_FIRST = 32768, DYNAMIC_STEP = 16 };

struct lanes { /* who accesses what: byte offsets */
    unsigned mask, offset[WARP];
    unsigned from[WARP]; /* of copies: in global memory */
};
struct memory { /* where: of the kinds that copy, from there to shared memory */
    char *global;
    unsigned *sink; /* for results, so that the compiler keeps them, and for times: a word for each pattern */
};
typedef void pattern_kernel(const lanes p, const memory m);
struct pattern {
    const char *kind;
    char name[40];
    pattern_kernel *kernel;
    lanes at;
};

static pattern patterns[MOST_PATTERNS];
static int pattern_count, pattern_threads = WARP;
static bool pattern_copies; /* their lists have `from`, too */

static lanes *add_pattern(const char *kind, pattern_kernel *kernel, const char *name) {
    pattern *p = &patterns[pattern_count++];
    if (pattern_count > MOST_PATTERNS) exit(2);
    p->kind = kind;
    p->kernel = kernel;
    snprintf(p->name, sizeof p->name, "%s", name);
    p->at.mask = ~0u;
    return &p->at;
}

/* The same numbers on every machine. */
static unsigned next_random(void) {
    static uint64_t state = 12345;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33);
}

static void list_patterns(void) {
    for (int i = 0; i < pattern_count; i++) {
        printf("%d,%s,%s,%08x,", i, patterns[i].kind, patterns[i].name, patterns[i].at.mask);
        for (int l = 0; l < WARP; l++) printf("%s%u", l > 0 ? " " : "", patterns[i].at.offset[l]);
        for (int l = 0; pattern_copies && l < WARP; l++) printf("%s%u", l > 0 ? " " : ",", patterns[i].at.from[l]);
        putchar('\n');
    }
}

static void print_times(const unsigned *sink, int from, int to) {
    static unsigned clocks[MOST_PATTERNS];
    cudaMemcpy(clocks, sink, sizeof clocks, cudaMemcpyDeviceToHost);
    for (int i = from; i < to && i < pattern_count; i++) printf("%d,%u\n", i, clocks[i]);
}

/* `bytes`: of global memory. `timed`: the kernels write clocks, which are printed. */
static int patterns_main(int argc, char **argv, size_t bytes, bool timed) {
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        list_patterns();
        return 0;
    }
    const int from = argc > 1 ? atoi(argv[1]) : 0, to = argc > 2 ? atoi(argv[2]) : pattern_count;
    memory m;
    cudaMalloc(&m.global, bytes);
    cudaMemset(m.global, 0, bytes);
    cudaMalloc(&m.sink, MOST_PATTERNS * sizeof *m.sink);
    for (int i = from; i < to && i < pattern_count; i++)
        patterns[i].kernel<<<1, pattern_threads, DYNAMIC_FIRST + DYNAMIC_STEP * i>>>(patterns[i].at, m);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorName(error));
    if (timed) print_times(m.sink, from, to);
    return error != cudaSuccess;
}

/* A kernel whose lanes, those of the mask, execute ACCESS, which may use `at` (the lane's address in shared memory),
 * `global` (in global memory) and `x`, a result. */
#define PATTERN_KERNEL(name, ...)                                                                                      \
    __global__ void name(const __grid_constant__ lanes p, const __grid_constant__ memory m) {                          \
        extern __shared__ __align__(1024) char shared[];                                                               \
        const unsigned lane = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(shared) + p.offset[lane];           \
        const char *global = m.global + p.offset[lane];                                                                \
        unsigned x = lane + 1, y = 0, z = 0, w = 0;                                                                    \
        if (p.mask >> lane & 1) {                                                                                      \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
        if ((x ^ y ^ z ^ w) == 0x9e3779b9u) m.sink[lane] = at + (unsigned)(size_t)global;                              \
    }
