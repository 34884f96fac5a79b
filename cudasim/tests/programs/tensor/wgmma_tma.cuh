// C = A Bᵀ in FP16 as Hopper's fast kernels do it, shared by wgmma_tma_gemm.cu and wgmma_cluster_gemm.cu. One thread
// of the first warpgroup brings tiles through tensor maps (128-byte swizzle) into a ring of stages, two warpgroups
// multiply them with wgmma, and the result leaves through a tensor map, too. In a cluster of two blocks, one above the
// other, each brings half of the tile of B and sends it to both. Sides need not be multiples of the tile: what the maps
// read outside is zero, and what they write there is dropped. But a store ends no sooner than the 16 bytes in which a
// row does: where n is not a multiple of 8, the halves behind a row's end are overwritten with the tile's, which are
// zero.
//
// With a mistake's name as argument a program makes that mistake instead (tests/test_faults.sh).
#pragma once

#include "../check.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include <cuda.h>
#include <cuda_fp16.h>

enum mistake {
    NONE,
    WRONG_PARITY,     // waits for the phase before
    EXPECT_LESS,      // a stage's barrier is told of A only
    EXPECT_MORE,      // and of 16 bytes that nobody sends
    WRONG_SWIZZLE,    // the descriptors say 64 bytes
    NO_FENCE,         // none between the stores to the tile of C and the bulk store
    NO_DRAIN,         // the block ends without waiting for the bulk store
    NO_RELEASE,       // consumers do not say that a stage is free
    EARLY_RELEASE,    // they say so before the products are done
    NO_CLUSTER_SYNC,  // the cluster does not wait for its barriers' initialisation
    NO_CLUSTER_END,   // nor for each other at the end
    NO_SUCH_RANK,     // a multicast to three blocks of two
    RELEASE_OWN_ONLY, // consumers do not tell the other block that a stage is free
    REUSE_SOURCE,     // the tile of C is overwritten before the bulk store has read it
    MISTAKES
};
static const char *const mistake_names[MISTAKES] = {
    "none",           "wrong-parity", "expect-less",      "expect-more",   "wrong-swizzle",
    "no-fence",       "no-drain",     "no-release",       "early-release", "no-cluster-sync",
    "no-cluster-end", "no-such-rank", "release-own-only", "reuse-source"};

constexpr int BM = 128, BN = 128, BK = 64, STAGES = 4, THREADS = 384;
constexpr int A_BYTES = BM * BK * 2, B_BYTES = BN * BK * 2, STAGE_BYTES = A_BYTES + B_BYTES, C_BYTES = BM * BN * 2;
constexpr int SHARED = 1024 + STAGES * STAGE_BYTES + C_BYTES;

