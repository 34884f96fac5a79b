/* Exercise: TMA's im2col mode goes from window to window by itself: across, then down, then on to the next image. What
 * it moves is the window's corner, its first tap. The map says how far: from `lower`, counted from the first pixel,
 * to `upper`, counted from the last pixel of a row and of a column, both included. The first corner lies in the
 * padding. Here the last corner is the last pixel, which is right for filters of one tap without padding. Make it right
 * for all.
 */
#include <cuda_fp16.h>

#include "conv/conv_kernel.cuh"
#include "conv/conv_map.h"
#include "gemm/launch.cuh"
#include "ptx/fence.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

static const int BM = 64, BN = 64, BK = 64, STAGES = 3, THREADS = 128; /* places, filters, channels of a stage */

struct stage {
    __half a[BM][BK], b[BN][BK];
};
static const int BYTES = 1024 + STAGES * sizeof(stage); /* the first 1024 for the barriers */

/* The map of x, (c, w, h, n), of which a copy brings BM pixels. */
static cudaError_t map_x(CUtensorMap *map, const conv_problem *p) {
    const cuuint64_t c = 2 * (cuuint64_t)p->c, w = (cuuint64_t)p->w, h = (cuuint64_t)p->h;
    const tensor_outline x = {p->type, p->x, 4, {(cuuint64_t)p->c, w, h, (cuuint64_t)p->n}, {c, c * w, c * w * h}};
    const int lower[2] = {-p->pad[1], -p->pad[0]}; /* across, down */
    const int upper[2] = {0, 0};
    const cuuint32_t steps[2] = {(cuuint32_t)p->stride[1], (cuuint32_t)p->stride[0]};
    return tensor_map_im2col(map, &x, lower, upper, steps, BM);
}

/* One thread requests tile t along the sums, if there is one: a tap and 64 of its channels. */
static __device__ __forceinline__ void request(const conv_maps &maps, const conv_problem &p, int place0, int k0, int t,
                                               stage *ring, uint32_t full) {
    int slices = (p.c + BK - 1) / BK, tap = t / slices, c = t % slices * BK;
    if (threadIdx.x != 0 || tap >= p.r * p.s) return;
    stage &to = ring[t % STAGES];
    uint32_t barrier = full + 8 * (t % STAGES);
    int x = place0 % p.q * p.stride[1] - p.pad[1], y = place0 / p.q % p.p * p.stride[0] - p.pad[0];
    mbarrier_arrive_expect_tx(barrier, sizeof(stage));
    tma_load_im2col(shared_address(to.a), &maps.x, c, x, y, place0 / (p.p * p.q), tap % p.s * p.dilation[1],
                    tap / p.s * p.dilation[0], barrier);
    tma_load_3d(shared_address(to.b), &maps.f, c, tap, k0, barrier);
}

static __device__ __forceinline__ void store(const conv_problem &p, int at, int k, float sum) {
    if (at < conv_places(&p) && k < p.k) conv_store(p, sum, k, (__half *)p.y + (int64_t)at * p.k + k);
}

static __global__ void __launch_bounds__(THREADS)
    conv_exercise(const __grid_constant__ conv_maps maps, conv_problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    uint32_t full = shared_address(shared); /* a barrier a stage */
    stage *ring = (stage *)(shared + 1024);
    int tiles_k = (p.k + BN - 1) / BN, k0 = blockIdx.x % tiles_k * BN, place0 = blockIdx.x / tiles_k * BM;
    int tiles = (p.c + BK - 1) / BK * p.r * p.s;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) mbarrier_init(full + 8 * s, 1);
        fence_mbarrier_init();
    }
    __syncthreads();
    for (int t = 0; t < STAGES - 1; t++) request(maps, p, place0, k0, t, ring, full);
    float d[BN / 2] = {};
    for (int t = 0; t < tiles; t++) {
        const stage &now = ring[t % STAGES];
        uint64_t a = wgmma_k_major(shared_address(now.a)), b = wgmma_k_major(shared_address(now.b));
        mbarrier_wait(full + 8 * (t % STAGES), t / STAGES & 1);
        wgmma_fence();
#pragma unroll
        for (int step = 0; step < BK / 16; step++)
            wgmma_f16<0>(d, a + step * wgmma_advance(32), b + step * wgmma_advance(32), 1);
        wgmma_commit();
        wgmma_wait<1>(d);
        __syncthreads(); /* nobody reads tile t - 1 any more */
        request(maps, p, place0, k0, t + STAGES - 1, ring, full);
    }
    wgmma_wait<0>(d);
    int at = place0 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, k = k0 + threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < BN / 2; i++) store(p, at + i / 2 % 2 * 8, k + i / 4 * 8 + i % 2, d[i]);
}

extern "C" kernel_info kernel_conv_exercise(void) {
    return {(const void *)conv_exercise, THREADS, BYTES};
}

extern "C" cudaError_t launch_conv_exercise(const conv_problem *p, cudaStream_t stream) {
    conv_maps maps;
    if (conv_places(p) == 0 || p->k == 0) return cudaSuccess;
    cudaError_t error = map_x(&maps.x, p);
    if (error == cudaSuccess) error = conv_map_f(&maps.f, p, BN);
    if (error != cudaSuccess) return error;
    int64_t blocks = ((int64_t)conv_places(p) + BM - 1) / BM * ((p->k + BN - 1) / BN);
    return gemm_launch(conv_exercise, (unsigned)blocks, 1, THREADS, BYTES, stream, maps, *p);
}
