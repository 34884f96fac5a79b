/* long: a table of cases */
/* Conformance cases of wgmma, and of setmaxnreg: a warpgroup a block, each block with another layout.
 *
 * Shared memory is filled with numbers that depend on the address alone, and the descriptors choose among them, so that
 * a result shows which were taken. In the exact cases these are small integers, whose sums every type holds, and a
 * thread gives a checksum of its registers; in the others, which have names that end in "/sums", numbers in -1..1, or in
 * "/wide", those of wide.cuh, and a thread gives its registers.
 */
#include "kernel.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "wide.cuh"


enum { THREADS = 128, IMAGE = 48 * 1024, B_AT = 16 * 1024, D_BYTES = 512, A_BYTES = 16, OWN = D_BYTES + A_BYTES };
enum { SHARED = IMAGE + THREADS * OWN };

/* All registers but d0, by pairs: of N = 8 j there are 4 j, of f16 2 j. X(number, offset). clang-format would make one
 * line of each. */
/* clang-format off */
#define Q1(X) X(1, 4)
#define Q2(X) Q1(X) X(2, 8) X(3, 12)
#define Q3(X) Q2(X) X(4, 16) X(5, 20)
#define Q4(X) Q3(X) X(6, 24) X(7, 28)
#define Q5(X) Q4(X) X(8, 32) X(9, 36)
#define Q6(X) Q5(X) X(10, 40) X(11, 44)
#define Q7(X) Q6(X) X(12, 48) X(13, 52)
#define Q8(X) Q7(X) X(14, 56) X(15, 60)
#define Q9(X) Q8(X) X(16, 64) X(17, 68)
#define Q10(X) Q9(X) X(18, 72) X(19, 76)
#define Q11(X) Q10(X) X(20, 80) X(21, 84)
#define Q12(X) Q11(X) X(22, 88) X(23, 92)
#define Q13(X) Q12(X) X(24, 96) X(25, 100)
#define Q14(X) Q13(X) X(26, 104) X(27, 108)
#define Q15(X) Q14(X) X(28, 112) X(29, 116)
#define Q16(X) Q15(X) X(30, 120) X(31, 124)
#define Q17(X) Q16(X) X(32, 128) X(33, 132)
#define Q18(X) Q17(X) X(34, 136) X(35, 140)
#define Q19(X) Q18(X) X(36, 144) X(37, 148)
#define Q20(X) Q19(X) X(38, 152) X(39, 156)
#define Q21(X) Q20(X) X(40, 160) X(41, 164)
#define Q22(X) Q21(X) X(42, 168) X(43, 172)
#define Q23(X) Q22(X) X(44, 176) X(45, 180)
#define Q24(X) Q23(X) X(46, 184) X(47, 188)
#define Q25(X) Q24(X) X(48, 192) X(49, 196)
#define Q26(X) Q25(X) X(50, 200) X(51, 204)
#define Q27(X) Q26(X) X(52, 208) X(53, 212)
#define Q28(X) Q27(X) X(54, 216) X(55, 220)
#define Q29(X) Q28(X) X(56, 224) X(57, 228)
#define Q30(X) Q29(X) X(58, 232) X(59, 236)
#define Q31(X) Q30(X) X(60, 240) X(61, 244)
#define Q32(X) Q31(X) X(62, 248) X(63, 252)
#define Q33(X) Q32(X) X(64, 256) X(65, 260)
#define Q34(X) Q33(X) X(66, 264) X(67, 268)
#define Q35(X) Q34(X) X(68, 272) X(69, 276)
#define Q36(X) Q35(X) X(70, 280) X(71, 284)
#define Q37(X) Q36(X) X(72, 288) X(73, 292)
#define Q38(X) Q37(X) X(74, 296) X(75, 300)
#define Q39(X) Q38(X) X(76, 304) X(77, 308)
#define Q40(X) Q39(X) X(78, 312) X(79, 316)
#define Q41(X) Q40(X) X(80, 320) X(81, 324)
#define Q42(X) Q41(X) X(82, 328) X(83, 332)
#define Q43(X) Q42(X) X(84, 336) X(85, 340)
#define Q44(X) Q43(X) X(86, 344) X(87, 348)
#define Q45(X) Q44(X) X(88, 352) X(89, 356)
#define Q46(X) Q45(X) X(90, 360) X(91, 364)
#define Q47(X) Q46(X) X(92, 368) X(93, 372)
#define Q48(X) Q47(X) X(94, 376) X(95, 380)
#define Q49(X) Q48(X) X(96, 384) X(97, 388)
#define Q50(X) Q49(X) X(98, 392) X(99, 396)
#define Q51(X) Q50(X) X(100, 400) X(101, 404)
#define Q52(X) Q51(X) X(102, 408) X(103, 412)
#define Q53(X) Q52(X) X(104, 416) X(105, 420)
#define Q54(X) Q53(X) X(106, 424) X(107, 428)
#define Q55(X) Q54(X) X(108, 432) X(109, 436)
#define Q56(X) Q55(X) X(110, 440) X(111, 444)
#define Q57(X) Q56(X) X(112, 448) X(113, 452)
#define Q58(X) Q57(X) X(114, 456) X(115, 460)
#define Q59(X) Q58(X) X(116, 464) X(117, 468)
#define Q60(X) Q59(X) X(118, 472) X(119, 476)
#define Q61(X) Q60(X) X(120, 480) X(121, 484)
#define Q62(X) Q61(X) X(122, 488) X(123, 492)
#define Q63(X) Q62(X) X(124, 496) X(125, 500)
#define Q64(X) Q63(X) X(126, 504) X(127, 508)
/* clang-format on */

