#pragma once

/* ldmatrix, stmatrix, movmatrix, mma and wmma against scalar models.
 *
 * The models know nothing of src/isa/matrix.h: where an element stands is written here as the PTX ISA has it, shape
 * by shape, and products are summed exactly, in 113 bits: a result may be as far from that as what a tensor core drops.
 */
#include <math.h>
#include <stdbool.h>

#include "sim_case.h"

typedef __float128 exact;

static uint64_t seed;
static inline uint32_t random_bits(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

enum type { F16, BF16, TF32, E4M3, E5M2, F32, F64, S8, U8, S4, U4, B1, S32 };
static const char *const names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "f32", "f64",
                                    "s8",  "u8",   "s4",   "u4",   "b1",   "s32"};
static const unsigned widths[] = {16, 16, 32, 8, 8, 32, 64, 8, 8, 4, 4, 1, 32};

/* sign, exponent, fraction -> value; the largest exponent is infinity and NaN, but e4m3 has one NaN only. */
static inline double decode_float(uint64_t bits, int exponent_bits, int fraction_bits, bool e4m3) {
    const int bias = (1 << (exponent_bits - 1)) - 1,
              exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    const uint64_t fraction = bits & ((1ull << fraction_bits) - 1);
    const double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (e4m3 && exponent == 15 && fraction == 7) return NAN;
    if (!e4m3 && exponent == (1 << exponent_bits) - 1) return fraction ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * ldexp((double)fraction, 1 - bias - fraction_bits);
    return sign * ldexp((double)(fraction | 1ull << fraction_bits), exponent - bias - fraction_bits);
}

static inline double value_of(enum type type, uint64_t bits) {
    double value;
    switch (type) {
    case F16:
        return decode_float(bits, 5, 10, false);
    case BF16:
        return decode_float(bits, 8, 7, false);
    case TF32:
        return decode_float(bits >> 13, 8, 10, false);
    case E4M3:
        return decode_float(bits, 4, 3, true);
    case E5M2:
        return decode_float(bits, 5, 2, false);
    case F32:
        return decode_float(bits, 8, 23, false);
    case F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    case S8:
        return bits & 128 ? (double)bits - 256 : (double)bits;
    case S4:
        return bits & 8 ? (double)bits - 16 : (double)bits;
    case S32:
        return (double)(int32_t)bits;
    default:
        return (double)bits;
    }
}

/* The number in 11 or 24 digits. */
static inline double rounded(exact x, enum type type) {
    if (type == F32) return (float)x;
    if (type == F64) return (double)x;
    const double magnitude = fabs((double)x);
    if (magnitude == 0) return (double)x;
    int exponent;
    frexp(magnitude, &exponent);
    int place = exponent - 11 < -24 ? -24 : exponent - 11;
    exact scaled = x, unit = 1;
    for (int k = 0; k < abs(place); k++) unit *= 2;
    scaled = place < 0 ? x * unit : x / unit;
    exact whole = (exact)(int64_t)scaled, rest = scaled - whole;
    const exact away = x < 0 ? -1 : 1, part = rest < 0 ? -rest : rest;
    if (part > 0.5Q || (part == 0.5Q && ((int64_t)whole & 1))) whole += away;
    const double result = (double)(place < 0 ? whole / unit : whole * unit);
    return fabs(result) > 65504 ? copysign(INFINITY, result) : result;
}

/* ---- where the PTX ISA puts them: element i of a lane ------------------------------------------------------------ */

typedef struct form {
    const char *shape;
    int m, n, k;
    enum type d, a, b, c;
    const char *before, *after; /* of the types: ".satfinite", ".and.popc" */
    const char *layouts;
    int rounding; /* f64: 0 to nearest, 1 zero, 2 down, 3 up */
} form;

static inline bool is_quads(const form *f) {
    return f->k == 4 && f->a == F16;
}

