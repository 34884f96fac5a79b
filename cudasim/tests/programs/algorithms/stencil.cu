// Stencils with a halo in shared memory: 1D of radius 3 with coefficients in constant memory, and 2D of five points.
// All values are small multiples of 1/8, so every sum is exact.
#include "../check.h"

const int radius = 3;
const int block_size = 128;
const int tile = 16;

__constant__ float coefficients[2 * radius + 1];

__global__ void stencil_1d(const float *in, float *out, int n) {
    __shared__ float s[block_size + 2 * radius];
    int i = blockIdx.x * block_size + threadIdx.x;
    int local = threadIdx.x + radius;
    s[local] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < radius) {
        int left = i - radius, right = i + block_size;
        s[local - radius] = left >= 0 ? in[left] : 0.0f;
        s[local + block_size] = right < n ? in[right] : 0.0f;
    }
    __syncthreads();
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll
    for (int k = -radius; k <= radius; k++) sum += coefficients[k + radius] * s[local + k];
    out[i] = sum;
}

__global__ void stencil_2d(const float *in, float *out, int width, int height) {
    __shared__ float s[tile + 2][tile + 2];
    int x0 = blockIdx.x * tile - 1, y0 = blockIdx.y * tile - 1;
    int tid = threadIdx.y * tile + threadIdx.x;
    for (int k = tid; k < (tile + 2) * (tile + 2); k += tile * tile) {
        int x = x0 + k % (tile + 2), y = y0 + k / (tile + 2);
        bool inside = x >= 0 && x < width && y >= 0 && y < height;
        s[k / (tile + 2)][k % (tile + 2)] = inside ? in[y * width + x] : 0.0f;
    }
    __syncthreads();
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x >= width || y >= height) return;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    out[y * width + x] = 0.5f * s[ty][tx] + 0.125f * (s[ty - 1][tx] + s[ty + 1][tx] + s[ty][tx - 1] + s[ty][tx + 1]);
}

int main() {
    const int n = 3000, width = 60, height = 50; // the same number of elements
    const float c[2 * radius + 1] = {0.125f, -0.25f, 0.5f, 1.0f, 0.5f, -0.25f, 0.125f};
    static float in[n], out[n];
    for (int i = 0; i < n; i++) in[i] = (float)(i * 11 % 64);
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));

    stencil_1d<<<(n + block_size - 1) / block_size, block_size>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    double total = 0;
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = -radius; k <= radius; k++) {
            if (i + k >= 0 && i + k < n) sum += c[k + radius] * in[i + k];
        }
        expect(out[i] == sum, "1d");
        total += out[i];
    }
    printf("1d: first %.3f, last %.3f, total %.3f\n", out[0], out[n - 1], total);

    dim3 grid((width + tile - 1) / tile, (height + tile - 1) / tile);
    stencil_2d<<<grid, dim3(tile, tile)>>>(d_in, d_out, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    total = 0;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float up = y > 0 ? in[(y - 1) * width + x] : 0, down = y + 1 < height ? in[(y + 1) * width + x] : 0;
            float left = x > 0 ? in[y * width + x - 1] : 0, right = x + 1 < width ? in[y * width + x + 1] : 0;
            expect(out[y * width + x] == 0.5f * in[y * width + x] + 0.125f * (up + down + left + right), "2d");
            total += out[y * width + x];
        }
    }
    printf("2d: first %.3f, last %.3f, total %.3f\n", out[0], out[n - 1], total);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return finish("stencil");
}
