/* FP32 on tensor cores: three TF32 products, and sums that are rounded, not truncated.
 *
 * TF32 keeps 11 of a float's 24 bits. Split into two TF32 (split.cuh), a = big + small, the product needs three:
 *
 *   a * b = small_a * big_b + big_a * small_b + big_a * big_b + (2^-22 of it: left out)
 *
 * A third of the tensor cores' TF32 speed is still more than twice what FP32 FMAs reach. But tensor cores truncate
 * their sums, always towards zero: over thousands of steps that adds up, whereas the rounding errors of FMAs cancel. So
 * a sum stays in the tensor cores for only CHUNK * 16 k, smaller products first, and is then added to another sum by
 * ordinary FADDs, which round to nearest. One warpgroup adds while the other multiplies.
 *
 *                 BN = 128 or 256 columns
 *              +-------------+-------------+     a block: three warpgroups. The first brings slabs (split.cuh) of A and
 *   warpgroup 1| 64 x 128    | 64 x 128    |     B into a ring of STAGES by bulk copies; the others multiply: a half of
 *              +-------------+-------------+     128 columns after the other, `part` its sum of a chunk,
 *   warpgroup 2| 64 x 128    | 64 x 128    |     sum[half] += part.
 *              +-------------+-------------+
 *                 half 0        half 1           Two blocks, one above the other, are a cluster: each brings half of
 *                                                B's slab, and sends it to both.
 *
 * Splitting an infinity leads to inf * 0 and inf - inf, hence NaN. So a thread that finds a result that is not finite
 * recomputes its elements, product by product, in FP32. */
#include "ptx/bulk.cuh"
#include "ptx/cluster.cuh"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/setmaxnreg.cuh"
#include "ptx/wgmma.cuh"
#include "split.cuh"

static const int THREADS = 384;
static const int CLUSTER = 2; /* blocks, one above the other */
static const int PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;
static const int BARRIER_BYTES = 1024;   /* before the ring, which is aligned to this */
static const int CHUNK = SPLIT_TOGETHER; /* slabs that are summed on tensor cores */
static const int BAND = 8; /* cluster tiles in a column of a band (threadblock swizzle): their A stays in L2 */

/* A tile of HALVES of 128 columns. */
template <int HALVES> struct ring {
    static const int STAGE_BYTES = (1 + HALVES) * SLAB_BYTES;
    static const int STAGES = HALVES == 2 ? 4 : 6; /* a multiple of CHUNK */
    static const int BYTES = BARRIER_BYTES + STAGES * STAGE_BYTES;
};

/* The tiling of C into cluster tiles: two rows of panels and HALVES columns of them. */
struct tiling {
    int rows, cols; /* of cluster tiles */
};

struct tile {
    int panel_a, panel_b;
};

/* Cluster tile number `t`: bands of BAND rows of cluster tiles, column by column. */
template <int HALVES> __device__ __forceinline__ tile tile_at(tiling all, int t, unsigned rank) {
    const int in_band = BAND * all.cols, first = t / in_band * BAND;
    const int rows = min(BAND, all.rows - first), rest = t % in_band;
    return {(first + rest % rows) * CLUSTER + (int)rank, rest / rows * HALVES};
}

/* Slab number `it` of all that pass through the ring: its place, and the parity for that pass through the ring. */
template <int HALVES> __device__ __forceinline__ uint32_t stage_of(unsigned it) {
    return it % ring<HALVES>::STAGES;
}
template <int HALVES> __device__ __forceinline__ unsigned turn_of(unsigned it) {
    return it / ring<HALVES>::STAGES & 1;
}

/* Run by one thread: loads all slabs of all tiles. Below the last row of C and to the right of its last column there is
 * nothing to compute, but the ring must advance for both blocks, so the last panel is loaded again there. */