#define LOAD_D(i, offset)  "ld.shared.b32 d" #i ", [%0+" #offset "];"
#define STORE_D(i, offset) "st.shared.b32 [%0+" #offset "], d" #i ";"
#define LIST_D(i, offset)  ",d" #i
#define LOAD_A                                                                                                         \
    "ld.shared.b32 a0, [%0+512]; ld.shared.b32 a1, [%0+516]; ld.shared.b32 a2, [%0+520]; ld.shared.b32 a3, [%0+524];"

/* D from shared memory at `own` (and A behind it), the instruction, D back. */
#define WGMMA(own, shape, types, Q, a_operand, a_descriptor, b_descriptor, scale, tail)                                \
    asm volatile(                                                                                                      \
        "{ .reg .b32 d<128>; .reg .b32 a<4>; .reg .pred p; setp.ne.u32 p, %3, 0; ld.shared.b32 d0, [%0];" Q(LOAD_D)    \
            LOAD_A                                                                                                     \
        "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned." shape "." types                                      \
        " {d0" Q(LIST_D) "}, " a_operand ", %2, p" tail "; "                                                           \
                         "wgmma.commit_group.sync.aligned; "                                                           \
                         "wgmma.wait_group.sync.aligned 0; st.shared.b32 [%0], d0;" Q(STORE_D) "}" ::"r"(own),         \
        "l"(a_descriptor), "l"(b_descriptor), "r"(scale)                                                               \
        : "memory")

enum kind { OF_F16, OF_BF16, OF_TF32, OF_E4M3, OF_E5M2, OF_BYTES, OF_S32, OF_F32 };

static __device__ __forceinline__ uint32_t mixed(const void *a, uint32_t i) {
    uint32_t x = ((const uint32_t *)a)[i % 64] + i * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    return x ^ x >> 13;
}

enum numbers { SMALL, SUMS, WIDE };

/* Element i of `kind`: a small integer, a number in -1..1, one of wide.cuh. */
static __device__ void put(void *to, uint32_t i, kind k, uint32_t random, numbers how) {
    const uint8_t e4m3[] = {0x00, 0x38, 0x40, 0x44, 0x48}, e5m2[] = {0x00, 0x3c, 0x40, 0x42, 0x44};
    const bool sums = how == SUMS;
    if (how == WIDE && k != OF_BYTES && k != OF_S32) {
        switch (k) {
        case OF_F16:
            ((uint16_t *)to)[i] = (uint16_t)wide_f16(random);
            return;
        case OF_BF16:
            ((uint16_t *)to)[i] = (uint16_t)wide_bf16(random);
            return;
        case OF_E4M3:
            ((uint8_t *)to)[i] = (uint8_t)wide_e4m3(random);
            return;
        case OF_E5M2:
            ((uint8_t *)to)[i] = (uint8_t)wide_e5m2(random);
            return;
        default:
            ((uint32_t *)to)[i] = wide_f32(random);
            return;
        }
    }
    const float value = sums ? (float)(int32_t)random * 0x1p-31f : (float)(int)(random % 17) - 8;
    switch (k) {
    case OF_F16:
        ((__half *)to)[i] = __float2half(value);
        break;
    case OF_BF16:
        ((__nv_bfloat16 *)to)[i] = __float2bfloat16(value);
        break;
    case OF_TF32: /* with something below its 10 bits */
        ((uint32_t *)to)[i] = value == 0 ? 0 : __float_as_uint(value) | (random >> 8 & 0x1fff);
        break;
    case OF_E4M3:
        ((uint8_t *)to)[i] =
            sums ? (random & 0xff) % 0x38 | (random >> 8 & 0x80) : e4m3[random % 5] | (random >> 8 & 0x80);
        break;
    case OF_E5M2:
        ((uint8_t *)to)[i] =
            sums ? (random & 0xff) % 0x3c | (random >> 8 & 0x80) : e5m2[random % 5] | (random >> 8 & 0x80);
        break;
    case OF_BYTES:
        ((uint8_t *)to)[i] = (uint8_t)random;
        break;
    case OF_S32:
        ((uint32_t *)to)[i] = random;
        break;
    case OF_F32:
        ((float *)to)[i] = value;
    }
}

static __device__ int bytes_of(kind k) {
    return k == OF_F16 || k == OF_BF16 ? 2 : k == OF_TF32 || k == OF_S32 || k == OF_F32 ? 4 : 1;
}

/* swizzle as in the descriptor: 0 none, 1 128 bytes, 2 64, 3 32. Packed, `rows` along M or N; `step` pairs of chunks
 * along K behind the start; `base`: a pattern that begins so many times 128 bytes off. */
static __device__ uint64_t descriptor(uint32_t at, int swizzle, bool mn_major, uint32_t rows, uint32_t step,
                                      uint32_t base) {
    const uint32_t chunks = swizzle == 0 ? 1 : 16u >> swizzle, pattern = 128 * chunks;
    const uint32_t across = (rows / 8 + chunks - 1) / chunks;
    uint32_t lbo, sbo;
    if (swizzle == 0 || !mn_major)
        sbo = pattern, lbo = pattern * (rows / 8);
    else
        lbo = pattern, sbo = pattern * across;
    at += 32 * step + 128 * base;
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(lbo >> 4) << 16 | (uint64_t)(sbo >> 4) << 32 |
           (uint64_t)base << 49 | (uint64_t)swizzle << 62;
}

