/* long: a table of cases */
/* Conformance cases of the tensor cores: ldmatrix, stmatrix, movmatrix, mma, wmma.
 *
 * Four warps do the same with other inputs; register j of thread t is element 128 j + t of the inputs, of the outputs, too.
 *   /integers   operands and sums so small that every sum is exact: bit for bit
 *   /fractions  operands in [-1, 1]: bit for bit
 *   /extremes   integers, c next to the largest and the least
 *   /wide       exponents far apart, subnormals, infinities, NaNs: bit for bit
 *   /zeros      most operands zero, c small: bit for bit
 *   /products   one product a sum and c = 0, special values (subnormals, infinities, NaNs) among them: bit for bit
 */
#include "conformance.h"

/* clang-format off: it takes the lists of cases for one long expression */

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <type_traits>

#include "wide.cuh"

enum { THREADS = 128 };
enum kind { INTEGERS, FRACTIONS, PRODUCTS, WIDE, ZEROS };
enum operand { F16, BF16, TF32, E4M3, E5M2, BITS };

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static __device__ float small_integer(uint32_t bits) {
    return (float)(int)(bits % 9) - 4.0f;
}

static __device__ float fraction(uint32_t bits) {
    return (float)(int32_t)(bits * 2654435761u) * 0x1p-31f;
}

/* A register of multiplicands. Its inputs' halves are used for two numbers, its bytes for four. */
static __device__ uint32_t multiplicand(operand type, kind how, uint32_t bits, bool kept) {
    uint32_t result = 0;
    if (how == PRODUCTS) { /* the lowest element alone */
        if (!kept || type == BITS) return 0;
        return type == TF32 ? bits : type == F16 || type == BF16 ? bits & 0xffff : bits & 0xff;
    }
    if (type == BITS) return bits;
    if (how == ZEROS) { /* three of four elements */
        const uint32_t wide = multiplicand(type, WIDE, bits, kept), keep = wide_mix(bits + 4321);
        for (int k = 0; k < 4; k++) result |= (keep >> 2 * k & 3) == 0 ? 0xffu << 8 * k : 0;
        if (type == TF32) return keep & 3 ? 0 : wide;
        if (type == F16 || type == BF16) return (keep & 3 ? 0 : wide & 0xffff) | (keep & 12 ? 0 : wide & 0xffff0000);
        return wide & result;
    }
    if (how == WIDE) {
        if (type == TF32) return wide_f32(bits);
        if (type == F16) return wide_f16(bits) | wide_f16(bits + 1) << 16;
        if (type == BF16) return wide_bf16(bits) | wide_bf16(bits + 1) << 16;
        for (int k = 0; k < 4; k++) result |= (type == E4M3 ? wide_e4m3(bits + k) : wide_e5m2(bits + k)) << 8 * k;
        return result;
    }
    if (type == TF32) /* its lower 13 bits do not count */
        return how == INTEGERS ? __float_as_uint(small_integer(bits)) | (bits & 0x1fff) : __float_as_uint(fraction(bits));
    if (type == E4M3 || type == E5M2) { /* 0, +-1, +-2, +-3; below 1 */
        for (int k = 0; k < 4; k++) {
            const uint32_t x = bits >> 8 * k & 0xff, one = type == E4M3 ? 0x38 : 0x3c, step = type == E4M3 ? 8 : 4;
            const uint32_t integer = x % 4 == 0 ? 0 : x % 4 == 1 ? one : x % 4 == 2 ? one + step : one + step + step / 2;
            const uint32_t below = (x & 0x7f) < one ? x & 0x7f : x & 0x1f;
            result |= ((how == INTEGERS ? integer : below) | (x & 0x80)) << 8 * k;
        }
        return result;
    }
    for (int k = 0; k < 2; k++) {
        const uint32_t x = (bits >> 16 * k & 0xffff) * 40503u + (uint32_t)k;
        const float value = how == INTEGERS ? small_integer(x >> 3) : fraction(x);
        const uint32_t half = type == F16 ? __half_as_ushort(__float2half_rn(value))
                                          : (uint32_t)__bfloat16_as_ushort(__float2bfloat16_rn(value));
        result |= half << 16 * k;
    }
    return result;
}

static __device__ double multiplicand(operand, kind how, double value, bool kept) {
    if (how == PRODUCTS) return kept ? value : 0;
    const uint32_t bits = (uint32_t)(__double_as_longlong(value) >> 13) * 2654435761u;
    return how == INTEGERS ? small_integer(bits >> 3) : (double)(int32_t)bits * 0x1p-31 + (double)(bits >> 7) * 0x1p-60;
}

static __device__ void addend(kind how, uint32_t bits, float *c) {
    *c = how == PRODUCTS   ? 0
         : how == INTEGERS ? small_integer(bits)
         : how == WIDE     ? __uint_as_float(wide_f32(bits + 77))
         : how == ZEROS    ? __uint_as_float(wide_f32(bits + 77)) * 0x1p-24f
                           : fraction(bits);
}
static __device__ void addend(kind how, uint32_t bits, uint32_t *c) { /* two halves */
    *c = how == PRODUCTS ? 0 : multiplicand(F16, how, bits, true);
}
static __device__ void addend(kind how, double value, double *c) {
    *c = how == PRODUCTS ? 0 : multiplicand(BITS, how, value, true);
}
static __device__ void addend(kind how, uint32_t bits, int32_t *c) { /* FRACTIONS: next to the extremes */
    *c = how == FRACTIONS ? (int32_t)(0x7fffff00u ^ (bits & 0x800001ffu)) : (int32_t)bits;
}

template <class T> struct memory_type {
    typedef uint32_t type;
};
template <> struct memory_type<double> {
    typedef double type;
};

/* ---- mma --------------------------------------------------------------------------------------------------------- */

/* Lowest element of registers 0 and 1 in every fourth lane: row l / 4 and the one 8 below it, column 0 (of b: row 0). */
#define MMA(id, SHAPE, ND, NA, NB, NC, D, R, C, A_TYPE, B_TYPE, text)                                                               \
    template <kind HOW> static __global__ void id(const void *a, const void *b, const void *c, void *out, int) {             \
        const int t = threadIdx.x;                                                                                           \
        const bool first = t % 4 == 0;                                                                                       \
        R x[NA], y[NB];                                                                                                      \
        C z[NC];                                                                                                             \
        D d[ND];                                                                                                             \
        for (int j = 0; j < NA; j++)                                                                                         \
            x[j] = multiplicand(A_TYPE, HOW, ((const memory_type<R>::type *)a)[j * THREADS + t], first && j < 2 && NA > 1);  \
        for (int j = 0; j < NB; j++)                                                                                         \
            y[j] = multiplicand(B_TYPE, HOW, ((const memory_type<R>::type *)b)[j * THREADS + t], first && j == 0);           \
        for (int j = 0; j < NC; j++) addend(HOW, ((const memory_type<C>::type *)c)[j * THREADS + t], &z[j]);                 \
        OPERANDS_##SHAPE(text);                                                                            \
        for (int j = 0; j < ND; j++) ((D *)out)[j * THREADS + t] = d[j];                                                     \
    }