template <int HALVES>
__device__ __forceinline__ void produce(const gemm_problem &p, tiling all, uint32_t full, uint32_t empty,
                                        uint32_t stages, unsigned rank) {
    const int slabs = split_slabs(p.k), panels_a = split_panels(p.m), panels_b = split_panels(p.n);
    const int PART = SLAB_BYTES / CLUSTER; /* of each slab of B, which this block loads for both */
    unsigned it = 0;
    for (int t = blockIdx.x / CLUSTER; t < all.rows * all.cols; t += gridDim.x / CLUSTER) {
        const tile at = tile_at<HALVES>(all, t, rank);
        const float *a = split_slab(p, min(at.panel_a, panels_a - 1), 0), *b[HALVES];
#pragma unroll
        for (int half = 0; half < HALVES; half++)
            b[half] = split_slab(p, (int64_t)panels_a + min(at.panel_b + half, panels_b - 1), 0) + rank * PART / 4;
#pragma unroll 1 /* few registers are left for it */
        for (int s = 0; s < slabs; s++, it++) {
            const uint32_t stage = stage_of<HALVES>(it), to = stages + stage * ring<HALVES>::STAGE_BYTES;
            const int64_t from = (int64_t)s * SLAB_WORDS;
            mbarrier_wait(empty + 8 * stage, turn_of<HALVES>(it) ^ 1);
            mbarrier_arrive_expect_tx(full + 8 * stage, ring<HALVES>::STAGE_BYTES);
            bulk_load(to, a + from, SLAB_BYTES, full + 8 * stage);
#pragma unroll
            for (int half = 0; half < HALVES; half++)
                bulk_load_multicast(to + (1 + half) * SLAB_BYTES + rank * PART, b[half] + from, PART, full + 8 * stage,
                                    (1 << CLUSTER) - 1);
        }
    }
}

/* part = the three products for CHUNK slabs, starting at slab `it`: of the warpgroup's 64 rows of A and half `half` of
 * B. The smaller products come first, while the sum is small. */
template <int HALVES>
__device__ __forceinline__ void multiply(float (&part)[64], uint32_t stages, unsigned it, int group, int half) {
    const uint32_t rows = group * 64 * ROW_WORDS * 4;
    const uint64_t SMALL = wgmma_advance(64), NEXT_K = wgmma_advance(32); /* big 0, big 8, small 0, small 8: 32 bytes */
    uint64_t a[CHUNK], b[CHUNK];
#pragma unroll
    for (int c = 0; c < CHUNK; c++) {
        const uint32_t at = stages + stage_of<HALVES>(it + c) * ring<HALVES>::STAGE_BYTES;
        a[c] = wgmma_k_major(at + rows);
        b[c] = wgmma_k_major(at + (1 + half) * SLAB_BYTES);
    }
    wgmma_fence();
#pragma unroll
    for (int c = 0; c < CHUNK; c++) {
        wgmma_tf32(part, a[c], b[c] + SMALL, c > 0);
        wgmma_tf32(part, a[c] + NEXT_K, b[c] + NEXT_K + SMALL, 1);
        wgmma_tf32(part, a[c] + SMALL, b[c], 1);
        wgmma_tf32(part, a[c] + NEXT_K + SMALL, b[c] + NEXT_K, 1);
    }
#pragma unroll
    for (int c = 0; c < CHUNK; c++) {
        wgmma_tf32(part, a[c], b[c], 1);
        wgmma_tf32(part, a[c] + NEXT_K, b[c] + NEXT_K, 1);
    }
    wgmma_commit();
    wgmma_wait<0>(part);
}

/* alpha*acc + beta*c, reading c only if beta is not 0. */
__device__ __forceinline__ float blend(const gemm_problem &p, float acc, const float *c) {
    return p.beta == 0.0f ? p.alpha * acc : p.alpha * acc + p.beta * *c;
}

/* Element (row, col) of A*B, product by product. NaN stays NaN. */
__device__ __forceinline__ float in_fp32(const gemm_problem &p, int row, int col) {
    const float *a = gemm_at((const float *)p.A, p.lda, row, 0), *b = (const float *)p.B;
    b += p.layout == GEMM_TN ? (int64_t)col * p.ldb : col;
    const int64_t next = p.layout == GEMM_TN ? 1 : p.ldb;
    float sum = 0.0f;
#pragma unroll 1
    for (int l = 0; l < p.k && sum == sum; l++) sum = fmaf(a[l], b[l * next], sum);
    return sum;
}

