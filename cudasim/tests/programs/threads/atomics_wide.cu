// Atomics wider than 64 bits, on global memory: vectors of float, each component by itself, and compare and swap or
// exchange of 128 bits at once, which excludes narrower atomics on the same bytes.
#include "../check.h"

typedef unsigned long long u64;
const int threads = 64;

struct alignas(16) pair128 {
    u64 low, high;
};

__global__ void wide(float2 *two, float4 *four, pair128 *both, pair128 *exchanged) {
    atomicAdd(two, make_float2(1.0f, 0.5f));
    atomicAdd(four, make_float4(1.0f, 2.0f, -3.0f, 0.25f));
    if (threadIdx.x == 5) atomicExch(exchanged, pair128{7, ~0ull});
    pair128 old = {0, 0};
    for (;;) {
        pair128 seen = atomicCAS(both, old, pair128{old.low + 1, old.high + threadIdx.x});
        if (seen.low == old.low && seen.high == old.high) break;
        old = seen;
    }
}

// Every other block adds to the low half by compare and swap of both, the others to the halves of the high one by
// themselves.
const int blocks = 8, rounds = 2000;
__global__ void mixed(pair128 *both) {
    if (blockIdx.x % 2 == 1) {
        for (int k = 0; k < rounds; k++) {
            atomicAdd((unsigned *)&both->high, 1u);
            atomicAdd(&both->high, 1ull << 32);
        }
        return;
    }
    pair128 old = {0, 0};
    for (int k = 0; k < rounds;) {
        const pair128 seen = atomicCAS(both, old, pair128{old.low + 1, old.high});
        if (seen.low == old.low && seen.high == old.high) k++;
        old = seen;
    }
}

int main() {
    struct {
        float4 four;
        pair128 both, exchanged;
        float2 two;
    } w = {}, *d_w;
    CHECK(cudaMalloc(&d_w, sizeof w));
    CHECK(cudaMemset(d_w, 0, sizeof w));
    wide<<<1, threads>>>(&d_w->two, &d_w->four, &d_w->both, &d_w->exchanged);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&w, d_w, sizeof w, cudaMemcpyDeviceToHost));
    printf("wide: %.2f %.2f, %.2f %.2f %.2f %.2f, %llu %llu\n", w.two.x, w.two.y, w.four.x, w.four.y, w.four.z,
           w.four.w, w.both.low, w.both.high);
    printf("exchanged: %llu %llx\n", w.exchanged.low, w.exchanged.high);
    expect(w.exchanged.low == 7 && w.exchanged.high == ~0ull, "exchange");
    expect(w.two.y == 32 && w.four.z == -192 && w.both.low == threads && w.both.high == 2016, "wide");
    CHECK(cudaMemset(&d_w->both, 0, sizeof d_w->both));
    mixed<<<blocks, threads>>>(&d_w->both);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&w.both, &d_w->both, sizeof w.both, cudaMemcpyDeviceToHost));
    const u64 count = blocks / 2 * threads * rounds;
    printf("mixed: %llu %llu %llu\n", w.both.low, w.both.high & 0xffffffff, w.both.high >> 32);
    expect(w.both.low == count && w.both.high == (count << 32 | count), "wide and narrow together");
    CHECK(cudaFree(d_w));
    return finish("atomics_wide");
}
