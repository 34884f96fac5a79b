/* Operands of wgmma in shared memory: who may write them once one of the four warps has waited, and who not. */
#include <cooperative_groups.h>

#include "faulty.h"
#include "wgmma.h"

/* In time, and in no other way, what follows here comes after what `told` follows. */
static __device__ void tell(int *told) {
    *(volatile int *)told = 1;
}
static __device__ void until(const int *told) {
    while (*(const volatile int *)told == 0) continue;
}
static __device__ void begin(int *told, unsigned long long *m, unsigned count) {
    if (threadIdx.x == 0) *told = 0;
    if (threadIdx.x == 0) mbarrier_init(m, count);
    __syncthreads();
}

/* ---- the warp that writes has not waited ---- */

__global__ void written_after_anothers_wait(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64], told;
    __shared__ unsigned long long full;
    float d[4] = {};
    begin(&told, &full, 1);
    fill_matrices(a, b, g);
    multiply(d, a, b); // FAULT no-wait
    __syncthreads();
    if (threadIdx.x < 32) {
        wait_for_products<0>();
        tell(&told);
    } else if (threadIdx.x < 64) {
        until(&told);
        a[4 * threadIdx.x] = 5; // FAULT no-wait
    }
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0];
}
__global__ void copied_over_after_anothers_wait(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64], told;
    __shared__ unsigned long long full;
    float d[4] = {};
    begin(&told, &full, 1);
    fill_matrices(a, b, g);
    multiply(d, a, b); // FAULT no-wait
    __syncthreads();
    if (threadIdx.x >= 64 && threadIdx.x < 96) {
        wait_for_products<0>();
        tell(&told);
    } else if (threadIdx.x == 0) {
        until(&told);
        mbarrier_expect(&full, sizeof b);
        bulk_load(b, g, sizeof b, &full); // FAULT no-wait
    }
    __syncwarp();
    multiplied(d);
    mbarrier_wait(&full, 0);
    g[512 + threadIdx.x] = (int)d[0];
}
__global__ void added_to_after_anothers_wait(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64], told;
    __shared__ unsigned long long full;
    float d[4] = {};
    begin(&told, &full, 1);
    fill_matrices(a, b, g);
    multiply(d, a, b); // FAULT no-wait
    __syncthreads();
    if (threadIdx.x < 32) {
        wait_for_products<0>();
        tell(&told);
    } else if (threadIdx.x < 64) {
        until(&told);
        atomicAdd(a + 4 * threadIdx.x, 5); // FAULT no-wait
    }
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0];
}
/* A fifth warp writes, once the first has waited and says so by an mbarrier. */
__global__ void ok_one_waits_and_arrives(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64], told;
    __shared__ unsigned long long empty, full;
    float d[4] = {};
    if (threadIdx.x == 0) mbarrier_init(&full, 1);
    begin(&told, &empty, 1);
    if (threadIdx.x < T) fill_one(a, g);
    if (threadIdx.x < 64) b[threadIdx.x] = g[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x >= T) {
        if (threadIdx.x > T) return;
        mbarrier_wait(&empty, 0);
        a[0] = 5;
        mbarrier_expect(&full, sizeof b);
        bulk_load(b, g, sizeof b, &full);
        return;
    }
    multiply(d, a, b);
    if (threadIdx.x < 32) {
        wait_for_products<0>();
        if (threadIdx.x == 0) mbarrier_arrive(&empty);
    }
    __syncwarp();
    mbarrier_wait(&full, 0);
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0];
}
/* The same, but it arrives before it waits. */
__global__ void arrives_before_it_waits(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64], told;
    __shared__ unsigned long long empty;
    float d[4] = {};
    begin(&told, &empty, 1);
    if (threadIdx.x < T) fill_one(a, g);
    if (threadIdx.x < 64) b[threadIdx.x] = g[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x >= T) {
        until(&told);
        mbarrier_wait(&empty, 0);
        if (threadIdx.x == T) a[0] = 5; // FAULT no-wait
        return;
    }
    multiply(d, a, b); // FAULT no-wait
    if (threadIdx.x == 0) mbarrier_arrive(&empty);
    __syncwarp();
    multiplied(d);
    if (threadIdx.x == 0) tell(&told);
    g[512 + threadIdx.x] = (int)d[0];
}

/* ---- two products on their way ---- */

