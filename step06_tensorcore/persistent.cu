/* Blocks that stay, and consumers that take turns: one launch of as many blocks as fit the GPU, each working through
 * tile after tile.
 *
 * Nobody waits for a beginning: the producer runs ahead into the next tile while this one is multiplied. Nobody waits
 * for an end either: a tile of 128 x 192 or 128 x 128 belongs to one consumer as a whole, which stores its sums while
 * the other multiplies the next one. (When both share a tile of 128 x 256, both store at once, and no tensor core works
 * meanwhile.) The sums leave through shared memory and a bulk store that runs in the background.
 *
 *     producer     │ asks for the stages of tile 0, of tile 1, of tile 2 ..., as they become empty
 *     consumer 0   │ multiply tile 0 │ store │  wait  │ multiply tile 2 │ store │  wait  │ multiply tile 4
 *     consumer 1   │      wait       │ multiply tile 1 │ store │  wait  │ multiply tile 3 │ store │  wait
 *                                      store: registers -> stmatrix -> shared memory -> bulk store
 *
 * All stages pass through one ring, and a consumer skips those of the other's tiles. But an mbarrier's parity tells a
 * phase from its neighbours only, so nobody may wait for a phase that lies further ahead: a consumer first waits, at a
 * named barrier, until the other has seen the last stage of the tile before arrive.
 *
 * Tiles are taken in groups of neighbouring rows, column by column, so that what runs at the same time is a compact
 * rectangle of C, and L2 holds what it reads. Where such tiles are too few for the GPU they are 64 x 128, for a single
 * consumer.
 *
 * Two more knobs use clusters, CM and CN: neighbouring blocks bring a part each of the B (CM) or the A (CN) that they
 * have in common and send it to all of them. No configuration below does so.
 */
#include "hopper.cuh"

/* A configuration: the knobs, in one place. */
template <int BM_, int BN_, int STAGES_, int TURNS_, int CM_, int CN_, int BUFFERS_> struct persistent_tile {
    static const int BM = BM_, BN = BN_; /* the tile of a block */
    /* The consumers take turns, a whole tile each; or they share a tile, 64 rows each. */
    static const bool TURNS = TURNS_;
    static const int STAGES = STAGES_;   /* of the ring: 128 bytes along K each */
    static const int CM = CM_, CN = CN_; /* the cluster: CM tiles share one of B, CN one of A */
    static const int BUFFERS = BUFFERS_; /* a warp's results go out 128 bytes a row at once, from so many places */
    static const int CLUSTER = CM * CN, CONSUMERS = TURNS ? 2 : BM / 64, WARPS = 4 * CONSUMERS;
    static const int PIECES = TURNS ? BM / 64 : 1; /* of 64 rows, a consumer's */
    static const int THREADS = 128 * (1 + CONSUMERS);
    static const int A_BYTES = BM * ROW_BYTES, B_BYTES = BN * ROW_BYTES, STAGE_BYTES = A_BYTES + B_BYTES;
    static const int SLAB = 16 * ROW_BYTES; /* 16 rows of a warp */
    static const int STORE_BYTES = WARPS * BUFFERS * SLAB;
    static const int BARRIER_BYTES = 1024;
    static const int BYTES = BARRIER_BYTES + STAGES * STAGE_BYTES + STORE_BYTES;
    static_assert(BYTES <= 227 * 1024, "a block has 227 KB of shared memory");
    /* A block starts with 168 registers a thread, or 128 where it has four warpgroups; the sum of theirs stays. */
    static const int PRODUCER_REGISTERS = CONSUMERS == 2 ? 40 : 32;
    static const int CONSUMER_REGISTERS = CONSUMERS == 2 ? 232 : 160;
};

/* ---- which tile ---- */