static __device__ uint32_t prepare(const void *a, kind of_a, kind of_b, kind of_d, numbers how) {
    extern __shared__ __align__(1024) uint8_t image[];
    for (uint32_t i = threadIdx.x; i < (uint32_t)(B_AT / bytes_of(of_a)); i += THREADS)
        put(image, i, of_a, mixed(a, i), how);
    for (uint32_t i = threadIdx.x; i < (uint32_t)((IMAGE - B_AT) / bytes_of(of_b)); i += THREADS)
        put(image + B_AT, i, of_b, mixed(a, i + 77777), how);
    uint8_t *own = image + IMAGE + threadIdx.x * OWN;
    for (uint32_t i = 0; i < (uint32_t)(D_BYTES / bytes_of(of_d)); i++)
        put(own, i, of_d, mixed(a, i + 99999 + threadIdx.x * 1000), how);
    for (uint32_t i = 0; i < (uint32_t)(A_BYTES / bytes_of(of_a)); i++)
        put(own + D_BYTES, i, of_a, mixed(a, i + 55555 + threadIdx.x * 1000), how);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    return (uint32_t)__cvta_generic_to_shared(own);
}

static __device__ void give(void *d, uint32_t own, uint32_t registers, numbers how) {
    uint32_t sum = 2166136261u;
    for (uint32_t i = 0; i < registers; i++) {
        uint32_t word;
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(own + 4 * i));
        if (how != SMALL)
            ((uint32_t *)d)[threadIdx.x * registers + i] = word;
        else
            sum = (sum ^ word) * 16777619u;
    }
    if (how == SMALL) ((uint32_t *)d)[blockIdx.x * THREADS + threadIdx.x] = sum;
}

/* VARIANT says which layouts the blocks have: LAYOUTS 16 pairs of swizzles; STEPS start addresses inside of swizzled
 * rows; BASES patterns that begin off the grid; ONE the one with 128 bytes. */
enum variant { ONE, LAYOUTS, STEPS, BASES };
static __device__ void descriptors(variant v, bool mn_a, bool mn_b, uint32_t rows_b, uint64_t *of_a, uint64_t *of_b) {
    extern __shared__ __align__(1024) uint8_t image[];
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(image), x = blockIdx.x;
    int swizzle_a = 1, swizzle_b = 1;
    uint32_t step = 0, base = 0;
    if (v == LAYOUTS) swizzle_a = x % 4, swizzle_b = x / 4;
    if (v == STEPS) {
        const int swizzles[] = {1, 1, 1, 1, 2, 2};
        const uint32_t steps[] = {0, 1, 2, 3, 0, 1};
        swizzle_a = swizzle_b = swizzles[x], step = steps[x];
    }
    if (v == BASES) {
        const int swizzles[] = {1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3};
        const uint32_t bases[] = {1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 1};
        swizzle_a = swizzle_b = swizzles[x], base = bases[x];
    }
    *of_a = descriptor(at, swizzle_a, mn_a, 64, step, base);
    *of_b = descriptor(at + B_AT, swizzle_b, mn_b, rows_b, step, base);
}

#define CASE_KERNEL(id, shape, N, types, OF_A, OF_B, OF_D, Q, a_operand, mn_a, mn_b, variant, scale, tail, how)       \
    static __global__ void id(CASE_ARGUMENTS) {                           \
        uint64_t at_a, at_b;                                                                                           \
        const uint32_t own = prepare(a, OF_A, OF_B, OF_D, how);                                                       \
        descriptors(variant, mn_a, mn_b, N, &at_a, &at_b);                                                             \
        WGMMA(own, shape, types, Q, a_operand, at_a, at_b, scale, tail);                                               \
        give(d, own, OF_D == OF_F16 ? N / 4 : N / 2, how);                                                            \
    }

#define A_DESC "%1"
#define A_REGS "{a0,a1,a2,a3}"

