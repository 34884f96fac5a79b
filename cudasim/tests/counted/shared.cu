/* Patterns of addresses in shared memory, for the rule in include/banks.h: loads and stores of every width,
 * atomics, ldmatrix, stmatrix, and what cp.async writes. */
#include "patterns.h"

#define LOAD1(type)  asm volatile("ld.shared." type " %0, [%1];" : "=r"(x) : "r"(at))
#define STORE1(type) asm volatile("st.shared." type " [%0], %1;" ::"r"(at), "r"(x) : "memory")
PATTERN_KERNEL(load_1, LOAD1("u8"))
PATTERN_KERNEL(load_2, LOAD1("u16"))
PATTERN_KERNEL(load_4, LOAD1("u32"))
PATTERN_KERNEL(load_8, asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at)))
PATTERN_KERNEL(load_16, asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                                     : "r"(at)))
PATTERN_KERNEL(store_1, STORE1("u8"))
PATTERN_KERNEL(store_2, STORE1("u16"))
PATTERN_KERNEL(store_4, STORE1("u32"))
PATTERN_KERNEL(store_8, asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(x) : "memory"))
PATTERN_KERNEL(store_16, asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(x) : "memory"))

#define ATOM(op) asm volatile("atom.shared." op " %0, [%1], %2;" : "=r"(y) : "r"(at), "r"(x) : "memory")
PATTERN_KERNEL(atomic_add, ATOM("add.u32"))
PATTERN_KERNEL(atomic_exch, ATOM("exch.b32"))
PATTERN_KERNEL(atomic_cas, asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
                                        : "=r"(y)
                                        : "r"(at), "r"(x + 7), "r"(x)
                                        : "memory"))
PATTERN_KERNEL(atomic_red, asm volatile("red.shared.max.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory"))
PATTERN_KERNEL(atomic_one, asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory"))
PATTERN_KERNEL(atomic_cas64, unsigned long long v; asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
                                                                : "=l"(v)
                                                                : "r"(at), "l"((unsigned long long)x + 7), "l"(1ull)
                                                                : "memory");
               y = (unsigned)v)

PATTERN_KERNEL(ldmatrix_1, asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(at)))
PATTERN_KERNEL(ldmatrix_2, asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                                        : "=r"(x), "=r"(y)
                                        : "r"(at)))
PATTERN_KERNEL(ldmatrix_4, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                                        : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                                        : "r"(at)))
PATTERN_KERNEL(ldmatrix_trans_4, asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                                              : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                                              : "r"(at)))
PATTERN_KERNEL(stmatrix_1, asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(x)
                                        : "memory"))
PATTERN_KERNEL(stmatrix_2, asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};" ::"r"(at), "r"(x)
                                        : "memory"))
PATTERN_KERNEL(stmatrix_4,
               asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(x)
                            : "memory"))

/* From neighbouring places of global memory to these. */
#define COPY(how, bytes)                                                                                               \
    asm volatile("cp.async." how ".shared.global [%0], [%1], " bytes ";\n\tcp.async.wait_all;" ::"r"(at),              \
                 "l"(m.global + 16 * lane)                                                                             \
                 : "memory")
PATTERN_KERNEL(copy_4, COPY("ca", "4"))
PATTERN_KERNEL(copy_8, COPY("ca", "8"))
PATTERN_KERNEL(copy_16, COPY("ca", "16"))
PATTERN_KERNEL(copy_cg_16, COPY("cg", "16"))
PATTERN_KERNEL(nothing, )