/* Cluster tile number `tile` of tiles_m x tiles_n: groups of `group` rows, column by column. */
__device__ __forceinline__ void locate(int tile, int tiles_m, int tiles_n, int group, int *row, int *col) {
    const int first = tile / (group * tiles_n) * group, inside = tile % (group * tiles_n);
    const int rows = min(group, tiles_m - first);
    *row = first + inside % rows;
    *col = inside / rows;
}

/* ---- from registers to C ---- */

__device__ __forceinline__ void shared_store_8(uint32_t to, float2 two) {
    *(float2 *)__cvta_shared_to_generic(to) = two;
}
__device__ __forceinline__ void shared_store_8(uint32_t to, uint2 two) {
    *(uint2 *)__cvta_shared_to_generic(to) = two;
}

/* A warp's 16 rows of COUNT / 2 columns from (row, col) on: rounded, laid into shared memory as the swizzle wants it,
 * and sent. `place` says which buffer is next. ADD: beta is not zero. */
template <int OUT, bool ADD, class T, class SUM, int COUNT>
static __device__ __forceinline__ void send(const hopper_problem &p, const CUtensorMap *map, const SUM (&d)[COUNT],
                                            int row, int col, uint32_t buffers, int *place) {
    const int lane = threadIdx.x % 32;
    const int BLOCKS = OUT == DTYPE_F16 || OUT == DTYPE_BF16 ? 8 : 4; /* of 8 columns in 128 bytes */
    const int SLABS = COUNT / 4 / BLOCKS;
    static_assert(SLABS * BLOCKS * 4 == COUNT, "whole rows of 128 bytes");
#pragma unroll
    for (int s = 0; s < SLABS; s++) {
        const uint32_t slab = buffers + *place * T::SLAB;
        *place = *place + 1 == T::BUFFERS ? 0 : *place + 1;
        if (lane == 0) tma_store_wait_read<T::BUFFERS - 1>(); /* what was there before has been read */
        __syncwarp();
#pragma unroll
        for (int j = s * BLOCKS; j < (s + 1) * BLOCKS; j += BLOCKS == 8 ? 2 : 1) {
            const int top = row + lane / 4;
            if constexpr (BLOCKS == 8) {
                uint32_t four[4]; /* 8x8 matrices: upper and lower rows of block j, then of j + 1 */
#pragma unroll
                for (int i = 0; i < 4; i++)
                    four[i] = hopper_pack<OUT>(hopper_blend<OUT, ADD>(p, top + i % 2 * 8,
                                                                      col + 8 * (j + i / 2) + lane % 4 * 2,
                                                                      d[4 * j + 2 * i], d[4 * j + 2 * i + 1]));
                const int r = lane % 16, chunk = (j % 8 + lane / 16) ^ (r % 8);
                stmatrix_x4(slab + r * ROW_BYTES + chunk * 16, four[0], four[1], four[2], four[3]);
            } else {
                /* Odd rows take the blocks in another order: else four rows would meet in half of the banks. */
                const bool odd = lane / 4 % 2 == 1;
                const int other = j ^ 2, block = odd ? other : j;
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    const SUM s0 = odd ? d[4 * other + 2 * i] : d[4 * j + 2 * i];
                    const SUM s1 = odd ? d[4 * other + 2 * i + 1] : d[4 * j + 2 * i + 1];
                    const auto two = hopper_blend<OUT, ADD>(p, top + i * 8, col + 8 * block + lane % 4 * 2, s0, s1);
                    const int r = lane / 4 + i * 8, chunk = (block % 4 * 2 + lane % 4 / 2) ^ (r % 8);
                    shared_store_8(slab + r * ROW_BYTES + chunk * 16 + lane % 2 * 8, two);
                }
            }
        }
        fence_proxy_async();
        __syncwarp();
        if (lane == 0) {
            tma_store(map, col + s * BLOCKS * 8, row, slab);
            tma_store_commit();
        }
    }
}