/* clang-format off */
CASE_KERNEL(wgmma_1, "m64n8k16", 8, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q2, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_2, "m64n16k16", 16, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_3, "m64n24k16", 24, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q6, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_4, "m64n32k16", 32, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q8, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_5, "m64n40k16", 40, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q10, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_6, "m64n48k16", 48, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q12, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_7, "m64n56k16", 56, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q14, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_8, "m64n64k16", 64, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q16, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_9, "m64n72k16", 72, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q18, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_10, "m64n80k16", 80, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q20, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_11, "m64n88k16", 88, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q22, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_12, "m64n96k16", 96, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q24, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_13, "m64n104k16", 104, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q26, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_14, "m64n112k16", 112, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q28, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_15, "m64n120k16", 120, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q30, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_16, "m64n128k16", 128, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q32, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_17, "m64n136k16", 136, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q34, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_18, "m64n144k16", 144, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q36, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_19, "m64n152k16", 152, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q38, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_20, "m64n160k16", 160, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q40, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_21, "m64n168k16", 168, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q42, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_22, "m64n176k16", 176, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q44, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_23, "m64n184k16", 184, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q46, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_24, "m64n192k16", 192, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q48, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_25, "m64n200k16", 200, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q50, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_26, "m64n208k16", 208, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q52, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_27, "m64n216k16", 216, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q54, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_28, "m64n224k16", 224, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q56, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_29, "m64n232k16", 232, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q58, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_30, "m64n240k16", 240, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q60, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_31, "m64n248k16", 248, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q62, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_32, "m64n256k16", 256, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q64, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_33, "m64n8k16", 8, "f16.f16.f16", OF_F16, OF_F16, OF_F16, Q1, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_34, "m64n24k16", 24, "f16.f16.f16", OF_F16, OF_F16, OF_F16, Q3, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_35, "m64n112k16", 112, "f16.f16.f16", OF_F16, OF_F16, OF_F16, Q14, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_36, "m64n256k16", 256, "f16.f16.f16", OF_F16, OF_F16, OF_F16, Q32, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_37, "m64n8k16", 8, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q2, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_38, "m64n24k16", 24, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q6, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_39, "m64n112k16", 112, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q28, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_40, "m64n256k16", 256, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q64, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_41, "m64n8k8", 8, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q2, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_42, "m64n24k8", 24, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q6, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_43, "m64n112k8", 112, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q28, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_44, "m64n256k8", 256, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q64, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_45, "m64n8k32", 8, "f32.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F32, Q2, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_46, "m64n24k32", 24, "f32.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F32, Q6, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_47, "m64n112k32", 112, "f32.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F32, Q28, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_48, "m64n256k32", 256, "f32.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F32, Q64, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_49, "m64n8k32", 8, "f32.e5m2.e4m3", OF_E5M2, OF_E4M3, OF_F32, Q2, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_50, "m64n24k32", 24, "f32.e5m2.e4m3", OF_E5M2, OF_E4M3, OF_F32, Q6, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_51, "m64n112k32", 112, "f32.e5m2.e4m3", OF_E5M2, OF_E4M3, OF_F32, Q28, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_52, "m64n256k32", 256, "f32.e5m2.e4m3", OF_E5M2, OF_E4M3, OF_F32, Q64, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_53, "m64n8k32", 8, "f16.e4m3.e5m2", OF_E4M3, OF_E5M2, OF_F16, Q1, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_54, "m64n24k32", 24, "f16.e4m3.e5m2", OF_E4M3, OF_E5M2, OF_F16, Q3, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_55, "m64n112k32", 112, "f16.e4m3.e5m2", OF_E4M3, OF_E5M2, OF_F16, Q14, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_56, "m64n256k32", 256, "f16.e4m3.e5m2", OF_E4M3, OF_E5M2, OF_F16, Q32, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_57, "m64n8k32", 8, "f16.e5m2.e5m2", OF_E5M2, OF_E5M2, OF_F16, Q1, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_58, "m64n24k32", 24, "f16.e5m2.e5m2", OF_E5M2, OF_E5M2, OF_F16, Q3, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_59, "m64n112k32", 112, "f16.e5m2.e5m2", OF_E5M2, OF_E5M2, OF_F16, Q14, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_60, "m64n256k32", 256, "f16.e5m2.e5m2", OF_E5M2, OF_E5M2, OF_F16, Q32, A_DESC, false, false,
            ONE, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_61, "m64n8k32", 8, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q2, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_62, "m64n24k32", 24, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q6, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_63, "m64n112k32", 112, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q28, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_64, "m64n256k32", 256, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q64, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_65, "m64n8k32", 8, "s32.u8.u8", OF_BYTES, OF_BYTES, OF_S32, Q2, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_66, "m64n24k32", 24, "s32.u8.u8", OF_BYTES, OF_BYTES, OF_S32, Q6, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_67, "m64n112k32", 112, "s32.u8.u8", OF_BYTES, OF_BYTES, OF_S32, Q28, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_68, "m64n256k32", 256, "s32.u8.u8", OF_BYTES, OF_BYTES, OF_S32, Q64, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_69, "m64n8k32", 8, "s32.s8.u8", OF_BYTES, OF_BYTES, OF_S32, Q2, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_70, "m64n24k32", 24, "s32.s8.u8", OF_BYTES, OF_BYTES, OF_S32, Q6, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_71, "m64n112k32", 112, "s32.s8.u8", OF_BYTES, OF_BYTES, OF_S32, Q28, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_72, "m64n256k32", 256, "s32.s8.u8", OF_BYTES, OF_BYTES, OF_S32, Q64, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_73, "m64n8k32", 8, "s32.u8.s8", OF_BYTES, OF_BYTES, OF_S32, Q2, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_74, "m64n24k32", 24, "s32.u8.s8", OF_BYTES, OF_BYTES, OF_S32, Q6, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_75, "m64n112k32", 112, "s32.u8.s8", OF_BYTES, OF_BYTES, OF_S32, Q28, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_76, "m64n256k32", 256, "s32.u8.s8", OF_BYTES, OF_BYTES, OF_S32, Q64, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_77, "m64n48k32", 48, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q12, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_78, "m64n64k32", 64, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q16, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_79, "m64n80k32", 80, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q20, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_80, "m64n96k32", 96, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q24, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_81, "m64n128k32", 128, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q32, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_82, "m64n144k32", 144, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q36, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_83, "m64n160k32", 160, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q40, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_84, "m64n176k32", 176, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q44, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_85, "m64n192k32", 192, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q48, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_86, "m64n208k32", 208, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q52, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_87, "m64n224k32", 224, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q56, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_88, "m64n240k32", 240, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q60, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_89, "m64n96k16", 96, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q24, A_DESC, false, false,
            LAYOUTS, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_90, "m64n32k16", 32, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q8, A_REGS, false, false,
            LAYOUTS, 1, ", 1, 1, 0", SMALL)
CASE_KERNEL(wgmma_91, "m64n96k16", 96, "f16.f16.f16", OF_F16, OF_F16, OF_F16, Q12, A_DESC, false, false,
            LAYOUTS, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_92, "m64n32k16", 32, "f16.f16.f16", OF_F16, OF_F16, OF_F16, Q4, A_REGS, false, false,
            LAYOUTS, 1, ", 1, 1, 0", SMALL)
