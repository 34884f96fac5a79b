/* Fences that order what threads do with what asynchronous units do (PTX ISA, "Parallel Synchronization and
 * Communication Instructions: membar, fence"; sm_90 and newer). */
#pragma once

#include "ptx/sm90.cuh"

/* Makes what this thread has stored into its block's shared memory visible to the bulk copies and wgmmas that follow
 * (they access it through another path, the asynchronous proxy). Every thread that has stored needs its own fence, and
 * then a barrier before the thread that starts the copy. */
__device__ __forceinline__ void fence_proxy_async() {
    KL_SM90("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Makes the mbarriers that this thread has initialised visible to the cluster and to bulk copies. */
__device__ __forceinline__ void fence_mbarrier_init() {
    KL_SM90("fence.mbarrier_init.release.cluster;" ::: "memory");
}