/* The same for the type of C that the problem has. */
template <int TYPE, class T, class SUM, int COUNT>
static __device__ __forceinline__ void finish(const hopper_problem &p, const CUtensorMap *map, const SUM (&d)[COUNT],
                                              int row, int col, uint32_t buffers, int *place) {
    const int SHORT = hopper_short(TYPE), LONG = hopper_long(TYPE);
    if constexpr (TYPE == GEMM_F16 || TYPE == GEMM_BF16) {
        if (p.out == SHORT && p.beta == 0.0f) send<SHORT, false, T>(p, map, d, row, col, buffers, place);
        if (p.out == SHORT && p.beta != 0.0f) send<SHORT, true, T>(p, map, d, row, col, buffers, place);
    }
    if (p.out == LONG && p.beta == 0.0f) send<LONG, false, T>(p, map, d, row, col, buffers, place);
    if (p.out == LONG && p.beta != 0.0f) send<LONG, true, T>(p, map, d, row, col, buffers, place);
}

/* ---- the kernel ---- */

template <int TYPE, int LAYOUT, class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    gemm_persistent(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                    const __grid_constant__ CUtensorMap c_map, const hopper_problem p, const int group) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(1024) unsigned char shared[];
    const int BK = hopper_bk(TYPE);
    const uint32_t full = shared_address(shared), empty = full + 8 * T::STAGES; /* barriers, one a stage */
    const uint32_t ring = full + T::BARRIER_BYTES, staging = ring + T::STAGES * T::STAGE_BYTES;
    const unsigned rank = T::CLUSTER > 1 ? cluster_rank() : 0;
    const unsigned rank_m = rank % T::CM, rank_n = rank / T::CM % T::CN;
    const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0); /* the compiler sees: the same for all lanes */

    const int tiles_m = (p.m + T::CM * T::BM - 1) / (T::CM * T::BM),
              tiles_n = (p.n + T::CN * T::BN - 1) / (T::CN * T::BN);
    const int tiles = tiles_m * tiles_n, step = gridDim.x / T::CLUSTER;
    const int steps = (p.k + BK - 1) / BK; /* tiles along K */

    if (threadIdx.x == 0) {
        tma_prefetch(&a_map);
        tma_prefetch(&b_map);
        tma_prefetch(&c_map);
        for (int s = 0; s < T::STAGES; s++) {
            mbarrier_init(full + 8 * s, 1);
            mbarrier_init(empty + 8 * s, (T::TURNS ? 1 : T::CONSUMERS) * (T::CM + T::CN - 1));
        }
        fence_mbarrier_init();
    }
    /* Nobody uses a barrier before it is there; in a cluster those of the other blocks neither. */
    const int READY = 32 + 128 * T::CONSUMERS; /* the threads that meet: warp 0 need not wait for the others */
    if (T::CLUSTER > 1) {
        cluster_arrive_relaxed();
        cluster_wait();
    } else if (threadIdx.x < 32) {
        __syncwarp();
        named_barrier_arrive(1, READY);
    } else if (warpgroup > 0) {
        named_barrier_wait(1, READY);
    }

    int s = 0;          /* the stage that is next, */
    unsigned phase = 0; /* and the parity of its barriers' phase */
    if (warpgroup == 0) {
        if (T::CONSUMERS > 1) setmaxnreg_dec<T::PRODUCER_REGISTERS>();
        if (threadIdx.x == 0) {
            /* Blocks that get the part of A that this one loads, and those that get its part of B. */
            const unsigned a_ranks = ((1u << T::CM * T::CN) - 1) / ((1u << T::CM) - 1) << rank_m;
            const unsigned b_ranks = ((1u << T::CM) - 1) << rank_n * T::CM;
            for (int tile = blockIdx.x / T::CLUSTER; tile < tiles; tile += step) {
                int tile_m, tile_n;
                locate(tile, tiles_m, tiles_n, group, &tile_m, &tile_n);
                const int a_part = T::BM / T::CN * rank_n, b_part = T::BN / T::CM * rank_m;
                const int row = (tile_m * T::CM + rank_m) * T::BM + a_part;
                const int col = (tile_n * T::CN + rank_n) * T::BN;
                for (int t = 0; t < steps; t++) {
                    const uint32_t a = ring + s * T::STAGE_BYTES + a_part * ROW_BYTES;
                    const uint32_t b = ring + s * T::STAGE_BYTES + T::A_BYTES;
                    mbarrier_wait(empty + 8 * s, phase ^ 1);
                    mbarrier_arrive_expect_tx(full + 8 * s, T::STAGE_BYTES);
                    if (T::CN == 1)
                        tma_load(a, &a_map, t * BK, row, full + 8 * s);
                    else
                        tma_load_multicast(a, &a_map, t * BK, row, full + 8 * s, a_ranks);
                    /* tn: columns b_part and on. nn: boxes of 64 columns, and of their rows the rank's share. */
                    const int BOXES = LAYOUT == GEMM_TN ? 1 : T::BN / 64, k_part = BK / T::CM * rank_m;
#pragma unroll
                    for (int i = 0; i < BOXES; i++) {
                        const int x = LAYOUT == GEMM_TN ? t * BK : col + 64 * i;
                        const int y = LAYOUT == GEMM_TN ? col + b_part : t * BK + k_part;
                        const int place = LAYOUT == GEMM_TN ? b_part : BK * i + k_part;
                        if (T::CM == 1)
                            tma_load(b + place * ROW_BYTES, &b_map, x, y, full + 8 * s);
                        else
                            tma_load_multicast(b + place * ROW_BYTES, &b_map, x, y, full + 8 * s, b_ranks);
                    }
                    if (++s == T::STAGES) s = 0, phase ^= 1;
                }
            }
        }
        __syncwarp();
    } else {
        if (T::CONSUMERS > 1) setmaxnreg_inc<T::CONSUMER_REGISTERS>();
        typedef typename hopper_sum<TYPE>::type sum_type;
        const int consumer = warpgroup - 1, warp = __shfl_sync(~0u, threadIdx.x / 32 - 4, 0),
                  thread = threadIdx.x % 128;
        const uint32_t buffers = staging + warp * (T::BUFFERS * T::SLAB);
        /* Thread i of a warpgroup tells the i-th of the blocks that send here that a stage is free. */
        const int SENDERS = T::CM + T::CN - 1;
        const unsigned sender = thread < T::CM                 ? rank_n * T::CM + thread
                                : thread - T::CM < (int)rank_n ? rank_m + (thread - T::CM) * T::CM
                                                               : rank_m + (thread - T::CM + 1) * T::CM;
        const uint32_t release = T::CLUSTER > 1 && thread < SENDERS ? cluster_map(empty, sender) : empty;
        int place = 0;
        sum_type d[T::PIECES][T::BN / 2];
        const int own = T::TURNS ? 2 : 1; /* every tile, or every second one */
        int tile = blockIdx.x / T::CLUSTER;
        if (T::TURNS && consumer == 1) { /* the first tile is the other's */
            tile += step;
            phase ^= (s + steps) / T::STAGES & 1;
            s = (s + steps) % T::STAGES;
        }
        for (; tile < tiles; tile += own * step) {
            int last = 0;
            /* A parity tells a phase from its neighbours only: nobody may wait for one that is further ahead. So a
             * consumer begins when the other has seen all of the tile before arrive. */
            if (T::TURNS && tile != (int)(blockIdx.x / T::CLUSTER)) named_barrier_wait(2 + consumer, 256);
            for (int t = 0; t < steps; t++) {
                const uint32_t stage = ring + s * T::STAGE_BYTES;
                const uint64_t a = wgmma_k_major(stage + (T::TURNS ? 0 : consumer * 64 * ROW_BYTES));
                const uint64_t b = hopper_b<LAYOUT>(stage + T::A_BYTES);
                mbarrier_wait(full + 8 * s, phase);
                if (T::TURNS && t == steps - 1 && tile + step < tiles) named_barrier_arrive(2 + (consumer ^ 1), 256);
                wgmma_fence();
#pragma unroll
                for (int i = 0; i < K_STEPS; i++)
#pragma unroll
                    for (int piece = 0; piece < T::PIECES; piece++)
                        hopper_multiply<TYPE, LAYOUT>(d[piece], a + wgmma_advance(32 * i + 64 * ROW_BYTES * piece),
                                                      b + i * hopper_b_step<LAYOUT>(), i > 0 || t > 0);
                wgmma_commit();
                /* The stage before has been multiplied now, this one perhaps not yet. */
#pragma unroll
                for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<1>(d[piece]);
                if (t > 0 && thread < SENDERS) {
                    if (T::CLUSTER > 1)
                        mbarrier_arrive_remote(release + 8 * last);
                    else
                        mbarrier_arrive(release + 8 * last);
                }
                last = s;
                if (++s == T::STAGES) s = 0, phase ^= 1;
            }
#pragma unroll
            for (int piece = 0; piece < T::PIECES; piece++) wgmma_wait<0>(d[piece]);
            if (thread < SENDERS) {
                if (T::CLUSTER > 1)
                    mbarrier_arrive_remote(release + 8 * last);
                else
                    mbarrier_arrive(release + 8 * last);
            }
            if (T::TURNS) { /* the next tile is the other's */
                phase ^= (s + steps) / T::STAGES & 1;
                s = (s + steps) % T::STAGES;
            }

            int tile_m, tile_n;
            locate(tile, tiles_m, tiles_n, group, &tile_m, &tile_n);
            const int row = (tile_m * T::CM + rank_m) * T::BM + (T::TURNS ? warp % 4 : warp) * 16;
            const int col = (tile_n * T::CN + rank_n) * T::BN;
#pragma unroll
            for (int piece = 0; piece < T::PIECES; piece++)
                finish<TYPE, T>(p, &c_map, d[piece], row + 64 * piece, col, buffers, &place);
        }
        if (threadIdx.x % 32 == 0) tma_store_wait_read<0>();
        __syncwarp();
    }
    /* No block ends while another may send it a tile or an arrival. */
    if (T::CLUSTER > 1) {
        cluster_arrive_relaxed();
        cluster_wait();
    }
