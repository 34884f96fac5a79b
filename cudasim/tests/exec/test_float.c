/* The simulator's floating-point arithmetic and conversions, in the instruction set that it is built for, against a
 * model that keeps numbers exactly, as integers of thousands of bits, and rounds once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/handlers.h"
#include "exec/lanes.h"

/* ---- the handlers, by name ---- */

#define OP(name, spelling, modifiers, operands, class, handler) sim_handler SIM_JOIN(handler, SIM_ISA);
#define OP_DECODE(name, mnemonic, decoder, class)
#define HANDLER_ROW(name, class)
#include "isa/ops.def"
#undef OP
#undef OP_DECODE
#undef HANDLER_ROW

typedef struct handlers {
    const char *name;
    sim_handler *run;
} handlers;
#define H(name) ((handlers){#name, SIM_JOIN(name, SIM_ISA)})

/* ---- a warp's registers: operand n's lanes start at 256 * n ---- */

static uint8_t registers[8 * 256] __attribute__((aligned(128)));
static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717u;
}

/* A model: the result's bits from the operands' (each as wide as its lanes), under the instruction's modifiers. */
typedef uint64_t model_fn(const insn *i, const uint64_t *x);
typedef uint64_t source_fn(void);

static uint64_t get(int operand, int bytes, int lane) {
    uint64_t value = 0;
    memcpy(&value, registers + 256 * operand + bytes * lane, (size_t)bytes);
    return value;
}

static void put(int operand, int bytes, int lane, uint64_t value) {
    memcpy(registers + 256 * operand + bytes * lane, &value, (size_t)bytes);
}

/* Runs the handler; lanes of `to` and `from` bytes. */
static void check(handlers h, insn i, int to, int from, int count, source_fn *source, model_fn *model, int rounds) {
    for (int round = 0; round < rounds; round++) {
        uint64_t x[LANES][3] = {{0}};
        for (int l = 0; l < LANES; l++) {
            for (int k = 0; k < count; k++) {
                x[l][k] = source();
            }
        }
        uint32_t mask = round % 3 == 1 ? (uint32_t)random_bits() : ALL_LANES;
        bool alias = round % 2 && to == from; /* destination: the first source */
        warp w = {.registers = registers};
        for (int l = 0; l < LANES; l++) {
            for (int k = 0; k < count; k++) {
                put(k + 1, from, l, x[l][k]);
            }
            put(0, to, l, 0x5555555555555555u);
        }
        i.op[0] = alias ? 256 : 0;
        for (int k = 1; k < INSN_OPERANDS; k++) {
            i.op[k] = 256 * (uint32_t)k;
        }
        h.run(&w, &i, mask);
        for (int l = 0; l < LANES; l++) {
            uint64_t kept = to == 8 ? UINT64_MAX : UINT32_MAX, got = get(alias, to, l);
            uint64_t before = alias ? x[l][0] : 0x5555555555555555u;
            uint64_t want = (mask >> l & 1 ? model(&i, x[l]) : before) & kept;
            if (got != want) {
                fail_msg("%s, rounding %d ftz %d sat %d relu %d satfinite %d nan %d xorsign %d width %d "
                         "mode %d: of %#llx %#llx %#llx: %#llx, not %#llx",
                         h.name, i.rounding, i.ftz, i.sat, i.relu, i.satfinite, i.nan, i.xorsign, i.width,
                         i.source_bytes, (unsigned long long)x[l][0], (unsigned long long)x[l][1],
                         (unsigned long long)x[l][2], (unsigned long long)got, (unsigned long long)want);
            }
        }
    }
}

/* ---- exact numbers: bit k of `bits` weighs 2^(k - ORIGIN) ---- */

enum { ORIGIN = 2400, WORDS = 80 };
typedef struct exact {
    bool negative;
    uint64_t bits[WORDS];
} exact;

/* (-1)^negative * magnitude * 2^exponent */
static exact exact_of(bool negative, unsigned __int128 magnitude, int exponent) {
    exact n = {.negative = negative};
    for (int k = 0; k < 128; k++) {
        if (magnitude >> k & 1) {
            int place = k + exponent + ORIGIN;
            assert_true(place > 0 && place < 64 * WORDS);
            n.bits[place / 64] |= 1ull << place % 64;
        }
    }
    return n;
}

static bool exact_bit(const exact *n, int place) {
    return place >= 0 && n->bits[place / 64] >> place % 64 & 1;
}

static int exact_top(const exact *n) {
    for (int word = WORDS - 1; word >= 0; word--) {
        if (n->bits[word]) {
            return 64 * word + 63 - __builtin_clzll(n->bits[word]);
        }
    }
    return -1;
}

static bool exact_below(const exact *n, int place) /* any bit under `place`? */
{
    for (int word = 0; word < WORDS && 64 * word < place; word++) {
        uint64_t bits = n->bits[word];
        if (place - 64 * word < 64) {
            bits &= (1ull << (place - 64 * word)) - 1;
        }
        if (bits) {
            return true;
        }
    }
    return false;
}

