/* wgmma.*: the arithmetic of a warpgroup's products, and the handlers, whose bookkeeping is in machine/wgmma.c. */
#include <stdlib.h>
#include <string.h>

#include "base/floats.h"
#include "exec/lanes.h"
#include "exec/tensor_sum.h"
#include "machine/wgmma.h"

/* As many columns as a register of this instruction set is worth; N is filled up to a multiple of two of them. */
#ifdef __AVX512F__
#define WIDTH 16
#else
#define WIDTH 8
#endif
#define STEP     (2 * WIDTH)
#define ROWS     4
#define SUM_ROWS 8
typedef uint32_t words __attribute__((vector_size(4 * WIDTH)));
typedef int32_t integers __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
typedef float floats __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));

/* A warpgroup's operands, row by row, as numbers of 32 bits: f32, or integers. */
typedef struct operands {
    uint32_t a[WGMMA_M][WGMMA_K] __attribute__((aligned(64)));
    uint32_t b[WGMMA_K][WGMMA_N] __attribute__((aligned(64)));
    uint32_t d[WGMMA_M][WGMMA_N] __attribute__((aligned(64)));
    uint32_t before[WGMMA_M][WGMMA_N] __attribute__((aligned(64))); /* D, for .satfinite */
    /* Numbers and their exponents as exec/tensor_sum.h takes them: all of B, some rows of A and D. */
    double wide_b[2][WGMMA_K][WGMMA_N], wide_a[2][SUM_ROWS][WGMMA_K], sums[3][SUM_ROWS][WGMMA_N];
    /* Exponents as quick_sums takes them. */
    int32_t quick_b[WGMMA_K][WGMMA_N], quick_a[SUM_ROWS][WGMMA_K], quick_d[SUM_ROWS][WGMMA_N];
} operands;

/* Elements of `type` in `bytes` bytes -> 32 bits. tf32 is f32 without its lower 13 bits. */
static inline int expand(const uint8_t *from, int bytes, wgmma_type type, bool negate, uint32_t *to) {
    const uint32_t sign = negate ? F32_SIGN : 0;
    uint16_t half[8];
    uint32_t word[4];
    switch (type) {
    case WGMMA_F16:
        memcpy(half, from, (size_t)bytes);
        for (int k = 0; k < bytes / 2; k++) to[k] = f16_to_f32(half[k]) ^ sign;
        return bytes / 2;
    case WGMMA_BF16:
        memcpy(half, from, (size_t)bytes);
        for (int k = 0; k < bytes / 2; k++) to[k] = bf16_to_f32(half[k]) ^ sign;
        return bytes / 2;
    case WGMMA_TF32:
        memcpy(word, from, (size_t)bytes);
        for (int k = 0; k < bytes / 4; k++) to[k] = (word[k] & 0xffffe000u) ^ sign;
        return bytes / 4;
    case WGMMA_E4M3:
        for (int k = 0; k < bytes; k++) to[k] = f16_to_f32(e4m3_to_f16(from[k])) ^ sign;
        return bytes;
    case WGMMA_E5M2:
        for (int k = 0; k < bytes; k++) to[k] = f16_to_f32(e5m2_to_f16(from[k])) ^ sign;
        return bytes;
    case WGMMA_S8:
        for (int k = 0; k < bytes; k++) to[k] = (uint32_t)(int8_t)from[k];
        return bytes;
    default:
        for (int k = 0; k < bytes; k++) to[k] = from[k];
        return bytes;
    }
}

/* A matrix in shared memory: element (row along M or N, k) goes to to[row * row_step + k * k_step]. */
static inline void fetch(const uint8_t *shared, uint64_t descriptor, bool mn_major, int rows, int k, wgmma_type type,
                         bool negate, uint32_t *to, int row_step, int k_step) {
    uint32_t chunk[16];
    if (mn_major) {
        for (int j = 0; j < rows / 8; j++)
            for (int p = 0; p < k; p++) {
                const uint8_t *from = shared + wgmma_address(descriptor, true, (uint32_t)j, (uint32_t)p);
                expand(from, WGMMA_CHUNK, type, negate, chunk);
                for (int e = 0; e < 8; e++) to[(8 * j + e) * row_step + p * k_step] = chunk[e];
            }
    } else {
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < 2; c++) {
                const uint8_t *from = shared + wgmma_address(descriptor, false, (uint32_t)r, (uint32_t)c);
                const int count = expand(from, WGMMA_CHUNK, type, negate, chunk);
                for (int e = 0; e < count; e++) to[r * row_step + (c * count + e) * k_step] = chunk[e];
            }
    }
}

