/* Patterns of cp.async, from addresses in global memory to addresses in shared memory: what counts is where both lie.
 */
#include "patterns.h"

#define COPY(how, bytes)                                                                                               \
    asm volatile("cp.async." how ".shared.global [%0], [%1], " bytes ";\n\tcp.async.wait_all;" ::"r"(at),              \
                 "l"(m.global + p.from[lane])                                                                          \
                 : "memory")
PATTERN_KERNEL(copy_4, COPY("ca", "4"))
PATTERN_KERNEL(copy_8, COPY("ca", "8"))
PATTERN_KERNEL(copy_16, COPY("ca", "16"))
PATTERN_KERNEL(copy_cg_16, COPY("cg", "16"))

static const struct kind {
    const char *name;
    pattern_kernel *kernel;
    unsigned bytes;
} kinds[] = {{"copy_4", copy_4, 4}, {"copy_8", copy_8, 8}, {"copy_16", copy_16, 16}, {"copy_cg_16", copy_cg_16, 16}};

enum { CACHED = 3 }; /* of the kinds: through L1 */

/* What both sides may be, in units of the copy's bytes. */
/* clang-format off */
#define SIDES(F)                                                                                                       \
    F("near", l)                                                                                                       \
    F("backwards", 31 - l) F("pairs", l / 2) F("same", 0) F("stride 2", 2 * l) F("lines apart", 32 * l)                \
        F("stride 33", 33 * l) F("from 1 on", l + 1) F("rows of 4", 64 * (l / 4) + l % 4)                              \
            F("random", next_random() % 500)
/* clang-format on */

struct side {
    const char *name;
    unsigned units[WARP];
};

static int all_sides(side *sides) {
    int count = 0;
#define F(what, u)                                                                                                     \
    sides[count].name = what;                                                                                          \
    for (unsigned l = 0; l < WARP; l++) sides[count].units[l] = u;                                                     \
    count++;
    SIDES(F)
#undef F
    return count;
}

static lanes *add(const kind *k, const char *name, const unsigned *to, const unsigned *from) {
    lanes *p = add_pattern(k->name, k->kernel, name);
    for (unsigned l = 0; l < WARP; l++) {
        p->offset[l] = k->bytes * to[l];
        p->from[l] = k->bytes * from[l];
    }
    return p;
}

static void add_sides(const kind *k) {
    static side sides[16];
    const int count = all_sides(sides);
    for (int t = 0; t < count; t++)
        for (int f = 0; f < count; f++) {
            char name[40];
            if (t > 1 && f > 1 && (t + f) % 3 != 0 && t != count - 1) continue; /* not all of them */
            snprintf(name, sizeof name, "from %s to %s", sides[f].name, sides[t].name);
            add(k, name, sides[t].units, sides[f].units);
        }
    for (int n = 0; n < 3; n++) {
        lanes *p = add(k, "random, lanes missing", sides[count - 1].units, sides[n].units);
        p->mask = next_random() ^ next_random() << 8;
    }
}

/* Past L1, chunk l of four lines goes to chunk u(l). */
/* clang-format off */
#define PLACES(F)                                                                                                      \
    F("lane^1", l ^ 1)                                                                                                 \
    F("lane^2", l ^ 2) F("lane^4", l ^ 4) F("lane^8", l ^ 8) F("lane^3", l ^ 3)                                        \
        F("round by a chunk", (l & 24) | ((l + 1) & 7)) F("round by a sector", (l & 24) | ((l + 2) & 7))               \
            F("on by a sector", l + 2) F("on by half a line", l + 4) F("on by a line", l + 8)                          \
                F("lines 2 apart", 16 * (l / 8) + l % 8) F("lines backwards", (24 - (l & 24)) + l % 8)                 \
                    F("all lines to one", l % 8) F("halves 1 line apart", 8 * (l / 4) + l % 4)                         \
                        F("sectors 1 line apart", 8 * (l / 2) + l % 2) F("sectors across lines",                       \
                                                                         8 * (l / 2 % 4) + 2 * (l / 8) + l % 2)        \
                            F("one lane off", l == 31 ? 40 : l) F("first lane off", l == 0 ? 64 : l)                   \
                                F("first line scattered", l < 8 ? 100 + 3 * l : l)                                     \
                                    F("lanes 1 and 2 swapped", l == 1   ? 2                                            \
                                                               : l == 2 ? 1                                            \
                                                                        : l) F("lanes 0 and 8 swapped", l == 0   ? 8   \
                                                                                                        : l == 8 ? 0   \
                                                                                                                 : l)  \
                                        F("a sector swapped with another line's", l < 2              ? l + 8           \
                                                                                  : l >= 8 && l < 10 ? l - 8           \
                                                                                                     : l)              \
                                            F("swizzled rows of 8", 8 * (l / 8) + (l % 8 ^ l / 8))                     \
                                                F("swizzled rows of 4", 4 * (l / 4) + (l % 4 ^ (l / 8 & 3)))           \
                                                    F("rows of 8, padded", 9 * (l / 8) + l % 8)                        \
                                                        F("rows of 4, padded", 5 * (l / 4) + l % 4)                    \
                                                            F("rows of 8, padded by 2", 10 * (l / 8) + l % 8)          \
                                                                F("pairs lane^2", l & 29)                              \
                                                                    F("a sector's lanes apart", 8 * (l % 2) + l / 2)
/* clang-format on */

static void add_places(const kind *k) {
    unsigned to[WARP], near[WARP];
    for (unsigned l = 0; l < WARP; l++) near[l] = l;
#define F(what, u)                                                                                                     \
    for (unsigned l = 0; l < WARP; l++) to[l] = u;                                                                     \
    add(k, what, to, near);
    PLACES(F)
#undef F
    static const unsigned masks[] = {0x55555555u, 0xaaaaaaaau, 0x33333333u, 0x0f0f0f0fu, 0x00ff00ffu, 0x0000ffffu,
                                     0x80000001u, 0x7fffffffu, 0x00000003u, 0x00000005u, 0x00000007u};
    for (unsigned mask : masks) add(k, "near, lanes missing", near, near)->mask = mask;
}

int main(int argc, char **argv) {
    pattern_copies = true;
    for (int n = 0; n <= CACHED; n++) add_sides(&kinds[n]);
    add_places(&kinds[CACHED]);
    return patterns_main(argc, argv, 65536, false);
}