static exact exact_add(exact a, exact b) {
    exact sum = {.negative = a.negative};
    if (a.negative == b.negative) {
        uint64_t carry = 0;
        for (int k = 0; k < WORDS; k++) {
            unsigned __int128 s = (unsigned __int128)a.bits[k] + b.bits[k] + carry;
            sum.bits[k] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
        return sum;
    }
    int order = 0;
    for (int k = WORDS - 1; k >= 0 && !order; k--) {
        order = a.bits[k] > b.bits[k] ? 1 : a.bits[k] < b.bits[k] ? -1 : 0;
    }
    if (order < 0) {
        exact t = a;
        a = b, b = t;
    }
    sum.negative = a.negative;
    uint64_t borrow = 0;
    for (int k = 0; k < WORDS; k++) {
        unsigned __int128 s = (unsigned __int128)a.bits[k] - b.bits[k] - borrow;
        sum.bits[k] = (uint64_t)s;
        borrow = s >> 64 != 0;
    }
    return sum;
}

/* ---- formats ---- */

typedef struct format {
    int digits, exponent_bits; /* digits with the leading one */
    uint64_t nan;
} format;
static const format F16 = {11, 5, 0x7fff}, BF16 = {8, 8, 0x7fff}, F32_ = {24, 8, 0x7fffffff},
                    F64_ = {53, 11, 0xfff8000000000000}, TF32 = {11, 8, 0x3ffff};

static int bias_of(const format *f) {
    return (1 << (f->exponent_bits - 1)) - 1;
}
static uint64_t infinity_of(const format *f) {
    return ((1ull << f->exponent_bits) - 1) << (f->digits - 1);
}
static uint64_t sign_of(const format *f) {
    return 1ull << (f->digits - 1 + f->exponent_bits);
}
static bool is_nan(uint64_t x, const format *f) {
    return (x & (sign_of(f) - 1)) > infinity_of(f);
}
static bool is_infinite(uint64_t x, const format *f) {
    return (x & (sign_of(f) - 1)) == infinity_of(f);
}
static bool is_zero(uint64_t x, const format *f) {
    return (x & (sign_of(f) - 1)) == 0;
}
static bool is_negative(uint64_t x, const format *f) {
    return x & sign_of(f);
}

static void unpack(uint64_t x, const format *f, uint64_t *magnitude, int *exponent) {
    int field = (int)((x & (sign_of(f) - 1)) >> (f->digits - 1));
    *magnitude = (x & ((1ull << (f->digits - 1)) - 1)) | (uint64_t)(field != 0) << (f->digits - 1);
    *exponent = (field ? field : 1) - bias_of(f) - (f->digits - 1);
}

static exact exact_number(uint64_t x, const format *f) {
    uint64_t magnitude;
    int exponent;
    unpack(x, f, &magnitude, &exponent);
    return exact_of(is_negative(x, f), magnitude, exponent);
}

/* Rounded to a multiple of bit `place`: the multiple. */
static unsigned __int128 round_at(const exact *n, int place, int mode) {
    unsigned __int128 kept = 0;
    for (int top = exact_top(n); top >= place; top--) {
        kept = kept << 1 | exact_bit(n, top);
    }
    bool half = exact_bit(n, place - 1), rest = exact_below(n, place - 1), any = half || rest, up;
    if (mode == ROUND_RZ || mode == ROUND_RZI)
        up = false;
    else if (mode == ROUND_RM || mode == ROUND_RMI)
        up = any && n->negative;
    else if (mode == ROUND_RP || mode == ROUND_RPI)
        up = any && !n->negative;
    else if (mode == ROUND_RNA)
        up = half;
    else
        up = half && (rest || (kept & 1));
    return kept + up;
}

static uint64_t round_exact(const exact *n, const format *f, int mode, bool satfinite) {
    uint64_t sign = n->negative ? sign_of(f) : 0;
    int top = exact_top(n), least = ORIGIN + 1 - bias_of(f);
    if (top < 0) {
        return sign;
    }
    int place = (top < least ? least : top) - (f->digits - 1);
    uint64_t kept = (uint64_t)round_at(n, place, mode);
    if (kept >> f->digits) {
        kept >>= 1, place++;
    }
    if (!(kept >> (f->digits - 1))) {
        return sign | kept;
    }
    int field = place + f->digits - 1 - least + 1;
    if (field >= (1 << f->exponent_bits) - 1) {
        bool stay =
            satfinite || mode == ROUND_RZ || (mode == ROUND_RM && !n->negative) || (mode == ROUND_RP && n->negative);
        return sign | (infinity_of(f) - stay);
    }
    return sign | (uint64_t)field << (f->digits - 1) | (kept & ((1ull << (f->digits - 1)) - 1));
}

static uint64_t flush(uint64_t x, const format *f) {
    return (x & infinity_of(f)) ? x : x & sign_of(f);
}

static uint64_t finish(const insn *i, uint64_t x, const format *f) {
    uint64_t one = (uint64_t)bias_of(f) << (f->digits - 1);
    if (i->ftz) x = flush(x, f);
    if (i->sat) x = is_nan(x, f) || is_negative(x, f) ? 0 : x > one ? one : x;
    if (i->relu) x = is_nan(x, f) ? f->nan : is_negative(x, f) ? 0 : x;
    return x;
}

/* a * b + c, or without c (negative zero) a product */
static uint64_t model_multiply_add(const insn *i, const format *f, const uint64_t *operands, bool multiply, bool add) {
    uint64_t x[3], nan = f->nan;
    bool any_nan = false;
    for (int turn = 0; turn < 3; turn++) { /* of several NaNs the second operand's counts, then the third's */
        const int k = turn == 0 ? 0 : 3 - turn;
        if ((k == 1 && !multiply) || (k == 2 && !add)) {
            continue;
        }
        x[k] = i->ftz ? flush(operands[k], f) : operands[k];
        if (is_nan(x[k], f)) {
            any_nan = true;
            if (f->digits == 53) nan = x[k] | 0x8000000000000;
        }
    }
    if (any_nan) {
        return finish(i, nan, f);
    }
    if (!multiply) {
        x[1] = (uint64_t)bias_of(f) << (f->digits - 1); /* 1 */
    }
    if (!add) {
        x[2] = is_negative(x[0], f) != is_negative(x[1], f) ? sign_of(f) : 0;
    }
    bool negative = is_negative(x[0], f) != is_negative(x[1], f),
         infinite = is_infinite(x[0], f) || is_infinite(x[1], f);
    if (infinite && (is_zero(x[0], f) || is_zero(x[1], f))) return finish(i, nan, f);
    if (infinite && is_infinite(x[2], f) && negative != is_negative(x[2], f)) return finish(i, nan, f);
    if (infinite) return finish(i, infinity_of(f) | (negative ? sign_of(f) : 0), f);
    if (is_infinite(x[2], f)) return finish(i, x[2], f);
    uint64_t m0, m1;
    int e0, e1;
    unpack(x[0], f, &m0, &e0);
    unpack(x[1], f, &m1, &e1);
    exact product = exact_of(negative, (unsigned __int128)m0 * m1, e0 + e1), addend = exact_number(x[2], f);
    exact sum = exact_add(product, addend);
    if (exact_top(&sum) < 0) {
        sum.negative = product.negative == addend.negative ? negative : i->rounding == ROUND_RM;
    }
    int top = exact_top(&sum);
    if (top >= 0) { /* .ftz: too small even rounded with any exponent? */
        top += (int)(round_at(&sum, top - (f->digits - 1), i->rounding) >> f->digits);
    }
    if (i->ftz && top < ORIGIN + 1 - bias_of(f)) {
        return finish(i, sum.negative ? sign_of(f) : 0, f);
    }
    return finish(i, round_exact(&sum, f, i->rounding, false), f);
}

static uint64_t model_divide(const insn *i, const format *f, uint64_t a, uint64_t b) {
    if (i->ftz && f->digits == 24) {
        a = flush(a, f), b = flush(b, f);
    }
    bool wide = f->digits == 53;
    if (is_nan(a, f)) return wide ? a | 0x8000000000000 : f->nan;
    if (is_nan(b, f)) return wide ? b | 0x8000000000000 : f->nan;
    bool negative = is_negative(a, f) != is_negative(b, f);
    uint64_t sign = negative ? sign_of(f) : 0;
    if ((is_infinite(a, f) && is_infinite(b, f)) || (is_zero(a, f) && is_zero(b, f))) return f->nan;
    if (is_infinite(a, f) || is_zero(b, f)) return sign | infinity_of(f);
    if (is_infinite(b, f) || is_zero(a, f)) return sign;
    uint64_t m0, m1;
    int e0, e1, up = 0;
    unpack(a, f, &m0, &e0);
    unpack(b, f, &m1, &e1);
    while (!(m0 >> 52)) m0 <<= 1, up++; /* enough digits of the quotient for subnormals too */
    while (!(m1 >> 52)) m1 <<= 1, e1--;
    unsigned __int128 n = (unsigned __int128)m0 << 70, q = n / m1;
    q = q << 1 | (n % m1 != 0);
    exact quotient = exact_of(negative, q, e0 - up - 70 - 1 - e1);
    uint64_t result = round_exact(&quotient, f, i->rounding, false);
    return i->ftz && f->digits == 24 ? flush(result, f) : result;
}

static uint64_t model_sqrt(const insn *i, const format *f, uint64_t a) {
    if (i->ftz) a = flush(a, f);
    if (is_nan(a, f)) return f->digits == 53 ? a | 0x8000000000000 : f->nan;
    if (is_zero(a, f)) return a;
    if (is_negative(a, f)) return f->nan;
    if (is_infinite(a, f)) return a;
    uint64_t m;
    int e;
    unpack(a, f, &m, &e);
    unsigned __int128 n = m, root = 0;
    while (!(n >> 124)) n <<= 1, e--;
    if (e & 1) n <<= 1, e--;
    for (int bit = 63; bit >= 0; bit--) {
        unsigned __int128 next = root | (unsigned __int128)1 << bit;
        if (next * next <= n) root = next;
    }
    exact result = exact_of(false, root << 1 | (root * root != n), e / 2 - 1);
    return round_exact(&result, f, i->rounding, false);
}

/* ---- operands: special ones, near ones, any ---- */

static uint64_t number_of(const format *f) {
    uint64_t r = random_bits(), mask = 2 * sign_of(f) - 1, sign = r >> 40 & 1 ? sign_of(f) : 0;
    uint64_t one = (uint64_t)bias_of(f) << (f->digits - 1), least = 1ull << (f->digits - 1);
    const uint64_t specials[] = {0,
                                 1,
                                 least - 1,
                                 least,
                                 least + 1,
                                 one - 1,
                                 one,
                                 one + 1,
                                 infinity_of(f) - 1,
                                 infinity_of(f),
                                 infinity_of(f) + 1,
                                 infinity_of(f) | least >> 1,
                                 sign_of(f) - 1,
                                 2,
                                 one + least,
                                 one - least};
    switch (r % 8) {
    case 0:
        return specials[r >> 8 & 15] | sign;
    case 1:
        return (random_bits() & (least - 1)) | sign; /* subnormal */
    case 2:
    case 3:
    case 4:
        return (one + (random_bits() % 16 - 8) * (least) + (random_bits() & (least - 1))) | sign;
    case 5:
        return (one + (random_bits() % 8 - 4) * least + (random_bits() & 7) * (least >> 3)) | sign; /* few digits */
    default:
        return random_bits() & mask;
    }
}
static uint64_t any_f32(void) {
    return number_of(&F32_);
}
static uint64_t any_f64(void) {
    return number_of(&F64_);
}
static uint64_t any_f16(void) {
    return number_of(&F16);
}
static uint64_t any_bf16(void) {
    return number_of(&BF16);
}
static uint64_t any_f16x2(void) {
    return number_of(&F16) << 16 | number_of(&F16);
}
static uint64_t any_bf16x2(void) {
    return number_of(&BF16) << 16 | number_of(&BF16);
}

#define MODELS(type, f)                                                                                                \
    static uint64_t add_##type(const insn *i, const uint64_t *x) {                                                     \
        const uint64_t y[3] = {x[0], 0, x[1]};                                                                         \
        return model_multiply_add(i, &f, y, false, true);                                                              \
    }                                                                                                                  \
    static uint64_t sub_##type(const insn *i, const uint64_t *x) {                                                     \
        const uint64_t y[3] = {x[0], 0, is_nan(x[1], &f) ? x[1] : x[1] ^ sign_of(&f)};                                 \
        return model_multiply_add(i, &f, y, false, true);                                                              \
    }                                                                                                                  \
    static uint64_t mul_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_multiply_add(i, &f, x, true, false);                                                              \
    }                                                                                                                  \
    static uint64_t fma_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_multiply_add(i, &f, x, true, true);                                                               \
    }
