/* The simulator's integer, bit, move and selection handlers against a scalar model in 128-bit arithmetic:
 * full and partial masks, destinations that are sources, random and special values. */
#include "exec/lanes_case.h"

/* ---- the model ---- */

static big clamp32(big x) {
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}
static big absolute(big x) {
    return x < 0 ? -x : x;
}
static big smaller(big x, big y) {
    return x < y ? x : y;
}
static big larger(big x, big y) {
    return x > y ? x : y;
}
static big quotient(big x, big y) /* by zero: all ones */
{
    return y == 0 ? -1 : x / y;
}
static big modulus(big x, big y) {
    return y == 0 ? -1 : x % y;
}
static int top_bit(uint64_t x) /* -1 for 0 */
{
    int place = 63;
    while (place >= 0 && !bit(x, place)) {
        place--;
    }
    return place;
}
static int ones(uint64_t x) {
    int n = 0;
    for (int k = 0; k < 64; k++) {
        n += bit(x, k);
    }
    return n;
}
static uint64_t reversed(uint64_t x, int bits) {
    uint64_t r = 0;
    for (int k = 0; k < bits; k++) {
        r |= (uint64_t)bit(x, k) << (bits - 1 - k);
    }
    return r;
}
static uint64_t flipped(uint64_t x, int bits) /* a negative number's complement */
{
    return sign(x, bits) < 0 ? (uint64_t)cut(~(big)x, bits) : x;
}
static uint64_t shift_amount(uint64_t x, int bits) {
    return top_bit(x) < 0 ? 0xffffffff : (uint64_t)(bits - 1 - top_bit(x));
}
static uint64_t field(uint64_t x, uint64_t b, uint64_t c, int bits, bool is_signed) /* the manual's bfe, bit by bit */
{
    /* but with 64 bits place and length are not taken mod 256 */
    const int pos = bits == 32 ? b & 255 : b > 255 ? 255 : b, len = bits == 32 ? c & 255 : c > 255 ? 255 : c;
    const int msb = bits - 1;
    const int sbit = !is_signed || len == 0 ? 0 : bit(x, pos + len - 1 < msb ? pos + len - 1 : msb);
    uint64_t d = 0;
    for (int k = 0; k <= msb; k++) {
        d |= (uint64_t)(k < len && pos + k <= msb ? bit(x, pos + k) : sbit) << k;
    }
    return d;
}
static uint64_t inserted(uint64_t x, uint64_t into, uint64_t c, uint64_t d, int bits) {
    const int pos = c & 255, len = d & 255;
    for (int k = 0; k < len && pos + k < bits; k++) {
        into = (into & ~((uint64_t)1 << (pos + k))) | (uint64_t)bit(x, k) << (pos + k);
    }
    return into;
}
static uint64_t bit_mask(uint64_t a, uint64_t b, bool clamp) {
    const uint64_t from = clamp ? a : a & 31, n = clamp ? b : b & 31;
    uint64_t d = 0;
    for (uint64_t k = 0; k < 32; k++) {
        d |= (uint64_t)(k >= from && k < from + n) << k;
    }
    return d;
}
static uint64_t extended(uint64_t a, uint64_t b, bool clamp, bool is_signed) {
    const uint64_t n = clamp ? b : b & 31;
    return n == 0 ? 0 : n >= 32 ? a : (uint64_t)cut(is_signed ? sign(a, (int)n) : cut(a, (int)n), 32);
}
static uint64_t nth(uint64_t mask, uint64_t base, uint64_t offset) /* the manual's fns */
{
    const int64_t off = (int32_t)offset;
    if (base > 31) {
        return 0xffffffff;
    }
    if (off == 0) {
        return bit(mask, (int)base) ? base : 0xffffffff;
    }
    int64_t count = llabs(off) - 1;
    for (int64_t pos = (int64_t)base; pos >= 0 && pos<32; pos += off> 0 ? 1 : -1) {
        if (bit(mask, (int)pos)) {
            if (count == 0) {
                return (uint64_t)pos;
            }
            count--;
        }
    }
    return 0xffffffff;
}
static big part(uint64_t x, int k, int bits, bool is_signed) {
    return is_signed ? sign(x >> (k * bits), bits) : cut(x >> (k * bits), bits);
}
static uint64_t dot4(uint64_t a, uint64_t b, uint64_t c, bool sa, bool sb) {
    big d = (big)c;
    for (int k = 0; k < 4; k++) {
        d += part(a, k, 8, sa) * part(b, k, 8, sb);
    }
    return (uint64_t)cut(d, 32);
}
static uint64_t dot2(uint64_t a, uint64_t b, uint64_t c, bool sa, bool sb, int from) {
    big d = (big)c;
    for (int k = 0; k < 2; k++) {
        d += part(a, k, 16, sa) * part(b, from + k, 8, sb);
    }
    return (uint64_t)cut(d, 32);
}
static uint64_t differences(uint64_t a, uint64_t b, uint64_t c, int bits, bool is_signed, bool sum) {
    uint64_t d = sum ? c : 0;
    for (int k = 0; k < 32 / bits; k++) {
        const uint64_t t = (uint64_t)absolute(part(a, k, bits, is_signed) - part(b, k, bits, is_signed));
        d = sum ? d + t : d | t << (k * bits);
    }
    return (uint64_t)cut(d, 32);
}
static uint64_t halves(big low, big high) {
    return (uint64_t)(cut(low, 16) | cut(high, 16) << 16);
}
static uint64_t lut(uint64_t a, uint64_t b, uint64_t c, int64_t imm) {
    uint64_t d = 0;
    for (int k = 0; k < 32; k++) {
        d |= (uint64_t)bit((uint64_t)imm, bit(a, k) * 4 + bit(b, k) * 2 + bit(c, k)) << k;
    }
    return d;
}
static uint64_t funnel(uint64_t a, uint64_t b, uint64_t c, bool left, bool clamp) {
    const int n = clamp ? (int)(c > 32 ? 32 : c) : (int)(c & 31);
    const ubig pair = (ubig)b << 32 | a;
    return (uint64_t)cut((big)(left ? pair << n >> 32 : pair >> n), 32);
}
static uint64_t bytes(uint64_t a, uint64_t b, const char *digits, uint64_t c) /* as the manual's tables are written */
{
    uint64_t d = 0;
    for (int k = 0; k < 4; k++) {
        const int selector = digits ? digits[4 * (c & 3) + 3 - (uint64_t)k] - '0' : (int)(c >> (4 * k) & 15);
        const uint64_t from = (selector & 4 ? b : a) >> (8 * (selector & 3)) & 255;
        d |= (selector & 8 ? (bit(from, 7) ? 255 : 0) : from) << (8 * k);
    }
    return d;
}
static bool chooses_a(uint64_t c, bool ftz) {
    const float f = as_float(c);
    return (ftz && fpclassify(f) == FP_SUBNORMAL ? 0.0f : f) >= 0;
}