/* Two neighbours in a row of C; PAIRS: both exist, aligned to 8 bytes. */
template <bool PAIRS>
__device__ __forceinline__ void store_two(const gemm_problem &p, int row, int col, float first, float second) {
    float *to = gemm_at((float *)p.C, p.ldc, row, col);
    if (PAIRS) {
        float2 old = make_float2(0.0f, 0.0f);
        if (p.beta != 0.0f) old = *(const float2 *)to;
        *(float2 *)to = make_float2(blend(p, first, &old.x), blend(p, second, &old.y));
        return;
    }
    if (row < p.m && col < p.n) to[0] = blend(p, first, to);
    if (row < p.m && col + 1 < p.n) to[1] = blend(p, second, to + 1);
}

/* This thread's elements of C: rows row and row + 8, columns col, col + 1 and so on every 8, as wgmma.cuh says.
 * PAIRS: all exist, and pairs of them are aligned. */
template <int HALVES, bool PAIRS>
__device__ __forceinline__ void store(const gemm_problem &p, const float (&sum)[HALVES][64], int row, int col) {
#pragma unroll
    for (int i = 0; i < HALVES * 64; i += 2)
        store_two<PAIRS>(p, row + i / 2 % 2 * 8, col + i / 4 * 8, sum[i / 64][i % 64], sum[i / 64][i % 64 + 1]);
}

/* The same elements, recomputed. */
template <int HALVES> __device__ __forceinline__ void store_in_fp32(const gemm_problem &p, int row, int col) {
#pragma unroll 1
    for (int i = 0; i < HALVES * 64; i++) {
        const int r = row + i / 2 % 2 * 8, c = col + i / 4 * 8 + i % 2;
        float *to = gemm_at((float *)p.C, p.ldc, r, c);
        if (r < p.m && c < p.n) *to = blend(p, in_fp32(p, r, c), to);
    }
}

template <int HALVES> __device__ __forceinline__ bool all_finite(const float (&sum)[HALVES][64]) {
    float zero = 0.0f; /* or NaN */
#pragma unroll
    for (int i = 0; i < HALVES * 64; i++) zero += sum[i / 64][i % 64] * 0.0f;
    return zero == 0.0f;
}

/* Run by a warpgroup: its 64 rows of all tiles. */
template <int HALVES>
__device__ __forceinline__ void consume(const gemm_problem &p, tiling all, uint32_t full, uint32_t empty,
                                        uint32_t stages, unsigned rank) {
    const int group = threadIdx.x / 128 - 1, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    const int slabs = split_slabs(p.k);
    const bool aligned = (uintptr_t)p.C % 8 == 0 && p.ldc % 2 == 0;
    /* Both blocks must know that a stage is free, since both copy into both rings; a different thread tells each. */
    const uint32_t free_here = cluster_map(empty, threadIdx.x % 128 < CLUSTER ? threadIdx.x % 128 : 0);
    unsigned it = 0;
    for (int t = blockIdx.x / CLUSTER; t < all.rows * all.cols; t += gridDim.x / CLUSTER) {
        float sum[HALVES][64] = {}, part[64];
        for (int s = 0; s < slabs; s += CHUNK, it += CHUNK) {
#pragma unroll
            for (int c = 0; c < CHUNK; c++) mbarrier_wait(full + 8 * stage_of<HALVES>(it + c), turn_of<HALVES>(it + c));
#pragma unroll
            for (int half = 0; half < HALVES; half++) {
                multiply<HALVES>(part, stages, it, group, half);
                if (half == HALVES - 1 && threadIdx.x % 128 < CLUSTER)
                    for (int c = 0; c < CHUNK; c++) mbarrier_arrive_remote(free_here + 8 * stage_of<HALVES>(it + c));
#pragma unroll
                for (int i = 0; i < 64; i++) sum[half][i] += part[i];
            }
        }
        const tile at = tile_at<HALVES>(all, t, rank);
        const int row0 = at.panel_a * PANEL_ROWS, col0 = at.panel_b * PANEL_ROWS;
        const int row = row0 + group * 64 + warp * 16 + lane / 4, col = col0 + lane % 4 * 2;
        if (!all_finite<HALVES>(sum))
            store_in_fp32<HALVES>(p, row, col);
        else if (aligned && row0 + PANEL_ROWS <= p.m && col0 + HALVES * PANEL_ROWS <= p.n)
            store<HALVES, true>(p, sum, row, col);
        else
            store<HALVES, false>(p, sum, row, col);
    }
}