static inline void place_a(const form *f, int lane, int i, int *row, int *column) {
    const int group = lane >> 2, thread = lane % 4;
    if (is_quads(f)) {
        if (f->layouts[1] == 'r') {
            *row = lane < 16 ? lane % 4 : lane % 4 + 4;
            *column = i;
        } else {
            *row = lane < 16 ? i % 4 : i % 4 + 4;
            *column = lane % 4;
        }
        return;
    }
    if (f->m == 8) { /* m8n8k4 .f64, m8n8k16, m8n8k32, m8n8k128 */
        *row = group;
        *column = f->a == F64 ? thread : f->a == B1 ? thread * 32 + i : f->k == 16 ? thread * 4 + i : thread * 8 + i;
        return;
    }
    switch (f->a) {
    case F16:
    case BF16:
        if (f->k == 8) {
            *row = i < 2 ? group : group + 8;
            *column = thread * 2 + (i & 1);
        } else {
            *row = (0 <= i && i < 2) || (4 <= i && i < 6) ? group : group + 8;
            *column = i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
        }
        break;
    case TF32:
        *row = i == 0 || i == 2 ? group : group + 8;
        *column = i < 2 ? thread : thread + 4;
        break;
    case F64:
        if (f->k == 16) {
            *row = i % 2 == 0 ? group : group + 8;
            *column = i % 2 == 0 ? i * 2 + thread : i * 2 - 2 + thread;
        } else {
            *row = i == 0 || i == 2 ? group : group + 8;
            *column = i < 2 ? thread : thread + 4;
        }
        break;
    case S4:
    case U4:
        *row = i < 8 || (16 <= i && i < 24) ? group : group + 8;
        *column = i < 16 ? thread * 8 + (i & 7) : thread * 8 + (i & 7) + 32;
        break;
    case B1:
        *row = i < 32 || (64 <= i && i < 96) ? group : group + 8;
        *column = i < 64 ? thread * 32 + (i & 31) : thread * 32 + (i & 31) + 128;
        break;
    default: /* 8 bits */
        *row = i < 4 || (8 <= i && i < 12) ? group : group + 8;
        *column = i < 8 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16;
    }
}

static inline void place_b(const form *f, int lane, int i, int *row, int *column) {
    const int group = lane >> 2, thread = lane % 4;
    *column = group;
    if (is_quads(f)) {
        if (f->layouts[5] == 'r') {
            *row = lane % 4;
            *column = lane < 16 ? i : i + 4;
        } else {
            *row = i;
            *column = lane < 16 ? lane % 4 : lane % 4 + 4;
        }
        return;
    }
    switch (f->a) {
    case F16:
    case BF16:
        *row = i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
        break;
    case TF32:
    case F64:
        *row = thread + i * 4;
        break;
    case S4:
    case U4:
        *row = i < 8 ? thread * 8 + (i & 7) : thread * 8 + (i & 7) + 32;
        break;
    case B1:
        *row = i < 32 ? thread * 32 + (i & 31) : thread * 32 + (i & 31) + 128;
        break;
    default:
        *row = i < 4 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16;
    }
}

static inline void place_c(const form *f, enum type type, int lane, int i, int *row, int *column) {
    if (is_quads(f)) {
        const int x = (lane & 1) + (i & 2);
        if (type == F16) {
            *row = lane < 16 ? lane % 4 : lane % 4 + 4;
            *column = i;
        } else {
            *row = lane < 16 ? x : x + 4;
            *column = (i & 4) + (lane & 2) + (i & 1);
        }
        return;
    }
    *row = i < 2 ? lane >> 2 : (lane >> 2) + 8;
    *column = (lane % 4) * 2 + (i & 1);
}

/* ---- mma --------------------------------------------------------------------------------------------------------- */

enum { D_AT = 0, A_AT = 2048, B_AT = 4096, C_AT = 6144 };

static inline int elements(const form *f, char which) {
    const int all = which == 'a' ? f->m * f->k : which == 'b' ? f->k * f->n : f->m * f->n;
    return all / (is_quads(f) ? 8 : 32);
}

static inline enum type type_of(const form *f, char which) {
    return which == 'a' ? f->a : which == 'b' ? f->b : which == 'c' ? f->c : f->d;
}

static inline int registers(const form *f, char which) {
    const unsigned width = widths[type_of(f, which)];
    return elements(f, which) * (int)width / (width == 64 ? 64 : 32);
}

static inline uint64_t get(const form *f, char which, int at, int lane, int i) {
    const unsigned width = widths[type_of(f, which)];
    if (width == 64) {
        uint64_t bits;
        memcpy(&bits, &out[at + (i * 32 + lane) * 2], sizeof bits);
        return bits;
    }
    const unsigned per = 32 / width, word = out[at + (i / (int)per) * 32 + lane];
    return word >> (unsigned)i % per * width & (uint32_t)((1ull << width) - 1);
}

static inline void put(const form *f, char which, int at, int lane, int i, uint64_t bits) {
    const unsigned width = widths[type_of(f, which)];
    if (width == 64) {
        memcpy(&out[at + (i * 32 + lane) * 2], &bits, sizeof bits);
        return;
    }
    const unsigned per = 32 / width, shift = (unsigned)i % per * width;
    uint32_t *word = &out[at + (i / (int)per) * 32 + lane];
    *word = (*word & ~((uint32_t)((1ull << width) - 1) << shift)) | (uint32_t)bits << shift;
}

static inline char *vector_text(char *to, const char *prefix, int first, int count) {
    to += sprintf(to, "{");
    for (int k = 0; k < count; k++) to += sprintf(to, "%s%s%d", k ? ", " : "", prefix, first + k);
    return to + sprintf(to, "}");
}

