/* The simulator's comparison handlers against a scalar model: every type and operator, full and partial masks, a
 * destination that is a source, random and special values. */
#include "exec/lanes_case.h"

typedef struct number {
    bool is_float;
    big integer;
    double real;
} number;

static double half_value(uint64_t x, int exponent_bits, int fraction_bits, bool ftz) {
    const int exponent = (int)(x >> fraction_bits & ((1u << exponent_bits) - 1)), bias = (1 << (exponent_bits - 1)) - 1;
    const double fraction = (double)(x & ((1u << fraction_bits) - 1));
    const double one = ldexp(1, fraction_bits);
    const double size = exponent == (1 << exponent_bits) - 1 ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                        : exponent == 0                      ? (ftz ? 0 : ldexp(fraction, 1 - bias - fraction_bits))
                                                             : ldexp(one + fraction, exponent - bias - fraction_bits);
    return bit(x, 15) ? -size : size;
}
/* type: u, s with bits; f: 32 or 64; h: f16; b: bf16 */
static number read_number(uint64_t x, char type, int bits, bool ftz) {
    number n = {.is_float = type != 'u' && type != 's'};
    if (type == 'u') {
        n.integer = cut((big)x, bits);
    } else if (type == 's') {
        n.integer = sign(x, bits);
    } else if (type == 'h') {
        n.real = half_value(x & 0xffff, 5, 10, ftz);
    } else if (type == 'b') {
        n.real = half_value(x & 0xffff, 8, 7, false);
    } else if (bits == 64) {
        memcpy(&n.real, &x, 8);
    } else {
        n.real = ftz && fpclassify(as_float(x)) == FP_SUBNORMAL ? 0 : (double)as_float(x);
    }
    return n;
}
static bool holds(number a, number b, int op) {
    const bool unordered = a.is_float && (isnan(a.real) || isnan(b.real));
    const bool less = a.is_float ? a.real < b.real : a.integer < b.integer;
    const bool equal = a.is_float ? a.real == b.real : a.integer == b.integer;
    const bool greater = !unordered && !less && !equal;
    switch (op) {
    case COMPARE_EQ:
        return equal;
    case COMPARE_NE:
        return less || greater;
    case COMPARE_LO:
    case COMPARE_LT:
        return less;
    case COMPARE_LS:
    case COMPARE_LE:
        return less || equal;
    case COMPARE_HI:
    case COMPARE_GT:
        return greater;
    case COMPARE_HS:
    case COMPARE_GE:
        return greater || equal;
    case COMPARE_EQU:
        return equal || unordered;
    case COMPARE_NEU:
        return !equal;
    case COMPARE_LTU:
        return less || unordered;
    case COMPARE_LEU:
        return less || equal || unordered;
    case COMPARE_GTU:
        return greater || unordered;
    case COMPARE_GEU:
        return !less;
    case COMPARE_NUM:
        return !unordered;
    default:
        return unordered;
    }
}
static bool combine(bool t, int op, bool c) {
    return op == BOOLEAN_AND ? t && c : op == BOOLEAN_OR ? t || c : op == BOOLEAN_XOR ? t != c : t;
}

typedef struct comparing {
    const char *name;
    sim_handler *run;
    char type;
    int bits;
    bool two;     /* halves */
    uint32_t one; /* set: what stands for true; 0: setp */
} comparing;

