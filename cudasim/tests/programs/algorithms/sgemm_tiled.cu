// C = A B in tiles of 16 x 16 in shared memory; no side is a multiple of the tile. Small integers: exact in float.
#include "../check.h"

const int tile = 16;

__global__ void sgemm(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float as[tile][tile], bs[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y;
    int col = blockIdx.x * tile + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < k; t += tile) {
        int ax = t + threadIdx.x, by = t + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && ax < k ? a[row * k + ax] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = col < n && by < k ? b[by * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < tile; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

int main() {
    const int m = 70, n = 90, k = 50;
    static float a[m * k], b[k * n], c[m * n];
    for (int i = 0; i < m * k; i++) a[i] = (float)(i % 13 - 6);
    for (int i = 0; i < k * n; i++) b[i] = (float)(i % 7 - 2);
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, sizeof a));
    CHECK(cudaMalloc(&d_b, sizeof b));
    CHECK(cudaMalloc(&d_c, sizeof c));
    CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
    sgemm<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile)>>>(d_a, d_b, d_c, m, n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost));
    int wrong = 0;
    long long trace = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int l = 0; l < k; l++) sum += (int)a[i * k + l] * (int)b[l * n + j];
            wrong += c[i * n + j] != (float)sum;
        }
        trace += (long long)c[i * n + i];
    }
    printf("c[0][0] %.0f, c[69][89] %.0f, trace %lld\n", c[0], c[m * n - 1], trace);
    expect(wrong == 0, "product");
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    return finish("sgemm_tiled");
}