__global__ void written_after_a_wait_for_another(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64], c[64], told;
    __shared__ unsigned long long full;
    float d[4] = {};
    begin(&told, &full, 1);
    if (threadIdx.x < 64) c[threadIdx.x] = g[threadIdx.x];
    fill_matrices(a, b, g);
    multiply(d, a, b);
    multiply(d, a, c); // FAULT no-wait
    if (threadIdx.x < 32) {
        wait_for_products<0>();
        tell(&told);
    } else if (threadIdx.x < 64) {
        wait_for_products<1>();
        until(&told);
        b[threadIdx.x] = 5;
        c[threadIdx.x] = 5; // FAULT no-wait
    }
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0];
}
__global__ void ok_written_while_the_next_goes_on(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[2][64];
    float d[4] = {};
    if (threadIdx.x < 64) b[1][threadIdx.x] = g[threadIdx.x];
    fill_matrices(a, b[0], g);
    multiply(d, a, b[0]);
    for (int k = 1; k < 4; k++) {
        multiply(d, a, b[k % 2]);
        wait_for_products<1>();
        __syncthreads();
        if (threadIdx.x >= 64) b[(k + 1) % 2][threadIdx.x - 64] = k;
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
    }
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0];
}

/* Nobody needs the products, nor waits for them; the next block has the same shared memory. */
__global__ void ok_never_waited_for(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    float d[4] = {};
    fill_matrices(a, b, g);
    fill_matrices(a, b, g + 64);
    for (int k = 0; k < 40; k++) multiply(d, a, b);
}

/* ---- what a product, or the wait for it, does not order ---- */

/* The first warp writes, and all multiply. */
__global__ void operand_of_the_first_warp(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    float d[4] = {};
    fill_matrices(a, b, g);
    if (threadIdx.x < 32) b[threadIdx.x] = 5; // FAULT race and no-wait
    asm volatile("fence.proxy.async;" ::: "memory");
    multiply(d, a, b); // FAULT race
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0];
}
__global__ void wait_is_no_barrier(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64], s[T];
    float d[4] = {};
    fill_matrices(a, b, g);
    s[threadIdx.x] = threadIdx.x; // FAULT race
    multiply(d, a, b);
    multiplied(d);
    g[512 + threadIdx.x] = (int)d[0] + s[T - 1 - threadIdx.x]; // FAULT race
}

/* ---- clusters ---- */

/* Block 1 writes what block 0 multiplies. */
static __device__ void write_to_the_first(int *a) {
    namespace cg = cooperative_groups;
    cg::cluster_group cluster = cg::this_cluster();
    if (blockIdx.x == 1) cluster.map_shared_rank(a, 0)[threadIdx.x] = 5;
}
__cluster_dims__(2) __global__ void written_by_another_block(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    namespace cg = cooperative_groups;
    cg::cluster_group cluster = cg::this_cluster();
    float d[4] = {};
    fill_matrices(a, b, g);
    multiply(d, a, b); // FAULT no-wait
    cluster.sync();
    write_to_the_first(a); // FAULT no-wait
    multiplied(d);
    g[512 + blockIdx.x * T + threadIdx.x] = (int)d[0];
    cluster.sync();
}
__cluster_dims__(2) __global__ void ok_written_by_another_block(int *g, int n) {
    __shared__ __align__(128) int a[4 * T], b[64];
    namespace cg = cooperative_groups;
    cg::cluster_group cluster = cg::this_cluster();
    float d[4] = {};
    fill_matrices(a, b, g);
    multiply(d, a, b);
    multiplied(d);
    cluster.sync();
    write_to_the_first(a);
    g[512 + blockIdx.x * T + threadIdx.x] = (int)d[0];
    cluster.sync();
}

FAULTY_MAIN(CASE(written_after_anothers_wait, 1, T), CASE(copied_over_after_anothers_wait, 1, T),
            CASE(added_to_after_anothers_wait, 1, T), CASE(ok_one_waits_and_arrives, 1, T + 32),
            CASE(arrives_before_it_waits, 1, T + 32), CASE(written_after_a_wait_for_another, 1, T),
            CASE(ok_written_while_the_next_goes_on, 1, T), CASE(ok_never_waited_for, 64, T),
            CASE(operand_of_the_first_warp, 1, T), CASE(wait_is_no_barrier, 1, T), CASE(written_by_another_block, 2, T),
            CASE(ok_written_by_another_block, 2, T))
