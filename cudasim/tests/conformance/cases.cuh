/* Tables of cases that are one line of PTX each.
 *
 *     namespace integer_cases {
 *     #include "cases.cuh"
 *     BINARY("add.u32", U32, U32, U32)
 *     CASE_COUNT
 *     }
 *     CASE_TABLE(integer)
 *
 * Every case is a specialization of a kernel and of the row that describes it, numbered by __COUNTER__ so that one
 * mention of a case makes both. asm volatile on loaded values: the compiler can neither fold nor drop it. */

/* clang-format off: it takes the lists of cases for one long expression */

template <int N> __global__ void kernel(const void *a, const void *b, const void *c, void *d, int n);
template <int N> struct entry;
enum { first_case = __COUNTER__ + 1 };

__device__ inline int thread_index() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* The register that holds a value of each type, its letter in an asm constraint, and the type in memory. */
#define REG_U8     uint16_t
#define REG_S8     uint16_t
#define REG_U16    uint16_t
#define REG_S16    uint16_t
#define REG_U32    uint32_t
#define REG_S32    uint32_t
#define REG_U64    uint64_t
#define REG_S64    uint64_t
#define REG_F16    uint16_t
#define REG_BF16   uint16_t
#define REG_F32    float
#define REG_F64    double
#define REG_F16X2  uint32_t
#define REG_BF16X2 uint32_t
#define REG_U16X2  uint32_t
#define REG_S16X2  uint32_t
#define REG_SHIFT  uint32_t
#define REG_SMALL  uint32_t
#define REG_ANGLE  float

#define KEY_U8     "h"
#define KEY_S8     "h"
#define KEY_U16    "h"
#define KEY_S16    "h"
#define KEY_U32    "r"
#define KEY_S32    "r"
#define KEY_U64    "l"
#define KEY_S64    "l"
#define KEY_F16    "h"
#define KEY_BF16   "h"
#define KEY_F32    "f"
#define KEY_F64    "d"
#define KEY_F16X2  "r"
#define KEY_BF16X2 "r"
#define KEY_U16X2  "r"
#define KEY_S16X2  "r"
#define KEY_SHIFT  "r"
#define KEY_SMALL  "r"
#define KEY_ANGLE  "f"

#define MEM_U8     uint8_t
#define MEM_S8     uint8_t
#define MEM_U16    uint16_t
#define MEM_S16    uint16_t
#define MEM_U32    uint32_t
#define MEM_S32    uint32_t
#define MEM_U64    uint64_t
#define MEM_S64    uint64_t
#define MEM_F16    uint16_t
#define MEM_BF16   uint16_t
#define MEM_F32    float
#define MEM_F64    double
#define MEM_F16X2  uint32_t
#define MEM_BF16X2 uint32_t
#define MEM_U16X2  uint32_t
#define MEM_S16X2  uint32_t
#define MEM_SHIFT  uint32_t
#define MEM_SMALL  uint32_t
#define MEM_ANGLE  float

#define LOAD(T, from) static_cast<REG_##T>(static_cast<const MEM_##T *>(from)[i])

#define KERNEL(N, D, body)                                                                                             \
    template <>                                                                                                        \
    __global__ void kernel<N>([[maybe_unused]] const void *a, [[maybe_unused]] const void *b,                          \
                              [[maybe_unused]] const void *c, void *d, int n) {                                        \
        int i = thread_index();                                                                                        \
        if (i < n) {                                                                                                   \
            REG_##D r;                                                                                                 \
            body;                                                                                                      \
            static_cast<REG_##D *>(d)[i] = r;                                                                          \
        }                                                                                                              \
    }
#define ENTRY(N, name, ulps, A, B, C, D)                                                                               \
    template <> struct entry<N> {                                                                                      \
        static constexpr conformance_case row = {name, kernel<N>, A, B, C, D, 0, 0, 0, 0, ulps};                       \
    };

/* CASEn: n inputs. The text is the whole asm, with the result in %0 and the inputs in %1 on. */
#define CASE1(...) CASE1_(__COUNTER__ - first_case, __VA_ARGS__)
#define CASE2(...) CASE2_(__COUNTER__ - first_case, __VA_ARGS__)
#define CASE3(...) CASE3_(__COUNTER__ - first_case, __VA_ARGS__)