/* ---- the harness ---- */

typedef uint64_t lane_model(uint64_t a, uint64_t b, uint64_t c, uint64_t e, const insn *i, int p);
typedef struct instruction {
    const char *name, *shape;
    sim_handler *run;
    lane_model *model;
} instruction;

/* shape: d=abc..., h w l as in ops.def, p a predicate source (the model's p). */
static void check(const instruction *in) {
    const int sources = (int)strlen(in->shape) - 2;
    for (int round = 0; round < 400; round++) {
        insn i = {.imm = (int64_t)(random64() & 255), .ftz = round & 1, .relu = round >> 1 & 1};
        const uint32_t mask = random_mask(round);
        for (int k = 0; k < 16; k++) {
            *predicate(registers, k) = (uint32_t)random64();
        }
        int from[4] = {0};
        i.op[0] = SLOT_BYTES;
        fill(1, in->shape[0]);
        for (int s = 0; s < sources; s++) {
            const char type = in->shape[2 + s];
            from[s] = 2 + s;
            i.op[1 + s] = (uint32_t)(2 + s) * SLOT_BYTES;
            fill(2 + s, type);
            if (type == 'p') {
                i.op[1 + s] = 16;
            } else if (type == in->shape[0] && round % 5 == 1 + s) { /* the destination is this source */
                from[s] = 1;
                i.op[1 + s] = SLOT_BYTES;
            }
        }
        memcpy(expected, registers, sizeof registers);
        for (int l = 0; l < LANES; l++) {
            uint64_t v[4] = {0};
            for (int s = 0; s < sources; s++) {
                v[s] = lane(registers, from[s], in->shape[2 + s], l);
            }
            if (mask >> l & 1) {
                const uint64_t d = in->model(v[0], v[1], v[2], v[3], &i, bit(*predicate(registers, 0), l));
                set_lane(expected, 1, in->shape[0], l, in->shape[0] == 'h' ? d & 0xffff : d);
            }
        }
        in->run(&the_warp, &i, mask);
        for (int l = 0; l < LANES; l++) {
            if (lane(registers, 1, in->shape[0], l) != lane(expected, 1, in->shape[0], l)) {
                fail_msg("%s round %d lane %d: %llx instead of %llx", in->name, round, l,
                         (unsigned long long)lane(registers, 1, in->shape[0], l),
                         (unsigned long long)lane(expected, 1, in->shape[0], l));
            }
        }
        assert_memory_equal(registers, expected, sizeof registers);
    }
}

