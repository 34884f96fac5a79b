/* wgmma: the four warps of a warpgroup multiply tiles that lie in shared memory (PTX ISA, "Asynchronous Warpgroup Level
 * Matrix Multiply-Accumulate Instructions"; sm_90a, SASS: HGMMA, IGMMA).
 *
 * D (64 x N, in registers) = A (64 x K) * B (K x N) + D. K is 32 bytes: 16 of f16 and bf16, 8 of tf32, 32 of s8. A and
 * B are read from shared memory, or A is in registers, as wgmma_words takes it. It is asynchronous: wgmmas are issued
 * and closed into a group, and until wgmma_wait has seen the group complete, no register of D may be touched and no
 * register or byte of A or B overwritten.
 *
 *   wgmma_fence();                 registers of D, and of A, that were written before may be read
 *   wgmma_f16<0>(d, a, b, 1); ...  several, on the same d, in order
 *   wgmma_commit();
 *   wgmma_wait<0>(d);
 *
 * D: warp w of the four holds rows 16w to 16w + 15. Lane l has, for every 8 columns j,
 *
 *              columns 8j + 2 (l % 4)   and the next
 *   row 16w + l / 4            d[4j]        d[4j + 1]
 *   row 16w + l / 4 + 8        d[4j + 2]    d[4j + 3]
 *
 * so N = 2 * (length of d), and the length picks the instruction: N = 16, 32, ... 256.
 *
 * A descriptor says how a matrix lies in shared memory ("Matrix descriptor"): bits 0-13 its address / 16, 16-29 the
 * leading and 32-45 the stride byte offset / 16, 62-63 the swizzle, 1 for 128 bytes, 2 for 64, 3 for 32. Two layouts
 * are used here; both are what tma_load with the 128-byte swizzle produces from a box with rows of 128 bytes.
 *
 *   K-major     a row of the box is 128 bytes along K of one row of A, or of one column of B. Eight rows, 1024 bytes,
 *               are a pattern; the stride offset leads from one to the next, the leading offset is not used. The next
 *               K of the box is 32 bytes further.
 *   MN-major    a row of the box is 64 columns of B for one k (16-bit types only: TRANS_B = 1), or 64 rows of A
 *               (TRANS_A = 1). Eight of them are a pattern; the stride offset leads to the next eight k, the leading
 *               offset to the next 64 columns or rows. The next K of the box is 16 rows, 2048 bytes, further.
 */
#pragma once

#include <stdint.h>

#include "ptx/sm90.cuh"

/* K-major rows of 128, 64 or 32 bytes in a swizzle of that width; from every eight of them to the next are `next_rows`
 * bytes. The swizzle goes by the address, so `shared` may be where any row begins, plus 32 for each K within it. */
__device__ __forceinline__ uint64_t wgmma_rows(uint32_t shared, int width, uint32_t next_rows) {
    const uint64_t swizzle = width == 128 ? 1 : width == 64 ? 2 : 3;
    return (uint64_t)((shared & 0x3ffff) >> 4) | 1ull << 16 | (uint64_t)(next_rows >> 4) << 32 | swizzle << 62;
}

/* Rows of 128 bytes without gaps: `shared` is a multiple of 1024, plus 32 for each K within the 128 bytes. */
__device__ __forceinline__ uint64_t wgmma_k_major(uint32_t shared) {
    return wgmma_rows(shared, 128, 1024);
}