#else
    __trap();
#endif
}

/* ---- the host's part ---- */

/* Clusters of this kernel that the current device runs at the same time. */
template <int TYPE, int LAYOUT, class T> static cudaError_t resident_clusters(int *clusters) {
    static int known_device = -1, known = 0;
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess) return error;
    if (device != known_device) {
        auto kernel = gemm_persistent<TYPE, LAYOUT, T>;
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::BYTES);
        if (error != cudaSuccess) return error;
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {T::CLUSTER, 1, 1};
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(T::CLUSTER);
        config.blockDim = dim3(T::THREADS);
        config.dynamicSmemBytes = T::BYTES;
        config.attrs = &attribute;
        config.numAttrs = 1;
        error = cudaOccupancyMaxActiveClusters(&known, kernel, &config);
        if (error != cudaSuccess) return error;
        known_device = device;
    }
    *clusters = known;
    return cudaSuccess;
}

template <int TYPE, int LAYOUT, class T>
static cudaError_t launch_tile(const gemm_problem *p, int group, cudaStream_t stream) {
    const int64_t tiles =
        (int64_t)((p->m + T::CM * T::BM - 1) / (T::CM * T::BM)) * ((p->n + T::CN * T::BN - 1) / (T::CN * T::BN));
    int clusters;
    cudaError_t error = resident_clusters<TYPE, LAYOUT, T>(&clusters);
    if (error != cudaSuccess) return error;
    if (clusters > tiles) clusters = (int)tiles;
    CUtensorMap a, b, c;
    if ((error = tensor_map_a(&a, p, T::BM / T::CN)) != cudaSuccess) return error;
    if ((error = tensor_map_b(&b, p, (LAYOUT == GEMM_TN ? T::BN : hopper_bk(TYPE)) / T::CM)) != cudaSuccess)
        return error;
    if ((error = tensor_map_c(&c, p, 16)) != cudaSuccess) return error;
    return hopper_launch(gemm_persistent<TYPE, LAYOUT, T>, clusters * T::CLUSTER, T::CLUSTER, T::THREADS, T::BYTES,
                         stream, a, b, c, hopper_of(p), group);
}

