/* long: a table of cases */
/* Conformance cases of mbarriers, bulk copies and copies by tensor maps: what lands where, in shared and in global memory.
 *
 * A tensor map can only be made on the host, and for an address that is known then: conformance_async_prepare() makes
 * those of the table below for one variable, into which each kernel copies its input first.
 */
#include "kernel.cuh"

#include <cstdio>
#include <cstring>

#include <cuda.h>
#include <cuda_runtime.h>


#define THREADS      64
#define TENSOR_WORDS 4096 /* of the tensor, and of the shared memory that is compared */

static __device__ __align__(1024) uint32_t tensor[TENSOR_WORDS];

static __device__ __forceinline__ uint32_t address_of(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* A copy that never ends traps, rather than keeping all other cases from being run. */
static __device__ __forceinline__ void wait(uint64_t *bar, uint32_t parity) {
    uint32_t done, tries = 0;
    do {
        if (++tries == 1 << 16) __trap();
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(address_of(bar)), "r"(parity)
                     : "memory");
    } while (!done);
}

static __device__ __forceinline__ void init(uint64_t *bar, uint32_t count) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(bar)), "r"(count) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

static __device__ __forceinline__ void expect(uint64_t *bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(bar)), "r"(bytes) : "memory");
}

/* ---- mbarriers ---- */

/* Bits of what a sequence of operations answers; every thread's word the same. */
static __device__ __forceinline__ uint32_t ended(uint64_t *bar, uint32_t parity) {
    uint32_t done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(address_of(bar)), "r"(parity)
                 : "memory");
    return done;
}

#define BITS(x) (bits = bits << 1 | (x))
#define ON(op, ...) asm volatile("mbarrier." op ";" ::"r"(address_of(&bar)), ##__VA_ARGS__ : "memory")

KERNEL(mbarrier_phases) {
    __shared__ uint64_t bar;
    uint32_t bits = 1;
    init(&bar, 3);
    if (threadIdx.x == 0) {
        BITS(ended(&bar, 0)), BITS(ended(&bar, 1));
        ON("arrive.shared::cta.b64 _, [%0]");
        ON("arrive.release.cta.shared::cta.b64 _, [%0], 1");
        BITS(ended(&bar, 0)), BITS(ended(&bar, 1));
        ON("arrive.b64 _, [%1]", "l"(&bar));
        BITS(ended(&bar, 0)), BITS(ended(&bar, 1));
        ON("arrive_drop.shared::cta.b64 _, [%0]");
        ON("arrive.shared::cta.b64 _, [%0], 2");
        BITS(ended(&bar, 0)), BITS(ended(&bar, 1));
        ON("arrive.shared::cta.b64 _, [%0], 2"); /* two are left */
        BITS(ended(&bar, 0)), BITS(ended(&bar, 1));
    }
    ((uint32_t *)d)[threadIdx.x] = bits;
}

KERNEL(mbarrier_bytes) {
    __shared__ uint64_t bar;
    uint32_t bits = 1;
    init(&bar, 1);
    if (threadIdx.x == 0) {
        ON("expect_tx.relaxed.cta.shared::cta.b64 [%0], 48");
        ON("arrive.shared::cta.b64 _, [%0]");
        BITS(ended(&bar, 0));
        ON("complete_tx.relaxed.cta.shared::cta.b64 [%0], 32");
        BITS(ended(&bar, 0));
        ON("complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 16");
        BITS(ended(&bar, 0));
        ON("complete_tx.shared::cta.b64 [%0], 64"); /* before it is expected */
        BITS(ended(&bar, 1));
        ON("arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], 64");
        BITS(ended(&bar, 1));
        ON("arrive.expect_tx.shared::cluster.b64 _, [%0], 0");
        BITS(ended(&bar, 0));
    }
    ((uint32_t *)d)[threadIdx.x] = bits;
}

/* States: pending_count, waiting for the phase of one, the current and the one before. */
KERNEL(mbarrier_states) {
    __shared__ uint64_t bar;
    uint32_t bits = 1, count;
    uint64_t first, second, third;
    init(&bar, 5);
    if (threadIdx.x == 0) {
        const uint32_t at = address_of(&bar);
        asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 2;" : "=l"(first) : "r"(at) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(first));
        bits = bits << 3 | count;
        asm volatile("mbarrier.arrive_drop.noComplete.shared::cta.b64 %0, [%1], 1;" : "=l"(second) : "r"(at) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(second));
        bits = bits << 3 | count;
#define STATE_ENDED(state)                                                                                             \
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"             \
                 : "=r"(count)                                                                                         \
                 : "r"(at), "l"(state)                                                                                 \
                 : "memory");                                                                                          \
    BITS(count)
        STATE_ENDED(first);
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 2;" : "=l"(third) : "r"(at) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(third));
        bits = bits << 3 | count;
        STATE_ENDED(first);
        STATE_ENDED(third);
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(second) : "r"(at) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(second));
        bits = bits << 3 | count; /* 4: one was dropped */
        STATE_ENDED(second);
    }
    ((uint32_t *)d)[threadIdx.x] = bits;
}

KERNEL(mbarrier_inval) {
    __shared__ uint64_t bar;
    init(&bar, 5);
    if (threadIdx.x == 0) {
        ON("inval.shared::cta.b64 [%0]");
        *(volatile uint64_t *)&bar = 0x123456789abcdefull;
        ((uint32_t *)d)[64] = (uint32_t)(*(volatile uint64_t *)&bar >> 32);
    }
    init(&bar, 64);
    ON("arrive.shared::cta.b64 _, [%0]");
    wait(&bar, 0);
    ((uint32_t *)d)[threadIdx.x] = 7;
}

KERNEL(cp_async_arrive) {
    __shared__ uint64_t bar, other;
    __shared__ uint32_t words[THREADS];
    const int t = threadIdx.x;
    init(&other, THREADS);
    init(&bar, THREADS);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(&words[t])), "l"((const uint32_t *)a + t) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address_of(&bar)) : "memory");
    wait(&bar, 0);
    uint32_t sum = words[t ^ 33];
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(&words[t])), "l"((const uint32_t *)a + 64 + t) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(address_of(&other)) : "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address_of(&other)) : "memory");
    wait(&other, 0);
    ((uint32_t *)d)[t] = sum * 3 + words[t ^ 33];
}

