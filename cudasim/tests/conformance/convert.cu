/* cvt, between every two types and in every rounding that ptxas takes for sm_90a. */
#include "conformance.h"

#include <utility>

/* clang-format off: it takes the lists of cases for one long expression */

namespace convert_cases {
#include "cases.cuh"

/* CVT(".rn.sat", ".u8", U8, ".f32", F32): an 8-bit result is read from the 16-bit register that holds it, extension
 * and all. */
#define RESULT_U8  U16
#define RESULT_S8  U16
#define RESULT_U16 U16
#define RESULT_S16 S16
#define RESULT_U32 U32
#define RESULT_S32 S32
#define RESULT_U64 U64
#define RESULT_S64 S64

#define TO_INTEGER(modifiers, to, D, from, A) TO_INTEGER_(modifiers, to, RESULT_##D, from, A)
#define TO_INTEGER_(modifiers, to, D, from, A) UNARY("cvt" modifiers to from, D, A)
#define TO_FLOAT(modifiers, to, D, from, A) UNARY("cvt" modifiers to from, D, A)

/* ---- integer to integer ------------------------------------------------------------------------------------------ */

#define EACH_INTEGER(X, modifiers, from, A)                                                                            \
    X(modifiers, ".u8", U8, from, A) X(modifiers, ".s8", S8, from, A) X(modifiers, ".u16", U16, from, A)               \
    X(modifiers, ".s16", S16, from, A) X(modifiers, ".u32", U32, from, A) X(modifiers, ".s32", S32, from, A)           \
    X(modifiers, ".u64", U64, from, A) X(modifiers, ".s64", S64, from, A)
EACH_INTEGER(TO_INTEGER, , ".u8", U8)
EACH_INTEGER(TO_INTEGER, , ".s8", S8)
EACH_INTEGER(TO_INTEGER, , ".u16", U16)
EACH_INTEGER(TO_INTEGER, , ".s16", S16)
EACH_INTEGER(TO_INTEGER, , ".u32", U32)
EACH_INTEGER(TO_INTEGER, , ".s32", S32)
EACH_INTEGER(TO_INTEGER, , ".u64", U64)
EACH_INTEGER(TO_INTEGER, , ".s64", S64)

/* .sat is for conversions that can lose something. */
#define SAT_TO(to, D, from, A) TO_INTEGER(".sat", to, D, from, A)
#define SAT_FROM_SIGNED(from, A)                                                                                       \
    SAT_TO(".u8", U8, from, A) SAT_TO(".u16", U16, from, A) SAT_TO(".u32", U32, from, A) SAT_TO(".u64", U64, from, A)
SAT_FROM_SIGNED(".s8", S8)
SAT_FROM_SIGNED(".s16", S16)
SAT_FROM_SIGNED(".s32", S32)
SAT_FROM_SIGNED(".s64", S64)
SAT_TO(".s8", S8, ".u8", U8)
#define SAT_BELOW_16(from, A) SAT_TO(".u8", U8, from, A) SAT_TO(".s8", S8, from, A) SAT_TO(".s16", S16, from, A)
SAT_BELOW_16(".u16", U16)
SAT_TO(".s8", S8, ".s16", S16)
SAT_BELOW_16(".u32", U32)
SAT_TO(".u16", U16, ".u32", U32)
SAT_TO(".s32", S32, ".u32", U32)
SAT_TO(".s8", S8, ".s32", S32)
SAT_TO(".s16", S16, ".s32", S32)
SAT_BELOW_16(".u64", U64)
SAT_TO(".u16", U16, ".u64", U64)
SAT_TO(".u32", U32, ".u64", U64)
SAT_TO(".s32", S32, ".u64", U64)
SAT_TO(".s64", S64, ".u64", U64)
SAT_TO(".s8", S8, ".s64", S64)
SAT_TO(".s16", S16, ".s64", S64)
SAT_TO(".s32", S32, ".s64", S64)

/* Registers wider than the type: the source is cut, the destination extended. */
#define WIDE(op, D, A) CASE1(op "/wide", 0, D, A, op " %0, %1;")
WIDE("cvt.u8.u32", U32, U32)
WIDE("cvt.s8.s32", U32, U32)
WIDE("cvt.u16.u32", U32, U32)
WIDE("cvt.s16.s32", U32, U32)
WIDE("cvt.s16.s64", U64, U64)
WIDE("cvt.u32.u8", U32, U32)
WIDE("cvt.s32.s8", U32, U32)
WIDE("cvt.s32.s16", U32, U32)
WIDE("cvt.u64.u16", U64, U64)
WIDE("cvt.s64.s32", U64, U64)
WIDE("cvt.sat.u8.s32", U32, U32)
WIDE("cvt.sat.s8.s32", U32, U32)
WIDE("cvt.sat.s16.s32", U64, U32)
WIDE("cvt.rzi.s8.f32", U32, F32)
WIDE("cvt.rzi.u16.f32", U64, F32)
WIDE("cvt.rn.f32.s8", F32, U32)
WIDE("cvt.rn.f32.u16", F32, U64)

/* ---- integer and floating point ---------------------------------------------------------------------------------- */

#define FROM_WORDS(X, modifiers, to, D)                                                                                \
    X(modifiers, to, D, ".u16", U16) X(modifiers, to, D, ".s16", S16) X(modifiers, to, D, ".u32", U32)                 \
    X(modifiers, to, D, ".s32", S32) X(modifiers, to, D, ".u64", U64) X(modifiers, to, D, ".s64", S64)
#define FROM_ALL(X, modifiers, to, D)                                                                                  \
    X(modifiers, to, D, ".u8", U8) X(modifiers, to, D, ".s8", S8) FROM_WORDS(X, modifiers, to, D)

#define FLOATS_OF(from, rounding, more, to, D) from(TO_FLOAT, rounding more, to, D)
#define ROUNDED(from, more, to, D)                                                                                     \
    FLOATS_OF(from, ".rn", more, to, D) FLOATS_OF(from, ".rz", more, to, D) FLOATS_OF(from, ".rm", more, to, D)        \
    FLOATS_OF(from, ".rp", more, to, D)
ROUNDED(FROM_ALL, "", ".f16", F16)
ROUNDED(FROM_ALL, ".sat", ".f16", F16)
ROUNDED(FROM_WORDS, "", ".bf16", BF16)
ROUNDED(FROM_ALL, "", ".f32", F32)
ROUNDED(FROM_ALL, ".ftz", ".f32", F32)
ROUNDED(FROM_ALL, ".sat", ".f32", F32)
ROUNDED(FROM_ALL, ".ftz.sat", ".f32", F32)
ROUNDED(FROM_ALL, "", ".f64", F64)
ROUNDED(FROM_ALL, ".sat", ".f64", F64)

#define INTEGRAL(more, from, A)                                                                                        \
    EACH_INTEGER(TO_INTEGER, ".rni" more, from, A) EACH_INTEGER(TO_INTEGER, ".rzi" more, from, A)                      \
    EACH_INTEGER(TO_INTEGER, ".rmi" more, from, A) EACH_INTEGER(TO_INTEGER, ".rpi" more, from, A)
INTEGRAL("", ".f16", F16)
INTEGRAL(".sat", ".f16", F16)
INTEGRAL("", ".f32", F32)
INTEGRAL(".ftz", ".f32", F32)
INTEGRAL(".sat", ".f32", F32)
INTEGRAL(".ftz.sat", ".f32", F32)
INTEGRAL("", ".f64", F64)
INTEGRAL(".sat", ".f64", F64)

#define EACH_WORD(X, modifiers, from, A)                                                                               \
    X(modifiers, ".u16", U16, from, A) X(modifiers, ".s16", S16, from, A) X(modifiers, ".u32", U32, from, A)           \
    X(modifiers, ".s32", S32, from, A) X(modifiers, ".u64", U64, from, A) X(modifiers, ".s64", S64, from, A)
EACH_WORD(TO_INTEGER, ".rni", ".bf16", BF16)
EACH_WORD(TO_INTEGER, ".rzi", ".bf16", BF16)
EACH_WORD(TO_INTEGER, ".rmi", ".bf16", BF16)
EACH_WORD(TO_INTEGER, ".rpi", ".bf16", BF16)

/* ---- floating point to floating point ---------------------------------------------------------------------------- */

#define CVT(modifiers, to, D, from, A) UNARY("cvt" modifiers to from, D, A)
#define CVT_SAT(modifiers, to, D, from, A) CVT(modifiers, to, D, from, A) CVT(modifiers ".sat", to, D, from, A)
#define CVT_FTZ(modifiers, to, D, from, A) CVT(modifiers, to, D, from, A) CVT(modifiers ".ftz", to, D, from, A)
#define CVT_FTZ_SAT(modifiers, to, D, from, A)                                                                         \
    CVT_FTZ(modifiers, to, D, from, A) CVT(modifiers ".sat", to, D, from, A) CVT(modifiers ".ftz.sat", to, D, from, A)
#define EACH_ROUNDING(X, to, D, from, A)                                                                               \
    X(".rn", to, D, from, A) X(".rz", to, D, from, A) X(".rm", to, D, from, A) X(".rp", to, D, from, A)
#define EACH_INTEGRAL(X, to, D, from, A)                                                                               \
    X(".rni", to, D, from, A) X(".rzi", to, D, from, A) X(".rmi", to, D, from, A) X(".rpi", to, D, from, A)

/* To itself: as it is, or rounded to an integer. */
CVT_SAT("", ".f16", F16, ".f16", F16)
CVT("", ".bf16", BF16, ".bf16", BF16)
CVT_FTZ_SAT("", ".f32", F32, ".f32", F32)
CVT_SAT("", ".f64", F64, ".f64", F64)
EACH_INTEGRAL(CVT_SAT, ".f16", F16, ".f16", F16)
EACH_INTEGRAL(CVT, ".bf16", BF16, ".bf16", BF16)
EACH_INTEGRAL(CVT_FTZ_SAT, ".f32", F32, ".f32", F32)
EACH_INTEGRAL(CVT_SAT, ".f64", F64, ".f64", F64)

/* To a wider type. */
CVT_FTZ_SAT("", ".f32", F32, ".f16", F16)
CVT_SAT("", ".f64", F64, ".f16", F16)
CVT_FTZ("", ".f32", F32, ".bf16", BF16)
EACH_ROUNDING(CVT_FTZ, ".f32", F32, ".bf16", BF16)
CVT("", ".f64", F64, ".bf16", BF16)
EACH_ROUNDING(CVT, ".f64", F64, ".bf16", BF16)
CVT_FTZ_SAT("", ".f64", F64, ".f32", F32)

/* To a narrower one, or to another of the same width. */
EACH_ROUNDING(CVT_FTZ_SAT, ".f16", F16, ".f32", F32)
EACH_ROUNDING(CVT_FTZ, ".bf16", BF16, ".f32", F32)
EACH_ROUNDING(CVT_SAT, ".f16", F16, ".f64", F64)
EACH_ROUNDING(CVT, ".bf16", BF16, ".f64", F64)
EACH_ROUNDING(CVT_FTZ_SAT, ".f32", F32, ".f64", F64)
CVT("", ".bf16", BF16, ".f16", F16)
EACH_ROUNDING(CVT, ".bf16", BF16, ".f16", F16)
CVT("", ".f16", F16, ".bf16", BF16)
EACH_ROUNDING(CVT, ".f16", F16, ".bf16", BF16)

#define RELU_SATFINITE(X, rounding, to, D)                                                                             \
    X("cvt" rounding ".relu" to, D) X("cvt" rounding ".satfinite" to, D) X("cvt" rounding ".relu.satfinite" to, D)
#define FROM_F32(op, D) UNARY(op ".f32", D, F32)
RELU_SATFINITE(FROM_F32, ".rn", ".f16", F16)
RELU_SATFINITE(FROM_F32, ".rz", ".f16", F16)
RELU_SATFINITE(FROM_F32, ".rn", ".bf16", BF16)
RELU_SATFINITE(FROM_F32, ".rz", ".bf16", BF16)

#define FROM_TWO_F32(op, D) BINARY(op ".f32", D, F32, F32)
#define PACKED(rounding, to, D) FROM_TWO_F32("cvt" rounding to, D) RELU_SATFINITE(FROM_TWO_F32, rounding, to, D)
PACKED(".rn", ".f16x2", F16X2)
PACKED(".rz", ".f16x2", F16X2)
PACKED(".rn", ".bf16x2", BF16X2)
PACKED(".rz", ".bf16x2", BF16X2)

/* tf32 sits in a 32-bit register; what is below its ten bits of fraction is recorded too. */
UNARY("cvt.rn.tf32.f32", U32, F32)
UNARY("cvt.rn.relu.tf32.f32", U32, F32)
UNARY("cvt.rz.tf32.f32", U32, F32)
UNARY("cvt.rz.relu.tf32.f32", U32, F32)
UNARY("cvt.rna.tf32.f32", U32, F32)
UNARY("cvt.rna.satfinite.tf32.f32", U32, F32)

/* fp8: two in a 16-bit register. */
#define FP8(type)                                                                                                      \
    BINARY("cvt.rn.satfinite" type ".f32", U16, F32, F32) BINARY("cvt.rn.satfinite.relu" type ".f32", U16, F32, F32)   \
    UNARY("cvt.rn.satfinite" type ".f16x2", U16, F16X2) UNARY("cvt.rn.satfinite.relu" type ".f16x2", U16, F16X2)       \
    UNARY("cvt.rn.f16x2" type, F16X2, U16) UNARY("cvt.rn.relu.f16x2" type, F16X2, U16)
FP8(".e4m3x2")
FP8(".e5m2x2")

/* ---- packing integers -------------------------------------------------------------------------------------------- */

BINARY("cvt.pack.sat.u16.s32", U32, S32, S32)
BINARY("cvt.pack.sat.s16.s32", U32, S32, S32)
#define PACK(type) TERNARY("cvt.pack.sat" type ".s32.b32", U32, S32, S32, U32)
PACK(".u8")
PACK(".s8")
PACK(".u4")
PACK(".s4")
PACK(".u2")
PACK(".s2")

CASE_COUNT
} // namespace convert_cases

CASE_TABLE(convert)