template <int HALVES>
__global__ void __launch_bounds__(THREADS, 1) gemm_tf32x3(const __grid_constant__ gemm_problem p, tiling all) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const int STAGES = ring<HALVES>::STAGES;
    const uint32_t full = shared_address(shared), empty = full + 8 * STAGES, stages = full + BARRIER_BYTES;
    const unsigned rank = cluster_rank();
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(full + 8 * s, 1);            /* the producer, and the bytes */
            mbarrier_init(empty + 8 * s, 2 * CLUSTER); /* two warpgroups a block */
        }
        fence_mbarrier_init();
    }
    cluster_sync();
    if (threadIdx.x < 128) {
        setmaxnreg_dec<PRODUCER_REGISTERS>();
        if (threadIdx.x == 0) {
            griddepcontrol_wait(); /* for the parts of A and B */
            produce<HALVES>(p, all, full, empty, stages, rank);
        }
        __syncwarp();
    } else {
        setmaxnreg_inc<CONSUMER_REGISTERS>();
        consume<HALVES>(p, all, full, empty, stages, rank);
    }
    cluster_sync(); /* no block exits while the other may still send it slabs or arrivals */
}

template <int HALVES> static tiling tiles_of(const gemm_problem *p) {
    return {(split_panels(p->m) + CLUSTER - 1) / CLUSTER, (split_panels(p->n) + HALVES - 1) / HALVES};
}

template <int HALVES> static cudaError_t run(const gemm_problem &p, int multiprocessors, cudaStream_t stream) {
    const tiling all = tiles_of<HALVES>(&p);
    const int64_t tiles = (int64_t)all.rows * all.cols, room = multiprocessors / CLUSTER;
    cudaError_t error =
        cudaFuncSetAttribute(gemm_tf32x3<HALVES>, cudaFuncAttributeMaxDynamicSharedMemorySize, ring<HALVES>::BYTES);
    if (error != cudaSuccess) return error;
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = CLUSTER;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization; /* starts while the pass still runs */
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = (unsigned)(tiles < room ? tiles : room) * CLUSTER;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = ring<HALVES>::BYTES;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = p.k > 0 ? 2 : 1; /* without the pass there is nothing to overlap with */
    return cudaLaunchKernelEx(&config, gemm_tf32x3<HALVES>, p, all);
}

/* The cost of tiles of HALVES, in halves: waves over all multiprocessors. Narrow tiles load more per product. */
template <int HALVES> static double waves(const gemm_problem *p, int multiprocessors) {
    const tiling all = tiles_of<HALVES>(p);
    const double clusters = multiprocessors / CLUSTER;
    return ceil((double)all.rows * all.cols / clusters) * (HALVES == 2 ? 2.0 : 1.15);
}

extern "C" size_t workspace_tf32x3(const gemm_problem *p) {
    const gemm_problem q = gemm_effective(p);
    return split_bytes(&q);
}

extern "C" cudaError_t launch_tf32x3(const gemm_problem *p, cudaStream_t stream) {
    const gemm_problem q = gemm_effective(p);
    if (q.m == 0 || q.n == 0) return cudaSuccess;
    int device = 0, multiprocessors = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess && q.k > 0) error = split_launch(q, stream);
    if (error != cudaSuccess) return error;
    return waves<1>(&q, multiprocessors) < waves<2>(&q, multiprocessors) ? run<1>(q, multiprocessors, stream)
                                                                         : run<2>(q, multiprocessors, stream);
}

extern "C" kernel_info kernel_tf32x3(void) {
    return {(const void *)gemm_tf32x3<2>, THREADS, (size_t)ring<2>::BYTES};
}
