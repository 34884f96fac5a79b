/* --show shapes: every type and shape of mma.sync, who holds what, and which GPU has it. All shapes spread their
 * operands over the lanes by one rule, since registers are what is spread: how many elements one holds, p, is the only
 * difference. Each shape that the device has is run once, with operands spread by that rule, and D compared with the
 * host's.
 *
 *   of k:  0 .. p-1   p .. 2p-1   2p .. 3p-1   3p .. 4p-1   4p ..
 *        +----------+-----------+------------+------------+----        A: g is the row, and below row 7 comes the next
 *        |  lane 4g |  4g + 1   |   4g + 2   |   4g + 3   | 4g            register, of row g + 8
 *        +----------+-----------+------------+------------+----        B: g is the column
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <string.h>

#include "base/array.h"
#include "base/values.h"
#include "gemm/gemm.h"
#include "gpu/error.h"
#include "ptx/mma.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
#define KL_MMA_SM89(...) asm(__VA_ARGS__)
#else
#define KL_MMA_SM89(...) __trap()
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define KL_MMA_SM90(...) asm(__VA_ARGS__)
#else
#define KL_MMA_SM90(...) __trap()
#endif

enum { LANES = 32, N = 8, MOST_M = 16, MOST_K = 256, MOST_WORDS = 8 };
enum element { S8, U8, S4, U4, B1_XOR, B1_AND, F16, BF16, TF32, E4M3, F64 };

/* The registers of all lanes, those of a lane one after the other. */
typedef struct {
    unsigned long long a[LANES * MOST_WORDS], b[LANES * MOST_WORDS], d[LANES * MOST_WORDS]; /* d: C before */
} fragments;

/* ---- the instructions, by how many registers D, A and B have ---- */