/* Operands by the letters of their constraints. */
#define OPERANDS_r4_r2_r2_r4(text) \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11};" \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) \
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]))
#define OPERANDS_f8_r2_r2_f8(text) \
    asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7]) \
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]))
#define OPERANDS_f8_r2_r2_r4(text) \
    asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15};" \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7]) \
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]))
#define OPERANDS_r2_r2_r1_r2(text) \
    asm volatile(text " {%0, %1}, {%2, %3}, {%4}, {%5, %6};" \
                 : "=r"(d[0]), "=r"(d[1]) \
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(z[0]), "r"(z[1]))
#define OPERANDS_f4_r2_r1_f4(text) \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) \
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]))
#define OPERANDS_r2_r4_r2_r2(text) \
    asm volatile(text " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};" \
                 : "=r"(d[0]), "=r"(d[1]) \
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]))
#define OPERANDS_f4_r4_r2_f4(text) \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) \
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]))
#define OPERANDS_d2_d1_d1_d2(text) \
    asm volatile(text " {%0, %1}, {%2}, {%3}, {%4, %5};" \
                 : "=d"(d[0]), "=d"(d[1]) \
                 : "d"(x[0]), "d"(y[0]), "d"(z[0]), "d"(z[1]))
#define OPERANDS_d4_d2_d1_d4(text) \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" \
                 : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3]) \
                 : "d"(x[0]), "d"(x[1]), "d"(y[0]), "d"(z[0]), "d"(z[1]), "d"(z[2]), "d"(z[3]))
#define OPERANDS_d4_d4_d2_d4(text) \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
                 : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3]) \
                 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(y[0]), "d"(y[1]), "d"(z[0]), "d"(z[1]), "d"(z[2]), "d"(z[3]))
#define OPERANDS_d4_d8_d4_d4(text) \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19};" \
                 : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3]) \
                 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(y[0]), "d"(y[1]), "d"(y[2]), "d"(y[3]), "d"(z[0]), "d"(z[1]), "d"(z[2]), "d"(z[3]))
#define OPERANDS_r2_r1_r1_r2(text) \
    asm volatile(text " {%0, %1}, {%2}, {%3}, {%4, %5};" \
                 : "=r"(d[0]), "=r"(d[1]) \
                 : "r"(x[0]), "r"(y[0]), "r"(z[0]), "r"(z[1]))
#define OPERANDS_r4_r2_r1_r4(text) \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) \
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]))
#define OPERANDS_r4_r4_r2_r4(text) \
    asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) \
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]))

MMA(mma_m8n8k4_row_row_f16_f16_f16_f16, r4_r2_r2_r4, 4, 2, 2, 4, uint32_t, uint32_t, uint32_t, F16, F16,
    "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16")
MMA(mma_m8n8k4_row_row_f32_f16_f16_f32, f8_r2_r2_f8, 8, 2, 2, 8, float, uint32_t, float, F16, F16,
    "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32")
MMA(mma_m8n8k4_row_col_f16_f16_f16_f16, r4_r2_r2_r4, 4, 2, 2, 4, uint32_t, uint32_t, uint32_t, F16, F16,
    "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16")
