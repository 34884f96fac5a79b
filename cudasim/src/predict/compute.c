/* What integer instructions, moves and comparisons compute. */
#include <math.h>
#include <string.h>

#include "base/floats.h"
#include "predict/lanes.h"

#define ALL       0xffffffffu
#define EACH_LANE for (int t = 0; t < LANES; t++)

typedef struct operation {
    lane_warp *w;
    const sass_insn *i;
    uint32_t active;
    const uint32_t *x, *y, *z;
    uint32_t buffers[3][LANES], result[LANES];
} operation;

/* Operand k; as a number beyond the last is zero. */
static const uint32_t *take(operation *o, int k, int buffer) {
    static const sass_operand none = {.kind = KIND_NUMBER};
    return lanes_value(o->w, k < o->i->count ? &o->i->operands[k] : &none, o->buffers[buffer]);
}

/* The high word of a pair of registers that begins with operand k. */
static const uint32_t *take_high(operation *o, int k, uint32_t buffer[LANES]) {
    sass_operand high = o->i->operands[k];
    if ((high.kind == KIND_REGISTER && high.reg != SASS_RZ) || (high.kind == KIND_UNIFORM && high.reg != SASS_URZ))
        high.reg++;
    else if (high.kind == KIND_CONSTANT)
        high.number += 4;
    else
        high = (sass_operand){.kind = KIND_NUMBER};
    return lanes_value(o->w, &high, buffer);
}

static void give(operation *o, int further) {
    lanes_set(o->w, &o->i->operands[0], further, o->result, o->active);
}

static bool is_predicate(const operation *o, int k) {
    return k < o->i->count && o->i->operands[k].kind == KIND_PREDICATE;
}

static uint32_t predicate(const operation *o, int k) {
    return k < o->i->count ? lanes_predicate(o->w, &o->i->operands[k]) : ALL;
}

static void set_predicate(operation *o, int k, uint32_t value) {
    if (!is_predicate(o, k)) return;
    const int p = o->i->operands[k].reg;
    if (p % SASS_UPREDICATES == SASS_PT) return;
    if (p >= SASS_UPREDICATES)
        o->w->predicates[p] = value >> __builtin_ctz(o->active) & 1 ? ALL : 0;
    else
        o->w->predicates[p] = (o->w->predicates[p] & ~o->active) | (value & o->active);
}

/* ---- sums and products ------------------------------------------------------------------------------------------- */

/* A negative operand of a sum with a carry out is the complement plus one, in 33 bits. */
static uint64_t addend(const operation *o, int k, uint32_t value) {
    return k < o->i->count && o->i->operands[k].negative && value == 0 ? 1ull << 32 : value;
}

/* UIADD3.64 */
static void add_pairs(operation *o) {
    uint64_t sum = 0;
    for (int k = 1; k <= 3; k++) sum += take(o, k, 0)[0] | (uint64_t)take_high(o, k, o->buffers[1])[0] << 32;
    EACH_LANE o->result[t] = (uint32_t)sum;
    give(o, 0);
    EACH_LANE o->result[t] = (uint32_t)(sum >> 32);
    give(o, 1);
}

static void add(operation *o) {
    int first = 1;
    if (HAS(o->i, W64)) {
        add_pairs(o);
        return;
    }
    while (is_predicate(o, first)) first++;
    o->x = take(o, first, 0);
    o->y = take(o, first + 1, 1);
    o->z = o->i->op == SASS_VIADD ? take(o, SASS_OPERANDS, 2) : take(o, first + 2, 2);
    const bool extended = HAS(o->i, X);
    const uint32_t in = extended ? predicate(o, first + 3) : 0;
    const uint32_t more = extended && is_predicate(o, first + 4) ? predicate(o, first + 4) : 0;
    uint32_t carry = 0, second = 0;
    EACH_LANE {
        uint64_t sum = extended
                           ? (uint64_t)o->x[t] + o->y[t] + o->z[t]
                           : addend(o, first, o->x[t]) + addend(o, first + 1, o->y[t]) + addend(o, first + 2, o->z[t]);
        sum += (in >> t & 1) + (more >> t & 1);
        carry |= (uint32_t)(sum >> 32 != 0) << t;
        second |= (uint32_t)(sum >> 32 > 1) << t; /* three words may carry two */
        o->result[t] = (uint32_t)sum;
    }
    if (first > 1) set_predicate(o, 1, carry);
    if (first > 2) set_predicate(o, 2, second);
    give(o, 0);
}