/* A in registers: lane l of warp q, register r holds 4 bytes of row 16 q + l/4 + 8 (r % 2): of each half of K (16
 * bytes) the word l % 4; r / 2 is the half. So for 16 bits columns 2 (l % 4) + 8 (r / 2) + {0, 1}, for tf32 column l %
 * 4 + 4 (r / 2), for 8 bits columns 4 (l % 4) + 16 (r / 2) + {0, 1, 2, 3}. */
static inline void fetch_registers(const wgmma_operation *o, const wgmma_form *f, operands *m) {
    for (int q = 0; q < WARPGROUP; q++)
        for (int r = 0; r < 4; r++) {
            const uint8_t *lanes = o->registers[q] + f->a_slots[r];
            for (int l = 0; l < LANES; l++) {
                const int count = f->k / 8; /* in a word */
                uint32_t *to = &m->a[16 * q + l / 4 + 8 * (r % 2)][count * (l % 4) + f->k / 2 * (r / 2)];
                expand(lanes + 4 * l, 4, (wgmma_type)f->a_type, f->negate_a, to);
            }
        }
}

/* D: of warp q, lane l, number v = 0 .. N/2 - 1 is row 16 q + l/4 + 8 (v / 2 % 2), column 8 (v / 4) + 2 (l % 4) + v
 * % 2. A register holds one number, of f16 two: v = 2 r in the lower half, 2 r + 1 in the upper. */
#define D_ROW(q, l, v)    (16 * (q) + (l) / 4 + 8 * ((v) / 2 % 2))
#define D_COLUMN(q, l, v) (8 * ((v) / 4) + 2 * ((l) % 4) + (v) % 2)

static inline void load_d(const wgmma_operation *o, const wgmma_form *f, operands *m) {
    for (int q = 0; q < WARPGROUP; q++)
        for (int r = 0; r < f->d_count; r++) {
            const uint32_t *lanes = (const uint32_t *)(o->registers[q] + f->d_slots[r]);
            if (f->d_type == WGMMA_F16) {
                for (int l = 0; l < LANES; l++)
                    for (int h = 0; h < 2; h++)
                        m->d[D_ROW(q, l, 2 * r + h)][D_COLUMN(q, l, 2 * r + h)] =
                            f16_to_f32(lanes[l] >> 16 * h & 0xffff);
            } else {
                for (int l = 0; l < LANES; l++) m->d[D_ROW(q, l, r)][D_COLUMN(q, l, r)] = lanes[l];
            }
        }
}

static inline void store_d(const wgmma_operation *o, const wgmma_form *f, const operands *m) {
    for (int q = 0; q < WARPGROUP; q++)
        for (int r = 0; r < f->d_count; r++) {
            uint32_t *lanes = (uint32_t *)(o->registers[q] + f->d_slots[r]);
            if (f->d_type == WGMMA_F16) {
                for (int l = 0; l < LANES; l++)
                    lanes[l] = f32_to_f16(m->d[D_ROW(q, l, 2 * r)][D_COLUMN(q, l, 2 * r)]) |
                               f32_to_f16(m->d[D_ROW(q, l, 2 * r + 1)][D_COLUMN(q, l, 2 * r + 1)]) << 16;
            } else if (f->d_type == WGMMA_F32) {
                for (int l = 0; l < LANES; l++) lanes[l] = f32_canonical(m->d[D_ROW(q, l, r)][D_COLUMN(q, l, r)]);
            } else {
                for (int l = 0; l < LANES; l++) lanes[l] = m->d[D_ROW(q, l, r)][D_COLUMN(q, l, r)];
            }
        }
}

