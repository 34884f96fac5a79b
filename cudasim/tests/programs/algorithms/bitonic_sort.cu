// Bitonic sort of 4096 keys: steps of large stride in global memory, the small ones in shared memory.
#include <algorithm>

#include "../check.h"

const int block_size = 256;
const int chunk = 2 * block_size; // keys that one block holds in shared memory

__device__ void order(unsigned &a, unsigned &b, bool ascending) {
    if ((a > b) == ascending) {
        unsigned t = a;
        a = b;
        b = t;
    }
}

// One step over all keys: each thread orders the pair (i, i + stride).
__global__ void step_global(unsigned *keys, int stride, int length) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 2 * t - (t & (stride - 1));
    order(keys[i], keys[i + stride], (i & length) == 0);
}

// All the steps whose stride fits a block, for the lengths first_length .. last_length.
__global__ void steps_shared(unsigned *keys, int first_length, int last_length) {
    __shared__ unsigned s[chunk];
    int base = blockIdx.x * chunk;
    s[threadIdx.x] = keys[base + threadIdx.x];
    s[threadIdx.x + block_size] = keys[base + threadIdx.x + block_size];
    for (int length = first_length; length <= last_length; length *= 2) {
        for (int stride = min(length, chunk) / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int t = threadIdx.x;
            int i = 2 * t - (t & (stride - 1));
            order(s[i], s[i + stride], ((base + i) & length) == 0);
        }
    }
    __syncthreads();
    keys[base + threadIdx.x] = s[threadIdx.x];
    keys[base + threadIdx.x + block_size] = s[threadIdx.x + block_size];
}

int main() {
    const int n = 4096;
    static unsigned keys[n], want[n];
    unsigned state = 2463534242u;
    for (int i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        keys[i] = want[i] = state % 100000;
    }
    std::sort(want, want + n);
    unsigned *d_keys;
    CHECK(cudaMalloc(&d_keys, sizeof keys));
    CHECK(cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice));

    steps_shared<<<n / chunk, block_size>>>(d_keys, 2, chunk);
    for (int length = 2 * chunk; length <= n; length *= 2) {
        for (int stride = length / 2; stride >= chunk; stride /= 2) {
            step_global<<<n / chunk, block_size>>>(d_keys, stride, length);
        }
        steps_shared<<<n / chunk, block_size>>>(d_keys, length, length);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(keys, d_keys, sizeof keys, cudaMemcpyDeviceToHost));
    printf("smallest %u %u %u, median %u, largest %u\n", keys[0], keys[1], keys[2], keys[n / 2], keys[n - 1]);
    expect(std::equal(keys, keys + n, want), "order of the keys");
    CHECK(cudaFree(d_keys));
    return finish("bitonic_sort");
}
