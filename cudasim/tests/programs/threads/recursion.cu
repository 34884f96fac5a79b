// Recursive device functions: Fibonacci, Ackermann, quicksort and the Towers of Hanoi; each thread to its own depth.
#include <algorithm>

#include "../check.h"

__host__ __device__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__host__ __device__ int hanoi(int discs, int from, int to, int *moves_to) {
    if (discs == 0) return 0;
    int other = 3 - from - to;
    int moves = hanoi(discs - 1, from, other, moves_to);
    moves_to[to]++;
    return moves + 1 + hanoi(discs - 1, other, to, moves_to);
}

__device__ void quicksort(int *data, int left, int right) {
    if (left >= right) return;
    int pivot = data[(left + right) / 2];
    int i = left, j = right;
    while (i <= j) {
        while (data[i] < pivot) i++;
        while (data[j] > pivot) j--;
        if (i <= j) {
            int t = data[i];
            data[i++] = data[j];
            data[j--] = t;
        }
    }
    quicksort(data, left, j);
    quicksort(data, i, right);
}

__global__ void numbers(int *out) {
    int i = threadIdx.x;
    out[i] = fibonacci(i);
    out[16 + i] = i < 4 ? ackermann(2, i) : ackermann(1, i);
    int moves_to[3] = {0, 0, 0};
    out[32 + i] = hanoi(i % 7, 0, 2, moves_to) * 1000 + moves_to[2];
}

// Each thread sorts its own row.
__global__ void sort_rows(int *data, int length) {
    quicksort(data + threadIdx.x * length, 0, length - 1);
}

int main() {
    const int rows = 4, length = 40;
    static int out[48], data[rows * length], want[rows * length];
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    size_t limit;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    expect(limit >= 4096, "stack size");
    int *d_out, *d_data;
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMalloc(&d_data, sizeof data));
    for (int i = 0; i < rows * length; i++) data[i] = want[i] = i * 7919 % 1009;
    CHECK(cudaMemcpy(d_data, data, sizeof data, cudaMemcpyHostToDevice));
    numbers<<<1, 16>>>(d_out);
    sort_rows<<<1, rows>>>(d_data, length);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(data, d_data, sizeof data, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) {
        int moves_to[3] = {0, 0, 0};
        expect(out[i] == fibonacci(i), "fibonacci");
        expect(out[16 + i] == (i < 4 ? ackermann(2, i) : ackermann(1, i)), "ackermann");
        int moves = hanoi(i % 7, 0, 2, moves_to);
        expect(out[32 + i] == moves * 1000 + moves_to[2], "hanoi");
    }
    for (int r = 0; r < rows; r++) std::sort(want + r * length, want + (r + 1) * length);
    expect(std::equal(data, data + rows * length, want), "quicksort");
    printf("fibonacci(15) %d, ackermann(2, 3) %d, hanoi(6) %d moves\n", out[15], out[19], out[38] / 1000);
    printf("rows from %d %d %d %d to %d %d %d %d\n", data[0], data[length], data[2 * length], data[3 * length],
           data[length - 1], data[2 * length - 1], data[3 * length - 1], data[4 * length - 1]);
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_data));
    return finish("recursion");
}
