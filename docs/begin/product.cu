/* C = alpha·A·B + beta·C, a thread for each element of C, and all that a program needs around it. */
#include <stdio.h>

__global__ void product(int m, int n, int k, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                        float *C, int ldc) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return; /* the grid is made of whole blocks, and may be larger than C */
    float acc = 0.0f;
    for (int i = 0; i < k; i++) acc += A[row * lda + i] * B[i * ldb + col];
    float *c = &C[row * ldc + col];
    *c = beta == 0.0f ? alpha * acc : alpha * acc + beta * *c; /* beta = 0: C is not read */
}

int main(void) {
    const int m = 3, n = 4, k = 2, lda = 5, ldb = 4, ldc = 4;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * lda * sizeof *A); /* memory that the CPU and the GPU both reach */
    cudaMallocManaged(&B, k * ldb * sizeof *B);
    cudaMallocManaged(&C, m * ldc * sizeof *C);
    for (int i = 0; i < m * lda; i++) A[i] = i;
    for (int i = 0; i < k * ldb; i++) B[i] = i;

    dim3 threads(32, 8), blocks((n + 31) / 32, (m + 7) / 8); /* x runs along a row of C */
    product<<<blocks, threads>>>(m, n, k, 1.0f, A, lda, B, ldb, 0.0f, C, ldc);
    cudaDeviceSynchronize(); /* a launch returns at once: wait for its end, and ask how it went */
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) fprintf(stderr, "product: %s\n", cudaGetErrorString(error));

    for (int i = 0; error == cudaSuccess && i < m * ldc; i++) printf("%4g%c", C[i], i % ldc < ldc - 1 ? ' ' : '\n');
    return error != cudaSuccess;
}
