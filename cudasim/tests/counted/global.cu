/* Patterns of addresses in global memory: how many requests and sectors loads, stores, atomics and cp.async make. */
#include "patterns.h"

#define LOAD1(type)  asm volatile("ld.global." type " %0, [%1];" : "=r"(x) : "l"(global))
#define STORE1(type) asm volatile("st.global." type " [%0], %1;" ::"l"(global), "r"(x) : "memory")
PATTERN_KERNEL(load_1, LOAD1("u8"))
PATTERN_KERNEL(load_2, LOAD1("u16"))
PATTERN_KERNEL(load_4, LOAD1("u32"))
PATTERN_KERNEL(load_8, asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(global)))
PATTERN_KERNEL(load_16, asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                                     : "l"(global)))
PATTERN_KERNEL(store_1, STORE1("u8"))
PATTERN_KERNEL(store_2, STORE1("u16"))
PATTERN_KERNEL(store_4, STORE1("u32"))
PATTERN_KERNEL(store_8, asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(global), "r"(x) : "memory"))
PATTERN_KERNEL(store_16, asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(global), "r"(x) : "memory"))
PATTERN_KERNEL(atomic_add, asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(y) : "l"(global), "r"(x) : "memory"))
PATTERN_KERNEL(atomic_cas, asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                                        : "=r"(y)
                                        : "l"(global), "r"(x + 7), "r"(x)
                                        : "memory"))
PATTERN_KERNEL(atomic_red, asm volatile("red.global.add.u32 [%0], %1;" ::"l"(global), "r"(x) : "memory"))

/* To neighbouring places of shared memory. */
#define COPY(how, bytes)                                                                                               \
    asm volatile("cp.async." how ".shared.global [%0], [%1], " bytes                                                   \
                 ";\n\tcp.async.wait_all;" ::"r"((unsigned)__cvta_generic_to_shared(shared) + 16 * lane),              \
                 "l"(global)                                                                                           \
                 : "memory")
PATTERN_KERNEL(copy_4, COPY("ca", "4"))
PATTERN_KERNEL(copy_8, COPY("ca", "8"))
PATTERN_KERNEL(copy_16, COPY("ca", "16"))
PATTERN_KERNEL(copy_cg_16, COPY("cg", "16"))

static const struct kind {
    const char *name;
    pattern_kernel *kernel;
    unsigned bytes;
} kinds[] = {
    {"load_1", load_1, 1},         {"load_2", load_2, 2},          {"load_4", load_4, 4},
    {"load_8", load_8, 8},         {"load_16", load_16, 16},       {"store_1", store_1, 1},
    {"store_2", store_2, 2},       {"store_4", store_4, 4},        {"store_8", store_8, 8},
    {"store_16", store_16, 16},    {"atomic_add", atomic_add, 4},  {"atomic_cas", atomic_cas, 4},
    {"atomic_red", atomic_red, 4}, {"copy_4", copy_4, 4},          {"copy_8", copy_8, 8},
    {"copy_16", copy_16, 16},      {"copy_cg_16", copy_cg_16, 16},
};

/* In units of the access's bytes. */
/* clang-format off */
#define FIXED(F)                                                                                                       \
    F("stride 0", 0)                                                                                                   \
    F("stride 1", l)                                                                                                   \
    F("stride 1 from 1 on", l + 1)                                                                                     \
    F("stride 1 from 7 on", l + 7) F("stride 2", 2 * l) F("stride 3", 3 * l) F("stride 32", 32 * l)                    \
        F("stride 33", 33 * l) F("backwards", 31 - l) F("eights", l / 8) F("two halves", l + (l < 16 ? 0 : 100))
/* clang-format on */

int main(int argc, char **argv) {
    for (const kind &k : kinds) {
#define F(what, units)                                                                                                 \
    {                                                                                                                  \
        lanes *p = add_pattern(k.name, k.kernel, what);                                                                \
        for (unsigned l = 0; l < WARP; l++) p->offset[l] = k.bytes * (units);                                          \
    }
        FIXED(F)
#undef F
        for (unsigned n = 0; n < 2; n++) {
            lanes *p = add_pattern(k.name, k.kernel, "random");
            for (unsigned l = 0; l < WARP; l++) p->offset[l] = k.bytes * (next_random() % (n == 0 ? 50 : 1000));
            p = add_pattern(k.name, k.kernel, "random, lanes missing");
            p->mask = next_random() ^ next_random() << 8;
            for (unsigned l = 0; l < WARP; l++) p->offset[l] = k.bytes * (next_random() % 100);
        }
    }
    return patterns_main(argc, argv, 65536, false);
}
