/* Races in shared memory, within blocks and within warps, reads of what nothing has written, and indices outside of an
 * array. */
#include "faulty.h"

static const int T = 128;

/* ---- races between warps ---- */

/* Step 2's tile without its second barrier: the next tile is stored while others still read this one. */
__global__ void tile_no_second_barrier(int *g, int n) {
    __shared__ int tile[T];
    int sum = 0;
    for (int k = 0; k < n; k += T) {
        tile[threadIdx.x] = g[k + threadIdx.x]; // FAULT race
        __syncthreads();
        for (int i = 0; i < T; i++) sum += tile[(i + threadIdx.x) % T]; // FAULT race
    }
    g[threadIdx.x] = sum;
}
__global__ void ok_tile(int *g, int n) {
    __shared__ int tile[T];
    int sum = 0;
    for (int k = 0; k < n / 2; k += T) {
        tile[threadIdx.x] = g[k + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < T; i++) sum += tile[(i + threadIdx.x) % T];
        __syncthreads();
    }
    g[n / 2 + blockIdx.x * T + threadIdx.x] = sum;
}
__global__ void tile_no_first_barrier(int *g, int n) {
    __shared__ int tile[T];
    int sum = 0;
    for (int k = 0; k < n; k += T) {
        tile[threadIdx.x] = g[k + threadIdx.x];                         // FAULT race
        for (int i = 0; i < T; i++) sum += tile[(i + threadIdx.x) % T]; // FAULT race and uninitialised
        __syncthreads();
    }
    g[threadIdx.x] = sum;
}

static __device__ int warp_sum(int x) {
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d);
    return x;
}