static void multiply(operation *o) {
    const sass_insn *i = o->i;
    const int first = is_predicate(o, 1) ? 2 : 1;
    const bool wide = HAS(i, WIDE), high = HAS(i, HI);
    uint32_t upper[LANES], carry = 0, buffer[LANES];
    o->x = take(o, first, 0);
    o->y = take(o, first + 1, 1);
    o->z = take(o, first + 2, 2);
    const uint32_t *z_high = wide || high ? take_high(o, first + 2, buffer) : NULL;
    const uint32_t in = HAS(i, X) ? predicate(o, first + 3) : 0;
    EACH_LANE {
        uint64_t product = HAS(i, U32) || !(wide || high) ? (uint64_t)o->x[t] * o->y[t]
                                                          : (uint64_t)((int64_t)(int32_t)o->x[t] * (int32_t)o->y[t]);
        const uint64_t before = product;
        product += o->z[t] + (z_high != NULL ? (uint64_t)z_high[t] << 32 : 0) + (in >> t & 1);
        carry |= (uint32_t)(product < before) << t;
        o->result[t] = high ? (uint32_t)(product >> 32) : (uint32_t)product;
        upper[t] = (uint32_t)(product >> 32);
    }
    if (first == 2) set_predicate(o, 1, carry);
    give(o, 0);
    if (wide) lanes_set(o->w, &i->operands[0], 1, upper, o->active);
}

/* LEA: (x << s) + y; .HI: the upper part of z:x << s, plus y. */
static void scaled_add(operation *o) {
    const sass_insn *i = o->i;
    const int first = is_predicate(o, 1) ? 2 : 1;
    const bool high = HAS(i, HI), extend = HAS(i, SX32);
    uint32_t carry = 0;
    o->x = take(o, first, 0);
    o->y = take(o, first + 1, 1);
    o->z = high && !extend ? take(o, first + 2, 2) : NULL;
    const int at = first + (o->z != NULL ? 3 : 2);
    const unsigned s = at < i->count ? (unsigned)i->operands[at].number & 31 : 0;
    const uint32_t in = HAS(i, X) ? predicate(o, at + 1) : 0;
    EACH_LANE {
        const uint64_t upper = o->z != NULL ? o->z[t] : extend && (int32_t)o->x[t] < 0 ? ALL : 0;
        const uint64_t shifted = (upper << 32 | o->x[t]) << s;
        const uint64_t sum = (high ? shifted >> 32 : shifted & ALL) + o->y[t] + (in >> t & 1);
        carry |= (uint32_t)(sum >> 32 != 0) << t;
        o->result[t] = (uint32_t)sum;
    }
    if (first == 2) set_predicate(o, 1, carry);
    give(o, 0);
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static void shift(operation *o) {
    const sass_insn *i = o->i;
    const bool left = HAS(i, L), high = HAS(i, HI), is_signed = HAS(i, S32) || HAS(i, S64);
    o->x = take(o, 1, 0);
    o->y = take(o, 2, 1);
    o->z = take(o, 3, 2);
    EACH_LANE {
        const unsigned s = HAS(i, W) ? o->y[t] & 31 : o->y[t] > 63 ? 63 : o->y[t];
        const uint64_t pair = (uint64_t)o->z[t] << 32 | o->x[t];
        const uint64_t shifted = left ? pair << s : is_signed ? (uint64_t)((int64_t)pair >> s) : pair >> s;
        if (HAS(i, W))
            o->result[t] = left ? (uint32_t)(pair << s >> 32) : (uint32_t)(pair >> s);
        else
            o->result[t] = high ? (uint32_t)(shifted >> 32) : (uint32_t)shifted;
    }
    give(o, 0);
}

static uint32_t by_table(uint32_t x, uint32_t y, uint32_t z, unsigned table) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 8; k++)
        if (table >> k & 1) r |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
    return r;
}