/* d += a * b */
#define PRODUCTS(name, vector, scalar)                                                                                 \
    static inline void name(operands *m, int n, int k) {                                                               \
        for (int row = 0; row < WGMMA_M; row += ROWS)                                                                  \
            for (int column = 0; column < n; column += STEP) {                                                         \
                vector d[ROWS][2];                                                                                     \
                for (int r = 0; r < ROWS; r++) memcpy(d[r], &m->d[row + r][column], sizeof d[r]);                      \
                for (int p = 0; p < k; p++) {                                                                          \
                    vector b[2];                                                                                       \
                    memcpy(b, &m->b[p][column], sizeof b);                                                             \
                    for (int r = 0; r < ROWS; r++) {                                                                   \
                        scalar a;                                                                                      \
                        memcpy(&a, &m->a[row + r][p], sizeof a);                                                       \
                        d[r][0] += a * b[0];                                                                           \
                        d[r][1] += a * b[1];                                                                           \
                    }                                                                                                  \
                }                                                                                                      \
                for (int r = 0; r < ROWS; r++) memcpy(&m->d[row + r][column], d[r], sizeof d[r]);                      \
            }                                                                                                          \
    }
PRODUCTS(integer_products, words, uint32_t)

static inline double double_of(uint32_t bits) {
    return (double)f32_of(bits);
}

/* ---- the same sums in integers -----------------------------------------------------------------------------------
 *
 * Where no number is very large or very small, products are exact in f32, and in units of 2^(E - bits) a number is cut
 * off as it is made an integer. Products lie below 2^(E + 2), so half of at most 16 products, and c, fit 32 bits (with
 * bits 13 all of 32 do). */
#define QUICK_LEAST   (-50) /* exponents of operands but zeros */
#define QUICK_MOST    50
#define QUICK_ZERO    (-1000)
#define QUICK_LEAST_D (-90) /* of D */

/* Exponents, no less than `least`. False where one of a number other than 0 lies outside of low .. high. */
static inline bool quick_exponents(int32_t *to, const uint32_t *x, unsigned count, int32_t least, int32_t low,
                                   int32_t high) {
    int32_t outside = 0;
    for (unsigned k = 0; k < count; k++) {
        const int32_t e = (int32_t)(x[k] >> 23 & 255) - 127;
        to[k] = x[k] << 1 == 0 ? QUICK_ZERO : e > least ? e : least;
        outside |= -(int32_t)(x[k] << 1 != 0) & (-(int32_t)(e < low) | -(int32_t)(e > high));
    }
    return outside == 0;
}

/* m->sums[0], SUM_ROWS rows from `row` on, by the numbers in m->a, b and d and their exponents. */
static inline void quick_sums(operands *m, unsigned row, unsigned n, unsigned k, int bits) {
    for (unsigned j = 0; j < n; j += WIDTH)
        for (unsigned r = 0; r < SUM_ROWS; r += ROWS) {
            integers most[ROWS], sum[2][ROWS];
            floats unit[ROWS];
            for (unsigned i = 0; i < ROWS; i++) most[i] = *(integers *)&m->quick_d[r + i][j];
            for (unsigned p = 0; p < k; p++) {
                const integers y = *(integers *)&m->quick_b[p][j];
                for (unsigned i = 0; i < ROWS; i++) {
                    const integers power = y + m->quick_a[r + i][p], larger = power > most[i];
                    most[i] = (power & larger) | (most[i] & ~larger);
                }
            }
            for (unsigned i = 0; i < ROWS; i++) {
                const integers small = most[i] < 2 * QUICK_LEAST; /* then there are zeros only */
                most[i] = (small & 2 * QUICK_LEAST) | (most[i] & ~small);
                const integers scale = (127 + bits - most[i]) << 23;
                memcpy(&unit[i], &scale, sizeof scale);
                sum[0][i] = __builtin_convertvector(*(floats *)&m->d[row + r + i][j] * unit[i], integers);
                sum[1][i] = (integers){0};
            }
            for (unsigned half = 0; half < 2; half++)
                for (unsigned p = half * (k / 2); p < (half + 1) * (k / 2); p++) {
                    const floats y = *(floats *)&m->b[p][j];
                    for (unsigned i = 0; i < ROWS; i++)
                        sum[half][i] += __builtin_convertvector(y * f32_of(m->a[row + r + i][p]) * unit[i], integers);
                }
            for (unsigned i = 0; i < ROWS; i++)
                for (unsigned l = 0; l < WIDTH; l++) {
                    const int64_t scale = (int64_t)(1023 - bits + most[i][l]) << 52;
                    double back;
                    memcpy(&back, &scale, sizeof back);
                    m->sums[0][r + i][j + l] = (double)((int64_t)sum[0][i][l] + sum[1][i][l]) * back;
                }
        }
}