MODELS(f32, F32_)
MODELS(f64, F64_)
MODELS(f16, F16)
MODELS(bf16, BF16)
#define WIDE_MODELS(type, f)                                                                                           \
    static uint64_t div_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_divide(i, &f, x[0], x[1]);                                                                        \
    }                                                                                                                  \
    static uint64_t rcp_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_divide(i, &f, (uint64_t)bias_of(&f) << (f.digits - 1), x[0]);                                     \
    }                                                                                                                  \
    static uint64_t sqrt_##type(const insn *i, const uint64_t *x) {                                                    \
        return model_sqrt(i, &f, x[0]);                                                                                \
    }
WIDE_MODELS(f32, F32_)
WIDE_MODELS(f64, F64_)

#define PAIR_MODEL(name, single)                                                                                       \
    static uint64_t name(const insn *i, const uint64_t *x) {                                                           \
        const uint64_t low[3] = {x[0] & 0xffff, x[1] & 0xffff, x[2] & 0xffff};                                         \
        const uint64_t high[3] = {x[0] >> 16 & 0xffff, x[1] >> 16 & 0xffff, x[2] >> 16 & 0xffff};                      \
        return single(i, high) << 16 | single(i, low);                                                                 \
    }
/* What ptxas makes of it: see exec/half.c. */
static uint64_t fma_rz_bf16(const insn *i, const uint64_t *x) {
    insn plain = {.rounding = ROUND_RN};
    (void)i;
    return fma_f16(&plain, x);
}

PAIR_MODEL(add_f16x2, add_f16)
PAIR_MODEL(sub_f16x2, sub_f16)
PAIR_MODEL(mul_f16x2, mul_f16)
PAIR_MODEL(fma_f16x2, fma_f16)
PAIR_MODEL(add_bf16x2, add_bf16)
PAIR_MODEL(sub_bf16x2, sub_bf16)
PAIR_MODEL(mul_bf16x2, mul_bf16)
PAIR_MODEL(fma_bf16x2, fma_bf16)

enum { ROUNDS = 60 };
static void test_f32(void **unused) {
    (void)unused;
    for (int mode = ROUND_DEFAULT; mode <= ROUND_RP; mode++) {
        for (int k = 0; k < 4; k++) {
            insn i = {.rounding = (uint8_t)mode, .ftz = k & 1, .sat = k >> 1};
            check(H(add_f32), i, 4, 4, 2, any_f32, add_f32, ROUNDS);
            check(H(sub_f32), i, 4, 4, 2, any_f32, sub_f32, ROUNDS);
            check(H(mul_f32), i, 4, 4, 2, any_f32, mul_f32, ROUNDS);
            check(H(fma_f32), i, 4, 4, 3, any_f32, fma_f32, 3 * ROUNDS);
            if (!i.sat) {
                check(H(div_f32), i, 4, 4, 2, any_f32, div_f32, ROUNDS);
                check(H(rcp_f32), i, 4, 4, 1, any_f32, rcp_f32, ROUNDS);
                check(H(sqrt_f32), i, 4, 4, 1, any_f32, sqrt_f32, ROUNDS);
            }
        }
    }
}

static void test_f64(void **unused) {
    (void)unused;
    for (int mode = ROUND_DEFAULT; mode <= ROUND_RP; mode++) {
        insn i = {.rounding = (uint8_t)mode};
        check(H(add_f64), i, 8, 8, 2, any_f64, add_f64, ROUNDS);
        check(H(sub_f64), i, 8, 8, 2, any_f64, sub_f64, ROUNDS);
        check(H(mul_f64), i, 8, 8, 2, any_f64, mul_f64, ROUNDS);
        check(H(fma_f64), i, 8, 8, 3, any_f64, fma_f64, 3 * ROUNDS);
        check(H(div_f64), i, 8, 8, 2, any_f64, div_f64, ROUNDS);
        check(H(rcp_f64), i, 8, 8, 1, any_f64, rcp_f64, ROUNDS);
        check(H(sqrt_f64), i, 8, 8, 1, any_f64, sqrt_f64, ROUNDS);
    }
}