static inline uint64_t f32_bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* kind 0: small integers, whose sums are exact; 1: numbers in [-2, 2]; 2: any bits. */
static inline uint64_t random_value(enum type type, int kind) {
    const int small = (int)(random_bits() % 9) - 4;
    double wide;
    uint64_t bits;
    switch (type) {
    case F16:
        if (kind == 2) return random_bits() & 0xffff;
        if (kind == 1) return random_bits() & 0xbfff;
        return small == 0 ? 0
                          : (small < 0 ? 0x8000u : 0) | (abs(small) == 3 ? 0x4200u : 0x3c00u + (abs(small) / 2 << 10));
    case BF16:
        return kind == 2 ? random_bits() >> 16
                         : (kind == 1 ? (random_bits() & 0x83ff) + 0x3c00 : f32_bits_of((float)small) >> 16);
    case TF32:
    case F32:
        if (kind == 2) return random_bits();
        if (kind == 1) return f32_bits_of((float)(int32_t)random_bits() * 0x1p-30f);
        return f32_bits_of((float)small) | (type == TF32 ? random_bits() & 0x1fff : 0);
    case E4M3:
        return kind == 2 ? random_bits() & 255 : kind == 1 ? random_bits() & 0xbf : (random_bits() & 0x80) + 0x38;
    case E5M2:
        return kind == 2 ? random_bits() & 255 : kind == 1 ? random_bits() & 0xbf : (random_bits() & 0x80) + 0x3c;
    case F64:
        if (kind == 2) return (uint64_t)random_bits() << 32 | random_bits();
        wide = kind == 1 ? (double)(int32_t)random_bits() * 0x1p-30 + (double)random_bits() * 0x1p-62 : small;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    case S32:
        return kind == 0 ? (uint32_t)small : kind == 1 ? random_bits() : 0x7fffff00u ^ (random_bits() & 0x800001ffu);
    default:
        return random_bits() & ((1u << widths[type]) - 1);
    }
}

static inline exact sum_of(const form *f, int q, int row, int column, exact *largest, bool *special, double *plain,
                           const double (*a)[16][256], const double (*b)[256][8], double c) {
    exact sum = c;
    *largest = sum < 0 ? -sum : sum;
    *plain = c;
    *special = !isfinite(c);
    for (int k = 0; k < f->k; k++) {
        const double x = a[q][row][k], y = b[q][k][column];
        double product = x * y;
        if (f->a == B1) product = f->after[1] == 'x' ? x != y : x && y;
        *special = *special || !isfinite(x) || !isfinite(y);
        *plain += product;
        sum += (exact)product;
        const exact part = product < 0 ? -(exact)product : (exact)product, total = sum < 0 ? -sum : sum;
        if (part > *largest) *largest = part;
        if (total > *largest) *largest = total;
    }
    return sum;
}

static inline void check_sum(const form *f, uint64_t got, exact sum, exact largest, bool special, double plain,
                             const char *where) {
    if (f->d == S32) {
        int64_t whole = (int64_t)sum;
        const bool clamps = strstr(f->before, "satfinite") != NULL || strstr(f->after, "satfinite") != NULL;
        if (clamps) whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
        if ((uint32_t)got != (uint32_t)whole) fail_msg("%s: %d, not %d", where, (int)got, (int)whole);
        return;
    }
    const double value = value_of(f->d, got);
    const bool thrice = f->d == F16 && (f->a == E4M3 || f->a == E5M2); /* a sum of half of the products may overflow */
    if (thrice && !isfinite(value) && largest * (exact)f->k >= 65504) return;
    if (special) {
        if (isnan(plain) ? !isnan(value) : value != plain) fail_msg("%s: %g, not %g", where, value, plain);
        if (isnan(plain) && f->d == F32) assert_int_equal(got, 0x7fffffff);
        if (isnan(plain) && f->d == F16) assert_int_equal(got, 0x7fff);
        return;
    }
    const double best = rounded(sum, f->d);
    if (value == best) return;
    /* A last place, what tensor cores cut off each number, and what is below the products of least normal numbers. */
    exact apart = (exact)value - sum, allowed = largest * (exact)(f->k + 1) * 0x1p-25Q;
    if (apart < 0) apart = -apart;
    int exponent;
    frexp(best, &exponent);
    allowed += f->d == F16 ? (exact)ldexp(1, exponent - 11 < -24 ? -24 : exponent - 11)
                           : (exact)ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
    if (thrice) allowed += largest * 0x1p-10Q;
    allowed += f->a == F16 ? 0x1p-30Q : 0x1p-149Q;
    if (!(apart <= allowed)) fail_msg("%s: %.9g, not %.9g", where, value, best);
}
