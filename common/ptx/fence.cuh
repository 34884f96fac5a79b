/* Fences that order what threads do with what asynchronous units do (PTX ISA, "Parallel Synchronization and
 * Communication Instructions: membar, fence"; sm_90 and newer). */
#ifndef KL_PTX_FENCE_CUH
#define KL_PTX_FENCE_CUH

#include "ptx/sm90.cuh"

/* What this thread has stored into its block's shared memory can be seen by the bulk copies and wgmmas that come after
 * it (they read through another path, the asynchronous proxy). Every thread that has stored needs its own, and then a
 * barrier before the one that starts the copy. */
__device__ __forceinline__ void fence_proxy_async() {
    KL_SM90("fence.proxy.async.shared::cta;" ::: "memory");
}

/* The mbarriers that this thread has initialised can be seen by the cluster and by bulk copies. */
__device__ __forceinline__ void fence_mbarrier_init() {
    KL_SM90("fence.mbarrier_init.release.cluster;" ::: "memory");
}

#endif
