// GEMMs on tensor cores as libraries write them: cp.async in three stages, swizzled shared memory, ldmatrix, mma.sync,
// results out by stmatrix. Halves, bfloat16 and bytes; small integers, so that every sum is exact.
#include "../check.h"

#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

enum { M = 192, N = 128, K = 256, BM = 64, BN = 64, STAGES = 3, THREADS = 128 };

__device__ inline uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// Rows of 64 bytes, four pieces of 16; which piece stands where depends on the row, so that eight rows that one
// ldmatrix reads lie in different banks.
__device__ inline uint32_t piece(uint32_t base, int row, int at) {
    return base + (uint32_t)(row * 64 + ((at ^ (row / 2)) & 3) * 16);
}

template <class T> __device__ void multiply(float *c, const uint32_t *a, const uint32_t *b);
template <> __device__ void multiply<__half>(float *c, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <> __device__ void multiply<__nv_bfloat16>(float *c, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void multiply_bytes(int *c, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <> __device__ void multiply<int8_t>(float *c, const uint32_t *a, const uint32_t *b) {
    multiply_bytes((int *)c, a, b);
}

// D (M x N) = A (M x K) B (N x K, so B's columns are contiguous). Four warps, 32 x 32 results each.
template <class T> __global__ void gemm(const T *a, const T *b, float *d, __half *halves) {
    constexpr int BK = 64 / (int)sizeof(T), PER = 16 / (int)sizeof(T); // elements a row, a piece
    __shared__ __align__(128) uint8_t sa[STAGES][BM * 64], sb[STAGES][BN * 64];
    const int t = threadIdx.x, lane = t % 32, wm = t / 64 * 32, wn = t / 32 % 2 * 32;
    const T *from_a = a + blockIdx.y * BM * K, *from_b = b + blockIdx.x * BN * K;
    float c[2][4][4] = {};

    auto fetch = [&](int k) {
        const int stage = k % STAGES;
        for (int i = t; i < BM * 4; i += THREADS) {
            asm volatile(
                "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(piece(shared_address(sa[stage]), i / 4, i % 4)),
                "l"(from_a + i / 4 * K + k * BK + i % 4 * PER));
            asm volatile(
                "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(piece(shared_address(sb[stage]), i / 4, i % 4)),
                "l"(from_b + i / 4 * K + k * BK + i % 4 * PER));
        }
    };
    for (int k = 0; k < STAGES - 1; k++) {
        fetch(k);
        asm volatile("cp.async.commit_group;");
    }
    for (int k = 0; k < K / BK; k++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        if (k + STAGES - 1 < K / BK) fetch(k + STAGES - 1);
        asm volatile("cp.async.commit_group;");
        const uint32_t at_a = shared_address(sa[k % STAGES]), at_b = shared_address(sb[k % STAGES]);
        for (int half = 0; half < 2; half++) { // 32 bytes of each row: k16 of 16 bits, k32 of 8
            uint32_t fa[2][4], fb[4][2];
            for (int i = 0; i < 2; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                             : "r"(piece(at_a, wm + i * 16 + lane % 16, half * 2 + lane / 16)));
            for (int j = 0; j < 4; j++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                             : "=r"(fb[j][0]), "=r"(fb[j][1])
                             : "r"(piece(at_b, wn + j * 8 + lane % 8, half * 2 + lane / 8 % 2)));
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++) multiply<T>(c[i][j], fa[i], fb[j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            const int row = blockIdx.y * BM + wm + i * 16 + lane / 4,
                      column = blockIdx.x * BN + wn + j * 8 + lane % 4 * 2;
            *(float2 *)&d[row * N + column] = make_float2(c[i][j][0], c[i][j][1]);
            *(float2 *)&d[(row + 8) * N + column] = make_float2(c[i][j][2], c[i][j][3]);
        }
    if (halves == nullptr) return;
    // A warp's 32 x 32 results as halves: eight 8 x 8 matrices a stmatrix.x4 twice, then rows of 64 bytes.
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    const uint32_t own = shared_address(sa[0]) + (uint32_t)(t / 32 * 32 * 64);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j += 2) {
            uint32_t r[4];
            for (int q = 0; q < 4; q++) {
                const float *pair = &c[i][j + q / 2][q % 2 * 2];
                const __half2 h = __floats2half2_rn(pair[0], pair[1]);
                r[q] = *(const uint32_t *)&h;
            }
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                             piece(own, i * 16 + lane % 16, j + lane / 16)),
                         "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                         : "memory");
        }
    __syncwarp();
    for (int i = lane; i < 32 * 4; i += 32) {
        uint4 whole;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(whole.x), "=r"(whole.y), "=r"(whole.z), "=r"(whole.w)
                     : "r"(piece(own, i / 4, i % 4))
                     : "memory");
        *(uint4 *)&halves[(blockIdx.y * BM + wm + i / 4) * N + blockIdx.x * BN + wn + i % 4 * 8] = whole;
    }
}

static int a_value(int row, int k) {
    return (row * 7 + k * 3 + row * k) % 7 - 3;
}
static int b_value(int column, int k) {
    return (column * 5 + k * 11 + column * k) % 5 - 2;
}

template <class T> static T made(int x) {
    return T((float)x);
}
template <> int8_t made<int8_t>(int x) {
    return (int8_t)x;
}

template <class T> static void run(const char *name, bool integers) {
    std::vector<T> a(M * K), b(N * K);
    std::vector<float> d(M * N);
    std::vector<__half> halves(M * N);
    for (int r = 0; r < M; r++)
        for (int k = 0; k < K; k++) a[r * K + k] = made<T>(a_value(r, k));
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++) b[n * K + k] = made<T>(b_value(n, k));
    T *device_a, *device_b;
    float *device_d;
    __half *device_halves;
    CHECK(cudaMalloc(&device_a, a.size() * sizeof(T)));
    CHECK(cudaMalloc(&device_b, b.size() * sizeof(T)));
    CHECK(cudaMalloc(&device_d, d.size() * sizeof(float)));
    CHECK(cudaMalloc(&device_halves, halves.size() * sizeof(__half)));
    CHECK(cudaMemcpy(device_a, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));
    gemm<T><<<dim3(N / BN, M / BM), THREADS>>>(device_a, device_b, device_d, integers ? nullptr : device_halves);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(d.data(), device_d, d.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(halves.data(), device_halves, halves.size() * sizeof(__half), cudaMemcpyDeviceToHost));
    int wrong = 0, wrong_halves = 0;
    long sum = 0;
    for (int r = 0; r < M; r++)
        for (int n = 0; n < N; n++) {
            int expected = 0, got;
            for (int k = 0; k < K; k++) expected += a_value(r, k) * b_value(n, k);
            if (integers)
                memcpy(&got, &d[r * N + n], sizeof got);
            else
                got = (int)d[r * N + n];
            wrong += got != expected;
            wrong_halves += !integers && __half2float(halves[r * N + n]) != (float)expected;
            sum += (r % 3 + 1) * got;
        }
    printf("%s: %ld\n", name, sum);
    expect(wrong == 0, name);
    expect(wrong_halves == 0, "its halves");
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_d));
    CHECK(cudaFree(device_halves));
}

int main() {
    run<__half>("f16", false);
    run<__nv_bfloat16>("bf16", false);
    run<int8_t>("s8", true);
    return finish("tensor_gemm");
}
