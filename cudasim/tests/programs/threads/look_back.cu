// An inclusive scan in one pass: each block adds what the blocks before it have published (decoupled look-back, Merrill
// and Garland 2016). Value and state travel as one 16-byte word, so a reader never sees half of a new pair.
#include "../check.h"

constexpr int n = 1 << 16, threads = 128, blocks = n / threads;
constexpr unsigned long long empty = 0, partial = 1, complete = 2;

struct alignas(16) pair {
    unsigned long long value, state;
};

__device__ pair published[blocks];
__device__ int next_block;

__device__ pair load(const pair *p) {
    pair v;
    asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(v.value), "=l"(v.state) : "l"(p) : "memory");
    return v;
}

__device__ void store(pair *p, pair v) {
    asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(v.value), "l"(v.state) : "memory");
}

__global__ void scan(const int *in, unsigned long long *out) {
    __shared__ unsigned long long sums[threads], before;
    __shared__ int block;
    if (threadIdx.x == 0) block = atomicAdd(&next_block, 1);
    __syncthreads();
    int i = block * threads + threadIdx.x;
    sums[threadIdx.x] = in[i];
    for (int step = 1; step < threads; step *= 2) {
        __syncthreads();
        unsigned long long add = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += add;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long own = sums[threads - 1], sum = 0;
        store(&published[block], {own, block == 0 ? complete : partial});
        for (int b = block - 1; b >= 0;) {
            pair v = load(&published[b]);
            if (v.state == empty) continue;
            sum += v.value;
            if (v.state == complete) break;
            b--;
        }
        if (block > 0) store(&published[block], {sum + own, complete});
        before = sum;
    }
    __syncthreads();
    out[i] = before + sums[threadIdx.x];
}

int main() {
    int *h_in = new int[n], *in;
    unsigned long long *h_out = new unsigned long long[n], *out;
    for (int i = 0; i < n; i++) h_in[i] = (i * 7919LL) % 1000;
    CHECK(cudaMalloc(&in, n * sizeof *in));
    CHECK(cudaMalloc(&out, n * sizeof *out));
    CHECK(cudaMemcpy(in, h_in, n * sizeof *in, cudaMemcpyHostToDevice));
    for (int round = 0; round < 3; round++) {
        int zero = 0;
        static pair none[blocks];
        CHECK(cudaMemcpyToSymbol(next_block, &zero, sizeof zero));
        CHECK(cudaMemcpyToSymbol(published, none, sizeof none));
        scan<<<blocks, threads>>>(in, out);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(h_out, out, n * sizeof *out, cudaMemcpyDeviceToHost));
        unsigned long long sum = 0;
        int wrong = 0;
        for (int i = 0; i < n; i++) wrong += h_out[i] != (sum += h_in[i]);
        expect(wrong == 0, "the scan");
    }
    printf("last sum %llu\n", h_out[n - 1]);
    return finish("look_back");
}