CASE_KERNEL(wgmma_93, "m64n96k16", 96, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q24, A_DESC, false, false,
            LAYOUTS, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_94, "m64n32k16", 32, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q8, A_REGS, false, false,
            LAYOUTS, 1, ", 1, 1, 0", SMALL)
CASE_KERNEL(wgmma_95, "m64n96k8", 96, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q24, A_DESC, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_96, "m64n32k8", 32, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q8, A_REGS, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_97, "m64n96k32", 96, "f32.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F32, Q24, A_DESC, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_98, "m64n32k32", 32, "f32.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F32, Q8, A_REGS, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_99, "m64n96k32", 96, "f32.e5m2.e4m3", OF_E5M2, OF_E4M3, OF_F32, Q24, A_DESC, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_100, "m64n32k32", 32, "f32.e5m2.e4m3", OF_E5M2, OF_E4M3, OF_F32, Q8, A_REGS, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_101, "m64n96k32", 96, "f16.e4m3.e5m2", OF_E4M3, OF_E5M2, OF_F16, Q12, A_DESC, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_102, "m64n32k32", 32, "f16.e4m3.e5m2", OF_E4M3, OF_E5M2, OF_F16, Q4, A_REGS, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_103, "m64n96k32", 96, "f16.e5m2.e5m2", OF_E5M2, OF_E5M2, OF_F16, Q12, A_DESC, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_104, "m64n32k32", 32, "f16.e5m2.e5m2", OF_E5M2, OF_E5M2, OF_F16, Q4, A_REGS, false, false,
            LAYOUTS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_105, "m64n96k32", 96, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q24, A_DESC, false, false,
            LAYOUTS, 1, "", SMALL)
CASE_KERNEL(wgmma_106, "m64n32k32", 32, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q8, A_REGS, false, false,
            LAYOUTS, 1, "", SMALL)
CASE_KERNEL(wgmma_107, "m64n96k32", 96, "s32.u8.u8", OF_BYTES, OF_BYTES, OF_S32, Q24, A_DESC, false, false,
            LAYOUTS, 1, "", SMALL)
CASE_KERNEL(wgmma_108, "m64n32k32", 32, "s32.u8.u8", OF_BYTES, OF_BYTES, OF_S32, Q8, A_REGS, false, false,
            LAYOUTS, 1, "", SMALL)
CASE_KERNEL(wgmma_109, "m64n96k32", 96, "s32.s8.u8", OF_BYTES, OF_BYTES, OF_S32, Q24, A_DESC, false, false,
            LAYOUTS, 1, "", SMALL)
CASE_KERNEL(wgmma_110, "m64n32k32", 32, "s32.s8.u8", OF_BYTES, OF_BYTES, OF_S32, Q8, A_REGS, false, false,
            LAYOUTS, 1, "", SMALL)
CASE_KERNEL(wgmma_111, "m64n96k32", 96, "s32.u8.s8", OF_BYTES, OF_BYTES, OF_S32, Q24, A_DESC, false, false,
            LAYOUTS, 1, "", SMALL)
CASE_KERNEL(wgmma_112, "m64n32k32", 32, "s32.u8.s8", OF_BYTES, OF_BYTES, OF_S32, Q8, A_REGS, false, false,
            LAYOUTS, 1, "", SMALL)
CASE_KERNEL(wgmma_113, "m64n80k16", 80, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q20, A_DESC, false, true,
            LAYOUTS, 1, ", 1, 1, 0, 1", SMALL)
CASE_KERNEL(wgmma_114, "m64n80k16", 80, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q20, A_DESC, true, false,
            LAYOUTS, 1, ", 1, 1, 1, 0", SMALL)
CASE_KERNEL(wgmma_115, "m64n80k16", 80, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q20, A_DESC, true, true,
            LAYOUTS, 1, ", 1, 1, 1, 1", SMALL)
CASE_KERNEL(wgmma_116, "m64n200k16", 200, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q50, A_REGS, false, true,
            LAYOUTS, 1, ", 1, 1, 1", SMALL)
CASE_KERNEL(wgmma_117, "m64n80k16", 80, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q20, A_DESC, false, true,
            LAYOUTS, 1, ", 1, 1, 0, 1", SMALL)
CASE_KERNEL(wgmma_118, "m64n80k16", 80, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q20, A_DESC, true, false,
            LAYOUTS, 1, ", 1, 1, 1, 0", SMALL)
CASE_KERNEL(wgmma_119, "m64n80k16", 80, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q20, A_DESC, true, true,
            LAYOUTS, 1, ", 1, 1, 1, 1", SMALL)
CASE_KERNEL(wgmma_120, "m64n200k16", 200, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q50, A_REGS, false, true,
            LAYOUTS, 1, ", 1, 1, 1", SMALL)
CASE_KERNEL(wgmma_121, "m64n64k16", 64, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q16, A_DESC, false, false,
            STEPS, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_122, "m64n64k16", 64, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q16, A_DESC, false, false,
            BASES, 1, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_123, "m64n64k8", 64, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q16, A_DESC, false, false,
            STEPS, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_124, "m64n64k8", 64, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q16, A_DESC, false, false,
            BASES, 1, ", 1, 1", SMALL)
CASE_KERNEL(wgmma_125, "m64n64k32", 64, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q16, A_DESC, false, false,
            STEPS, 1, "", SMALL)
CASE_KERNEL(wgmma_126, "m64n64k32", 64, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q16, A_DESC, false, false,
            BASES, 1, "", SMALL)
