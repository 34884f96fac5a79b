/* Races in global memory, between blocks, within blocks and within warps. */
#include "faulty.h"

static const int T = 64;

/* ---- between blocks ---- */

__global__ void two_blocks_write(int *g, int n) {
    g[threadIdx.x] = (int)blockIdx.x + 5000; // FAULT race
}
__global__ void ok_blocks_write_apart(int *g, int n) {
    g[blockIdx.x * T + threadIdx.x] = (int)blockIdx.x + 5000;
}
__global__ void ok_blocks_write_the_same(int *g, int n) {
    g[threadIdx.x] = 5000;
}
/* A stencil in place: neighbours' values, perhaps already new ones. */
__global__ void stencil_in_place(int *g, int n) {
    int i = blockIdx.x * T + threadIdx.x;
    int sum = g[i] + g[(i + 1) % n]; // FAULT race
    __syncthreads();
    g[i] = sum; // FAULT race
}
__global__ void ok_stencil(int *g, int n) {
    int i = blockIdx.x * T + threadIdx.x;
    g[i + n / 2] = g[i] + g[i + 1];
}
/* All blocks add to a sum that none adds atomically. */
__global__ void sum_without_atomics(int *g, int n) {
    if (threadIdx.x == 0) g[0] += g[blockIdx.x + 1]; // FAULT race
}
__global__ void ok_sum_by_atomics(int *g, int n) {
    if (threadIdx.x == 0) atomicAdd(g, g[blockIdx.x + 1]);
}
__global__ void atomics_and_a_plain_store(int *g, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0)
        g[0] = 0; // FAULT race
    else
        atomicAdd(g, 1); // FAULT race
}
/* Its own addition comes after the store, and hides it from the other block's. */
__global__ void set_and_added_to(int *g, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) g[0] = 5000; // FAULT race
    atomicAdd(g, 1);                  // FAULT race
}
__global__ void read_and_added_to(int *g, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) g[100] = g[0]; // FAULT race
    atomicAdd(g, 1);                    // FAULT race
}
__global__ void added_to_and_read(int *g, int n) {
    if (threadIdx.x != 0) return;
    atomicAdd(g, 1);                         // FAULT race
    g[100 + blockIdx.x] = g[0] + blockIdx.x; // FAULT race
}
__global__ void ok_last_number(int *g, int n) {
    if (threadIdx.x == 0 && atomicAdd(g, 1) == (int)gridDim.x - 1) g[0] = 0;
}
/* Atomic for threads of its own block alone. */
__global__ void atomic_of_the_block(int *g, int n) {
    atomicAdd_block(g, 1); // FAULT race
}
__global__ void ok_atomic_of_the_block(int *g, int n) {
    atomicAdd_block(g + blockIdx.x, 1);
}
__global__ void bytes_of_one_word(int *g, int n) {
    ((char *)g)[threadIdx.x] = (char)(blockIdx.x + 100); // FAULT race
}
__global__ void ok_bytes_of_one_word(int *g, int n) {
    ((char *)g)[threadIdx.x * 2 + blockIdx.x] = (char)(threadIdx.x + 100);
}
__global__ void ok_halves_read_and_written(int *g, int n) {
    short *halves = (short *)g;
    halves[threadIdx.x] = (short)(halves[threadIdx.x] + 1);
}

/* ---- the last block adds up ---- */

