// Matrix times vector, a warp for each row, the partial sums added with shuffles. Small integers: exact in float.
#include "../check.h"

__global__ void matvec(const float *a, const float *x, float *y, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int col = lane; col < cols; col += warpSize) sum += a[row * cols + col] * x[col];
    for (int mask = warpSize / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
    if (lane == 0) y[row] = sum;
}

int main() {
    const int rows = 70, cols = 200;
    static float a[rows * cols], x[cols], y[rows];
    for (int i = 0; i < rows * cols; i++) a[i] = (float)(i % 23 - 11);
    for (int i = 0; i < cols; i++) x[i] = (float)(i % 9 - 4);
    float *d_a, *d_x, *d_y;
    CHECK(cudaMalloc(&d_a, sizeof a));
    CHECK(cudaMalloc(&d_x, sizeof x));
    CHECK(cudaMalloc(&d_y, sizeof y));
    CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    const int warps_per_block = 4;
    matvec<<<(rows + warps_per_block - 1) / warps_per_block, warps_per_block * 32>>>(d_a, d_x, d_y, rows, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
    for (int r = 0; r < rows; r++) {
        int want = 0;
        for (int c = 0; c < cols; c++) want += (int)a[r * cols + c] * (int)x[c];
        expect(y[r] == (float)want, "row");
    }
    printf("y[0] %.0f, y[1] %.0f, y[35] %.0f, y[69] %.0f\n", y[0], y[1], y[35], y[69]);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    return finish("matvec_shuffle");
}