#define D2(c)                    "+" c(d[0]), "+" c(d[1])
#define D4(c)                    D2(c), "+" c(d[2]), "+" c(d[3])
#define ASM_2_1_1(with, c, text) with(text "{%0, %1}, {%2}, {%3}, {%0, %1};" : D2(c) : c(a[0]), c(b[0]))
#define ASM_4_2_1(with, c, text)                                                                                       \
    with(text "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : D4(c) : c(a[0]), c(a[1]), c(b[0]))
#define ASM_4_4_2(with, c, text)                                                                                       \
    with(text "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                        \
         : D4(c)                                                                                                       \
         : c(a[0]), c(a[1]), c(a[2]), c(a[3]), c(b[0]), c(b[1]))
#define ASM_4_8_4(with, c, text)                                                                                       \
    with(text "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"          \
         : D4(c)                                                                                                       \
         : c(a[0]), c(a[1]), c(a[2]), c(a[3]), c(a[4]), c(a[5]), c(a[6]), c(a[7]), c(b[0]), c(b[1]), c(b[2]), c(b[3]))

template <typename WORD, int COUNT>
static __device__ __forceinline__ void load(WORD (&to)[COUNT], const unsigned long long *from) {
    for (int i = 0; i < COUNT; i++) to[i] = (WORD)from[threadIdx.x * COUNT + i];
}

#define KERNEL(name, with, form, count_d, count_a, count_b, word, c, text)                                             \
    static __global__ void name(fragments *f) {                                                                        \
        word d[count_d], a[count_a], b[count_b];                                                                       \
        load(a, f->a);                                                                                                 \
        load(b, f->b);                                                                                                 \
        load(d, f->d);                                                                                                 \
        form(with, c, "mma.sync.aligned." text);                                                                       \
        for (int i = 0; i < count_d; i++) f->d[threadIdx.x * count_d + i] = d[i];                                      \
    }
#define WORDS_2_1_1(name, sm, text) KERNEL(name, KL_MMA_SM##sm, ASM_2_1_1, 2, 1, 1, unsigned, "r", text)
#define WORDS_4_2_1(name, sm, text) KERNEL(name, KL_MMA_SM##sm, ASM_4_2_1, 4, 2, 1, unsigned, "r", text)
#define WORDS_4_4_2(name, sm, text) KERNEL(name, KL_MMA_SM##sm, ASM_4_4_2, 4, 4, 2, unsigned, "r", text)
#define DOUBLES(name, sm, d, a, b, text)                                                                               \
    KERNEL(name, KL_MMA_SM##sm, ASM_##d##_##a##_##b, d, a, b, unsigned long long, "l", text)

WORDS_2_1_1(s8_m8n8k16, 75, "m8n8k16.row.col.s32.s8.s8.s32 ")
WORDS_4_2_1(s8_m16n8k16, 80, "m16n8k16.row.col.s32.s8.s8.s32 ")
WORDS_4_4_2(s8_m16n8k32, 80, "m16n8k32.row.col.s32.s8.s8.s32 ")
WORDS_2_1_1(u8_m8n8k16, 75, "m8n8k16.row.col.s32.u8.u8.s32 ")
WORDS_4_2_1(u8_m16n8k16, 80, "m16n8k16.row.col.s32.u8.u8.s32 ")
WORDS_4_4_2(u8_m16n8k32, 80, "m16n8k32.row.col.s32.u8.u8.s32 ")
WORDS_2_1_1(s4_m8n8k32, 75, "m8n8k32.row.col.s32.s4.s4.s32 ")
WORDS_4_2_1(s4_m16n8k32, 80, "m16n8k32.row.col.s32.s4.s4.s32 ")
WORDS_4_4_2(s4_m16n8k64, 80, "m16n8k64.row.col.s32.s4.s4.s32 ")
WORDS_2_1_1(u4_m8n8k32, 75, "m8n8k32.row.col.s32.u4.u4.s32 ")
WORDS_4_2_1(u4_m16n8k32, 80, "m16n8k32.row.col.s32.u4.u4.s32 ")
WORDS_4_4_2(u4_m16n8k64, 80, "m16n8k64.row.col.s32.u4.u4.s32 ")
WORDS_2_1_1(xor_m8n8k128, 75, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc ")
WORDS_2_1_1(and_m8n8k128, 80, "m8n8k128.row.col.s32.b1.b1.s32.and.popc ")
WORDS_4_2_1(and_m16n8k128, 80, "m16n8k128.row.col.s32.b1.b1.s32.and.popc ")
WORDS_4_4_2(and_m16n8k256, 80, "m16n8k256.row.col.s32.b1.b1.s32.and.popc ")
WORDS_4_2_1(f16_m16n8k8, 75, "m16n8k8.row.col.f32.f16.f16.f32 ")
WORDS_4_4_2(f16_m16n8k16, 80, "m16n8k16.row.col.f32.f16.f16.f32 ")
WORDS_4_2_1(bf16_m16n8k8, 80, "m16n8k8.row.col.f32.bf16.bf16.f32 ")
WORDS_4_4_2(bf16_m16n8k16, 80, "m16n8k16.row.col.f32.bf16.bf16.f32 ")
WORDS_4_2_1(tf32_m16n8k4, 80, "m16n8k4.row.col.f32.tf32.tf32.f32 ")
WORDS_4_4_2(tf32_m16n8k8, 80, "m16n8k8.row.col.f32.tf32.tf32.f32 ")
WORDS_4_4_2(e4m3_m16n8k32, 89, "m16n8k32.row.col.f32.e4m3.e4m3.f32 ")
DOUBLES(f64_m8n8k4, 80, 2, 1, 1, "m8n8k4.row.col.f64.f64.f64.f64 ")
DOUBLES(f64_m16n8k4, 90, 4, 2, 1, "m16n8k4.row.col.f64.f64.f64.f64 ")
DOUBLES(f64_m16n8k8, 90, 4, 4, 2, "m16n8k8.row.col.f64.f64.f64.f64 ")
DOUBLES(f64_m16n8k16, 90, 4, 8, 4, "m16n8k16.row.col.f64.f64.f64.f64 ")

/* ---- the table; made of: what ptxas of CUDA 13.0 makes of it where the tensor cores do not have it ---- */

typedef struct {
    const char *name;
    int bits;
    const char *sums, *made_of;
} kind;
static const kind kinds[] = {
    {"s8", 8, "s32", ""},
    {"u8", 8, "s32", ""},
    {"s4", 4, "s32", "sm_90 on: 2 of s8"},
    {"u4", 4, "s32", "sm_90 on: 2 of u8"},
    {"b1 xor", 1, "s32", "sm_90: 2 of and"},
    {"b1 and", 1, "s32", "sm_100 on: u8"},
    {"f16", 16, "f32", ""},
    {"bf16", 16, "f32", ""},
    {"tf32", 32, "f32", ""},
    {"e4m3", 8, "f32", "sm_90: 2 of f16"},
    {"f64", 64, "f64", ""},
};

typedef struct {
    element of;
    int m, k, needs;
    void (*run)(fragments *f);
} shape;
static const shape shapes[] = {
    {S8, 8, 16, 75, s8_m8n8k16},          {S8, 16, 16, 80, s8_m16n8k16},      {S8, 16, 32, 80, s8_m16n8k32},
    {U8, 8, 16, 75, u8_m8n8k16},          {U8, 16, 16, 80, u8_m16n8k16},      {U8, 16, 32, 80, u8_m16n8k32},
    {S4, 8, 32, 75, s4_m8n8k32},          {S4, 16, 32, 80, s4_m16n8k32},      {S4, 16, 64, 80, s4_m16n8k64},
    {U4, 8, 32, 75, u4_m8n8k32},          {U4, 16, 32, 80, u4_m16n8k32},      {U4, 16, 64, 80, u4_m16n8k64},
    {B1_XOR, 8, 128, 75, xor_m8n8k128},   {B1_AND, 8, 128, 80, and_m8n8k128}, {B1_AND, 16, 128, 80, and_m16n8k128},
    {B1_AND, 16, 256, 80, and_m16n8k256}, {F16, 16, 8, 75, f16_m16n8k8},      {F16, 16, 16, 80, f16_m16n8k16},
    {BF16, 16, 8, 80, bf16_m16n8k8},      {BF16, 16, 16, 80, bf16_m16n8k16},  {TF32, 16, 4, 80, tf32_m16n8k4},
    {TF32, 16, 8, 80, tf32_m16n8k8},      {E4M3, 16, 32, 89, e4m3_m16n8k32},  {F64, 8, 4, 80, f64_m8n8k4},
    {F64, 16, 4, 90, f64_m16n8k4},        {F64, 16, 8, 90, f64_m16n8k8},      {F64, 16, 16, 90, f64_m16n8k16},
};

/* ---- operands ---- */

/* A small integer that the type holds: of bits 0 and 1, without a sign 0 to 6, else -3 to 3. */
static int value_of(element of, int number) {
    const int random = (int)(values_hash(of, (uint64_t)number) % 7);
    return of == B1_XOR || of == B1_AND ? random % 2 : of == U8 || of == U4 ? random : random - 3;
}

static unsigned long long bits_of(element of, int value) {
    const double wide = value;
    const float x = (float)value;
    unsigned long long bits = 0;
    unsigned word;
    memcpy(&word, &x, sizeof word);
    if (of == F64) memcpy(&bits, &wide, sizeof bits);
    switch (of) {
    case F64:
        return bits;
    case TF32:
        return word;
    case F16:
        return __half_as_ushort(__float2half(x));
    case BF16:
        return __bfloat16_as_ushort(__float2bfloat16(x));
    case E4M3:
        return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    default:
        return (unsigned)value & ((1u << kinds[of].bits) - 1);
    }
}

/* Spreads A, B and C by the rule above. */
static void spread(const shape *s, const int *a, const int *b, const int *c, fragments *f) {
    const int bits = kinds[s->of].bits, p = bits < 32 ? 32 / bits : 1, high = s->m / 8;
    const int of_a = s->m * s->k / LANES / p, of_b = N * s->k / LANES / p, of_d = s->m * N / LANES;
    memset(f, 0, sizeof *f);
    for (int lane = 0; lane < LANES; lane++) {
        const int g = lane / 4, t = lane % 4;
        for (int r = 0; r < of_a; r++)
            for (int i = 0; i < p; i++) {
                const int row = g + 8 * (r % high), column = p * t + i + 4 * p * (r / high);
                f->a[lane * of_a + r] |= bits_of(s->of, a[row * s->k + column]) << (i * bits);
            }
        for (int r = 0; r < of_b; r++)
            for (int i = 0; i < p; i++)
                f->b[lane * of_b + r] |= bits_of(s->of, b[(p * t + i + 4 * p * r) * N + g]) << (i * bits);
        for (int r = 0; r < of_d; r++) {
            const int value = c[(g + 8 * (r / 2)) * N + 2 * t + r % 2];
            f->d[lane * of_d + r] =
                strcmp(kinds[s->of].sums, "s32") == 0 ? (unsigned)value : bits_of(s->of == F64 ? F64 : TF32, value);
        }
    }
}

/* Element (row, column) of D, as bits, should be what this returns. */
static unsigned long long expected(const shape *s, const int *a, const int *b, const int *c, int row, int column) {
    int sum = c[row * N + column];
    for (int i = 0; i < s->k; i++) {
        const int x = a[row * s->k + i], y = b[i * N + column];
        sum += s->of == B1_XOR ? x ^ y : x * y;
    }
    return strcmp(kinds[s->of].sums, "s32") == 0 ? (unsigned)sum : bits_of(s->of == F64 ? F64 : TF32, sum);
}

/* How many elements of D are wrong. */
static int run(const shape *s) {
    static int a[MOST_M * MOST_K], b[MOST_K * N], c[MOST_M * N];
    static fragments f;
    fragments *device;
    for (int i = 0; i < s->m * s->k; i++) a[i] = value_of(s->of, i);
    for (int i = 0; i < s->k * N; i++) b[i] = value_of(s->of, 10000 + i);
    for (int i = 0; i < s->m * N; i++) c[i] = value_of(S8, 20000 + i);
    spread(s, a, b, c, &f);
    CUDA_ALLOCATE(&device, sizeof f);
    CUDA_CHECK(cudaMemcpy(device, &f, sizeof f, cudaMemcpyHostToDevice));
    s->run<<<1, LANES>>>(device);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&f, device, sizeof f, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(device));
    int wrong = 0;
    const int of_d = s->m * N / LANES;
    for (int lane = 0; lane < LANES; lane++)
        for (int r = 0; r < of_d; r++)
            wrong += f.d[lane * of_d + r] != expected(s, a, b, c, lane / 4 + 8 * (r / 2), 2 * (lane % 4) + r % 2);
    return wrong;
}

static void print_rule(FILE *out) {
    fprintf(out, "\nOne rule for all. p elements make up a register; lane 4g + t holds, in element i of register r,\n"
                 "\n    A    row g + 8 (r mod m/8), column p t + i + 4p (r div m/8)\n"
                 "    B    row p t + i + 4p r, column g\n"
                 "    C    row g + 8 (r div 2), column 2t + r mod 2\n"
                 "\n    A, B    shape      sums   registers    p  operations  since  here         made of others\n"
                 "                              A   B   C\n");
}

extern "C" bool show_shapes(const device_facts *device, FILE *out) {
    bool ok = true;
    print_rule(out);
    for (const shape *s = shapes; s < shapes + ARRAY_SIZE(shapes); s++) {
        const kind *of = &kinds[s->of];
        const int p = of->bits < 32 ? 32 / of->bits : 1, registers = s->k / 4 / p;
        char name[16], here[32] = "right";
        snprintf(name, sizeof name, "m%dn%dk%d", s->m, N, s->k);
        if (device->cc < s->needs)
            snprintf(here, sizeof here, "needs sm_%d", s->needs);
        else if (const int wrong = run(s)) {
            snprintf(here, sizeof here, "WRONG: %d", wrong);
            ok = false;
        }
        fprintf(out, "    %-6s  %-9s  %-4s %4d%4d%4d  %4d  %10d  sm_%d  %-*s%s\n", of->name, name, of->sums,
                s->m / 8 * registers, registers, s->m / 4, p, 2 * s->m * N * s->k, s->needs,
                of->made_of[0] != '\0' ? 13 : 0, here, of->made_of);
    }
    fprintf(out, "\nRight: D is what the host computes, so the operands are where the rule says.\n"
                 "sm_75 is Turing (T4), sm_80 Ampere (A100), sm_89 Ada (L4), sm_90 Hopper (H100). Later ones have\n"
                 "what earlier ones had, where the last column says so made of other instructions (CUDA 13.0).\n"
                 "u8 and s8, and u4 and s4, may be mixed; f16 also has sums in f16, e4m3 its partner e5m2.\n");
    return ok;
}
