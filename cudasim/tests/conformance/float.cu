/* float and double: arithmetic in every rounding, approximations, comparisons. */
#include "conformance.h"

#include <utility>

/* clang-format off: it takes the lists of cases for one long expression */

namespace float_cases {
#include "cases.cuh"

/* X(before, after, more...) with each modifier in between the two. */
#define ROUNDINGS(X, op, ...)                                                                                          \
    X(op ".rn", __VA_ARGS__) X(op ".rz", __VA_ARGS__) X(op ".rm", __VA_ARGS__) X(op ".rp", __VA_ARGS__)
#define FTZ(X, op, ...) X(op, __VA_ARGS__) X(op ".ftz", __VA_ARGS__)
#define FTZ_SAT(X, op, ...) FTZ(X, op, __VA_ARGS__) X(op ".sat", __VA_ARGS__) X(op ".ftz.sat", __VA_ARGS__)

#define F32_1(op, ...) SAME1(".f32", F32, op)
#define F32_2(op, ...) SAME2(".f32", F32, op)
#define F32_3(op, ...) SAME3(".f32", F32, op)
#define F64_1(op, ...) SAME1(".f64", F64, op)
#define F64_2(op, ...) SAME2(".f64", F64, op)
#define F64_3(op, ...) SAME3(".f64", F64, op)

#define FTZ_1(op, ...) FTZ(F32_1, op, )
#define FTZ_2(op, ...) FTZ(F32_2, op, )
#define FTZ_SAT_2(op, ...) FTZ_SAT(F32_2, op, )
#define FTZ_SAT_3(op, ...) FTZ_SAT(F32_3, op, )

/* ---- rounded arithmetic ------------------------------------------------------------------------------------------ */

#define SUMS_AND_PRODUCTS(op)                                                                                          \
    FTZ_SAT_2(op, ) ROUNDINGS(FTZ_SAT_2, op, ) F64_2(op, ) ROUNDINGS(F64_2, op, )
SUMS_AND_PRODUCTS("add")
SUMS_AND_PRODUCTS("sub")
SUMS_AND_PRODUCTS("mul")
ROUNDINGS(FTZ_SAT_3, "fma", )
ROUNDINGS(FTZ_SAT_3, "mad", )
ROUNDINGS(F64_3, "fma", )
ROUNDINGS(F64_3, "mad", )
ROUNDINGS(FTZ_2, "div", )
ROUNDINGS(F64_2, "div", )
ROUNDINGS(FTZ_1, "rcp", )
ROUNDINGS(F64_1, "rcp", )
#define F64_FTZ_1(op, ...) F64_1(op ".ftz", )
ROUNDINGS(F64_FTZ_1, "rcp", )
ROUNDINGS(FTZ_1, "sqrt", )
ROUNDINGS(F64_1, "sqrt", )

FTZ(F32_1, "abs", )
FTZ(F32_1, "neg", )
F64_1("abs", )
F64_1("neg", )

#define MIN_MAX(op)                                                                                                    \
    FTZ(F32_2, op, ) F32_2(op ".NaN", ) F32_2(op ".ftz.NaN", ) F32_2(op ".xorsign.abs", )                              \
    F32_2(op ".ftz.xorsign.abs", ) F32_2(op ".NaN.xorsign.abs", ) F32_2(op ".ftz.NaN.xorsign.abs", ) F64_2(op, )
MIN_MAX("min")
MIN_MAX("max")
F32_2("copysign", )
F64_2("copysign", )

/* ---- approximations: the PTX ISA's bound and a unit for the other side, or what was measured and a little more ---- */

#define APPROX1(op, ulps, D, A) CASE1(op, ulps, D, A, op " %0, %1;")
#define APPROX2(op, ulps, D, A) CASE2(op, ulps, D, A, A, op " %0, %1, %2;")
APPROX2("div.approx.f32", 3, F32, F32)
APPROX2("div.approx.ftz.f32", 3, F32, F32)
APPROX2("div.full.f32", 3, F32, F32)
APPROX2("div.full.ftz.f32", 3, F32, F32)
APPROX1("rcp.approx.f32", 2, F32, F32)
APPROX1("rcp.approx.ftz.f32", 2, F32, F32)
APPROX1("sqrt.approx.f32", 2, F32, F32)
APPROX1("sqrt.approx.ftz.f32", 2, F32, F32)
APPROX1("rsqrt.approx.f32", 2, F32, F32)
APPROX1("rsqrt.approx.ftz.f32", 2, F32, F32)
APPROX1("ex2.approx.f32", 2, F32, F32)
APPROX1("ex2.approx.ftz.f32", 2, F32, F32)
/* The manual promises a relative error of 2^-11, which is 8192; an H200 is within 114. */
APPROX1("tanh.approx.f32", 256, F32, F32)
/* Absolute: 2^-20.5 and 2^-20.9 in -pi..pi; 2^-22 where the argument is 0.5..2, relative elsewhere. */
APPROX1("sin.approx.f32", -21, F32, ANGLE)
APPROX1("sin.approx.ftz.f32", -21, F32, ANGLE)
APPROX1("cos.approx.f32", -21, F32, ANGLE)
APPROX1("cos.approx.ftz.f32", -21, F32, ANGLE)
APPROX1("lg2.approx.f32", -22, F32, F32)
APPROX1("lg2.approx.ftz.f32", -22, F32, F32)
/* A few units of a double; the two .ftz.f64 below give the upper word alone, good to about 20 bits. */
APPROX1("rsqrt.approx.f64", 2, F64, F64)
#define UPPER_WORD(op)                                                                                                 \
    CASE1(op "/upper", 2, U32, F64, "{ .reg .f64 v; " op " v, %1; mov.b64 {_, %0}, v; }")                              \
    CASE1(op "/lower", 0, U32, F64, "{ .reg .f64 v; " op " v, %1; mov.b64 {%0, _}, v; }")
UPPER_WORD("rcp.approx.ftz.f64")
UPPER_WORD("rsqrt.approx.ftz.f64")

/* ---- tests and comparisons --------------------------------------------------------------------------------------- */

#define TESTP_OF(op, type, T) CASE1(op type, 0, U32, T, "{ .reg .pred p; " op type " p, %1; " STORE_P)
#define TESTP(op) TESTP_OF(op, ".f32", F32) TESTP_OF(op, ".f64", F64)
TESTP("testp.finite")
TESTP("testp.infinite")
TESTP("testp.number")
TESTP("testp.notanumber")
TESTP("testp.normal")
TESTP("testp.subnormal")

COMPARE_F(SETP, ".f32", F32)
COMPARE_F(SETP, ".ftz.f32", F32)
COMPARE_F(SETP, ".f64", F64)
COMPARE_F(SETP_PQ, ".f32", F32)
COMPARE_F(SETP_PQ, ".ftz.f32", F32)
COMPARE_F(SETP_PQ, ".f64", F64)
SETP_BOOLS_PQ(".f32", F32, "lt")
SETP_BOOLS_PQ(".ftz.f32", F32, "geu")
SETP_BOOLS_PQ(".f64", F64, "gtu")

#define SETS(to, D)                                                                                                    \
    COMPARE_F(SET, to ".f32", D, F32) COMPARE_F(SET, ".ftz" to ".f32", D, F32) COMPARE_F(SET, to ".f64", D, F64)       \
    SET_BOOLS("le", ".ftz" to ".f32", D, F32) SET_BOOLS("neu", to ".f64", D, F64)
SETS(".u32", U32)
SETS(".s32", S32)
SETS(".f32", F32)
SETS(".f16", F16)
COMPARE_F(SET, ".bf16.f32", BF16, F32)
COMPARE_F(SET, ".bf16.f64", BF16, F64)
SET_BOOLS("le", ".bf16.f32", BF16, F32)

CASE_COUNT
} // namespace float_cases

CASE_TABLE(float)
