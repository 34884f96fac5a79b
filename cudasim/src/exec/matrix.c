/* The tensor cores' instructions: matrices to and from memory, and their products.
 *
 * Every one is .sync.aligned: all 32 lanes of the warp execute the same instruction together. Lanes that have not come
 * yet are waited for; where some never can, the launch stops.
 *
 * How products are computed. Operands are unpacked from the registers into plain arrays (isa/matrix.h says where each
 * element stands), multiplied there, and packed again. f16, bf16, tf32, e4m3, e5m2: op_mma_float below. f64: a chain of
 * fused multiply-adds in ascending k, each rounded as the instruction says. integers:
 * exact; then modulo 2^32, or clamped once with .satfinite. */
#include <fenv.h>
#include <string.h>

#include "base/floats.h"
#include "exec/lanes.h"
#include "exec/tensor_sum.h"
#include "isa/matrix.h"
#include "machine/access.h"
#include "machine/cluster.h"
#include "machine/groups.h"
#include "machine/proxy.h"

/* Are all lanes here? If not, those that are wait for the others. */
static inline bool all_lanes(warp *w, const insn *i, uint32_t mask) {
    if (mask == ALL_LANES) return true;
    const uint32_t run = warp_converge(w, i, mask, U32(5));
    if (run == 0) return false;
    if (run != ALL_LANES)
        sim_fault(w, i, run, SIM_ILLEGAL_INSTRUCTION,
                  "all 32 lanes of a warp must execute it together; lanes %08x have exited or are none of the block's",
                  ~run);
    return true;
}

/* ---- rows of 8 x 8 matrices in shared memory --------------------------------------------------------------------- */

#define ROW_BYTES 16u

static inline void addresses_of(const warp *w, const insn *i, uint64_t *address) {
    if (i->flags & MODE_NARROW) {
        const uint32_t *a = U32(4);
        EACH_LANE address[l] = (uint32_t)(a[l] + (uint32_t)i->imm);
    } else {
        const uint64_t *a = U64(4);
        EACH_LANE address[l] = a[l] + (uint64_t)i->imm;
    }
}

/* Lane l's address is row l mod 8 of matrix l div 8; the lanes past the last matrix give none. False: the
 * instruction comes again (access_resolve). */
static inline bool row_pointers(warp *w, const insn *i, access_kind kind, uint8_t **row) {
    const unsigned rows = 8u * i->vector;
    uint64_t address[LANES];
    addresses_of(w, i, address);
    const uint64_t base = cluster_base(w->block), low = base + SHARED_RESERVED,
                   high = base + w->block->shared_end - ROW_BYTES;
    uint64_t bad = 0;
    for (unsigned l = 0; l < rows; l++)
        bad |= (address[l] & (ROW_BYTES - 1)) | (address[l] < low) | (address[l] > high);
    if (i->space == PTX_SHARED && bad == 0) {
        for (unsigned l = 0; l < rows; l++) row[l] = w->block->shared + (address[l] - base);
        return true;
    }
    const uint32_t used = rows == LANES ? ALL_LANES : (1u << rows) - 1;
    if (!access_resolve(w, i, used, (ptx_space)i->space, address, ROW_BYTES, kind, row)) return false;
    for (unsigned l = 0; l < rows; l++)
        if (row[l] < w->block->shared || row[l] >= w->block->shared + w->block->shared_end)
            sim_fault(w, i, 1u << l, SIM_INVALID_ADDRESS_SPACE, "0x%llx is not in the block's shared memory",
                      (unsigned long long)address[l]);
    return true;
}

/* ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r, [p];
 *   Of each matrix lane l gets two neighbours of a row, the lower one in the low half: row l / 4, columns 2(l mod 4)
 * and one more; with .trans of the transposed matrix: rows 2(l mod 4) and one more of column l / 4. */
HANDLER(op_ldmatrix) {
    if (!all_lanes(w, i, mask)) return;
    uint8_t *row[LANES];
    if (!row_pointers(w, i, ACCESS_READ, row)) return;
    for (unsigned q = 0; q < i->vector; q++) {
        uint16_t m[8][8];
        for (unsigned r = 0; r < 8; r++) memcpy(m[r], row[8 * q + r], ROW_BYTES);
        uint32_t *d = U32(q);
        if (i->flags & MODE_TRANS)
            EACH_LANE d[l] = m[2 * (l % 4)][l / 4] | (uint32_t)m[2 * (l % 4) + 1][l / 4] << 16;
        else
            memcpy(d, m, sizeof m);
    }
}

/* stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [p], r;   the same the other way */
HANDLER(op_stmatrix) {
    if (!all_lanes(w, i, mask)) return;
    uint8_t *row[LANES];
    if (!row_pointers(w, i, ACCESS_WRITE, row)) return;
    for (unsigned q = 0; q < i->vector; q++) {
        uint16_t m[8][8];
        const uint32_t *a = U32(q);
        if (i->flags & MODE_TRANS) {
            for (int l = 0; l < LANES; l++) {
                m[2 * (l % 4)][l / 4] = (uint16_t)a[l];
                m[2 * (l % 4) + 1][l / 4] = (uint16_t)(a[l] >> 16);
            }
        } else {
            memcpy(m, a, sizeof m);
        }
        for (unsigned r = 0; r < 8; r++) {
            memcpy(row[8 * q + r], m[r], ROW_BYTES);
            proxy_wrote(w->block, (uint32_t)(row[8 * q + r] - w->block->shared), ROW_BYTES);
        }
    }
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a;   an 8 x 8 matrix, a row of it in four lanes, transposed */
HANDLER(op_movmatrix) {
    if (!all_lanes(w, i, mask)) return;
    uint16_t m[8][8];
    memcpy(m, U32(1), sizeof m);
    uint32_t *d = U32(0);
    EACH_LANE d[l] = m[2 * (l % 4)][l / 4] | (uint32_t)m[2 * (l % 4) + 1][l / 4] << 16;
}

/* ---- from registers to plain arrays and back --------------------------------------------------------------------- */

#define REGISTER(type, slot) ((type *)__builtin_assume_aligned(w->registers + (slot), 128))

/* to[place of element e of lane l] = value, for all lanes; `value` is computed for all of them first. */
#define PLACE(type, e, value)                                                                                          \
    do {                                                                                                               \
        type v_[LANES];                                                                                                \
        EACH_LANE v_[l] = (value);                                                                                     \
        const uint16_t *at_ = f->at + (e)*LANES;                                                                       \
        for (int l = 0; l < LANES; l++) to[at_[l]] = v_[l];                                                            \
    } while (0)

static inline void unpack_floats(const warp *w, const uint32_t *slots, const fragment *f, double *to) {
    for (unsigned r = 0; r < f->registers; r++) {
        const uint32_t *x = REGISTER(const uint32_t, slots[r]);
        switch (f->type) {
        case MATRIX_F16:
            PLACE(float, 2 * r, f32_of(f16_to_f32(x[l] & 0xffff)));
            PLACE(float, 2 * r + 1, f32_of(f16_to_f32(x[l] >> 16)));
            break;
        case MATRIX_BF16:
            PLACE(float, 2 * r, f32_of(x[l] << 16));
            PLACE(float, 2 * r + 1, f32_of(x[l] & 0xffff0000));
            break;
        case MATRIX_TF32:
            PLACE(float, r, f32_of(x[l] & 0xffffe000));
            break;
        case MATRIX_E4M3:
            for (unsigned e = 0; e < 4; e++)
                PLACE(float, 4 * r + e, f32_of(f16_to_f32(e4m3_to_f16(x[l] >> 8 * e & 0xff))));
            break;
        case MATRIX_E5M2:
            for (unsigned e = 0; e < 4; e++)
                PLACE(float, 4 * r + e, f32_of(f16_to_f32(e5m2_to_f16(x[l] >> 8 * e & 0xff))));
            break;
        default:
            PLACE(float, r, f32_of(x[l]));
        }
    }
}

static inline void pack_floats(const warp *w, const uint32_t *slots, const fragment *f, const double *from) {
    for (unsigned r = 0; r < f->registers; r++) {
        uint32_t *d = REGISTER(uint32_t, slots[r]);
        const uint16_t *at = f->at + r * f->per * LANES;
        double low[LANES], high[LANES];
        for (int l = 0; l < LANES; l++) low[l] = from[at[l]];
        if (f->type == MATRIX_F32) {
            EACH_LANE d[l] = f32_canonical(f32_bits((float)low[l]));
        } else {
            for (int l = 0; l < LANES; l++) high[l] = from[at[LANES + l]];
            EACH_LANE d[l] = f64_to_f16_rn(low[l]) | f64_to_f16_rn(high[l]) << 16;
        }
    }
}

static inline void unpack_integers(const warp *w, const uint32_t *slots, const fragment *f, int32_t *to) {
    for (unsigned r = 0; r < f->registers; r++) {
        const uint32_t *x = REGISTER(const uint32_t, slots[r]);
        for (unsigned e = 0; e < f->per; e++) {
            const unsigned j = r * f->per + e;
            switch (f->type) {
            case MATRIX_S8:
                PLACE(int32_t, j, (int8_t)(x[l] >> 8 * e));
                break;
            case MATRIX_U8:
                PLACE(int32_t, j, (uint8_t)(x[l] >> 8 * e));
                break;
            case MATRIX_S4:
                PLACE(int32_t, j, (int32_t)(x[l] << (28 - 4 * e)) >> 28);
                break;
            case MATRIX_U4:
                PLACE(int32_t, j, (int32_t)(x[l] >> 4 * e & 15));
                break;
            default:
                PLACE(int32_t, j, (int32_t)x[l]);
            }
        }
    }
}

static inline void pack_integers(const warp *w, const uint32_t *slots, const fragment *f, const int32_t *from) {
    for (unsigned r = 0; r < f->registers; r++) {
        uint32_t *d = REGISTER(uint32_t, slots[r]);
        const uint16_t *at = f->at + r * LANES;
        for (int l = 0; l < LANES; l++) d[l] = (uint32_t)from[at[l]];
    }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

#define MOST_A 1024u /* elements */
#define MOST_B 512u
#define MOST_C 256u

typedef int32_t eight_words __attribute__((vector_size(32), aligned(4), may_alias));

/* c += a b: four rows of eight columns at a time. All rows of batch q of a meet batch q of b. */
#define PRODUCT(name, scalar, vector)                                                                                  \
    static inline void name(const matrix_form *f, scalar *c, const scalar *a, const scalar *b) {                       \
        const unsigned n = f->n, k = f->k, rows = f->m * f->batches;                                                   \
        for (unsigned r = 0; r < rows; r += 4) {                                                                       \
            const scalar *x = a + r * k, *y = b + r / f->m * k * n;                                                    \
            for (unsigned j = 0; j < n; j += 8) {                                                                      \
                vector s0, s1, s2, s3;                                                                                 \
                memcpy(&s0, c + r * n + j, sizeof s0);                                                                 \
                memcpy(&s1, c + (r + 1) * n + j, sizeof s1);                                                           \
                memcpy(&s2, c + (r + 2) * n + j, sizeof s2);                                                           \
                memcpy(&s3, c + (r + 3) * n + j, sizeof s3);                                                           \
                for (unsigned p = 0; p < k; p++) {                                                                     \
                    vector line;                                                                                       \
                    memcpy(&line, y + p * n + j, sizeof line);                                                         \
                    s0 += x[p] * line;                                                                                 \
                    s1 += x[p + k] * line;                                                                             \
                    s2 += x[p + 2 * k] * line;                                                                         \
                    s3 += x[p + 3 * k] * line;                                                                         \
                }                                                                                                      \
                memcpy(c + r * n + j, &s0, sizeof s0);                                                                 \
                memcpy(c + (r + 1) * n + j, &s1, sizeof s1);                                                           \
                memcpy(c + (r + 2) * n + j, &s2, sizeof s2);                                                           \
                memcpy(c + (r + 3) * n + j, &s3, sizeof s3);                                                           \
            }                                                                                                          \
        }                                                                                                              \
    }

PRODUCT(product_integers, int32_t, eight_words)

/* The registers of d, a, b, c. */
#define FORM_SLOTS                                                                                                     \
    const matrix_form *f = i->matrix->product;                                                                         \
    const uint32_t *d_slots = i->matrix->slots, *a_slots = d_slots + f->d.registers * f->d.copies,                     \
                   *b_slots = a_slots + f->a.registers * f->a.copies,                                                  \
                   *c_slots = b_slots + f->b.registers * f->b.copies

/* The products of `count` k's, those in `order`, added to c as exec/tensor_sum.h says. */
static inline void add_products(const matrix_form *f, double *c, tensor_matrix a, tensor_matrix b, bool special,
                                const uint8_t *order, unsigned count) {
    const unsigned elements = f->m * f->n;
    const bool halves = f->c.type == MATRIX_F16 && f->d.type == MATRIX_F16;
    double exponent[MOST_C], before[MOST_C];
    special |= tensor_exponents(exponent, c, elements, f->c.type == MATRIX_F16 ? TENSOR_F16 : TENSOR_F32);
    if (special) memcpy(before, c, elements * sizeof *c);
    const tensor_matrix sums = {c, exponent, f->n};
    TENSOR_BEGIN(c);
    tensor_add(sums, a, b, f->m, f->n, order, count, TENSOR_BITS);
    if (!halves)
        for (unsigned j = 0; j < elements; j++) c[j] = tensor_f32(c[j], TENSOR_BITS);
    TENSOR_END(c);
    if (halves)
        for (unsigned j = 0; j < elements; j++) c[j] = (double)f32_of(f16_to_f32(f64_to_f16_rn(c[j]))) + 0.0;
    if (special) tensor_special(sums, before, a, b, f->m, f->n, order, count);
}

/* m8n8k4 of f16: no tensor core of sm_90 does it, it is a chain of fma.rn.f32 in ascending k that begins with 0, and c
 * is added at the end. */
static inline void add_chain(const matrix_form *f, double *c, const double *a, const double *b) {
    for (unsigned r = 0; r < f->m * f->batches; r++)
        for (unsigned j = 0; j < f->n; j++) {
            const double *x = a + r * f->k, *y = b + r / f->m * f->k * f->n + j;
            float sum = 0;
            for (unsigned p = 0; p < f->k; p++) sum = fmaf((float)x[p], (float)y[p * f->n], sum);
            c[r * f->n + j] = sum + (float)c[r * f->n + j];
        }
}

/* mma.sync, wmma.mma of f16, bf16, tf32, e4m3, e5m2: what ptxas makes of them for sm_90. All K of an instruction are
 * one sum (exec/tensor_sum.h), with three exceptions. wmma of tf32 is two sums: k = 0 .. 3 are added to c, then k = 4
 * .. 7 to that. e4m3 and e5m2 are converted to f16 and make two sums, from 0 on: those k whose remainder by 4 is 0 or
 * 1, then the others (the lower and the upper half of each register); c is added at the end, rounded to nearest even.
 * m8n8k4 is add_chain, above.
 *
 * Where only one of c and d is f16, the sum is f32; it is then rounded to nearest even to f16. */
HANDLER(op_mma_float) {
    if (!all_lanes(w, i, mask)) return;
    FORM_SLOTS;
    static const uint8_t ascending[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint8_t lower[16] = {0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29},
                         upper[16] = {2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31};
    double a[MOST_A], b[MOST_B], c[MOST_C], a_exponent[MOST_A], b_exponent[MOST_B];
    unpack_floats(w, a_slots, &f->a, a);
    unpack_floats(w, b_slots, &f->b, b);
    unpack_floats(w, c_slots, &f->c, c);
    if (f->batches > 1) {
        add_chain(f, c, a, b);
        pack_floats(w, d_slots, &f->d, c);
        return;
    }
    const bool bytes = f->a.type == MATRIX_E4M3 || f->a.type == MATRIX_E5M2;
    const double least = f->a.type == MATRIX_F16 || bytes ? TENSOR_F16 : TENSOR_F32;
    const tensor_matrix x = {a, a_exponent, f->k}, y = {b, b_exponent, f->n};
    bool special = tensor_exponents(a_exponent, a, f->m * f->k, least);
    special |= tensor_exponents(b_exponent, b, f->k * f->n, least);
    if (bytes) {
        double sum[MOST_C] = {0};
        add_products(f, sum, x, y, special, lower, f->k / 2);
        add_products(f, sum, x, y, special, upper, f->k / 2);
        for (unsigned j = 0; j < f->m * f->n; j++) c[j] = (float)sum[j] + (float)c[j];
    } else if (f->a.type == MATRIX_TF32 && f->n == 16) {
        add_products(f, c, x, y, special, ascending, 4);
        add_products(f, c, x, y, special, ascending + 4, 4);
    } else {
        add_products(f, c, x, y, special, ascending, f->k);
    }
    pack_floats(w, d_slots, &f->d, c);
}

#ifndef SIM_MATRIX_ROUNDING
#define SIM_MATRIX_ROUNDING
static const int matrix_rounding[] = {[ROUND_DEFAULT] = FE_TONEAREST,
                                      [ROUND_RN] = FE_TONEAREST,
                                      [ROUND_RZ] = FE_TOWARDZERO,
                                      [ROUND_RM] = FE_DOWNWARD,
                                      [ROUND_RP] = FE_UPWARD};
#endif

/* mma.sync{.rnd}, wmma.mma{.rnd} of f64; .rnd = { .rn, .rz, .rm, .rp }. A NaN is made as fma.f64 makes it. */
HANDLER(op_mma_f64) {
    if (!all_lanes(w, i, mask)) return;
    FORM_SLOTS;
    double a[MOST_A], b[MOST_B], c[MOST_C];
    const struct {
        const fragment *f;
        const uint32_t *slots;
        double *to;
    } inputs[] = {{&f->a, a_slots, a}, {&f->b, b_slots, b}, {&f->c, c_slots, c}};
    for (int j = 0; j < 3; j++)
        for (unsigned r = 0; r < inputs[j].f->registers; r++) {
            const double *x = REGISTER(const double, inputs[j].slots[r]);
            for (int l = 0; l < LANES; l++) inputs[j].to[inputs[j].f->at[r * LANES + (unsigned)l]] = x[l];
        }
    fesetround(matrix_rounding[i->rounding]);
    __asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
    for (unsigned r = 0; r < f->m; r++)
        for (unsigned p = 0; p < f->k; p++) {
            const double x = a[r * f->k + p];
            double s[8];
            for (int j = 0; j < 8; j++) s[j] = fma(x, b[p * 8 + (unsigned)j], c[r * 8 + (unsigned)j]);
            for (int j = 0; j < 8; j++) {
                const bool nan = f64_is_nan(f64_bits(s[j]));
                c[r * 8 + (unsigned)j] = nan ? f64_of(f64_nan(f64_bits(b[p * 8 + (unsigned)j]),
                                                              f64_bits(c[r * 8 + (unsigned)j]), f64_bits(x)))
                                             : s[j];
            }
        }
    __asm__ volatile("" : : "r"(c) : "memory");
    fesetround(FE_TONEAREST);
    for (unsigned r = 0; r < f->d.registers; r++) {
        double *d = REGISTER(double, d_slots[r]);
        for (int l = 0; l < LANES; l++) d[l] = c[f->d.at[r * LANES + (unsigned)l]];
    }
}

/* mma.sync, wmma.mma of s8, u8, s4, u4 */
HANDLER(op_mma_integer) {
    if (!all_lanes(w, i, mask)) return;
    FORM_SLOTS;
    int32_t a[MOST_A], b[MOST_B], c[MOST_C], dot[MOST_C] = {0};
    unpack_integers(w, a_slots, &f->a, a);
    unpack_integers(w, b_slots, &f->b, b);
    unpack_integers(w, c_slots, &f->c, c);
    product_integers(f, dot, a, b); /* below 2^22 in magnitude */
    const unsigned count = f->m * f->n;
    if (i->satfinite) {
        for (unsigned j = 0; j < count; j++) {
            const int64_t sum = (int64_t)c[j] + dot[j];
            c[j] = (int32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
        }
    } else {
        for (unsigned j = 0; j < count; j++) c[j] = (int32_t)((uint32_t)c[j] + (uint32_t)dot[j]);
    }
    pack_integers(w, d_slots, &f->d, c);
}

/* mma.sync, wmma.mma of b1: d = c + the number of ones in a and b, a xor b */
HANDLER(op_mma_bits) {
    if (!all_lanes(w, i, mask)) return;
    FORM_SLOTS;
    int32_t a[MOST_A], b[MOST_B], c[MOST_C];
    unpack_integers(w, a_slots, &f->a, a);
    unpack_integers(w, b_slots, &f->b, b);
    unpack_integers(w, c_slots, &f->c, c);
    const unsigned words = f->k / 32, n = f->n;
    for (unsigned r = 0; r < f->m; r++)
        for (unsigned j = 0; j < n; j++) {
            uint32_t ones = 0;
            for (unsigned p = 0; p < words; p++) {
                const uint32_t x = (uint32_t)a[r * words + p], y = (uint32_t)b[p * n + j];
                ones += (uint32_t)__builtin_popcount(i->flags & MODE_XOR ? x ^ y : x & y);
            }
            c[r * n + j] = (int32_t)((uint32_t)c[r * n + j] + ones);
        }
    pack_integers(w, d_slots, &f->d, c);
}

/* ---- wmma: whole matrices in memory ------------------------------------------------------------------------------ */

#define MOST_LINES 32
#define PIECE      16u /* bytes */

/* Where the rows (.col: columns) of the matrix begin in memory. All lanes must name the same place, and both it and the
 * stride must be aligned to the lanes' share of the matrix, or to 16 bytes where that is less than it: the PTX ISA asks
 * for the whole share, the CUDA C++ guide for 16 bytes, and GPUs take the latter. False: the instruction comes again
 * (access_resolve). */
static inline bool matrix_lines(warp *w, const insn *i, const fragment *f, access_kind kind, uint8_t **line) {
    uint64_t address[LANES];
    const uint32_t *stride = U32(6);
    addresses_of(w, i, address);
    uint64_t other = 0;
    for (int l = 0; l < LANES; l++) other |= (address[l] ^ address[0]) | (stride[l] ^ stride[0]);
    if (other != 0) {
        int l = 1;
        while (address[l] == address[0] && stride[l] == stride[0]) l++;
        sim_fault(w, i, 1u << l, SIM_ILLEGAL_INSTRUCTION,
                  "its address and stride (0x%llx, %u) are not those of the warp's first thread (0x%llx, %u)",
                  (unsigned long long)address[l], stride[l], (unsigned long long)address[0], stride[0]);
    }
    const unsigned bits = i->vector, element = bits < 8 ? 4 : bits / 8; /* of the plain array, bytes */
    const unsigned rows = f->registers * f->per * LANES / f->columns;
    const bool columns = i->flags & MODE_TRANS;
    /* Of b, which is .col where bits < 8, the words of a column follow one another. */
    const unsigned lines = columns ? f->columns : rows, bytes = element * (columns ? rows : f->columns);
    const uint64_t step_bits = (uint64_t)stride[0] * bits, step = step_bits / 8;
    const unsigned share = f->registers * f->copies * (f->type == MATRIX_F64 ? 8 : 4),
                   align = share < PIECE ? share : PIECE;
    if (address[0] % align != 0)
        sim_fault(w, i, ALL_LANES, SIM_MISALIGNED_ADDRESS, "a matrix at 0x%llx, which is not aligned to %u",
                  (unsigned long long)address[0], align);
    if (step_bits % (8 * align) != 0)
        sim_fault(w, i, ALL_LANES, SIM_MISALIGNED_ADDRESS, "a stride of %u elements is no multiple of %u bytes",
                  stride[0], align);
    const uint64_t window = address[0] - memory_arena();
    if (i->space == PTX_NO_SPACE && window >= WINDOW_LOCAL && window < WINDOW_LOCAL + WINDOW_SIZE)
        sim_fault(w, i, ALL_LANES, SIM_INVALID_ADDRESS_SPACE, "a matrix at 0x%llx, in local memory",
                  (unsigned long long)address[0]);
    const uint64_t end = address[0] + step * (lines - 1) + bytes, base = cluster_base(w->block);
    const bool small = step < 1u << 24 && end > address[0]; /* it does not wrap around */
    if (i->space == PTX_SHARED && small && address[0] >= base + SHARED_RESERVED && end <= base + w->block->shared_end) {
        for (unsigned r = 0; r < lines; r++) line[r] = w->block->shared + (address[0] - base) + r * step;
        return true;
    }
    const memory_allocation *m = *recent_allocation(w, i);
    if (i->space != PTX_SHARED && small && m != NULL && address[0] >= m->base && end <= m->base + m->size &&
        !(kind == ACCESS_WRITE && m->kind == MEMORY_CONSTANT)) {
        for (unsigned r = 0; r < lines; r++) line[r] = (uint8_t *)(address[0] + r * step);
        return true;
    }
    /* Piece by piece, so that what is out of bounds is named. */
    const unsigned piece = bytes < align ? bytes : align;
    for (unsigned at = 0; at < bytes; at += piece) {
        uint64_t addresses[LANES];
        uint8_t *pointers[LANES];
        for (unsigned r = 0; r < LANES; r++) addresses[r] = address[0] + (r < lines ? r : 0) * step + at;
        const uint32_t used = lines == LANES ? ALL_LANES : (1u << lines) - 1;
        if (!access_resolve(w, i, used, (ptx_space)i->space, addresses, piece, kind, pointers)) return false;
        for (unsigned r = 0; at == 0 && r < lines; r++) line[r] = pointers[r];
    }
    return true;
}

/* Where element e of lane l stands: */
#define ELEMENT(e, l)                                                                                                  \
    (columns ? line[f->at[(e)*LANES + (l)] & low] + (f->at[(e)*LANES + (l)] >> shift) * bytes                          \
             : line[f->at[(e)*LANES + (l)] >> shift] + (f->at[(e)*LANES + (l)] & low) * bytes)

/* wmma.load.{a,b,c}.sync.aligned.layout.shape{.ss}.type r, [p]{, stride}; */
HANDLER(op_wmma_load) {
    if (!all_lanes(w, i, mask)) return;
    const fragment *f = i->matrix->fragment;
    const uint32_t *slots = i->matrix->slots;
    uint8_t *line[MOST_LINES];
    if (!matrix_lines(w, i, f, ACCESS_READ, line)) return;
    const bool columns = i->flags & MODE_TRANS;
    const unsigned bytes = i->vector < 8 ? 4 : i->vector / 8u, low = f->columns - 1;
    const unsigned shift = (unsigned)__builtin_ctz(f->columns);
    for (unsigned r = 0; r < f->registers; r++) {
        if (bytes == 8) {
            uint64_t *d = REGISTER(uint64_t, slots[r]);
            for (unsigned l = 0; l < LANES; l++) memcpy(&d[l], ELEMENT(r, l), 8);
            continue;
        }
        uint32_t x[LANES] = {0};
        for (unsigned e = 0; e < f->per; e++)
            for (unsigned l = 0; l < LANES; l++) {
                uint32_t element = 0;
                memcpy(&element, ELEMENT(r * f->per + e, l), bytes);
                x[l] |= element << 8 * bytes % 32 * e;
            }
        for (unsigned c = 0; c < f->copies; c++) memcpy(REGISTER(uint32_t, slots[r + c * f->registers]), x, sizeof x);
    }
}

/* wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride}; */
HANDLER(op_wmma_store) {
    if (!all_lanes(w, i, mask)) return;
    const fragment *f = i->matrix->fragment;
    const uint32_t *slots = i->matrix->slots;
    uint8_t *line[MOST_LINES];
    if (!matrix_lines(w, i, f, ACCESS_WRITE, line)) return;
    const bool columns = i->flags & MODE_TRANS;
    const unsigned bytes = i->vector / 8u, low = f->columns - 1, shift = (unsigned)__builtin_ctz(f->columns);
    for (unsigned r = 0; r < f->registers; r++) {
        if (bytes == 8) {
            const uint64_t *a = REGISTER(const uint64_t, slots[r]);
            for (unsigned l = 0; l < LANES; l++) memcpy(ELEMENT(r, l), &a[l], 8);
            continue;
        }
        const uint32_t *a = REGISTER(const uint32_t, slots[r]);
        for (unsigned e = 0; e < f->per; e++)
            for (unsigned l = 0; l < LANES; l++) {
                const uint32_t element = a[l] >> 8 * bytes % 32 * e;
                memcpy(ELEMENT(r * f->per + e, l), &element, bytes);
            }
    }
    const unsigned rows = f->registers * f->per * LANES / f->columns;
    const unsigned lines = columns ? f->columns : rows, length = bytes * (columns ? rows : f->columns);
    if (w->block->dirty == NULL) return;
    for (unsigned r = 0; r < lines; r++) proxy_wrote_lanes(w, 1, &line[r], length);
}
