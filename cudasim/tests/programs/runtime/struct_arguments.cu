// Structs by value to functions that are not inlined, their addresses taken inside; a table of many functions, called
// from many blocks at once; votes as CUB writes them.
#include "../check.h"

struct matrix3 {
    float m[3][3];
    int tag;
};

__device__ __noinline__ float pick(matrix3 a, int row, int column) {
    const float *first = &a.m[0][0]; // an address in the parameter itself
    return first[(row * 3 + column) % 9] + a.tag;
}

__device__ __noinline__ matrix3 transposed(matrix3 a) {
    matrix3 t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t.m[i][j] = a.m[j][i];
    t.tag = -a.tag;
    return t;
}

__global__ void arguments(matrix3 a, float *out) {
    int i = threadIdx.x;
    a.tag += i;
    matrix3 t = transposed(a);
    out[i] = pick(a, i % 3, i / 3 % 3) + 100 * pick(t, i % 3, i / 3 % 3);
}

template <int N> __device__ __noinline__ int function(int x) {
    return x * N + (x >> (N % 5)) - N;
}

typedef int (*function_pointer)(int);
#define EIGHT(n)                                                                                                       \
    function<n>, function<n + 1>, function<n + 2>, function<n + 3>, function<n + 4>, function<n + 5>, function<n + 6>, \
        function<n + 7>
__device__ function_pointer table[32] = {EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24)};

__global__ void calls(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[(i * 7 + blockIdx.x) % 32](i);
}

static int host_function(int n, int x) {
    return x * n + (x >> (n % 5)) - n;
}

__global__ void ballots(unsigned *out) {
    unsigned even;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; vote.ballot.sync.b32 %0, p, 0xffffffff; }"
                 : "=r"(even)
                 : "r"(threadIdx.x & 1));
    out[threadIdx.x] = even;
}

int main() {
    matrix3 a;
    for (int i = 0; i < 9; i++) a.m[i / 3][i % 3] = i + 1;
    a.tag = 1000;
    float *d_out, out[32];
    CHECK(cudaMalloc(&d_out, sizeof out));
    arguments<<<1, 32>>>(a, d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        int r = i % 3, c = i / 3 % 3;
        float right = a.m[r][c] + (1000 + i) + 100 * (a.m[c][r] - (1000 + i));
        expect(out[i] == right, "struct arguments");
    }
    const int n = 64 * 128;
    int *d_calls, *h_calls = new int[n];
    CHECK(cudaMalloc(&d_calls, n * sizeof(int)));
    calls<<<64, 128>>>(d_calls);
    CHECK(cudaMemcpy(h_calls, d_calls, n * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += h_calls[i] != host_function((i * 7 + i / 128) % 32, i);
    expect(wrong == 0, "the table of functions");
    unsigned *d_ballots, h_ballots[32];
    CHECK(cudaMalloc(&d_ballots, sizeof h_ballots));
    ballots<<<1, 32>>>(d_ballots);
    CHECK(cudaMemcpy(h_ballots, d_ballots, sizeof h_ballots, cudaMemcpyDeviceToHost));
    printf("sums %.0f %.0f, call %d, ballot %08x\n", out[0], out[31], h_calls[n - 1], h_ballots[5]);
    return finish("struct_arguments");
}