#define CASE1_(N, name, ulps, D, A, text)                                                                              \
    KERNEL((N), D, asm volatile(text : "=" KEY_##D(r) : KEY_##A(LOAD(A, a))))                                          \
    ENTRY((N), name, ulps, V_##A, V_NONE, V_NONE, V_##D)
#define CASE2_(N, name, ulps, D, A, B, text)                                                                           \
    KERNEL((N), D, asm volatile(text : "=" KEY_##D(r) : KEY_##A(LOAD(A, a)), KEY_##B(LOAD(B, b))))                     \
    ENTRY((N), name, ulps, V_##A, V_##B, V_NONE, V_##D)
#define CASE3_(N, name, ulps, D, A, B, C, text)                                                                        \
    KERNEL((N), D,                                                                                                     \
           asm volatile(text                                                                                           \
                        : "=" KEY_##D(r)                                                                               \
                        : KEY_##A(LOAD(A, a)), KEY_##B(LOAD(B, b)), KEY_##C(LOAD(C, c))))                              \
    ENTRY((N), name, ulps, V_##A, V_##B, V_##C, V_##D)

/* The instruction alone, its operands in the usual order. */
#define UNARY(op, D, A) CASE1(op, 0, D, A, op " %0, %1;")
#define BINARY(op, D, A, B) CASE2(op, 0, D, A, B, op " %0, %1, %2;")
#define TERNARY(op, D, A, B, C) CASE3(op, 0, D, A, B, C, op " %0, %1, %2, %3;")

/* The same with one type throughout, in an argument order that the lists of types below can call. */
#define SAME1(type, T, op) UNARY(op type, T, T)
#define SAME2(type, T, op) BINARY(op type, T, T, T)
#define SAME3(type, T, op) TERNARY(op type, T, T, T, T)

/* X(".type", TYPE, more...) */
#define S_TYPES(X, ...) X(".s16", S16, __VA_ARGS__) X(".s32", S32, __VA_ARGS__) X(".s64", S64, __VA_ARGS__)
#define U_TYPES(X, ...) X(".u16", U16, __VA_ARGS__) X(".u32", U32, __VA_ARGS__) X(".u64", U64, __VA_ARGS__)
#define B_TYPES(X, ...) X(".b16", U16, __VA_ARGS__) X(".b32", U32, __VA_ARGS__) X(".b64", U64, __VA_ARGS__)
#define INTEGERS(X, ...) S_TYPES(X, __VA_ARGS__) U_TYPES(X, __VA_ARGS__)
#define WORDS(X, ...)                                                                                                  \
    X(".u32", U32, __VA_ARGS__) X(".s32", S32, __VA_ARGS__) X(".u64", U64, __VA_ARGS__) X(".s64", S64, __VA_ARGS__)

/* X("comparison", more...): of bits, signed and unsigned integers, floating point. */
#define COMPARE_B(X, ...) X("eq", __VA_ARGS__) X("ne", __VA_ARGS__)
#define COMPARE_S(X, ...)                                                                                              \
    COMPARE_B(X, __VA_ARGS__) X("lt", __VA_ARGS__) X("le", __VA_ARGS__) X("gt", __VA_ARGS__) X("ge", __VA_ARGS__)
#define COMPARE_U(X, ...)                                                                                              \
    COMPARE_S(X, __VA_ARGS__) X("lo", __VA_ARGS__) X("ls", __VA_ARGS__) X("hi", __VA_ARGS__) X("hs", __VA_ARGS__)
#define COMPARE_F(X, ...)                                                                                              \
    COMPARE_S(X, __VA_ARGS__) X("equ", __VA_ARGS__) X("neu", __VA_ARGS__) X("ltu", __VA_ARGS__) X("leu", __VA_ARGS__)  \
    X("gtu", __VA_ARGS__) X("geu", __VA_ARGS__) X("num", __VA_ARGS__) X("nan", __VA_ARGS__)

/* setp gives predicates: 1 for p and 2 for q in the output. The third operand of a boolean combination is the sign of
 * the third input. */
#define PREDICATES "{ .reg .pred p, q, s; .reg .b32 x, y; "
#define STORE_P    "selp.b32 %0, 1, 0, p; }"
#define STORE_PQ   "selp.b32 x, 1, 0, p; selp.b32 y, 2, 0, q; or.b32 %0, x, y; }"
#define SETP(compare, type, T)                                                                                         \
    CASE2("setp." compare type, 0, U32, T, T, PREDICATES "setp." compare type " p, %1, %2; " STORE_P)
#define SETP_PQ(compare, type, T)                                                                                      \
    CASE2("setp." compare type "/pq", 0, U32, T, T, PREDICATES "setp." compare type " p|q, %1, %2; " STORE_PQ)
#define SETP_BOOL(op, type, T, operand, destination, store, variant)                                                   \
    CASE3("setp." op type variant, 0, U32, T, T, S32,                                                                  \
          PREDICATES "setp.lt.s32 s, %3, 0; setp." op type " " destination ", %1, %2, " operand "; " store)
#define SETP_BOOLS(type, T, compare, destination, store)                                                               \
    SETP_BOOL(compare ".and", type, T, "s", destination, store, )                                                      \
    SETP_BOOL(compare ".or", type, T, "s", destination, store, )                                                       \
    SETP_BOOL(compare ".xor", type, T, "s", destination, store, )                                                      \
    SETP_BOOL(compare ".and", type, T, "!s", destination, store, "/not")                                               \
    SETP_BOOL(compare ".or", type, T, "!s", destination, store, "/not")                                                \
    SETP_BOOL(compare ".xor", type, T, "!s", destination, store, "/not")
#define SETP_BOOLS_P(type, T, compare) SETP_BOOLS(type, T, compare, "p", STORE_P)
#define SETP_BOOLS_PQ(type, T, compare) SETP_BOOLS(type, T, compare, "p|q", STORE_PQ)

/* set: types is ".dtype.stype", with .ftz in front if need be. */
#define SET(compare, types, D, T) BINARY("set." compare types, D, T, T)
#define SET_BOOL(op, types, D, T)                                                                                      \
    CASE3("set." op types, 0, D, T, T, S32, PREDICATES "setp.lt.s32 s, %3, 0; set." op types " %0, %1, %2, s; }")
#define SET_BOOLS(compare, types, D, T)                                                                                \
    SET_BOOL(compare ".and", types, D, T) SET_BOOL(compare ".or", types, D, T) SET_BOOL(compare ".xor", types, D, T)

template <class Sequence> struct table;
template <int... N> struct table<std::integer_sequence<int, N...>> {
    static constexpr conformance_case rows[] = {entry<N>::row...};
};

/* At the end of the file, inside the namespace and outside it. */
#define CASE_COUNT enum { case_count = __COUNTER__ - first_case };
#define CASE_TABLE(family)                                                                                             \
    const conformance_table conformance_##family = {                                                                   \
        #family, family##_cases::table<std::make_integer_sequence<int, family##_cases::case_count>>::rows,             \
        family##_cases::case_count};