/* Two reductions by way of one buffer, and no barrier between the reads of the first and the writes of the second. */
__global__ void two_reductions(int *g, int n) {
    __shared__ int part[T / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int x = warp_sum(g[threadIdx.x]);
    if (lane == 0) part[warp] = x;
    __syncthreads();
    int total = part[0] + part[1] + part[2] + part[3]; // FAULT race
    int y = warp_sum(g[threadIdx.x] * total);
    if (lane == 0) part[warp] = y; // FAULT race
    __syncthreads();
    g[threadIdx.x] = total + part[0] + part[1] + part[2] + part[3];
}
__global__ void ok_two_reductions(int *g, int n) {
    __shared__ int part[T / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int x = warp_sum(g[threadIdx.x]);
    if (lane == 0) part[warp] = x;
    __syncthreads();
    int total = part[0] + part[1] + part[2] + part[3];
    __syncthreads();
    int y = warp_sum(g[threadIdx.x] * total);
    if (lane == 0) part[warp] = y;
    __syncthreads();
    g[threadIdx.x] = total + part[0] + part[1] + part[2] + part[3];
}

/* A write behind a read of the loop's iteration before. */
__global__ void loop_write_after_read(int *g, int n) {
    __shared__ int row[2];
    if (threadIdx.x == 0) row[0] = 1;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += row[0];                     // FAULT race
        if (threadIdx.x == 64) row[0] = i; // FAULT race
    }
    g[threadIdx.x] = sum;
}
__global__ void histogram_no_zero_barrier(int *g, int n) {
    __shared__ int bins[T];
    bins[threadIdx.x] = 0;                       // FAULT race
    atomicAdd(&bins[g[threadIdx.x] * 7 % T], 1); // FAULT race and uninitialised
    __syncthreads();
    g[threadIdx.x] = bins[threadIdx.x];
}
__global__ void histogram_no_last_barrier(int *g, int n) {
    __shared__ int bins[T];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[g[threadIdx.x] * 7 % T], 1); // FAULT race
    g[threadIdx.x] = bins[threadIdx.x];          // FAULT race
}
__global__ void ok_histogram(int *g, int n) {
    __shared__ int bins[T];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[g[threadIdx.x] * 7 % T], 1);
    __syncthreads();
    g[threadIdx.x] = bins[threadIdx.x];
}
/* Step 7's sums: warp 0 sets a word that all warps add to. Its own addition comes in between. */
__global__ void sums_no_zero_barrier(int *g, int n) {
    __shared__ int sums[32];
    if (threadIdx.x < 32) sums[threadIdx.x] = 0;        // FAULT race
    atomicAdd(&sums[threadIdx.x % 32], g[threadIdx.x]); // FAULT race
    __syncthreads();
    if (threadIdx.x < 32) g[threadIdx.x] = sums[threadIdx.x];
}
/* One warp adds and reads at once: the others may not have added yet. */
__global__ void sums_no_last_barrier(int *g, int n) {
    __shared__ int sums[32];
    if (threadIdx.x < 32) sums[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&sums[threadIdx.x % 32], g[threadIdx.x]);                 // FAULT race
    if (threadIdx.x / 32 == 2) g[threadIdx.x] = sums[threadIdx.x % 32]; // FAULT race
}
/* Read before it is added to: others add meanwhile. */
__global__ void sums_read_before(int *g, int n) {
    __shared__ int sums[32];
    if (threadIdx.x < 32) sums[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 32) g[512 + threadIdx.x] = sums[threadIdx.x]; // FAULT race
    atomicAdd(&sums[threadIdx.x % 32], g[threadIdx.x]);             // FAULT race
    __syncthreads();
    if (threadIdx.x < 32) g[threadIdx.x] = sums[threadIdx.x];
}
__global__ void ok_sums(int *g, int n) {
    __shared__ int sums[32];
    if (threadIdx.x < 32) sums[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        atomicAdd(&sums[threadIdx.x % 32], g[threadIdx.x]);
        __syncthreads();
        if (threadIdx.x >= 32 * k && threadIdx.x < 32 * (k + 1)) g[512 + threadIdx.x] = sums[threadIdx.x % 32]++;
        __syncthreads();
    }
}
/* Whoever gets the last number knows that all others have theirs. */
__global__ void ok_last_number(int *g, int n) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (atomicAdd(&count, 1) == T - 1) count = 1000;
    __syncthreads();
    g[threadIdx.x] = count;
}
__global__ void two_writers(int *g, int n) {
    __shared__ int last;
    last = threadIdx.x / 32; // FAULT race
    __syncthreads();
    g[threadIdx.x] = last;
}
/* All write the same: the value is never in doubt. */
__global__ void ok_same_value(int *g, int n) {
    __shared__ int any;
    if (threadIdx.x == 0) any = 0;
    __syncthreads();
    if (g[threadIdx.x] >= 0) any = 1;
    __syncthreads();
    g[threadIdx.x] = any;
}
__global__ void bytes_race(int *g, int n) {
    __shared__ unsigned char byte[T];
    byte[threadIdx.x] = (unsigned char)g[threadIdx.x]; // FAULT race
    g[threadIdx.x] = byte[(threadIdx.x + 32) % T];     // FAULT race and uninitialised
}
__global__ void ok_bytes(int *g, int n) {
    __shared__ unsigned char byte[T];
    byte[threadIdx.x] = (unsigned char)g[threadIdx.x];
    g[threadIdx.x] = byte[threadIdx.x];
    __syncthreads();
    g[threadIdx.x] += byte[(threadIdx.x + 32) % T];
}
__global__ void flag_without_fence(int *g, int n) {
    __shared__ int data;
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        data = g[5]; // FAULT race
        flag = 1;
    }
    if (threadIdx.x == 0) {
        while (flag == 0) continue;
        g[0] = data; // FAULT race
    }
}
__global__ void ok_flag_with_fences(int *g, int n) {
    __shared__ int data;
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        data = g[5];
        __threadfence_block();
        flag = 1;
    }
    if (threadIdx.x == 0) {
        while (flag == 0) continue;
        __threadfence_block();
        g[0] = data;
    }
}
/* Half of the warps meet at a barrier of their own, and read what the others write. */
__global__ void named_barrier_too_few(int *g, int n) {
    __shared__ int s[T];
    s[threadIdx.x] = g[threadIdx.x]; // FAULT race
    if (threadIdx.x < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        g[threadIdx.x] = s[threadIdx.x + 64]; // FAULT race and uninitialised
    }
}
__global__ void ok_named_barrier(int *g, int n) {
    __shared__ int s[T];
    s[threadIdx.x] = g[threadIdx.x];
    if (threadIdx.x < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        g[threadIdx.x] = s[63 - threadIdx.x];
    }
}
__global__ void ok_producer_consumer(int *g, int n) {
    __shared__ int s[64];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = g[threadIdx.x];
        asm volatile("bar.arrive 2, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 128;" ::: "memory");
        g[threadIdx.x] = s[127 - threadIdx.x];
    }
}
__global__ void dynamic_race(int *g, int n) {
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = g[threadIdx.x];         // FAULT race
    g[threadIdx.x] = dynamic[T - 1 - threadIdx.x]; // FAULT race and uninitialised
}