/* ---- bulk copies ---- */

struct __align__(1024) buffer {
    uint32_t words[TENSOR_WORDS];
};

static __device__ __forceinline__ void fill(buffer *to, uint32_t value) {
    for (int i = threadIdx.x; i < TENSOR_WORDS; i += THREADS) to->words[i] = value;
}

static __device__ __forceinline__ void dump(void *d, const uint32_t *from) {
    __syncthreads();
    for (int i = threadIdx.x; i < TENSOR_WORDS; i += THREADS) ((uint32_t *)d)[i] = from[i];
}

/* The input becomes the tensor, seen by both proxies. */
static __device__ __forceinline__ void set_tensor(const void *a) {
    for (int i = threadIdx.x; i < TENSOR_WORDS; i += THREADS) tensor[i] = ((const uint32_t *)a)[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

extern __shared__ __align__(1024) uint8_t dynamic[];

KERNEL(bulk_load) {
    __shared__ uint64_t bar;
    buffer *to = (buffer *)dynamic;
    fill(to, 0x55555555);
    init(&bar, 1);
    if (threadIdx.x == 0) {
        const uint32_t at = address_of(to), b = address_of(&bar);
        expect(&bar, 16 + 4096 + 48);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(at + 16),
                     "l"(a), "r"(b) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(at + 1024),
                     "l"((const char *)a + 64), "r"(b) : "memory");
        asm volatile("{ .reg .b64 p; createpolicy.fractional.L2::evict_last.b64 p, 1.0;\n"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], 48, [%2], p; }" ::"r"(at + 8192),
                     "l"((const char *)a + 8000), "r"(b) : "memory");
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 1024;" ::"l"(a) : "memory");
    }
    wait(&bar, 0);
    dump(d, to->words);
}

KERNEL(bulk_store) {
    buffer *from = (buffer *)dynamic;
    for (int i = threadIdx.x; i < TENSOR_WORDS; i += THREADS) from->words[i] = ((const uint32_t *)a)[i];
    for (int i = threadIdx.x; i < TENSOR_WORDS; i += THREADS) ((uint32_t *)d)[i] = 0x55555555;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" ::"l"((char *)d + 64), "r"(address_of(from)) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"((char *)d + 8192), "r"(address_of(from) + 16) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/* Reductions into memory: the second half of the input with the first. */
#define BULK_REDUCE(id, op)                                                                                            \
    KERNEL(id) {                                                                                                       \
        buffer *from = (buffer *)dynamic;                                                                              \
        for (int i = threadIdx.x; i < 512; i += THREADS) from->words[i] = ((const uint32_t *)a)[i];                    \
        for (int i = threadIdx.x; i < 512; i += THREADS) ((uint32_t *)d)[i] = ((const uint32_t *)b)[i];                \
        asm volatile("fence.proxy.async;" ::: "memory");                                                               \
        __syncthreads();                                                                                               \
        if (threadIdx.x == 0) {                                                                                        \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." op " [%0], [%1], 2048;" ::"l"(d),       \
                         "r"(address_of(from))                                                                         \
                         : "memory");                                                                                  \
            asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");                     \
        }                                                                                                              \
    }
#define BULK_REDUCES(X)                                                                                                \
    X(add_u32, "add.u32", V_U32, 512)                                                                                  \
    X(add_s32, "add.s32", V_S32, 512)                                                                                  \
    X(add_u64, "add.u64", V_U64, 256)                                                                                  \
    X(add_f32, "add.f32", V_F32, 512)                                                                                  \
    X(add_f64, "add.f64", V_F64, 256)                                                                                  \
    X(add_f16, "add.noftz.f16", V_F16, 1024)                                                                           \
    X(add_bf16, "add.noftz.bf16", V_BF16, 1024)                                                                        \
    X(min_u32, "min.u32", V_U32, 512)                                                                                  \
    X(max_u32, "max.u32", V_U32, 512)                                                                                  \
    X(min_s32, "min.s32", V_S32, 512)                                                                                  \
    X(max_s32, "max.s32", V_S32, 512)                                                                                  \
    X(min_u64, "min.u64", V_U64, 256)                                                                                  \
    X(max_s64, "max.s64", V_S64, 256)                                                                                  \
    X(min_f16, "min.f16", V_F16, 1024)                                                                                 \
    X(max_f16, "max.f16", V_F16, 1024)                                                                                 \
    X(min_bf16, "min.bf16", V_BF16, 1024)                                                                              \
    X(max_bf16, "max.bf16", V_BF16, 1024)                                                                              \
    X(inc_u32, "inc.u32", V_U32, 512)                                                                                  \
    X(dec_u32, "dec.u32", V_U32, 512)                                                                                  \
    X(and_b32, "and.b32", V_U32, 512)                                                                                  \
    X(or_b32, "or.b32", V_U32, 512)                                                                                    \
    X(xor_b64, "xor.b64", V_U64, 256)
#define BULK_REDUCE_KERNEL(id, op, type, n) BULK_REDUCE(bulk_reduce_##id, op)
BULK_REDUCES(BULK_REDUCE_KERNEL)
#define BULK_REDUCE_CASE(id, op, type, n)                                                                              \
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group." op, bulk_reduce_##id, type, type, V_NONE, type, n, 1, THREADS, 16384, 0},

/* ---- tensor maps ---- */

/* X(id, dimensions, coordinates, CUtensorMapDataType, {dims}, {strides}, {box}, {steps}, swizzle, fill): rows in, over
 * and outside of the tensor's edges, pitches, steps, every swizzle. The innermost coordinate is a multiple of 16 bytes:
 * any other ends a kernel with an illegal instruction. */