static __device__ bool is_last(int *counter) {
    __shared__ bool last;
    if (threadIdx.x == 0) last = atomicAdd(counter, 1) == (int)gridDim.x - 1;
    __syncthreads();
    return last;
}
__global__ void last_block_no_fence(int *g, int n) {
    int *partial = g + 64, *counter = g;
    if (threadIdx.x == 0) partial[blockIdx.x] = (int)blockIdx.x + 5000; // FAULT race
    if (!is_last(counter)) return;
    __threadfence();
    if (threadIdx.x < gridDim.x) g[512 + threadIdx.x] = partial[threadIdx.x]; // FAULT race
}
__global__ void last_block_no_second_fence(int *g, int n) {
    int *partial = g + 64, *counter = g;
    if (threadIdx.x == 0) partial[blockIdx.x] = (int)blockIdx.x + 5000; // FAULT race
    __threadfence();
    if (!is_last(counter)) return;
    if (threadIdx.x < gridDim.x) g[512 + threadIdx.x] = partial[threadIdx.x]; // FAULT race
}
/* A fence that reaches no further than the block. */
__global__ void last_block_narrow_fence(int *g, int n) {
    int *partial = g + 64, *counter = g;
    if (threadIdx.x == 0) partial[blockIdx.x] = (int)blockIdx.x + 5000; // FAULT race
    __threadfence_block();
    if (!is_last(counter)) return;
    __threadfence();
    if (threadIdx.x < gridDim.x) g[512 + threadIdx.x] = partial[threadIdx.x]; // FAULT race
}
/* Each thread writes, and only thread 0 fences: not after the others' writes. */
__global__ void last_block_no_barrier(int *g, int n) {
    int *partial = g + 64, *counter = g;
    partial[blockIdx.x * T + threadIdx.x] = (int)blockIdx.x + 5000; // FAULT race
    if (threadIdx.x == 0) __threadfence();
    if (!is_last(counter)) return;
    __threadfence();
    g[512 + threadIdx.x] = partial[threadIdx.x] + partial[T + threadIdx.x]; // FAULT race
}
__global__ void ok_last_block(int *g, int n) {
    int *partial = g + 64, *counter = g;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = (int)blockIdx.x + 5000;
        __threadfence();
    }
    if (!is_last(counter)) return;
    __threadfence();
    if (threadIdx.x < gridDim.x) g[512 + threadIdx.x] = partial[threadIdx.x];
    if (threadIdx.x == 0) *counter = 0; /* for the next launch */
}
/* All fence what they have written, meet, and one of them counts. */
__global__ void ok_last_block_of_many_writers(int *g, int n) {
    int *partial = g + 64, *counter = g;
    partial[blockIdx.x * T + threadIdx.x] = (int)blockIdx.x + 5000;
    __threadfence();
    __syncthreads();
    if (!is_last(counter)) return;
    __threadfence();
    g[512 + threadIdx.x] = partial[threadIdx.x] + partial[T + threadIdx.x];
}

/* ---- flags ---- */

__global__ void flag_between_blocks_no_fence(int *g, int n) {
    volatile int *flag = g;
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 1) {
        g[64] = 5000; // FAULT race
        *flag = 1;
    } else if (blockIdx.x == 0) {
        while (*flag != 1) continue;
        __threadfence();
        g[65] = g[64]; // FAULT race
    }
}
__global__ void flag_seen_by_thread_0_alone(int *g, int n) {
    volatile int *flag = g;
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        g[64] = 5000; // FAULT race
        __threadfence();
        *flag = 1;
    } else if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            while (*flag != 1) continue;
            __threadfence();
        }
        g[128 + threadIdx.x] = g[64]; // FAULT race
    }
}
__global__ void ok_flag_between_blocks(int *g, int n) {
    volatile int *flag = g;
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        g[64] = 5000;
        __threadfence();
        *flag = 1;
    } else if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            while (*flag != 1) continue;
            __threadfence();
        }
        __syncthreads();
        g[128 + threadIdx.x] = g[64];
    }
}
__global__ void ok_release_and_acquire(int *g, int n) {
    int *flag = g, seen;
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 1) {
        g[64] = 5000;
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        while (seen != 1);
        g[65] = g[64];
    }
}
__global__ void relaxed_alone(int *g, int n) {
    int *flag = g, seen;
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 1) {
        g[64] = 5000; // FAULT race
        asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        do asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        while (seen != 1);
        g[65] = g[64]; // FAULT race
    }
}
/* Of two tiles every second word is kept, one after the other in place: the second block is told where the first one's
 * end, and writes over what that has read. That it can only know the place from the first block's value orders nothing
 * in PTX's memory model (thrust::unique is written like this); fences around the flag do, or a release and an acquire.
 */
