/* Is C right? Every element against an FP64 reference.
 *
 * Bound (Higham, "Accuracy and Stability of Numerical Algorithms", 3.1): with u = 2^-24 and S = |alpha| |A||B| +
 * |beta||C|
 *
 *     |c - ref| <= (k + 2) u S + u |ref| + 2^-149
 *
 * the last two for the output's own rounding, subnormals included. At large k this is wide enough for a dropped term to
 * hide in. Hence the exact pass: with operands from {-2, -1, 1, 2} every product and sum is an integer that FP32 holds
 * exactly (k * 4 < 2^24; beyond that the sums of random signs stay far below it), so c must *equal* ref. With alpha or
 * beta a multiple of 1/4 the sums keep six bits less. Neither pass tells FP32 from a shorter mantissa at large k: that
 * a variant multiplies in FP32 is for its code to show. */
#ifndef KL_VERIFY_H
#define KL_VERIFY_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "gemm.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A problem with its operands as matrix_fill_* left them, and C as the kernel left it: C's own kind and seed still say
 * what it held before. */
typedef struct {
    matrix a, b, c;
    float alpha, beta;
    bool exact; /* equality instead of the bound */
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

#ifdef __cplusplus
}
#endif

/* The bound of one element from its FP64 sums; shared by host and device. */
KL_BOTH double verify_bound(const verify_case *v, double sum_abs, double ref, double c0) {
    if (v->exact) return 0.0;
    const double u = 1.0 / (1 << 24);
    double s = fabs((double)v->alpha) * sum_abs + fabs((double)v->beta * c0);
    return ((double)v->a.cols + 2.0) * u * s + u * fabs(ref) + 1.401298464324817e-45;
}

/* |c - ref| / bound, at most 1 where c is right. Written so that NaN is wrong. A result beyond FP32's range must be the
 * infinity of its sign. */
KL_BOTH double verify_share(float c, double ref, double bound) {
    const double largest = 3.4028234663852886e38;
    double difference = fabs((double)c - ref);
    if (difference <= bound) return bound > 0.0 ? difference / bound : 0.0;
    if (fabs(ref) + bound > largest && fabs((double)c) > largest && (c > 0.0f) == (ref > 0.0)) return 0.0;
    return bound > 0.0 && difference <= largest ? difference / bound : (double)INFINITY;
}

#endif