static const struct kind {
    const char *name;
    pattern_kernel *kernel;
    unsigned bytes; /* of an address: they are multiples */
    int random;     /* how many patterns of each random sort */
    bool some;      /* lanes may be missing */
} kinds[] = {
    {"load_1", load_1, 1, 2, true},           {"load_2", load_2, 2, 2, true},
    {"load_4", load_4, 4, 2, true},           {"load_8", load_8, 8, 4, true},
    {"load_16", load_16, 16, 4, true},        {"store_1", store_1, 1, 2, true},
    {"store_2", store_2, 2, 2, true},         {"store_4", store_4, 4, 1, true},
    {"store_8", store_8, 8, 2, true},         {"store_16", store_16, 16, 2, true},
    {"atomic_add", atomic_add, 4, 2, true},   {"atomic_exch", atomic_exch, 4, 1, true},
    {"atomic_cas", atomic_cas, 4, 2, true},   {"atomic_red", atomic_red, 4, 1, true},
    {"atomic_one", atomic_one, 4, 1, true},   {"atomic_cas64", atomic_cas64, 8, 1, true},
    {"ldmatrix_1", ldmatrix_1, 16, 2, false}, {"ldmatrix_2", ldmatrix_2, 16, 2, false},
    {"ldmatrix_4", ldmatrix_4, 16, 3, false}, {"ldmatrix_trans_4", ldmatrix_trans_4, 16, 1, false},
    {"stmatrix_1", stmatrix_1, 16, 1, false}, {"stmatrix_2", stmatrix_2, 16, 1, false},
    {"stmatrix_4", stmatrix_4, 16, 2, false}, {"copy_4", copy_4, 4, 1, true},
    {"copy_8", copy_8, 8, 1, true},           {"copy_16", copy_16, 16, 1, true},
    {"copy_cg_16", copy_cg_16, 16, 1, true},
};

/* Patterns in units of the access's bytes, u(l) for lane l. */
/* clang-format off */
#define FIXED(F)                                                                                                       \
    F("stride 0", 0)                                                                                                   \
    F("stride 1", l)                                                                                                   \
    F("stride 2", 2 * l)                                                                                               \
    F("stride 4", 4 * l) F("stride 8", 8 * l) F("stride 33", 33 * l) F("pairs lane^1", l / 2)                          \
        F("pairs lane^2", l & 29) F("fours", l / 4) F("backwards in eights", l ^ 7)                                    \
            F("two words of a bank", 32 * (l & 1))
/* clang-format on */
/* Which lanes of a pair agree, where and how often: what doubles a phase. */
/* clang-format off */
#define PAIRED(F)                                                                                                      \
    F("pairs lane^4", l & 27)                                                                                          \
    F("pairs lane^8", l & 23)                                                                                          \
    F("pairs lane^16", l & 15)                                                                                         \
    F("pairs lane^1, 8 apart", 8 * (l / 2)) F("pairs lane^2, 8 apart", 8 * (l & 29))                                   \
        F("pairs lane^1, 3 apart", 3 * (l / 2)) F("fours, 8 apart", 8 * (l / 4)) F("eights", l / 8)                    \
            F("lane^1 in the first half", l < 16 ? l / 2 : l) F("lane^1 in the second half", l < 16 ? l : l / 2)       \
                F("lane^2 in the first half", l < 16 ? l & 29 : l) F("lane^2 in the second half", l < 16 ? l : l & 29) \
                    F("lane^1, then lane^2", l < 16 ? l / 2 : l & 29)                                                  \
                        F("lane^2, then lane^1", l < 16 ? l & 29 : l / 2)                                              \
                            F("lane^1 in the first eight", l < 8 ? l / 2 : l)                                          \
                                F("lane^1 but for two lanes", l == 31 ? 33 : l / 2)                                    \
                                    F("lane^1 in eights 0 and 1", l < 16 ? 16 * (l / 2) : 16 * l)                      \
                                        F("lane^1 in eights 0 and 2", l & 8 ? l : l / 2)                               \
                                            F("row of a tile", l % 4 + 32 * (l / 16))                                  \
                                                F("column of a tile", l / 8 + 8 * (l & 1))
