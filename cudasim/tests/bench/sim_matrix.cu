// What a GEMM on tensor cores costs in the simulator: D = A B of 512 x 512 halves, FP32 sums, by ldmatrix and mma.sync.
//
// Prints "NAME SECONDS": the median of five launches.
#include <cstdint>
#include <ctime>
#include <cuda_fp16.h>

#include "../programs/check.h"

enum { SIZE = 512, BM = 128, BN = 128, BK = 32, THREADS = 256, PITCH_A = BK + 8, PITCH_B = BN + 8, RUNS = 5 };

__device__ inline uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// 8 warps, 2 x 4 of them, 64 x 32 results each: 4 x 4 products of m16n8k16 a step.
__global__ void hgemm(const __half *a, const __half *b, float *d) {
    __shared__ __align__(16) __half sa[2][BM][PITCH_A];
    __shared__ __align__(16) __half sb[2][BK][PITCH_B];
    const unsigned t = threadIdx.x, lane = t % 32, wm = t / 32 / 4 * 64, wn = t / 32 % 4 * 32;
    const __half *from_a = a + (size_t)blockIdx.y * BM * SIZE, *from_b = b + blockIdx.x * BN;
    float c[4][4][4] = {};

    auto fetch = [&](unsigned stage, unsigned k) {
        for (unsigned i = t; i < BM * BK / 8; i += THREADS)
            asm volatile(
                "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&sa[stage][i / 4][i % 4 * 8])),
                "l"(from_a + (size_t)(i / 4) * SIZE + k + i % 4 * 8));
        for (unsigned i = t; i < BK * BN / 8; i += THREADS)
            asm volatile(
                "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&sb[stage][i / 16][i % 16 * 8])),
                "l"(from_b + (size_t)(k + i / 16) * SIZE + i % 16 * 8));
        asm volatile("cp.async.commit_group;");
    };

    fetch(0, 0);
    for (unsigned k = 0, stage = 0; k < SIZE; k += BK, stage ^= 1) {
        if (k + BK < SIZE) {
            fetch(stage ^ 1, k + BK);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
#pragma unroll
        for (unsigned kk = 0; kk < BK; kk += 16) {
            uint32_t fa[4][4], fb[4][2];
#pragma unroll
            for (unsigned i = 0; i < 4; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                             : "r"(shared_address(&sa[stage][wm + i * 16 + lane % 16][kk + lane / 16 * 8])));
#pragma unroll
            for (unsigned j = 0; j < 4; j += 2)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1])
                             : "r"(shared_address(&sb[stage][kk + lane % 16][wn + j * 8 + lane / 16 * 8])));
#pragma unroll
            for (unsigned i = 0; i < 4; i++)
#pragma unroll
                for (unsigned j = 0; j < 4; j++)
                    asm volatile(
                        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                        "{%8, %9}, {%0, %1, %2, %3};"
                        : "+f"(c[i][j][0]), "+f"(c[i][j][1]), "+f"(c[i][j][2]), "+f"(c[i][j][3])
                        : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            const unsigned row = blockIdx.y * BM + wm + i * 16 + lane / 4,
                           column = blockIdx.x * BN + wn + j * 8 + lane % 4 * 2;
            *(float2 *)&d[(size_t)row * SIZE + column] = make_float2(c[i][j][0], c[i][j][1]);
            *(float2 *)&d[(size_t)(row + 8) * SIZE + column] = make_float2(c[i][j][2], c[i][j][3]);
        }
}

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int a_value(int row, int column) {
    return (row * 7 + column * 3) % 9 - 4;
}
static int b_value(int row, int column) {
    return (row * 5 + column * 11) % 7 - 3;
}

int main() {
    static __half a[SIZE][SIZE], b[SIZE][SIZE];
    static float d[SIZE][SIZE];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            a[i][j] = __float2half((float)a_value(i, j)), b[i][j] = __float2half((float)b_value(i, j));
    __half *device_a, *device_b;
    float *device_d;
    CHECK(cudaMalloc(&device_a, sizeof a));
    CHECK(cudaMalloc(&device_b, sizeof b));
    CHECK(cudaMalloc(&device_d, sizeof d));
    CHECK(cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const double begun = seconds();
        hgemm<<<dim3(SIZE / BN, SIZE / BM), THREADS>>>(device_a, device_b, device_d);
        CHECK(cudaDeviceSynchronize());
        times[run] = seconds() - begun;
        for (int j = run; j > 0 && times[j] < times[j - 1]; j--) {
            const double t = times[j];
            times[j] = times[j - 1];
            times[j - 1] = t;
        }
    }
    CHECK(cudaMemcpy(d, device_d, sizeof d, cudaMemcpyDeviceToHost));
    for (int i = 0; i < SIZE; i += 17)
        for (int j = 0; j < SIZE; j++) {
            int sum = 0;
            for (int k = 0; k < SIZE; k++) sum += a_value(i, k) * b_value(k, j);
            if (d[i][j] != (float)sum) {
                fprintf(stderr, "sim_matrix: d[%d][%d] is %g, not %d\n", i, j, d[i][j], sum);
                return 1;
            }
        }
    printf("hgemm_mma %.3f\n", times[RUNS / 2]);
    return 0;
}