MMA(mma_m8n8k4_row_col_f32_f16_f16_f32, f8_r2_r2_f8, 8, 2, 2, 8, float, uint32_t, float, F16, F16,
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32")
MMA(mma_m8n8k4_col_row_f16_f16_f16_f16, r4_r2_r2_r4, 4, 2, 2, 4, uint32_t, uint32_t, uint32_t, F16, F16,
    "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16")
MMA(mma_m8n8k4_col_row_f32_f16_f16_f32, f8_r2_r2_f8, 8, 2, 2, 8, float, uint32_t, float, F16, F16,
    "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32")
MMA(mma_m8n8k4_col_col_f16_f16_f16_f16, r4_r2_r2_r4, 4, 2, 2, 4, uint32_t, uint32_t, uint32_t, F16, F16,
    "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16")
MMA(mma_m8n8k4_col_col_f32_f16_f16_f32, f8_r2_r2_f8, 8, 2, 2, 8, float, uint32_t, float, F16, F16,
    "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32")
MMA(mma_m8n8k4_row_col_f32_f16_f16_f16, f8_r2_r2_r4, 8, 2, 2, 4, float, uint32_t, uint32_t, F16, F16,
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16")
MMA(mma_m16n8k8_row_col_f16_f16_f16_f16, r2_r2_r1_r2, 2, 2, 1, 2, uint32_t, uint32_t, uint32_t, F16, F16,
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16")
MMA(mma_m16n8k8_row_col_f32_f16_f16_f32, f4_r2_r1_f4, 4, 2, 1, 4, float, uint32_t, float, F16, F16,
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")
MMA(mma_m16n8k16_row_col_f16_f16_f16_f16, r2_r4_r2_r2, 2, 4, 2, 2, uint32_t, uint32_t, uint32_t, F16, F16,
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16")
MMA(mma_m16n8k16_row_col_f32_f16_f16_f32, f4_r4_r2_f4, 4, 4, 2, 4, float, uint32_t, float, F16, F16,
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
MMA(mma_m16n8k8_row_col_f32_bf16_bf16_f32, f4_r2_r1_f4, 4, 2, 1, 4, float, uint32_t, float, BF16, BF16,
    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32")
MMA(mma_m16n8k16_row_col_f32_bf16_bf16_f32, f4_r4_r2_f4, 4, 4, 2, 4, float, uint32_t, float, BF16, BF16,
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
MMA(mma_m16n8k4_row_col_f32_tf32_tf32_f32, f4_r2_r1_f4, 4, 2, 1, 4, float, uint32_t, float, TF32, TF32,
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32")
MMA(mma_m16n8k8_row_col_f32_tf32_tf32_f32, f4_r4_r2_f4, 4, 4, 2, 4, float, uint32_t, float, TF32, TF32,
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
MMA(mma_m16n8k32_row_col_f32_e4m3_e4m3_f32, f4_r4_r2_f4, 4, 4, 2, 4, float, uint32_t, float, E4M3, E4M3,
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA(mma_m16n8k32_row_col_f32_e4m3_e5m2_f32, f4_r4_r2_f4, 4, 4, 2, 4, float, uint32_t, float, E4M3, E5M2,
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32")
MMA(mma_m16n8k32_row_col_f32_e5m2_e4m3_f32, f4_r4_r2_f4, 4, 4, 2, 4, float, uint32_t, float, E5M2, E4M3,
    "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32")
MMA(mma_m16n8k32_row_col_f32_e5m2_e5m2_f32, f4_r4_r2_f4, 4, 4, 2, 4, float, uint32_t, float, E5M2, E5M2,
    "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32")
MMA(mma_m16n8k16_row_col_f32_e4m3_e5m2_f32, f4_r2_r1_f4, 4, 2, 1, 4, float, uint32_t, float, E4M3, E5M2,
    "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32")
MMA(mma_m16n8k32_row_col_f16_e4m3_e5m2_f16, r2_r4_r2_r2, 2, 4, 2, 2, uint32_t, uint32_t, uint32_t, E4M3, E5M2,
    "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16")
MMA(mma_m16n8k16_row_col_f16_e5m2_e4m3_f16, r2_r2_r1_r2, 2, 2, 1, 2, uint32_t, uint32_t, uint32_t, E5M2, E4M3,
    "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16")
MMA(mma_m8n8k4_row_col_f64_f64_f64_f64, d2_d1_d1_d2, 2, 1, 1, 2, double, double, double, BITS, BITS,
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64")
MMA(mma_m16n8k4_row_col_f64_f64_f64_f64, d4_d2_d1_d4, 4, 2, 1, 4, double, double, double, BITS, BITS,
    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64")
MMA(mma_m16n8k8_row_col_f64_f64_f64_f64, d4_d4_d2_d4, 4, 4, 2, 4, double, double, double, BITS, BITS,
    "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64")
MMA(mma_m16n8k16_row_col_f64_f64_f64_f64, d4_d8_d4_d4, 4, 8, 4, 4, double, double, double, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64")
MMA(mma_m8n8k4_row_col_rn_f64_f64_f64_f64, d2_d1_d1_d2, 2, 1, 1, 2, double, double, double, BITS, BITS,
    "mma.sync.aligned.m8n8k4.row.col.rn.f64.f64.f64.f64")
MMA(mma_m8n8k4_row_col_rz_f64_f64_f64_f64, d2_d1_d1_d2, 2, 1, 1, 2, double, double, double, BITS, BITS,
    "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64")
MMA(mma_m8n8k4_row_col_rm_f64_f64_f64_f64, d2_d1_d1_d2, 2, 1, 1, 2, double, double, double, BITS, BITS,
    "mma.sync.aligned.m8n8k4.row.col.rm.f64.f64.f64.f64")
MMA(mma_m8n8k4_row_col_rp_f64_f64_f64_f64, d2_d1_d1_d2, 2, 1, 1, 2, double, double, double, BITS, BITS,
    "mma.sync.aligned.m8n8k4.row.col.rp.f64.f64.f64.f64")
MMA(mma_m16n8k16_row_col_rz_f64_f64_f64_f64, d4_d8_d4_d4, 4, 8, 4, 4, double, double, double, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.rz.f64.f64.f64.f64")
MMA(mma_m8n8k16_row_col_s32_s8_s8_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32")
MMA(mma_m8n8k16_row_col_satfinite_s32_s8_s8_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32")
MMA(mma_m16n8k16_row_col_s32_s8_s8_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32")
MMA(mma_m16n8k16_row_col_satfinite_s32_s8_s8_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32")
MMA(mma_m16n8k32_row_col_s32_s8_s8_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")
MMA(mma_m16n8k32_row_col_satfinite_s32_s8_s8_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32")
MMA(mma_m8n8k16_row_col_s32_s8_u8_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32")
MMA(mma_m8n8k16_row_col_satfinite_s32_s8_u8_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32")
MMA(mma_m16n8k16_row_col_s32_s8_u8_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32")
MMA(mma_m16n8k16_row_col_satfinite_s32_s8_u8_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32")
MMA(mma_m16n8k32_row_col_s32_s8_u8_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32")
MMA(mma_m16n8k32_row_col_satfinite_s32_s8_u8_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32")
MMA(mma_m8n8k16_row_col_s32_u8_s8_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32")
MMA(mma_m8n8k16_row_col_satfinite_s32_u8_s8_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32")
MMA(mma_m16n8k16_row_col_s32_u8_s8_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32")
MMA(mma_m16n8k16_row_col_satfinite_s32_u8_s8_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32")
MMA(mma_m16n8k32_row_col_s32_u8_s8_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32")
MMA(mma_m16n8k32_row_col_satfinite_s32_u8_s8_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32")
MMA(mma_m8n8k16_row_col_s32_u8_u8_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32")
MMA(mma_m8n8k16_row_col_satfinite_s32_u8_u8_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32")
MMA(mma_m16n8k16_row_col_s32_u8_u8_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32")
MMA(mma_m16n8k16_row_col_satfinite_s32_u8_u8_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32")
MMA(mma_m16n8k32_row_col_s32_u8_u8_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32")
MMA(mma_m16n8k32_row_col_satfinite_s32_u8_u8_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32")
MMA(mma_m8n8k32_row_col_s32_s4_s4_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32")
MMA(mma_m8n8k32_row_col_satfinite_s32_s4_s4_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32")
MMA(mma_m16n8k32_row_col_s32_s4_s4_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32")
MMA(mma_m16n8k32_row_col_satfinite_s32_s4_s4_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32")
MMA(mma_m16n8k64_row_col_s32_s4_s4_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32")
MMA(mma_m16n8k64_row_col_satfinite_s32_s4_s4_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32")
MMA(mma_m8n8k32_row_col_s32_u4_s4_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32")
MMA(mma_m16n8k32_row_col_s32_u4_s4_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32")
MMA(mma_m16n8k64_row_col_s32_u4_s4_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32")
MMA(mma_m8n8k32_row_col_s32_s4_u4_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32")
MMA(mma_m16n8k32_row_col_s32_s4_u4_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32")
MMA(mma_m16n8k64_row_col_s32_s4_u4_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32")
MMA(mma_m8n8k32_row_col_s32_u4_u4_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32")
MMA(mma_m8n8k32_row_col_satfinite_s32_u4_u4_s32, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.u4.s32")
MMA(mma_m16n8k32_row_col_s32_u4_u4_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32")
MMA(mma_m16n8k32_row_col_satfinite_s32_u4_u4_s32, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32")
MMA(mma_m16n8k64_row_col_s32_u4_u4_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32")
MMA(mma_m16n8k64_row_col_satfinite_s32_u4_u4_s32, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32")
MMA(mma_m8n8k128_row_col_s32_b1_b1_s32_and_popc, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc")
MMA(mma_m16n8k128_row_col_s32_b1_b1_s32_and_popc, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc")
MMA(mma_m16n8k256_row_col_s32_b1_b1_s32_and_popc, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc")
MMA(mma_m8n8k128_row_col_s32_b1_b1_s32_xor_popc, r2_r1_r1_r2, 2, 1, 1, 2, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
MMA(mma_m16n8k128_row_col_s32_b1_b1_s32_xor_popc, r4_r2_r1_r4, 4, 2, 1, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc")
MMA(mma_m16n8k256_row_col_s32_b1_b1_s32_xor_popc, r4_r4_r2_r4, 4, 4, 2, 4, int32_t, uint32_t, int32_t, BITS, BITS,
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc")

/* ---- rows in shared memory: bits as they are, lane l's row at a place of its own ---------------------------------- */

#define KERNEL(id) static __global__ void id(const void *a, const void *, const void *, void *out, int)
#define ROWS                                                                                                          \
    __shared__ __align__(16) uint32_t s[THREADS / 32][128];                                                           \
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;                                                          \
    const uint32_t *in = (const uint32_t *)a;                                                                         \
    [[maybe_unused]] const void *generic = &s[warp][lane * 11 % 32 * 4];                                              \
    [[maybe_unused]] const uint32_t row = (uint32_t)__cvta_generic_to_shared(generic);                                \
    uint32_t r[4] = {0, 0, 0, 0};                                                                                     \
    for (int j = 0; j < 4; j++) s[warp][j * 32 + lane] = in[j * THREADS + t];                                         \
    __syncthreads()
#define ROWS_OUT(from) for (int j = 0; j < 4; j++) ((uint32_t *)out)[j * THREADS + t] = from

#define TO_1  "=r"(r[0])
#define TO_2  "=r"(r[0]), "=r"(r[1])
#define TO_4  "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
#define OF_1  "r"(row), "r"(r[0])
#define OF_2  "r"(row), "r"(r[0]), "r"(r[1])
#define OF_4  "r"(row), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
#define LDMATRIX(id, text, count, address)                                                                            \
    KERNEL(id) {                                                                                                      \
        ROWS;                                                                                                         \
        asm volatile(text : TO_##count : address : "memory");                                                         \
        ROWS_OUT(r[j]);                                                                                               \
    }
#define STMATRIX(id, text, count)                                                                                     \
    KERNEL(id) {                                                                                                      \
        ROWS;                                                                                                         \
        for (int j = 0; j < 4; j++) r[j] = in[j * THREADS + t] * 2654435761u;                                         \
        asm volatile(text : : OF_##count : "memory");                                                                 \
        __syncthreads();                                                                                              \
        ROWS_OUT(s[warp][j * 32 + lane]);                                                                             \
    }

/* X(count, loaded registers, their address, stored registers) */
#define COUNTS(X, ...)                                                                                                \
    X(1, "{%0}", "[%1]", "{%1}", __VA_ARGS__) X(2, "{%0, %1}", "[%2]", "{%1, %2}", __VA_ARGS__)                       \
    X(4, "{%0, %1, %2, %3}", "[%4]", "{%1, %2, %3, %4}", __VA_ARGS__)
#define LD_NAME(n, trans, space) "ldmatrix.sync.aligned.m8n8.x" #n trans space ".b16"
#define ST_NAME(n, trans, space) "stmatrix.sync.aligned.m8n8.x" #n trans space ".b16"
#define LD(n, to, at, of, id, trans, space, address) LDMATRIX(id##n, LD_NAME(n, trans, space) " " to ", " at ";", n, address)
#define ST(n, to, at, of, id, trans, space) STMATRIX(id##n, ST_NAME(n, trans, space) " [%0], " of ";", n)
COUNTS(LD, ld_x, "", ".shared", "r"(row))
COUNTS(LD, ld_cta_x, "", ".shared::cta", "r"(row))
COUNTS(LD, ld_generic_x, "", "", "l"(generic))
COUNTS(LD, ld_trans_x, ".trans", ".shared", "r"(row))
COUNTS(LD, ld_trans_cta_x, ".trans", ".shared::cta", "r"(row))
COUNTS(LD, ld_trans_generic_x, ".trans", "", "l"(generic))
COUNTS(ST, st_x, "", ".shared")
COUNTS(ST, st_cta_x, "", ".shared::cta")
COUNTS(ST, st_trans_x, ".trans", ".shared")
COUNTS(ST, st_trans_cta_x, ".trans", ".shared::cta")

KERNEL(movmatrix) {
    ROWS;
    for (int j = 0; j < 4; j++)
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[j]) : "r"(in[j * THREADS + t]));
    ROWS_OUT(r[j]);
}

/* ---- wmma: a warp a block, matrices in shared memory with room between the rows ------------------------------------ */

using namespace nvcuda;
typedef wmma::row_major row;
typedef wmma::col_major col;
typedef wmma::precision::tf32 tf32;
typedef __nv_bfloat16 bf16;
typedef signed char s8;
typedef unsigned char u8;
enum { ROOM = 16 }; /* elements */

template <class T> struct element {
    typedef T type;
    static __device__ T of(kind, uint32_t bits) { return (T)bits; }
};
template <> struct element<float> {
    typedef float type;
    static __device__ float of(kind how, uint32_t bits) { return how == INTEGERS ? small_integer(bits) : fraction(bits); }
};
template <> struct element<tf32> : element<float> {};
template <> struct element<double> {
    typedef double type;
    static __device__ double of(kind how, uint32_t bits) { return element<float>::of(how, bits); }
};
template <> struct element<__half> {
    typedef __half type;
    static __device__ __half of(kind how, uint32_t bits) { return __float2half_rn(element<float>::of(how, bits)); }
};
template <> struct element<bf16> {
    typedef bf16 type;
    static __device__ bf16 of(kind how, uint32_t bits) { return __float2bfloat16_rn(element<float>::of(how, bits)); }
};

/* Rows (columns) of `line` elements with ROOM behind each. */
template <class T> static __device__ void fill(typename element<T>::type *to, int lines, int line, kind how, const void *from) {
    for (int i = threadIdx.x; i < lines * (line + ROOM); i += 32)
        to[i] = element<T>::of(how, (((const uint32_t *)from)[i % 256] + (uint32_t)i / 256) * 2654435761u >> 7);
}

/* Stored to shared memory, and where STRAIGHT to global memory at once. */
template <int M, int N, int K, class T, class C, class D, class LA, class LB, class LC, kind HOW, bool STRAIGHT>
static __global__ void whole(const void *a, const void *b, const void *c, void *out, int) {
    typedef typename element<T>::type E;
    constexpr int la = std::is_same<LA, row>::value ? K : M, lb = std::is_same<LB, row>::value ? N : K;
    constexpr int lc = std::is_same<LC, row>::value ? N : M;
    constexpr auto layout = std::is_same<LC, row>::value ? wmma::mem_row_major : wmma::mem_col_major;
    __shared__ __align__(32) E sa[M * K + 32 * ROOM], sb[K * N + 32 * ROOM];
    __shared__ __align__(32) C sc[M * N + 32 * ROOM];
    __shared__ __align__(32) D sd[M * N + 32 * ROOM];
    fill<T>(sa, M * K / la, la, HOW, a);
    fill<T>(sb, K * N / lb, lb, HOW, b);
    fill<C>(sc, M * N / lc, lc, HOW, c);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::fragment<wmma::accumulator, M, N, K, D> fd;
    wmma::load_matrix_sync(fa, sa, la + ROOM);
    wmma::load_matrix_sync(fb, sb, lb + ROOM);
    wmma::load_matrix_sync(fc, sc, lc + ROOM, layout);
    wmma::mma_sync(fd, fa, fb, fc);
    if (STRAIGHT) {
        wmma::store_matrix_sync((D *)out, fd, lc, layout);
    } else {
        wmma::store_matrix_sync(sd, fd, lc + ROOM, layout);
        __syncwarp();
        for (int i = threadIdx.x; i < M * N; i += 32) ((D *)out)[i] = sd[i / lc * (lc + ROOM) + i % lc];
    }
}

/* Sub-byte types: rows of a, columns of b. */
template <class T, int K, class F> static __device__ void narrow(const void *a, const void *b, const void *c, void *out, F product) {
    __shared__ __align__(32) uint32_t sa[32], sb[32];
    __shared__ __align__(32) int sc[64];
    sa[threadIdx.x] = ((const uint32_t *)a)[threadIdx.x];
    sb[threadIdx.x] = ((const uint32_t *)b)[threadIdx.x];
    for (int i = threadIdx.x; i < 64; i += 32) sc[i] = ((const int *)c)[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, row> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, col> fb;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> fc;
    wmma::load_matrix_sync(fa, sa, K);
    wmma::load_matrix_sync(fb, sb, K);
    wmma::load_matrix_sync(fc, sc, 8, wmma::mem_row_major);
    product(fc, fa, fb);
    wmma::store_matrix_sync((int *)out, fc, 8, wmma::mem_row_major);
}
#define NARROW(id, T, K, call)                                                                                        \
    static __global__ void id(const void *a, const void *b, const void *c, void *out, int) {                          \
        narrow<wmma::experimental::precision::T, K>(a, b, c, out, [](auto &fc, auto &fa, auto &fb) { call; });        \
    }
NARROW(narrow_s4, s4, 32, wmma::mma_sync(fc, fa, fb, fc))
NARROW(narrow_u4, u4, 32, wmma::mma_sync(fc, fa, fb, fc))
NARROW(narrow_xor, b1, 128, wmma::bmma_sync(fc, fa, fb, fc, wmma::experimental::bmmaBitOpXOR))
NARROW(narrow_and, b1, 128, wmma::bmma_sync(fc, fa, fb, fc, wmma::experimental::bmmaBitOpAND))

/* ---- the table ---------------------------------------------------------------------------------------------------- */

#define LD_CASE(n, to, at, of, id, trans, space)                                                                      \
    {LD_NAME(n, trans, space), id##n, V_U32, V_NONE, V_NONE, V_U32, 512, 1, THREADS, 0, 0},
#define ST_CASE(n, to, at, of, id, trans, space)                                                                      \
    {ST_NAME(n, trans, space), id##n, V_U32, V_NONE, V_NONE, V_U32, 512, 1, THREADS, 0, 0},
#define WHOLE(shape, M, N, K, T, C, D, V, LA, LB, LC, HOW, STRAIGHT, bound)                                           \
    {"wmma." #LA "." #LB "." shape ", " #T ", " #C " to " #D ", c and d " #LC "/" #HOW,                               \
     whole<M, N, K, T, C, D, LA, LB, LC, HOW, STRAIGHT>, V_U32, V_U32, V_U32, V, 256, 1, 32, 0, bound},
#define WHOLE_LAYOUTS(shape, M, N, K, T, C, V)                                                                        \
    WHOLE(shape, M, N, K, T, C, C, V, row, row, row, INTEGERS, false, 0)                                              \
    WHOLE(shape, M, N, K, T, C, C, V, row, col, col, INTEGERS, true, 0)                                               \
    WHOLE(shape, M, N, K, T, C, C, V, col, row, row, INTEGERS, true, 0)                                               \
    WHOLE(shape, M, N, K, T, C, C, V, col, col, col, INTEGERS, false, 0)
#define WHOLE_SHAPE(shape, M, N, K)                                                                                   \
    WHOLE_LAYOUTS(shape, M, N, K, __half, float, V_F32) WHOLE_LAYOUTS(shape, M, N, K, __half, __half, V_F16)          \
    WHOLE_LAYOUTS(shape, M, N, K, bf16, float, V_F32) WHOLE_LAYOUTS(shape, M, N, K, s8, int, V_S32)                   \
    WHOLE_LAYOUTS(shape, M, N, K, u8, int, V_S32)                                                                     \
    WHOLE(shape, M, N, K, __half, float, __half, V_F16, row, col, row, INTEGERS, false, 0)                            \
    WHOLE(shape, M, N, K, __half, __half, float, V_F32, row, col, row, INTEGERS, false, 0)                            \
    WHOLE(shape, M, N, K, __half, float, float, V_F32, row, col, row, FRACTIONS, false, 0)                            \
    WHOLE(shape, M, N, K, __half, __half, __half, V_F16, row, col, row, FRACTIONS, false, 0)                          \
    WHOLE(shape, M, N, K, bf16, float, float, V_F32, row, col, row, FRACTIONS, false, 0)
#define NARROW_CASE(types, id) {"wmma.row.col." types, id, V_U32, V_U32, V_U32, V_S32, 64, 1, 32, 0, 0},

static const conformance_case cases[] = {
    {"mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16/integers", mma_m8n8k4_row_row_f16_f16_f16_f16<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16/fractions", mma_m8n8k4_row_row_f16_f16_f16_f16<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16/wide", mma_m8n8k4_row_row_f16_f16_f16_f16<WIDE>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16/zeros", mma_m8n8k4_row_row_f16_f16_f16_f16<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32/integers", mma_m8n8k4_row_row_f32_f16_f16_f32<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32/fractions", mma_m8n8k4_row_row_f32_f16_f16_f32<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32/wide", mma_m8n8k4_row_row_f32_f16_f16_f32<WIDE>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32/zeros", mma_m8n8k4_row_row_f32_f16_f16_f32<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16/integers", mma_m8n8k4_row_col_f16_f16_f16_f16<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16/fractions", mma_m8n8k4_row_col_f16_f16_f16_f16<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16/wide", mma_m8n8k4_row_col_f16_f16_f16_f16<WIDE>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16/zeros", mma_m8n8k4_row_col_f16_f16_f16_f16<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32/integers", mma_m8n8k4_row_col_f32_f16_f16_f32<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32/fractions", mma_m8n8k4_row_col_f32_f16_f16_f32<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32/wide", mma_m8n8k4_row_col_f32_f16_f16_f32<WIDE>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32/zeros", mma_m8n8k4_row_col_f32_f16_f16_f32<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16/integers", mma_m8n8k4_col_row_f16_f16_f16_f16<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16/fractions", mma_m8n8k4_col_row_f16_f16_f16_f16<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16/wide", mma_m8n8k4_col_row_f16_f16_f16_f16<WIDE>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16/zeros", mma_m8n8k4_col_row_f16_f16_f16_f16<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32/integers", mma_m8n8k4_col_row_f32_f16_f16_f32<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32/fractions", mma_m8n8k4_col_row_f32_f16_f16_f32<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32/wide", mma_m8n8k4_col_row_f32_f16_f16_f32<WIDE>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32/zeros", mma_m8n8k4_col_row_f32_f16_f16_f32<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16/integers", mma_m8n8k4_col_col_f16_f16_f16_f16<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16/fractions", mma_m8n8k4_col_col_f16_f16_f16_f16<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16/wide", mma_m8n8k4_col_col_f16_f16_f16_f16<WIDE>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16/zeros", mma_m8n8k4_col_col_f16_f16_f16_f16<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32/integers", mma_m8n8k4_col_col_f32_f16_f16_f32<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32/fractions", mma_m8n8k4_col_col_f32_f16_f16_f32<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32/wide", mma_m8n8k4_col_col_f32_f16_f16_f32<WIDE>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32/zeros", mma_m8n8k4_col_col_f32_f16_f16_f32<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16/integers", mma_m8n8k4_row_col_f32_f16_f16_f16<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16/fractions", mma_m8n8k4_row_col_f32_f16_f16_f16<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16/wide", mma_m8n8k4_row_col_f32_f16_f16_f16<WIDE>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16/zeros", mma_m8n8k4_row_col_f32_f16_f16_f16<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F32, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16/integers", mma_m16n8k8_row_col_f16_f16_f16_f16<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16/fractions", mma_m16n8k8_row_col_f16_f16_f16_f16<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16/wide", mma_m16n8k8_row_col_f16_f16_f16_f16<WIDE>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16/zeros", mma_m16n8k8_row_col_f16_f16_f16_f16<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16/products", mma_m16n8k8_row_col_f16_f16_f16_f16<PRODUCTS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32/integers", mma_m16n8k8_row_col_f32_f16_f16_f32<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32/fractions", mma_m16n8k8_row_col_f32_f16_f16_f32<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32/wide", mma_m16n8k8_row_col_f32_f16_f16_f32<WIDE>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32/zeros", mma_m16n8k8_row_col_f32_f16_f16_f32<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32/products", mma_m16n8k8_row_col_f32_f16_f16_f32<PRODUCTS>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16/integers", mma_m16n8k16_row_col_f16_f16_f16_f16<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16/fractions", mma_m16n8k16_row_col_f16_f16_f16_f16<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16/wide", mma_m16n8k16_row_col_f16_f16_f16_f16<WIDE>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16/zeros", mma_m16n8k16_row_col_f16_f16_f16_f16<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16/products", mma_m16n8k16_row_col_f16_f16_f16_f16<PRODUCTS>, V_F16X2, V_F16X2, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32/integers", mma_m16n8k16_row_col_f32_f16_f16_f32<INTEGERS>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32/fractions", mma_m16n8k16_row_col_f32_f16_f16_f32<FRACTIONS>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32/wide", mma_m16n8k16_row_col_f32_f16_f16_f32<WIDE>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32/zeros", mma_m16n8k16_row_col_f32_f16_f16_f32<ZEROS>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32/products", mma_m16n8k16_row_col_f32_f16_f16_f32<PRODUCTS>, V_F16X2, V_F16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32/integers", mma_m16n8k8_row_col_f32_bf16_bf16_f32<INTEGERS>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32/fractions", mma_m16n8k8_row_col_f32_bf16_bf16_f32<FRACTIONS>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32/wide", mma_m16n8k8_row_col_f32_bf16_bf16_f32<WIDE>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32/zeros", mma_m16n8k8_row_col_f32_bf16_bf16_f32<ZEROS>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32/products", mma_m16n8k8_row_col_f32_bf16_bf16_f32<PRODUCTS>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32/integers", mma_m16n8k16_row_col_f32_bf16_bf16_f32<INTEGERS>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32/fractions", mma_m16n8k16_row_col_f32_bf16_bf16_f32<FRACTIONS>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32/wide", mma_m16n8k16_row_col_f32_bf16_bf16_f32<WIDE>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32/zeros", mma_m16n8k16_row_col_f32_bf16_bf16_f32<ZEROS>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32/products", mma_m16n8k16_row_col_f32_bf16_bf16_f32<PRODUCTS>, V_BF16X2, V_BF16X2, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32/integers", mma_m16n8k4_row_col_f32_tf32_tf32_f32<INTEGERS>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32/fractions", mma_m16n8k4_row_col_f32_tf32_tf32_f32<FRACTIONS>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32/wide", mma_m16n8k4_row_col_f32_tf32_tf32_f32<WIDE>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32/zeros", mma_m16n8k4_row_col_f32_tf32_tf32_f32<ZEROS>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32/products", mma_m16n8k4_row_col_f32_tf32_tf32_f32<PRODUCTS>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32/integers", mma_m16n8k8_row_col_f32_tf32_tf32_f32<INTEGERS>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32/fractions", mma_m16n8k8_row_col_f32_tf32_tf32_f32<FRACTIONS>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32/wide", mma_m16n8k8_row_col_f32_tf32_tf32_f32<WIDE>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32/zeros", mma_m16n8k8_row_col_f32_tf32_tf32_f32<ZEROS>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32/products", mma_m16n8k8_row_col_f32_tf32_tf32_f32<PRODUCTS>, V_F32, V_F32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32/integers", mma_m16n8k32_row_col_f32_e4m3_e4m3_f32<INTEGERS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32/fractions", mma_m16n8k32_row_col_f32_e4m3_e4m3_f32<FRACTIONS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32/wide", mma_m16n8k32_row_col_f32_e4m3_e4m3_f32<WIDE>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32/zeros", mma_m16n8k32_row_col_f32_e4m3_e4m3_f32<ZEROS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32/products", mma_m16n8k32_row_col_f32_e4m3_e4m3_f32<PRODUCTS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32/integers", mma_m16n8k32_row_col_f32_e4m3_e5m2_f32<INTEGERS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32/fractions", mma_m16n8k32_row_col_f32_e4m3_e5m2_f32<FRACTIONS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32/wide", mma_m16n8k32_row_col_f32_e4m3_e5m2_f32<WIDE>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32/zeros", mma_m16n8k32_row_col_f32_e4m3_e5m2_f32<ZEROS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32/products", mma_m16n8k32_row_col_f32_e4m3_e5m2_f32<PRODUCTS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32/integers", mma_m16n8k32_row_col_f32_e5m2_e4m3_f32<INTEGERS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32/fractions", mma_m16n8k32_row_col_f32_e5m2_e4m3_f32<FRACTIONS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32/wide", mma_m16n8k32_row_col_f32_e5m2_e4m3_f32<WIDE>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32/zeros", mma_m16n8k32_row_col_f32_e5m2_e4m3_f32<ZEROS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32/products", mma_m16n8k32_row_col_f32_e5m2_e4m3_f32<PRODUCTS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32/integers", mma_m16n8k32_row_col_f32_e5m2_e5m2_f32<INTEGERS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32/fractions", mma_m16n8k32_row_col_f32_e5m2_e5m2_f32<FRACTIONS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32/wide", mma_m16n8k32_row_col_f32_e5m2_e5m2_f32<WIDE>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32/zeros", mma_m16n8k32_row_col_f32_e5m2_e5m2_f32<ZEROS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32/products", mma_m16n8k32_row_col_f32_e5m2_e5m2_f32<PRODUCTS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32/integers", mma_m16n8k16_row_col_f32_e4m3_e5m2_f32<INTEGERS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32/fractions", mma_m16n8k16_row_col_f32_e4m3_e5m2_f32<FRACTIONS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32/wide", mma_m16n8k16_row_col_f32_e4m3_e5m2_f32<WIDE>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32/zeros", mma_m16n8k16_row_col_f32_e4m3_e5m2_f32<ZEROS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32/products", mma_m16n8k16_row_col_f32_e4m3_e5m2_f32<PRODUCTS>, V_U32, V_U32, V_U32, V_F32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16/integers", mma_m16n8k32_row_col_f16_e4m3_e5m2_f16<INTEGERS>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16/fractions", mma_m16n8k32_row_col_f16_e4m3_e5m2_f16<FRACTIONS>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16/wide", mma_m16n8k32_row_col_f16_e4m3_e5m2_f16<WIDE>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16/zeros", mma_m16n8k32_row_col_f16_e4m3_e5m2_f16<ZEROS>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16/products", mma_m16n8k32_row_col_f16_e4m3_e5m2_f16<PRODUCTS>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16/integers", mma_m16n8k16_row_col_f16_e5m2_e4m3_f16<INTEGERS>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16/fractions", mma_m16n8k16_row_col_f16_e5m2_e4m3_f16<FRACTIONS>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16/wide", mma_m16n8k16_row_col_f16_e5m2_e4m3_f16<WIDE>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16/zeros", mma_m16n8k16_row_col_f16_e5m2_e4m3_f16<ZEROS>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16/products", mma_m16n8k16_row_col_f16_e5m2_e4m3_f16<PRODUCTS>, V_U32, V_U32, V_U32, V_F16X2, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64/integers", mma_m8n8k4_row_col_f64_f64_f64_f64<INTEGERS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64/fractions", mma_m8n8k4_row_col_f64_f64_f64_f64<FRACTIONS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64/integers", mma_m16n8k4_row_col_f64_f64_f64_f64<INTEGERS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64/fractions", mma_m16n8k4_row_col_f64_f64_f64_f64<FRACTIONS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64/products", mma_m16n8k4_row_col_f64_f64_f64_f64<PRODUCTS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64/integers", mma_m16n8k8_row_col_f64_f64_f64_f64<INTEGERS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64/fractions", mma_m16n8k8_row_col_f64_f64_f64_f64<FRACTIONS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64/products", mma_m16n8k8_row_col_f64_f64_f64_f64<PRODUCTS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64/integers", mma_m16n8k16_row_col_f64_f64_f64_f64<INTEGERS>, V_F64, V_F64, V_F64, V_F64, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64/fractions", mma_m16n8k16_row_col_f64_f64_f64_f64<FRACTIONS>, V_F64, V_F64, V_F64, V_F64, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64/products", mma_m16n8k16_row_col_f64_f64_f64_f64<PRODUCTS>, V_F64, V_F64, V_F64, V_F64, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.rn.f64.f64.f64.f64/fractions", mma_m8n8k4_row_col_rn_f64_f64_f64_f64<FRACTIONS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64/fractions", mma_m8n8k4_row_col_rz_f64_f64_f64_f64<FRACTIONS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.rm.f64.f64.f64.f64/fractions", mma_m8n8k4_row_col_rm_f64_f64_f64_f64<FRACTIONS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.rp.f64.f64.f64.f64/fractions", mma_m8n8k4_row_col_rp_f64_f64_f64_f64<FRACTIONS>, V_F64, V_F64, V_F64, V_F64, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.rz.f64.f64.f64.f64/fractions", mma_m16n8k16_row_col_rz_f64_f64_f64_f64<FRACTIONS>, V_F64, V_F64, V_F64, V_F64, 1024, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32/integers", mma_m8n8k16_row_col_s32_s8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32/integers", mma_m8n8k16_row_col_satfinite_s32_s8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32/extremes", mma_m8n8k16_row_col_satfinite_s32_s8_s8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32/integers", mma_m16n8k16_row_col_s32_s8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32/integers", mma_m16n8k16_row_col_satfinite_s32_s8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32/extremes", mma_m16n8k16_row_col_satfinite_s32_s8_s8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32/integers", mma_m16n8k32_row_col_s32_s8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32/integers", mma_m16n8k32_row_col_satfinite_s32_s8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32/extremes", mma_m16n8k32_row_col_satfinite_s32_s8_s8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32/integers", mma_m8n8k16_row_col_s32_s8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32/integers", mma_m8n8k16_row_col_satfinite_s32_s8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32/extremes", mma_m8n8k16_row_col_satfinite_s32_s8_u8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32/integers", mma_m16n8k16_row_col_s32_s8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32/integers", mma_m16n8k16_row_col_satfinite_s32_s8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32/extremes", mma_m16n8k16_row_col_satfinite_s32_s8_u8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32/integers", mma_m16n8k32_row_col_s32_s8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32/integers", mma_m16n8k32_row_col_satfinite_s32_s8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32/extremes", mma_m16n8k32_row_col_satfinite_s32_s8_u8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32/integers", mma_m8n8k16_row_col_s32_u8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32/integers", mma_m8n8k16_row_col_satfinite_s32_u8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32/extremes", mma_m8n8k16_row_col_satfinite_s32_u8_s8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32/integers", mma_m16n8k16_row_col_s32_u8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32/integers", mma_m16n8k16_row_col_satfinite_s32_u8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32/extremes", mma_m16n8k16_row_col_satfinite_s32_u8_s8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32/integers", mma_m16n8k32_row_col_s32_u8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32/integers", mma_m16n8k32_row_col_satfinite_s32_u8_s8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32/extremes", mma_m16n8k32_row_col_satfinite_s32_u8_s8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32/integers", mma_m8n8k16_row_col_s32_u8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32/integers", mma_m8n8k16_row_col_satfinite_s32_u8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32/extremes", mma_m8n8k16_row_col_satfinite_s32_u8_u8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32/integers", mma_m16n8k16_row_col_s32_u8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32/integers", mma_m16n8k16_row_col_satfinite_s32_u8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32/extremes", mma_m16n8k16_row_col_satfinite_s32_u8_u8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32/integers", mma_m16n8k32_row_col_s32_u8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32/integers", mma_m16n8k32_row_col_satfinite_s32_u8_u8_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32/extremes", mma_m16n8k32_row_col_satfinite_s32_u8_u8_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32/integers", mma_m8n8k32_row_col_s32_s4_s4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32/integers", mma_m8n8k32_row_col_satfinite_s32_s4_s4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32/extremes", mma_m8n8k32_row_col_satfinite_s32_s4_s4_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32/integers", mma_m16n8k32_row_col_s32_s4_s4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32/integers", mma_m16n8k32_row_col_satfinite_s32_s4_s4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32/extremes", mma_m16n8k32_row_col_satfinite_s32_s4_s4_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32/integers", mma_m16n8k64_row_col_s32_s4_s4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32/integers", mma_m16n8k64_row_col_satfinite_s32_s4_s4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32/extremes", mma_m16n8k64_row_col_satfinite_s32_s4_s4_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32/integers", mma_m8n8k32_row_col_s32_u4_s4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32/integers", mma_m16n8k32_row_col_s32_u4_s4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32/integers", mma_m16n8k64_row_col_s32_u4_s4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32/integers", mma_m8n8k32_row_col_s32_s4_u4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32/integers", mma_m16n8k32_row_col_s32_s4_u4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32/integers", mma_m16n8k64_row_col_s32_s4_u4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32/integers", mma_m8n8k32_row_col_s32_u4_u4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.u4.s32/integers", mma_m8n8k32_row_col_satfinite_s32_u4_u4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.u4.s32/extremes", mma_m8n8k32_row_col_satfinite_s32_u4_u4_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32/integers", mma_m16n8k32_row_col_s32_u4_u4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32/integers", mma_m16n8k32_row_col_satfinite_s32_u4_u4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32/extremes", mma_m16n8k32_row_col_satfinite_s32_u4_u4_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32/integers", mma_m16n8k64_row_col_s32_u4_u4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32/integers", mma_m16n8k64_row_col_satfinite_s32_u4_u4_s32<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32/extremes", mma_m16n8k64_row_col_satfinite_s32_u4_u4_s32<FRACTIONS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc/integers", mma_m8n8k128_row_col_s32_b1_b1_s32_and_popc<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc/integers", mma_m16n8k128_row_col_s32_b1_b1_s32_and_popc<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc/integers", mma_m16n8k256_row_col_s32_b1_b1_s32_and_popc<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc/integers", mma_m8n8k128_row_col_s32_b1_b1_s32_xor_popc<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc/integers", mma_m16n8k128_row_col_s32_b1_b1_s32_xor_popc<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc/integers", mma_m16n8k256_row_col_s32_b1_b1_s32_xor_popc<INTEGERS>, V_U32, V_U32, V_U32, V_S32, 512, 1, THREADS, 0, 0},
    COUNTS(LD_CASE, ld_x, "", ".shared")
    COUNTS(LD_CASE, ld_cta_x, "", ".shared::cta")
    COUNTS(LD_CASE, ld_generic_x, "", "")
    COUNTS(LD_CASE, ld_trans_x, ".trans", ".shared")
    COUNTS(LD_CASE, ld_trans_cta_x, ".trans", ".shared::cta")
    COUNTS(LD_CASE, ld_trans_generic_x, ".trans", "")
    COUNTS(ST_CASE, st_x, "", ".shared")
    COUNTS(ST_CASE, st_cta_x, "", ".shared::cta")
    COUNTS(ST_CASE, st_trans_x, ".trans", ".shared")
    COUNTS(ST_CASE, st_trans_cta_x, ".trans", ".shared::cta")
    {"movmatrix.sync.aligned.m8n8.trans.b16", movmatrix, V_U32, V_NONE, V_NONE, V_U32, 512, 1, THREADS, 0, 0},
    WHOLE_SHAPE("m16n16k16", 16, 16, 16)
    WHOLE_SHAPE("m32n8k16", 32, 8, 16)
    WHOLE_SHAPE("m8n32k16", 8, 32, 16)
    WHOLE_LAYOUTS("m16n16k8", 16, 16, 8, tf32, float, V_F32)
    WHOLE_LAYOUTS("m8n8k4", 8, 8, 4, double, double, V_F64)
    WHOLE("m16n16k8", 16, 16, 8, tf32, float, float, V_F32, row, col, row, FRACTIONS, false, 0)
    WHOLE("m8n8k4", 8, 8, 4, double, double, double, V_F64, row, col, row, FRACTIONS, false, 0)
    NARROW_CASE("m8n8k32.s32.s4.s4.s32", narrow_s4)
    NARROW_CASE("m8n8k32.s32.u4.u4.s32", narrow_u4)
    NARROW_CASE("m8n8k128.s32.b1.b1.s32.xor.popc", narrow_xor)
    NARROW_CASE("m8n8k128.s32.b1.b1.s32.and.popc", narrow_and)
};

const conformance_table conformance_matrix = {"matrix", cases, (int)(sizeof(cases) / sizeof(cases[0]))};
