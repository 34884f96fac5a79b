/* What instructions compute, for one thread, from the PTX ISA (9.0, chapter 9) and, where that leaves something open,
 * from what an H200 does (tests/conformance). Written for plainness and apart from the simulator's handlers: integers
 * are numbers of 128 bits, bits are looped over, and floating point is rounded by way of long double.
 */
#pragma once

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "program.h"

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

static uint64_t cut(uint64_t x, unsigned bits) {
    return bits >= 64 ? x : x & (((uint64_t)1 << bits) - 1);
}

/* The integer that the low bits of a register mean. */
static wide number_of(value_type type, uint64_t bits) {
    bits = cut(bits, type_bits[type]);
    const bool negative = is_signed(type) && bits >> (type_bits[type] - 1);
    return (wide)bits - (negative ? (wide)1 << type_bits[type] : 0);
}

static wide smallest(value_type type) {
    return is_signed(type) ? -((wide)1 << (type_bits[type] - 1)) : 0;
}
static wide largest(value_type type) {
    return ((wide)1 << (type_bits[type] - is_signed(type))) - 1;
}
static wide clamped(wide x, value_type type) {
    return x < smallest(type) ? smallest(type) : x > largest(type) ? largest(type) : x;
}

#define RUN(name, value)                                                                                               \
    static uint64_t run_##name(const step *s, const uint64_t *x, bool *carry) {                                        \
        (void)s, (void)x, (void)carry;                                                                                 \
        return (uint64_t)(value);                                                                                      \
    }
#define TYPE         ((value_type)s->how[0])
#define BITS         type_bits[TYPE]
#define A            number_of(TYPE, x[0])
#define B            number_of(TYPE, x[1])
#define C            number_of(TYPE, x[2])
#define PRODUCT      ((unsigned_wide)A * (unsigned_wide)B)
#define MAGNITUDE(v) ((v) < 0 ? -(v) : (v))

/* ---- integers ---- */

RUN(add, A + B)
RUN(sub, A - B)
RUN(add_sat, clamped(A + B, S32))
RUN(sub_sat, clamped(A - B, S32))
RUN(mul, PRODUCT) /* .lo, .wide: as much of it as the destination holds */
RUN(mul_hi, PRODUCT >> BITS)
RUN(mad, PRODUCT + x[2])
RUN(mad_hi, (PRODUCT >> BITS) + x[2])
RUN(mad_hi_sat, clamped((A * B >> 32) + C, S32))
RUN(div, B == 0 ? -1 : A / B)
RUN(rem, B == 0 ? -1 : A % B)
RUN(abs, MAGNITUDE(A))
RUN(neg, -A)
RUN(sad, MAGNITUDE(A - B) + C)
RUN(min, A < B ? A : B)
RUN(max, A < B ? B : A)
RUN(mov, x[0])
RUN(and, x[0] & x[1])
RUN(or, x[0] | x[1])
RUN(xor, x[0] ^ x[1])
RUN(not, ~x[0])
RUN(cnot, x[0] == 0)
RUN(shl, (uint32_t)x[1] >= BITS ? 0 : x[0] << (uint32_t)x[1])
RUN(shr, A >> ((uint32_t)x[1] > 100 ? 100 : (uint32_t)x[1]))
RUN(selp, x[2] ? x[0] : x[1])
RUN(slct, (int32_t)x[2] >= 0 ? x[0] : x[1])

static int32_t of_24_bits(uint64_t x, bool has_sign) {
    const int32_t low = (int32_t)(x & 0xffffff);
    return has_sign && low >= 0x800000 ? low - 0x1000000 : low;
}
#define PRODUCT24 ((int64_t)of_24_bits(x[0], TYPE == S32) * of_24_bits(x[1], TYPE == S32))
RUN(mul24_lo, PRODUCT24)
RUN(mul24_hi, PRODUCT24 >> 16)
RUN(mad24_lo, PRODUCT24 + (int64_t)x[2])
RUN(mad24_hi, (PRODUCT24 >> 16) + (int64_t)x[2])

