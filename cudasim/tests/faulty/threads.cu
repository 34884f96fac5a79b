/* What belongs to a thread or a warp: local memory, objects of malloc, lanes that a shuffle takes from. */
#include "faulty.h"

/* ---- local memory ---- */

__global__ void unwritten_local(int *g, int n) {
    int big[16];
    for (int i = 0; i < 15; i++) big[g[i]] = i;
    g[threadIdx.x + 64] = big[g[15 - threadIdx.x % 2]] + 1; // FAULT uninitialised
}
__global__ void unwritten_local_byte(int *g, int n) {
    char bytes[64];
    for (int i = 0; i < 64; i++)
        if (i != 21) bytes[g[i]] = (char)i;
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += *(int *)(bytes + g[4 * i]); // FAULT uninitialised
    g[threadIdx.x + 64] = sum;
}
static __device__ __noinline__ int last_of(const int *g, int count);
__global__ void unwritten_in_a_function(int *g, int n) {
    int x = last_of(g, 8);
    g[threadIdx.x + 64] = x + last_of(g, 7);
}
static __device__ __noinline__ int last_of(const int *g, int count) {
    int all[8];
    for (int i = 0; i < count; i++) all[g[i]] = i;
    return all[g[7]] * 3; // FAULT uninitialised
}
__global__ void ok_local(int *g, int n) {
    int big[16];
    for (int i = 0; i < 16; i++) big[g[i]] = i;
    g[threadIdx.x + 64] = big[g[threadIdx.x % 16]] + 1;
}
/* Padding goes along when a struct is copied. */
struct padded {
    char letter;
    int number;
};
__global__ void ok_padding(int *g, int n) {
    padded all[8], turned[8];
    for (int i = 0; i < 8; i++) all[g[i]].letter = (char)i, all[g[i]].number = i;
    for (int i = 0; i < 8; i++) turned[g[i]] = all[g[7 - i]];
    g[threadIdx.x + 64] = turned[g[threadIdx.x % 8]].number + turned[g[1]].letter;
}
static __device__ __noinline__ void fill(int *to, const int *g, int count) {
    for (int i = 0; i < count; i++) to[g[i]] = i;
}
__global__ void ok_filled_by_a_function(int *g, int n) {
    int big[16];
    fill(big, g, 16);
    g[threadIdx.x + 64] = big[g[threadIdx.x % 16]] + 1;
}
__global__ void filled_too_little(int *g, int n) {
    int big[16];
    fill(big, g, 12);
    g[threadIdx.x + 64] = big[g[12 + threadIdx.x % 4]] + 1; // FAULT uninitialised
}
__global__ void below_the_local_array(int *g, int n) {
    int big[16];
    for (int i = 0; i < 16; i++) big[g[i]] = i;
    g[threadIdx.x + 64] = big[g[0] - 1]; // FAULT out-of-bounds
}
static __device__ __noinline__ int below(const int *g, int at);
__global__ void below_a_functions_array(int *g, int n) {
    int big[16];
    for (int i = 0; i < 16; i++) big[g[i]] = i;
    g[threadIdx.x + 64] = below(g, 3) + below(g, g[0] - 2) + big[g[3]];
}
static __device__ __noinline__ int below(const int *g, int at) {
    int own[8];
    for (int i = 0; i < 8; i++) own[g[i]] = i;
    return own[at]; // FAULT out-of-bounds
}

/* ---- objects of malloc ---- */

