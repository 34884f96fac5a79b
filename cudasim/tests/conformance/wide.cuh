/* Operands of matrix products whose exponents lie far apart, subnormals and, rarely, infinities and NaNs among them:
 * what a sum drops and when it overflows depends on them. */
#pragma once

#include <cstdint>

static __device__ inline uint32_t wide_mix(uint32_t x) {
    x = (x ^ x >> 16) * 2146121005u;
    x = (x ^ x >> 15) * 2221713035u;
    return x ^ x >> 16;
}

/* Mostly below 32, one time in 16 anything: else too many sums are infinite in f16. */
static __device__ inline uint32_t wide_f16(uint32_t random) {
    const uint32_t x = wide_mix(random), y = wide_mix(x + 12345);
    return y % 16 == 0 ? x & 0xffff : (x & 0x83ff) | (y >> 8) % 20 << 10;
}

/* Mostly of exponents around 1, one time in 16 of any. */
static __device__ inline uint32_t wide_f32(uint32_t random) {
    const uint32_t x = wide_mix(random), y = wide_mix(x + 12345);
    return y % 16 == 0 ? x : (x & 0x807fffff) | (111 + (y >> 8) % 32) << 23;
}

static __device__ inline uint32_t wide_bf16(uint32_t random) {
    return wide_f32(random) >> 16;
}

static __device__ inline uint32_t wide_e4m3(uint32_t random) {
    const uint32_t x = wide_mix(random), bits = x & 0xff;
    return (bits & 0x7f) == 0x7f && (x >> 8) % 16 != 0 ? bits & 0xbf : bits;
}

static __device__ inline uint32_t wide_e5m2(uint32_t random) {
    const uint32_t x = wide_mix(random), bits = x & 0xff;
    return (bits & 0x7c) == 0x7c && (x >> 8) % 64 != 0 ? bits & 0xbf : bits;
}