static bool bit(uint64_t x, unsigned n) {
    return x >> n & 1;
}
static uint64_t run_popc(const step *s, const uint64_t *x, bool *carry) {
    unsigned count = 0;
    for (unsigned i = 0; i < BITS; i++) count += bit(x[0], i);
    return count;
}
static uint64_t run_clz(const step *s, const uint64_t *x, bool *carry) {
    unsigned count = 0;
    while (count < BITS && !bit(x[0], BITS - 1 - count)) count++;
    return count;
}
static uint64_t run_brev(const step *s, const uint64_t *x, bool *carry) {
    uint64_t d = 0;
    for (unsigned i = 0; i < BITS; i++) d |= (uint64_t)bit(x[0], i) << (BITS - 1 - i);
    return d;
}
/* how[1]: .shiftamt */
static uint64_t run_bfind(const step *s, const uint64_t *x, bool *carry) {
    const bool sought = !(is_signed(TYPE) && bit(x[0], BITS - 1));
    for (unsigned i = BITS; i-- > 0;)
        if (bit(x[0], i) == sought) return s->how[1] ? BITS - 1 - i : i;
    return UINT32_MAX;
}
/* Modulo 256, says the manual; for 64 bits, which ptxas makes of several instructions, an H200 takes it as it is. */
static unsigned field_number(uint64_t x, unsigned bits) {
    return bits == 64 && x > 255 ? 255 : x & 255;
}
static uint64_t run_bfe(const step *s, const uint64_t *x, bool *carry) {
    const unsigned msb = BITS - 1, position = field_number(x[1], BITS), length = field_number(x[2], BITS);
    const unsigned last = position + length - 1;
    const bool sign = is_signed(TYPE) && length > 0 && bit(x[0], last < msb ? last : msb);
    uint64_t d = 0;
    for (unsigned i = 0; i <= msb; i++)
        d |= (uint64_t)(i < length && position + i <= msb ? bit(x[0], position + i) : sign) << i;
    return d;
}
static uint64_t run_bfi(const step *s, const uint64_t *x, bool *carry) {
    const unsigned msb = BITS - 1, position = x[2] & 0xff, length = x[3] & 0xff;
    uint64_t d = x[1];
    for (unsigned i = 0; i < length && position + i <= msb; i++)
        d = (d & ~((uint64_t)1 << (position + i))) | (uint64_t)bit(x[0], i) << (position + i);
    return d;
}
/* how[1]: the bytes' types; dp2a.hi: how[2] */
static uint64_t run_dp4a(const step *s, const uint64_t *x, bool *carry) {
    uint64_t d = x[2];
    for (unsigned i = 0; i < 4; i++)
        d += (uint64_t)(number_of(s->how[0] ? S8 : U8, x[0] >> 8 * i) * number_of(s->how[1] ? S8 : U8, x[1] >> 8 * i));
    return d;
}
static uint64_t run_dp2a(const step *s, const uint64_t *x, bool *carry) {
    uint64_t d = x[2];
    for (unsigned i = 0; i < 2; i++)
        d += (uint64_t)(number_of(s->how[0] ? S16 : U16, x[0] >> 16 * i) *
                        number_of(s->how[1] ? S8 : U8, x[1] >> (16 * s->how[2] + 8 * i)));
    return d;
}
/* The table is x[3]; with q (x[4]): how[1] 1 .or, 2 .and, and p behind d. */
static uint64_t run_lop3(const step *s, const uint64_t *x, bool *carry) {
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (uint64_t)bit(x[3], bit(x[0], i) * 4u + bit(x[1], i) * 2u + bit(x[2], i)) << i;
    const bool p = s->how[1] == 1 ? d != 0 || x[4] : s->how[1] == 2 && d != 0 && x[4];
    return d | (uint64_t)p << 32;
}
/* how[1]: .clamp */
static uint64_t run_shf_l(const step *s, const uint64_t *x, bool *carry) {
    const uint32_t n = !s->how[1] ? x[2] & 31 : x[2] > 32 ? 32 : (uint32_t)x[2];
    return x[1] << n | x[0] >> (32 - n);
}
static uint64_t run_shf_r(const step *s, const uint64_t *x, bool *carry) {
    const uint32_t n = !s->how[1] ? x[2] & 31 : x[2] > 32 ? 32 : (uint32_t)x[2];
    return x[1] << (32 - n) | x[0] >> n;
}
/* how[1]: 0 without a mode, then .f4e .b4e .rc8 .ecl .ecr .rc16 */
static uint64_t run_prmt(const step *s, const uint64_t *x, bool *carry) {
    const uint64_t both = x[1] << 32 | x[0];
    uint64_t d = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned c = x[2] & 3;
        const unsigned which[] = {x[2] >> 4 * i & 7, c + i,         (c - i) & 7,          c,
                                  c > i ? c : i,     c < i ? c : i, (c & 1) * 2 + (i & 1)};
        uint64_t byte = both >> 8 * which[s->how[1]] & 0xff;
        if (s->how[1] == 0 && x[2] >> (4 * i + 3) & 1) byte = byte & 0x80 ? 0xff : 0;
        d |= byte << 8 * i;
    }
    return d;
}
/* Two halves. */
RUN(add_x2, ((x[0] + x[1]) & 0xffff) | ((x[0] >> 16) + (x[1] >> 16)) << 16)
#define HALF(k, n) number_of(TYPE, x[k] >> 16 * (n))
#define PAIR_OF(better)                                                                                                \
    (((uint64_t)(HALF(0, 0) better HALF(1, 0) ? x[0] : x[1]) & 0xffff) |                                               \
     ((uint64_t)(HALF(0, 1) better HALF(1, 1) ? x[0] : x[1]) & 0xffff0000))
