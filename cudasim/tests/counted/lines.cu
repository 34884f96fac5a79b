/* How long L1 takes for a request of many lines: 16 warps of one block load the same 4 (or 2) bytes of their lanes
 * again and again, 256 times each, all hits but the first. Prints the clocks from the first of these 4096 requests but
 * 16 to the last. With a pitch, a lane reads what lies `pitch` bytes after the lane before it, as in a matrix whose
 * rows the lanes go along: "along" goes from word to word of a row, as a dot product does, "in place" stays. */
#include "patterns.h"

enum { WARPS = 16, REQUESTS = 256 };

#define LINES_KERNEL(name, type, constraint, ctype, walk)                                                              \
    __global__ void name(const __grid_constant__ lanes p, const __grid_constant__ memory m) {                          \
        const unsigned lane = threadIdx.x % WARP, dynamic = dynamic_bytes();                                           \
        const char *global = m.global + p.offset[lane];                                                                \
        ctype x = 0, sum = 0;                                                                                          \
        const unsigned step = walk; /* not known to the compiler, which must not merge loads */                        \
        asm volatile("ld.global." type " %0, [%1];" : "=" constraint(sum) : "l"(global));                              \
        if (sum == 12345) m.sink[0] = 1;                                                                               \
        __syncthreads();                                                                                               \
        const long long from = clock64();                                                                              \
        _Pragma("unroll 15") for (unsigned i = 1; i < REQUESTS; i++) {                                                 \
            asm volatile("ld.global." type " %0, [%1];" : "=" constraint(x) : "l"(global + i % WARP * step));          \
            sum = (ctype)(sum ^ x);                                                                                    \
        }                                                                                                              \
        if (sum == 12345) m.sink[0] = 1;                                                                               \
        __syncthreads();                                                                                               \
        if (threadIdx.x == 0) m.sink[(dynamic - DYNAMIC_FIRST) / DYNAMIC_STEP] = (unsigned)(clock64() - from);         \
    }

static __device__ unsigned dynamic_bytes(void) {
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

LINES_KERNEL(in_place_4, "u32", "r", unsigned, ~p.mask)
LINES_KERNEL(along_4, "u32", "r", unsigned, 4 & p.mask)
LINES_KERNEL(in_place_2, "u16", "h", unsigned short, ~p.mask)
LINES_KERNEL(along_2, "u16", "h", unsigned short, 2 & p.mask)

static void add_pitch(const char *kind, pattern_kernel *kernel, unsigned pitch) {
    char name[40];
    snprintf(name, sizeof name, "pitch %u", pitch);
    lanes *p = add_pattern(kind, kernel, name);
    for (unsigned l = 0; l < WARP; l++) p->offset[l] = pitch * l;
}

/* Word l of line `line`: no two lanes in one bank, so that only the lookup of lines is left. */
#define SKEWED(what, line)                                                                                             \
    {                                                                                                                  \
        lanes *p = add_pattern("in_place_4", in_place_4, what);                                                        \
        for (unsigned l = 0; l < WARP; l++) p->offset[l] = (unsigned)(128 * (line) + 4 * l);                           \
    }

static void add_skewed(void) {
    char name[40];
    for (unsigned n = 1; n <= WARP; n++) {
        snprintf(name, sizeof name, "skewed, %u lines", n);
        SKEWED(name, l % n)
    }
    for (unsigned apart = 2; apart <= 40; apart++) {
        snprintf(name, sizeof name, "skewed, %u lines apart", apart);
        SKEWED(name, apart * l)
    }
    for (unsigned apart = 64; apart <= 1024; apart *= 2) {
        snprintf(name, sizeof name, "skewed, %u lines apart", apart);
        SKEWED(name, apart * l)
    }
    for (unsigned n = 2; n <= 8; n *= 2) {
        snprintf(name, sizeof name, "skewed, lines in runs of %u", n);
        SKEWED(name, l / n * 100 + l % n)
        snprintf(name, sizeof name, "skewed, lanes in runs of %u", n);
        SKEWED(name, l / n)
    }
    for (int n = 0; n < 16; n++) SKEWED("skewed, random lines", next_random() % 10000)
    /* Words of one bank in one line are no conflict: none here, but lines in an order of their own. */
    for (int n = 0; n < 4; n++) SKEWED("skewed, random of 32 lines", next_random() % 32)
}

int main(int argc, char **argv) {
    static const unsigned pitches[] = {0,    4,    8,     16,    32,    36,    40,    48,    56,    60,   64,   68,
                                       72,   80,   96,    112,   120,   124,   128,   132,   136,   144,  160,  192,
                                       256,  260,  272,   320,   384,   400,   512,   516,   528,   576,  640,  800,
                                       1000, 1024, 1028,  1056,  1152,  2000,  2048,  2052,  2080,  2176, 3000, 4000,
                                       4096, 4100, 4108,  4112,  4128,  4160,  4224,  5000,  8192,  8200, 8224, 8256,
                                       8320, 8448, 12000, 16000, 16380, 16384, 16388, 16400, 20000, 32768};
    static const unsigned halves[] = {128, 130, 144, 2000, 2002, 2048, 4096, 6000, 8190, 8192, 8200, 200000};
    for (unsigned pitch : pitches) add_pitch("in_place_4", in_place_4, pitch);
    for (unsigned pitch : pitches)
        if (pitch >= 128) add_pitch("along_4", along_4, pitch);
    for (unsigned pitch : halves) add_pitch("in_place_2", in_place_2, pitch);
    for (unsigned pitch : halves) add_pitch("along_2", along_2, pitch);
    add_skewed();
    for (int n = 0; n < 8; n++) {
        lanes *p = add_pattern("in_place_4", in_place_4, "random words");
        for (unsigned l = 0; l < WARP; l++) p->offset[l] = 4 * (next_random() % (n < 4 ? 100000 : 256));
    }
    pattern_threads = WARPS * WARP;
    return patterns_main(argc, argv, 8 << 20, true);
}
