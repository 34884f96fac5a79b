// C = A·Bᵀ by a warp-specialised kernel: one thread loads swizzled tiles through tensor maps into a ring of stages,
// four warps compute, and the tile of C leaves through a third tensor map. No side is a multiple of its tile. Read as
// if swizzled by 64 bytes, every second row has its columns in another order than it should.
#include "../check.h"

#include <cstdint>
#include <vector>

#include <cuda.h>

constexpr int TILE = 64, STEP = 32, STAGES = 3, CONSUMERS = 128;
constexpr int TILE_BYTES = TILE * STEP * 4;
constexpr int SHARED = 1024 + 2 * STAGES * TILE_BYTES + TILE * TILE * 4;

__device__ inline uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ inline void barrier_init(uint64_t *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

__device__ inline void barrier_arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ inline void barrier_expect(uint64_t *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ inline void barrier_wait(uint64_t *barrier, unsigned parity) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1, 0x989680;\n"
                 "@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ inline void load_tile(void *to, const CUtensorMap *map, int x, int y, uint64_t *barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(shared_address(to)),
        "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
        : "memory");
}

__device__ inline void store_tile(const void *from, const CUtensorMap *map, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(shared_address(from))
                 : "memory");
}

// Word `column` of row `row` (of 32) in a tile whose rows of 128 bytes were swizzled by SPAN bytes.
template <int SPAN> __device__ inline float swizzled(const float *tile, int row, int column) {
    int chunk = column / 4;
    chunk ^= row % 8 % (SPAN / 16);
    return tile[row * STEP + chunk * 4 + column % 4];
}

template <int SPAN>
__global__ void __launch_bounds__(CONSUMERS + 32)
    gemm(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
         const __grid_constant__ CUtensorMap c_map, int k) {
    extern __shared__ __align__(1024) uint8_t shared[];
    uint64_t *full = (uint64_t *)shared, *empty = full + STAGES;
    float *a = (float *)(shared + 1024), *b = a + STAGES * TILE * STEP, *c = b + STAGES * TILE * STEP;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE, steps = (k + STEP - 1) / STEP;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + s, 1);
            barrier_init(empty + s, CONSUMERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        if (threadIdx.x == CONSUMERS) {
            asm volatile("prefetch.tensormap [%0];" ::"l"(&a_map) : "memory");
            for (int n = 0; n < steps; n++) {
                const int s = n % STAGES, round = n / STAGES;
                barrier_wait(empty + s, (round & 1) ^ 1);
                barrier_expect(full + s, 2 * TILE_BYTES);
                load_tile(a + s * TILE * STEP, &a_map, n * STEP, row, full + s);
                load_tile(b + s * TILE * STEP, &b_map, n * STEP, column, full + s);
            }
        }
        return;
    }
    const int x = threadIdx.x % 64, half = threadIdx.x / 64;
    float sums[TILE / 2] = {};
    for (int n = 0; n < steps; n++) {
        const int s = n % STAGES, round = n / STAGES;
        const float *as = a + s * TILE * STEP, *bs = b + s * TILE * STEP;
        barrier_wait(full + s, round & 1);
        for (int p = 0; p < STEP; p++) {
            const float right = swizzled<SPAN>(bs, x, p);
#pragma unroll
            for (int y = 0; y < TILE / 2; y++) sums[y] += swizzled<SPAN>(as, half * (TILE / 2) + y, p) * right;
        }
        barrier_arrive(empty + s);
    }
    for (int y = 0; y < TILE / 2; y++) c[(half * (TILE / 2) + y) * TILE + x] = sums[y];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) {
        store_tile(c, &c_map, column, row);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUtensorMap map_of(encode_tiled encode, float *matrix, int rows, int columns, int box_rows, int box_columns,
                          CUtensorMapSwizzle swizzle) {
    CUtensorMap map;
    const cuuint64_t dims[2] = {(cuuint64_t)columns, (cuuint64_t)rows}, strides[1] = {(cuuint64_t)columns * 4};
    const cuuint32_t box[2] = {(cuuint32_t)box_columns, (cuuint32_t)box_rows}, steps[2] = {1, 1};
    CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, dims, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    expect(result == CUDA_SUCCESS, "cuTensorMapEncodeTiled");
    return map;
}

int main() {
    const int m = 100, n = 72, k = 200;
    void *found = NULL;
    cudaDriverEntryPointQueryResult query;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &query));
    expect(query == cudaDriverEntryPointSuccess && found != NULL, "the entry point");
    encode_tiled encode = (encode_tiled)found;
    std::vector<float> a(m * k), b(n * k), c(m * n);
    for (int i = 0; i < m * k; i++) a[i] = (float)(i * 7 % 13 - 6);
    for (int i = 0; i < n * k; i++) b[i] = (float)(i * 5 % 11 - 5);
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, a.size() * 4));
    CHECK(cudaMalloc(&db, b.size() * 4));
    CHECK(cudaMalloc(&dc, c.size() * 4));
    CHECK(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
    const CUtensorMap a_map = map_of(encode, da, m, k, TILE, STEP, CU_TENSOR_MAP_SWIZZLE_128B),
                      b_map = map_of(encode, db, n, k, TILE, STEP, CU_TENSOR_MAP_SWIZZLE_128B),
                      c_map = map_of(encode, dc, m, n, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_NONE);
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    CHECK(cudaFuncSetAttribute(gemm<128>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CHECK(cudaFuncSetAttribute(gemm<64>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (int wrong = 0; wrong < 2; wrong++) {
        CHECK(cudaMemset(dc, 0xff, c.size() * 4));
        if (wrong)
            gemm<64><<<grid, CONSUMERS + 32, SHARED>>>(a_map, b_map, c_map, k);
        else
            gemm<128><<<grid, CONSUMERS + 32, SHARED>>>(a_map, b_map, c_map, k);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost));
        int bad = 0;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float sum = 0;
                for (int p = 0; p < k; p++) sum += a[i * k + p] * b[j * k + p];
                if (!(c[i * n + j] == sum)) bad++;
            }
        if (wrong)
            printf("read with the wrong swizzle: %s\n", bad > m * n / 3 ? "wrong in every second place" : "right?");
        else
            expect(bad == 0, "C");
    }
    return finish("tma_gemm");
}