/* What a launch costs, in clock cycles more or less: as many rounds as the slowest cluster has tiles, each of so many
 * steps along K. A step of 128 x 256 x 128 bytes keeps the tensor cores busy for 1024 cycles. What a tile costs beside
 * was measured on an H200: where the consumers take turns, nearly nothing. */
template <int TYPE, int LAYOUT, class T> static int64_t cycles(const gemm_problem *p) {
    const int64_t tiles =
        (int64_t)((p->m + T::CM * T::BM - 1) / (T::CM * T::BM)) * ((p->n + T::CN * T::BN - 1) / (T::CN * T::BN));
    const int64_t steps = (p->k + hopper_bk(TYPE) - 1) / hopper_bk(TYPE);
    int clusters;
    if (resident_clusters<TYPE, LAYOUT, T>(&clusters) != cudaSuccess || clusters == 0) return INT64_MAX;
    const int end = 1500 + 13 * T::BN;
    const int64_t rounds = (tiles + clusters - 1) / clusters;
    return rounds * (steps * (T::BM * T::BN / 32) + (T::TURNS ? 500 : end)) + end;
}

/* The configurations that are built in.    BM   BN stages turns CM CN buffers */
typedef persistent_tile<128, 192, 5, 1, 1, 1, 1> wide;
typedef persistent_tile<128, 128, 6, 1, 1, 1, 2> square;
typedef persistent_tile<64, 128, 8, 0, 1, 1, 1> flat;