RUN(min_x2, PAIR_OF(<))
RUN(max_x2, PAIR_OF(>))

/* ---- carries: how[1] takes CC.CF, how[2] sets it, how[3] subtracts; of products how[4] 1 the lower, 2 the upper half
 * ----
 */
static uint64_t run_carry(const step *s, const uint64_t *x, bool *carry) {
    const unsigned bits = BITS;
    const unsigned_wide a = s->how[4] == 1 ? cut((uint64_t)PRODUCT, bits)
                            : s->how[4]    ? cut((uint64_t)(PRODUCT >> bits), bits)
                                           : x[0];
    const unsigned_wide b = s->how[4] ? x[2] : x[1], in = s->how[1] && *carry;
    const unsigned_wide sum = s->how[3] ? a - b - in : a + b + in;
    if (s->how[2]) *carry = sum >> bits & 1;
    return (uint64_t)sum;
}

/* ---- floating point ----
 * how: type, rounding (0 none: to the nearest, or .rn .rz .rm .rp), .ftz, .sat, which */

static float f32(uint64_t bits) {
    float value;
    const uint32_t low = (uint32_t)bits;
    memcpy(&value, &low, sizeof value);
    return value;
}
static double f64(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static uint64_t bits_of_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
/* The format: digits with the hidden one, the least exponent, where its sign is. */
static const struct {
    int digits, least, sign;
    uint64_t nan;
} formats[TYPES] = {
    [F16] = {11, -14, 15, 0x7fff}, [F32] = {24, -126, 31, 0x7fffffff}, [F64] = {53, -1022, 63, 0xfff8000000000000}};

static long double float_of(value_type type, uint64_t bits) {
    if (type == F32) return f32(bits);
    if (type == F64) return f64(bits);
    const int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
    const long double magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                                  : exponent == 0 ? scalbnl(mantissa, -24)
                                                  : scalbnl(mantissa + 1024, exponent - 25);
    return bits >> 15 & 1 ? -magnitude : magnitude;
}
static bool is_nan(value_type type, uint64_t bits) {
    return isnan(float_of(type, bits));
}
static uint64_t flushed(value_type type, uint64_t bits) {
    const long double value = float_of(type, bits);
    const bool tiny = fabsl(value) < scalbnl(1, formats[type].least);
    return tiny ? bits & (uint64_t)1 << formats[type].sign : bits;
}

static const int directions[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

/* Rounded to so many digits, with no exponent below `least`. */
static long double rounded(long double value, int digits, int least, int direction) {
    if (value == 0 || !isfinite(value)) return value;
    int exponent = ilogbl(value);
    if (exponent < least) exponent = least;
    volatile long double scaled = scalbnl(value, digits - 1 - exponent);
    fesetround(direction);
    scaled = rintl(scaled);
    fesetround(FE_TONEAREST);
    return copysignl(scalbnl(scaled, exponent - digits + 1), value);
}

/* The bits of a number of the format, or of what is beyond it. */
static uint64_t float_bits(value_type type, long double value, int direction) {
    const int digits = formats[type].digits, least = formats[type].least;
    const uint64_t sign = (uint64_t)(signbit(value) != 0) << formats[type].sign;
    if (isnan(value)) return formats[type].nan;
    const long double beyond = scalbnl(1, 2 - least);
    const bool inwards =
        direction == FE_TOWARDZERO || (direction == FE_DOWNWARD && value > 0) || (direction == FE_UPWARD && value < 0);
    const uint64_t infinity = (uint64_t)(2 * (1 - least) + 1) << (digits - 1);
    if (isinf(value)) return sign | infinity;
    value = fabsl(rounded(value, digits, least, direction));
    if (value >= beyond) return sign | (infinity - inwards);
    if (value == 0) return sign;
    const int exponent = ilogbl(value) < least ? least : ilogbl(value);
    const uint64_t mantissa = (uint64_t)scalbnl(value, digits - 1 - exponent);
    return sign | (mantissa + ((uint64_t)(exponent - least) << (digits - 1)));
}

/* One operation on two or three numbers, so that rounding it again to fewer digits rounds it but once: the last bit of
 * what is inexact is odd. Products of 32 bits and less are exact. */
static long double to_odd(char which, long double a, long double b, long double c) {
    volatile long double x = a, y = b, z = c, r;
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_INEXACT);
    switch (which) {
    case '+':
        r = x + y;
        break;
    case '-':
        r = x - y;
        break;
    case '*':
        r = x * y;
        break;
    case '/':
        r = x / y;
        break;
    case 'q':
        r = sqrtl(x);
        break;
    default:
        r = x * y;
        r = r + z;
    }
    const bool inexact = fetestexcept(FE_INEXACT);
    fesetround(FE_TONEAREST);
    if (inexact && isfinite(r)) {
        uint64_t mantissa; /* of x87's long double: all of its bits are there */
        memcpy(&mantissa, (const void *)&r, sizeof mantissa);
        mantissa |= 1;
        memcpy((void *)&r, &mantissa, sizeof mantissa);
    }
    return r;
}

/* The sign of an exact sum that is zero is the direction's. */
static long double with_sign_of_zero(char which, long double r, long double a, long double b, long double c,
                                     int direction) {
    if (r != 0 || which == '*' || which == '/' || which == 'q') return r;
    const bool first = which == 'f' ? (signbit(a) != 0) != (signbit(b) != 0) : signbit(a) != 0;
    const bool second = which == 'f' ? signbit(c) != 0 : (signbit(b) != 0) != (which == '-');
    const bool exact_zeros = which == 'f' ? (a == 0 || b == 0) && c == 0 : a == 0 && b == 0;
    const bool negative = exact_zeros && first == second ? first : direction == FE_DOWNWARD;
    return negative ? -0.0L : 0.0L;
}

/* Doubles: fma's product has more digits than a long double; the processor rounds these itself. */
static double double_operation(char which, double a, double b, double c, int direction) {
    volatile double x = a, y = b, z = c, r;
    fesetround(direction);
    switch (which) {
    case '+':
        r = x + y;
        break;
    case '-':
        r = x - y;
        break;
    case '*':
        r = x * y;
        break;
    case '/':
        r = x / y;
        break;
    case 'q':
        r = sqrt(x);
        break;
    default:
        r = fma(x, y, z);
    }
    fesetround(FE_TONEAREST);
    return r;
}

/* The H200 keeps a NaN operand of an f64 instruction, quiet: which one it looks at first is the instruction's. */
static uint64_t kept_nan(char which, const uint64_t *x, int count) {
    static const int orders[3][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}};
    const int *order = orders[which == 'f' ? 2 : which == '/' ? 0 : count > 1 ? 1 : 0];
    for (int i = 0; i < 3; i++)
        if (order[i] < count && is_nan(F64, x[order[i]])) return x[order[i]] | 0x8000000000000;
    return formats[F64].nan;
}

