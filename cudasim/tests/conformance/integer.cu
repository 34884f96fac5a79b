/* Integer arithmetic, logic, shifts, comparisons and the moves that pack and unpack registers. */
#include "conformance.h"

#include <utility>

/* clang-format off: it takes the lists of cases for one long expression */

namespace integer_cases {
#include "cases.cuh"

/* ---- addition, subtraction, multiplication, division ------------------------------------------------------------- */

INTEGERS(SAME2, "add")
INTEGERS(SAME2, "sub")
INTEGERS(SAME2, "mul.lo")
INTEGERS(SAME2, "mul.hi")
INTEGERS(SAME3, "mad.lo")
INTEGERS(SAME3, "mad.hi")
INTEGERS(SAME3, "sad")
INTEGERS(SAME2, "div")
INTEGERS(SAME2, "rem")
INTEGERS(SAME2, "min")
INTEGERS(SAME2, "max")
S_TYPES(SAME1, "abs")
S_TYPES(SAME1, "neg")

SAME2(".s32", S32, "add.sat")
SAME2(".s32", S32, "sub.sat")
SAME3(".s32", S32, "mad.hi.sat")
SAME2(".s32", S32, "min.relu")
SAME2(".s32", S32, "max.relu")

#define PAIRS(op) SAME2(".u16x2", U16X2, op) SAME2(".s16x2", S16X2, op)
PAIRS("add")
PAIRS("min")
PAIRS("max")
SAME2(".s16x2", S16X2, "min.relu")
SAME2(".s16x2", S16X2, "max.relu")

#define WIDE(type, T, D) BINARY("mul.wide" type, D, T, T) TERNARY("mad.wide" type, D, T, T, D)
WIDE(".u16", U16, U32)
WIDE(".s16", S16, S32)
WIDE(".u32", U32, U64)
WIDE(".s32", S32, S64)

#define MUL24(type, T)                                                                                                 \
    SAME2(type, T, "mul24.lo") SAME2(type, T, "mul24.hi") SAME3(type, T, "mad24.lo") SAME3(type, T, "mad24.hi")
MUL24(".u32", U32)
MUL24(".s32", S32)
SAME3(".s32", S32, "mad24.hi.sat")

/* ---- the carry flag ---------------------------------------------------------------------------------------------- */

/* The carry comes in as the sign of the last input but for add.cc, sub.cc and mad.cc, which only set it; "/carry" reads
 * what was left in it. subc takes its borrow from 0 - 1 or 0 - 0. */
#define CARRY_IN(operand, bits)                                                                                        \
    "{ .reg .b" bits " g, t; shr.u" bits " g, " operand ", " bits " - 1; add.cc.u" bits " t, g, -1; "
#define BORROW_IN(operand, bits)                                                                                       \
    "{ .reg .b" bits " g, t; shr.u" bits " g, " operand ", " bits " - 1; sub.cc.u" bits " t, 0, g; "
#define NO_CARRY_IN(operand, bits) "{ .reg .b" bits " t; "
#define CARRIED(bits)              " addc.u" bits " %0, 0, 0; }"
#define BORROWED(bits)             " subc.u" bits " %0, 0, 0; }"

#define SETS_CARRY2(type, T, op, read, bits)                                                                           \
    CASE2(op type, 0, T, T, T, op type " %0, %1, %2;")                                                                 \
    CASE2(op type "/carry", 0, T, T, T, NO_CARRY_IN(, bits) op type " t, %1, %2;" read(bits))
#define USES_CARRY2(type, T, op, in, read, bits)                                                                       \
    CASE3(op type, 0, T, T, T, T, in("%3", bits) op type " %0, %1, %2; }")                                             \
    CASE3(op ".cc" type, 0, T, T, T, T, in("%3", bits) op ".cc" type " %0, %1, %2; }")                                 \
    CASE3(op ".cc" type "/carry", 0, T, T, T, T, in("%3", bits) op ".cc" type " t, %1, %2;" read(bits))
#define SETS_CARRY3(type, T, op, bits)                                                                                 \
    CASE3(op type, 0, T, T, T, T, op type " %0, %1, %2, %3;")                                                          \
    CASE3(op type "/carry", 0, T, T, T, T, NO_CARRY_IN(, bits) op type " t, %1, %2, %3;" CARRIED(bits))
#define USES_CARRY3(type, T, op, bits)                                                                                 \
    CASE3(op type, 0, T, T, T, T, CARRY_IN("%3", bits) op type " %0, %1, %2, %3; }")                                   \
    CASE3(op ".cc" type, 0, T, T, T, T, CARRY_IN("%3", bits) op ".cc" type " %0, %1, %2, %3; }")                       \
    CASE3(op ".cc" type "/carry", 0, T, T, T, T, CARRY_IN("%3", bits) op ".cc" type " t, %1, %2, %3;" CARRIED(bits))

#define CARRIES(type, T, bits)                                                                                         \
    SETS_CARRY2(type, T, "add.cc", CARRIED, bits) SETS_CARRY2(type, T, "sub.cc", BORROWED, bits)                       \
    USES_CARRY2(type, T, "addc", CARRY_IN, CARRIED, bits) USES_CARRY2(type, T, "subc", BORROW_IN, BORROWED, bits)      \
    SETS_CARRY3(type, T, "mad.lo.cc", bits) SETS_CARRY3(type, T, "mad.hi.cc", bits)                                    \
    USES_CARRY3(type, T, "madc.lo", bits) USES_CARRY3(type, T, "madc.hi", bits)
CARRIES(".u32", U32, "32")
CARRIES(".s32", S32, "32")
CARRIES(".u64", U64, "64")
CARRIES(".s64", S64, "64")

/* ---- bits and bit fields ----------------------------------------------------------------------------------------- */

UNARY("popc.b32", U32, U32)
UNARY("popc.b64", U32, U64)
UNARY("clz.b32", U32, U32)
UNARY("clz.b64", U32, U64)
UNARY("brev.b32", U32, U32)
UNARY("brev.b64", U64, U64)
#define BFIND(type, T, op) UNARY(op type, U32, T)
WORDS(BFIND, "bfind")
WORDS(BFIND, "bfind.shiftamt")

/* The offset is -32..31, so that more than a few find a bit. */
CASE3("fns.b32", 0, U32, U32, SMALL, S32, "{ .reg .s32 offset; shr.s32 offset, %3, 26; fns.b32 %0, %1, %2, offset; }")

#define BFE(type, T, op) TERNARY(op type, T, T, SHIFT, SHIFT)
WORDS(BFE, "bfe")
/* Position and length out of the third input: mostly within the register, and in "/byte" any byte. */
#define BFI(type, T)                                                                                                   \
    CASE3("bfi" type, 0, T, T, T, U32,                                                                                 \
          "{ .reg .b32 at, len; and.b32 at, %3, 63; shr.u32 len, %3, 26; bfi" type " %0, %1, %2, at, len; }")          \
    CASE3("bfi" type "/byte", 0, T, T, T, U32,                                                                         \
          "{ .reg .b32 at, len; and.b32 at, %3, 255; shr.u32 len, %3, 24; bfi" type " %0, %1, %2, at, len; }")
BFI(".b32", U32)
BFI(".b64", U64)
BINARY("bmsk.clamp.b32", U32, SHIFT, SHIFT)
BINARY("bmsk.wrap.b32", U32, SHIFT, SHIFT)
BINARY("szext.clamp.u32", U32, U32, SHIFT)
BINARY("szext.clamp.s32", S32, S32, SHIFT)
BINARY("szext.wrap.u32", U32, U32, SHIFT)
BINARY("szext.wrap.s32", S32, S32, SHIFT)

#define DOT(op)                                                                                                        \
    TERNARY(op ".u32.u32", U32, U32, U32, U32) TERNARY(op ".u32.s32", S32, U32, S32, S32)                              \
    TERNARY(op ".s32.u32", S32, S32, U32, S32) TERNARY(op ".s32.s32", S32, S32, S32, S32)
DOT("dp4a")
DOT("dp2a.lo")
DOT("dp2a.hi")

#define VIDEO(op) TERNARY(op, U32, U32, U32, U32)
VIDEO("vabsdiff4.u32.u32.u32")
VIDEO("vabsdiff4.u32.u32.u32.add")
VIDEO("vabsdiff4.u32.s32.s32")
VIDEO("vabsdiff4.u32.s32.s32.add")
VIDEO("vabsdiff2.u32.u32.u32")
VIDEO("vabsdiff2.u32.u32.u32.add")
VIDEO("vabsdiff2.u32.s32.s32")
VIDEO("vabsdiff2.u32.s32.s32.add")

/* ---- logic ------------------------------------------------------------------------------------------------------- */

B_TYPES(SAME2, "and")
B_TYPES(SAME2, "or")
B_TYPES(SAME2, "xor")
B_TYPES(SAME1, "not")
B_TYPES(SAME1, "cnot")

#define SIGNS "{ .reg .pred p, q, s; setp.lt.s32 p, %1, 0; setp.lt.s32 q, %2, 0; "
#define PREDICATE_LOGIC(op, operands)                                                                                  \
    CASE2(op ".pred", 0, U32, S32, S32, SIGNS op ".pred s, " operands "; selp.b32 %0, 1, 0, s; }")
PREDICATE_LOGIC("and", "p, q")
PREDICATE_LOGIC("or", "p, q")
PREDICATE_LOGIC("xor", "p, q")
PREDICATE_LOGIC("not", "p")
PREDICATE_LOGIC("mov", "q")

#define LOP3(lut) CASE3("lop3.b32/" lut, 0, U32, U32, U32, U32, "lop3.b32 %0, %1, %2, %3, " lut ";")
#define LUTS(X)                                                                                                        \
    X("0x00") X("0x01") X("0x0f") X("0x17") X("0x1b") X("0x27") X("0x2d") X("0x33") X("0x3c") X("0x40") X("0x55")      \
    X("0x5a") X("0x69") X("0x6a") X("0x78") X("0x7f") X("0x80") X("0x88") X("0x96") X("0xaa") X("0xac") X("0xc0")      \
    X("0xca") X("0xcc") X("0xd8") X("0xe2") X("0xe8") X("0xea") X("0xf0") X("0xf8") X("0xfe") X("0xff")
LUTS(LOP3)

/* The predicate is whether the result is not zero, combined with the sign of the first input. */
#define LOP3_PREDICATE(op, lut)                                                                                        \
    CASE3("lop3." op ".b32/" lut, 0, U32, S32, U32, U32,                                                               \
          PREDICATES "setp.lt.s32 s, %1, 0; lop3." op ".b32 x|p, %1, %2, %3, " lut ", s; " STORE_P)
#define LOP3_PREDICATES(op) LOP3_PREDICATE(op, "0x02") LOP3_PREDICATE(op, "0x80") LOP3_PREDICATE(op, "0xe8")
LOP3_PREDICATES("or")
LOP3_PREDICATES("and")

/* ---- shifts and permutations ------------------------------------------------------------------------------------- */

#define SHIFT_BY(type, T, op) BINARY(op type, T, T, SHIFT)
B_TYPES(SHIFT_BY, "shl")
B_TYPES(SHIFT_BY, "shr")
INTEGERS(SHIFT_BY, "shr")
#define FUNNEL(op) TERNARY(op ".b32", U32, U32, U32, SHIFT)
FUNNEL("shf.l.wrap")
FUNNEL("shf.l.clamp")
FUNNEL("shf.r.wrap")
FUNNEL("shf.r.clamp")

#define PRMT(op) TERNARY(op, U32, U32, U32, U32)
PRMT("prmt.b32")
PRMT("prmt.b32.f4e")
PRMT("prmt.b32.b4e")
PRMT("prmt.b32.rc8")
PRMT("prmt.b32.ecl")
PRMT("prmt.b32.ecr")
PRMT("prmt.b32.rc16")

/* ---- selection and comparison ------------------------------------------------------------------------------------ */

#define ANY_TYPE(X, ...)                                                                                               \
    B_TYPES(X, __VA_ARGS__) INTEGERS(X, __VA_ARGS__) X(".f32", F32, __VA_ARGS__) X(".f64", F64, __VA_ARGS__)
#define SLCT(type, T, op, selector, C) TERNARY(op type selector, T, T, T, C)
ANY_TYPE(SLCT, "slct", ".s32", S32)
ANY_TYPE(SLCT, "slct", ".f32", F32)
ANY_TYPE(SLCT, "slct.ftz", ".f32", F32)
#define SELP(type, T, op)                                                                                              \
    CASE3(op type, 0, T, T, T, S32, "{ .reg .pred p; setp.lt.s32 p, %3, 0; " op type " %0, %1, %2, p; }")
ANY_TYPE(SELP, "selp")

#define COMPARISONS(X)                                                                                                 \
    COMPARE_B(X, ".b16", U16) COMPARE_U(X, ".u16", U16) COMPARE_S(X, ".s16", S16) COMPARE_B(X, ".b32", U32)            \
    COMPARE_U(X, ".u32", U32) COMPARE_S(X, ".s32", S32) COMPARE_B(X, ".b64", U64) COMPARE_U(X, ".u64", U64)            \
    COMPARE_S(X, ".s64", S64)
COMPARISONS(SETP)
COMPARISONS(SETP_PQ)
INTEGERS(SETP_BOOLS_PQ, "lt")
INTEGERS(SETP_BOOLS_P, "ge")
B_TYPES(SETP_BOOLS_P, "eq")

#define SETS(to, D)                                                                                                    \
    COMPARE_B(SET, to ".b16", D, U16) COMPARE_U(SET, to ".u16", D, U16) COMPARE_S(SET, to ".s16", D, S16)              \
    COMPARE_B(SET, to ".b32", D, U32) COMPARE_U(SET, to ".u32", D, U32) COMPARE_S(SET, to ".s32", D, S32)              \
    COMPARE_B(SET, to ".b64", D, U64) COMPARE_U(SET, to ".u64", D, U64) COMPARE_S(SET, to ".s64", D, S64)              \
    SET_BOOLS("lt", to ".s32", D, S32) SET_BOOLS("hi", to ".u64", D, U64) SET_BOOLS("ne", to ".b16", D, U16)
SETS(".u32", U32)
SETS(".s32", S32)
SETS(".f32", F32)
SETS(".f16", F16)
SETS(".bf16", BF16)

/* ---- moves ------------------------------------------------------------------------------------------------------- */

#define MOVE(type, T) CASE1("mov" type, 0, T, T, "{ .reg " type " v; mov" type " v, %1; mov" type " %0, v; }")
MOVE(".b16", U16)
MOVE(".u16", U16)
MOVE(".s16", S16)
MOVE(".b32", U32)
MOVE(".u32", U32)
MOVE(".s32", S32)
MOVE(".b64", U64)
MOVE(".u64", U64)
MOVE(".s64", S64)
MOVE(".f32", F32)
MOVE(".f64", F64)

CASE2("mov.b32/pack.2", 0, U32, U16, U16, "mov.b32 %0, {%1, %2};")
CASE2("mov.b64/pack.2", 0, U64, U32, U32, "mov.b64 %0, {%1, %2};")
CASE2("mov.b64/pack.4", 0, U64, U16, U16, "mov.b64 %0, {%1, %2, %2, %1};")
CASE1("mov.b32/unpack.2", 0, U32, U32, "{ .reg .b16 v, w; mov.b32 {v, w}, %1; mov.b32 %0, {w, v}; }")
CASE1("mov.b64/unpack.2", 0, U64, U64, "{ .reg .b32 v, w; mov.b64 {v, w}, %1; mov.b64 %0, {w, v}; }")
CASE1("mov.b64/unpack.4", 0, U64, U64, "{ .reg .b16 s, t, u, v; mov.b64 {s, t, u, v}, %1; mov.b64 %0, {t, v, s, u}; }")
CASE1("mov.b16/unpack.2", 0, U16, U16, "{ .reg .b8 v, w; mov.b16 {v, w}, %1; mov.b16 %0, {w, v}; }")
CASE1("mov.b32/unpack.4", 0, U32, U32, "{ .reg .b8 s, t, u, v; mov.b32 {s, t, u, v}, %1; mov.b32 %0, {t, v, s, u}; }")
CASE1("mov.b32/sink", 0, U16, U32, "mov.b32 {_, %0}, %1;")
CASE1("mov.b64/sink", 0, U32, U64, "mov.b64 {%0, _}, %1;")
CASE2("mov.b128/pack.2", 0, U64, U64, U64,
      "{ .reg .b128 v, w; .reg .b64 s, t; mov.b128 v, {%1, %2}; mov.b128 w, v; mov.b128 {s, t}, w; sub.u64 %0, s, t; }")

CASE_COUNT
} // namespace integer_cases

CASE_TABLE(integer)