/* ---- races within a warp ---- */

/* Step 7's tree: its last levels are one warp's, and its lanes do not wait for one another. */
__global__ void tree_no_syncwarp(int *g, int n) {
    __shared__ int sums[T];
    int t = threadIdx.x;
    sums[t] = g[t];
    __syncthreads();
    for (int half = T / 2; half >= 32; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
#pragma unroll
    for (int half = 16; half > 0; half /= 2)
        if (t < half) sums[t] += sums[t + half]; // FAULT race
    if (t == 0) g[0] = sums[0];
}
__global__ void ok_tree(int *g, int n) {
    __shared__ int sums[T];
    int t = threadIdx.x;
    sums[t] = g[t];
    __syncthreads();
    for (int half = T / 2; half >= 32; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncwarp();
    }
    if (t == 0) g[0] = sums[0];
}
__global__ void exchange_no_syncwarp(int *g, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = g[threadIdx.x];      // FAULT race
    g[threadIdx.x] = s[31 - threadIdx.x]; // FAULT race
}
__global__ void read_before_write_no_syncwarp(int *g, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = g[threadIdx.x];
    __syncwarp();
    int x = s[31 - threadIdx.x]; // FAULT race
    s[threadIdx.x] = x;          // FAULT race
    __syncwarp();
    g[threadIdx.x] = s[31 - threadIdx.x];
}
/* Halves of the warp wait among themselves, and read from the other half. */
__global__ void half_syncwarp(int *g, int n) {
    __shared__ int s[32];
    unsigned half = threadIdx.x < 16 ? 0xffff : 0xffff0000;
    s[threadIdx.x] = g[threadIdx.x]; // FAULT race
    __syncwarp(half);
    g[threadIdx.x] = s[threadIdx.x ^ 16]; // FAULT race
}
__global__ void ok_half_syncwarp(int *g, int n) {
    __shared__ int s[32];
    unsigned half = threadIdx.x < 16 ? 0xffff : 0xffff0000;
    s[threadIdx.x] = g[threadIdx.x];
    __syncwarp(half);
    g[threadIdx.x] = s[threadIdx.x ^ 15];
}

/* ---- what nothing has written ---- */

__global__ void unwritten_shared(int *g, int n) {
    __shared__ int s[T];
    if (threadIdx.x < 100) s[threadIdx.x] = g[threadIdx.x];
    __syncthreads();
    g[threadIdx.x] = s[threadIdx.x] + 1; // FAULT uninitialised
}
__global__ void ok_loaded_too_early(int *g, int n) {
    __shared__ int s[2][T];
    s[0][threadIdx.x] = g[threadIdx.x];
    __syncthreads();
    int next = s[0][threadIdx.x ^ 1], sum = 0;
    for (int i = 0; i < 1; i++) {
        int now = next;
        next = *(volatile int *)&s[(i + 1) % 2][threadIdx.x ^ 1]; /* of the last turn nobody needs it */
        sum += now;
    }
    g[threadIdx.x] = sum;
}
__global__ void unwritten_dynamic(int *g, int n) {
    extern __shared__ int dynamic[];
    g[threadIdx.x] = dynamic[threadIdx.x] * 3; // FAULT uninitialised
}
__global__ void unwritten_atomic(int *g, int n) {
    __shared__ int count;
    atomicAdd(&count, 1); // FAULT uninitialised
    __syncthreads();
    g[threadIdx.x] = count;
}
__global__ void unwritten_half(int *g, int n) {
    __shared__ short s[2 * T];
    s[2 * threadIdx.x] = (short)g[threadIdx.x];
    __syncthreads();
    g[threadIdx.x] = s[threadIdx.x] + 1; // FAULT uninitialised
}

/* ---- outside of an array ---- */

__global__ void past_the_array(int *g, int n) {
    __shared__ int a[T], b[T];
    a[threadIdx.x] = g[threadIdx.x];
    b[threadIdx.x] = g[threadIdx.x + T];
    __syncthreads();
    g[threadIdx.x + T] = a[threadIdx.x + g[1]] + b[threadIdx.x]; // FAULT out-of-bounds
}
__global__ void before_the_array(int *g, int n) {
    __shared__ int a[T], b[T];
    a[threadIdx.x] = g[threadIdx.x];
    b[threadIdx.x] = g[threadIdx.x + T];
    __syncthreads();
    g[threadIdx.x + T] = b[(int)threadIdx.x - g[1]] + a[threadIdx.x]; // FAULT out-of-bounds
}
__global__ void written_past_the_array(int *g, int n) {
    __shared__ int a[T], b[T];
    b[threadIdx.x] = g[threadIdx.x + T];
    a[threadIdx.x + g[2] - 2] = 1;
    __syncthreads();
    if (threadIdx.x == 0) a[g[T]] = 2; // FAULT out-of-bounds
    __syncthreads();
    g[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
__global__ void past_shared_memory(int *g, int n) {
    __shared__ int a[T];
    a[threadIdx.x] = g[threadIdx.x];
    __syncthreads();
    g[threadIdx.x] = a[threadIdx.x + g[100] * 100]; // FAULT out-of-bounds and illegal address
}
__global__ void misaligned_shared(int *g, int n) {
    __shared__ __align__(16) int a[T + 4];
    a[threadIdx.x] = g[threadIdx.x];
    __syncthreads();
    int2 pair = *(int2 *)(a + g[1]); // FAULT misaligned address
    g[threadIdx.x] = pair.x + pair.y;
}
/* Lanes that come to a cluster's barrier from both sides of a branch have met there all the same. */
__global__ void __cluster_dims__(2, 1, 1) ok_cluster_barrier_in_a_branch(int *g, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    const unsigned to = (unsigned)__cvta_generic_to_shared(&sum);
    if (g[threadIdx.x] & 1) {
        asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(to) : "memory");
        asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    } else {
        asm volatile("red.shared.add.u32 [%0], 100;" ::"r"(to) : "memory");
        asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    }
    g[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

FAULTY_MAIN(CASE(tile_no_second_barrier, 1, T), CASE(ok_tile, 2, T), CASE(tile_no_first_barrier, 1, T),
            CASE(two_reductions, 1, T), CASE(ok_two_reductions, 1, T), CASE(loop_write_after_read, 1, T),
            CASE(histogram_no_zero_barrier, 1, T), CASE(histogram_no_last_barrier, 1, T), CASE(ok_histogram, 1, T),
            CASE(sums_no_zero_barrier, 1, T), CASE(sums_no_last_barrier, 1, T), CASE(sums_read_before, 1, T),
            CASE(ok_sums, 1, T), CASE(ok_last_number, 1, T), CASE(two_writers, 1, T), CASE(ok_same_value, 1, T),
            CASE(bytes_race, 1, T), CASE(ok_bytes, 1, T), CASE(flag_without_fence, 1, 64),
            CASE(ok_flag_with_fences, 1, 64), CASE(named_barrier_too_few, 1, T), CASE(ok_named_barrier, 1, T),
            CASE(ok_producer_consumer, 1, T), {"dynamic_race", dynamic_race, 1, T, 4 * T, false},
            CASE(tree_no_syncwarp, 1, T), CASE(ok_tree, 1, T), CASE(exchange_no_syncwarp, 1, 32),
            CASE(read_before_write_no_syncwarp, 1, 32), CASE(half_syncwarp, 1, 32), CASE(ok_half_syncwarp, 1, 32),
            CASE(unwritten_shared, 1, T), CASE(ok_loaded_too_early, 1, T),
            {"unwritten_dynamic", unwritten_dynamic, 1, T, 4 * T, false}, CASE(unwritten_atomic, 1, T),
            CASE(unwritten_half, 1, T), CASE(past_the_array, 1, T), CASE(before_the_array, 1, T),
            CASE(written_past_the_array, 1, T), CASE(past_shared_memory, 1, T), CASE(misaligned_shared, 1, T),
            CASE(ok_cluster_barrier_in_a_branch, 2, T))