/* .sat: 0 for -0 and NaN. */
static uint64_t saturated(value_type type, uint64_t bits) {
    const long double value = float_of(type, bits);
    return !(value > 0) ? 0 : value > 1 ? float_bits(type, 1, FE_TONEAREST) : bits;
}

/* how[4]: + - * / f(ma) q(sqrt) r(cp) */
static uint64_t run_float(const step *s, const uint64_t *given, bool *carry) {
    const value_type type = TYPE;
    const int direction = directions[s->how[1]], count = s->s_count;
    char which = (char)s->how[4];
    uint64_t x[3] = {0}, d;
    for (int i = 0; i < count; i++) x[i] = s->how[2] ? flushed(type, given[i]) : given[i];
    if (which == 'r') {
        x[1] = x[0];
        x[0] = float_bits(type, 1, FE_TONEAREST);
        which = '/';
    }
    const long double a = float_of(type, x[0]), b = float_of(type, x[1]), c = float_of(type, x[2]);
    if (type == F64) {
        d = bits_of_f64(double_operation(which, (double)a, (double)b, (double)c, direction));
        if (is_nan(type, d)) d = kept_nan(s->how[4] == 'r' ? '/' : which, given, count);
    } else {
        long double exact = to_odd(which, a, b, c);
        exact = with_sign_of_zero(which, exact, a, b, c, direction);
        d = float_bits(type, exact, direction);
        /* Tiny is what is so before the exponent is held against the least one. */
        const int digits = formats[type].digits;
        const bool tiny = fabsl(rounded(exact, digits, -10000, direction)) < scalbnl(1, formats[type].least);
        if (s->how[2] && tiny) d &= (uint64_t)1 << formats[type].sign;
    }
    return s->how[3] ? saturated(type, d) : d;
}

