// libcu++'s barriers and bulk copies: memcpy_async on a barrier, memcpy_async_tx, and a store from shared memory, in
// two stages over a vector; a reduction into memory; tokens, parities and drops.
#include "../check.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <cuda/barrier>
#include <cuda/ptx>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;

constexpr int TILE = 512, THREADS = 128;

// y = 2x + 1, tile by tile: the next tile travels while this one is computed.
__global__ void scale(const int *x, int *y, int tiles) {
    __shared__ alignas(128) int in[2][TILE], out[2][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full[2];
    if (threadIdx.x == 0) {
        init(&full[0], THREADS);
        init(&full[1], THREADS);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token tokens[2];
    auto fetch = [&](int tile) {
        const int s = tile % 2;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(in[s], x + tile * TILE, cuda::aligned_size_t<16>(TILE * 4), full[s]);
            tokens[s] = cuda::device::barrier_arrive_tx(full[s], 1, TILE * 4);
        } else {
            tokens[s] = full[s].arrive();
        }
    };
    fetch(0);
    for (int tile = 0; tile < tiles; tile++) {
        const int s = tile % 2;
        if (tile + 1 < tiles) fetch(tile + 1);
        full[s].wait(std::move(tokens[s]));
        if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{}); // out[s] has been read
        __syncthreads();
        for (int i = threadIdx.x; i < TILE; i += THREADS) out[s][i] = 2 * in[s][i] + 1;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y + tile * TILE, out[s], TILE * 4);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}

// Every block adds its tile to the sum in memory.
__global__ void add_up(const int *x, int *sum) {
    __shared__ alignas(16) int tile[TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier ready;
    if (threadIdx.x == 0) init(&ready, THREADS);
    __syncthreads();
    for (int i = threadIdx.x; i < TILE; i += THREADS)
        cuda::memcpy_async(&tile[i], &x[blockIdx.x * TILE + i], cuda::aligned_size_t<4>(4), ready);
    ready.arrive_and_wait();
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, tile, TILE * 4);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

// Threads leave a barrier one after another; those that stay go on with those left.
__global__ void leave(int *rounds) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier all;
    if (threadIdx.x == 0) init(&all, THREADS);
    __syncthreads();
    for (int round = 0;; round++) {
        if (round == (int)threadIdx.x) {
            rounds[threadIdx.x] = round;
            all.arrive_and_drop();
            return;
        }
        all.arrive_and_wait();
    }
}

int main() {
    const int tiles = 7, count = tiles * TILE;
    std::vector<int> x(count), y(count), sum(TILE), rounds(THREADS);
    for (int i = 0; i < count; i++) x[i] = i * 37 % 1009;
    int *dx, *dy, *ds, *dr;
    CHECK(cudaMalloc(&dx, count * 4));
    CHECK(cudaMalloc(&dy, count * 4));
    CHECK(cudaMalloc(&ds, TILE * 4));
    CHECK(cudaMalloc(&dr, THREADS * 4));
    CHECK(cudaMemcpy(dx, x.data(), count * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(ds, 0, TILE * 4));
    scale<<<1, THREADS>>>(dx, dy, tiles);
    add_up<<<tiles, THREADS>>>(dx, ds);
    leave<<<1, THREADS>>>(dr);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(y.data(), dy, count * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sum.data(), ds, TILE * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(rounds.data(), dr, THREADS * 4, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < count; i++) right = right && y[i] == 2 * x[i] + 1;
    expect(right, "scale");
    right = true;
    for (int i = 0; i < TILE; i++) {
        int total = 0;
        for (int t = 0; t < tiles; t++) total += x[t * TILE + i];
        right = right && sum[i] == total;
    }
    expect(right, "add_up");
    right = true;
    for (int t = 0; t < THREADS; t++) right = right && rounds[t] == t;
    expect(right, "leave");
    return finish("bulk_copies");
}