static void test_half(void **unused) {
    (void)unused;
    for (int k = 0; k < 8; k++) {
        insn i = {.rounding = ROUND_RN, .ftz = k & 1, .sat = k >> 1 & 1, .relu = k >> 2};
        if (i.sat && i.relu) {
            continue;
        }
        check(H(add_f16), i, 4, 4, 2, any_f16, add_f16, ROUNDS);
        check(H(sub_f16), i, 4, 4, 2, any_f16, sub_f16, ROUNDS);
        check(H(mul_f16), i, 4, 4, 2, any_f16, mul_f16, ROUNDS);
        check(H(fma_f16), i, 4, 4, 3, any_f16, fma_f16, 10 * ROUNDS);
        check(H(add_f16x2), i, 4, 4, 2, any_f16x2, add_f16x2, ROUNDS);
        check(H(sub_f16x2), i, 4, 4, 2, any_f16x2, sub_f16x2, ROUNDS);
        check(H(mul_f16x2), i, 4, 4, 2, any_f16x2, mul_f16x2, ROUNDS);
        check(H(fma_f16x2), i, 4, 4, 3, any_f16x2, fma_f16x2, 5 * ROUNDS);
    }
    insn i = {.rounding = ROUND_RN};
    check(H(add_bf16), i, 4, 4, 2, any_bf16, add_bf16, ROUNDS);
    check(H(sub_bf16), i, 4, 4, 2, any_bf16, sub_bf16, ROUNDS);
    check(H(mul_bf16), i, 4, 4, 2, any_bf16, mul_bf16, 10 * ROUNDS);
    check(H(add_bf16x2), i, 4, 4, 2, any_bf16x2, add_bf16x2, ROUNDS);
    check(H(sub_bf16x2), i, 4, 4, 2, any_bf16x2, sub_bf16x2, ROUNDS);
    check(H(mul_bf16x2), i, 4, 4, 2, any_bf16x2, mul_bf16x2, ROUNDS);
    for (int k = 0; k < 2; k++) {
        i.relu = k & 1;
        check(H(fma_bf16), i, 4, 4, 3, any_bf16, fma_bf16, 10 * ROUNDS);
        check(H(fma_rz_bf16), i, 4, 4, 3, any_f16, fma_rz_bf16, 10 * ROUNDS);
        check(H(fma_bf16x2), i, 4, 4, 3, any_bf16x2, fma_bf16x2, 5 * ROUNDS);
    }
}

/* ---- signs, min, max, testp ---- */

static uint64_t model_sign(const insn *i, const format *f, uint64_t before, uint64_t x) {
    if (is_nan(x, f)) return f->digits == 53 ? before | 0x8000000000000 : f->nan;
    return i->ftz ? flush(x, f) : x;
}

static uint64_t model_min_max(const insn *i, const format *f, uint64_t a, uint64_t b, bool max) {
    uint64_t sign = 0;
    if (i->ftz) a = flush(a, f), b = flush(b, f);
    if (i->xorsign) {
        sign = (a ^ b) & sign_of(f);
        a &= ~sign_of(f), b &= ~sign_of(f);
    }
    if (f->digits == 53 && is_nan(a, f) && is_nan(b, f)) return b | 0x8000000000000;
    if ((is_nan(a, f) && is_nan(b, f)) || (i->nan && (is_nan(a, f) || is_nan(b, f)))) return f->nan;
    if (is_nan(a, f)) return b | sign;
    if (is_nan(b, f)) return a | sign;
    bool a_less;
    if (is_negative(a, f) != is_negative(b, f))
        a_less = is_negative(a, f);
    else
        a_less = is_negative(a, f) ? a > b : a < b;
    return (a_less != max ? a : b) | sign;
}

#define SIGN_MODELS(type, f)                                                                                           \
    static uint64_t neg_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_sign(i, &f, x[0], x[0] ^ sign_of(&f));                                                            \
    }                                                                                                                  \
    static uint64_t abs_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_sign(i, &f, x[0], x[0] & ~sign_of(&f));                                                           \
    }                                                                                                                  \
    static uint64_t min_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_min_max(i, &f, x[0], x[1], false);                                                                \
    }                                                                                                                  \
    static uint64_t max_##type(const insn *i, const uint64_t *x) {                                                     \
        return model_min_max(i, &f, x[0], x[1], true);                                                                 \
    }
SIGN_MODELS(f32, F32_)
SIGN_MODELS(f64, F64_)
SIGN_MODELS(f16, F16)
SIGN_MODELS(bf16, BF16)
PAIR_MODEL(neg_f16x2, neg_f16)
PAIR_MODEL(abs_f16x2, abs_f16)
PAIR_MODEL(min_f16x2, min_f16)
PAIR_MODEL(max_f16x2, max_f16)
PAIR_MODEL(neg_bf16x2, neg_bf16)
PAIR_MODEL(abs_bf16x2, abs_bf16)
PAIR_MODEL(min_bf16x2, min_bf16)
PAIR_MODEL(max_bf16x2, max_bf16)
static uint64_t copysign_32(const insn *i, const uint64_t *x) {
    (void)i;
    return (x[0] & 0x80000000) | (x[1] & 0x7fffffff);
}
static uint64_t copysign_64(const insn *i, const uint64_t *x) {
    (void)i;
    return (x[0] >> 63 << 63) | (x[1] << 1 >> 1);
}

static void test_signs(void **unused) {
    (void)unused;
    for (int k = 0; k < 8; k++) {
        insn i = {.ftz = k & 1, .nan = k >> 1 & 1, .xorsign = k >> 2};
        check(H(min_f32), i, 4, 4, 2, any_f32, min_f32, ROUNDS);
        check(H(max_f32), i, 4, 4, 2, any_f32, max_f32, ROUNDS);
        check(H(min_f16), i, 4, 4, 2, any_f16, min_f16, ROUNDS);
        check(H(max_f16), i, 4, 4, 2, any_f16, max_f16, ROUNDS);
        check(H(min_f16x2), i, 4, 4, 2, any_f16x2, min_f16x2, ROUNDS);
        check(H(max_f16x2), i, 4, 4, 2, any_f16x2, max_f16x2, ROUNDS);
        insn plain = {.ftz = i.ftz};
        check(H(neg_f32), plain, 4, 4, 1, any_f32, neg_f32, ROUNDS);
        check(H(abs_f32), plain, 4, 4, 1, any_f32, abs_f32, ROUNDS);
        check(H(neg_f16), plain, 4, 4, 1, any_f16, neg_f16, ROUNDS);
        check(H(abs_f16), plain, 4, 4, 1, any_f16, abs_f16, ROUNDS);
        check(H(neg_f16x2), plain, 4, 4, 1, any_f16x2, neg_f16x2, ROUNDS);
        check(H(abs_f16x2), plain, 4, 4, 1, any_f16x2, abs_f16x2, ROUNDS);
        if (!i.ftz) {
            check(H(min_bf16), i, 4, 4, 2, any_bf16, min_bf16, ROUNDS);
            check(H(max_bf16), i, 4, 4, 2, any_bf16, max_bf16, ROUNDS);
            check(H(min_bf16x2), i, 4, 4, 2, any_bf16x2, min_bf16x2, ROUNDS);
            check(H(max_bf16x2), i, 4, 4, 2, any_bf16x2, max_bf16x2, ROUNDS);
        }
    }
    insn i = {0};
    check(H(neg_bf16), i, 4, 4, 1, any_bf16, neg_bf16, ROUNDS);
    check(H(abs_bf16), i, 4, 4, 1, any_bf16, abs_bf16, ROUNDS);
    check(H(neg_bf16x2), i, 4, 4, 1, any_bf16x2, neg_bf16x2, ROUNDS);
    check(H(abs_bf16x2), i, 4, 4, 1, any_bf16x2, abs_bf16x2, ROUNDS);
    check(H(min_f64), i, 8, 8, 2, any_f64, min_f64, ROUNDS);
    check(H(max_f64), i, 8, 8, 2, any_f64, max_f64, ROUNDS);
    check(H(neg_f64), i, 8, 8, 1, any_f64, neg_f64, ROUNDS);
    check(H(abs_f64), i, 8, 8, 1, any_f64, abs_f64, ROUNDS);
    check(H(copysign_f32), i, 4, 4, 2, any_f32, copysign_32, ROUNDS);
    check(H(copysign_f64), i, 8, 8, 2, any_f64, copysign_64, ROUNDS);
}

