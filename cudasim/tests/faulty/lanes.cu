/* Order among the lanes of one warp: a __syncwarp of some of them, and flags, locks and atomics with fences. And plain
 * loads beside atomic operations. */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <new>

#include "faulty.h"

namespace cg = cooperative_groups;

/* ---- some lanes of a warp ---- */

/* The lanes of each half read a word, wait for one another, and one of them overwrites it. */
__global__ void ok_half_warps_in_turn(int *g, int n) {
    __shared__ int s[2];
    int lane = threadIdx.x, half = lane / 16;
    unsigned mine = half ? 0xffff0000u : 0xffffu;
    if (lane % 16 == 0) s[half] = half;
    __syncwarp(mine);
    int v = s[half];
    __syncwarp(mine);
    if (lane % 16 == 1) s[half] = 5;
    __syncwarp(mine);
    g[lane] = v + s[half];
}
/* The upper half waits for itself, and overwrites what the lower one reads. */
__global__ void other_half_waits(int *g, int n) {
    __shared__ int s;
    int lane = threadIdx.x, v = 0;
    if (lane == 0) s = 3;
    __syncwarp();
    if (lane < 16) v = s; // FAULT race
    if (lane >= 16) {
        __syncwarp(0xffff0000u);
        if (lane == 16) s = 5; // FAULT race
    }
    g[lane] = v;
}
/* The same where the upper half reads it, too, after it has waited. */
__global__ void other_half_reads_and_waits(int *g, int n) {
    __shared__ int s;
    int lane = threadIdx.x, v = 0;
    if (lane == 0) s = 3;
    __syncwarp();
    if (lane < 16) v = s; // FAULT race
    if (lane >= 16) {
        __syncwarp(0xffff0000u);
        v = 2 * s;
        __syncwarp(0xffff0000u);
        if (lane == 20) s = 5; // FAULT race
    }
    g[lane] = v;
}
/* In global memory: the word is the array's last. */
__global__ void ok_half_warp_in_global_memory(int *g, int n) {
    int lane = threadIdx.x;
    if (lane >= 16) return;
    int v = g[n - 1];
    __syncwarp(0xffffu);
    if (lane == 1) g[n - 1] = 5;
    __syncwarp(0xffffu);
    g[lane] = v + g[n - 1];
}
__global__ void other_half_waits_in_global_memory(int *g, int n) {
    int lane = threadIdx.x, v = 0;
    if (lane < 16) v = g[n - 1]; // FAULT race
    if (lane >= 16) {
        __syncwarp(0xffff0000u);
        v = g[n - 1] + 1;
        __syncwarp(0xffff0000u);
        if (lane == 16) g[n - 1] = 5; // FAULT race
    }
    g[lane] = v;
}

/* Tiles of 8: the first lane's word is read by all of its tile, which waits before the next round's. */
__global__ void ok_tiles_in_turn(int *g, int n) {
    __shared__ int s[8];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        if (tile.thread_rank() == 0) s[threadIdx.x / 8] = g[i];
        tile.sync();
        sum += s[threadIdx.x / 8];
        tile.sync();
    }
    g[n / 2 + threadIdx.x] = sum;
}
__global__ void tiles_wait_once(int *g, int n) {
    __shared__ int s[8];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        if (tile.thread_rank() == 0) s[threadIdx.x / 8] = g[i]; // FAULT race
        tile.sync();
        sum += s[threadIdx.x / 8]; // FAULT race
    }
    g[n / 2 + threadIdx.x] = sum;
}

/* ---- locks ---- */

