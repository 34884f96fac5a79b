// The host's floating-point settings are its own: rounding, subnormals taken for zeros (what -ffast-math asks for) and
// traps change nothing in a kernel, and a kernel's divisions by zero leave no mark in the host.
#include <cfenv>
#include <cstdint>
#include <cstring>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "../check.h"

enum { THREADS = 64, BLOCKS = 8 };

__global__ void compute(uint32_t *out, const float *subnormal, float third) {
    const unsigned i = threadIdx.x;
    uint32_t *mine = out + 4 * (blockIdx.x * blockDim.x + i);
    mine[0] = __float_as_uint(*subnormal * 0.5f);
    mine[1] = __float_as_uint(third * third + (float)i);
    mine[2] = __float_as_uint((float)i / (float)(i & 1));
    mine[3] = __float_as_uint(sqrtf(-1.0f - (float)i)) & 0x7f800000;
}

static uint32_t first[BLOCKS * THREADS * 4], results[BLOCKS * THREADS * 4];

static void run(uint32_t *into, uint32_t *out, const float *subnormal) {
    CHECK(cudaMemset(out, 0xee, sizeof results));
    compute<<<BLOCKS, THREADS>>>(out, subnormal, 1.0f / 3);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(into, out, sizeof results, cudaMemcpyDeviceToHost));
}

static void same(const char *what, uint32_t *out, const float *subnormal) {
    run(results, out, subnormal);
    expect(memcmp(first, results, sizeof results) == 0, what);
}

int main() {
    const uint32_t bits = 0x006ce3ee;
    uint32_t *out;
    float *subnormal;
    CHECK(cudaMalloc(&out, sizeof results));
    CHECK(cudaMalloc(&subnormal, sizeof bits));
    CHECK(cudaMemcpy(subnormal, &bits, sizeof bits, cudaMemcpyHostToDevice));
    run(first, out, subnormal);
    printf("half a subnormal: %08x, a third squared: %08x, 0 / 0 is %s, 1 / 1: %08x\n", first[0], first[1],
           (first[2] & 0x7fffffff) > 0x7f800000 ? "NaN" : "a number", first[6]);

    feclearexcept(FE_ALL_EXCEPT);
    same("plain", out, subnormal);
    expect(fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) == 0, "no exception is left to the host");
    const int roundings[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (const int rounding : roundings) {
        fesetround(rounding);
        same("under another rounding of the host", out, subnormal);
        expect(fegetround() == rounding, "the host keeps its rounding");
    }
    fesetround(FE_TONEAREST);
#ifdef __x86_64__
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040);
    same("with subnormals of the host taken for zeros", out, subnormal);
    expect((_mm_getcsr() & 0x8040) == 0x8040, "the host keeps taking subnormals for zeros");
    _mm_setcsr(control);
#endif
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    same("with traps of the host", out, subnormal);
    expect((fegetexcept() & FE_DIVBYZERO) != 0, "the host keeps its traps");
    fedisableexcept(FE_ALL_EXCEPT);
    CHECK(cudaFree(out));
    CHECK(cudaFree(subnormal));
    return finish("host_floating_point");
}