__device__ inline uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ inline void barrier_init(uint64_t *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

__device__ inline void barrier_expect(uint64_t *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ inline void barrier_arrive(uint64_t *barrier, unsigned rank) {
    asm volatile("{ .reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote]; }" ::"r"(shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}

__device__ inline void barrier_wait(uint64_t *barrier, unsigned parity) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ inline void load(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
                 : "memory");
}

__device__ inline void load_all(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier, unsigned ranks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"((uint16_t)ranks)
                 : "memory");
}

__device__ inline void store(const void *from, const CUtensorMap *map, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(shared_address(from))
                 : "memory");
}

// Rows of 64 halves, swizzled by 128 bytes, eight of them each 1024 bytes.
__device__ inline uint64_t descriptor(const void *p, bool wrong) {
    return (shared_address(p) & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | (wrong ? 2ull : 1ull) << 62;
}

#define EIGHT(x)                                                                                                       \
    "+f"((x)[0]), "+f"((x)[1]), "+f"((x)[2]), "+f"((x)[3]), "+f"((x)[4]), "+f"((x)[5]), "+f"((x)[6]), "+f"((x)[7])
#define SUMS(d)                                                                                                        \
    EIGHT(d), EIGHT(d + 8), EIGHT(d + 16), EIGHT(d + 24), EIGHT(d + 32), EIGHT(d + 40), EIGHT(d + 48), EIGHT(d + 56)
__device__ inline void multiply(float *d, uint64_t a, uint64_t b, int add) {
    asm volatile(
        "{ .reg .pred p; setp.ne.s32 p, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,"
        "%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, "
        "0; }"
        : SUMS(d)
        : "l"(a), "l"(b), "r"(add));
}

template <int CLUSTER>
__global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
         const __grid_constant__ CUtensorMap c_map, int k, int wrong) {
    extern __shared__ __align__(1024) uint8_t shared[];
    uint64_t *full = (uint64_t *)shared, *empty = full + STAGES;
    uint8_t *stages = shared + 1024, *tile = stages + STAGES * STAGE_BYTES;
    const int row = blockIdx.y * BM, column = blockIdx.x * BN, steps = (k + BK - 1) / BK;
    const unsigned rank = blockIdx.y % CLUSTER;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + s, 1);
            barrier_init(empty + s, 2 * CLUSTER);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (CLUSTER > 1 && wrong != NO_CLUSTER_SYNC)
        cluster_sync();
    else
        __syncthreads();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (int t = 0; t < steps; t++) {
                const int s = t % STAGES, round = t / STAGES;
                uint8_t *a = stages + s * STAGE_BYTES, *b = a + A_BYTES;
                barrier_wait(empty + s, (round & 1) ^ 1);
                barrier_expect(full + s, wrong == EXPECT_LESS   ? A_BYTES
                                         : wrong == EXPECT_MORE ? STAGE_BYTES + 16
                                                                : STAGE_BYTES);
                load(a, &a_map, t * BK, row, full + s);
                if (CLUSTER == 1)
                    load(b, &b_map, t * BK, column, full + s);
                else
                    load_all(b + rank * (B_BYTES / CLUSTER), &b_map, t * BK, column + rank * (BN / CLUSTER), full + s,
                             wrong == NO_SUCH_RANK ? 7 : 3);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int group = threadIdx.x / 128 - 1, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
        float d[64];
        for (int i = 0; i < 64; i++) d[i] = 0;
        for (int t = 0; t < steps; t++) {
            const int s = t % STAGES, round = t / STAGES;
            const uint8_t *a = stages + s * STAGE_BYTES + group * 64 * BK * 2, *b = stages + s * STAGE_BYTES + A_BYTES;
            barrier_wait(full + s, (round & 1) ^ (wrong == WRONG_PARITY));
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int p = 0; p < BK; p += 16)
                multiply(d, descriptor(a, wrong == WRONG_SWIZZLE) + p / 8,
                         descriptor(b, wrong == WRONG_SWIZZLE) + p / 8, 1);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            // The stage before has been multiplied now, this one perhaps not yet.
            if (wrong != EARLY_RELEASE) asm volatile("wgmma.wait_group.sync.aligned 1;" : SUMS(d)::"memory");
            const int done = wrong == EARLY_RELEASE ? t : t - 1;
            if (threadIdx.x % 128 == 0 && done >= 0 && wrong != NO_RELEASE)
                for (int r = 0; r < CLUSTER; r++)
                    if (wrong != RELEASE_OWN_ONLY || r == (int)rank) barrier_arrive(empty + done % STAGES, r);
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS(d)::"memory");
        // Rows of 64 halves again, swizzled; the left half of the columns, then the right one.
        uint8_t *mine = tile + group * (C_BYTES / 2);
        for (int j = 0; j < BN / 8; j += 2) {
            uint32_t halves[4];
            for (int n = 0; n < 4; n++) {
                const __half2 two = __floats2half2_rn(d[4 * j + 2 * n], d[4 * j + 2 * n + 1]);
                memcpy(&halves[n], &two, 4);
            }
            const int r = warp * 16 + lane % 16, chunk = j + lane / 16;
            const uint8_t *to = mine + chunk / 8 * (C_BYTES / 4) + r * 128 + (chunk % 8 ^ r % 8) * 16;
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(to)),
                         "r"(halves[0]), "r"(halves[1]), "r"(halves[2]), "r"(halves[3])
                         : "memory");
        }
        if (wrong != NO_FENCE) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
        if (threadIdx.x % 128 == 0) {
            store(mine, &c_map, column, row + group * 64);
            store(mine + C_BYTES / 4, &c_map, column + 64, row + group * 64);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            if (wrong == REUSE_SOURCE) *(volatile uint32_t *)mine = 0;
            if (wrong != NO_DRAIN) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
    }
    // Nobody leaves while the other block may send it a tile or an arrival.
    if (CLUSTER > 1 && wrong != NO_CLUSTER_END) cluster_sync();
}

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUtensorMap map_of(encode_tiled encode, __half *matrix, int rows, int columns, int pitch, int box_rows) {
    CUtensorMap map;
    const cuuint64_t dims[2] = {(cuuint64_t)columns, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)pitch * 2};
    const cuuint32_t box[2] = {64, (cuuint32_t)box_rows}, steps[2] = {1, 1};
    expect(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, dims, strides, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
           "cuTensorMapEncodeTiled");
    return map;
}