__global__ void ok_lock_for_each_lane(int *g, int n) {
    int *lock = g, *sum = g + 1;
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *sum += threadIdx.x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}
__global__ void ok_shared_lock_for_each_lane(int *g, int n) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0) lock = sum = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum += threadIdx.x;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    g[threadIdx.x] = sum;
}
/* Without fences, in one warp. */
__global__ void lock_for_each_lane_no_fences(int *g, int n) {
    int *lock = g, *sum = g + 1;
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)&g[2] = 0;
            *sum += threadIdx.x; // FAULT race
            atomicExch(lock, 0);
            done = true;
        }
}
/* One lane does not ask for the lock. */
__global__ void beside_the_lock(int *g, int n) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0) lock = sum = 0;
    __syncthreads();
    bool done = false;
    if (threadIdx.x == 7) sum += 100, done = true; // FAULT race
    while (!done)
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum += threadIdx.x; // FAULT race
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
}
__global__ void ok_lock_of_the_library(int *g, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(g[0]);
    for (bool done = false; !done;) {
        int expected = 0;
        if (lock.compare_exchange_strong(expected, 1, cuda::memory_order_acquire)) {
            g[1] += 1;
            lock.store(0, cuda::memory_order_release);
            done = true;
        }
    }
}
__global__ void lock_of_the_library_relaxed(int *g, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(g[0]);
    for (bool done = false; !done;) {
        int expected = 0;
        if (lock.compare_exchange_strong(expected, 1, cuda::memory_order_acquire)) {
            g[1] += 1; // FAULT race
            lock.store(0, cuda::memory_order_relaxed);
            done = true;
        }
    }
}
__global__ void ok_semaphore(int *g, int n) {
    __shared__ alignas(16) char raw[64];
    typedef cuda::binary_semaphore<cuda::thread_scope_block> semaphore;
    semaphore &s = *(semaphore *)raw;
    if (threadIdx.x == 0) new (&s) semaphore(1);
    __syncthreads();
    for (bool done = false; !done;)
        if (s.try_acquire()) {
            g[0] += 1;
            s.release();
            done = true;
        }
}
__global__ void ok_latch(int *g, int n) {
    __shared__ alignas(16) char raw[64];
    typedef cuda::latch<cuda::thread_scope_block> latch;
    latch &l = *(latch *)raw;
    if (threadIdx.x == 0) new (&l) latch(blockDim.x);
    __syncthreads();
    g[threadIdx.x] = 1;
    l.arrive_and_wait();
    int sum = 0;
    for (int i = 0; threadIdx.x == 0 && i < blockDim.x; i++) sum += g[i];
    if (threadIdx.x == 0) g[n - 1] = sum;
}
/* What they write after they have arrived. */
__global__ void latch_too_early(int *g, int n) {
    __shared__ alignas(16) char raw[64];
    typedef cuda::latch<cuda::thread_scope_block> latch;
    latch &l = *(latch *)raw;
    if (threadIdx.x == 0) new (&l) latch(blockDim.x);
    __syncthreads();
    if (threadIdx.x != 0) l.count_down();
    g[threadIdx.x] = 1; // FAULT race
    if (threadIdx.x != 0) return;
    l.arrive_and_wait();
    int sum = 0;
    for (int i = 0; i < blockDim.x; i++) sum += g[i]; // FAULT race
    g[n - 1] = sum;
}

/* ---- flags ---- */

__global__ void ok_flag_between_lanes(int *g, int n) {
    int *flag = g, *data = g + 1;
    if (threadIdx.x == 0) {
        *data = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else if (threadIdx.x == 1) {
        while (atomicAdd(flag, 0) == 0) continue;
        __threadfence();
        g[2] = *data;
    }
}
__global__ void ok_volatile_flag_between_lanes(int *g, int n) {
    int *flag = g, *data = g + 1;
    if (threadIdx.x == 0) {
        *data = 42;
        __threadfence();
        *(volatile int *)flag = 1;
    } else if (threadIdx.x == 1) {
        while (*(volatile int *)flag == 0) continue;
        __threadfence();
        g[2] = *data;
    }
}
__global__ void flag_between_lanes_no_fence(int *g, int n) {
    int *flag = g, *data = g + 1;
    if (threadIdx.x == 0) {
        *data = 42; // FAULT race
        asm volatile("" ::: "memory");
        atomicExch(flag, 1);
    } else if (threadIdx.x == 1) {
        while (atomicAdd(flag, 0) == 0) continue;
        __threadfence();
        g[2] = *data; // FAULT race
    }
}
/* What lane 2 writes, lane 0 does not release. */
__global__ void flag_of_another_lane(int *g, int n) {
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 2) g[1] = 42; // FAULT race
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(&flag, 1);
    } else if (threadIdx.x == 1) {
        while (atomicAdd(&flag, 0) == 0) continue;
        __threadfence();
        g[2] = g[1]; // FAULT race
    }
}
/* The fence is another lane's than the one that sets the flag. */
__global__ void fence_of_another_lane(int *g, int n) {
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        g[1] = 42; // FAULT race
        __threadfence();
    }
    if (threadIdx.x == 2) {
        atomicExch(&flag, 1);
    } else if (threadIdx.x == 1) {
        while (atomicAdd(&flag, 0) == 0) continue;
        __threadfence();
        g[2] = g[1]; // FAULT race
    }
}
/* The last lane to take a ticket reads what all have written. */
__global__ void ok_last_ticket(int *g, int n) {
    __shared__ int tickets;
    if (threadIdx.x == 0) tickets = 0;
    __syncthreads();
    g[1 + threadIdx.x] = threadIdx.x;
    __threadfence();
    if (atomicAdd(&tickets, 1) != 31) return;
    __threadfence();
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += g[1 + i];
    g[n - 1] = sum;
}
__global__ void first_ticket(int *g, int n) {
    __shared__ int tickets;
    if (threadIdx.x == 0) tickets = 0;
    __syncthreads();
    g[1 + threadIdx.x] = threadIdx.x; // FAULT race
    __threadfence();
    if (atomicAdd(&tickets, 1) != 0) return;
    __threadfence();
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += g[1 + i]; // FAULT race
    g[n - 1] = sum;
}