static uint64_t run_float_x2(const step *s, const uint64_t *x, bool *carry) {
    const uint64_t low[3] = {x[0] & 0xffff, x[1] & 0xffff, x[2] & 0xffff};
    const uint64_t high[3] = {x[0] >> 16 & 0xffff, x[1] >> 16 & 0xffff, x[2] >> 16 & 0xffff};
    return run_float(s, low, carry) | run_float(s, high, carry) << 16;
}

/* neg, abs (how[4]): an f32's and f16's NaN becomes the instruction's, an f64's stays, but for being quiet. */
static uint64_t run_sign(const step *s, const uint64_t *x, bool *carry) {
    const uint64_t sign = (uint64_t)1 << formats[TYPE].sign, a = s->how[2] ? flushed(TYPE, x[0]) : x[0];
    if (is_nan(TYPE, a)) return TYPE == F64 ? a | 0x8000000000000 : formats[TYPE].nan;
    return s->how[4] == 'n' ? a ^ sign : a & ~sign;
}

/* how[3]: .NaN; how[4]: max */
static uint64_t run_float_min_max(const step *s, const uint64_t *given, bool *carry) {
    uint64_t x[2];
    for (int i = 0; i < 2; i++) x[i] = s->how[2] ? flushed(TYPE, given[i]) : given[i];
    const bool nan[2] = {is_nan(TYPE, x[0]), is_nan(TYPE, x[1])};
    if ((nan[0] && nan[1]) || (s->how[3] && (nan[0] || nan[1])))
        return TYPE == F64 ? x[1] | 0x8000000000000 : formats[TYPE].nan;
    if (nan[0] || nan[1]) return nan[0] ? x[1] : x[0];
    const long double a = float_of(TYPE, x[0]), b = float_of(TYPE, x[1]);
    const bool less = a < b || (a == b && signbit(a) && !signbit(b));
    return less != (s->how[4] != 0) ? x[0] : x[1];
}

RUN(copysign, (x[0] & (uint64_t)1 << formats[TYPE].sign) | (x[1] & ~((uint64_t)1 << formats[TYPE].sign)))

/* how[4]: finite infinite number notanumber normal subnormal */
static uint64_t run_testp(const step *s, const uint64_t *x, bool *carry) {
    const long double value = float_of(TYPE, x[0]), least = scalbnl(1, formats[TYPE].least);
    switch (s->how[4]) {
    case 0:
        return isfinite(value);
    case 1:
        return isinf(value) != 0;
    case 2:
        return !isnan(value);
    case 3:
        return isnan(value) != 0;
    case 4:
        return isfinite(value) && (value == 0 || fabsl(value) >= least);
    default:
        return value != 0 && fabsl(value) < least;
    }
}

/* ---- comparisons ---- */