/* testp by C's own classification; the predicate is operand 0. */
static void check_testp(handlers h, int bytes, bool (*expected)(int class)) {
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t mask = round & 1 ? (uint32_t)random_bits() : ALL_LANES, want = 0x12345678 & ~mask;
        for (int l = 0; l < LANES; l++) {
            uint64_t x = bytes == 8 ? any_f64() : any_f32();
            uint32_t low = (uint32_t)x;
            float f;
            double g;
            memcpy(&f, &low, 4);
            memcpy(&g, &x, 8);
            put(1, bytes, l, x);
            want |= (uint32_t)(mask >> l & 1 && expected(bytes == 8 ? fpclassify(g) : fpclassify(f))) << l;
        }
        warp w = {.registers = registers};
        insn i = {.op = {0, 256}};
        put(0, 4, 0, 0x12345678);

        h.run(&w, &i, mask);
        assert_int_equal(get(0, 4, 0), want);
    }
}
static bool finite_class(int c) {
    return c != FP_NAN && c != FP_INFINITE;
}
static bool infinite_class(int c) {
    return c == FP_INFINITE;
}
static bool number_class(int c) {
    return c != FP_NAN;
}
static bool nan_class(int c) {
    return c == FP_NAN;
}
static bool normal_class(int c) {
    return c == FP_NORMAL || c == FP_ZERO;
}
static bool subnormal_class(int c) {
    return c == FP_SUBNORMAL;
}

static void test_testp(void **unused) {
    (void)unused;
    check_testp(H(testp_finite_f32), 4, finite_class);
    check_testp(H(testp_infinite_f32), 4, infinite_class);
    check_testp(H(testp_number_f32), 4, number_class);
    check_testp(H(testp_notanumber_f32), 4, nan_class);
    check_testp(H(testp_normal_f32), 4, normal_class);
    check_testp(H(testp_subnormal_f32), 4, subnormal_class);
    check_testp(H(testp_finite_f64), 8, finite_class);
    check_testp(H(testp_infinite_f64), 8, infinite_class);
    check_testp(H(testp_number_f64), 8, number_class);
    check_testp(H(testp_notanumber_f64), 8, nan_class);
    check_testp(H(testp_normal_f64), 8, normal_class);
    check_testp(H(testp_subnormal_f64), 8, subnormal_class);
}

/* ---- conversions: the types at hand, for the models ---- */

typedef struct type {
    const char *name;
    int bits;
    bool is_signed;
    const format *f; /* NULL: an integer */
} type;
static const type u8 = {"u8", 8, false, NULL}, s8 = {"s8", 8, true, NULL}, u16 = {"u16", 16, false, NULL},
                  s16 = {"s16", 16, true, NULL}, u32 = {"u32", 32, false, NULL}, s32 = {"s32", 32, true, NULL},
                  u64 = {"u64", 64, false, NULL}, s64 = {"s64", 64, true, NULL}, f16 = {"f16", 16, false, &F16},
                  bf16 = {"bf16", 16, false, &BF16}, f32 = {"f32", 32, false, &F32_}, f64 = {"f64", 64, false, &F64_};
static type to_type, from_type;

static uint64_t any_integer(void) {
    uint64_t r = random_bits();
    int digits = (int)(r % 65);
    uint64_t x = digits ? random_bits() >> (64 - digits) : 0;
    return r >> 8 & 1 ? x : r >> 9 & 1 ? 0 - x : ~(x & (x - 1));
}

/* For conversions to integers: around the bounds of the integer types and halves. */
static uint64_t any_for_integer(void) {
    uint64_t r = random_bits();
    if (r & 1 && from_type.f) {
        exact n =
            exact_of(r >> 8 & 1, 1 + (random_bits() & 15), (int)(random_bits() % 12) - 8 + 8 * (int)(r >> 10 & 7));
        exact offset = exact_of(r >> 9 & 1, random_bits() & 7, -2);
        n = exact_add(n, offset);
        return round_exact(&n, from_type.f, ROUND_RN, true);
    }
    return number_of(from_type.f);
}

static uint64_t any_float_source(void) {
    return number_of(from_type.f);
}

static __int128 integer_value(uint64_t x, type t) {
    if (t.bits < 64) x &= (1ull << t.bits) - 1;
    return t.is_signed && x >> (t.bits - 1) & 1 ? (__int128)x - ((__int128)1 << t.bits) : (__int128)x;
}

/* An integer as a register of `width` bytes holds it, zero-extended to the lane. */
static uint64_t in_register(__int128 value, int width) {
    return width == 8 ? (uint64_t)value : (uint64_t)value & ((1ull << 8 * width) - 1);
}

static __int128 least_of(type t) {
    return t.is_signed ? -((__int128)1 << (t.bits - 1)) : 0;
}
static __int128 most_of(type t) {
    return ((__int128)1 << (t.bits - t.is_signed)) - 1;
}

