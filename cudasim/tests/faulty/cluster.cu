/* Shared memory of a cluster's other blocks without the order of the cluster's barrier. */
#include <cooperative_groups.h>

#include "faulty.h"

namespace cg = cooperative_groups;
enum { T = 128 };

__cluster_dims__(2) __global__ void cluster_no_barrier(int *g, int n) {
    __shared__ int s[T];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = 1;
    cluster.sync();
    s[threadIdx.x] = g[threadIdx.x];                                                           // FAULT race
    g[blockIdx.x * T + threadIdx.x] = cluster.map_shared_rank(s, blockIdx.x ^ 1)[threadIdx.x]; // FAULT race
    cluster.sync();
}
__cluster_dims__(2) __global__ void ok_cluster(int *g, int n) {
    __shared__ int s[T];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = g[threadIdx.x];
    cluster.sync();
    g[blockIdx.x * T + threadIdx.x] = cluster.map_shared_rank(s, blockIdx.x ^ 1)[threadIdx.x];
    cluster.sync();
}
/* A barrier of one block orders nothing with another block's threads, whichever of the two comes first. In time, and in
 * no other way, what follows `until_told` comes after what `tell` follows. */
static __device__ void tell(int *g) {
    __syncthreads();
    if (threadIdx.x == 0) *(volatile int *)(g + 900) = -1;
}
static __device__ void until_told(const int *g) {
    while (*(const volatile int *)(g + 900) != -1) __nanosleep(100);
    __syncthreads();
}
__cluster_dims__(2) __global__ void cluster_read_after_block_barrier(int *g, int n) {
    __shared__ int s[T];
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    if (blockIdx.x == 1) {
        s[threadIdx.x] = g[threadIdx.x]; // FAULT race
        tell(g);
    } else {
        until_told(g);
        g[T + threadIdx.x] = cluster.map_shared_rank(s, 1)[threadIdx.x]; // FAULT race
    }
    cluster.sync();
}
__cluster_dims__(2) __global__ void cluster_written_over_what_is_read(int *g, int n) {
    __shared__ int s[T];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = g[threadIdx.x];
    cluster.sync();
    if (blockIdx.x == 0) {
        g[T + threadIdx.x] = cluster.map_shared_rank(s, 1)[threadIdx.x]; // FAULT race
        tell(g);
    } else {
        until_told(g);
        s[threadIdx.x] = 2; // FAULT race
    }
    cluster.sync();
}
__cluster_dims__(2) __global__ void cluster_write_before_block_barrier(int *g, int n) {
    __shared__ int s[T];
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    if (blockIdx.x == 0) {
        cluster.map_shared_rank(s, 1)[threadIdx.x] = g[threadIdx.x]; // FAULT race
        tell(g);
    } else {
        until_told(g);
        g[T + threadIdx.x] = s[threadIdx.x]; // FAULT race
    }
    cluster.sync();
}
/* A block's own barriers take nothing from the order that the cluster's barrier makes. */
__cluster_dims__(2) __global__ void ok_cluster_and_block_barriers(int *g, int n) {
    __shared__ int s[T];
    cg::cluster_group cluster = cg::this_cluster();
    int *theirs = cluster.map_shared_rank(s, blockIdx.x ^ 1), sum = 0;
    for (int round = 0; round < 3; round++) {
        s[threadIdx.x] = g[threadIdx.x] + round;
        __syncthreads();
        sum += s[T - 1 - threadIdx.x];
        cluster.sync();
        sum += theirs[threadIdx.x];
        cluster.sync();
        theirs[threadIdx.x] = sum;
        cluster.sync();
        sum += s[T - 1 - threadIdx.x];
        __syncthreads();
    }
    g[blockIdx.x * T + threadIdx.x] = sum;
    cluster.sync();
}

FAULTY_MAIN(CASE(cluster_no_barrier, 2, T), CASE(ok_cluster, 2, T), CASE(cluster_read_after_block_barrier, 2, T),
            CASE(cluster_written_over_what_is_read, 2, T), CASE(cluster_write_before_block_barrier, 2, T),
            CASE(ok_cluster_and_block_barriers, 2, T))