/* clang-format on */
/* For lanes that are missing. */
/* clang-format off */
#define MASKS(F)                                                                                                       \
    F(0x00000001u)                                                                                                     \
    F(0x80000001u)                                                                                                     \
    F(0x55555555u)                                                                                                     \
    F(0xaaaaaaaau) F(0x33333333u) F(0x0000ffffu) F(0x00ff00ffu) F(0x0f0f0f0fu) F(0x7fffffffu) F(0xfffffffcu)           \
        F(0xffff0000u) F(0x01010101u)
/* clang-format on */

static void add_fixed(const kind *k, bool pairs) {
#define F(what, units)                                                                                                 \
    {                                                                                                                  \
        lanes *p = add_pattern(k->name, k->kernel, what);                                                              \
        for (unsigned l = 0; l < WARP; l++) p->offset[l] = k->bytes * (units);                                         \
    }
    FIXED(F)
    if (pairs) {
        PAIRED(F)
    }
#undef F
}

static void add_masked(const kind *k, bool pairs) {
#define F(lanes_there)                                                                                                 \
    {                                                                                                                  \
        lanes *p = add_pattern(k->name, k->kernel, "stride 1, lanes missing");                                         \
        p->mask = lanes_there;                                                                                         \
        for (unsigned l = 0; l < WARP; l++) p->offset[l] = k->bytes * l;                                               \
        if (pairs) {                                                                                                   \
            p = add_pattern(k->name, k->kernel, "pairs lane^1, lanes missing");                                        \
            p->mask = lanes_there;                                                                                     \
            for (unsigned l = 0; l < WARP; l++) p->offset[l] = k->bytes * (l / 2);                                     \
            p = add_pattern(k->name, k->kernel, "pairs lane^2, lanes missing");                                        \
            p->mask = lanes_there;                                                                                     \
            for (unsigned l = 0; l < WARP; l++) p->offset[l] = k->bytes * (l & 29);                                    \
        }                                                                                                              \
    }
    if (pairs || strcmp(k->name, "load_4") == 0 || strcmp(k->name, "atomic_add") == 0) {
        MASKS(F)
    } else {
        F(0x80000001u)
        F(0x0f0f0f0fu)
    }
#undef F
}

/* Among few words and many, within a bank, in pairs, with lanes missing. */
static void add_random(const kind *k) {
    static const struct {
        const char *name;
        unsigned units, step;
    } sorts[] = {
        {"random of 8", 8, 1}, {"random of 64", 64, 1}, {"random of 1000", 1000, 1}, {"random in a bank", 16, 32}};
    for (const auto &s : sorts)
        for (int n = 0; n < k->random; n++) {
            lanes *p = add_pattern(k->name, k->kernel, s.name);
            for (unsigned l = 0; l < WARP; l++) p->offset[l] = k->bytes * s.step * (next_random() % s.units);
        }
    for (int n = 0; n < 2 * k->random && k->bytes > 4; n++) {
        const unsigned apart = 1u << n % 2;
        lanes *p = add_pattern(k->name, k->kernel, apart == 1 ? "random pairs lane^1" : "random pairs lane^2");
        for (unsigned l = 0; l < WARP; l++)
            p->offset[l] = l & apart ? p->offset[l ^ apart] : k->bytes * (next_random() % 200);
    }
    for (int n = 0; n < k->random && k->some; n++) {
        lanes *p = add_pattern(k->name, k->kernel, "random, lanes missing");
        p->mask = next_random() ^ next_random() << 8;
        for (unsigned l = 0; l < WARP; l++) p->offset[l] = k->bytes * (next_random() % 100);
    }
}

int main(int argc, char **argv) {
    for (const kind &k : kinds) {
        const bool wide_load = strcmp(k.name, "load_8") == 0 || strcmp(k.name, "load_16") == 0;
        add_fixed(&k, wide_load || strcmp(k.name, "store_16") == 0 || strcmp(k.name, "ldmatrix_4") == 0);
        if (k.some) add_masked(&k, wide_load);
        add_random(&k);
    }
    add_pattern("nothing", nothing, "no access");
    return patterns_main(argc, argv, 4096, false);
}
