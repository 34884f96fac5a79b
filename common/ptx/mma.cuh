/* mma.sync: a warp multiplies two small matrices, D = A*B + C, on its tensor core (PTX ISA, "Warp Level Matrix
 * Multiply-Accumulate Instructions: mma"; SASS: HMMA, IMMA). One function per instruction; d is C before and D after.
 *
 * The operands are spread over the 32 lanes, A row by row (.row), B column by column (.col). In everything that follows
 *
 *     g = lane / 4, t = lane % 4        a[r], b[r], d[r] is register r of this lane; (row, column)
 *
 * In bytes, the layout is the same for all types. A 16-row A is 16 rows of 32 bytes (16 f16, 32 s8, 8 tf32), in four
 * registers:
 *
 *     bytes   0..15          16..31             each quarter is an 8 x 8 matrix of ldmatrix: row g, and of it the
 *     rows  +----------+   +----------+         4 bytes from 4t on, in the register named here
 *     0..7  |   a[0]   |   |   a[2]   |
 *     8..15 |   a[1]   |   |   a[3]   |         B is 8 columns of 32 bytes: column g, the 4 bytes from 4t on in b[0],
 *           +----------+   +----------+         those from 16 + 4t on in b[1]
 *
 * and D has 8 columns, of which lane (g, t) holds 2t and 2t + 1: in row g d[0] and d[1], in row g + 8 d[2] and d[3].
 * Element i of a register is that in bits i * (width) and up: the lower k.
 *
 * FP16 and BF16 products are exact, sums are truncated slightly below FP32's last bit (verify.h; mma_f16_kept_bits
 * asks a device). All 32 lanes must take part. */
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
#define KL_MMA_SM75(...) asm(__VA_ARGS__)
#else
#define KL_MMA_SM75(...) __trap()
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define KL_MMA_SM80(...) asm(__VA_ARGS__)
#else
#define KL_MMA_SM80(...) __trap() /* variants that would get here say so through `supports` */
#endif

/* m8n8k16, s8 x s8 + s32 (sm_75; "Matrix Fragments for mma.m8n8k16"). Lane (g, t):
 *   a     A(g, 4t + i), i = 0..3: four bytes of a row          b     B(4t + i, g)
 *   d[i]  D(g, 2t + i), i = 0, 1 */
__device__ __forceinline__ void mma_m8n8k16_s8(int d[2], unsigned a, unsigned b) {
    KL_MMA_SM75("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+r"(d[0]), "+r"(d[1])
                : "r"(a), "r"(b));
}

/* m16n8k8, f16 x f16 + f32 (sm_75; "Matrix Fragments for mma.m16n8k8"). Lane (g, t):
 *   a[r]  A(g + 8r, 2t + i), i = 0, 1                          b     B(2t + i, g)
 *   d[i]  D(g, 2t + i), d[2 + i]  D(g + 8, 2t + i) */
__device__ __forceinline__ void mma_m16n8k8_f16(float d[4], const unsigned a[2], unsigned b) {
    KL_MMA_SM75("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(b));
}

/* The same with f16 sums: d[0] and d[1] above are the halves of d[0] here, d[2] and d[3] those of d[1]. */
__device__ __forceinline__ void mma_m16n8k8_f16_f16(unsigned d[2], const unsigned a[2], unsigned b) {
    KL_MMA_SM75("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                : "+r"(d[0]), "+r"(d[1])
                : "r"(a[0]), "r"(a[1]), "r"(b));
}

/* m16n8k16, f16 x f16 + f32 (sm_80; "Matrix Fragments for mma.m16n8k16 with floating point type"). Lane (g, t):
 *   a[r]  A(g + 8 (r % 2), 2t + i + 8 (r / 2)), i = 0, 1       b[r]  B(2t + i + 8r, g)
 *   d[i]  D(g, 2t + i), d[2 + i]  D(g + 8, 2t + i) */
__device__ __forceinline__ void mma_m16n8k16_f16(float d[4], const unsigned a[4], const unsigned b[2]) {
    KL_MMA_SM80("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* How many bits below the leading one of its largest summand an mma.m16n8k16 of f16 keeps, up to 27. PTX leaves that
 * open, as it does what becomes of subnormal operands. Column n of D is 1 - 1 + 2^-(20 + n), where the last summand has
 * a subnormal factor: zero from where on it is lost. In rows 0 to 7 the 1 is a product, in rows 8 to 15 it is what D
 * was before. Called by all lanes of a warp together. */
__device__ __forceinline__ int mma_f16_kept_bits() {
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4, one = 0x3c00, minus_one = 0xbc00;
    const unsigned tiny = 0x0200, small = (10 - g) << 10; /* 2^-15, which is subnormal, and 2^-(5 + g) */
    const unsigned row = t == 0 ? one | tiny << 16 : 0;
    const unsigned a[4] = {t == 1 ? one : row, row}, b[2] = {t == 0 ? minus_one | small << 16 : t == 1 ? one : 0};
    float d[4] = {0.0f, 0.0f, 1.0f, 1.0f};
    mma_m16n8k16_f16(d, a, b);
    int lost = 28;
    for (int i = 0; i < 4; i++) {
        const int bit = 20 + 2 * t + i % 2;
        if (d[i] != 1.0f / (1 << bit)) lost = min(lost, bit);
    }
    for (int o = 1; o < 32; o *= 2) lost = min(lost, __shfl_xor_sync(~0u, lost, o));
    return lost - 1;
}

/* The same with f16 sums, two per register as above (sm_80). */
__device__ __forceinline__ void mma_m16n8k16_f16_f16(unsigned d[2], const unsigned a[4], const unsigned b[2]) {
    KL_MMA_SM80("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                : "+r"(d[0]), "+r"(d[1])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* m16n8k16, bf16 x bf16 + f32 (sm_80): like the one for f16. */
__device__ __forceinline__ void mma_m16n8k16_bf16(float d[4], const unsigned a[4], const unsigned b[2]) {
    KL_MMA_SM80("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* m16n8k32, s8 x s8 + s32 (sm_80; "Matrix Fragments for mma.m16n8k32"); sums wrap around. Lane (g, t):
 *   a[r]  A(g + 8 (r % 2), 4t + i + 16 (r / 2)), i = 0..3      b[r]  B(4t + i + 16r, g)
 *   d[i]  D(g, 2t + i), d[2 + i]  D(g + 8, 2t + i) */
__device__ __forceinline__ void mma_m16n8k32_s8(int d[4], const unsigned a[4], const unsigned b[2]) {
    KL_MMA_SM80("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* m16n8k8, tf32 x tf32 + f32 (sm_80; "Matrix Fragments for mma.m16n8k8"). The registers are FP32 words, of which the
 * lower 13 bits of the mantissa are ignored: an operand that is not a TF32 is truncated to one. Lane (g, t):
 *   a[r]  A(g + 8 (r % 2), t + 4 (r / 2))                      b[r]  B(t + 4r, g)
 *   d[i]  D(g, 2t + i), d[2 + i]  D(g + 8, 2t + i)
 */
__device__ __forceinline__ void mma_m16n8k8_tf32(float d[4], const unsigned a[4], const unsigned b[2]) {
    KL_MMA_SM80("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