#define L(...) __VA_ARGS__
#define TENSORS(X)                                                                                                     \
    X(d1, "1d", "{4}", UINT32, L({40}), L({0}), L({32}), L({1}), NONE, NONE)                                           \
    X(d1_edge, "1d", "{-8}", UINT16, L({100}), L({0}), L({128}), L({1}), NONE, NONE)                                   \
    X(d2, "2d", "{16, 1}", UINT8, L({77, 9}), L({80}), L({64, 8}), L({1, 1}), NONE, NONE)                              \
    X(d2_32, "2d", "{0, 0}", FLOAT32, L({8, 40}), L({48}), L({8, 32}), L({1, 1}), 32B, NONE)                           \
    X(d2_64, "2d", "{0, 3}", FLOAT16, L({32, 40}), L({64}), L({32, 32}), L({1, 1}), 64B, NONE)                         \
    X(d2_128, "2d", "{-8, 1}", BFLOAT16, L({64, 40}), L({144}), L({64, 32}), L({1, 1}), 128B, NONE)                    \
    X(d2_128_f32, "2d", "{16, -2}", FLOAT32, L({40, 30}), L({160}), L({32, 64}), L({1, 1}), 128B, NONE)                \
    X(d2_128_u8, "2d", "{0, 0}", UINT8, L({128, 64}), L({128}), L({128, 64}), L({1, 1}), 128B, NONE)                   \
    X(d2_64_s64, "2d", "{2, 0}", INT64, L({8, 64}), L({64}), L({8, 64}), L({1, 1}), 64B, NONE)                         \
    X(d2_nan_f16, "2d", "{-8, -1}", FLOAT16, L({32, 20}), L({64}), L({32, 32}), L({1, 1}), NONE, NAN_REQUEST_ZERO_FMA) \
    X(d2_nan_bf16, "2d", "{-8, -1}", BFLOAT16, L({32, 20}), L({64}), L({32, 32}), L({1, 1}), NONE, NAN_REQUEST_ZERO_FMA) \
    X(d2_nan_f32, "2d", "{-4, -1}", FLOAT32, L({16, 20}), L({64}), L({16, 32}), L({1, 1}), NONE, NAN_REQUEST_ZERO_FMA) \
    X(d2_nan_f64, "2d", "{-4, -1}", FLOAT64, L({8, 20}), L({64}), L({8, 32}), L({1, 1}), NONE, NAN_REQUEST_ZERO_FMA)   \
    X(d2_steps, "2d", "{0, -1}", UINT32, L({16, 60}), L({64}), L({8, 40}), L({1, 3}), NONE, NONE)                      \
    X(d2_outside, "2d", "{100, 0}", UINT32, L({16, 60}), L({64}), L({8, 16}), L({1, 1}), NONE, NONE)                   \
    X(d3, "3d", "{4, -1, 2}", UINT32, L({10, 6, 5}), L({48, 320}), L({8, 4, 3}), L({1, 1, 1}), NONE, NONE)             \
    X(d3_128, "3d", "{0, 1, -1}", FLOAT16, L({64, 6, 5}), L({128, 896}), L({64, 5, 3}), L({1, 1, 1}), 128B, NONE)      \
    X(d3_steps, "3d", "{0, 1, 0}", UINT16, L({16, 12, 9}), L({32, 384}), L({16, 8, 8}), L({1, 2, 3}), 32B, NONE)       \
    X(d4, "4d", "{4, 0, 1, -1}", UINT32, L({8, 4, 3, 3}), L({32, 160, 480}), L({8, 3, 2, 3}), L({1, 1, 1, 1}), 32B, NONE) \
    X(d5, "5d", "{-4, 1, 0, 1, 0}", UINT32, L({9, 3, 3, 3, 2}), L({48, 144, 432, 1296}), L({16, 2, 2, 3, 2}),          \
      L({1, 1, 1, 1, 1}), 64B, NONE)                                                                                   \
    EDGES(X) NARROWS(X) FORMATS(X)

/* The tensor's inner extent is no multiple of 16 bytes, the rows' pitch has room behind it: what a store writes there. */
#define EDGES(X)                                                                                                       \
    X(edge_u8, "2d", "{0, 0}", UINT8, L({21, 9}), L({48}), L({32, 8}), L({1, 1}), NONE, NONE)                          \
    X(edge_u8_left, "2d", "{-16, 2}", UINT8, L({21, 9}), L({48}), L({48, 8}), L({1, 1}), NONE, NONE)                   \
    X(edge_u8_last, "2d", "{16, 0}", UINT8, L({21, 9}), L({48}), L({16, 8}), L({1, 1}), NONE, NONE)                    \
    X(edge_u8_past, "2d", "{32, 0}", UINT8, L({21, 9}), L({48}), L({16, 8}), L({1, 1}), NONE, NONE)                    \
    X(edge_u16_left, "2d", "{-8, 1}", UINT16, L({13, 9}), L({48}), L({24, 8}), L({1, 1}), NONE, NONE)                  \
    X(edge_f16, "2d", "{8, 0}", FLOAT16, L({13, 9}), L({48}), L({16, 8}), L({1, 1}), NONE, NONE)                       \
    X(edge_f16_128, "2d", "{0, 0}", FLOAT16, L({37, 9}), L({112}), L({64, 8}), L({1, 1}), 128B, NONE)                  \
    X(edge_bf16_64, "2d", "{-8, -1}", BFLOAT16, L({21, 9}), L({80}), L({32, 8}), L({1, 1}), 64B, NONE)                 \
    X(edge_u32, "2d", "{0, 0}", UINT32, L({6, 9}), L({48}), L({8, 8}), L({1, 1}), NONE, NONE)                          \
    X(edge_u32_past, "2d", "{4, 0}", UINT32, L({6, 9}), L({48}), L({8, 8}), L({1, 1}), NONE, NONE)                     \
    X(edge_f32_32, "2d", "{-4, 0}", FLOAT32, L({3, 9}), L({48}), L({8, 8}), L({1, 1}), 32B, NONE)                      \
    X(edge_s64, "2d", "{0, 0}", INT64, L({3, 9}), L({48}), L({4, 8}), L({1, 1}), NONE, NONE)                           \
    X(edge_s64_left, "2d", "{-2, 0}", INT64, L({1, 9}), L({32}), L({4, 8}), L({1, 1}), NONE, NONE)                     \
    X(edge_d3, "3d", "{-8, 1, 0}", UINT16, L({9, 3, 4}), L({48, 160}), L({24, 3, 3}), L({1, 1, 1}), NONE, NONE)

