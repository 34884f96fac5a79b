/* Thread block clusters: blocks that run at the same time on neighbouring SMs and reach each other's shared memory (PTX
 * ISA, "Parallel Synchronization and Communication Instructions: barrier.cluster", "Data Movement and Conversion
 * Instructions: mapa", "Special Registers: %cluster_ctarank"; sm_90 and newer). */
#pragma once

#include <stdint.h>

#include "ptx/sm90.cuh"

/* This block's number in its cluster, from 0. */
__device__ __forceinline__ unsigned cluster_rank() {
    unsigned rank = 0;
    KL_SM90("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* All threads of the cluster meet: none returns from wait before all have called arrive. They are separate so that work
 * can be done in between. */
__device__ __forceinline__ void cluster_arrive() {
    KL_SM90("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/* The same, but what the threads wrote before need not be visible to the others, which saves a wait for memory. For
 * mbarriers that were initialised before, fence_mbarrier_init (fence.cuh) sees to that. */
__device__ __forceinline__ void cluster_arrive_relaxed() {
    KL_SM90("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

__device__ __forceinline__ void cluster_wait() {
    KL_SM90("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ void cluster_sync() {
    cluster_arrive();
    cluster_wait();
}

/* The address of the same place in block `rank`'s shared memory: for arrivals (mbarrier.cuh). */
__device__ __forceinline__ uint32_t cluster_map(uint32_t shared, unsigned rank) {
    uint32_t remote = 0;
    KL_SM90("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared), "r"(rank));
    return remote;
}
