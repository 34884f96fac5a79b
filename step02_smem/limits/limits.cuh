/* What the ceilings of --show limits have in common. Each is a kernel that does one thing again and again, with all
 * that could hold it up taken away, and computes something whose value is known: the operands are ones, so that a
 * thread's sum is a count.
 *
 *   begin: all threads of the block meet, one reads the clock    do it `rounds` times    end: they meet, one reads it
 *
 * Clocks are the SM's own (PTX ISA, %clock64), so the result is a rate per clock, whatever the clock is. */
#pragma once

#include "gemm/gemm.h"

struct limit_span {
    unsigned long long clocks_begin, ns_begin, clocks_end, ns_end;
};

/* Device memory that all kernels use. */
struct limit_room {
    float *memory;               /* ones */
    size_t words;                /* of them: those of L2 or DRAM, as the limit wants it */
    float *scratch;              /* zeros, a word a thread */
    float *sums;                 /* one a thread: the results */
    limit_span *spans;           /* one a block */
    cudaTextureObject_t texture; /* the memory's first words; none in the simulator */
};

/* What a rate is held against. */
enum limit_peak { NO_PEAK, FP32_PEAK, F16_PEAK, TF32_PEAK, S8_PEAK, PORT_PEAK /* 128 bytes */, DRAM_PEAK };

struct limit {
    const char *name, *unit; /* of `work` */
    void (*kernel)(limit_room room, int rounds);
    int threads, shared, rounds; /* a block's, bytes of shared memory; 0 rounds: as many as read `bytes` once */
    double work;                 /* of a thread in a round */
    double instructions;         /* of a warp in a round; 0: clocks of one are not given */
    double sum;                  /* a thread's, over a round; 0: there is none */
    limit_peak peak = NO_PEAK;
    int needs = 0;        /* compute capability; 90: exactly that */
    bool of_gpu = false;  /* 1e9 a second of the whole GPU, rather than per clock and SM */
    size_t bytes = 0;     /* room.words, in bytes; 0: does not matter */
    bool texture = false; /* which the simulator does not have */
};

/* The lists, one a file; each ends with a limit without a name. */
extern const limit limits_ffma[], limits_mma[], limits_wgmma[], limits_memory[], limits_atomics[], limits_paths[];

static __device__ __forceinline__ void limit_begin(const limit_room &room) {
    __syncthreads();
    if (threadIdx.x == 0) {
        limit_span *span = &room.spans[blockIdx.x];
        asm volatile("mov.u64 %0, %%clock64;\n\tmov.u64 %1, %%globaltimer;"
                     : "=l"(span->clocks_begin), "=l"(span->ns_begin)::"memory");
    }
    __syncthreads(); /* nobody has begun before the clock is read */
}

static __device__ __forceinline__ void limit_end(const limit_room &room, float sum) {
    __syncthreads();
    if (threadIdx.x == 0) {
        limit_span *span = &room.spans[blockIdx.x];
        asm volatile("mov.u64 %0, %%clock64;\n\tmov.u64 %1, %%globaltimer;"
                     : "=l"(span->clocks_end), "=l"(span->ns_end)::"memory");
    }
    room.sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
