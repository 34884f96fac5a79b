// Half precision and bfloat16: arithmetic, pairs, comparisons, conversions with rounding. Compared by their bits with
// what the types can represent.
#include <cstring>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../check.h"

template <typename T> __device__ unsigned short bits(T value) {
    return *reinterpret_cast<unsigned short *>(&value);
}

struct results {
    unsigned short sum, difference, product, quotient, fused, root, largest, negated;
    unsigned short rounded, down, up, toward_zero, from_int, denormal, overflow;
    float back;
    int to_int, less, equal, is_nan;
};

__global__ void half_arithmetic(float a, float b, results *r) {
    __half x = __float2half(a), y = __float2half(b);
    r->sum = bits(__hadd(x, y));
    r->difference = bits(x - y);
    r->product = bits(x * y);
    r->quotient = bits(x / y);
    r->fused = bits(__hfma(x, y, y));
    r->root = bits(hsqrt(x));
    r->largest = bits(__hmax(x, y));
    r->negated = bits(-x);
    r->rounded = bits(__float2half_rn(2049.5f)); // between 2048 and 2050
    r->down = bits(__float2half_rd(2049.5f));
    r->up = bits(__float2half_ru(2048.5f));
    r->toward_zero = bits(__float2half_rz(-2049.5f));
    r->from_int = bits(__int2half_rn(-1234));
    r->denormal = bits(__float2half(3.0f / 16777216.0f));
    r->overflow = bits(__float2half(70000.0f));
    r->back = __half2float(x * y);
    r->to_int = __half2int_rz(__float2half(-7.75f));
    r->less = __hlt(x, y);
    r->equal = x == x;
    r->is_nan = __hisnan(__float2half(sqrtf(-a)));
}

__global__ void bfloat_arithmetic(float a, float b, results *r) {
    __nv_bfloat16 x = __float2bfloat16(a), y = __float2bfloat16(b);
    r->sum = bits(__hadd(x, y));
    r->difference = bits(x - y);
    r->product = bits(x * y);
    r->quotient = bits(x / y);
    r->fused = bits(__hfma(x, y, y));
    r->root = bits(hsqrt(x));
    r->largest = bits(__hmax(x, y));
    r->negated = bits(-x);
    r->rounded = bits(__float2bfloat16_rn(257.0f)); // a tie between 256 and 258: to even
    r->down = bits(__float2bfloat16_rd(257.5f));
    r->up = bits(__float2bfloat16_ru(256.5f));
    r->toward_zero = bits(__float2bfloat16_rz(-257.5f));
    r->from_int = bits(__int2bfloat16_rn(-200));
    r->denormal = bits(__float2bfloat16(1.0f / 1024.0f));
    r->overflow = bits(__float2bfloat16(70000.0f)); // far from the largest
    r->back = __bfloat162float(x * y);
    r->to_int = __bfloat162int_rz(__float2bfloat16(-7.75f));
    r->less = __hlt(x, y);
    r->equal = x == x;
    r->is_nan = __hisnan(__float2bfloat16(sqrtf(-a)));
}

// y = a x + y on pairs, then the sum of all, a pair a thread; small integers, exact up to 2048.
__global__ void axpy_pairs(__half2 a, const __half2 *x, __half2 *y, float *sum) {
    int i = threadIdx.x;
    __half2 r = __hfma2(a, x[i], y[i]);
    y[i] = r;
    float2 f = __half22float2(r);
    atomicAdd(sum, f.x + f.y);
}

static void print(const char *name, const results &r) {
    printf("%s: sum %04x difference %04x product %04x quotient %04x fused %04x root %04x\n", name, r.sum, r.difference,
           r.product, r.quotient, r.fused, r.root);
    printf("    largest %04x negated %04x rounded %04x down %04x up %04x zero %04x int %04x tiny %04x huge %04x\n",
           r.largest, r.negated, r.rounded, r.down, r.up, r.toward_zero, r.from_int, r.denormal, r.overflow);
    printf("    back %.3f to int %d less %d equal %d nan %d\n", r.back, r.to_int, r.less, r.equal, r.is_nan);
}

int main() {
    results *d_results, r;
    CHECK(cudaMalloc(&d_results, sizeof r));
    half_arithmetic<<<1, 1>>>(2.25f, 0.75f, d_results);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&r, d_results, sizeof r, cudaMemcpyDeviceToHost));
    print("half", r);
    // 3, 1.5, 1.6875, 3, 2.4375, 1.5, 2.25, -2.25, 2050, 2048, 2050, -2048, -1234, 3 * 2^-24, infinity
    const unsigned short half_want[] = {0x4200, 0x3e00, 0x3ec0, 0x4200, 0x40e0, 0x3e00, 0x4080, 0xc080,
                                        0x6801, 0x6800, 0x6801, 0xe800, 0xe4d2, 0x0003, 0x7c00};
    expect(memcmp(&r, half_want, sizeof half_want) == 0, "half");
    expect(r.back == 1.6875f && r.to_int == -7 && !r.less && r.equal && r.is_nan, "half to others");

    bfloat_arithmetic<<<1, 1>>>(2.25f, 0.75f, d_results);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&r, d_results, sizeof r, cudaMemcpyDeviceToHost));
    print("bfloat16", r);
    // the same up to -2.25, then 256, 256, 258, -256, -200, 2^-10, 70144
    const unsigned short bfloat_want[] = {0x4040, 0x3fc0, 0x3fd8, 0x4040, 0x401c, 0x3fc0, 0x4010, 0xc010,
                                          0x4380, 0x4380, 0x4381, 0xc380, 0xc348, 0x3a80, 0x4789};
    expect(memcmp(&r, bfloat_want, sizeof bfloat_want) == 0, "bfloat16");
    expect(r.back == 1.6875f && r.to_int == -7 && !r.less && r.equal && r.is_nan, "bfloat16 to others");

    const int n = 64;
    __half2 x[n], y[n], *d_x, *d_y;
    float sum = 0, want = 0, *d_sum;
    for (int i = 0; i < n; i++) {
        x[i] = __floats2half2_rn((float)i, (float)(i - 30));
        y[i] = __floats2half2_rn(1.0f, (float)(2 * i));
        want += 3.0f * i + 1 + -2.0f * (i - 30) + 2 * i;
    }
    CHECK(cudaMalloc(&d_x, sizeof x));
    CHECK(cudaMalloc(&d_y, sizeof y));
    CHECK(cudaMalloc(&d_sum, sizeof sum));
    CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y, sizeof y, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_sum, 0, sizeof sum));
    axpy_pairs<<<1, n>>>(__floats2half2_rn(3.0f, -2.0f), d_x, d_y, d_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    printf("pairs: last %.0f %.0f, sum %.0f\n", __low2float(y[n - 1]), __high2float(y[n - 1]), sum);
    expect(sum == want, "pairs");
    CHECK(cudaFree(d_results));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    CHECK(cudaFree(d_sum));
    return finish("half_precision");
}
