/* What nothing has written and nobody computes with: the padding of structs, a vector's tail, what an exchange
 * initialises. And the same with one use of it. */
#include "faulty.h"

struct padded {
    char c;
    double d;
}; /* 7 bytes of padding behind c */
struct padded_tail {
    int n;
    short s;
}; /* 2 bytes of padding in the end */

/* ---- padding ---- */

__global__ void ok_padding_copied(int *g, int n) {
    __shared__ padded s[64];
    int t = threadIdx.x;
    s[t].c = t;
    s[t].d = t * 2.5;
    __syncthreads();
    ((padded *)g)[t] = s[63 - t];
}
__global__ void ok_padded_tail_copied(int *g, int n) {
    padded_tail *from = (padded_tail *)g, *to = from + 128;
    __shared__ padded_tail s[64];
    int t = threadIdx.x;
    from[t].n = t;
    from[t].s = 2;
    s[t] = from[t];
    __syncthreads();
    padded_tail x = s[63 - t];
    x.n = __shfl_xor_sync(~0u, x.n, 1);
    to[t] = x;
}
/* A member that nothing has written. */
__global__ void member_unwritten(int *g, int n) {
    __shared__ padded s[64];
    int t = threadIdx.x;
    s[t].c = t;
    __syncthreads();
    padded x = s[63 - t];   // FAULT uninitialised
    g[t] = x.c + (int)x.d;  // FAULT uninitialised
}
/* The padding itself, by its bytes, behind a copy. */
__global__ void padding_summed(int *g, int n) {
    __shared__ padded_tail s[64], copy[64];
    int t = threadIdx.x;
    s[t].n = t;
    s[t].s = 2;
    __syncthreads();
    copy[t] = s[63 - t]; // FAULT uninitialised
    __syncthreads();
    const volatile unsigned char *bytes = (const volatile unsigned char *)&copy[t];
    g[t] = bytes[0] + 2 * bytes[6]; // FAULT uninitialised
}
/* Bytes that are no struct's: the last of each four is never written. */
__global__ void last_byte_copied(int *g, int n) {
    __shared__ unsigned char s[256];
    int t = threadIdx.x;
    for (int k = 0; k < 3; k++) s[4 * t + k] = t;
    __syncthreads();
    for (int k = 0; k < 4; k++) ((unsigned char *)g)[4 * t + k] = s[4 * (63 - t) + k]; // FAULT uninitialised
}

/* ---- a part of what is loaded ---- */

__global__ void ok_tail_selected_away(int *g, int n) {
    __shared__ uint4 s[32];
    int t = threadIdx.x, count = 101;
    for (int i = t; i < count; i += 32) ((unsigned *)s)[i] = i;
    __syncthreads();
    uint4 v = s[t];
    unsigned r = t * 4 < count ? v.x : 0;
    r += t * 4 + 1 < count ? v.y : 0;
    r += t * 4 + 2 < count ? v.z : 0;
    r += t * 4 + 3 < count ? v.w : 0;
    g[t] = r;
}
__global__ void tail_summed(int *g, int n) {
    __shared__ uint4 s[32];
    int t = threadIdx.x, count = 101;
    for (int i = t; i < count; i += 32) ((unsigned *)s)[i] = i;
    __syncthreads();
    uint4 v = s[t]; // FAULT uninitialised
    unsigned r = t * 4 < count ? v.x : 0;
    r += t * 4 + 1 < count ? v.y : 0;
    r += t * 4 + 2 < count ? v.z : 0;
    r += t * 4 < count ? v.w : 0; // FAULT uninitialised
    g[t] = r;
}
/* Through a shuffle: the lane that has it, and the one that gets it, need not use it. */
__global__ void ok_shuffled_and_dropped(int *g, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) s[t] = t;
    __syncthreads();
    int x = __shfl_xor_sync(~0u, s[t], 16);
    g[t] = t >= 16 ? x : 0;
}
__global__ void shuffled_and_summed(int *g, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) s[t] = t;
    __syncthreads();
    int x = __shfl_xor_sync(~0u, s[t], 16); // FAULT uninitialised
    g[t] = x + 1;                           // FAULT uninitialised
}

/* ---- exchanges ---- */

__global__ void ok_exchange_initialises(int *g, int n) {
    __shared__ int hit;
    if (threadIdx.x == 0) {
        atomicExch(&hit, 0);
        atomicExch(&g[0], 7);
    }
    __syncthreads();
    atomicAdd(&hit, 1);
    atomicAdd(&g[0], 1);
    __syncthreads();
    if (threadIdx.x == 0) g[1] = hit;
}
__global__ void exchange_looks(int *g, int n) {
    __shared__ int hit;
    int old = 0;
    if (threadIdx.x == 0) old = atomicExch(&hit, 0); // FAULT uninitialised
    __syncthreads();
    atomicAdd(&hit, 1);
    __syncthreads();
    g[threadIdx.x] = hit + old;
}
__global__ void sum_initialises(int *g, int n) {
    __shared__ int hit;
    if (threadIdx.x == 0) atomicAdd(&hit, 1); // FAULT uninitialised
    __syncthreads();
    g[threadIdx.x] = hit;
}

#define FRESH(name, threads)                                                                                           \
    { #name, name, 1, threads, 0, true }
FAULTY_MAIN(FRESH(ok_padding_copied, 64), FRESH(ok_padded_tail_copied, 64), FRESH(member_unwritten, 64),
            FRESH(padding_summed, 64), FRESH(last_byte_copied, 64), FRESH(ok_tail_selected_away, 32),
            FRESH(tail_summed, 32), FRESH(ok_shuffled_and_dropped, 32), FRESH(shuffled_and_summed, 32),
            FRESH(ok_exchange_initialises, 64), FRESH(exchange_looks, 64), FRESH(sum_initialises, 64))