/* A box whose row is shorter than the swizzle's. */
#define NARROWS(X)                                                                                                     \
    X(narrow_128_64, "2d", "{16, 1}", UINT32, L({40, 20}), L({160}), L({16, 16}), L({1, 1}), 128B, NONE)               \
    X(narrow_128_32, "2d", "{8, 1}", UINT32, L({40, 20}), L({160}), L({8, 16}), L({1, 1}), 128B, NONE)                 \
    X(narrow_128_16, "2d", "{-4, 1}", UINT32, L({40, 20}), L({160}), L({4, 16}), L({1, 1}), 128B, NONE)                \
    X(narrow_64_32, "2d", "{32, 5}", FLOAT16, L({40, 20}), L({160}), L({16, 16}), L({1, 1}), 64B, NONE)                \
    X(narrow_64_16, "2d", "{8, 1}", FLOAT16, L({40, 20}), L({160}), L({8, 16}), L({1, 1}), 64B, NONE)                  \
    X(narrow_32_16, "2d", "{16, 1}", UINT8, L({40, 20}), L({160}), L({16, 16}), L({1, 1}), 32B, NONE)                  \
    X(narrow_d3, "3d", "{8, 1, -1}", FLOAT16, L({40, 5, 5}), L({160, 800}), L({16, 3, 4}), L({1, 1, 1}), 128B, NONE)   \
    X(narrow_128_48, "2d", "{8, 1}", UINT32, L({40, 20}), L({160}), L({12, 16}), L({1, 1}), 128B, NONE)                \
    X(narrow_64_48, "2d", "{8, 1}", UINT32, L({40, 20}), L({160}), L({12, 16}), L({1, 1}), 64B, NONE)                  \
    X(narrow_128_112, "2d", "{8, 1}", UINT32, L({40, 20}), L({160}), L({28, 16}), L({1, 1}), 128B, NONE)

/* Formats that are converted on their way. */
#define FORMATS(X)                                                                                                     \
    X(ftz, "2d", "{0, 0}", FLOAT32_FTZ, L({64, 64}), L({256}), L({64, 64}), L({1, 1}), NONE, NONE)                     \
    X(tf32, "2d", "{0, 0}", TFLOAT32, L({64, 64}), L({256}), L({64, 64}), L({1, 1}), NONE, NONE)                       \
    X(tf32_ftz, "2d", "{0, 0}", TFLOAT32_FTZ, L({64, 64}), L({256}), L({64, 64}), L({1, 1}), NONE, NONE)               \
    X(tf32_nan, "2d", "{-4, -1}", TFLOAT32, L({30, 21}), L({128}), L({32, 32}), L({1, 1}), NONE, NAN_REQUEST_ZERO_FMA) \
    X(tf32_ftz_nan, "2d", "{-4, -1}", TFLOAT32_FTZ, L({30, 21}), L({128}), L({32, 32}), L({1, 1}), NONE, NAN_REQUEST_ZERO_FMA) \
    X(ftz_nan, "2d", "{-4, -1}", FLOAT32_FTZ, L({30, 21}), L({128}), L({32, 32}), L({1, 1}), 128B, NAN_REQUEST_ZERO_FMA)

/* X(id, dimensions, coordinates, offsets, CUtensorMapDataType, {dims}, {strides}, {lower corner}, {upper corner}, channels,
 * pixels, {steps}, swizzle, fill). The corners tell W from H; what a box ends with, where it ends and where the next row
 * and the next image begin shows with every one. The base of the filter lies within the box: the ISA asks for it. */