static int a_at(int i, int p) {
    return (i * 7 + p * 3 + i * p % 11) % 5 - 2;
}
static int b_at(int j, int p) {
    return (j * 5 + p * 2 + j * p % 7) % 5 - 2;
}

// One product; prints whether it is right, and a sum over it. Rows are padded to 16 bytes, as the maps need it.
template <int CLUSTER> static void product(int m, int n, int k, int wrong) {
    void *found = NULL;
    cudaDriverEntryPointQueryResult query;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &query));
    encode_tiled encode = (encode_tiled)found;
    const int pitch = (k + 7) / 8 * 8, c_pitch = (n + 7) / 8 * 8 + 8;
    std::vector<__half> a((size_t)m * pitch, __float2half(99)), b((size_t)n * pitch, __float2half(99)),
        c((size_t)m * c_pitch);
    for (int i = 0; i < m; i++)
        for (int p = 0; p < k; p++) a[(size_t)i * pitch + p] = __float2half((float)a_at(i, p));
    for (int j = 0; j < n; j++)
        for (int p = 0; p < k; p++) b[(size_t)j * pitch + p] = __float2half((float)b_at(j, p));
    __half *da, *db, *dc;
    CHECK(cudaMalloc(&da, a.size() * 2));
    CHECK(cudaMalloc(&db, b.size() * 2));
    CHECK(cudaMalloc(&dc, c.size() * 2));
    CHECK(cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dc, 0xff, c.size() * 2));
    const CUtensorMap a_map = map_of(encode, da, m, k, pitch, BM),
                      b_map = map_of(encode, db, n, k, pitch, BN / CLUSTER),
                      c_map = map_of(encode, dc, m, n, c_pitch, 64);
    CHECK(cudaFuncSetAttribute(gemm<CLUSTER>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 1;
    attribute.val.clusterDim.y = CLUSTER;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((n + BN - 1) / BN, (m + CLUSTER * BM - 1) / (CLUSTER * BM) * CLUSTER);
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = SHARED;
    config.attrs = &attribute;
    config.numAttrs = CLUSTER > 1;
    CHECK(cudaLaunchKernelEx(&config, gemm<CLUSTER>, a_map, b_map, c_map, k, wrong));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c.data(), dc, c.size() * 2, cudaMemcpyDeviceToHost));
    long bad = 0, spilt = 0, sum = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < c_pitch; j++) {
            const __half got = c[(size_t)i * c_pitch + j];
            if (j >= n) { // up to the next multiple of 16 bytes the zeros that the tile holds there, then nothing
                uint16_t bits;
                memcpy(&bits, &got, 2);
                spilt += bits != (j < (n + 7) / 8 * 8 ? 0 : 0xffff);
                continue;
            }
            int exact = 0;
            for (int p = 0; p < k; p++) exact += a_at(i, p) * b_at(j, p);
            const float value = __half2float(got);
            bad += value != (float)exact;
            if (value == value) sum += (long)value * (i % 13 + 1) * (j % 17 + 1);
        }
    printf("%d x %d x %d: %s, checksum %ld\n", m, n, k, bad == 0 && spilt == 0 ? "ok" : "mismatch", sum);
    expect(bad == 0, "the product");
    expect(spilt == 0, "what lies beside it");
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
}

static int mistake_of(int argc, char **argv) {
    for (int k = 1; argc == 2 && k < MISTAKES; k++)
        if (strcmp(argv[1], mistake_names[k]) == 0) return k;
    if (argc > 1) {
        fprintf(stderr, "%s: no mistake of that name\n", argv[0]);
        exit(2);
    }
    return NONE;
}