/* The list of handlers: INTEGER(name, shape, the value of a lane). */
#define UNSIGNED_SIGNED(X, ...) X(u, cut, __VA_ARGS__) X(s, sign, __VA_ARGS__)
#define BY_TYPE(u_or_s, read, bits, t)                                                                                 \
    INTEGER(mul_hi_##u_or_s##bits, #t "=" #t #t,                                                                       \
            (uint64_t)cut((big)((ubig)read(a, bits) * (ubig)read(b, bits)) >> bits, bits))                             \
    INTEGER(mad_hi_##u_or_s##bits, #t "=" #t #t #t,                                                                    \
            (uint64_t)cut(((big)((ubig)read(a, bits) * (ubig)read(b, bits)) >> bits) + (big)c, bits))                  \
    INTEGER(div_##u_or_s##bits, #t "=" #t #t, (uint64_t)cut(quotient(read(a, bits), read(b, bits)), bits))             \
    INTEGER(rem_##u_or_s##bits, #t "=" #t #t, (uint64_t)cut(modulus(read(a, bits), read(b, bits)), bits))              \
    INTEGER(sad_##u_or_s##bits, #t "=" #t #t #t,                                                                       \
            (uint64_t)cut((big)c + absolute(read(a, bits) - read(b, bits)), bits))                                     \
    INTEGER(shr_##u_or_s##bits, #t "=" #t "w", (uint64_t)cut(read(a, bits) >> (b > 100 ? 100 : b), bits))
#define BY_TYPE_PLAIN(u_or_s, read, bits, t)                                                                           \
    INTEGER(min_##u_or_s##bits, #t "=" #t #t, (uint64_t)cut(smaller(read(a, bits), read(b, bits)), bits))              \
    INTEGER(max_##u_or_s##bits, #t "=" #t #t, (uint64_t)cut(larger(read(a, bits), read(b, bits)), bits))
#define BY_WIDTH(bits, t)                                                                                              \
    INTEGER(add_b##bits, #t "=" #t #t, (uint64_t)cut((big)a + (big)b, bits))                                           \
    INTEGER(sub_b##bits, #t "=" #t #t, (uint64_t)cut((big)a - (big)b, bits))                                           \
    INTEGER(mul_lo_b##bits, #t "=" #t #t, (uint64_t)cut((big)((ubig)a * b), bits))                                     \
    INTEGER(mad_lo_b##bits, #t "=" #t #t #t, (uint64_t)cut((big)((ubig)a * b + c), bits))                              \
    INTEGER(abs_s##bits, #t "=" #t, (uint64_t)cut(absolute(sign(a, bits)), bits))                                      \
    INTEGER(neg_s##bits, #t "=" #t, (uint64_t)cut(-sign(a, bits), bits))                                               \
    INTEGER(not_b##bits, #t "=" #t, (uint64_t)cut(~(big)a, bits))                                                      \
    INTEGER(shl_b##bits, #t "=" #t "w", b >= bits ? 0 : (uint64_t)cut((big)((ubig)a << b), bits))
#define BY_WIDE_WIDTH(bits, t)                                                                                         \
    INTEGER(and_b##bits, #t "=" #t #t, a &b)                                                                           \
    INTEGER(or_b##bits, #t "=" #t #t, a | b)                                                                           \
    INTEGER(xor_b##bits, #t "=" #t #t, a ^ b)                                                                          \
    INTEGER(cnot_b##bits, #t "=" #t, a == 0 ? 1 : 0)                                                                   \
    INTEGER(popc_b##bits, "w=" #t, (uint64_t)ones(a))                                                                  \
    INTEGER(clz_b##bits, "w=" #t, (uint64_t)(bits - 1 - top_bit(a)))                                                   \
    INTEGER(brev_b##bits, #t "=" #t, reversed(a, bits))                                                                \
    INTEGER(bfind_u##bits, "w=" #t, (uint64_t)top_bit(a))                                                              \
    INTEGER(bfind_s##bits, "w=" #t, (uint64_t)top_bit(flipped(a, bits)))                                               \
    INTEGER(bfind_shiftamt_u##bits, "w=" #t, shift_amount(a, bits))                                                    \
    INTEGER(bfind_shiftamt_s##bits, "w=" #t, shift_amount(flipped(a, bits), bits))                                     \
    INTEGER(bfe_u##bits, #t "=" #t "ww", field(a, b, c, bits, false))                                                  \
    INTEGER(bfe_s##bits, #t "=" #t "ww", field(a, b, c, bits, true))                                                   \
    INTEGER(bfi_b##bits, #t "=" #t #t "ww", inserted(a, b, c, e, bits))                                                \
    INTEGER(mov_b##bits, #t "=" #t, a)                                                                                 \
    INTEGER(selp_b##bits, #t "=" #t #t "p", p ? a : b)                                                                 \
    INTEGER(slct_b##bits##_s32, #t "=" #t #t "w", (int32_t)c >= 0 ? a : b)                                             \
    INTEGER(slct_b##bits##_f32, #t "=" #t #t "w", chooses_a(c, i->ftz) ? a : b)
#define BY_SIGN(u_or_s, read, unused)                                                                                  \
    INTEGER(mul_wide_##u_or_s##16, "w=hh", (uint64_t)cut(read(a, 16) * read(b, 16), 32))                               \
    INTEGER(mul_wide_##u_or_s##32, "l=ww", (uint64_t)cut(read(a, 32) * read(b, 32), 64))                               \
    INTEGER(mad_wide_##u_or_s##16, "w=hhw", (uint64_t)cut(read(a, 16) * read(b, 16) + (big)c, 32))                     \
    INTEGER(mad_wide_##u_or_s##32, "l=wwl", (uint64_t)cut(read(a, 32) * read(b, 32) + (big)c, 64))                     \
    INTEGER(mul24_lo_##u_or_s##32, "w=ww", (uint64_t)cut(read(a, 24) * read(b, 24), 32))                               \
    INTEGER(mul24_hi_##u_or_s##32, "w=ww", (uint64_t)cut(read(a, 24) * read(b, 24) >> 16, 32))                         \
    INTEGER(mad24_lo_##u_or_s##32, "w=www", (uint64_t)cut(read(a, 24) * read(b, 24) + (big)c, 32))                     \
    INTEGER(mad24_hi_##u_or_s##32, "w=www", (uint64_t)cut((read(a, 24) * read(b, 24) >> 16) + (big)c, 32))
#define BY_SIGNS(sa, sb, name_a, name_b)                                                                               \
    INTEGER(dp4a_##name_a##_##name_b, "w=www", dot4(a, b, c, sa, sb))                                                  \
    INTEGER(dp2a_lo_##name_a##_##name_b, "w=www", dot2(a, b, c, sa, sb, 0))                                            \
    INTEGER(dp2a_hi_##name_a##_##name_b, "w=www", dot2(a, b, c, sa, sb, 2))
#define RELU_OF(x) (i->relu ? larger(x, 0) : (x))
#define BY_PICK(op, pick)                                                                                              \
    INTEGER(op##_s32, "w=ww", (uint64_t)cut(RELU_OF(pick(sign(a, 32), sign(b, 32))), 32))                              \
    INTEGER(op##_u16x2, "w=ww",                                                                                        \
            halves(pick(part(a, 0, 16, 0), part(b, 0, 16, 0)), pick(part(a, 1, 16, 0), part(b, 1, 16, 0))))            \
    INTEGER(op##_s16x2, "w=ww",                                                                                        \
            halves(RELU_OF(pick(part(a, 0, 16, 1), part(b, 0, 16, 1))),                                                \
                   RELU_OF(pick(part(a, 1, 16, 1), part(b, 1, 16, 1)))))
/* clang-format off */
#define INTEGERS                                                                                                       \
    BY_WIDTH(16, h)                                                                                                    \
    BY_WIDTH(32, w)                                                                                                    \
    BY_WIDTH(64, l)                                                                                                    \
    BY_WIDE_WIDTH(32, w) BY_WIDE_WIDTH(64, l) UNSIGNED_SIGNED(BY_TYPE, 16, h) UNSIGNED_SIGNED(                         \
        BY_TYPE, 32, w) UNSIGNED_SIGNED(BY_TYPE, 64, l) UNSIGNED_SIGNED(BY_TYPE_PLAIN, 16,                             \
                                                                        h) UNSIGNED_SIGNED(BY_TYPE_PLAIN, 64, l)       \
        BY_TYPE_PLAIN(u, cut, 32, w) UNSIGNED_SIGNED(BY_SIGN, 0) BY_PICK(min, smaller) BY_PICK(max, larger) BY_SIGNS(  \
            0, 0, u32, u32) BY_SIGNS(0, 1, u32, s32) BY_SIGNS(1, 0, s32, u32) BY_SIGNS(1, 1, s32, s32)                 \
            INTEGER(add_b16x2, "w=ww", halves((big)a + (big)b, (big)(a >> 16) + (big)(b >> 16))) INTEGER(              \
                add_sat_s32, "w=ww", (uint64_t)cut(clamp32(sign(a, 32) + sign(b, 32)), 32))                            \
                INTEGER(sub_sat_s32, "w=ww", (uint64_t)cut(clamp32(sign(a, 32) - sign(b, 32)), 32)) INTEGER(           \
                    mad_hi_sat_s32,                                                                                    \
                    "w=www", (uint64_t)cut(clamp32((sign(a, 32) * sign(b, 32) >> 32) + sign(c, 32)), 32))              \
                    INTEGER(                                                                                           \
                        mad24_hi_sat_s32, "w=www",                                                                     \
                        (uint64_t)cut(clamp32(sign((uint64_t)(sign(a, 24) * sign(b, 24) >> 16), 32) + sign(c, 32)),    \
                                      32)) INTEGER(fns_b32, "w=www",                                                   \
                                                   nth(a, b, c)) INTEGER(bmsk_clamp_b32, "w=ww", bit_mask(a, b, true)) \
                        INTEGER(bmsk_wrap_b32, "w=ww", bit_mask(a, b, false)) INTEGER(                                 \
                            szext_clamp_u32, "w=ww",                                                                   \
                            extended(a, b, true, false)) INTEGER(szext_clamp_s32, "w=ww", extended(a, b, true, true))  \
                            INTEGER(szext_wrap_u32, "w=ww", extended(a, b, false, false)) INTEGER(                     \
                                szext_wrap_s32,                                                                        \
                                "w=ww",                                                                                \
                                extended(a, b, false,                                                                  \
                                         true)) INTEGER(vabsdiff4_u32, "w=www", differences(a, b, c, 8, false, false)) \
                                INTEGER(vabsdiff4_s32, "w=www", differences(a, b, c, 8, true, false)) INTEGER(         \
                                    vabsdiff2_u32, "w=www",                                                            \
                                    differences(a, b, c, 16, false, false))                                            \
                                    INTEGER(vabsdiff2_s32, "w=www", differences(a, b, c, 16, true, false)) INTEGER(    \
                                        vabsdiff4_add_u32, "w=www",                                                    \
                                        differences(a, b, c, 8, false,                                                 \
                                                    true)) INTEGER(vabsdiff4_add_s32, "w=www",                         \
                                                                   differences(a, b, c, 8, true, true))                \
                                        INTEGER(vabsdiff2_add_u32, "w=www", differences(a, b, c, 16, false, true))     \
                                            INTEGER(vabsdiff2_add_s32, "w=www", differences(a, b, c, 16, true, true))  \
                                                INTEGER(lop3_b32, "w=www",                                             \
                                                        lut(a, b, c, i->imm)) INTEGER(shf_l_wrap_b32, "w=www",         \
                                                                                      funnel(a, b, c, true, false))    \
                                                    INTEGER(shf_r_wrap_b32, "w=www", funnel(a, b, c, false, false))    \
                                                        INTEGER(shf_l_clamp_b32, "w=www", funnel(a, b, c, true, true)) \
                                                            INTEGER(shf_r_clamp_b32, "w=www",                          \
                                                                    funnel(a, b, c, false, true))                      \
                                                                INTEGER(prmt_b32, "w=www", bytes(a, b, NULL, c))       \
                                                                    INTEGER(prmt_f4e_b32, "w=www",                     \
                                                                            bytes(a, b,                                \
                                                                                  "3210"                               \
                                                                                  "4321"                               \
                                                                                  "5432"                               \
                                                                                  "6543",                              \
                                                                                  c)) INTEGER(prmt_b4e_b32, "w=www",   \
                                                                                              bytes(a, b,              \
                                                                                                    "5670"             \
                                                                                                    "6701"             \
                                                                                                    "7012"             \
                                                                                                    "0123",            \
                                                                                                    c))                \
                                                                        INTEGER(prmt_rc8_b32, "w=www",                 \
                                                                                bytes(a, b,                            \
                                                                                      "0000"                           \
                                                                                      "1111"                           \
                                                                                      "2222"                           \
                                                                                      "3333",                          \
                                                                                      c))                              \
                                                                            INTEGER(prmt_ecl_b32, "w=www",             \
                                                                                    bytes(a, b,                        \
                                                                                          "3210"                       \
                                                                                          "3211"                       \
                                                                                          "3222"                       \
                                                                                          "3333",                      \
                                                                                          c))                          \
                                                                                INTEGER(prmt_ecr_b32, "w=www",         \
                                                                                        bytes(a, b,                    \
                                                                                              "0000"                   \
                                                                                              "1110"                   \
                                                                                              "2210"                   \
                                                                                              "3210",                  \
                                                                                              c))                      \
                                                                                    INTEGER(prmt_rc16_b32, "w=www",    \
                                                                                            bytes(a, b,                \
                                                                                                  "1010"               \
                                                                                                  "3232"               \
                                                                                                  "1010"               \
                                                                                                  "3232",              \
                                                                                                  c))
/* clang-format on */

#define INTEGER(name, shape, value)                                                                                    \
    DECLARE(name)                                                                                                      \
    static uint64_t model_##name(uint64_t a, uint64_t b, uint64_t c, uint64_t e, const insn *i, int p) {               \
        return value;                                                                                                  \
    }
INTEGERS
#undef INTEGER

static void test_integer(void **state) {
    static const instruction all[] = {
#define INTEGER(name, shape, value) {#name, shape, HANDLER_OF(name), model_##name},
        INTEGERS
#undef INTEGER
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        check(&all[k]);
    }
    print_message("%zu handlers\n", sizeof all / sizeof *all);
}

/* ---- extended precision ---- */

typedef struct adder {
    const char *name;
    sim_handler *run;
    int bits;
    char x;      /* a: a + b; s: a + ~b; l, h, H: the low, high, signed high half of a * b, plus c */
    int flag_in; /* 0, 1, or -1: the flag */
    bool flag_out;
} adder;
/* clang-format off */
#define ADDERS_OF(bits, flag)                                                                                          \
    ADDER(add_cc_b##bits, bits, 'a', 0, 1)                                                                             \
    ADDER(addc_b##bits, bits, 'a', -1, 0)                                                                              \
    ADDER(addc_cc_b##bits, bits, 'a', -1, 1)                                                                           \
    ADDER(sub_cc_b##bits, bits, 's', 1, 1) ADDER(subc_b##bits, bits, 's', -1, 0)                                       \
        ADDER(subc_cc_b##bits, bits, 's', -1, 1) ADDER(mad_lo_cc_b##bits, bits, 'l', 0, 1)                             \
            ADDER(mad_hi_cc_u##bits, bits, 'h', 0, 1) ADDER(mad_hi_cc_s##bits, bits, 'H', 0, 1)                        \
                ADDER(madc_lo_b##bits, bits, 'l', -1, 0) ADDER(madc_hi_u##bits, bits, 'h', -1, 0)                      \
                    ADDER(madc_hi_s##bits, bits, 'H', -1, 0) ADDER(madc_lo_cc_b##bits, bits, 'l', -1, 1)               \
                        ADDER(madc_hi_cc_u##bits, bits, 'h', -1, 1) ADDER(madc_hi_cc_s##bits, bits, 'H', -1, 1)
/* clang-format on */
#define ADDER(name, bits, x, in, out) DECLARE(name)
ADDERS_OF(32, 0)
ADDERS_OF(64, 0)
#undef ADDER
#define ADDER(name, bits, x, in, out) {#name, HANDLER_OF(name), bits, x, in, out},
static const adder adders[] = {ADDERS_OF(32, 0) ADDERS_OF(64, 0)};

static void test_extended_precision(void **state) {
    for (size_t n = 0; n < sizeof adders / sizeof *adders; n++) {
        const adder *in = &adders[n];
        const char type = in->bits == 64 ? 'l' : 'w';
        for (int round = 0; round < 400; round++) {
            insn i = {.op = {SLOT_BYTES, 2 * SLOT_BYTES, 3 * SLOT_BYTES, 4 * SLOT_BYTES}};
            const int from[3] = {round % 5 == 1 ? 1 : 2, round % 5 == 2 ? 1 : 3, round % 5 == 3 ? 1 : 4};
            for (int k = 0; k < 4; k++) {
                fill(1 + k, type);
                i.op[k] = (uint32_t)SLOT_BYTES * (uint32_t)(k == 0 ? 1 : from[k - 1]);
            }
            const uint32_t mask = random_mask(round), flag = (uint32_t)random64();
            uint32_t flag_after = flag;
            memcpy(expected, registers, sizeof registers);
            for (int l = 0; l < LANES; l++) {
                const uint64_t a = lane(registers, from[0], type, l), b = lane(registers, from[1], type, l);
                const uint64_t c = lane(registers, from[2], type, l);
                const big product = in->x == 'H' ? sign(a, in->bits) * sign(b, in->bits) : (big)((ubig)a * b);
                const big high = in->x == 'H' ? product >> in->bits : (big)((ubig)product >> in->bits);
                const big x = in->x == 'a' || in->x == 's' ? (big)a : in->x == 'l' ? product : high;
                const big y = in->x == 'a' ? (big)b : in->x == 's' ? ~(big)b : (big)c;
                const big sum = cut(x, in->bits) + cut(y, in->bits) + (in->flag_in < 0 ? bit(flag, l) : in->flag_in);
                if (mask >> l & 1) {
                    set_lane(expected, 1, type, l, (uint64_t)cut(sum, in->bits));
                    if (in->flag_out) {
                        flag_after = (flag_after & ~(1u << l)) | (uint32_t)(sum >> in->bits & 1) << l;
                    }
                }
            }
            the_frame.carry = flag;
            in->run(&the_warp, &i, mask);
            if (memcmp(registers, expected, sizeof registers) != 0 || the_frame.carry != flag_after) {
                fail_msg("%s round %d", in->name, round);
            }
        }
    }
}

/* sub.cc, subc.cc, subc subtract 96 bits; add.cc, addc add 64. */
static void test_borrow_chain(void **state) {
    for (int round = 0; round < 400; round++) {
        for (int k = 1; k <= 6; k++) {
            fill(k, 'w');
        }
        memcpy(expected, registers, sizeof registers);
        for (uint32_t k = 0; k < 3; k++) {
            const insn i = {.op = {(7 + k % 3) * SLOT_BYTES, (1 + k) * SLOT_BYTES, (4 + k) * SLOT_BYTES}};
            sim_handler *const run[3] = {HANDLER_OF(sub_cc_b32), HANDLER_OF(subc_cc_b32), HANDLER_OF(subc_b32)};
            run[k](&the_warp, &i, ALL_LANES);
        }
        for (int l = 0; l < LANES; l++) {
            ubig x[3] = {0};
            for (int n = 0; n < 3; n++) {
                for (int k = 2; k >= 0; k--) {
                    x[n] = x[n] << 32 | lane(registers, 1 + 3 * n + k, 'w', l);
                }
            }
            assert_true(cut((big)(x[0] - x[1]), 96) == (big)x[2]);
        }
    }
}

/* ---- predicates ---- */

DECLARE(and_pred)
DECLARE(or_pred)
DECLARE(xor_pred)
DECLARE(not_pred)
DECLARE(mov_pred)
DECLARE(lop3_and_b32)
DECLARE(lop3_or_b32)

static void test_predicates(void **state) {
    static sim_handler *const run[5] = {HANDLER_OF(and_pred), HANDLER_OF(or_pred), HANDLER_OF(xor_pred),
                                        HANDLER_OF(not_pred), HANDLER_OF(mov_pred)};
    static sim_handler *const lop3[2] = {HANDLER_OF(lop3_and_b32), HANDLER_OF(lop3_or_b32)};
    for (int round = 0; round < 300; round++) {
        const uint32_t mask = random_mask(round);
        uint32_t *d = predicate(registers, 0), *a = predicate(registers, 1), *b = predicate(registers, 2);
        const insn i = {.op = {16, 20, 24}};
        for (int k = 0; k < 5; k++) {
            const uint32_t old = *d = (uint32_t)random64(), x = *a = (uint32_t)random64();
            const uint32_t y = *b = (uint32_t)random64();
            const uint32_t want = k == 0 ? x & y : k == 1 ? x | y : k == 2 ? x ^ y : k == 3 ? ~x : x;
            run[k](&the_warp, &i, mask);
            assert_int_equal(*d, (want & mask) | (old & ~mask));
        }
        for (int k = 0; k < 2; k++) {
            const insn j = {.op = {SLOT_BYTES, 16, 2 * SLOT_BYTES, 3 * SLOT_BYTES, 4 * SLOT_BYTES, 20},
                            .imm = round % 4 ? (int64_t)(random64() & 255) : 0x80};
            for (int s = 1; s <= 4; s++) {
                fill(s, 'w');
            }
            memcpy(expected, registers, sizeof registers);
            for (int l = 0; l < LANES; l++) {
                const uint64_t r =
                    lut(lane(registers, 2, 'w', l), lane(registers, 3, 'w', l), lane(registers, 4, 'w', l), j.imm);
                const bool q = bit(*a, l), p = k == 0 ? r != 0 && q : r != 0 || q;
                if (mask >> l & 1) {
                    set_lane(expected, 1, 'w', l, r);
                    *predicate(expected, 0) = (*predicate(expected, 0) & ~(1u << l)) | (uint32_t)p << l;
                }
            }
            lop3[k](&the_warp, &j, mask);
            assert_memory_equal(registers, expected, sizeof registers);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer),
        cmocka_unit_test(test_extended_precision),
        cmocka_unit_test(test_borrow_chain),
        cmocka_unit_test(test_predicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
