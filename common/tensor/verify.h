/* Is C right? Every element against an FP64 reference. C is a matrix, or the vector y of a GEMV (a GEMM of one column).
 *
 * Bound (Higham, "Accuracy and Stability of Numerical Algorithms", 3.1): with u = 2^-24, S = |alpha| |A||B| + |beta||C|
 * and w, s the unit round-off and the subnormal step of C's type (u and 2^-149 where that is FP32)
 *
 *     |c - ref| <= (1 + w) (k + 2) u S + w |ref| + s
 *
 * what goes beyond the first term is the output's own rounding, of a sum that is not quite ref. At large k this is wide
 * enough for a dropped term to hide in. Hence the exact pass: with operands from {-2, -1, 1, 2} every product and sum
 * is an integer that FP32 holds exactly (k * 4 < 2^24; beyond that the sums of random signs stay far below it), so c
 * must *equal* ref. With alpha or beta a multiple of 1/4 the sums keep six bits less. FP16 and BF16 hold fewer
 * integers, but a kernel that accumulates in FP32 rounds just once, at the end, and the rounding of an exact sum is one
 * certain number: there c must equal ref rounded to the type. Neither pass tells FP32 from a shorter mantissa at large
 * k: that a variant multiplies in FP32 is for its code to show. A ref that is NaN or infinite (an operand was planted)
 * is compared as that.
 *
 * Other ways to multiply put something else in the place of (k + 2) u S:
 *
 * Tensor cores, FP16 and BF16: products are exact. A block of them is aligned with the sum so far to the largest, and
 * what lies below the last bit is cut off (Fasi, Higham, Mikaitis, Pranesh: "Numerical behavior of NVIDIA tensor
 * cores", 2021). Taking that bit to be at least one beyond FP32's, a product loses up to 2^-24 S, and the sum of a
 * block, cut off to FP32, up to 2^-23 S. With two products or more in a block, (k + 2) 2^-23 S holds it all.
 *
 * TF32: besides, an operand loses up to 2^-10 of itself where it is cut off to ten bits of mantissa, half of that where
 * it is rounded. So a product is off by t = 2 * 2^-10 + 2^-20 of itself at most: with P = |alpha| |A||B|,
 * t P + (k + 2) 2^-23 (S + t P).
 *
 * TF32X3: a = big + small + rest, big the TF32 next to a, small what a lacks then, in TF32 too. Of a's 24 bits big
 * leaves 2^12 units of the last at most, of which small loses one at most: |small| <= 2^-11 |a|, |rest| <= 2^-23 |a|.
 * The sum big b_big + big b_small + small b_big lacks small b_small, a b_rest and rest b, together t = 2^-22 + 2 *
 * 2^-23 of the product but for what is 2^-10 times smaller; 3k products are accumulated, whose magnitudes pass those of
 * the whole by 2^-9 of it at most: t P + (3k + 2) 2^-23 (1 + 2^-9) S. Close to the largest number big is cut off where
 * rounding would make it infinite: small may have 13 bits then, below 2^-10 * 2^127, which is no more of such an a. An
 * infinity's small part is zero, and where a sum is not finite it is FP32's own sum that counts. The bound does not
 * speak of a below 2^-102: small, or what rest has lost, is subnormal there, and an absolute 2^-126 |b| may be missing.
 *
 * S8: whole numbers; c must equal ref modulo 2^32, on uniform values too. FP64 holds every sum exactly: below 2^37 even
 * where k is 2^23, times a scalar of up to 2^16 (GEMM_MAX_WHOLE). */
#ifndef KL_VERIFY_H
#define KL_VERIFY_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tensor/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the products are made and summed. */
typedef enum { VERIFY_FMA, VERIFY_TENSOR, VERIFY_TF32, VERIFY_TF32X3, VERIFY_WHOLE } verify_arithmetic;

/* A problem with its operands as matrix_fill_* left them, and C as the kernel left it: C's own kind and seed still say
 * what it held before. */
typedef struct {
    matrix a, b, c;
    float alpha, beta;
    bool exact; /* equality instead of the bound */
    verify_arithmetic arithmetic;
    bool b_transposed; /* b is n x k */
} verify_case;

