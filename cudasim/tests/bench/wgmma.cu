// An HGEMM of wgmma, 512^3, C = A B^T in FP16 with FP32 sums, as real ones are built but for TMA: two warpgroups with
// 64 x 256 of C each, tiles of 64 k in 128-byte swizzle, brought by cp.async while the tile before is multiplied.
//
// Prints "wgmma_hgemm SECONDS" of one launch, and says whether the result is right.
#include <cuda_fp16.h>

#include <ctime>

#include "../programs/check.h"

enum { SIZE = 512, BM = 128, BN = 256, BK = 64, THREADS = 256, RUNS = 5, STAGES = 2, TILE = (BM + BN) * BK };

__device__ static unsigned long long descriptor(const __half *tile) {
    const unsigned address = (unsigned)__cvta_generic_to_shared(tile);
    return (address & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62; // eight rows of 128 bytes: 1024 on
}

// `rows` rows of BK halves, 128 bytes each: chunk c of row r lands in place c ^ (r % 8).
__device__ static void bring(__half *tile, const __half *from, int rows) {
    for (int i = threadIdx.x; i < rows * 8; i += THREADS) {
        const int row = i / 8, chunk = i % 8;
        const unsigned to = (unsigned)__cvta_generic_to_shared(tile + row * BK + (chunk ^ row % 8) * 8);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + row * SIZE + chunk * 8)
                     : "memory");
    }
}

#define F8(x)  "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]), "+f"(x[6]), "+f"(x[7])
#define F32(x) F8((x)), F8((x + 8)), F8((x + 16)), F8((x + 24))

__device__ static void multiply(float *d, unsigned long long a, unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,"
        "%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,"
        "%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,"
        "%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,"
        "%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,"
        "%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1, 1, 1, 0, 0;"
        : F32(d), F32((d + 32)), F32((d + 64)), F32((d + 96))
        : "l"(a), "l"(b));
}

__global__ void __launch_bounds__(THREADS) hgemm(float *c, const __half *a, const __half *b) {
    extern __shared__ __align__(1024) __half tiles[];
    const int group = threadIdx.x / 128, row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    float d[128];
    for (int i = 0; i < 128; i++) d[i] = 0;
    auto stage = [&](int k) {
        if (k < SIZE) {
            __half *tile = tiles + k / BK % STAGES * TILE;
            bring(tile, a + row0 * SIZE + k, BM);
            bring(tile + BM * BK, b + column0 * SIZE + k, BN);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    stage(0);
    for (int k = 0; k < SIZE; k += BK) {
        stage(k + BK);
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        const __half *tile = tiles + k / BK % STAGES * TILE;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int p = 0; p < BK; p += 16)
            multiply(d, descriptor(tile + group * 64 * BK) + p / 8, descriptor(tile + BM * BK) + p / 8);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
    for (int i = 0; i < 128; i += 2) {
        const int row = row0 + group * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8,
                  column = column0 + i / 4 * 8 + lane % 4 * 2;
        *(float2 *)(c + row * SIZE + column) = make_float2(d[i], d[i + 1]);
    }
}

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main() {
    static __half ha[SIZE * SIZE], hb[SIZE * SIZE];
    static float hc[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++) {
        ha[i] = (float)((i * 7 + i / SIZE * 3) % 17 - 8);
        hb[i] = (float)((i * 5 + i / SIZE * 11) % 13 - 6);
    }
    __half *a, *b;
    float *c;
    CHECK(cudaMalloc(&a, sizeof ha));
    CHECK(cudaMalloc(&b, sizeof hb));
    CHECK(cudaMalloc(&c, sizeof hc));
    CHECK(cudaMemcpy(a, ha, sizeof ha, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, hb, sizeof hb, cudaMemcpyHostToDevice));
    const int shared = STAGES * TILE * (int)sizeof(__half);
    CHECK(cudaFuncSetAttribute(hgemm, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        const double begun = seconds();
        hgemm<<<dim3(SIZE / BN, SIZE / BM), THREADS, shared>>>(c, a, b);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        const double time = seconds() - begun;
        if (time < best) best = time;
    }
    CHECK(cudaMemcpy(hc, c, sizeof hc, cudaMemcpyDeviceToHost));
    for (int row = 0; row < SIZE; row += 37)
        for (int column = 0; column < SIZE; column++) {
            float sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += __half2float(ha[row * SIZE + k]) * __half2float(hb[column * SIZE + k]);
            if (hc[row * SIZE + column] != sum) {
                fprintf(stderr, "C[%d][%d] is %g, not %g\n", row, column, hc[row * SIZE + column], sum);
                return 1;
            }
        }
    printf("wgmma_hgemm %.3f\n", best);
    return 0;
}