template <bool FENCES> static __device__ int kept_in_place(int *g) {
    int *told = g + 1000, word = g[blockIdx.x * T + threadIdx.x], begin = 0;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        if (FENCES) asm volatile("fence.acq_rel.gpu;" ::: "memory");
        asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(told), "r"(-T / 2) : "memory");
    } else if (blockIdx.x == 1) {
        do asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(begin) : "l"(told) : "memory");
        while (begin > 0);
        if (FENCES) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    if (threadIdx.x % 2 == 0) g[threadIdx.x / 2 - begin] = word;
    return word;
}
__global__ void kept_in_place_relaxed(int *g, int n) {
    kept_in_place<false>(g); // FAULT race
}
__global__ void ok_kept_in_place_with_fences(int *g, int n) {
    kept_in_place<true>(g);
}
__global__ void ok_kept_in_place_by_release(int *g, int n) {
    int *told = g + 1000, word = g[blockIdx.x * T + threadIdx.x], begin = 0;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(told), "r"(-T / 2) : "memory");
    if (blockIdx.x == 1 && threadIdx.x == 0) do
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(begin) : "l"(told) : "memory");
        while (begin > 0);
    __syncthreads();
    if (threadIdx.x % 2 == 0) g[blockIdx.x * T / 2 + threadIdx.x / 2] = word;
}
/* Each block hands a sum on to the next: what the first has written the last knows through the others. */
__global__ void ok_chain(int *g, int n) {
    volatile int *turn = g + 512;
    if (threadIdx.x == 0) {
        while (*turn != 512 + (int)blockIdx.x) continue;
        __threadfence();
    }
    __syncthreads();
    int sum = 0;
    for (unsigned b = 0; b < blockIdx.x; b++) sum += g[64 * (b + 1) + threadIdx.x];
    g[64 * (blockIdx.x + 1) + threadIdx.x] = sum + (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        *turn = 512 + (int)blockIdx.x + 1;
    }
}
/* A lock that is given back without a fence. */
static __device__ void add_locked(int *lock, int *sum, bool fence) {
    while (atomicCAS(lock, 512, 1) != 512) continue;
    __threadfence();
    *sum += 1;
    if (fence) __threadfence();
    atomicExch(lock, 512);
}
__global__ void lock_no_fence(int *g, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(g + 512, 512, 1) != 512) continue;
        __threadfence();
        g[0] += 1; // FAULT race
        atomicExch(g + 512, 512);
    }
}
__global__ void ok_lock(int *g, int n) {
    if (threadIdx.x == 0) add_locked(g + 512, g, true);
}
/* A barrier of all blocks, by hand. */
static __device__ void all_meet(int *counter, int goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(counter, 1);
        while (*(volatile int *)counter < goal) continue;
        __threadfence();
    }
    __syncthreads();
}
__global__ void ok_blocks_meet(int *g, int n) {
    int *to = g + 256, i = (int)(blockIdx.x * T + threadIdx.x), all = (int)(gridDim.x * T);
    for (int k = 1; k <= 3; k++) {
        to[i] = k;
        all_meet(g, k * (int)gridDim.x);
        int x = to[(i + T) % all];
        all_meet(g + 1, 1 + k * (int)gridDim.x);
        to[i] = x;
    }
}
__global__ void blocks_meet_once(int *g, int n) {
    int *to = g + 256, i = (int)(blockIdx.x * T + threadIdx.x), all = (int)(gridDim.x * T);
    to[i] = 1;
    all_meet(g, (int)gridDim.x);
    int x = to[(i + T) % all]; // FAULT race
    to[i] = x + 1;             // FAULT race
}

