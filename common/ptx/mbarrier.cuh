/* mbarrier: a barrier in shared memory that counts arrivals of threads and bytes of copies (PTX ISA, "Parallel
 * Synchronization and Communication Instructions: mbarrier"; here in the forms of sm_90 and newer).
 *
 * A phase completes when `count` threads and all announced bytes (expect_tx) have arrived; the next begins at once.
 * Phases are distinguished by their parity: the first is 0, the next 1, then 0 again.
 *
 *   mbarrier_wait(b, 0)   returns once the first phase has ended
 *   mbarrier_wait(b, 1)   on a fresh barrier returns at once: "the phase before the first" has parity 1
 *
 * A barrier is named by its shared_address: 32 bits, 8-byte aligned. */
#pragma once

#include <stdint.h>

#include "ptx/cp_async.cuh" /* shared_address */
#include "ptx/sm90.cuh"

__device__ __forceinline__ void mbarrier_init(uint32_t barrier, unsigned count) {
    KL_SM90("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

/* One arrival at a barrier of this block. What the thread did before is visible to those who wait. */
__device__ __forceinline__ void mbarrier_arrive(uint32_t barrier) {
    KL_SM90("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* One arrival, which announces `bytes` of copies to come in the same phase. */
__device__ __forceinline__ void mbarrier_arrive_expect_tx(uint32_t barrier, unsigned bytes) {
    KL_SM90("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/* One arrival at a barrier of any block of the cluster; the address comes from cluster_map (cluster.cuh). It orders
 * nothing beyond this block, which is enough to say that wgmmas have read a stage, as wgmma_wait has ensured. (With
 * .release.cluster it would, through a memory barrier across the whole GPU, MEMBAR.ALL.GPU: far too slow for a main
 * loop.) */
__device__ __forceinline__ void mbarrier_arrive_remote(uint32_t remote_barrier) {
    KL_SM90("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(remote_barrier) : "memory");
}

/* One arrival, which takes place once all cp.async that this thread has started before have written what they copy. */
__device__ __forceinline__ void mbarrier_arrive_copied(uint32_t barrier) {
    KL_SM90("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/* Waits until the phase of this parity has ended. The hardware puts the thread to sleep for a while in try_wait. */
__device__ __forceinline__ void mbarrier_wait(uint32_t barrier, unsigned parity) {
    KL_SM90("{\n"
            ".reg .pred done;\n"
            "AGAIN:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
            "@done bra DONE;\n"
            "bra AGAIN;\n"
            "DONE:\n"
            "}" ::"r"(barrier),
            "r"(parity)
            : "memory");
}