/* Where it sets a predicate: whether a bit of the result is set, or, the last operand, another predicate is (.PAND:
 * and it is). */
static void logic(operation *o) {
    const int out = is_predicate(o, 0) ? 1 : 0, first = out + 1;
    o->x = take(o, first, 0);
    o->y = take(o, first + 1, 1);
    o->z = take(o, first + 2, 2);
    const unsigned table = (unsigned)o->i->operands[first + 3].number;
    uint32_t any = 0;
    EACH_LANE {
        o->result[t] = by_table(o->x[t], o->y[t], o->z[t], table);
        any |= (uint32_t)(o->result[t] != 0) << t;
    }
    if (out == 1 && is_predicate(o, first + 4)) {
        const uint32_t other = predicate(o, first + 4);
        any = HAS(o->i, PAND) ? any & other : any | other;
    }
    if (out == 1) set_predicate(o, 0, any);
    lanes_set(o->w, &o->i->operands[out], 0, o->result, o->active);
}

static void predicate_logic(operation *o) {
    const uint32_t r = by_table(predicate(o, 2), predicate(o, 3), predicate(o, 4), (unsigned)o->i->operands[5].number);
    const uint32_t second = o->i->count > 6 ? by_table(predicate(o, 2), predicate(o, 3), predicate(o, 4),
                                                       (unsigned)o->i->operands[6].number)
                                            : 0;
    set_predicate(o, 0, r);
    set_predicate(o, 1, second);
}

static void permute(operation *o) {
    o->x = take(o, 1, 0);
    o->y = take(o, 2, 1);
    o->z = take(o, 3, 2);
    EACH_LANE {
        const uint64_t pair = (uint64_t)o->z[t] << 32 | o->x[t];
        uint32_t r = 0;
        for (int b = 0; b < 4; b++) {
            const unsigned selector = o->y[t] >> 4 * b & 15;
            unsigned byte = (unsigned)(pair >> 8 * (selector & 7)) & 255;
            if (selector & 8) byte = byte & 128 ? 255 : 0;
            r |= byte << 8 * b;
        }
        o->result[t] = r;
    }
    give(o, 0);
}

/* ---- comparisons and choices ------------------------------------------------------------------------------------- */

static uint32_t combine(const sass_insn *i, uint32_t value, uint32_t with) {
    return HAS(i, OR) ? value | with : HAS(i, XOR) ? value ^ with : value & with;
}

static bool compare(const sass_insn *i, double x, double y) {
    if (HAS(i, LT)) return x < y;
    if (HAS(i, LE)) return x <= y;
    if (HAS(i, GT)) return x > y;
    if (HAS(i, GE)) return x >= y;
    if (HAS(i, EQ)) return x == y;
    return x != y; /* NE, NEU */
}

static void set_by_comparison(operation *o) {
    const sass_insn *i = o->i;
    const bool is_unsigned = HAS(i, U32), is_real = i->op == SASS_FSETP;
    const uint32_t low = HAS(i, EX) ? predicate(o, 5) : 0, with = predicate(o, 4);
    o->x = take(o, 2, 0);
    o->y = take(o, 3, 1);
    uint32_t r = 0;
    EACH_LANE {
        bool is = is_real       ? compare(i, f32_of(o->x[t]), f32_of(o->y[t]))
                  : is_unsigned ? compare(i, o->x[t], o->y[t])
                                : compare(i, (int32_t)o->x[t], (int32_t)o->y[t]);
        if (HAS(i, EX) && o->x[t] == o->y[t]) is = low >> t & 1; /* the lower words decide */
        r |= (uint32_t)is << t;
    }
    set_predicate(o, 0, combine(i, r, with));
    set_predicate(o, 1, combine(i, ~r, with));
}