/* `shared` is a multiple of 1024; the next 64 columns are `next_columns` bytes further. */
__device__ __forceinline__ uint64_t wgmma_mn_major(uint32_t shared, uint32_t next_columns) {
    return (uint64_t)((shared & 0x3ffff) >> 4) | (uint64_t)(next_columns >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 |
           1ull << 62;
}

/* What is added to a descriptor to move it by this many bytes. */
__device__ __forceinline__ constexpr uint64_t wgmma_advance(uint32_t bytes) {
    return bytes >> 4;
}

/* Before the first wgmma, and whenever a register of D was written by something else. */
__device__ __forceinline__ void wgmma_fence() {
    KL_SM90A("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Closes the wgmmas since the last commit into a group. */
__device__ __forceinline__ void wgmma_commit() {
    KL_SM90A("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Operands of asm: the first eight, 16, ... elements of d, and their names in the text. */
#define KL_8(c, d, i)                                                                                                  \
    "+" c((d)[(i)]), "+" c((d)[(i) + 1]), "+" c((d)[(i) + 2]), "+" c((d)[(i) + 3]), "+" c((d)[(i) + 4]),               \
        "+" c((d)[(i) + 5]), "+" c((d)[(i) + 6]), "+" c((d)[(i) + 7])
#define KL_D8(c, d)   KL_8(c, d, 0)
#define KL_D16(c, d)  KL_D8(c, d), KL_8(c, d, 8)
#define KL_D24(c, d)  KL_D16(c, d), KL_8(c, d, 16)
#define KL_D32(c, d)  KL_D24(c, d), KL_8(c, d, 24)
#define KL_D40(c, d)  KL_D32(c, d), KL_8(c, d, 32)
#define KL_D48(c, d)  KL_D40(c, d), KL_8(c, d, 40)
#define KL_D56(c, d)  KL_D48(c, d), KL_8(c, d, 48)
#define KL_D64(c, d)  KL_D56(c, d), KL_8(c, d, 56)
#define KL_D72(c, d)  KL_D64(c, d), KL_8(c, d, 64)
#define KL_D80(c, d)  KL_D72(c, d), KL_8(c, d, 72)
#define KL_D88(c, d)  KL_D80(c, d), KL_8(c, d, 80)
#define KL_D96(c, d)  KL_D88(c, d), KL_8(c, d, 88)
#define KL_D104(c, d) KL_D96(c, d), KL_8(c, d, 96)
#define KL_D112(c, d) KL_D104(c, d), KL_8(c, d, 104)
#define KL_D120(c, d) KL_D112(c, d), KL_8(c, d, 112)
#define KL_D128(c, d) KL_D120(c, d), KL_8(c, d, 120)
#define KL_TEXT8      "%0, %1, %2, %3, %4, %5, %6, %7"
#define KL_TEXT16     KL_TEXT8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define KL_TEXT24     KL_TEXT16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define KL_TEXT32     KL_TEXT24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define KL_TEXT40     KL_TEXT32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define KL_TEXT48     KL_TEXT40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define KL_TEXT56     KL_TEXT48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define KL_TEXT64     KL_TEXT56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define KL_TEXT72     KL_TEXT64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define KL_TEXT80     KL_TEXT72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define KL_TEXT88     KL_TEXT80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define KL_TEXT96     KL_TEXT88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define KL_TEXT104    KL_TEXT96 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define KL_TEXT112    KL_TEXT104 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define KL_TEXT120    KL_TEXT112 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define KL_TEXT128    KL_TEXT120 ", %120, %121, %122, %123, %124, %125, %126, %127"

/* What the compiler must not move the uses of d before. */
template <int COUNT> __device__ __forceinline__ void wgmma_hold(float (&d)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) asm volatile("" : "+f"(d[i])::"memory");
}
template <int COUNT> __device__ __forceinline__ void wgmma_hold(int (&d)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) asm volatile("" : "+r"(d[i])::"memory");
}

/* Waits until at most N groups are in flight. The compiler moves no use of d before the wait. */
template <int N, typename SUM, int COUNT> __device__ __forceinline__ void wgmma_wait(SUM (&d)[COUNT]) {
    KL_SM90A("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
    wgmma_hold(d);
}

/* wgmma_TYPE(d, a, b, add): d = a * b + (add ? d : 0); a and b are descriptors. */
#define KL_WGMMA_16(type, count, n, a, b, add, trans_b, trans_a)                                                       \
    template <int TRANS_B, int TRANS_A = 0>                                                                            \
    __device__ __forceinline__ void wgmma_##type(float(&d)[count], uint64_t a_tile, uint64_t b_tile, int add_d) {      \
        KL_SM90A("{ .reg .pred p; setp.ne.b32 p, %" #add ", 0;\n"                                                      \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." #type "." #type " {" KL_TEXT##count                 \
                 "}, %" #a ", %" #b ", p, 1, 1, %" #trans_a ", %" #trans_b "; }"                                       \
                 : KL_D##count("f", d)                                                                                 \
                 : "l"(a_tile), "l"(b_tile), "r"(add_d), "n"(TRANS_B), "n"(TRANS_A));                                  \
    }
#define KL_WGMMA_HALF(...) KL_WGMMA_16(f16, __VA_ARGS__) KL_WGMMA_16(bf16, __VA_ARGS__)
KL_WGMMA_HALF(8, 16, 8, 9, 10, 11, 12)
KL_WGMMA_HALF(16, 32, 16, 17, 18, 19, 20)
KL_WGMMA_HALF(24, 48, 24, 25, 26, 27, 28)
KL_WGMMA_HALF(32, 64, 32, 33, 34, 35, 36)
KL_WGMMA_HALF(40, 80, 40, 41, 42, 43, 44)
KL_WGMMA_HALF(48, 96, 48, 49, 50, 51, 52)
KL_WGMMA_HALF(56, 112, 56, 57, 58, 59, 60)
KL_WGMMA_HALF(64, 128, 64, 65, 66, 67, 68)
KL_WGMMA_HALF(72, 144, 72, 73, 74, 75, 76)
KL_WGMMA_HALF(80, 160, 80, 81, 82, 83, 84)
KL_WGMMA_HALF(88, 176, 88, 89, 90, 91, 92)
KL_WGMMA_HALF(96, 192, 96, 97, 98, 99, 100)
KL_WGMMA_HALF(104, 208, 104, 105, 106, 107, 108)
KL_WGMMA_HALF(112, 224, 112, 113, 114, 115, 116)
KL_WGMMA_HALF(120, 240, 120, 121, 122, 123, 124)
KL_WGMMA_HALF(128, 256, 128, 129, 130, 131, 132)

/* Both K-major. tf32: of a float the upper 19 bits are read. wgmma_words has A in registers; then only B must be
 * K-major. Lane l of warp w holds of row 16w + l / 4 and of the one 8 below it, in this order, column l % 4 of both,
 * then column l % 4 + 4 of both. In wgmma_tf32 a0, a1 and a2 number the operands A, B and add. */
#define KL_WGMMA_TF32(count, n, a0, a1, a2, a3, b, add)                                                                \
    __device__ __forceinline__ void wgmma_tf32(float(&d)[count], uint64_t a_tile, uint64_t b_tile, int add_d) {        \
        KL_SM90A("{ .reg .pred p; setp.ne.b32 p, %" #a2 ", 0;\n"                                                       \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k8.f32.tf32.tf32 {" KL_TEXT##count "}, %" #a0 ", %" #a1       \
                                                                                            ", p, 1, 1; }"             \
                 : KL_D##count("f", d)                                                                                 \
                 : "l"(a_tile), "l"(b_tile), "r"(add_d));                                                              \
    }                                                                                                                  \
    __device__ __forceinline__ void wgmma_words(float(&d)[count], const uint32_t(&a)[4], uint64_t b_tile, int add_d) { \
        KL_SM90A("{ .reg .pred p; setp.ne.b32 p, %" #add ", 0;\n"                                                      \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k8.f32.tf32.tf32 {" KL_TEXT##count                            \
                 "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b ", p, 1, 1; }"                                    \
                 : KL_D##count("f", d)                                                                                 \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b_tile), "r"(add_d));                               \
    }
KL_WGMMA_TF32(8, 16, 8, 9, 10, 11, 12, 13)
KL_WGMMA_TF32(16, 32, 16, 17, 18, 19, 20, 21)
KL_WGMMA_TF32(24, 48, 24, 25, 26, 27, 28, 29)
KL_WGMMA_TF32(32, 64, 32, 33, 34, 35, 36, 37)
KL_WGMMA_TF32(40, 80, 40, 41, 42, 43, 44, 45)
KL_WGMMA_TF32(48, 96, 48, 49, 50, 51, 52, 53)
KL_WGMMA_TF32(56, 112, 56, 57, 58, 59, 60, 61)
KL_WGMMA_TF32(64, 128, 64, 65, 66, 67, 68, 69)
KL_WGMMA_TF32(72, 144, 72, 73, 74, 75, 76, 77)
KL_WGMMA_TF32(80, 160, 80, 81, 82, 83, 84, 85)
KL_WGMMA_TF32(88, 176, 88, 89, 90, 91, 92, 93)
KL_WGMMA_TF32(96, 192, 96, 97, 98, 99, 100, 101)
KL_WGMMA_TF32(104, 208, 104, 105, 106, 107, 108, 109)
KL_WGMMA_TF32(112, 224, 112, 113, 114, 115, 116, 117)
KL_WGMMA_TF32(120, 240, 120, 121, 122, 123, 124, 125)
KL_WGMMA_TF32(128, 256, 128, 129, 130, 131, 132, 133)

/* Sums of s8 wrap around. */
#define KL_WGMMA_S8(count, n, text, operands, a, b, add)                                                               \
    __device__ __forceinline__ void wgmma_s8(int(&d)[count], uint64_t a_tile, uint64_t b_tile, int add_d) {            \
        KL_SM90A("{ .reg .pred p; setp.ne.b32 p, " add ", 0;\n"                                                        \
                 "wgmma.mma_async.sync.aligned.m64n" n "k32.s32.s8.s8 {" text "}, " a ", " b ", p; }"                  \
                 : operands                                                                                            \
                 : "l"(a_tile), "l"(b_tile), "r"(add_d));                                                              \
    }
KL_WGMMA_S8(64, "128", KL_TEXT64, KL_D64("r", d), "%64", "%65", "%66")
KL_WGMMA_S8(96, "192", KL_TEXT96, KL_D96("r", d), "%96", "%97", "%98")
KL_WGMMA_S8(128, "256", KL_TEXT128, KL_D128("r", d), "%128", "%129", "%130")
