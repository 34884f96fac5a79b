/* How Hopper's tensor cores add, found from what an H200 gave (tests/conformance, "/fractions", "/products", "/sums",
 * "/wide"):
 *
 * d = c + a1 b1 + ... + ak bk is one sum of k + 1 numbers, in no order. An operand's exponent is that of its leading
 * one, but at least the least normal one of its type; zeros have none; a product's is the sum of its operands',
 * though the product may be twice as large. E is the largest exponent of the products and of c. Each product, exact,
 * and c lose what is below 2^(E - bits): bits is 25, but 13 in a wgmma of e4m3 and e5m2. The rest is added exactly. The
 * sum is cut off to f32 (where bits is 13, to 13 digits after the first), or rounded to nearest even to f16. What
 * becomes zero has no sign. 2^128 and more is infinite.
 *
 * An infinity or NaN among the operands has its way as in ordinary arithmetic; a NaN is 0x7fffffff or 0x7fff.
 *
 * Written out: numbers are doubles, their exponents powers of two (doubles, too). In round-toward-zero x + s - s, where
 * s has the sign of x and is 2^52 times the last place to keep, is x cut off there. */
#pragma once

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/floats.h"

/* A register of this instruction set: of wider vectors gcc makes comparisons one by one. */
#if defined __AVX512F__
#define TENSOR_LANES 8
#elif defined __AVX__
#define TENSOR_LANES 4
#else
#define TENSOR_LANES 2
#endif
typedef double tensor_doubles __attribute__((vector_size(8 * TENSOR_LANES), aligned(8), may_alias));
typedef int64_t tensor_words __attribute__((vector_size(8 * TENSOR_LANES), aligned(8), may_alias));

#define TENSOR_SIGN     ((int64_t)0x8000000000000000)
#define TENSOR_EXPONENT ((int64_t)0x7ff0000000000000)

/* The least normal exponents. */
#define TENSOR_F16  0x1p-14
#define TENSOR_F32  0x1p-126
#define TENSOR_E4M3 0x1p-6
#define TENSOR_E5M2 0x1p-14

/* The bits that are kept below the largest exponent. */
#define TENSOR_BITS     25
#define TENSOR_BITS_FP8 13

/* to[k] = x[k]'s exponent, 0 where it has none. True where one of them is an infinity or a NaN. */
static inline bool tensor_exponents(double *to, const double *x, unsigned count, double least) {
    int64_t special = 0;
    for (unsigned k = 0; k < count; k++) {
        int64_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        bits &= TENSOR_EXPONENT;
        special |= bits == TENSOR_EXPONENT;
        double power;
        memcpy(&power, &bits, sizeof power);
        to[k] = x[k] == 0 ? 0 : power > least ? power : least;
    }
    return special != 0;
}

/* Matrices row after row, `step` elements from one to the next, and the elements' exponents. */
typedef struct tensor_matrix {
    double *at, *exponent;
    unsigned step;
} tensor_matrix;

#define TENSOR_CUT(x, s) (((x) + (s)) - (s))
#define TENSOR_AT(p)     (*(tensor_doubles *)(p))

/* c = c + a b over `count` of the k's, those in `order`; a multiple of 8 columns. In round-toward-zero. */
static inline void tensor_add(tensor_matrix c, tensor_matrix a, tensor_matrix b, unsigned rows, unsigned columns,
                              const uint8_t *order, unsigned count, unsigned bits) {
    const double unit = bits == TENSOR_BITS ? 0x1p27 : 0x1p39; /* 2^(52 - bits) */
    for (unsigned r = 0; r < rows; r++)
        for (unsigned j = 0; j < columns; j += TENSOR_LANES) {
            double *x = a.at + r * a.step, *xe = a.exponent + r * a.step, *y = b.at + j, *ye = b.exponent + j;
            tensor_doubles most = TENSOR_AT(c.exponent + r * c.step + j), sum = TENSOR_AT(c.at + r * c.step + j), s;
            for (unsigned q = 0; q < count; q++) {
                const tensor_doubles power = TENSOR_AT(ye + order[q] * b.step) * xe[order[q]];
                const tensor_words larger = power > most;
                most = (tensor_doubles)(((tensor_words)power & larger) | ((tensor_words)most & ~larger));
            }
            most *= unit;
            s = (tensor_doubles)(((tensor_words)sum & TENSOR_SIGN) | (tensor_words)most);
            sum = TENSOR_CUT(sum, s);
            for (unsigned q = 0; q < count; q++) {
                const tensor_doubles product = TENSOR_AT(y + order[q] * b.step) * x[order[q]];
                s = (tensor_doubles)(((tensor_words)product & TENSOR_SIGN) | (tensor_words)most);
                sum += TENSOR_CUT(product, s);
            }
            TENSOR_AT(c.at + r * c.step + j) = sum;
        }
}

/* The sums that an infinity or NaN takes part in, by ordinary arithmetic: `before` is c as it was. */
static inline void tensor_special(tensor_matrix c, const double *before, tensor_matrix a, tensor_matrix b,
                                  unsigned rows, unsigned columns, const uint8_t *order, unsigned count) {
    for (unsigned r = 0; r < rows; r++)
        for (unsigned j = 0; j < columns; j++) {
            double sum = before[r * c.step + j];
            for (unsigned q = 0; q < count; q++) sum += a.at[r * a.step + order[q]] * b.at[order[q] * b.step + j];
            if (!(fabs(sum) < (double)INFINITY)) c.at[r * c.step + j] = sum;
        }
}

/* A sum as f32, cut off; to 13 digits below the first where no more are kept. In round-toward-zero. */
static inline double tensor_f32(double sum, unsigned bits) {
    const uint32_t mask = bits == TENSOR_BITS ? 0xffffffffu : 0xffffffffu << (23 - TENSOR_BITS_FP8);
    const double cut = fabs(sum) < 0x1p128 ? (double)f32_of(f32_bits((float)sum) & mask) : sum * 0x1p1000;
    return cut + 0.0; /* no -0 */
}

/* A double to f16, rounded once: by way of the f32 next to it that is odd where it is not exact. */
static inline uint32_t f64_to_f16_rn(double x) {
    const float near = (float)x;
    const uint32_t bits = f32_bits(near);
    const double back = near;
    const bool exact = back == x || (bits & 1);
    return f32_to_f16(exact ? bits : fabs(back) > fabs(x) ? bits - 1 : bits + 1);
}

/* Between these two arithmetic rounds toward zero; what `memory` points to is not moved across them. */
#define TENSOR_BEGIN(memory)                                                                                           \
    do {                                                                                                               \
        fesetround(FE_TOWARDZERO);                                                                                     \
        __asm__ volatile("" : : "r"(memory) : "memory");                                                               \
    } while (0)
#define TENSOR_END(memory)                                                                                             \
    do {                                                                                                               \
        __asm__ volatile("" : : "r"(memory) : "memory");                                                               \
        fesetround(FE_TONEAREST);                                                                                      \
    } while (0)