static __device__ int *made(int count) {
    int *p = (int *)malloc(count * sizeof(int));
    asm volatile("" : "+l"(p)); /* whatever the compiler may know of malloc */
    return p;
}
__global__ void past_the_object(int *g, int n) {
    int *p = made(9);
    for (int i = 0; i <= 9; i++) p[i] = i; // FAULT out-of-bounds
    g[threadIdx.x] = p[g[8]];
    free(p);
}
__global__ void below_the_object(int *g, int n) {
    int *first = made(8), *p = made(8);
    for (int i = 0; i < 8; i++) p[i] = first[i] = i;
    g[threadIdx.x] = p[g[0] - 1] + 1; // FAULT out-of-bounds and uninitialised
    free(p);
    free(first);
}
__global__ void read_after_free(int *g, int n) {
    int *p = made(8);
    p[0] = 1;
    free(p);
    asm volatile("" : "+l"(p));
    g[0] = p[0]; // FAULT use-after-free
}
__global__ void written_after_free(int *g, int n) {
    int *p = made(8);
    free(p);
    asm volatile("" : "+l"(p));
    int *q = made(8);
    p[g[3]] = 1; // FAULT use-after-free
    q[0] = 2;
    g[0] = q[0];
    free(q);
}
__global__ void unwritten_object(int *g, int n) {
    int *p = made(8);
    if (threadIdx.x > 0) p[g[3]] = 1;
    g[threadIdx.x + 64] = p[g[3]] + 1; // FAULT uninitialised
    free(p);
}
__global__ void ok_objects(int *g, int n) {
    int *p = made(9);
    for (int i = 0; i < 9; i++) p[i] = i;
    g[blockIdx.x * blockDim.x + threadIdx.x + 64] = p[g[8]];
    free(p);
    p = made(3);
    p[2] = 1;
    g[blockIdx.x * blockDim.x + threadIdx.x + 512] = p[g[2]];
    free(p);
}
/* What one block has freed another one is given. */
__global__ void ok_objects_of_many_blocks(int *g, int n) {
    for (int k = 0; k < 200; k++) {
        char *p = (char *)malloc(4000);
        asm volatile("" : "+l"(p));
        for (int i = 0; i < 4000; i += 400) p[i] = (char)k;
        free(p);
    }
}
/* The pointer is handed to another warp, which does not wait for what is written there. */
__global__ void race_in_an_object(int *g, int n) {
    __shared__ int *p;
    if (threadIdx.x == 0) p = made(32);
    __syncthreads();
    if (threadIdx.x < 32) p[threadIdx.x] = (int)threadIdx.x + 5; // FAULT race
    if (threadIdx.x >= 32) g[threadIdx.x] = p[threadIdx.x - 32]; // FAULT race and uninitialised
}

/* ---- lanes ---- */

static __device__ int warp_sum(int x, int width) {
    for (int d = width / 2; d > 0; d /= 2) x += __shfl_down_sync(0xffffffff, x, d);
    return x;
}
/* Of the second warp only 16 lanes are there. */
__global__ void sum_over_absent_lanes(int *g, int n) {
    int x = g[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffff, x, d); // FAULT absent-lane
    if (threadIdx.x % 32 == 0) g[64 + threadIdx.x / 32] = x;                 // FAULT absent-lane
}
__global__ void sum_over_lanes_that_left(int *g, int n) {
    if (threadIdx.x >= 20) return;
    int x = g[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d); // FAULT absent-lane
    g[64 + threadIdx.x] = x;                                                // FAULT absent-lane
}
__global__ void shuffle_from_unnamed_lanes(int *g, int n) {
    int x = g[threadIdx.x];
    unsigned half = threadIdx.x < 16 ? 0xffff : 0xffff0000;
    x = __shfl_xor_sync(half, x, 16);   // FAULT absent-lane
    if (x > 5) g[64 + threadIdx.x] = 1; // FAULT absent-lane
}
/* Upper lanes compute with what is not there, and nobody looks at what comes of it. */
__global__ void ok_sum_of_half_a_warp(int *g, int n) {
    int x = warp_sum(g[threadIdx.x], 16);
    if (threadIdx.x == 0) g[64] = x;
}
__global__ void ok_chosen_by_lane(int *g, int n) {
    int x = g[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) {
        int y = __shfl_down_sync(0xffffffff, x, d);
        if (threadIdx.x + d < blockDim.x) x += y;
    }
    if (threadIdx.x == 0) g[64] = x;
}
__global__ void ok_broadcast_to_some(int *g, int n) {
    if (threadIdx.x >= 20) return;
    g[64 + threadIdx.x] = __shfl_sync(0xffffffff, g[threadIdx.x], 3);
    g[96 + threadIdx.x] = __popc(__ballot_sync(0xffffffff, threadIdx.x & 1));
}

FAULTY_MAIN(CASE(unwritten_local, 1, 32), CASE(unwritten_local_byte, 1, 32), CASE(unwritten_in_a_function, 1, 32),
            CASE(ok_local, 1, 32), CASE(ok_padding, 1, 32), CASE(ok_filled_by_a_function, 1, 32),
            CASE(filled_too_little, 1, 32), CASE(below_the_local_array, 1, 32), CASE(below_a_functions_array, 1, 32),
            CASE(past_the_object, 1, 1), CASE(below_the_object, 1, 1), CASE(read_after_free, 1, 1),
            CASE(written_after_free, 1, 1), CASE(unwritten_object, 1, 32), CASE(ok_objects, 4, 64),
            CASE(ok_objects_of_many_blocks, 8, 2), CASE(race_in_an_object, 1, 64), CASE(sum_over_absent_lanes, 1, 48),
            CASE(sum_over_lanes_that_left, 1, 32), CASE(shuffle_from_unnamed_lanes, 1, 32),
            CASE(ok_sum_of_half_a_warp, 1, 16), CASE(ok_chosen_by_lane, 1, 20), CASE(ok_broadcast_to_some, 1, 32))