CASE_KERNEL(wgmma_127, "m64n64k16", 64, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q16, A_DESC, true, true,
            BASES, 1, ", 1, 1, 1, 1", SMALL)
CASE_KERNEL(wgmma_128, "m64n64k16", 64, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q16, A_DESC, false, false,
            ONE, 0, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_129, "m64n64k32", 64, "s32.u8.u8", OF_BYTES, OF_BYTES, OF_S32, Q16, A_DESC, false, false,
            ONE, 0, "", SMALL)
CASE_KERNEL(wgmma_130, "m64n64k16", 64, "f16.f16.f16", OF_F16, OF_F16, OF_F16, Q8, A_DESC, false, false,
            ONE, 0, ", 1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_131, "m64n64k16", 64, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q16, A_DESC, false, false,
            ONE, 1, ", -1, 1, 0, 0", SMALL)
CASE_KERNEL(wgmma_132, "m64n64k16", 64, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q16, A_DESC, false, false,
            ONE, 1, ", 1, -1, 0, 0", SMALL)
CASE_KERNEL(wgmma_133, "m64n64k16", 64, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q16, A_REGS, false, false,
            ONE, 1, ", -1, -1, 0", SMALL)
CASE_KERNEL(wgmma_134, "m64n64k32.satfinite", 64, "s32.s8.s8", OF_BYTES, OF_BYTES, OF_S32, Q16, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_135, "m64n64k32.satfinite", 64, "s32.u8.u8", OF_BYTES, OF_BYTES, OF_S32, Q16, A_DESC, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_136, "m64n64k32.satfinite", 64, "s32.u8.s8", OF_BYTES, OF_BYTES, OF_S32, Q16, A_REGS, false, false,
            ONE, 1, "", SMALL)
