// What a warp's instruction costs in the simulator: kernels of one kind of instruction each, counted by hand.
//
// Prints "NAME NANOSECONDS" a kernel. A loop's own three instructions (add, setp, bra) count as well.
#include <ctime>

#include "../programs/check.h"

enum { BLOCKS = 32, THREADS = 256, WARPS = BLOCKS * THREADS / 32, LOOP = 3, RUNS = 5 };

#define REPEAT8(x) x x x x x x x x
#define ITERATIONS for (unsigned i = 0; i < n; i++)

__global__ void add_chain(float *out, unsigned n) {
    unsigned x = threadIdx.x;
#pragma unroll 1
    ITERATIONS {
        REPEAT8(asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(n));)
    }
    out[threadIdx.x] = x;
}

__global__ void fma_chain(float *out, unsigned n) {
    float x = threadIdx.x;
#pragma unroll 1
    ITERATIONS {
        REPEAT8(asm volatile("fma.rn.f32 %0, %0, 0f3F7FFFFF, 0f3F800000;" : "+f"(x));)
    }
    out[threadIdx.x] = x;
}

__global__ void integer(float *out, unsigned n) {
    unsigned x = threadIdx.x;
#pragma unroll 1
    ITERATIONS {
        REPEAT8(asm volatile("mad.lo.u32 %0, %0, 1664525, 1013904223;\n\txor.b32 %0, %0, 99;" : "+r"(x));)
    }
    out[threadIdx.x] = x;
}

__global__ void shared_load(float *out, unsigned n) {
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    float x;
#pragma unroll 1
    ITERATIONS {
        REPEAT8(asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at));)
    }
    out[threadIdx.x] = x;
}

template <int STRIDE> __device__ void load(float *out, unsigned n) {
    const float *at = out + threadIdx.x * STRIDE;
    float x;
#pragma unroll 1
    ITERATIONS {
        REPEAT8(asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(at));)
    }
    if (x == -1.0f) *out = x;
}
__global__ void global_coalesced(float *out, unsigned n) {
    load<1>(out, n);
}
__global__ void global_strided(float *out, unsigned n) {
    load<33>(out, n);
}

// Lanes at one place after another, as most kernels have them.
#define ACCESSES(name, bytes, instruction)                                                                             \
    __global__ void name(float *out, unsigned n) {                                                                     \
        const char *at = (const char *)out + threadIdx.x * (bytes);                                                    \
        _Pragma("unroll 1") ITERATIONS {                                                                               \
            REPEAT8(asm volatile("{\n\t.reg .b16 H; .reg .b32 A, B, C, D; .reg .b64 L;\n\t" instruction                \
                                 "\n\t}" ::"l"(at)                                                                     \
                                 : "memory");)                                                                         \
        }                                                                                                              \
    }
ACCESSES(global_u16, 2, "ld.global.u16 H, [%0];")
ACCESSES(global_u64, 8, "ld.global.u64 L, [%0];")
ACCESSES(global_v4, 16, "ld.global.v4.u32 {A, B, C, D}, [%0];")
ACCESSES(generic, 4, "ld.u32 A, [%0];")
ACCESSES(global_store, 4, "st.global.u32 [%0], 7;")
ACCESSES(atomic_apart, 4, "red.global.add.u32 [%0], 1;")

__global__ void shared_store(float *out, unsigned n) {
    __shared__ unsigned words[THREADS];
    const unsigned at = (unsigned)__cvta_generic_to_shared(&words[threadIdx.x]);
#pragma unroll 1
    ITERATIONS {
        REPEAT8(asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(n) : "memory");)
    }
    out[threadIdx.x] = words[threadIdx.x];
}

// Each a shuffle of both halves, a mov that takes the number apart, and one that puts it together.
__global__ void shuffle64(float *out, unsigned n) {
    double x = threadIdx.x;
#pragma unroll 1
    ITERATIONS {
        REPEAT8(x = __shfl_xor_sync(~0u, x, 5);)
    }
    out[threadIdx.x] = x;
}

__global__ void shuffle(float *out, unsigned n) {
    unsigned x = threadIdx.x;
#pragma unroll 1
    ITERATIONS {
        REPEAT8(asm volatile("shfl.sync.bfly.b32 %0, %0, 5, 31, -1;" : "+r"(x));)
    }
    out[threadIdx.x] = x;
}

__global__ void atomic_add(float *out, unsigned n) {
#pragma unroll 1
    ITERATIONS {
        REPEAT8(asm volatile("red.global.add.u32 [%0], 1;" ::"l"(out) : "memory");)
    }
}

// Half of the warp does 8 instructions, the other half 8 others: setp, bra, 8, bra, 8.
__global__ void divergent(float *out, unsigned n) {
    float x = threadIdx.x;
#pragma unroll 1
    ITERATIONS {
        asm volatile(
            "{\n\t.reg .pred p;\n\tsetp.lt.u32 p, %1, 16;\n\t@p bra THEN_%=;\n\t" REPEAT8(
                "add.f32 %0, %0, 0f3F800000;\n\t") "bra END_%=;\n\tTHEN_%=:\n\t" REPEAT8("mul.f32 %0, %0, "
                                                                                         "0f3F800000;\n\t") "END_%=:"
                                                                                                            "\n\t}"
            : "+f"(x)
            : "r"(threadIdx.x % 32));
    }
    out[threadIdx.x] = x;
}

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main() {
    const struct {
        const char *name;
        void (*kernel)(float *, unsigned);
        unsigned body, iterations;
    } kernels[] = {
        {"add_chain", add_chain, 8, 2000},
        {"fma_chain", fma_chain, 8, 2000},
        {"integer", integer, 16, 1000},
        {"shared_load", shared_load, 8, 2000},
        {"global_coalesced", global_coalesced, 8, 2000},
        {"global_strided", global_strided, 8, 1000},
        {"global_u16", global_u16, 8, 1000},
        {"global_u64", global_u64, 8, 1000},
        {"global_v4", global_v4, 8, 1000},
        {"generic", generic, 8, 1000},
        {"global_store", global_store, 8, 1000},
        {"shared_store", shared_store, 8, 1000},
        {"shuffle", shuffle, 8, 1000},
        {"shuffle64", shuffle64, 32, 500},
        {"atomic_add", atomic_add, 8, 200},
        {"atomic_apart", atomic_apart, 8, 200},
        {"divergent", divergent, 19, 500},
    };
    float *out;
    CHECK(cudaMalloc(&out, THREADS * 33 * sizeof *out));
    CHECK(cudaMemset(out, 0, THREADS * 33 * sizeof *out));
    for (const auto &k : kernels) {
        double times[RUNS];
        k.kernel<<<BLOCKS, THREADS>>>(out, 1); // decodes it
        CHECK(cudaDeviceSynchronize());
        for (double &time : times) {
            const double begun = seconds();
            k.kernel<<<BLOCKS, THREADS>>>(out, k.iterations);
            CHECK(cudaDeviceSynchronize());
            time = seconds() - begun;
        }
        for (int i = 1; i < RUNS; i++)
            for (int j = i; j > 0 && times[j] < times[j - 1]; j--) {
                const double t = times[j];
                times[j] = times[j - 1];
                times[j - 1] = t;
            }
        printf("%s %.2f\n", k.name, 1e9 * times[RUNS / 2] / ((double)WARPS * k.iterations * (k.body + LOOP)));
    }
    CHECK(cudaFree(out));
    return 0;
}
