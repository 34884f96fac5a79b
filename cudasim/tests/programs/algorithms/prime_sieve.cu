// Sieve of Eratosthenes over bits: a thread for each small prime strikes out its multiples, then the bits are counted.
#include "../check.h"

const int limit = 20000;
const int words = (limit + 31) / 32;

__global__ void strike_out(unsigned *composite) {
    int p = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if (p * p >= limit) return;
    for (int d = 2; d * d <= p; d++) {
        if (p % d == 0) return;
    }
    for (int m = p * p; m < limit; m += p) atomicOr(&composite[m / 32], 1u << m % 32);
}

__global__ void count_primes(const unsigned *composite, int *count, int *largest) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    unsigned primes = ~composite[w];
    if (w == 0) primes &= ~3u; // 0 and 1
    atomicAdd(count, __popc(primes));
    if (primes != 0) atomicMax(largest, w * 32 + 31 - __clz(primes));
}

int main() {
    unsigned *composite;
    int *d_result, result[2], want = 0, want_largest = 0;
    CHECK(cudaMalloc(&composite, words * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_result, sizeof result));
    CHECK(cudaMemset(composite, 0, words * sizeof(unsigned)));
    CHECK(cudaMemset(d_result, 0, sizeof result));
    strike_out<<<3, 64>>>(composite);
    count_primes<<<(words + 127) / 128, 128>>>(composite, d_result, d_result + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result, d_result, sizeof result, cudaMemcpyDeviceToHost));
    for (int i = 2; i < limit; i++) {
        bool prime = true;
        for (int d = 2; d * d <= i && prime; d++) prime = i % d != 0;
        want += prime;
        if (prime) want_largest = i;
    }
    printf("%d primes below %d, the largest is %d\n", result[0], limit, result[1]);
    expect(result[0] == want && result[1] == want_largest, "primes");
    CHECK(cudaFree(composite));
    CHECK(cudaFree(d_result));
    return finish("prime_sieve");
}