/* ---- loops of compare-and-swap ---- */

/* The Programming Guide's: a wrong first value costs a round. */
__global__ void ok_compare_and_swap(int *g, int n) {
    int old = g[0], assumed;
    do {
        assumed = old;
        old = atomicCAS(&g[0], assumed, __float_as_int(__int_as_float(assumed) + 1.0f));
    } while (assumed != old);
}
__global__ void ok_shared_compare_and_swap(int *g, int n) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    int old = s, assumed;
    do {
        assumed = old;
        old = atomicCAS(&s, assumed, __float_as_int(__int_as_float(assumed) + 1.0f));
    } while (assumed != old);
    __syncthreads();
    g[threadIdx.x] = s;
}
/* The value that is read decides whether anything is done. */
__global__ void compare_and_swap_where_larger(int *g, int n) {
    int old = g[0], mine = 2000 + threadIdx.x; // FAULT race
    while (old < mine) {
        int assumed = old;
        old = atomicCAS(&g[0], assumed, mine); // FAULT race
        if (old == assumed) break;
    }
}
/* It is stored, too. */
__global__ void compare_and_swap_and_store(int *g, int n) {
    int old = g[0], assumed; // FAULT race
    g[1 + blockIdx.x * blockDim.x + threadIdx.x] = old;
    do {
        assumed = old;
        old = atomicCAS(&g[0], assumed, assumed + 1); // FAULT race
    } while (assumed != old);
}
/* Of another word the value is what it was. */
__global__ void compare_and_swap_of_another(int *g, int n) {
    int old = g[0], assumed; // FAULT race
    do {
        assumed = old;
        old = atomicCAS(&g[1], assumed, assumed + 1);
    } while (assumed != old);
    atomicAdd(&g[0], 1); // FAULT race
}
/* And a plain store is a race with it, as with the atomicCAS. */
__global__ void compare_and_swap_and_reset(int *g, int n) {
    if (threadIdx.x == 0) g[0] = 0; // FAULT race
    int old = g[0], assumed;        // FAULT race
    do {
        assumed = old;
        old = atomicCAS(&g[0], assumed, assumed + 1); // FAULT race
    } while (assumed != old);
}

FAULTY_MAIN(CASE(ok_half_warps_in_turn, 1, 32), CASE(other_half_waits, 1, 32), CASE(other_half_reads_and_waits, 1, 32),
            CASE(ok_half_warp_in_global_memory, 1, 32), CASE(other_half_waits_in_global_memory, 1, 32),
            CASE(ok_tiles_in_turn, 1, 64), CASE(tiles_wait_once, 1, 64), CASE(ok_lock_for_each_lane, 2, 64),
            CASE(ok_shared_lock_for_each_lane, 1, 64), CASE(lock_for_each_lane_no_fences, 1, 32),
            CASE(beside_the_lock, 1, 32), CASE(ok_lock_of_the_library, 2, 64), CASE(lock_of_the_library_relaxed, 1, 32),
            CASE(ok_semaphore, 1, 64), CASE(ok_latch, 1, 96), CASE(latch_too_early, 1, 32),
            CASE(ok_flag_between_lanes, 1, 32), CASE(ok_volatile_flag_between_lanes, 1, 32),
            CASE(flag_between_lanes_no_fence, 1, 32), CASE(flag_of_another_lane, 1, 32),
            CASE(fence_of_another_lane, 1, 32), CASE(ok_last_ticket, 1, 32), CASE(first_ticket, 1, 32),
            CASE(ok_compare_and_swap, 4, 64), CASE(ok_shared_compare_and_swap, 1, 64),
            CASE(compare_and_swap_where_larger, 2, 64), CASE(compare_and_swap_and_store, 2, 64),
            CASE(compare_and_swap_of_another, 2, 64), CASE(compare_and_swap_and_reset, 1, 64))