/* All K products of an instruction and D are one sum (exec/tensor_sum.h). */
static inline void float_products(operands *m, const wgmma_form *f, int filled) {
    static const double least[] = {[WGMMA_F16] = TENSOR_F16,
                                   [WGMMA_BF16] = TENSOR_F32,
                                   [WGMMA_TF32] = TENSOR_F32,
                                   [WGMMA_E4M3] = TENSOR_E4M3,
                                   [WGMMA_E5M2] = TENSOR_E5M2};
    static const uint8_t ascending[WGMMA_K] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                               16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    const unsigned n = (unsigned)filled, k = f->k, each = SUM_ROWS * WGMMA_N;
    const unsigned bits = f->a_type == WGMMA_E4M3 || f->a_type == WGMMA_E5M2 ? TENSOR_BITS_FP8 : TENSOR_BITS;
    const bool halves = f->d_type == WGMMA_F16;
    const tensor_matrix a = {m->wide_a[0][0], m->wide_a[1][0], WGMMA_K},
                        b = {m->wide_b[0][0], m->wide_b[1][0], WGMMA_N}, d = {m->sums[0][0], m->sums[1][0], WGMMA_N};
    static const int8_t exponents[] = {
        [WGMMA_F16] = -14, [WGMMA_BF16] = -126, [WGMMA_TF32] = -126, [WGMMA_E4M3] = -6, [WGMMA_E5M2] = -14};
    bool special_b = false, quick_b = true, wide = false;
    for (unsigned p = 0; p < k; p++)
        quick_b &= quick_exponents(m->quick_b[p], m->b[p], n, exponents[f->b_type], QUICK_LEAST, QUICK_MOST);
    for (unsigned row = 0; row < WGMMA_M; row += SUM_ROWS) {
        bool quick = quick_b;
        for (unsigned r = 0; quick && r < SUM_ROWS; r++)
            quick = quick_exponents(m->quick_a[r], m->a[row + r], k, exponents[f->a_type], QUICK_LEAST, QUICK_MOST) &&
                    quick_exponents(m->quick_d[r], m->d[row + r], n, halves ? -14 : -126, QUICK_LEAST_D, 127);
        if (quick) quick_sums(m, row, n, k, (int)bits);
        for (unsigned p = 0; !quick && !wide && p < k; p++) {
            for (unsigned j = 0; j < n; j++) m->wide_b[0][p][j] = double_of(m->b[p][j]);
            special_b |= tensor_exponents(m->wide_b[1][p], m->wide_b[0][p], n, least[f->b_type]);
        }
        wide |= !quick;
        bool special = !quick && special_b;
        for (unsigned r = 0; !quick && r < SUM_ROWS; r++) {
            for (unsigned p = 0; p < k; p++) m->wide_a[0][r][p] = double_of(m->a[row + r][p]);
            for (unsigned j = 0; j < n; j++) m->sums[0][r][j] = double_of(m->d[row + r][j]);
            special |= tensor_exponents(m->wide_a[1][r], m->wide_a[0][r], k, least[f->a_type]);
            special |= tensor_exponents(m->sums[1][r], m->sums[0][r], n, halves ? TENSOR_F16 : TENSOR_F32);
        }
        if (special) memcpy(m->sums[2], m->sums[0], each * sizeof(double));
        TENSOR_BEGIN(m);
        if (!quick) tensor_add(d, a, b, SUM_ROWS, n, ascending, k, bits);
        for (unsigned r = 0; !halves && r < SUM_ROWS; r++)
            for (unsigned j = 0; j < n; j++) m->sums[0][r][j] = tensor_f32(m->sums[0][r][j], bits);
        TENSOR_END(m);
        if (special) tensor_special(d, m->sums[2][0], a, b, SUM_ROWS, n, ascending, k);
        for (unsigned r = 0; r < SUM_ROWS; r++)
            for (unsigned j = 0; j < n; j++) {
                const double sum = m->sums[0][r][j];
                m->d[row + r][j] = f32_bits(halves ? f32_of(f16_to_f32(f64_to_f16_rn(sum))) + 0.0f : (float)sum);
            }
    }
}

