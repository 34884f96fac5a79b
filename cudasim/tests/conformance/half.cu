/* f16, f16x2, bf16 and bf16x2: arithmetic, approximations, comparisons. */
#include "conformance.h"

#include <utility>

/* clang-format off: it takes the lists of cases for one long expression */

namespace half_cases {
#include "cases.cuh"

#define HALF(X, ...) X(".f16", F16, __VA_ARGS__) X(".f16x2", F16X2, __VA_ARGS__)
#define BHALF(X, ...) X(".bf16", BF16, __VA_ARGS__) X(".bf16x2", BF16X2, __VA_ARGS__)
#define BOTH(X, ...) HALF(X, __VA_ARGS__) BHALF(X, __VA_ARGS__)

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

#define SUMS_AND_PRODUCTS(op)                                                                                          \
    BOTH(SAME2, op) BOTH(SAME2, op ".rn") HALF(SAME2, op ".ftz") HALF(SAME2, op ".sat") HALF(SAME2, op ".ftz.sat")     \
    HALF(SAME2, op ".rn.ftz") HALF(SAME2, op ".rn.sat") HALF(SAME2, op ".rn.ftz.sat")
SUMS_AND_PRODUCTS("add")
SUMS_AND_PRODUCTS("sub")
SUMS_AND_PRODUCTS("mul")

BOTH(SAME3, "fma.rn")
BOTH(SAME3, "fma.rn.relu")
BOTH(SAME3, "fma.rn.oob")
BOTH(SAME3, "fma.rn.oob.relu")
HALF(SAME3, "fma.rn.sat")
HALF(SAME3, "fma.rn.ftz")
HALF(SAME3, "fma.rn.ftz.sat")
HALF(SAME3, "fma.rn.ftz.relu")
BHALF(SAME3, "fma.rz")
BHALF(SAME3, "fma.rz.relu")
BHALF(SAME3, "fma.rz.oob")
BHALF(SAME3, "fma.rz.oob.relu")

BOTH(SAME1, "abs")
BOTH(SAME1, "neg")
HALF(SAME1, "abs.ftz")
HALF(SAME1, "neg.ftz")

#define MIN_MAX(op)                                                                                                    \
    BOTH(SAME2, op) BOTH(SAME2, op ".NaN") BOTH(SAME2, op ".xorsign.abs") BOTH(SAME2, op ".NaN.xorsign.abs")           \
    HALF(SAME2, op ".ftz") HALF(SAME2, op ".ftz.NaN") HALF(SAME2, op ".ftz.xorsign.abs")                               \
    HALF(SAME2, op ".ftz.NaN.xorsign.abs")
MIN_MAX("min")
MIN_MAX("max")

/* ---- approximations: the PTX ISA's bound, and a unit for the rounding of the other side -------------------------- */

/* Relative: 2^-9.9 for f16, 2^-7 for bf16. */
#define APPROX1(type, T, op, ulps) CASE1(op type, ulps, T, T, op type " %0, %1;")
HALF(APPROX1, "ex2.approx", 2)
BHALF(APPROX1, "ex2.approx.ftz", 2)
/* Absolute: 2^-10.987 for f16, 2^-8 for bf16. */
HALF(APPROX1, "tanh.approx", -10)
BHALF(APPROX1, "tanh.approx", -7)

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

COMPARE_F(SETP, ".f16", F16)
COMPARE_F(SETP, ".ftz.f16", F16)
COMPARE_F(SETP, ".bf16", BF16)
COMPARE_F(SETP_PQ, ".f16x2", F16X2)
COMPARE_F(SETP_PQ, ".ftz.f16x2", F16X2)
COMPARE_F(SETP_PQ, ".bf16x2", BF16X2)
SETP_BOOLS_P(".f16", F16, "lt")
SETP_BOOLS_P(".ftz.f16", F16, "leu")
SETP_BOOLS_P(".bf16", BF16, "geu")
SETP_BOOLS_PQ(".f16x2", F16X2, "ge")
SETP_BOOLS_PQ(".ftz.f16x2", F16X2, "ltu")
SETP_BOOLS_PQ(".bf16x2", BF16X2, "gt")

#define SETS(types, D, T) COMPARE_F(SET, types, D, T) SET_BOOLS("ltu", types, D, T)
#define FTZ_SETS(types, D, T) SETS(types, D, T) SETS(".ftz" types, D, T)
FTZ_SETS(".u16.f16", U16, F16)
FTZ_SETS(".s16.f16", S16, F16)
FTZ_SETS(".u32.f16", U32, F16)
FTZ_SETS(".s32.f16", S32, F16)
FTZ_SETS(".f16.f16", F16, F16)
SETS(".bf16.f16", BF16, F16)
FTZ_SETS(".u32.f16x2", U32, F16X2)
FTZ_SETS(".s32.f16x2", S32, F16X2)
FTZ_SETS(".f16x2.f16x2", F16X2, F16X2)
SETS(".u16.bf16", U16, BF16)
SETS(".s16.bf16", S16, BF16)
SETS(".u32.bf16", U32, BF16)
SETS(".s32.bf16", S32, BF16)
SETS(".bf16.bf16", BF16, BF16)
SETS(".u32.bf16x2", U32, BF16X2)
SETS(".s32.bf16x2", S32, BF16X2)
SETS(".bf16x2.bf16x2", BF16X2, BF16X2)

CASE_COUNT
} // namespace half_cases

CASE_TABLE(half)