static uint64_t model_convert(const insn *i, const uint64_t *x) {
    if (!from_type.f && !to_type.f) {
        __int128 value = integer_value(x[0], from_type);
        if (i->sat && value < least_of(to_type)) value = least_of(to_type);
        if (i->sat && value > most_of(to_type)) value = most_of(to_type);
        return in_register(integer_value((uint64_t)value, to_type), i->width);
    }
    if (!from_type.f) {
        __int128 value = integer_value(x[0], from_type);
        exact n = exact_of(value < 0, (unsigned __int128)(value < 0 ? -value : value), 0);
        insn plain = {.sat = i->sat};
        return finish(&plain, round_exact(&n, to_type.f, i->rounding, false), to_type.f);
    }
    uint64_t a = x[0];
    const format *from = from_type.f;
    if (i->ftz && from->digits == 24 && to_type.f != &F16) a = flush(a, from);
    if (!to_type.f) {
        __int128 value;
        if (is_nan(a, from)) {
            value = to_type.bits < 64 && from->digits < 53 ? 0 : (__int128)((uint64_t)1 << (to_type.bits - 1));
            value = integer_value((uint64_t)value, to_type);
            return in_register(value, i->width);
        }
        if (is_infinite(a, from)) {
            value = is_negative(a, from) ? least_of(to_type) : most_of(to_type);
        } else {
            exact n = exact_number(a, from);
            if (exact_top(&n) > ORIGIN + 100) {
                value = is_negative(a, from) ? least_of(to_type) : most_of(to_type);
            } else {
                value = (__int128)round_at(&n, ORIGIN, i->rounding);
                value = n.negative ? -value : value;
                value = value < least_of(to_type)  ? least_of(to_type)
                        : value > most_of(to_type) ? most_of(to_type)
                                                   : value;
            }
        }
        return in_register(value, i->width);
    }
    const format *to = to_type.f;
    insn after = {.sat = i->sat, .relu = i->relu, .ftz = i->ftz && to->digits == 24};
    if (is_nan(a, from)) {
        const bool plain = !i->ftz && !i->sat;
        if (from == to && to->digits >= 24 && plain && !i->rounding) return a; /* moved */
        if (from->digits == 8 && to->digits == 24 && plain) return a << 16;
        if (i->sat) return 0;
        if (from->digits != 53 && to->digits != 53) return to->nan;
        if (i->ftz && from->digits == 24) a = from->nan;
        const uint64_t mantissa = a & ((1ull << (from->digits - 1)) - 1), quiet = 1ull << (to->digits - 2);
        const int wider = to->digits - from->digits;
        return (is_negative(a, from) ? sign_of(to) : 0) | infinity_of(to) | quiet |
               (wider > 0 ? mantissa << wider : mantissa >> -wider);
    }
    if (is_infinite(a, from)) {
        return finish(&after, (is_negative(a, from) ? sign_of(to) : 0) | (infinity_of(to) - i->satfinite), to);
    }
    exact n = exact_number(a, from);
    if (i->rounding >= ROUND_RNI) {
        int top = exact_top(&n);
        if (top < ORIGIN + 60) {
            n = exact_of(n.negative, round_at(&n, ORIGIN, i->rounding), 0);
        }
    }
    return finish(&after, round_exact(&n, to, i->rounding, i->satfinite), to);
}