static inline uint32_t saturated(uint32_t a, uint32_t b) {
    const int64_t sum = (int64_t)(int32_t)a + (int32_t)b;
    return sum > INT32_MAX ? (uint32_t)INT32_MAX : sum < INT32_MIN ? (uint32_t)INT32_MIN : (uint32_t)sum;
}

static bool same_accumulators(const wgmma_operation *a, const wgmma_operation *b) {
    const wgmma_form *f = a->i->wgmma, *g = b->i->wgmma;
    return f->n == g->n && f->d_type == g->d_type && memcmp(a->registers, b->registers, sizeof a->registers) == 0 &&
           memcmp(f->d_slots, g->d_slots, sizeof f->d_slots) == 0;
}

/* D stays here from one operation to the next that adds to the same. */
static bool multiply(const uint8_t *shared, const wgmma_operation *operations, int count) {
    operands *m = aligned_alloc(64, sizeof *m); /* too much for the stack of a host program's thread */
    if (m == NULL) return false;
    for (int at = 0; at < count; at++) {
        const wgmma_operation *o = &operations[at];
        const wgmma_form *f = o->i->wgmma;
        const int filled = (f->n + STEP - 1) / STEP * STEP;
        if (f->a_in_registers)
            fetch_registers(o, f, m);
        else
            fetch(shared, o->a, f->trans_a, WGMMA_M, f->k, (wgmma_type)f->a_type, f->negate_a, m->a[0], WGMMA_K, 1);
        fetch(shared, o->b, f->trans_b, f->n, f->k, (wgmma_type)f->b_type, f->negate_b, m->b[0], 1, WGMMA_N);
        for (int p = 0; p < f->k; p++) memset(&m->b[p][f->n], 0, (size_t)(filled - f->n) * sizeof(uint32_t));
        const bool again = at > 0 && same_accumulators(o - 1, o);
        if (!o->scale_d || !again) {
            for (int r = 0; r < WGMMA_M; r++) memset(m->d[r], 0, (size_t)filled * sizeof(uint32_t));
            if (o->scale_d) load_d(o, f, m);
        }
        if (f->d_type != WGMMA_S32) {
            float_products(m, f, filled);
        } else if (!f->satfinite) {
            integer_products(m, f->n, f->k);
        } else {
            memcpy(m->before, m->d, sizeof m->before);
            memset(m->d, 0, sizeof m->d);
            integer_products(m, f->n, f->k);
            for (int r = 0; r < WGMMA_M; r++)
                for (int c = 0; c < f->n; c++) m->d[r][c] = saturated(m->before[r][c], m->d[r][c]);
        }
        if (at + 1 == count || !same_accumulators(o, o + 1)) store_d(o, f, m);
    }
    free(m);
    return true;
}

/* wgmma.mma_async.sync.aligned.m64nNkK...: D = A B + D, or A B where scale-d is false. */
HANDLER(op_wgmma) {
    wgmma_issue(w, i, mask);
}
/* wgmma.fence.sync.aligned; */
HANDLER(op_wgmma_fence) {
    wgmma_fence(w, i, mask);
}
/* wgmma.commit_group.sync.aligned; */
HANDLER(op_wgmma_commit) {
    wgmma_commit(w, i, mask);
}
/* wgmma.wait_group.sync.aligned N: at most the N latest groups stay on their way. */
HANDLER(op_wgmma_wait) {
    wgmma_wait(w, i, mask, multiply);
}
/* Another instruction that touches a wgmma's registers. */
HANDLER(op_wgmma_guard) {
    wgmma_guard(w, i, mask)(w, i, mask);
}
/* setmaxnreg.{inc,dec}.sync.aligned.u32 count; */
HANDLER(op_setmaxnreg) {
    setmaxnreg(w, i, mask);
}