static void least(operation *o) {
    const int first = o->i->op == SASS_VIADDMNMX ? 3 : 2;
    const uint32_t minimum = predicate(o, first + 1);
    o->x = take(o, 1, 0);
    o->y = take(o, first, 1);
    o->z = first == 3 ? take(o, 2, 2) : take(o, SASS_OPERANDS, 2);
    EACH_LANE {
        const uint32_t x = o->x[t] + o->z[t], y = o->y[t];
        const bool less = HAS(o->i, U32) ? x < y : (int32_t)x < (int32_t)y;
        o->result[t] = less == (minimum >> t & 1) ? x : y;
    }
    give(o, 0);
}

static void select(operation *o) {
    const uint32_t p = predicate(o, 3);
    o->x = take(o, 1, 0);
    o->y = take(o, 2, 1);
    EACH_LANE o->result[t] = p >> t & 1 ? o->x[t] : o->y[t];
    give(o, 0);
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

static uint32_t thread_index(const lane_warp *w, unsigned lane, int dimension) {
    const unsigned *n = w->launch->block, t = w->thread + lane;
    return dimension == 0 ? t % n[0] : dimension == 1 ? t / n[0] % n[1] : t / n[0] / n[1];
}

static void special(operation *o) {
    const char *name = o->i->operands[1].text;
    EACH_LANE {
        o->result[t] = 0;
        if (strncmp(name, "SR_TID.", 7) == 0) o->result[t] = thread_index(o->w, (unsigned)t, name[7] - 'X');
        if (strncmp(name, "SR_CTAID.", 9) == 0) o->result[t] = o->w->block->index[(name[9] - 'X') % 3];
        if (strcmp(name, "SR_LANEID") == 0) o->result[t] = (uint32_t)t;
        if (strcmp(name, "SR_CgaCtaId") == 0) o->result[t] = o->w->block->rank;
    }
    give(o, 0);
    memset(o->result, 0, sizeof o->result);
    if (o->i->op == SASS_CS2R && !HAS(o->i, CLOCKS)) give(o, 1);
}

static void constant(operation *o) {
    uint32_t buffer[LANES];
    memcpy(o->result, take(o, 1, 0), sizeof o->result);
    if (HAS(o->i, U8)) EACH_LANE o->result[t] &= 255;
    if (HAS(o->i, U16)) EACH_LANE o->result[t] &= 65535;
    const bool wide = HAS(o->i, W64);
    if (wide) take_high(o, 1, buffer);
    give(o, 0);
    if (wide) lanes_set(o->w, &o->i->operands[0], 1, buffer, o->active);
}

/* P2R r, PR, x, mask; R2P PR, x, mask. */
static void predicates(operation *o) {
    o->x = take(o, o->i->op == SASS_P2R ? 2 : 1, 0);
    o->y = take(o, o->i->op == SASS_P2R ? 3 : 2, 1);
    if (o->i->op == SASS_P2R) {
        EACH_LANE {
            uint32_t all = 0;
            for (int p = 0; p < SASS_PT; p++) all |= (o->w->predicates[p] >> t & 1) << p;
            o->result[t] = (o->x[t] & ~o->y[t]) | (all & o->y[t]);
        }
        give(o, 0);
        return;
    }
    for (int p = 0; p < SASS_PT; p++) {
        EACH_LANE if ((o->active >> t & 1) && (o->y[t] >> p & 1)) o->w->predicates[p] =
            (o->w->predicates[p] & ~(1u << t)) | (o->x[t] >> p & 1) << t;
    }
}

static void vote(operation *o) {
    const uint32_t p = predicate(o, o->i->count - 1) & o->active;
    EACH_LANE o->result[t] = p;
    give(o, 0);
    set_predicate(o, is_predicate(o, 0) ? 0 : 1, HAS(o->i, ALL) ? (p == o->active ? ALL : 0) : p != 0 ? ALL : 0);
}

/* ELECT p, r: true for one of the lanes. */
static void elect(operation *o) {
    set_predicate(o, 0, o->active & (0u - o->active));
}

/* USETMAXREG p, n: the registers are there. */
static void granted(operation *o) {
    set_predicate(o, 0, ALL);
}

static void count_bits(operation *o) {
    o->x = take(o, 1, 0);
    EACH_LANE {
        const uint32_t x = o->x[t];
        o->result[t] = o->i->op == SASS_POPC || o->i->op == SASS_UPOPC ? (uint32_t)__builtin_popcount(x)
                       : x == 0                                        ? ALL
                                                                       : 31u - (uint32_t)__builtin_clz(x);
    }
    give(o, 0);
}

/* ---- conversions, as far as divisions of integers need them -------------------------------------------------------
 */

static void convert(operation *o) {
    const sass_insn *i = o->i;
    uint32_t high[LANES] = {0}, upper[LANES];
    const uint32_t *second = HAS(i, U64) && i->op == SASS_I2F ? take_high(o, 1, upper) : high;
    const int from = i->op == SASS_I2FP ? i->count - 1 : 1;
    o->x = take(o, from, 0);
    EACH_LANE {
        if (i->op == SASS_MUFU) {
            o->result[t] = HAS(i, RCP) ? f32_bits((float)(1.0 / (double)f32_of(o->x[t]))) : o->x[t];
        } else if (i->op == SASS_F2I) {
            const double f = f32_of(o->x[t]), most = HAS(i, U64) ? 0x1p64 - 0x1p40 : 4294967295.0;
            const uint64_t n = f > most ? (uint64_t)most : f > 0 ? (uint64_t)f : (uint64_t)(int64_t)(f > -1e9 ? f : 0);
            o->result[t] = (uint32_t)n;
            high[t] = (uint32_t)(n >> 32);
        } else {
            const uint64_t n = (uint64_t)second[t] << 32 | o->x[t];
            const bool is_unsigned = HAS(i, U32) || HAS(i, U64);
            const double exact = is_unsigned ? (double)n : (double)(int32_t)o->x[t];
            float f = (float)exact;
            if (HAS(i, RP) && (double)f < exact) f = nextafterf(f, INFINITY);
            o->result[t] = f32_bits(f);
        }
    }
    give(o, 0);
    if (i->op == SASS_F2I && HAS(i, U64)) lanes_set(o->w, &i->operands[0], 1, high, o->active);
}

static uint32_t half_bits(double value) {
    return f32_to_f16(f32_bits((float)value)); /* the text of a half is exact in both */
}

/* HFMA2 r, -RZ, RZ, a, b is a way to load a constant. */
static void packed(operation *o) {
    const sass_insn *i = o->i;
    if (i->op != SASS_HFMA2 || i->count != 5 || i->operands[1].reg != SASS_RZ || i->operands[2].reg != SASS_RZ) return;
    const uint32_t value = half_bits(i->operands[3].value) << 16 | half_bits(i->operands[4].value);
    EACH_LANE o->result[t] = value;
    give(o, 0);
}

static void magnitude(operation *o) {
    o->x = take(o, 1, 0);
    EACH_LANE o->result[t] = (int32_t)o->x[t] < 0 ? 0u - o->x[t] : o->x[t];
    give(o, 0);
}

static void copy(operation *o) {
    memcpy(o->result, take(o, 1, 0), sizeof o->result);
    give(o, 0);
}

/* R2UR {p,} ur, r: one lane's value; p where a lane has another. */
static void to_uniform(operation *o) {
    const int to = is_predicate(o, 0) ? 1 : 0;
    uint32_t others = 0;
    o->x = take(o, to + 1, 0);
    EACH_LANE others |= (uint32_t)(o->x[t] != o->x[__builtin_ctz(o->active)]) << t;
    if (HAS(o->i, OR)) others |= predicate(o, 0);
    lanes_set(o->w, &o->i->operands[to], 0, o->x, o->active);
    set_predicate(o, 0, others);
}

void lanes_compute(lane_warp *w, const sass_insn *i, uint32_t active) {
    static void (*const how[SASS_UNKNOWN + 1])(operation *) = {
#define OP(name, pipe, how) [SASS_##name] = how,
#include "predict/opcodes.def"
#undef OP
    };
    if (how[i->op] == NULL) return;
    operation o;
    o.w = w;
    o.i = i;
    o.active = active;
    how[i->op](&o);
}