static const int GROUP = 8; /* rows of clusters whose tiles are taken together */

template <int TYPE, int LAYOUT> static cudaError_t choose(const gemm_problem *p, cudaStream_t stream) {
    const int64_t of_wide = cycles<TYPE, LAYOUT, wide>(p), of_square = cycles<TYPE, LAYOUT, square>(p);
    const int64_t of_flat = cycles<TYPE, LAYOUT, flat>(p);
    if (of_wide <= of_square && of_wide <= of_flat) return launch_tile<TYPE, LAYOUT, wide>(p, GROUP, stream);
    if (of_square <= of_flat) return launch_tile<TYPE, LAYOUT, square>(p, GROUP, stream);
    return launch_tile<TYPE, LAYOUT, flat>(p, GROUP, stream);
}

extern "C" gemm_kernel kernel_persistent(void) {
    return {(const void *)gemm_persistent<GEMM_F16, GEMM_TN, wide>, wide::THREADS, wide::BYTES};
}

extern "C" cudaError_t launch_persistent(const gemm_problem *problem, cudaStream_t stream) {
    if (problem->m == 0 || problem->n == 0) return cudaSuccess;
    if (tensor_map_refuses(problem) != NULL) return launch_multistage(problem, stream);
    gemm_problem now = *problem, *p = &now;
    const cudaError_t error = transpose_b(p, stream);
    if (error != cudaSuccess) return error;
    const bool tn = p->layout == GEMM_TN;
    switch (p->type) {
    case GEMM_F16:
        return tn ? choose<GEMM_F16, GEMM_TN>(p, stream) : choose<GEMM_F16, GEMM_NN>(p, stream);
    case GEMM_BF16:
        return tn ? choose<GEMM_BF16, GEMM_TN>(p, stream) : choose<GEMM_BF16, GEMM_NN>(p, stream);
    case GEMM_S8:
        return choose<GEMM_S8, GEMM_TN>(p, stream);
    default:
        return choose<GEMM_TF32, GEMM_TN>(p, stream);
    }
}