#define IM2COLS(X)                                                                                                     \
    X(i4, "4d", "{0, -1, -1, 0}", "{0, 0}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-1, -1}), 8, 64, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_tap, "4d", "{0, -1, -1, 0}", "{1, 2}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-1, -1}), 8, 64, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_middle, "4d", "{0, 3, 2, 1}", "{2, 1}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-1, -1}), 8, 48, L({1, 1, 1, 1}), 32B, NONE) \
    X(i4_past, "4d", "{0, 2, 3, 3}", "{1, 1}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-1, -1}), 8, 64, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_behind, "4d", "{0, -1, -1, 4}", "{1, 1}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-1, -1}), 8, 16, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_before, "4d", "{0, 3, 3, -1}", "{1, 1}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-1, -1}), 8, 16, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_corners, "4d", "{0, -2, -1, 0}", "{1, 3}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-2, -1}), L({0, -3}), 8, 64, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_wide, "4d", "{0, -3, -2, 1}", "{0, 0}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-3, -2}), L({3, 2}), 8, 128, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_inside, "4d", "{0, 1, 2, 0}", "{0, 0}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({1, 2}), L({0, -1}), 8, 32, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_one, "4d", "{0, -1, -1, 0}", "{1, 1}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-6, -5}), 8, 8, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_far, "4d", "{0, 0, 0, 0}", "{255, 0}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({0, 0}), L({0, 0}), 8, 32, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_dilated, "4d", "{0, 1, -2, 0}", "{4, 2}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-2, -2}), L({-2, -2}), 8, 64, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_left, "4d", "{-4, 0, 0, 0}", "{0, 1}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({0, 0}), L({0, -2}), 8, 32, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_right, "4d", "{4, 0, 0, 0}", "{0, 1}", UINT32, L({7, 6, 5, 4}), L({32, 192, 960}), L({0, 0}), L({0, -2}), 8, 32, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_stride, "4d", "{0, -1, -1, 0}", "{1, 1}", FLOAT16, L({32, 9, 7, 3}), L({64, 576, 4032}), L({-1, -1}), L({-1, -1}), 32, 64, L({1, 2, 2, 1}), 64B, NONE) \
    X(i4_stride_even, "4d", "{0, 1, -1, 0}", "{2, 0}", FLOAT16, L({32, 8, 6, 3}), L({64, 512, 3072}), L({-1, -1}), L({-1, -1}), 32, 64, L({1, 2, 2, 1}), 64B, NONE) \
    X(i4_stride_off, "4d", "{0, 0, 2, 0}", "{1, 0}", FLOAT16, L({32, 9, 7, 3}), L({64, 576, 4032}), L({-1, 0}), L({-1, 0}), 32, 64, L({1, 3, 2, 1}), NONE, NONE) \
    X(i4_stride_n, "4d", "{0, 3, 2, 0}", "{1, 1}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-1, -1}), 8, 64, L({1, 1, 1, 2}), NONE, NONE) \
    X(i4_stride_c, "4d", "{0, 3, 2, 0}", "{1, 1}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-1, -1}), 8, 64, L({2, 1, 1, 1}), NONE, NONE) \
    X(i4_nan, "4d", "{-8, -1, 3, 2}", "{1, 1}", FLOAT16, L({24, 6, 5, 4}), L({48, 288, 1440}), L({-1, -1}), L({-1, -1}), 32, 32, L({1, 1, 1, 1}), NONE, NAN_REQUEST_ZERO_FMA) \
    X(i4_tf32, "4d", "{0, -1, -1, 0}", "{1, 1}", TFLOAT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({-1, -1}), L({-1, -1}), 8, 64, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_128, "4d", "{0, 2, 1, 0}", "{0, 2}", BFLOAT16, L({64, 5, 4, 3}), L({128, 640, 2560}), L({-1, -1}), L({-1, -1}), 64, 64, L({1, 1, 1, 1}), 128B, NONE) \
    X(i4_narrow, "4d", "{8, 2, 1, 0}", "{0, 2}", FLOAT16, L({64, 5, 4, 3}), L({128, 640, 2560}), L({-1, -1}), L({-1, -1}), 32, 64, L({1, 1, 1, 1}), 128B, NONE) \
    X(i4_many, "4d", "{0, 7, 3, 0}", "{0, 0}", UINT32, L({4, 10, 9, 5}), L({16, 160, 1440}), L({0, 0}), L({0, 0}), 4, 500, L({1, 1, 1, 1}), NONE, NONE) \
    X(i4_channels, "4d", "{0, 1, 0, 0}", "{0, 1}", UINT8, L({256, 4, 3, 2}), L({256, 1024, 3072}), L({-1, -1}), L({-1, -1}), 256, 24, L({1, 1, 1, 1}), NONE, NONE) \
    X(i3, "3d", "{0, -2, 1}", "{3}", UINT32, L({8, 20, 6}), L({32, 640}), L({-2}), L({-2}), 8, 50, L({1, 1, 1}), 32B, NONE) \
    X(i3_stride, "3d", "{0, 4, 0}", "{5}", INT64, L({4, 20, 6}), L({48, 960}), L({-2}), L({-5}), 4, 60, L({1, 3, 1}), NONE, NONE) \
    X(i5, "5d", "{0, -1, 0, -1, 0}", "{1, 0, 2}", UINT32, L({8, 4, 3, 3, 2}), L({32, 128, 384, 1152}), L({-1, -1, -1}), L({-1, -1, -1}), 8, 80, L({1, 1, 1, 1, 1}), NONE, NONE) \
    X(i5_stride, "5d", "{0, 1, -1, 0, 0}", "{1, 2, 0}", UINT32, L({8, 4, 5, 3, 3}), L({32, 128, 640, 1920}), L({-1, -1, 0}), L({0, -1, -1}), 8, 60, L({1, 2, 1, 2, 1}), 32B, NONE) \
    COLUMNS(X)

/* Those that can be stored by, too: no part of the box is outside of the tensor. */
#define COLUMNS(X)                                                                                                     \
    X(s4, "4d", "{0, 3, 2, 1}", "{0, 0}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({0, 0}), L({0, 0}), 8, 48, L({1, 1, 1, 1}), NONE, NONE) \
    X(s4_inside, "4d", "{0, 1, 1, 0}", "{2, 1}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({1, 0}), L({-2, -1}), 8, 48, L({1, 1, 1, 1}), 32B, NONE) \
    X(s4_past, "4d", "{0, 2, 4, 3}", "{0, 0}", UINT32, L({8, 6, 5, 4}), L({32, 192, 960}), L({0, 0}), L({0, 0}), 8, 48, L({1, 1, 1, 1}), NONE, NONE) \
    X(s4_stride, "4d", "{0, 2, 1, 0}", "{0, 0}", FLOAT16, L({32, 9, 7, 3}), L({64, 576, 4032}), L({0, 1}), L({-1, 0}), 32, 40, L({1, 2, 3, 1}), 64B, NONE) \
    X(s4_edge, "4d", "{0, 0, 0, 0}", "{0, 0}", FLOAT16, L({13, 6, 5, 4}), L({48, 288, 1440}), L({0, 0}), L({0, 0}), 16, 64, L({1, 1, 1, 1}), NONE, NONE) \
    X(s3, "3d", "{4, 5, 2}", "{0}", UINT32, L({8, 20, 6}), L({32, 640}), L({0}), L({-3}), 8, 50, L({1, 1, 1}), NONE, NONE) \
    X(s5, "5d", "{0, 1, 2, 0, 1}", "{0, 0, 0}", UINT32, L({8, 4, 5, 3, 3}), L({32, 128, 640, 1920}), L({0, 0, 0}), L({-1, 0, 0}), 8, 60, L({1, 1, 1, 1, 1}), 32B, NONE)

#define TENSOR_ID(id, ...) map_##id,
enum { TENSORS(TENSOR_ID) COLUMN_MAPS, ONE_BACK = COLUMN_MAPS - 1, IM2COLS(TENSOR_ID) MAPS };

static __device__ __align__(64) CUtensorMap maps[MAPS];
static __device__ uint32_t map_bytes[MAPS]; /* that a copy moves; 0: the driver has refused the map, as map_refused says */
static __device__ uint32_t map_refused[MAPS];

/* {coordinates} and {offsets} are constants in PTX. */
#define TENSOR_LOAD_KERNEL(name, id, dim, mode, at, offsets, offset)                                                   \
    KERNEL(name) {                                                                                                     \
        __shared__ uint64_t bar;                                                                                       \
        buffer *to = (buffer *)dynamic;                                                                                \
        fill(to, map_bytes[map_##id] > 0 ? 0x55555555 : map_refused[map_##id]);                                        \
        if (map_bytes[map_##id] == 0) {                                                                                \
            dump(d, to->words);                                                                                        \
            return;                                                                                                    \
        }                                                                                                              \
        set_tensor(a);                                                                                                 \
        init(&bar, 1);                                                                                                 \
        if (threadIdx.x == 0) {                                                                                        \
            expect(&bar, map_bytes[map_##id]);                                                                         \
            asm volatile("cp.async.bulk.tensor." dim                                                                   \
                         ".shared::cluster.global" mode ".mbarrier::complete_tx::bytes [%0], [%1, " at "], [%2]"       \
                         offsets ";" ::"r"(address_of(to) + offset),                                                   \
                         "l"(&maps[map_##id]), "r"(address_of(&bar))                                                   \
                         : "memory");                                                                                  \
        }                                                                                                              \
        wait(&bar, 0);                                                                                                 \
        dump(d, to->words);                                                                                            \
    }
#define TENSOR_LOAD(id, dim, at, ...) TENSOR_LOAD_KERNEL(load_##id, id, dim, ".tile", at, "", 0)
TENSORS(TENSOR_LOAD)
#define COLUMN_LOAD(id, dim, at, offsets, ...) TENSOR_LOAD_KERNEL(load_##id, id, dim, ".im2col", at, ", " offsets, 0)
IM2COLS(COLUMN_LOAD)

/* Stores and reductions: an H200 ends a kernel with an illegal instruction where a coordinate is negative. */
#define STORES(X)                                                                                                      \
    X(d1, "1d", "{4}") X(d2, "2d", "{16, 1}") X(d2_32, "2d", "{0, 0}") X(d2_64, "2d", "{0, 3}")                        \
    X(d2_128_u8, "2d", "{0, 0}") X(d2_64_s64, "2d", "{2, 0}") X(d2_outside, "2d", "{100, 0}")                          \
    X(d3_steps, "3d", "{0, 1, 0}") X(edge_u8, "2d", "{0, 0}") X(edge_u8_last, "2d", "{16, 0}")                         \
    X(edge_u8_past, "2d", "{32, 0}") X(edge_f16, "2d", "{8, 0}") X(edge_f16_128, "2d", "{0, 0}")                       \
    X(edge_u32, "2d", "{0, 0}") X(edge_u32_past, "2d", "{4, 0}") X(edge_s64, "2d", "{0, 0}")

#define TENSOR_STORE_KERNEL(name, id, dim, at, cp, op, mode, offset)                                                   \
    KERNEL(name) {                                                                                                     \
        buffer *from = (buffer *)dynamic;                                                                              \
        for (int i = threadIdx.x; i < TENSOR_WORDS; i += THREADS) from->words[i] = ((const uint32_t *)b)[i];           \
        set_tensor(a);                                                                                                 \
        if (threadIdx.x == 0) {                                                                                        \
            asm volatile(cp ".bulk.tensor." dim ".global.shared::cta" op mode ".bulk_group [%0, " at "], [%1];" ::"l"( \
                             &maps[map_##id]),                                                                         \
                         "r"(address_of(from) + offset)                                                                \
                         : "memory");                                                                                  \
            asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");                     \
            asm volatile("fence.proxy.async;" ::: "memory");                                                           \
        }                                                                                                              \
        dump(d, tensor);                                                                                               \
    }
#define TENSOR_STORE(id, dim, at, ...) TENSOR_STORE_KERNEL(store_##id, id, dim, at, "cp.async", "", ".tile", 0)
STORES(TENSOR_STORE)
#define COLUMN_STORE(id, dim, at, ...)                                                                                 \
    TENSOR_STORE_KERNEL(store_##id, id, dim, at, "cp.async", "", ".im2col_no_offs", 0)
COLUMNS(COLUMN_STORE)

/* X(name of the case, map, dimensions, coordinates, operation) */
#define TENSOR_REDUCES(X)                                                                                              \
    X(add_f32, d2_128_f32, "2d", "{4, 2}", ".add")                                                                     \
    X(add_f16, d2_64, "2d", "{8, 2}", ".add")                                                                          \
    X(min_bf16, d2_128, "2d", "{8, 2}", ".min")                                                                        \
    X(max_s64, d2_64_s64, "2d", "{2, 2}", ".max")                                                                      \
    X(inc, d3, "3d", "{4, 1, 1}", ".inc")                                                                              \
    X(dec, d3, "3d", "{4, 1, 1}", ".dec")                                                                              \
    X(and, d3, "3d", "{4, 1, 1}", ".and")                                                                              \
    X(or, d3, "3d", "{4, 1, 1}", ".or")                                                                                \
    X(xor, d3, "3d", "{4, 1, 1}", ".xor")                                                                              \
    X(add_edge_u32, edge_u32, "2d", "{0, 0}", ".add")                                                                  \
    X(xor_edge_u32_past, edge_u32_past, "2d", "{4, 0}", ".xor")                                                        \
    X(add_edge_f16, edge_f16, "2d", "{8, 0}", ".add")                                                                  \
    X(min_edge_s64, edge_s64, "2d", "{0, 0}", ".min")                                                                  \
    X(add_ftz, ftz, "2d", "{0, 0}", ".add")                                                                            \
    X(add_tf32, tf32, "2d", "{0, 0}", ".add")                                                                          \
    X(add_tf32_ftz, tf32_ftz, "2d", "{0, 0}", ".add")
#define TENSOR_REDUCE(name, id, dim, at, op) TENSOR_STORE_KERNEL(tensor_reduce_##name, id, dim, at, "cp.reduce.async", op, ".tile", 0)
TENSOR_REDUCES(TENSOR_REDUCE)

/* X(name of the case, map, dimensions, coordinates, operation) */
#define COLUMN_REDUCES(X)                                                                                              \
    X(im2col_add, s4, "4d", "{0, 3, 2, 1}", ".add")                                                                        \
    X(im2col_xor, s4_inside, "4d", "{0, 1, 1, 0}", ".xor")                                                                 \
    X(im2col_max, s4_edge, "4d", "{0, 2, 3, 1}", ".max")
#define COLUMN_REDUCE(name, id, dim, at, op)                                                                           \
    TENSOR_STORE_KERNEL(tensor_reduce_##name, id, dim, at, "cp.reduce.async", op, ".im2col_no_offs", 0)
COLUMN_REDUCES(COLUMN_REDUCE)

/* Hints: nothing changes. */
KERNEL(prefetch_tensormap) {
    if (threadIdx.x == 0) asm volatile("prefetch.tensormap [%0];" ::"l"(&maps[map_d2]) : "memory");
    ((uint32_t *)d)[threadIdx.x] = threadIdx.x;
}

#define PREFETCH(id, dim, at)                                                                                          \
    if (threadIdx.x == 0) {                                                                                            \
        asm volatile("cp.async.bulk.prefetch.tensor." dim ".L2.global.tile [%0, " at "];" ::"l"(&maps[map_##id])       \
                     : "memory");                                                                                      \
        asm volatile("{ .reg .b64 p; createpolicy.fractional.L2::evict_last.b64 p, 1.0;\n"                             \
                     "cp.async.bulk.prefetch.tensor." dim ".L2.global.tile.L2::cache_hint [%0, " at "], p; }" ::"l"(   \
                         &maps[map_##id])                                                                              \
                     : "memory");                                                                                      \
    }
KERNEL(prefetch_tensor) {
    PREFETCH(d1, "1d", "{4}")
    PREFETCH(d2, "2d", "{16, 1}")
    PREFETCH(d3_128, "3d", "{0, 1, -1}")
    PREFETCH(d4, "4d", "{4, 0, 1, -1}")
    PREFETCH(d5, "5d", "{-4, 1, 0, 1, 0}")
    ((uint32_t *)d)[threadIdx.x] = threadIdx.x;
}
KERNEL(prefetch_im2col) {
    if (threadIdx.x == 0 && map_bytes[map_i4] > 0)
        asm volatile("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%0, {0, -1, -1, 0}], {1, 2};" ::"l"(&maps[map_i4])
                     : "memory");
    ((uint32_t *)d)[threadIdx.x] = threadIdx.x;
}

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

struct description {
    const char *id;
    CUtensorMapDataType type;
    cuuint64_t dims[5], strides[4];
    cuuint32_t box[5], steps[5];
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
};
#define DESCRIPTION(id, dim, at, type, dims, strides, box, steps, swizzle, fill)                                       \
    {#id, CU_TENSOR_MAP_DATA_TYPE_##type, dims, strides, box, steps, CU_TENSOR_MAP_SWIZZLE_##swizzle,                  \
     CU_TENSOR_MAP_FLOAT_OOB_FILL_##fill},
static const description descriptions[] = {TENSORS(DESCRIPTION)};

typedef CUresult (*encode_im2col)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                  const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t,
                                  const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                  CUtensorMapFloatOOBfill);

struct column {
    const char *id;
    CUtensorMapDataType type;
    cuuint64_t dims[5], strides[4];
    int lower[3], upper[3];
    cuuint32_t channels, pixels, steps[5];
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
};
#define COLUMN(id, dim, at, offsets, type, dims, strides, lower, upper, channels, pixels, steps, swizzle, fill)        \
    {#id, CU_TENSOR_MAP_DATA_TYPE_##type, dims, strides, lower, upper, channels, pixels, steps,                        \
     CU_TENSOR_MAP_SWIZZLE_##swizzle, CU_TENSOR_MAP_FLOAT_OOB_FILL_##fill},
static const column columns[] = {IM2COLS(COLUMN)};

static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
#define RANK(id, dim, ...) dim[0] - '0',
static const unsigned ranks[] = {TENSORS(RANK) IM2COLS(RANK)};

/* What cuTensorMapEncodeIm2col answers: to a good map, then to others. */
#define ANSWERS 64
static __device__ uint32_t answers[ANSWERS];
KERNEL(encode_answers) {
    ((uint32_t *)d)[threadIdx.x] = answers[threadIdx.x];
}

static CUresult encode(encode_im2col function, CUtensorMap *map, const column *c, unsigned rank, void *address) {
    return function(map, c->type, rank, address, c->dims, c->strides, c->lower, c->upper, c->channels, c->pixels, c->steps,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, c->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, c->fill);
}

static void ask(encode_im2col function, void *address, uint32_t *to) {
    const column good = {"", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, {64, 8, 8, 4, 2}, {128, 1024, 8192, 32768}, {-1, -1, -1},
                         {-1, -1, -1}, 64, 64, {1, 1, 1, 1, 1}, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
    CUtensorMap map;
    int n = 0;
#define ASK(rank, change)                                                                                              \
    do {                                                                                                               \
        column c = good;                                                                                               \
        change;                                                                                                        \
        to[n++] = 1000 + encode(function, &map, &c, rank, address);                                                    \
    } while (0)
    ASK(4, (void)0); ASK(3, (void)0); ASK(5, (void)0); ASK(2, (void)0); ASK(1, (void)0); ASK(6, (void)0);
    ASK(4, c.lower[0] = -128); ASK(4, c.lower[0] = -129); ASK(4, c.upper[1] = 127); ASK(4, c.upper[1] = 128);
    ASK(3, c.lower[0] = -32768); ASK(3, c.lower[0] = -32769); ASK(3, c.upper[0] = 32767); ASK(3, c.upper[0] = 32768);
    ASK(5, c.lower[2] = -16); ASK(5, c.lower[2] = -17); ASK(5, c.upper[1] = 15); ASK(5, c.upper[1] = 16);
    ASK(4, c.upper[0] = -8); ASK(4, c.upper[0] = -9); ASK(4, c.upper[0] = -10); /* one pixel, none, fewer */
    ASK(4, c.upper[1] = -8); ASK(4, c.upper[1] = -9); ASK(4, (c.lower[0] = 7, c.upper[0] = 0));
    ASK(4, (c.lower[0] = 8, c.upper[0] = 0)); ASK(4, (c.lower[0] = 8, c.upper[0] = 1));
    ASK(4, c.channels = 0); ASK(4, c.channels = 8); ASK(4, c.channels = 4); ASK(4, c.channels = 12);
    ASK(4, c.channels = 128); ASK(4, (c.channels = 256, c.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE));
    ASK(4, (c.channels = 264, c.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE)); ASK(4, c.swizzle = CU_TENSOR_MAP_SWIZZLE_64B);
    ASK(4, (c.channels = 256, c.pixels = 256, c.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE)); /* 128 KB */
    ASK(4, (c.channels = 256, c.pixels = 512, c.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE)); /* 256 KB */
    ASK(4, c.pixels = 0); ASK(4, c.pixels = 1); ASK(4, c.pixels = 1024); ASK(4, c.pixels = 1025);
    ASK(4, c.steps[1] = 8); ASK(4, c.steps[1] = 9); ASK(4, c.steps[2] = 0); ASK(4, c.steps[3] = 2);
    ASK(4, c.steps[0] = 0); ASK(4, c.steps[0] = 9); ASK(4, c.strides[0] = 120); ASK(4, c.dims[0] = 60);
}

extern "C" const char *conformance_async_prepare(void) {
    static char why[200];
    void *found = NULL, *address = NULL, *im2col = NULL;
    cudaDriverEntryPointQueryResult query;
    static __align__(64) CUtensorMap made[MAPS];
    uint32_t moved[MAPS], refused[MAPS] = {0}, asked[ANSWERS] = {0};
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &query);
    if (error == cudaSuccess)
        error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &im2col, 12000, cudaEnableDefault, &query);
    if (error == cudaSuccess) error = cudaGetSymbolAddress(&address, tensor);
    if (error != cudaSuccess || found == NULL || im2col == NULL) return "no functions for tensor maps";
    for (int k = 0; k < COLUMN_MAPS; k++) {
        const description *t = &descriptions[k];
        CUresult result = ((encode_tiled)found)(&made[k], t->type, ranks[k], address, t->dims, t->strides, t->box,
                                                t->steps, CU_TENSOR_MAP_INTERLEAVE_NONE, t->swizzle,
                                                CU_TENSOR_MAP_L2_PROMOTION_NONE, t->fill);
        if (result != CUDA_SUCCESS) {
            snprintf(why, sizeof why, "cuTensorMapEncodeTiled of %s: %d", t->id, (int)result);
            return why;
        }
        moved[k] = bytes[t->type];
        for (unsigned r = 0; r < ranks[k]; r++)
            moved[k] *= r == 0 ? t->box[0] : (t->box[r] + t->steps[r] - 1) / t->steps[r];
    }
    for (int k = COLUMN_MAPS; k < MAPS; k++) {
        const column *c = &columns[k - COLUMN_MAPS];
        refused[k] = encode((encode_im2col)im2col, &made[k], c, ranks[k], address);
        moved[k] = refused[k] == CUDA_SUCCESS ? bytes[c->type] * c->channels * c->pixels : 0;
    }
    ask((encode_im2col)im2col, address, asked);
    error = cudaMemcpyToSymbol(maps, made, sizeof made);
    if (error == cudaSuccess) error = cudaMemcpyToSymbol(map_bytes, moved, sizeof moved);
    if (error == cudaSuccess) error = cudaMemcpyToSymbol(map_refused, refused, sizeof refused);
    if (error == cudaSuccess) error = cudaMemcpyToSymbol(answers, asked, sizeof asked);
    return error == cudaSuccess ? NULL : cudaGetErrorName(error);
}

/* ---- the table ---- */

#define SIMPLE(name, id, a, n) {name, id, a, V_NONE, V_NONE, V_U32, n, 1, THREADS, 0, 0}
#define LARGE(name, id, b)     {name, id, V_U32, b, V_NONE, V_U32, TENSOR_WORDS, 1, THREADS, 4 * TENSOR_WORDS, 0}
#define FLOATS(name, id, b)    {name, id, V_F32, b, V_NONE, V_U32, TENSOR_WORDS, 1, THREADS, 4 * TENSOR_WORDS, 0}
#define LOAD_CASE(id, dim, at, ...)                                                                                    \
    LARGE("cp.async.bulk.tensor." dim ".shared::cluster.global/" #id, load_##id, V_NONE),
#define COLUMN_CASE(id, dim, at, ...)                                                                                  \
    LARGE("cp.async.bulk.tensor." dim ".shared::cluster.global.im2col/" #id, load_##id, V_NONE),
#define COLUMN_STORE_CASE(id, dim, at, ...)                                                                            \
    LARGE("cp.async.bulk.tensor." dim ".global.shared::cta.im2col_no_offs/" #id, store_##id, V_U32),
#define STORE_CASE(id, dim, at, ...) LARGE("cp.async.bulk.tensor." dim ".global.shared::cta/" #id, store_##id, V_U32),
#define REDUCE_CASE(name, ...) LARGE("cp.reduce.async.bulk.tensor/" #name, tensor_reduce_##name, V_U32),

static const conformance_case cases[] = {
    SIMPLE("mbarrier/phases", mbarrier_phases, V_NONE, THREADS),
    SIMPLE("mbarrier/bytes", mbarrier_bytes, V_NONE, THREADS),
    SIMPLE("mbarrier/states", mbarrier_states, V_NONE, THREADS),
    SIMPLE("mbarrier.inval", mbarrier_inval, V_NONE, THREADS + 1),
    SIMPLE("cp.async.mbarrier.arrive", cp_async_arrive, V_U32, 2 * THREADS),
    LARGE("cp.async.bulk.shared::cluster.global", bulk_load, V_NONE),
    LARGE("cp.async.bulk.global.shared::cta", bulk_store, V_NONE),
    BULK_REDUCES(BULK_REDUCE_CASE)
    TENSORS(LOAD_CASE)
    STORES(STORE_CASE)
    TENSOR_REDUCES(REDUCE_CASE)
    IM2COLS(COLUMN_CASE)
    COLUMNS(COLUMN_STORE_CASE)
    COLUMN_REDUCES(REDUCE_CASE)
    SIMPLE("cuTensorMapEncodeIm2col", encode_answers, V_NONE, ANSWERS),
    FLOATS("cp.reduce.async.bulk.tensor/floats add_f32", tensor_reduce_add_f32, V_F32),
    FLOATS("cp.reduce.async.bulk.tensor/floats add_ftz", tensor_reduce_add_ftz, V_F32),
    FLOATS("cp.reduce.async.bulk.tensor/floats add_tf32", tensor_reduce_add_tf32, V_F32),
    FLOATS("cp.reduce.async.bulk.tensor/floats add_tf32_ftz", tensor_reduce_add_tf32_ftz, V_F32),
    SIMPLE("prefetch.tensormap", prefetch_tensormap, V_NONE, THREADS),
    SIMPLE("cp.async.bulk.prefetch.tensor", prefetch_tensor, V_NONE, THREADS),
    SIMPLE("cp.async.bulk.prefetch.tensor/im2col", prefetch_im2col, V_NONE, THREADS),
};

extern "C" const conformance_table conformance_async = {"async", cases, (int)(sizeof(cases) / sizeof(cases[0]))};