static const char *const comparisons[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                          "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

/* how[0] type, how[1] which, how[2] .ftz */
static bool compared(const step *s, const uint64_t *x) {
    int less, equal, unordered = 0;
    const int which = s->how[1];
    if (is_float(TYPE)) {
        const long double a = float_of(TYPE, s->how[2] ? flushed(TYPE, x[0]) : x[0]);
        const long double b = float_of(TYPE, s->how[2] ? flushed(TYPE, x[1]) : x[1]);
        less = a < b, equal = a == b, unordered = isnan(a) || isnan(b);
        if (which == 16) return !unordered;
        if (which == 17) return unordered;
        if (unordered) return which >= 10;
    } else {
        less = A < B, equal = A == B;
    }
    switch (which >= 10 ? which - 10 : which >= 6 ? which - 4 : which) {
    case 0:
        return equal;
    case 1:
        return !equal;
    case 2:
        return less;
    case 3:
        return less || equal;
    case 4:
        return !less && !equal;
    default:
        return !less;
    }
}
/* how[3]: 0 none, .and .or .xor with x[2] */
static bool combined(const step *s, bool a, bool c) {
    return s->how[3] == 0 ? a : s->how[3] == 1 ? a && c : s->how[3] == 2 ? a || c : a != c;
}
static uint64_t run_setp(const step *s, const uint64_t *x, bool *carry) {
    const bool is = compared(s, x);
    return (uint64_t)combined(s, is, x[2]) | (uint64_t)combined(s, !is, x[2]) << 1;
}
/* how[4]: 1.0f, not all ones */
static uint64_t run_set(const step *s, const uint64_t *x, bool *carry) {
    return !combined(s, compared(s, x), x[2]) ? 0 : s->how[4] ? 0x3f800000 : 0xffffffff;
}

/* ---- conversions: how[0] source, how[1] destination, how[2] rounding, how[3] .ftz, how[4] .sat ----
 * Roundings 1 to 4 are .rn .rz .rm .rp, 5 to 8 .rni .rzi .rmi .rpi. */

static uint64_t to_integer(const step *s, uint64_t x, value_type to) {
    const value_type from = TYPE;
    if (is_nan(from, x)) /* what the manual says of NaNs */
        return from != F64 && type_bits[to] < 64 ? 0 : (uint64_t)1 << (type_bits[to] - 1);
    volatile long double value = float_of(from, x);
    fesetround(directions[s->how[2] - 4]);
    value = rintl(value);
    fesetround(FE_TONEAREST);
    if (value >= 0x1p64L) return (uint64_t)largest(to);
    if (value <= -0x1p64L) return (uint64_t)smallest(to);
    return (uint64_t)clamped((wide)value, to);
}

/* A NaN keeps its sign and the upper part of the rest to and from f64. */
static uint64_t converted_nan(uint64_t x, value_type from, value_type to) {
    const int have = formats[from].digits - 1, want = formats[to].digits - 1;
    const uint64_t sign = x >> formats[from].sign & 1, payload = cut(x, (unsigned)have);
    uint64_t kept = want >= have ? payload << (want - have) : payload >> (have - want);
    kept |= (uint64_t)1 << (want - 1);
    const uint64_t infinity = (uint64_t)(2 * (1 - formats[to].least) + 1) << want;
    return sign << formats[to].sign | infinity | kept;
}

static uint64_t to_float(const step *s, uint64_t x, value_type to) {
    const value_type from = TYPE;
    const bool ftz = s->how[3];
    if (!is_float(from)) {
        const wide n = number_of(from, x);
        volatile long double value = (long double)(n < 0 ? -n : n); /* exact: 64 bits */
        return float_bits(to, n < 0 ? -value : value, directions[s->how[2]]);
    }
    if (ftz && from == F32) x = flushed(from, x);
    if (is_nan(from, x)) {
        if (from == F32 && ftz) x = formats[F32].nan;
        return from == F64 || to == F64 ? converted_nan(x, from, to) : formats[to].nan;
    }
    volatile long double value = float_of(from, x);
    if (s->how[2] > 4) {
        const bool negative = signbit(value) != 0;
        fesetround(directions[s->how[2] - 4]);
        value = rintl(value);
        fesetround(FE_TONEAREST);
        if (value == 0) value = negative ? -0.0L : 0.0L;
    }
    const uint64_t d = float_bits(to, value, s->how[2] > 4 ? FE_TONEAREST : directions[s->how[2]]);
    return ftz && to == F32 ? flushed(to, d) : d;
}

static uint64_t run_cvt(const step *s, const uint64_t *x, bool *carry) {
    const value_type from = TYPE, to = (value_type)s->how[1];
    if (is_float(to)) {
        const uint64_t d = to_float(s, cut(x[0], type_bits[from]), to);
        return s->how[4] ? saturated(to, d) : d;
    }
    uint64_t d;
    if (is_float(from)) {
        const uint64_t a = cut(x[0], type_bits[from]);
        d = to_integer(s, s->how[3] ? flushed(from, a) : a, to);
    } else {
        d = (uint64_t)(s->how[4] ? clamped(number_of(from, x[0]), to) : number_of(from, x[0]));
    }
    return (uint64_t)number_of(to, d); /* extended to a wider register */
}

/* mov.b64 d, {a, b} and the other way round: all parts have the class that how[0]'s says. */
static uint64_t run_pack(const step *s, const uint64_t *x, bool *carry) {
    uint64_t d = 0;
    for (int i = s->s_count; i-- > 0;) d = d << BITS % 64 | x[i];
    return d;
}

#undef A
#undef B
#undef C
#undef TYPE
#undef BITS
#undef PRODUCT
#undef HALF
