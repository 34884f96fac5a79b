/* Hopper: f16 in NHWC by wgmma, and nobody computes an address. TMA's im2col mode knows convolutions: its tensor map
 * has the images' sides, the stride, and in which box the corner of a window moves. One instruction then names a tap, a
 * slice of 64 channels and the place to begin with, and brings that tap's pixels for 128 places one after the other:
 *
 *     x: w x h pixels of c channels                  a stage's A: 128 places of 64 channels
 *       box of the corners                           +----------------+
 *      +- - - - - -+      pixel = corner + tap       | place 0        |   place to place: across, then down, then the
 *      | c . . . . |   tap                           | place 1        |   next image; the box says where a row ends
 *      | . . . . . | (1, 2)                          | ...            |
 *      +- - - - - -+  --> . . x . . . .              | place 127      |   outside of the image: zeros, as padding asks
 *                                                    +----------------+
 *
 * The filters of the same tap and channels are a box of f, c x taps x k. Of both what lies behind channel c is zero, so
 * c need not be a multiple of 64. A producer warp walks over taps and slices; it does so once for a tile, in one lane.
 * Two consumer warpgroups multiply, 64 places each, as in step 6's `warp_specialised`. There is one warp that does not
 * hold sums rather than four, so registers need not be moved, and two blocks fit on a multiprocessor: the end of one
 * hides behind the other. */
#include <cuda_fp16.h>

#include "conv/conv_kernel.cuh"
#include "conv/conv_map.h"
#include "gemm/launch.cuh"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 128, BK = 64, STEPS = BK / 16; /* places and channels of a stage; BN filters, 128 or 64 */
static const int CONSUMERS = 2, THREADS = 128 * CONSUMERS + 32, BLOCKS = 2;

template <int BN> struct stage { __half a[BM][BK], b[BN][BK]; };

template <int BN> struct ring {
    static const int STAGES = BN == 128 ? 3 : 4, BYTES = 1024 + STAGES * sizeof(stage<BN>);
    stage<BN> *stages;
    uint32_t full, empty; /* barriers of each stage: bytes that arrive; consumers that have read them */
};

/* Tiles along the sums: all slices of one tap, then the next tap. */
static __device__ __forceinline__ int slices(const conv_problem &p) {
    return (p.c + BK - 1) / BK;
}

/* One thread requests all tiles along the sums of 128 places and BN filters, each as soon as its stage is empty. */
template <int BN>
static __device__ __forceinline__ void produce(const conv_maps &maps, const conv_problem &p, int place0, int k0,
                                               const ring<BN> &to) {
    int n = place0 / (p.p * p.q); /* the window of the first place: the last divisions */
    int y = place0 / p.q % p.p * p.stride[0] - p.pad[0], x = place0 % p.q * p.stride[1] - p.pad[1];
    unsigned parity = 1, s = 0; /* of `empty`: returns at once if the stage was never full */
    for (int tap = 0, tap_x = 0, tap_y = 0; tap < p.r * p.s; tap++) {
        for (int c = 0; c < p.c; c += BK) {
            uint32_t full = to.full + 8 * s;
            mbarrier_wait(to.empty + 8 * s, parity);
            mbarrier_arrive_expect_tx(full, sizeof(stage<BN>));
            tma_load_im2col(shared_address(to.stages[s].a), &maps.x, c, x, y, n, tap_x, tap_y, full);
            tma_load_3d(shared_address(to.stages[s].b), &maps.f, c, tap, k0, full);
            if (++s == to.STAGES) s = 0, parity ^= 1;
        }
        tap_x += p.dilation[1];
        if (tap_x == p.s * p.dilation[1]) tap_x = 0, tap_y += p.dilation[0];
    }
}

/* A consumer warpgroup multiplies its 64 places of each tile. */
template <int BN>
static __device__ __forceinline__ void consume(float (&d)[BN / 2], int tiles, int consumer, const ring<BN> &from) {
    unsigned parity = 0, s = 0, last = 0;
    for (int t = 0; t < tiles; t++) {
        uint64_t a = wgmma_k_major(shared_address(from.stages[s].a[consumer * 64]));
        uint64_t b = wgmma_k_major(shared_address(from.stages[s].b));
        mbarrier_wait(from.full + 8 * s, parity);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            wgmma_f16<0>(d, a + step * wgmma_advance(32), b + step * wgmma_advance(32), 1);
        wgmma_commit();
        wgmma_wait<1>(d); /* by now tile t - 1 has been multiplied, this one perhaps not yet */
        if (threadIdx.x % 128 == 0 && t > 0) mbarrier_arrive(from.empty + 8 * last);
        last = s;
        if (++s == from.STAGES) s = 0, parity ^= 1;
    }
    wgmma_wait<0>(d);
}