#define CONVERT(d, s, insn_, source, rounds)                                                                           \
    do {                                                                                                               \
        to_type = d, from_type = s;                                                                                    \
        check(H(cvt_##d##_##s), insn_, (insn_).width == 8 ? 8 : 4, (insn_).source_bytes == 8 ? 8 : 4, 1, source,       \
              model_convert, rounds);                                                                                  \
    } while (0)

#define FOR_WIDE_INTEGERS(F, x) F(x, u16) F(x, s16) F(x, u32) F(x, s32) F(x, u64) F(x, s64)
#define FOR_INTEGERS(F, x)      F(x, u8) F(x, s8) FOR_WIDE_INTEGERS(F, x)

/* Registers as wide as the type, or wider. */
#define INTEGER_PAIR(d, s)                                                                                             \
    for (int width = d.bits / 8; width <= 8; width *= 2) {                                                             \
        for (int mode = s.bits / 8; mode <= 8; mode *= 2) {                                                            \
            for (int sat = 0; sat < 2; sat++) {                                                                        \
                insn i = {.width = (uint8_t)width, .source_bytes = (uint8_t)mode, .sat = sat};                         \
                CONVERT(d, s, i, any_integer, 8);                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

static void test_integer_conversions(void **unused) {
    (void)unused;
    FOR_INTEGERS(INTEGER_PAIR, u8)
    FOR_INTEGERS(INTEGER_PAIR, s8)
    FOR_INTEGERS(INTEGER_PAIR, u16)
    FOR_INTEGERS(INTEGER_PAIR, s16)
    FOR_INTEGERS(INTEGER_PAIR, u32)
    FOR_INTEGERS(INTEGER_PAIR, s32)
    FOR_INTEGERS(INTEGER_PAIR, u64)
    FOR_INTEGERS(INTEGER_PAIR, s64)
}

#define TO_FLOAT(d, s)                                                                                                 \
    for (int mode = s.bits / 8; mode <= 8; mode *= 2) {                                                                \
        for (int k = ROUND_RN; k <= ROUND_RP; k++) {                                                                   \
            for (int sat = 0; sat < 2; sat++) {                                                                        \
                insn i = {.width = d.bits / 8,                                                                         \
                          .source_bytes = (uint8_t)mode,                                                               \
                          .rounding = (uint8_t)k,                                                                      \
                          .sat = sat && d.bits != 0};                                                                  \
                if (sat && d.f == &BF16) continue;                                                                     \
                CONVERT(d, s, i, any_integer, 30);                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }
#define FROM_FLOAT(s, d)                                                                                               \
    for (int width = d.bits / 8; width <= 8; width *= 2) {                                                             \
        for (int k = ROUND_RNI; k <= ROUND_RPI; k++) {                                                                 \
            for (int ftz = 0; ftz < 2; ftz++) {                                                                        \
                insn i = {.width = (uint8_t)width,                                                                     \
                          .source_bytes = s.bits / 8,                                                                  \
                          .rounding = (uint8_t)k,                                                                      \
                          .ftz = ftz && s.f == &F32_};                                                                 \
                CONVERT(d, s, i, any_for_integer, 30);                                                                 \
            }                                                                                                          \
        }                                                                                                              \
    }

static void test_integers_and_floats(void **unused) {
    (void)unused;
    FOR_INTEGERS(TO_FLOAT, f16)
    FOR_WIDE_INTEGERS(TO_FLOAT, bf16)
    FOR_INTEGERS(TO_FLOAT, f32)
    FOR_INTEGERS(TO_FLOAT, f64)
    FOR_INTEGERS(FROM_FLOAT, f16)
    FOR_WIDE_INTEGERS(FROM_FLOAT, bf16)
    FOR_INTEGERS(FROM_FLOAT, f32)
    FOR_INTEGERS(FROM_FLOAT, f64)
}

/* first..last roundings, with .ftz, .sat, .relu, .satfinite where allowed */
#define FLOAT_PAIR(d, s, first, last, ftz_, sat_, relu_)                                                               \
    for (int k = first; k <= last; k++) {                                                                              \
        for (int m = 0; m < 16; m++) {                                                                                 \
            insn i = {.width = d.bits / 8,                                                                             \
                      .source_bytes = s.bits / 8,                                                                      \
                      .rounding = (uint8_t)k,                                                                          \
                      .ftz = m & 1,                                                                                    \
                      .sat = m >> 1 & 1,                                                                               \
                      .relu = m >> 2 & 1,                                                                              \
                      .satfinite = m >> 3};                                                                            \
            if ((i.ftz && !(ftz_)) || (i.sat && !(sat_)) || ((i.relu || i.satfinite) && !(relu_))) continue;           \
            if ((i.relu || i.satfinite) && (i.sat || i.ftz || k > ROUND_RZ)) continue;                                 \
            CONVERT(d, s, i, any_float_source, ROUNDS);                                                                \
        }                                                                                                              \
    }

static void test_float_conversions(void **unused) {
    (void)unused;
    FLOAT_PAIR(f16, f16, ROUND_RNI, ROUND_RPI, false, true, false)
    FLOAT_PAIR(f16, f16, ROUND_DEFAULT, ROUND_DEFAULT, false, true, false)
    FLOAT_PAIR(f16, bf16, ROUND_DEFAULT, ROUND_RP, false, false, false)
    FLOAT_PAIR(f16, f32, ROUND_RN, ROUND_RP, true, true, true)
    FLOAT_PAIR(f16, f64, ROUND_RN, ROUND_RP, false, true, false)
    FLOAT_PAIR(bf16, f16, ROUND_DEFAULT, ROUND_RP, false, false, false)
    FLOAT_PAIR(bf16, bf16, ROUND_RNI, ROUND_RPI, false, false, false)
    FLOAT_PAIR(bf16, f32, ROUND_RN, ROUND_RP, true, false, true)
    FLOAT_PAIR(bf16, f64, ROUND_RN, ROUND_RP, false, false, false)
    FLOAT_PAIR(f32, f16, ROUND_DEFAULT, ROUND_DEFAULT, true, true, false)
    FLOAT_PAIR(f32, bf16, ROUND_DEFAULT, ROUND_RP, true, false, false)
    FLOAT_PAIR(f32, f32, ROUND_RNI, ROUND_RPI, true, true, false)
    FLOAT_PAIR(f32, f32, ROUND_DEFAULT, ROUND_DEFAULT, true, true, false)
    FLOAT_PAIR(f32, f64, ROUND_RN, ROUND_RP, true, true, false)
    FLOAT_PAIR(f64, f16, ROUND_DEFAULT, ROUND_DEFAULT, false, true, false)
    FLOAT_PAIR(f64, bf16, ROUND_DEFAULT, ROUND_RP, false, false, false)
    FLOAT_PAIR(f64, f32, ROUND_DEFAULT, ROUND_DEFAULT, true, true, false)
    FLOAT_PAIR(f64, f64, ROUND_RNI, ROUND_RPI, false, true, false)
    FLOAT_PAIR(f64, f64, ROUND_DEFAULT, ROUND_DEFAULT, false, true, false)
}

/* ---- tf32, pairs, eight bits ---- */

static uint64_t model_tf32(const insn *i, const uint64_t *x) {
    to_type = (type){"tf32", 32, false, &TF32}, from_type = f32;
    if (!is_nan(x[0], &F32_)) return model_convert(i, x) << 13;
    if (i->rounding != ROUND_RNA) return 0x7fffe000;
    if (i->relu && x[0] >> 31) return 0; /* no such instruction */
    return (x[0] & ~(uint64_t)0x1fff) - (i->satfinite ? 0x2000 : 0);
}

static uint64_t model_pair(const insn *i, const uint64_t *x, const type *t) {
    to_type = *t, from_type = f32;
    return model_convert(i, x) << 16 | model_convert(i, x + 1);
}
static uint64_t model_f16x2(const insn *i, const uint64_t *x) {
    return model_pair(i, x, &f16);
}
static uint64_t model_bf16x2(const insn *i, const uint64_t *x) {
    return model_pair(i, x, &bf16);
}

/* The value of an 8-bit number; NaN for those, and infinities. */
static double f8_value(int x, int mantissa_bits) {
    int field = (x & 127) >> mantissa_bits, mantissa = x & ((1 << mantissa_bits) - 1),
        bias = mantissa_bits == 3 ? 7 : 15;
    double sign = x & 128 ? -1 : 1;
    if (mantissa_bits == 3 && (x & 127) == 127) return NAN;
    if (mantissa_bits == 2 && field == 31) return mantissa ? NAN : sign * INFINITY;
    return sign * ldexp(field ? mantissa + (1 << mantissa_bits) : mantissa, (field ? field : 1) - bias - mantissa_bits);
}

/* The nearest of all finite 8-bit numbers, the even one of two. */
static uint64_t f8_nearest(double value, int mantissa_bits, bool relu) {
    int best = 0, sign = signbit(value) ? 128 : 0, most = mantissa_bits == 3 ? 0x7e : 0x7b;
    if (isnan(value)) return 0x7f;
    if (relu && sign) return 0;
    value = fabs(value);
    if (value > f8_value(most, mantissa_bits)) return (uint64_t)(most | sign);
    for (int x = 0; x <= most; x++) {
        double distance = fabs(f8_value(x, mantissa_bits) - value), least = fabs(f8_value(best, mantissa_bits) - value);
        if (distance < least || (distance == least && !(x & 1))) best = x;
    }
    return (uint64_t)(best | sign);
}

static double double_of(uint64_t x, const format *f) /* exact */
{
    insn i = {0};
    to_type = f64, from_type = f == &F16 ? f16 : f32;
    uint64_t bits = model_convert(&i, &x);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static uint64_t f8_pair(const insn *i, uint64_t a, uint64_t b, const format *f, int mantissa_bits) {
    return f8_nearest(double_of(a, f), mantissa_bits, i->relu) << 8 |
           f8_nearest(double_of(b, f), mantissa_bits, i->relu);
}
static uint64_t e4m3_f32(const insn *i, const uint64_t *x) {
    return f8_pair(i, x[0], x[1], &F32_, 3);
}
static uint64_t e5m2_f32(const insn *i, const uint64_t *x) {
    return f8_pair(i, x[0], x[1], &F32_, 2);
}
static uint64_t e4m3_f16(const insn *i, const uint64_t *x) {
    return f8_pair(i, x[0] >> 16, x[0] & 0xffff, &F16, 3);
}
static uint64_t e5m2_f16(const insn *i, const uint64_t *x) {
    return f8_pair(i, x[0] >> 16, x[0] & 0xffff, &F16, 2);
}

static uint64_t f16_of_f8(uint64_t x, int mantissa_bits, bool relu) {
    double value = f8_value((int)x, mantissa_bits);
    if (isnan(value)) return 0x7fff;
    insn i = {.relu = relu};
    uint64_t bits;
    memcpy(&bits, &value, 8);
    to_type = f16, from_type = f64;
    return model_convert(&i, &bits);
}
static uint64_t f16_e4m3(const insn *i, const uint64_t *x) {
    return f16_of_f8(x[0] >> 8 & 255, 3, i->relu) << 16 | f16_of_f8(x[0] & 255, 3, i->relu);
}
static uint64_t f16_e5m2(const insn *i, const uint64_t *x) {
    return f16_of_f8(x[0] >> 8 & 255, 2, i->relu) << 16 | f16_of_f8(x[0] & 255, 2, i->relu);
}

static uint64_t f32_near_f16(void) {
    uint64_t r = random_bits();
    return r & 1 ? any_f32() : ((r >> 8) & 0x80000000) | (uint32_t)(0x33000000 + (random_bits() % 0x15000000));
}
static uint64_t any_f8x2(void) {
    return random_bits() & 0xffff;
}

static void test_packed(void **unused) {
    (void)unused;
    const int tf32_rounding[] = {ROUND_RN, ROUND_RZ, ROUND_RNA};
    for (int k = 0; k < 12; k++) {
        insn i = {.rounding = (uint8_t)tf32_rounding[k % 3], .relu = k / 3 & 1, .satfinite = k / 6};
        check(H(cvt_tf32_f32), i, 4, 4, 1, any_f32, model_tf32, ROUNDS);
        if (i.rounding != ROUND_RNA) {
            check(H(cvt_f16x2_f32), i, 4, 4, 2, f32_near_f16, model_f16x2, ROUNDS);
            check(H(cvt_bf16x2_f32), i, 4, 4, 2, any_f32, model_bf16x2, ROUNDS);
        }
    }
    for (int relu = 0; relu < 2; relu++) {
        insn i = {.rounding = ROUND_RN, .relu = relu, .satfinite = true};
        check(H(cvt_e4m3x2_f32), i, 4, 4, 2, f32_near_f16, e4m3_f32, ROUNDS);
        check(H(cvt_e5m2x2_f32), i, 4, 4, 2, f32_near_f16, e5m2_f32, ROUNDS);
        check(H(cvt_e4m3x2_f16x2), i, 4, 4, 1, any_f16x2, e4m3_f16, ROUNDS);
        check(H(cvt_e5m2x2_f16x2), i, 4, 4, 1, any_f16x2, e5m2_f16, ROUNDS);
        i.satfinite = false;
        check(H(cvt_f16x2_e4m3x2), i, 4, 4, 1, any_f8x2, f16_e4m3, ROUNDS);
        check(H(cvt_f16x2_e5m2x2), i, 4, 4, 1, any_f8x2, f16_e5m2, ROUNDS);
    }
}

static type pack_type;
static int pack_bits;
static uint64_t model_pack(const insn *i, const uint64_t *x) {
    (void)i;
    uint64_t result = pack_bits == 16 ? 0 : x[2] << 2 * pack_bits;
    for (int k = 0; k < 2; k++) {
        __int128 value = integer_value(x[k], s32), most = ((__int128)1 << (pack_bits - pack_type.is_signed)) - 1;
        __int128 least = pack_type.is_signed ? -most - 1 : 0;
        value = value < least ? least : value > most ? most : value;
        result |= ((uint64_t)value & ((1u << pack_bits) - 1)) << (k == 0 ? pack_bits : 0);
    }
    return result;
}
#define PACK(name, bits, signedness)                                                                                   \
    pack_bits = bits, pack_type = signedness;                                                                          \
    check(H(cvt_pack_##name), i, 4, 4, 3, any_integer, model_pack, ROUNDS);
static void test_pack(void **unused) {
    (void)unused;
    insn i = {0};
    PACK(u16, 16, u32)
    PACK(s16, 16, s32)
    PACK(u8, 8, u32)
    PACK(s8, 8, s32)
    PACK(u4, 4, u32)
    PACK(s4, 4, s32)
    PACK(u2, 2, u32)
    PACK(s2, 2, s32)
}

/* ---- approximations: special cases, and near C's functions elsewhere ---- */

static void approx_f32(handlers h, bool ftz, float x, float want, double tolerance) {
    warp w = {.registers = registers};
    insn i = {.op = {0, 256}, .ftz = ftz};
    for (int l = 0; l < LANES; l++) {
        memcpy(registers + 256 + 4 * l, &x, 4);
    }
    h.run(&w, &i, ALL_LANES);
    float got;
    memcpy(&got, registers, 4);
    if (isnan(want)) {
        assert_int_equal(get(0, 4, 0), 0x7fffffff);
    } else if (want == 0 || isinf(want)) {
        assert_memory_equal(&got, &want, 4);
    } else if (!(fabs((double)got - want) <= tolerance * fabs(want))) {
        fail_msg("%s(%a) = %a, not %a", h.name, x, got, want);
    }
}

static void test_approximations(void **unused) {
    (void)unused;
    const float nan = NAN, inf = INFINITY;
    approx_f32(H(rcp_approx_f32), false, 0.0f, inf, 0);
    approx_f32(H(rcp_approx_f32), false, -0.0f, -inf, 0);
    approx_f32(H(rcp_approx_f32), false, -inf, -0.0f, 0);
    approx_f32(H(rcp_approx_f32), true, -0x1p-130f, -inf, 0);
    approx_f32(H(rcp_approx_f32), true, 0x1p127f, 0.0f, 0);
    approx_f32(H(rcp_approx_f32), false, 0x1p127f, 0x1p-127f, 0);
    approx_f32(H(sqrt_approx_f32), false, -1.0f, nan, 0);
    approx_f32(H(sqrt_approx_f32), false, -0.0f, -0.0f, 0);
    approx_f32(H(sqrt_approx_f32), true, 0x1p-130f, 0.0f, 0);
    approx_f32(H(rsqrt_approx_f32), false, -0.0f, -inf, 0);
    approx_f32(H(rsqrt_approx_f32), false, inf, 0.0f, 0);
    approx_f32(H(rsqrt_approx_f32), false, -2.0f, nan, 0);
    approx_f32(H(sin_approx_f32), false, inf, nan, 0);
    approx_f32(H(sin_approx_f32), false, -0.0f, -0.0f, 0);
    approx_f32(H(sin_approx_f32), true, -0x1p-130f, -0.0f, 0);
    approx_f32(H(cos_approx_f32), false, -inf, nan, 0);
    approx_f32(H(cos_approx_f32), false, 0.0f, 1.0f, 0);
    approx_f32(H(lg2_approx_f32), false, -0.0f, -inf, 0);
    approx_f32(H(lg2_approx_f32), true, 0x1p-130f, -inf, 0);
    approx_f32(H(lg2_approx_f32), false, 0x1p-130f, -130.0f, 0);
    approx_f32(H(lg2_approx_f32), false, -1.0f, nan, 0);
    approx_f32(H(lg2_approx_f32), false, inf, inf, 0);
    approx_f32(H(ex2_approx_f32), false, -inf, 0.0f, 0);
    approx_f32(H(ex2_approx_f32), false, inf, inf, 0);
    approx_f32(H(ex2_approx_f32), false, 0x1p-130f, 1.0f, 0);
    approx_f32(H(ex2_approx_f32), false, -130.0f, 0x1p-130f, 0);
    approx_f32(H(ex2_approx_f32), true, -130.0f, 0.0f, 0);
    approx_f32(H(ex2_approx_f32), false, nan, nan, 0);
    approx_f32(H(tanh_approx_f32), false, inf, 1.0f, 0);
    approx_f32(H(tanh_approx_f32), false, -0.0f, -0.0f, 0);
    for (int k = 0; k < 300; k++) {
        float x = (float)(random_bits() >> 40) * 0x1p-22f + 0x1p-10f; /* to 4 */
        approx_f32(H(rcp_approx_f32), k & 1, x, 1 / x, 1e-7);
        approx_f32(H(sqrt_approx_f32), k & 1, x, sqrtf(x), 1e-7);
        approx_f32(H(rsqrt_approx_f32), k & 1, x, (float)(1 / sqrt(x)), 1e-7);
        approx_f32(H(ex2_approx_f32), k & 1, x, exp2f(x), 2e-7);
        approx_f32(H(lg2_approx_f32), k & 1, x + 2, log2f(x + 2), 2e-7);
        approx_f32(H(tanh_approx_f32), false, x, tanhf(x), 2e-7);
        approx_f32(H(sin_approx_f32), k & 1, x / 4 + 0.1f, sinf(x / 4 + 0.1f), 1e-5);
        approx_f32(H(cos_approx_f32), k & 1, x / 4, cosf(x / 4), 1e-5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),
        cmocka_unit_test(test_f64),
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_testp),
        cmocka_unit_test(test_integer_conversions),
        cmocka_unit_test(test_integers_and_floats),
        cmocka_unit_test(test_float_conversions),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_pack),
        cmocka_unit_test(test_approximations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
