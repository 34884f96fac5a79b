// The longest Collatz chains that start below 4096 and in a window above 2^40, in 64-bit integers.
#include "../check.h"

typedef unsigned long long u64;

__host__ __device__ int chain_length(u64 value, u64 *peak) {
    int steps = 0;
    *peak = value;
    while (value != 1) {
        value = value % 2 == 0 ? value / 2 : 3 * value + 1;
        if (value > *peak) *peak = value;
        steps++;
    }
    return steps;
}

// The key has the length above the offset: the maximum is the longest chain.
__global__ void longest(u64 first, int count, u64 *best, u64 *highest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    u64 peak, steps = chain_length(first + i, &peak);
    atomicMax(best, steps << 32 | (u64)i);
    atomicMax(highest, peak);
}

int main() {
    u64 *d_best, best[2];
    CHECK(cudaMalloc(&d_best, sizeof best));
    const u64 starts[] = {1, 1ull << 40};
    const int counts[] = {4095, 1000};
    for (int s = 0; s < 2; s++) {
        CHECK(cudaMemset(d_best, 0, sizeof best));
        longest<<<(counts[s] + 127) / 128, 128>>>(starts[s], counts[s], d_best, d_best + 1);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(best, d_best, sizeof best, cudaMemcpyDeviceToHost));
        u64 want = 0, want_peak = 0;
        for (int i = 0; i < counts[s]; i++) {
            u64 peak, key = (u64)chain_length(starts[s] + i, &peak) << 32 | (u64)i;
            want = key > want ? key : want;
            want_peak = peak > want_peak ? peak : want_peak;
        }
        printf("from %llu: %llu takes %llu steps, highest value %llu\n", starts[s], starts[s] + (best[0] & 0xffffffff),
               best[0] >> 32, best[1]);
        expect(best[0] == want && best[1] == want_peak, "longest chain");
    }
    CHECK(cudaFree(d_best));
    return finish("collatz");
}