typedef struct {
    int row, col;
    double expected, got, bound;
} verify_element;

typedef struct {
    uint64_t wrong;              /* elements outside their bound */
    double worst_share;          /* largest |c - ref| / bound; INFINITY for NaN or an inexact exact pass */
    verify_element first, worst; /* set when wrong > 0 */
} verify_result;

/* Compares all of C. The device's version enqueues on `stream` and synchronises; the host's takes all of its cores. */
cudaError_t verify_device(const verify_case *v, cudaStream_t stream, verify_result *r);
void verify_host(const verify_case *v, verify_result *r);

/* True where this program holds code for the current device. */
bool verify_has_device_code(void);

/* The scalars of the exact pass: alpha and beta themselves where they are multiples of 1/4 up to 16, else the nearest
 * such (never zero for a non-zero one), so that the arithmetic stays exact. */
float verify_exact_scalar(float x);

/* Prints what is wrong: how many, the first, the worst, with row, column, expected, got. */
void verify_report(FILE *f, const char *what, const verify_case *v, const verify_result *r);

/* The same for a GEMV: y[i], n and k. */
void verify_report_vector(FILE *f, const char *what, const verify_case *v, const verify_result *r);

#ifdef __cplusplus
}
#endif

/* What c is compared with, from the FP64 sum. */
KL_BOTH double verify_expected(const verify_case *v, double sum, double c0) {
    double ref = v->alpha * sum;
    if (v->beta != 0.0f) ref += v->beta * c0;
    return v->exact || v->arithmetic == VERIFY_WHOLE ? dtype_round(v->c.type, ref) : ref;
}

/* The bound of one element from its FP64 sums; shared by host and device. */
KL_BOTH double verify_bound(const verify_case *v, double sum_abs, double ref, double c0) {
    if (v->exact || v->arithmetic == VERIFY_WHOLE) return 0.0;
    double products = fabs((double)v->alpha) * sum_abs;
    double s = products + fabs((double)v->beta * c0);
    double accumulated = ((double)v->a.cols + 2.0) * (v->arithmetic == VERIFY_FMA ? 0x1p-24 : 0x1p-23) * s;
    if (v->arithmetic == VERIFY_TF32X3)
        accumulated = 0x1p-21 * products + (3.0 * v->a.cols + 2.0) * 0x1p-23 * (1.0 + 0x1p-9) * s;
    if (v->arithmetic == VERIFY_TF32) {
        const double lost = (2.0 * 0x1p-10 + 0x1p-20) * products; /* by the operands */
        accumulated += lost + ((double)v->a.cols + 2.0) * 0x1p-23 * lost;
    }
    return accumulated + dtype_unit(v->c.type) * (fabs(ref) + accumulated) + dtype_step(v->c.type);
}

/* Element (l, col) of B in its layout. */
KL_BOTH double verify_b_at(const verify_case *v, int l, int col) {
    return v->b_transposed ? matrix_at(&v->b, col, l) : matrix_at(&v->b, l, col);
}

/* |c - ref| / bound, at most 1 where c is right. Written so that NaN is wrong. A result beyond the type's range must be
 * the infinity of its sign. */
KL_BOTH double verify_share(dtype type, double c, double ref, double bound) {
    const double largest = dtype_largest(type);
    double difference = fabs(c - ref);
    if (difference <= bound) return bound > 0.0 ? difference / bound : 0.0;
    if (fabs(ref) + bound > largest && fabs(c) > largest && (c > 0.0) == (ref > 0.0)) return 0.0;
    return bound > 0.0 && difference <= 1e300 ? difference / bound : (double)INFINITY;
}

/* The same for an element of C; where something was planted, NaN and infinity have to be met. */
KL_BOTH double verify_judge(const verify_case *v, double c, double ref, double bound) {
    const bool planted = v->a.planted != 0 || v->b.planted != 0 || v->c.planted != 0;
    if (planted && ref != ref) return c != c ? 0.0 : (double)INFINITY;
    if (planted && fabs(ref) > 1e300) return c == ref ? 0.0 : (double)INFINITY;
    return verify_share(v->c.type, c, ref, bound);
}

#endif