CASE_KERNEL(wgmma_137, "m64n16k16", 16, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SUMS)
CASE_KERNEL(wgmma_138, "m64n16k16", 16, "f16.f16.f16", OF_F16, OF_F16, OF_F16, Q2, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SUMS)
CASE_KERNEL(wgmma_139, "m64n16k16", 16, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", SUMS)
CASE_KERNEL(wgmma_140, "m64n16k8", 16, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1", SUMS)
CASE_KERNEL(wgmma_141, "m64n16k32", 16, "f32.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1", SUMS)
CASE_KERNEL(wgmma_142, "m64n16k32", 16, "f32.e5m2.e5m2", OF_E5M2, OF_E5M2, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1", SUMS)
CASE_KERNEL(wgmma_143, "m64n16k32", 16, "f16.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F16, Q2, A_DESC, false, false,
            ONE, 1, ", 1, 1", SUMS)
CASE_KERNEL(wgmma_wide_137, "m64n16k16", 16, "f32.f16.f16", OF_F16, OF_F16, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", WIDE)
CASE_KERNEL(wgmma_wide_138, "m64n16k16", 16, "f16.f16.f16", OF_F16, OF_F16, OF_F16, Q2, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", WIDE)
CASE_KERNEL(wgmma_wide_139, "m64n16k16", 16, "f32.bf16.bf16", OF_BF16, OF_BF16, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1, 0, 0", WIDE)
CASE_KERNEL(wgmma_wide_140, "m64n16k8", 16, "f32.tf32.tf32", OF_TF32, OF_TF32, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1", WIDE)
CASE_KERNEL(wgmma_wide_141, "m64n16k32", 16, "f32.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1", WIDE)
CASE_KERNEL(wgmma_wide_142, "m64n16k32", 16, "f32.e5m2.e5m2", OF_E5M2, OF_E5M2, OF_F32, Q4, A_DESC, false, false,
            ONE, 1, ", 1, 1", WIDE)
CASE_KERNEL(wgmma_wide_143, "m64n16k32", 16, "f16.e4m3.e4m3", OF_E4M3, OF_E4M3, OF_F16, Q2, A_DESC, false, false,
            ONE, 1, ", 1, 1", WIDE)
/* clang-format on */

/* Registers go from the third warpgroup to the two others; the numbers in them stay. */
static __global__ void __launch_bounds__(384, 1)
    setmaxnreg(CASE_ARGUMENTS) {
    uint32_t v = ((const uint32_t *)a)[threadIdx.x];
    if (threadIdx.x >= 256) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
        v = v * 3 + 1;
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
        v = v * 5 + 2;
    }
    ((uint32_t *)d)[threadIdx.x] = v;
}

/* One accumulator through three groups, one of which stays on its way; then what is done with it in between. */
static __global__ void groups(CASE_ARGUMENTS) {
    uint64_t at_a, at_b;
    const uint32_t own = prepare(a, OF_F16, OF_F16, OF_F32, SMALL);
    descriptors(ONE, false, false, 8, &at_a, &at_b);
    asm volatile(
        "{ .reg .f32 d<4>; .reg .f32 e<4>; ld.shared.v4.f32 {d0,d1,d2,d3}, [%0]; mov.f32 e0, d3; mov.f32 e1, d2; "
        "mov.f32 e2, d1; mov.f32 e3, d0; wgmma.fence.sync.aligned; "
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d0,d1,d2,d3}, %1, %2, 1, 1, 1, 0, 0; "
        "wgmma.commit_group.sync.aligned; "
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {e0,e1,e2,e3}, %1, %3, 1, 1, 1, 0, 0; "
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; "
        "add.f32 d0, d0, d1; add.f32 d2, d2, d3; wgmma.fence.sync.aligned; "
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d0,d1,d2,d3}, %1, %3, 1, 1, -1, 0, 0; "
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; "
        "st.shared.v4.f32 [%0+16], {e0,e1,e2,e3}; wgmma.wait_group.sync.aligned 0; "
        "st.shared.v4.f32 [%0], {d0,d1,d2,d3}; }" ::"r"(own),
        "l"(at_a), "l"(at_b), "l"(at_b + 4)
        : "memory");
    give(d, own, 8, SMALL);
}

static const conformance_case cases[] = {
    /* clang-format off */
    {"wgmma.mma_async.m64n8k16.f32.f16.f16", wgmma_1, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k16.f32.f16.f16", wgmma_2, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k16.f32.f16.f16", wgmma_3, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k16.f32.f16.f16", wgmma_4, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n40k16.f32.f16.f16", wgmma_5, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n48k16.f32.f16.f16", wgmma_6, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n56k16.f32.f16.f16", wgmma_7, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k16.f32.f16.f16", wgmma_8, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n72k16.f32.f16.f16", wgmma_9, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n80k16.f32.f16.f16", wgmma_10, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n88k16.f32.f16.f16", wgmma_11, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k16.f32.f16.f16", wgmma_12, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n104k16.f32.f16.f16", wgmma_13, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k16.f32.f16.f16", wgmma_14, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n120k16.f32.f16.f16", wgmma_15, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n128k16.f32.f16.f16", wgmma_16, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n136k16.f32.f16.f16", wgmma_17, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n144k16.f32.f16.f16", wgmma_18, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n152k16.f32.f16.f16", wgmma_19, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n160k16.f32.f16.f16", wgmma_20, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n168k16.f32.f16.f16", wgmma_21, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n176k16.f32.f16.f16", wgmma_22, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n184k16.f32.f16.f16", wgmma_23, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n192k16.f32.f16.f16", wgmma_24, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n200k16.f32.f16.f16", wgmma_25, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n208k16.f32.f16.f16", wgmma_26, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n216k16.f32.f16.f16", wgmma_27, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n224k16.f32.f16.f16", wgmma_28, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n232k16.f32.f16.f16", wgmma_29, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n240k16.f32.f16.f16", wgmma_30, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n248k16.f32.f16.f16", wgmma_31, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k16.f32.f16.f16", wgmma_32, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k16.f16.f16.f16", wgmma_33, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k16.f16.f16.f16", wgmma_34, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k16.f16.f16.f16", wgmma_35, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k16.f16.f16.f16", wgmma_36, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k16.f32.bf16.bf16", wgmma_37, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k16.f32.bf16.bf16", wgmma_38, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k16.f32.bf16.bf16", wgmma_39, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k16.f32.bf16.bf16", wgmma_40, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k8.f32.tf32.tf32", wgmma_41, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k8.f32.tf32.tf32", wgmma_42, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k8.f32.tf32.tf32", wgmma_43, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k8.f32.tf32.tf32", wgmma_44, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k32.f32.e4m3.e4m3", wgmma_45, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k32.f32.e4m3.e4m3", wgmma_46, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k32.f32.e4m3.e4m3", wgmma_47, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k32.f32.e4m3.e4m3", wgmma_48, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k32.f32.e5m2.e4m3", wgmma_49, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k32.f32.e5m2.e4m3", wgmma_50, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k32.f32.e5m2.e4m3", wgmma_51, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k32.f32.e5m2.e4m3", wgmma_52, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k32.f16.e4m3.e5m2", wgmma_53, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k32.f16.e4m3.e5m2", wgmma_54, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k32.f16.e4m3.e5m2", wgmma_55, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k32.f16.e4m3.e5m2", wgmma_56, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k32.f16.e5m2.e5m2", wgmma_57, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k32.f16.e5m2.e5m2", wgmma_58, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k32.f16.e5m2.e5m2", wgmma_59, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k32.f16.e5m2.e5m2", wgmma_60, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k32.s32.s8.s8", wgmma_61, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k32.s32.s8.s8", wgmma_62, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k32.s32.s8.s8", wgmma_63, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k32.s32.s8.s8", wgmma_64, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k32.s32.u8.u8", wgmma_65, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k32.s32.u8.u8", wgmma_66, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k32.s32.u8.u8", wgmma_67, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k32.s32.u8.u8", wgmma_68, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k32.s32.s8.u8", wgmma_69, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k32.s32.s8.u8", wgmma_70, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k32.s32.s8.u8", wgmma_71, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k32.s32.s8.u8", wgmma_72, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n8k32.s32.u8.s8", wgmma_73, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n24k32.s32.u8.s8", wgmma_74, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n112k32.s32.u8.s8", wgmma_75, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n256k32.s32.u8.s8", wgmma_76, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n48k32.s32.s8.s8", wgmma_77, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k32.s32.s8.s8", wgmma_78, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n80k32.s32.s8.s8", wgmma_79, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k32.s32.s8.s8", wgmma_80, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n128k32.s32.s8.s8", wgmma_81, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n144k32.s32.s8.s8", wgmma_82, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n160k32.s32.s8.s8", wgmma_83, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n176k32.s32.s8.s8", wgmma_84, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n192k32.s32.s8.s8", wgmma_85, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n208k32.s32.s8.s8", wgmma_86, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n224k32.s32.s8.s8", wgmma_87, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n240k32.s32.s8.s8", wgmma_88, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k16.f32.f16.f16/layouts", wgmma_89, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k16.f32.f16.f16/A in registers, layouts", wgmma_90, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k16.f16.f16.f16/layouts", wgmma_91, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k16.f16.f16.f16/A in registers, layouts", wgmma_92, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k16.f32.bf16.bf16/layouts", wgmma_93, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k16.f32.bf16.bf16/A in registers, layouts", wgmma_94, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k8.f32.tf32.tf32/layouts", wgmma_95, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k8.f32.tf32.tf32/A in registers, layouts", wgmma_96, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k32.f32.e4m3.e4m3/layouts", wgmma_97, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k32.f32.e4m3.e4m3/A in registers, layouts", wgmma_98, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k32.f32.e5m2.e4m3/layouts", wgmma_99, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k32.f32.e5m2.e4m3/A in registers, layouts", wgmma_100, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k32.f16.e4m3.e5m2/layouts", wgmma_101, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k32.f16.e4m3.e5m2/A in registers, layouts", wgmma_102, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k32.f16.e5m2.e5m2/layouts", wgmma_103, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k32.f16.e5m2.e5m2/A in registers, layouts", wgmma_104, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k32.s32.s8.s8/layouts", wgmma_105, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k32.s32.s8.s8/A in registers, layouts", wgmma_106, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k32.s32.u8.u8/layouts", wgmma_107, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k32.s32.u8.u8/A in registers, layouts", wgmma_108, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k32.s32.s8.u8/layouts", wgmma_109, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k32.s32.s8.u8/A in registers, layouts", wgmma_110, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n96k32.s32.u8.s8/layouts", wgmma_111, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n32k32.s32.u8.s8/A in registers, layouts", wgmma_112, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n80k16.f32.f16.f16/trans 01, layouts", wgmma_113, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n80k16.f32.f16.f16/trans 10, layouts", wgmma_114, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n80k16.f32.f16.f16/trans 11, layouts", wgmma_115, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n200k16.f32.f16.f16/A in registers, trans 01, layouts", wgmma_116, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n80k16.f32.bf16.bf16/trans 01, layouts", wgmma_117, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n80k16.f32.bf16.bf16/trans 10, layouts", wgmma_118, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n80k16.f32.bf16.bf16/trans 11, layouts", wgmma_119, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n200k16.f32.bf16.bf16/A in registers, trans 01, layouts", wgmma_120, V_U32, V_NONE, V_NONE, V_U32, 2048, 16, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k16.f32.f16.f16/steps", wgmma_121, V_U32, V_NONE, V_NONE, V_U32, 768, 6, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k16.f32.f16.f16/bases", wgmma_122, V_U32, V_NONE, V_NONE, V_U32, 1408, 11, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k8.f32.tf32.tf32/steps", wgmma_123, V_U32, V_NONE, V_NONE, V_U32, 768, 6, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k8.f32.tf32.tf32/bases", wgmma_124, V_U32, V_NONE, V_NONE, V_U32, 1408, 11, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k32.s32.s8.s8/steps", wgmma_125, V_U32, V_NONE, V_NONE, V_U32, 768, 6, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k32.s32.s8.s8/bases", wgmma_126, V_U32, V_NONE, V_NONE, V_U32, 1408, 11, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k16.f32.f16.f16/trans 11, bases", wgmma_127, V_U32, V_NONE, V_NONE, V_U32, 1408, 11, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k16.f32.f16.f16/scale-d 0", wgmma_128, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k32.s32.u8.u8/scale-d 0", wgmma_129, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k16.f16.f16.f16/scale-d 0", wgmma_130, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k16.f32.bf16.bf16/signs -1 1", wgmma_131, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k16.f32.bf16.bf16/signs 1 -1", wgmma_132, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k16.f32.bf16.bf16/A in registers, signs -1 -1", wgmma_133, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k32.satfinite.s32.s8.s8", wgmma_134, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k32.satfinite.s32.u8.u8", wgmma_135, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n64k32.satfinite.s32.u8.s8/A in registers", wgmma_136, V_U32, V_NONE, V_NONE, V_U32, 128, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k16.f32.f16.f16/sums", wgmma_137, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k16.f16.f16.f16/sums", wgmma_138, V_U32, V_NONE, V_NONE, V_F16X2, 512, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k16.f32.bf16.bf16/sums", wgmma_139, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k8.f32.tf32.tf32/sums", wgmma_140, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k32.f32.e4m3.e4m3/sums", wgmma_141, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k32.f32.e5m2.e5m2/sums", wgmma_142, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k32.f16.e4m3.e4m3/sums", wgmma_143, V_U32, V_NONE, V_NONE, V_F16X2, 512, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k16.f32.f16.f16/wide", wgmma_wide_137, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k16.f16.f16.f16/wide", wgmma_wide_138, V_U32, V_NONE, V_NONE, V_F16X2, 512, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k16.f32.bf16.bf16/wide", wgmma_wide_139, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k8.f32.tf32.tf32/wide", wgmma_wide_140, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k32.f32.e4m3.e4m3/wide", wgmma_wide_141, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k32.f32.e5m2.e5m2/wide", wgmma_wide_142, V_U32, V_NONE, V_NONE, V_F32, 1024, 1, THREADS, SHARED, 0},
    {"wgmma.mma_async.m64n16k32.f16.e4m3.e4m3/wide", wgmma_wide_143, V_U32, V_NONE, V_NONE, V_F16X2, 512, 1, THREADS, SHARED, 0},
    {"wgmma.wait_group", groups, V_U32, V_NONE, V_NONE, V_U32, THREADS, 1, THREADS, SHARED, 0},
    {"setmaxnreg", setmaxnreg, V_U32, V_NONE, V_NONE, V_U32, 384, 1, 384, 0, 0},
    /* clang-format on */
};

const conformance_table conformance_wgmma = {"wgmma", cases, (int)(sizeof(cases) / sizeof(cases[0]))};
