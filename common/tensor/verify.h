/* Is C right? Every element is compared with an FP64 reference. C is a matrix, or the vector y of a GEMV (a GEMM of one
 * column).
 *
 * Bound (Higham, "Accuracy and Stability of Numerical Algorithms", 3.1): with u = 2^-24, S = |alpha| |A||B| + |beta||C|
 * and w, s the unit round-off and the subnormal step of C's type (u and 2^-149 where that is FP32)
 *
 *     |c - ref| <= (1 + w) (k + 2) u S + w |ref| + s
 *
 * where the terms after the first are the rounding of the output, which starts from a sum that is not quite ref. At
 * large k this is wide enough for a dropped term to hide in. Hence the exact pass: with operands from {-2, -1, 1, 2}
 * every product and sum is an integer that FP32 holds exactly (k * 4 < 2^24; beyond that the sums of random signs stay
 * far below it), so c must *equal* ref. With alpha or beta a multiple of 1/4 the sums keep six bits less. FP16 and BF16
 * hold fewer integers, but a kernel that accumulates in FP32 rounds only once, at the end, and rounding an exact sum
 * gives one definite number: there c must equal ref rounded to the type. At large k neither pass can tell FP32 from a
 * shorter mantissa; only its code shows that a variant multiplies in FP32. If ref is NaN or infinite (an operand was
 * planted), so must c be.
 *
 * Other ways to multiply replace (k + 2) u S:
 *
 * Tensor cores, FP16 and BF16: products are exact. A block of them and the sum so far are aligned to the largest, and
 * whatever lies below the last bit is truncated (Fasi, Higham, Mikaitis, Pranesh: "Numerical behavior of NVIDIA tensor
 * cores", 2021). Taking that bit to be at least one beyond FP32's, a product and the sum so far lose up to 2^-24 S, the
 * sum of a block, truncated to FP32, up to 2^-23 S. With four or more products in a block (k + 2) 2^-23 S covers all to
 * k = 2^20. An H200 aligns subnormal operands by the least normal exponent: those may lose more (lesson 8.10, step 1).
 *
 * TF32: in addition, an operand loses up to 2^-10 of itself if it is truncated to ten bits of mantissa, half of that if
 * it is rounded. So the relative error of a product is at most t = 2 * 2^-10 + 2^-20: with P = |alpha| |A||B|, t P + (k
 * + 2) 2^-23 (S + t P).
 *
 * TF32X3: a = big + small + rest, where big is the TF32 nearest to a, and small the remainder, also in TF32. big leaves
 * at most 2^12 units in the last of a's 24 bits, of which small loses at most one: |small| <= 2^-11 |a|, |rest| <=
 * 2^-23 |a|. The sum big b_big + big b_small + small b_big lacks small b_small, a b_rest and rest b, together t = 2^-22
 * + 2 * 2^-23 of the product, up to terms 2^-10 times smaller; 3k products are accumulated, whose magnitudes together
 * exceed S by at most 2^-9 of it: t P + (3k + 2) 2^-23 (1 + 2^-9) S. Near the largest number, big is truncated if
 * rounding would make it infinite: small may then have 13 bits, below 2^-10 * 2^127, which relative to such an a is no
 * more. The small part of an infinity is zero, and where a sum is not finite, FP32's own sum counts. The bound does not
 * cover a below 2^-102: there small, or what rest has lost, is subnormal, and an absolute 2^-126 |b| may be missing.
 *
 * A convolution is the product of its windows and its filters, with k = c r s. Its bias is added once, in
 * FP32, which is one more rounding: (k + 3) u (S + |bias|).
 *
 * WINOGRAD, F(2x2, 3x3) in FP32: y = A^T (sum over c of (G g G^T) o (B^T d B)) A for each 2x2 places, with
 *
 *     B^T = 1  0 -1  0     G =  1    0   0     A^T = 1  1  1  0        (o: element by element)
 *           0  1  1  0         1/2  1/2 1/2          0  1 -1 -1
 *           0 -1  1  0         1/2 -1/2 1/2
 *           0  1  0 -1          0    0   1
 *
 * Each row of B^T adds two numbers, one rounding, and it is multiplied from both sides: 2. A row of G adds three
 * (halves are exact): 2 * 2. A row of A^T adds three: 2 * 2. The sum over the channels is c FMAs. An addend passes
 * through c + 10 roundings at most, and through as many as any other result in what follows. So S has |A^T| (sum over c
 * of (|G||g||G^T|) o (|B^T||d||B|)) |A| in the place of |A||B|, and the factor is n u / (1 - n u) with n = c + 10 + 2
 * (with a bias + 3). verify_winograd_sum computes it: the zeros of A^T and B^T leave each place no pixels but its
 * window's. The exact pass is as exact as ever: with g from -2 ... 2, G g G^T has multiples of 1/4 up to 4.5, and B^T d
 * B whole numbers up to 8, so that all sums are multiples of 1/4, which FP32 holds exactly below 2^22: 36 c up to 2^22,
 * for random signs far more. From an infinite pixel differences make NaN.
 *
 * TRANSFORMED: a library's convolution by transforms that it does not name (Winograd of larger tiles, FFT). Their
 * numbers are not exact, so both passes have TF32's bound: a wrong tap is found, a lost digit is not.
 *
 * S8: integers; c must equal ref modulo 2^32, on uniform values too. FP64 holds every sum exactly: below 2^37 even if k
 * is 2^23, times a scalar of up to 2^16 (GEMM_MAX_WHOLE). */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tensor/matrix.h"
