// Two products with something between, as attention has them: S = Q K^T in wgmma, each element clipped and rounded to
// FP16 in the registers where it is, and these registers are A of O = P V. V is read as it lies (row-major) by the
// transposing form. Also in BF16. Small integers: every number is exact.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../check.h"

enum { ROWS = 64, KEYS = 32, BLOCKS = 4, DEPTH = 64, KEY_TILES = 4 };

#define EIGHT(x)                                                                                                       \
    "+f"((x)[0]), "+f"((x)[1]), "+f"((x)[2]), "+f"((x)[3]), "+f"((x)[4]), "+f"((x)[5]), "+f"((x)[6]), "+f"((x)[7])
#define LIST16 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"
#define LIST32                                                                                                         \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%" \
    "30,%31}"

template <class T> struct form;
#define FORM(T, name, two, PACK)                                                                                       \
    template <> struct form<T> {                                                                                       \
        __device__ static void scores(float *s, unsigned long long q, unsigned long long k, int add) {                 \
            asm volatile("{ .reg .pred p; setp.ne.s32 p, %18, 0; wgmma.mma_async.sync.aligned.m64n32k16.f32." name     \
                         "." name " " LIST16 ", %16, %17, p, 1, 1, 0, 0; }"                                            \
                         : EIGHT(s), EIGHT(s + 8)                                                                      \
                         : "l"(q), "l"(k), "r"(add));                                                                  \
        }                                                                                                              \
        __device__ static void sums(float *o, const unsigned *p, unsigned long long v) {                               \
            asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32." name "." name " " LIST32                        \
                         ", {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"                                                       \
                         : EIGHT(o), EIGHT(o + 8), EIGHT(o + 16), EIGHT(o + 24)                                        \
                         : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));                                        \
        }                                                                                                              \
        __device__ static unsigned pack(float x, float y) {                                                            \
            const two both = PACK(x, y);                                                                               \
            return *(const unsigned *)&both;                                                                           \
        }                                                                                                              \
    };
FORM(__half, "f16", __half2, __floats2half2_rn)
FORM(__nv_bfloat16, "bf16", __nv_bfloat162, __floats2bfloat162_rn)

__device__ static unsigned long long descriptor(const void *p) { // 128-byte swizzle, eight rows each 1024 bytes
    return ((unsigned)__cvta_generic_to_shared(p) & 0x3ffff) >> 4 | 64ull << 16 | 64ull << 32 | 1ull << 62;
}

// Rows of 64 elements, 128 bytes, by ordinary stores.
template <class T> __device__ static void bring(T *tile, const T *from, int rows) {
    for (int i = threadIdx.x; i < rows * 64; i += 128) {
        const int row = i / 64, column = i % 64;
        tile[row * 64 + (column / 8 ^ row % 8) * 8 + column % 8] = from[i];
    }
}

template <class T> __global__ void __launch_bounds__(128) attention(float *out, const T *q, const T *k, const T *v) {
    __shared__ __align__(1024) T tile_q[ROWS * DEPTH], tile_k[KEYS * DEPTH], tile_v[KEYS * DEPTH];
    q += blockIdx.x * ROWS * DEPTH;
    bring(tile_q, q, ROWS);
    float o[32];
    for (int i = 0; i < 32; i++) o[i] = 0;
    for (int t = 0; t < KEY_TILES; t++) {
        __syncthreads();
        bring(tile_k, k + t * KEYS * DEPTH, KEYS);
        bring(tile_v, v + t * KEYS * DEPTH, KEYS);
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        float s[16];
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int d = 0; d < DEPTH; d += 16)
            form<T>::scores(s, descriptor(tile_q) + d / 8, descriptor(tile_k) + d / 8, d > 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" : EIGHT(s), EIGHT(s + 8)::"memory");
        // D of 16 columns is A of 16 k: d0 d1 | d2 d3 | d4 d5 | d6 d7.
        unsigned p[8];
        for (int i = 0; i < 8; i++)
            p[i] = form<T>::pack(fminf(fmaxf(s[2 * i], -3), 3), fminf(fmaxf(s[2 * i + 1], -3), 3));
        for (int i = 0; i < 8; i++) asm volatile("" : "+r"(p[i])::"memory");
        for (int i = 0; i < 32; i++) asm volatile("" : "+f"(o[i])::"memory");
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int key = 0; key < KEYS; key += 16) form<T>::sums(o, p + key / 4, descriptor(tile_v + key * DEPTH));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;"
                     : EIGHT(o), EIGHT(o + 8), EIGHT(o + 16), EIGHT(o + 24)::"memory");
    }
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 32; i++)
        out[(blockIdx.x * ROWS + warp * 16 + lane / 4 + i / 2 % 2 * 8) * DEPTH + i / 4 * 8 + lane % 4 * 2 + i % 2] =
            o[i];
}

template <class T> static void run(const char *name) {
    const int keys = KEYS * KEY_TILES, rows = ROWS * BLOCKS;
    static float hq[ROWS * BLOCKS * DEPTH], hk[KEYS * KEY_TILES * DEPTH], hv[KEYS * KEY_TILES * DEPTH],
        ho[ROWS * BLOCKS * DEPTH];
    static T tq[ROWS * BLOCKS * DEPTH], tk[KEYS * KEY_TILES * DEPTH], tv[KEYS * KEY_TILES * DEPTH];
    for (int i = 0; i < rows * DEPTH; i++) tq[i] = hq[i] = (float)((i * 13 + i / 64) % 3 - 1);
    for (int i = 0; i < keys * DEPTH; i++) tk[i] = hk[i] = (float)((i * 7 + i / 64 * 3) % 5 - 2);
    for (int i = 0; i < keys * DEPTH; i++) tv[i] = hv[i] = (float)((i * 11 + i / 64 * 5) % 15 - 7);
    T *q, *k, *v;
    float *o;
    CHECK(cudaMalloc(&q, sizeof tq));
    CHECK(cudaMalloc(&k, sizeof tk));
    CHECK(cudaMalloc(&v, sizeof tv));
    CHECK(cudaMalloc(&o, sizeof ho));
    CHECK(cudaMemcpy(q, tq, sizeof tq, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(k, tk, sizeof tk, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(v, tv, sizeof tv, cudaMemcpyHostToDevice));
    attention<T><<<BLOCKS, 128>>>(o, q, k, v);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(ho, o, sizeof ho, cudaMemcpyDeviceToHost));
    int wrong = 0;
    double total = 0;
    for (int i = 0; i < rows; i++) {
        float expected[DEPTH] = {};
        for (int j = 0; j < keys; j++) {
            float s = 0;
            for (int d = 0; d < DEPTH; d++) s += hq[i * DEPTH + d] * hk[j * DEPTH + d];
            s = s < -3 ? -3 : s > 3 ? 3 : s;
            for (int d = 0; d < DEPTH; d++) expected[d] += s * hv[j * DEPTH + d];
        }
        for (int d = 0; d < DEPTH; d++) {
            wrong += ho[i * DEPTH + d] != expected[d];
            total += expected[d] * (d + 1);
        }
    }
    expect(wrong == 0, name);
    printf("%s: %.0f\n", name, total);
}

int main() {
    run<__half>("f16");
    run<__nv_bfloat16>("bf16");
    return finish("wgmma_attention");
}