/* ---- within a block ---- */

__global__ void no_barrier_between_warps(int *g, int n) {
    g[threadIdx.x] = (int)threadIdx.x + 5000;      // FAULT race
    g[512 + threadIdx.x] = g[T - 1 - threadIdx.x]; // FAULT race
}
__global__ void ok_barrier_between_warps(int *g, int n) {
    g[threadIdx.x] = (int)threadIdx.x + 5000;
    __syncthreads();
    g[512 + threadIdx.x] = g[T - 1 - threadIdx.x];
}
__global__ void no_syncwarp_between_lanes(int *g, int n) {
    g[threadIdx.x] = (int)threadIdx.x + 5000;  // FAULT race
    g[512 + threadIdx.x] = g[threadIdx.x ^ 1]; // FAULT race
}
__global__ void ok_syncwarp_between_lanes(int *g, int n) {
    g[threadIdx.x] = (int)threadIdx.x + 5000;
    __syncwarp();
    g[512 + threadIdx.x] = g[threadIdx.x ^ 1];
}
/* Through a pointer that memory holds. */
__device__ int *elsewhere;
__global__ void through_a_pointer(int *g, int n) {
    if (threadIdx.x == 0 && blockIdx.x == 0) elsewhere = g;
    __syncthreads();
    if (blockIdx.x == 0) elsewhere[threadIdx.x % 32] = (int)threadIdx.x + 5000; // FAULT race
}
__device__ int total;
__global__ void variable_of_the_module(int *g, int n) {
    if (threadIdx.x == 0) total += g[blockIdx.x + 1]; // FAULT race
}

FAULTY_MAIN(CASE(two_blocks_write, 2, T), CASE(ok_blocks_write_apart, 4, T), CASE(ok_blocks_write_the_same, 4, T),
            CASE(stencil_in_place, 4, T), CASE(ok_stencil, 4, T), CASE(sum_without_atomics, 3, 32),
            CASE(ok_sum_by_atomics, 3, 32), CASE(atomics_and_a_plain_store, 2, 32), CASE(set_and_added_to, 2, 32),
            CASE(read_and_added_to, 2, 32), CASE(added_to_and_read, 2, 32), CASE(ok_last_number, 3, 32),
            CASE(atomic_of_the_block, 2, 32), CASE(ok_atomic_of_the_block, 2, 32), CASE(bytes_of_one_word, 2, T),
            CASE(ok_bytes_of_one_word, 2, T), CASE(ok_halves_read_and_written, 1, T), CASE(last_block_no_fence, 4, T),
            CASE(last_block_no_second_fence, 4, T), CASE(last_block_narrow_fence, 4, T),
            CASE(last_block_no_barrier, 4, T), CASE(ok_last_block, 4, T), CASE(ok_last_block_of_many_writers, 4, T),
            CASE(flag_between_blocks_no_fence, 2, 32), CASE(flag_seen_by_thread_0_alone, 2, T),
            CASE(ok_flag_between_blocks, 2, T), CASE(ok_release_and_acquire, 2, 32), CASE(relaxed_alone, 2, 32),
            CASE(kept_in_place_relaxed, 2, T), CASE(ok_kept_in_place_with_fences, 2, T),
            CASE(ok_kept_in_place_by_release, 2, T), CASE(ok_chain, 4, T), CASE(lock_no_fence, 4, 32),
            CASE(ok_lock, 4, 32), CASE(ok_blocks_meet, 4, T), CASE(blocks_meet_once, 4, T),
            CASE(no_barrier_between_warps, 1, T), CASE(ok_barrier_between_warps, 1, T),
            CASE(no_syncwarp_between_lanes, 1, 32), CASE(ok_syncwarp_between_lanes, 1, 32),
            CASE(through_a_pointer, 1, T), CASE(variable_of_the_module, 2, 32))