#include "tensor/windows.h"

__BEGIN_DECLS

/* How products are computed and summed. */
typedef enum {
    VERIFY_FMA,
    VERIFY_TENSOR,
    VERIFY_TF32,
    VERIFY_TF32X3,
    VERIFY_WHOLE,
    VERIFY_WINOGRAD,   /* of windows in NCHW, 3x3 at stride 1 */
    VERIFY_TRANSFORMED /* in the exact pass, too */
} verify_arithmetic;

/* A problem whose operands are as matrix_fill_* left them and whose C is as the kernel left it; C's kind and seed still
 * say what it held before. */
typedef struct {
    matrix a, b, c;
    float alpha, beta;
    bool exact; /* equality instead of the bound */
    verify_arithmetic arithmetic;
    bool b_transposed; /* b is n x k */
    matrix d;          /* has as many elements as the result has columns, each added to its column; none: NULL */
    windows seen;      /* where they are there, A is `a` seen through them, and c is laid out as their results are */
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

/* Compares all of C. The version for device memory enqueues on `stream` and synchronises; the one for host memory uses
 * all cores. */
cudaError_t verify_device(const verify_case *v, cudaStream_t stream, verify_result *r);
void verify_host(const verify_case *v, verify_result *r);

/* True if this program contains code for the current device. */
bool verify_has_device_code(void);

/* The scalars for the exact pass: alpha and beta themselves if they are multiples of 1/4 up to 16, else the nearest
 * such number (never zero for a non-zero scalar), so that the arithmetic stays exact. */
float verify_exact_scalar(float x);

/* Prints how many elements are wrong, and the first and the worst with row, column, expected and actual value. */
void verify_report(FILE *f, const char *what, const verify_case *v, const verify_result *r);

/* The same for a GEMV: y[i], n and k. */
void verify_report_vector(FILE *f, const char *what, const verify_case *v, const verify_result *r);

__END_DECLS

/* The sides of the product: m x n sums of k products. */
KL_BOTH int verify_m(const verify_case *v) {
    return v->seen.there ? windows_rows(&v->seen) : v->c.rows;
}
KL_BOTH int verify_n(const verify_case *v) {
    return v->seen.there ? v->b.rows : v->c.cols;
}
KL_BOTH int verify_k(const verify_case *v) {
    return v->seen.there ? windows_cols(&v->seen) : v->a.cols;
}

/* What element (row, col) of the result held before, and what is added to it. */
KL_BOTH double verify_c0(const verify_case *v, int row, int col) {
    if (v->beta == 0.0f) return 0.0;
    return matrix_value(&v->c, v->seen.there ? windows_result(&v->seen, row, col, v->b.rows)
                                             : (uint64_t)row * (uint64_t)v->c.cols + (uint64_t)col);
}
KL_BOTH double verify_d0(const verify_case *v, int col) {
    return v->d.elements == NULL ? 0.0 : (double)matrix_value(&v->d, (uint64_t)col);
}

/* What c is compared with, computed from the FP64 sum. */
KL_BOTH double verify_expected(const verify_case *v, double sum, double c0, double d0) {
    double ref = v->alpha * sum + d0;
    if (v->beta != 0.0f) ref += v->beta * c0;
    return v->exact || v->arithmetic == VERIFY_WHOLE ? dtype_round(v->c.type, ref) : ref;
}

/* Whether its results are exact, and no sums of magnitudes are needed: on integers, but for transforms, which round. */
KL_BOTH bool verify_is_exact(const verify_case *v) {
    return v->exact && v->arithmetic != VERIFY_TRANSFORMED;
}

/* The bound for one element, from its FP64 sums (verify_magnitude); shared by host and device. */
KL_BOTH double verify_bound(const verify_case *v, double sum_abs, double ref, double c0, double d0) {
    if (verify_is_exact(v) || v->arithmetic == VERIFY_WHOLE) return 0.0;
    double products = fabs((double)v->alpha) * sum_abs;
    double s = products + fabs((double)v->beta * c0) + fabs(d0);
    const double k = verify_k(v), roundings = k + (v->d.elements == NULL ? 2.0 : 3.0);
    double accumulated = roundings * (v->arithmetic == VERIFY_FMA ? 0x1p-24 : 0x1p-23) * s;
    if (v->arithmetic == VERIFY_TF32X3)
        accumulated = 0x1p-21 * products + (3.0 * k + 2.0) * 0x1p-23 * (1.0 + 0x1p-9) * s;
    if (v->arithmetic == VERIFY_WINOGRAD) {
        const double of_one = (v->seen.c + 10 + roundings - k) * 0x1p-24;
        accumulated = of_one / (1.0 - of_one) * s;
    }
    if (v->arithmetic == VERIFY_TF32 || v->arithmetic == VERIFY_TRANSFORMED) {
        const double lost = (2.0 * 0x1p-10 + 0x1p-20) * products; /* by the operands */
        accumulated += lost + roundings * 0x1p-23 * lost;
    }
    return accumulated + dtype_unit(v->c.type) * (fabs(ref) + accumulated) + dtype_step(v->c.type);
}

/* Element (row, l) of A. */
KL_BOTH double verify_a_at(const verify_case *v, int row, int l) {
    return v->seen.there ? windows_at(&v->seen, &v->a, row, l) : matrix_at(&v->a, row, l);
}

/* Element (row, col) of the result as it is now. */
KL_BOTH double verify_c_at(const verify_case *v, int row, int col) {
    if (!v->seen.there) return matrix_at(&v->c, row, col);
    return dtype_load(v->c.type, v->c.elements, (size_t)windows_result(&v->seen, row, col, v->b.rows));
}

/* Element (l, col) of B in its layout. */
KL_BOTH double verify_b_at(const verify_case *v, int l, int col) {
    return v->b_transposed ? matrix_at(&v->b, col, l) : matrix_at(&v->b, l, col);
}

/* What VERIFY_WINOGRAD has in the place of a sum of magnitudes. The matrices multiplied out, pixel a of a window meets
 * tap r of a filter with weight[a][r] in one dimension, at the first place of a tile; at the second all is turned
 * round. */
KL_BOTH double verify_winograd_sum(const verify_case *v, int row, int col) {
    const double weight[3][3] = {{1, 0, 0}, {1, 1, 1}, {2, 1, 1}};
    const int down = row / v->seen.q % v->seen.p % 2, across = row % v->seen.q % 2;
    double sum = 0.0, taps[9];
    for (int c = 0; c < v->seen.c; c++) {
        for (int tap = 0; tap < 9; tap++) taps[tap] = fabs(verify_b_at(v, c * 9 + tap, col));
        for (int pixel = 0; pixel < 9; pixel++) {
            const double x = fabs(verify_a_at(v, row, c * 9 + pixel));
            const int i = down ? 2 - pixel / 3 : pixel / 3, j = across ? 2 - pixel % 3 : pixel % 3;
            for (int tap = 0; tap < 9; tap++) {
                const int r = down ? 2 - tap / 3 : tap / 3, s = across ? 2 - tap % 3 : tap % 3;
                sum += weight[i][r] * weight[j][s] * taps[tap] * x;
            }
        }
    }
    return sum;
}

/* What the bound is made of, at an element whose products have magnitudes with this sum. */
KL_BOTH double verify_magnitude(const verify_case *v, int row, int col, double sum_abs) {
    if (v->arithmetic != VERIFY_WINOGRAD || v->exact || v->alpha == 0.0f) return sum_abs;
    return verify_winograd_sum(v, row, col);
}

/* |c - ref| / bound, at most 1 if c is right. Written so that NaN is wrong. A result beyond the type's range must be
 * the infinity of its sign. */
KL_BOTH double verify_share(dtype type, double c, double ref, double bound) {
    const double largest = dtype_largest(type);
    double difference = fabs(c - ref);
    if (difference <= bound) return bound > 0.0 ? difference / bound : 0.0;
    if (fabs(ref) + bound > largest && fabs(c) > largest && (c > 0.0) == (ref > 0.0)) return 0.0;
    return bound > 0.0 && difference <= 1e300 ? difference / bound : (double)INFINITY;
}

/* The same for an element of C, where a planted NaN or infinity must also come out. */
KL_BOTH double verify_judge(const verify_case *v, double c, double ref, double bound) {
    const bool planted = v->a.planted != 0 || v->b.planted != 0 || v->c.planted != 0;
    if (planted && ref != ref) return c != c ? 0.0 : (double)INFINITY;
    const bool may_be_nan = v->arithmetic == VERIFY_WINOGRAD && c != c;
    if (planted && fabs(ref) > 1e300) return c == ref || may_be_nan ? 0.0 : (double)INFINITY;
    return verify_share(v->c.type, c, ref, bound);
}
