/* Floating-point numbers */
#pragma once

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

static inline uint64_t random_bits(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717u;
}

/* A model: the result's bits from the operands' (each as wide as its lanes), under the instruction's modifiers. */
typedef uint64_t model_fn(const insn *i, const uint64_t *x);
typedef uint64_t source_fn(void);

static inline uint64_t get(int operand, int bytes, int lane) {
    uint64_t value = 0;
    memcpy(&value, registers + 256 * operand + bytes * lane, (size_t)bytes);
    return value;
}

static inline void put(int operand, int bytes, int lane, uint64_t value) {
    memcpy(registers + 256 * operand + bytes * lane, &value, (size_t)bytes);
}

/* Runs the handler; lanes of `to` and `from` bytes. */
static inline void check(handlers h, insn i, int to, int from, int count, source_fn *source, model_fn *model,
                         int rounds) {
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
static inline exact exact_of(bool negative, unsigned __int128 magnitude, int exponent) {
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

static inline bool exact_bit(const exact *n, int place) {
    return place >= 0 && n->bits[place / 64] >> place % 64 & 1;
}

static inline int exact_top(const exact *n) {
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

static inline exact exact_add(exact a, exact b) {
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

static inline int bias_of(const format *f) {
    return (1 << (f->exponent_bits - 1)) - 1;
}
static inline uint64_t infinity_of(const format *f) {
    return ((1ull << f->exponent_bits) - 1) << (f->digits - 1);
}
static inline uint64_t sign_of(const format *f) {
    return 1ull << (f->digits - 1 + f->exponent_bits);
}
static inline bool is_nan(uint64_t x, const format *f) {
    return (x & (sign_of(f) - 1)) > infinity_of(f);
}
static inline bool is_infinite(uint64_t x, const format *f) {
    return (x & (sign_of(f) - 1)) == infinity_of(f);
}
static inline bool is_zero(uint64_t x, const format *f) {
    return (x & (sign_of(f) - 1)) == 0;
}
static inline bool is_negative(uint64_t x, const format *f) {
    return x & sign_of(f);
}

static inline void unpack(uint64_t x, const format *f, uint64_t *magnitude, int *exponent) {
    int field = (int)((x & (sign_of(f) - 1)) >> (f->digits - 1));
    *magnitude = (x & ((1ull << (f->digits - 1)) - 1)) | (uint64_t)(field != 0) << (f->digits - 1);
    *exponent = (field ? field : 1) - bias_of(f) - (f->digits - 1);
}

static inline exact exact_number(uint64_t x, const format *f) {
    uint64_t magnitude;
    int exponent;
    unpack(x, f, &magnitude, &exponent);
    return exact_of(is_negative(x, f), magnitude, exponent);
}

/* Rounded to a multiple of bit `place`: the multiple. */
static inline unsigned __int128 round_at(const exact *n, int place, int mode) {
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

static inline uint64_t round_exact(const exact *n, const format *f, int mode, bool satfinite) {
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

static inline uint64_t flush(uint64_t x, const format *f) {
    return (x & infinity_of(f)) ? x : x & sign_of(f);
}

static inline uint64_t finish(const insn *i, uint64_t x, const format *f) {
    uint64_t one = (uint64_t)bias_of(f) << (f->digits - 1);
    if (i->ftz) x = flush(x, f);
    if (i->sat) x = is_nan(x, f) || is_negative(x, f) ? 0 : x > one ? one : x;
    if (i->relu) x = is_nan(x, f) ? f->nan : is_negative(x, f) ? 0 : x;
    return x;
}

/* a * b + c, or without c (negative zero) a product */
static inline uint64_t model_multiply_add(const insn *i, const format *f, const uint64_t *operands, bool multiply,
                                          bool add) {
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

static inline uint64_t model_divide(const insn *i, const format *f, uint64_t a, uint64_t b) {
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

static inline uint64_t model_sqrt(const insn *i, const format *f, uint64_t a) {
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

static inline uint64_t number_of(const format *f) {
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
static inline uint64_t any_f32(void) {
    return number_of(&F32_);
}
static inline uint64_t any_f64(void) {
    return number_of(&F64_);
}
static inline uint64_t any_f16(void) {
    return number_of(&F16);
}
static inline uint64_t any_bf16(void) {
    return number_of(&BF16);
}
static inline uint64_t any_f16x2(void) {
    return number_of(&F16) << 16 | number_of(&F16);
}
static inline uint64_t any_bf16x2(void) {
    return number_of(&BF16) << 16 | number_of(&BF16);
}

enum { ROUNDS = 60 };