/* clang-format off */
#define SETS(result, one)                                                                                              \
    COMPARING(set_##result##_u32, 'u', 32, 0, one)                                                                     \
    COMPARING(set_##result##_s16, 's', 16, 0, one)                                                                     \
    COMPARING(set_##result##_s32, 's', 32, 0, one)                                                                     \
    COMPARING(set_##result##_u64, 'u', 64, 0, one) COMPARING(set_##result##_s64, 's', 64, 0, one)                      \
        COMPARING(set_##result##_f32_either, 'f', 32, 0, one) COMPARING(set_##result##_f64, 'f', 64, 0, one)
/* clang-format on */
/* clang-format off */
#define COMPARISONS                                                                                                    \
    COMPARING(setp_u32, 'u', 32, 0, 0)                                                                                 \
    COMPARING(setp_s16, 's', 16, 0, 0)                                                                                 \
    COMPARING(setp_s32, 's', 32, 0, 0)                                                                                 \
    COMPARING(setp_u64, 'u', 64, 0, 0) COMPARING(setp_s64, 's', 64, 0, 0) COMPARING(setp_f32, 'f', 32, 0, 0)           \
        COMPARING(setp_f64, 'f', 64, 0, 0) COMPARING(setp_f16, 'h', 16, 0, 0) COMPARING(setp_bf16, 'b', 16, 0, 0)      \
            COMPARING(setp_f16x2, 'h', 32, 1, 0) COMPARING(setp_bf16x2, 'b', 32, 1, 0) SETS(b32, 0xffffffff)           \
                SETS(f32, 0x3f800000) SETS(f16, 0x3c00) SETS(bf16, 0x3f80)                                             \
                    COMPARING(set_b32_f16, 'h', 16, 0, 0xffffffff) COMPARING(set_b32_bf16, 'b', 16, 0, 0xffffffff)     \
                        COMPARING(set_b16_f16, 'h', 16, 0, 0xffff) COMPARING(set_b16_bf16, 'b', 16, 0, 0xffff)         \
                            COMPARING(set_f16_f16, 'h', 16, 0, 0x3c00) COMPARING(set_bf16_f16, 'h', 16, 0, 0x3f80)     \
                                COMPARING(set_bf16_bf16, 'b', 16, 0, 0x3f80)                                           \
                                    COMPARING(set_b32_f16x2, 'h', 32, 1, 0xffff)                                       \
                                        COMPARING(set_b32_bf16x2, 'b', 32, 1, 0xffff)                                  \
                                            COMPARING(set_f16_f16x2, 'h', 32, 1, 0x3c00)                               \
                                                COMPARING(set_bf16_bf16x2, 'b', 32, 1, 0x3f80)
/* clang-format on */
#define COMPARING(name, type, bits, two, one) DECLARE(name)
COMPARISONS
#undef COMPARING

static void put_bit(uint32_t *to, int l, bool x) {
    *to = (*to & ~(1u << l)) | (uint32_t)x << l;
}

static void test_comparisons(void **state) {
    static const comparing all[] = {
#define COMPARING(name, type, bits, two, one) {#name, HANDLER_OF(name), type, bits, two, one},
        COMPARISONS};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        const comparing *in = &all[n];
        const bool is_float = in->type != 'u' && in->type != 's';
        const char lanes = in->bits == 64 ? 'l' : in->bits == 16 ? 'h' : 'w';
        for (int op = COMPARE_EQ; op <= COMPARE_NAN; op++) {
            if (op >= COMPARE_LO && (is_float ? op <= COMPARE_HS : in->type == 's' || op > COMPARE_HS)) {
                continue;
            }
            for (int round = 0; round < 64; round++) {
                const uint32_t mask = random_mask(round);
                insn i = {.compare = (uint8_t)op,
                          .boolean = round & 3,
                          .boolean_negate = round >> 2 & 1,
                          .ftz = round >> 3 & 1};
                for (int k = 0; k < 16; k++) {
                    *predicate(registers, k) = (uint32_t)random64();
                }
                const uint32_t setp_op[5] = {16, 20, 2 * SLOT_BYTES, 3 * SLOT_BYTES, round & 32 ? 16 : 24};
                const uint32_t set_op[5] = {round & 16 && lanes != 'l' ? 2 * SLOT_BYTES : SLOT_BYTES, 2 * SLOT_BYTES,
                                            3 * SLOT_BYTES, 24};
                memcpy(i.op, in->one ? set_op : setp_op, sizeof setp_op);
                fill(1, 'w'), fill(2, lanes), fill(3, lanes);
                for (int l = 0; l < LANES; l += 3) { /* equal ones */
                    set_lane(registers, 3, lanes, l, lane(registers, 2, lanes, l));
                }
                const uint32_t c = *(uint32_t *)(registers + i.op[in->one ? 3 : 4]);
                memcpy(expected, registers, sizeof registers);
                for (int l = 0; l < LANES; l++) {
                    const uint64_t x = lane(registers, 2, lanes, l), y = lane(registers, 3, lanes, l);
                    const bool third = bit(c, l) != i.boolean_negate;
                    const bool t =
                        holds(read_number(x, in->type, in->bits, i.ftz), read_number(y, in->type, in->bits, i.ftz), op);
                    const bool u = in->two ? holds(read_number(x >> 16, in->type, in->bits, i.ftz),
                                                   read_number(y >> 16, in->type, in->bits, i.ftz), op)
                                           : !t;
                    const bool p = combine(t, i.boolean, third), q = combine(u, i.boolean, third);
                    if (!(mask >> l & 1)) {
                        continue;
                    }
                    if (in->one) {
                        const uint32_t high = in->two && q ? in->one << 16 : 0;
                        set_lane(expected, (int)(i.op[0] / SLOT_BYTES), 'w', l, (p ? in->one : 0) | high);
                    } else {
                        put_bit(predicate(expected, 0), l, p);
                        put_bit(predicate(expected, 1), l, q);
                    }
                }
                in->run(&the_warp, &i, mask);
                if (memcmp(registers, expected, sizeof registers) != 0) {
                    fail_msg("%s comparison %d round %d", in->name, op, round);
                }
            }
        }
    }
    print_message("%zu handlers\n", sizeof all / sizeof *all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comparisons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