/* The results of filters k and k + 1, k even: together, unless y's pairs begin in the middle of 4 bytes. */
static __device__ __forceinline__ void store_pair(const conv_problem &p, int at, int k, float first, float second) {
    if (at >= conv_places(&p) || k >= p.k) return;
    __half *y = (__half *)p.y + (int64_t)at * p.k + k;
    if (p.k % 2 == 0 && (uintptr_t)p.y % 4 == 0) {
        __half2 old = p.beta != 0.0f ? *(const __half2 *)y : __half2();
        *(__half2 *)y = __floats2half2_rn(conv_result(p, first, k, &old.x), conv_result(p, second, k + 1, &old.y));
        return;
    }
    conv_store(p, first, k, y);
    if (k + 1 < p.k) conv_store(p, second, k + 1, y + 1);
}

/* Blocks that share their places have neighbouring numbers, so that x comes from DRAM once and then from L2. */
template <int BN>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    conv_hopper(const __grid_constant__ conv_maps maps, conv_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t barriers = shared_address(shared);
    ring<BN> tiles = {(stage<BN> *)(shared + 1024), barriers, barriers + 8 * ring<BN>::STAGES};
    int tiles_k = (p.k + BN - 1) / BN, k0 = blockIdx.x % tiles_k * BN, place0 = blockIdx.x / tiles_k * BM;
    if (threadIdx.x == 0) {
        for (int s = 0; s < tiles.STAGES; s++) {
            mbarrier_init(tiles.full + 8 * s, 1);
            mbarrier_init(tiles.empty + 8 * s, CONSUMERS);
        }
        fence_mbarrier_init();
    }
    __syncthreads();

    int consumer = __shfl_sync(~0u, threadIdx.x / 128, 0); /* which the compiler now knows to be one for all lanes */
    if (consumer == CONSUMERS) {
        if (threadIdx.x % 32 == 0) produce(maps, p, place0, k0, tiles);
        return;
    }
    float d[BN / 2] = {};
    consume(d, slices(p) * p.r * p.s, consumer, tiles);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, at = place0 + warp * 16 + lane / 4, k = k0 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < BN / 8; j++) {
        store_pair(p, at, k + 8 * j, d[4 * j], d[4 * j + 1]);
        store_pair(p, at + 8, k + 8 * j, d[4 * j + 2], d[4 * j + 3]);
    }
}

extern "C" const char *refuses_hopper(const conv_problem *p) {
    return p->type == DTYPE_F16 && p->nhwc ? conv_map_refuses(p) : "takes f16 in nhwc";
}

extern "C" kernel_info kernel_conv_hopper(void) {
    return {(const void *)conv_hopper<128>, THREADS, ring<128>::BYTES};
}

/* Without pixels or channels there is nothing to map, nor to multiply. */
template <int BN> static cudaError_t launch(const conv_problem *problem, cudaStream_t stream) {
    conv_problem p = conv_effective(problem);
    conv_maps maps = {};
    if ((int64_t)p.h * p.w == 0) p.c = 0;
    cudaError_t error = p.c > 0 ? conv_map_x(&maps.x, &p, BM) : cudaSuccess;
    if (error == cudaSuccess && p.c > 0) error = conv_map_f(&maps.f, &p, BN);
    if (error != cudaSuccess) return error;
    int64_t tiles = ((int64_t)conv_places(&p) + BM - 1) / BM * ((p.k + BN - 1) / BN);
    return gemm_launch(conv_hopper<BN>, (unsigned)tiles, 1, THREADS, ring<BN>::BYTES, stream, maps, p);
}

/* Half as many filters a tile where there are no more. */
extern "C" cudaError_t launch_conv_hopper(const conv_problem *p, cudaStream_t stream) {
    if (conv_places(p) == 0 || p->k == 0) return cudaSuccess;
    return p->k > 64 ? launch<128>(p, stream) : launch<64>(p, stream);
}
