/* cp.async.bulk: one thread starts the copy of a contiguous piece of memory into shared memory (PTX ISA, "Data Movement
 * and Conversion Instructions: cp.async.bulk"; sm_90 and newer). The same unit performs the copies of tma.cuh; here
 * there is no tensor map, and data lies in shared memory exactly as in global memory.
 *
 * Addresses and size are multiples of 16 bytes. An mbarrier counts the bytes that have arrived. */
#pragma once

#include <stdint.h>

#include "ptx/sm90.cuh"

/* Global to this block's shared memory; the barrier is this block's too. */
__device__ __forceinline__ void bulk_load(uint32_t to, const void *from, unsigned bytes, uint32_t barrier) {
    KL_SM90("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
            "l"(from), "r"(bytes), "r"(barrier)
            : "memory");
}

/* The same into every block of the cluster whose bit is set in `ranks`: to the same place, counted at the barrier at
 * the same place. Read from L2 once. */
__device__ __forceinline__ void bulk_load_multicast(uint32_t to, const void *from, unsigned bytes, uint32_t barrier,
                                                    unsigned ranks) {
    KL_SM90A("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
             "[%3], %4;" ::"r"(to),
             "l"(from), "r"(bytes), "r"(barrier), "h"((uint16_t)ranks)
             : "memory");
}
