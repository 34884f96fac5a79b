// A warp-specialised matrix product: one warpgroup brings tiles with cp.async, two multiply them with wgmma, named
// barriers say when a stage is full and when it is empty, setmaxnreg moves registers to where the sums are. B is read
// as it lies, row-major, by the transposing form. Small integers: every sum is exact.
#include <cuda_fp16.h>

#include "../check.h"

enum { M = 256, N = 192, K = 448, BM = 128, BN = 64, BK = 64, STAGES = 4, LAG = STAGES - 2, THREADS = 384 };
enum { A_HALVES = BM * BK, STAGE_HALVES = A_HALVES + BK * BN, SHARED = STAGES * STAGE_HALVES * 2 };

__device__ static unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// 128-byte swizzle. A: rows of 64 k, eight of them each 1024 bytes. B: rows (k) of 64 columns, eight k each 1024 bytes.
__device__ static unsigned long long descriptor(const __half *p) {
    return (shared_address(p) & 0x3ffff) >> 4 | 64ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ static void bring(__half *tile, const __half *from, int rows, int pitch, int thread) {
    for (int i = thread; i < rows * 8; i += 128) {
        const int row = i / 8, chunk = i % 8;
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(tile + row * 64 + (chunk ^ row % 8) * 8)),
            "l"(from + (size_t)row * pitch + chunk * 8)
            : "memory");
    }
}

#define EIGHT(x)                                                                                                       \
    "+f"((x)[0]), "+f"((x)[1]), "+f"((x)[2]), "+f"((x)[3]), "+f"((x)[4]), "+f"((x)[5]), "+f"((x)[6]), "+f"((x)[7])
__device__ static void multiply(float *d, unsigned long long a, unsigned long long b, int add) {
    asm volatile(
        "{ .reg .pred p; setp.ne.s32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,"
        "%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 1; }"
        : EIGHT(d), EIGHT(d + 8), EIGHT(d + 16), EIGHT(d + 24)
        : "l"(a), "l"(b), "r"(add));
}

__device__ static void barrier_sync(int id) {
    asm volatile("bar.sync %0, 384;" ::"r"(id) : "memory");
}
__device__ static void barrier_arrive(int id) {
    asm volatile("bar.arrive %0, 384;" ::"r"(id) : "memory");
}
enum { FULL = 1, EMPTY = FULL + STAGES };

__global__ void __launch_bounds__(THREADS, 1) product(float *c, const __half *a, const __half *b) {
    extern __shared__ __align__(1024) __half stages[];
    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int t = 0; t < K / BK + LAG; t++) {
            if (t < K / BK) {
                __half *stage = stages + t % STAGES * STAGE_HALVES;
                if (t >= STAGES) barrier_sync(EMPTY + t % STAGES);
                bring(stage, a + (size_t)row0 * K + t * BK, BM, K, threadIdx.x);
                bring(stage + A_HALVES, b + (size_t)t * BK * N + column0, BK, N, threadIdx.x);
            }
            asm volatile("cp.async.commit_group;" ::: "memory");
            if (t >= LAG) {
                asm volatile("cp.async.wait_group %0;" ::"n"((int)LAG) : "memory");
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
                barrier_arrive(FULL + (t - LAG) % STAGES);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int group = threadIdx.x / 128 - 1, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    float d[32];
    for (int t = 0; t < K / BK; t++) {
        const __half *stage = stages + t % STAGES * STAGE_HALVES;
        barrier_sync(FULL + t % STAGES);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < BK; k += 16)
            multiply(d, descriptor(stage + group * 64 * 64) + k / 8, descriptor(stage + A_HALVES + k * 64), t + k > 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        // The tile before has been multiplied now; this one may be on its way.
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (t > 0 && t - 1 + STAGES < K / BK) barrier_arrive(EMPTY + (t - 1) % STAGES);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" : EIGHT(d), EIGHT(d + 8), EIGHT(d + 16), EIGHT(d + 24)::"memory");
    for (int i = 0; i < 32; i += 2) {
        const int row = row0 + group * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8,
                  column = column0 + i / 4 * 8 + lane % 4 * 2;
        c[row * N + column] = d[i];
        c[row * N + column + 1] = d[i + 1];
    }
}

int main() {
    static __half ha[M * K], hb[K * N];
    static float hc[M * N];
    for (int i = 0; i < M * K; i++) ha[i] = (float)((i * 7 + i / K * 3) % 11 - 5);
    for (int i = 0; i < K * N; i++) hb[i] = (float)((i * 5 + i / N * 2) % 9 - 4);
    __half *a, *b;
    float *c;
    CHECK(cudaMalloc(&a, sizeof ha));
    CHECK(cudaMalloc(&b, sizeof hb));
    CHECK(cudaMalloc(&c, sizeof hc));
    CHECK(cudaMemcpy(a, ha, sizeof ha, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, hb, sizeof hb, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(c, 0xff, sizeof hc));
    CHECK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    product<<<dim3(N / BN, M / BM), THREADS, SHARED>>>(c, a, b);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(hc, c, sizeof hc, cudaMemcpyDeviceToHost));
    int wrong = 0;
    double trace = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += __half2float(ha[i * K + k]) * __half2float(hb[k * N + j]);
            wrong += hc[i * N + j] != sum;
            if (i == j) trace += sum;
        }
    expect(wrong == 0, "elements of the product");
    printf("trace %.0f\n", trace);
    return finish("wgmma_pipeline");
}
