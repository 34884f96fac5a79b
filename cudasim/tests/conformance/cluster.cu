/* Conformance cases of clusters: their special registers, barrier.cluster, mapa and getctarank, and accesses to other
 * blocks' shared memory in every form. The kernels name their cluster's size themselves (__cluster_dims__), so that they
 * are launched like all others.
 */
#include "kernel.cuh"

#include <stdint.h>

#define CLUSTER(id, size)                                                                                              \
    static __global__ void __cluster_dims__(size, 1, 1) id(CASE_ARGUMENTS)

static __device__ __forceinline__ uint32_t rank_of_block() {
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

static __device__ __forceinline__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ uint32_t mapa(uint32_t address, uint32_t rank) {
    uint32_t r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
    return r;
}

static __device__ __forceinline__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

/* ---- special registers ---- */

#define SPECIAL_KERNEL(id, name)                                                                                       \
    CLUSTER(id, 4) {                                                                                                   \
        uint32_t v;                                                                                                    \
        asm volatile("mov.u32 %0, %%" name ";" : "=r"(v));                                                             \
        out_u32(d, blockIdx.x * blockDim.x + threadIdx.x, v);                                                          \
    }
#define SPECIALS(X)                                                                                                    \
    X(clusterid_x, "clusterid.x") X(clusterid_y, "clusterid.y") X(nclusterid_x, "nclusterid.x")                        \
    X(nclusterid_z, "nclusterid.z") X(cluster_ctaid_x, "cluster_ctaid.x") X(cluster_ctaid_z, "cluster_ctaid.z")        \
    X(cluster_nctaid_x, "cluster_nctaid.x") X(cluster_nctaid_y, "cluster_nctaid.y")                                    \
    X(cluster_ctarank, "cluster_ctarank") X(cluster_nctarank, "cluster_nctarank")
#define SPECIAL_CASE(id, name) {"mov.u32 %" name "/clusters of 4", id, V_NONE, V_NONE, V_NONE, V_U32, 12 * 33, 12, 33, 0, 0},

SPECIALS(SPECIAL_KERNEL)

#define EXPLICIT_KERNEL(id, size)                                                                                      \
    CLUSTER(id, size) {                                                                                                \
        uint32_t is;                                                                                                   \
        asm volatile("{ .reg .pred e; mov.pred e, %%is_explicit_cluster; selp.u32 %0, 1, 0, e; }" : "=r"(is));         \
        out_u32(d, blockIdx.x * blockDim.x + threadIdx.x, is);                                                         \
    }
EXPLICIT_KERNEL(explicit_of_2, 2)
EXPLICIT_KERNEL(explicit_of_1, 1)

/* ---- addresses ---- */

/* What is in an address of shared memory: of its own variable, mapped to its own rank, to another, and back. */
CLUSTER(address_bits, 4) {
    __shared__ uint32_t v[8];
    uint32_t own = shared_address(v), rank = rank_of_block(), other = (rank + 1) % 4;
    uint32_t *to = (uint32_t *)d + 12 * blockIdx.x;
    uint32_t there = mapa(own, other), r, by_name;
    to[0] = own >> 24;
    to[1] = mapa(own, rank) == own;
    to[2] = there >> 24;
    to[3] = (there - mapa(own, 0)) >> 24;
    to[4] = (there & 0xffffff) == (own & 0xffffff);
    to[5] = mapa(there, rank) == own;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r) : "r"(there));
    to[6] = r;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r) : "r"(own));
    to[7] = r;
    asm volatile("{ .shared .align 4 .b8 named[16]; mapa.shared::cluster.u32 %0, named + 4, %2; .reg .b32 x; "
                 "mov.u32 x, named; sub.u32 %0, %0, x; getctarank.shared::cluster.u32 %1, named; }"
                 : "=&r"(by_name), "=r"(r)
                 : "r"(rank));
    to[8] = by_name;
    to[9] = r;
    uint64_t wide;
    asm volatile("{ .reg .b64 x; cvt.u64.u32 x, %1; mapa.shared::cluster.u64 %0, x, %2; }"
                 : "=l"(wide)
                 : "r"(own), "r"(other));
    to[10] = wide == there;
    asm volatile("{ .reg .b64 x; cvt.u64.u32 x, %1; getctarank.shared::cluster.u64 %0, x; }" : "=r"(r) : "r"(there));
    to[11] = r;
}

/* The same for generic addresses, and which windows they are in. */
CLUSTER(generic_addresses, 4) {
    __shared__ uint32_t v[8];
    uint32_t rank = rank_of_block(), other = (rank + 3) % 4, r, bits = 0;
    uint64_t own = (uint64_t)v, there, back, by_cvta;
    uint32_t *to = (uint32_t *)d + 8 * blockIdx.x;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(other));
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(back) : "l"(there), "r"(rank));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(r) : "l"(there));
    to[0] = r;
    asm volatile("getctarank.u64 %0, %1;" : "=r"(r) : "l"(own));
    to[1] = r;
    to[2] = back == own;
    to[3] = (uint32_t)((there - own) >> 24);
    asm volatile("cvta.shared::cluster.u64 %0, %1;" : "=l"(by_cvta) : "l"((uint64_t)mapa(shared_address(v), other)));
    to[4] = by_cvta == there;
    asm volatile("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(by_cvta) : "l"(there));
    to[5] = by_cvta == mapa(shared_address(v), other);
#define IN_WINDOW(space, address, bit)                                                                                 \
    asm volatile("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(address));        \
    bits |= r << (bit)
    IN_WINDOW("shared::cta", own, 0);
    IN_WINDOW("shared::cluster", own, 1);
    IN_WINDOW("shared::cluster", there, 2);
    IN_WINDOW("global", there, 3);
    IN_WINDOW("local", there, 4);
    IN_WINDOW("shared::cluster", (uint64_t)d, 5);
    IN_WINDOW("shared::cta", (uint64_t)d, 6);
    to[6] = bits;
    IN_WINDOW("shared::cta", there, 0);
    to[7] = r;
}

/* An address, or a pointer, handed to the other blocks through memory. */
CLUSTER(address_given_away, 4) {
    __shared__ uint32_t v, addresses[4];
    __shared__ uint64_t pointers[4];
    uint32_t rank = rank_of_block(), x, y;
    if (threadIdx.x == 0) v = in_u32(a, blockIdx.x);
    sync_cluster();
    if (threadIdx.x < 4) {
        uint32_t to = mapa(shared_address(&addresses[rank]), threadIdx.x);
        uint32_t to_pointer = mapa(shared_address(&pointers[rank]), threadIdx.x);
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(shared_address(&v)) : "memory");
        asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(to_pointer), "l"((uint64_t)&v) : "memory");
    }
    sync_cluster();
    uint32_t from = addresses[threadIdx.x % 4];
    uint64_t pointer = pointers[(threadIdx.x + 1) % 4];
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(from) : "memory");
    asm volatile("ld.u32 %0, [%1];" : "=r"(y) : "l"(pointer) : "memory");
    out_u32(d, 2 * (blockIdx.x * blockDim.x + threadIdx.x), x);
    out_u32(d, 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1, y);
    sync_cluster();
}

/* ---- the barrier ---- */

/* Rounds in which each block reads what its neighbour wrote in the round before. */
#define RING_KERNEL(id, size, arrive, wait)                                                                            \
    CLUSTER(id, size) {                                                                                                \
        __shared__ uint32_t cells[2][64];                                                                              \
        int i = threadIdx.x;                                                                                           \
        uint32_t v = in_u32(a, blockIdx.x * 64 + i), x;                                                                \
        uint32_t next = (rank_of_block() + 1) % size;                                                                  \
        for (int round = 0; round < 9; round++) {                                                                      \
            cells[round & 1][i] = v;                                                                                   \
            asm volatile(arrive ::: "memory");                                                                         \
            v = v * 1664525u + 1013904223u;                                                                            \
            asm volatile(wait ::: "memory");                                                                           \
            uint32_t from = mapa(shared_address(&cells[round & 1][(i + 7 * round) % 64]), next);                       \
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(from) : "memory");                         \
            v = v * 5 + x;                                                                                             \
        }                                                                                                              \
        out_u32(d, blockIdx.x * 64 + i, v);                                                                            \
        sync_cluster();                                                                                                \
    }
#define RINGS(X)                                                                                                       \
    X(ring_plain, 2, "barrier.cluster.arrive;", "barrier.cluster.wait;")                                               \
    X(ring_aligned, 4, "barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;")                             \
    X(ring_release, 8, "barrier.cluster.arrive.release;", "barrier.cluster.wait.acquire;")                             \
    X(ring_release_aligned, 3, "barrier.cluster.arrive.release.aligned;", "barrier.cluster.wait.acquire.aligned;")     \
    X(ring_relaxed, 5, "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed;", "barrier.cluster.wait;")              \
    X(ring_relaxed_aligned, 2, "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed.aligned;",                       \
      "barrier.cluster.wait.acquire.aligned;")
#define RING_CASE(id, size, arrive, wait)                                                                              \
    {arrive " " wait, id, V_U32, V_NONE, V_NONE, V_U32, 64 * 2 * size, 2 * size, 64, 0, 0},

RINGS(RING_KERNEL)

/* Threads that have exited are not waited for, whether they had arrived or not. */
CLUSTER(exits, 4) {
    uint32_t rank = rank_of_block();
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    out_u32(d, at, 1);
    if (rank == 1) return;
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    out_u32(d, at, 2);
    if (rank == 2 || threadIdx.x >= 64) return;
    asm volatile("barrier.cluster.wait;" ::: "memory");
    out_u32(d, at, 3);
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    out_u32(d, at, 4);
}

/* Lanes that come from both sides of a branch. */
CLUSTER(divergent_barrier, 2) {
    __shared__ uint32_t sum;
    if (threadIdx.x == 0) sum = 0;
    sync_cluster();
    uint32_t to = mapa(shared_address(&sum), 0), v;
    if (in_u32(a, threadIdx.x) & 1) {
        asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(to) : "memory");
        asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    } else {
        asm volatile("red.shared::cluster.add.u32 [%0], 100;" ::"r"(to) : "memory");
        asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    }
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(to) : "memory");
    out_u32(d, blockIdx.x * blockDim.x + threadIdx.x, v);
    sync_cluster();
}

/* ---- loads and stores of another block's memory ---- */

#define LOAD_KERNEL(id, text, constraint, reg, size)                                                                   \
    CLUSTER(id, 2) {                                                                                                   \
        __shared__ __align__(16) uint32_t v[128];                                                                      \
        int i = threadIdx.x;                                                                                           \
        for (int k = 0; k < 4; k++) v[4 * i + k] = in_u32(a, 128 * blockIdx.x + 4 * i + k);                            \
        sync_cluster();                                                                                                \
        uint32_t from = mapa(shared_address(v) + (uint32_t)size * i, rank_of_block() ^ 1);                             \
        reg r;                                                                                                         \
        asm volatile(text " %0, [%1];" : "=" constraint(r) : "r"(from) : "memory");                                    \
        ((uint64_t *)d)[32 * blockIdx.x + i] = (uint64_t)r;                                                            \
        sync_cluster();                                                                                                \
    }
#define LOADS(X)                                                                                                       \
    X(load_u8, "ld.shared::cluster.u8", "h", uint16_t, 1) X(load_s8, "ld.shared::cluster.s8", "h", int16_t, 1)         \
    X(load_u16, "ld.shared::cluster.u16", "h", uint16_t, 2) X(load_s16, "ld.shared::cluster.s16", "r", int32_t, 2)     \
    X(load_u32, "ld.shared::cluster.u32", "r", uint32_t, 4) X(load_s32, "ld.shared::cluster.s32", "l", int64_t, 4)     \
    X(load_u64, "ld.shared::cluster.u64", "l", uint64_t, 8)                                                            \
    X(load_weak, "ld.weak.shared::cluster.u32", "r", uint32_t, 4)                                                      \
    X(load_volatile, "ld.volatile.shared::cluster.u32", "r", uint32_t, 4)                                              \
    X(load_relaxed, "ld.relaxed.cluster.shared::cluster.u32", "r", uint32_t, 4)                                        \
    X(load_acquire, "ld.acquire.cluster.shared::cluster.u64", "l", uint64_t, 8)
#define LOAD_CASE(id, text, constraint, reg, size)                                                                     \
    {text "/from another block", id, V_U32, V_NONE, V_NONE, V_U64, 512, 4, 32, 0, 0},

LOADS(LOAD_KERNEL)

CLUSTER(vectors, 4) {
    __shared__ __align__(16) uint32_t v[128], w[128];
    int i = threadIdx.x;
    for (int k = 0; k < 4; k++) {
        v[4 * i + k] = in_u32(a, 128 * blockIdx.x + 4 * i + k);
        w[4 * i + k] = 0;
    }
    sync_cluster();
    uint32_t from = mapa(shared_address(v) + 16 * i, (rank_of_block() + 1) % 4), x, y, z, u, p, q;
    uint32_t to = mapa(shared_address(w) + 16 * (31 - i), (rank_of_block() + 2) % 4);
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(u)
                 : "r"(from)
                 : "memory");
    asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2+8];" : "=r"(p), "=r"(q) : "r"(from) : "memory");
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(u), "r"(z), "r"(y ^ q), "r"(x + p)
                 : "memory");
    sync_cluster();
    for (int k = 0; k < 4; k++) out_u32(d, 128 * blockIdx.x + 4 * i + k, w[4 * i + k]);
}

/* Stores to the partner, by both kinds of address. */
#define STORE_KERNEL(id, text, constraint, reg, size)                                                                  \
    CLUSTER(id, 2) {                                                                                                   \
        __shared__ __align__(16) uint64_t v[32];                                                                       \
        int i = threadIdx.x;                                                                                           \
        v[i] = 0x1122334455667788ull;                                                                                  \
        sync_cluster();                                                                                                \
        uint32_t to = mapa(shared_address(v + i) + (i & 7) / size * size % (9 - size), rank_of_block() ^ 1);           \
        reg x = (reg)((const uint64_t *)a)[32 * blockIdx.x + i];                                                       \
        asm volatile(text " [%0], %1;" ::"r"(to), constraint(x) : "memory");                                           \
        sync_cluster();                                                                                                \
        ((uint64_t *)d)[32 * blockIdx.x + i] = v[i];                                                                   \
    }
#define STORES(X)                                                                                                      \
    X(store_u8, "st.shared::cluster.u8", "h", uint16_t, 1) X(store_u16, "st.shared::cluster.u16", "h", uint16_t, 2)    \
    X(store_u32, "st.shared::cluster.u32", "r", uint32_t, 4) X(store_u64, "st.shared::cluster.u64", "l", uint64_t, 8)  \
    X(store_relaxed, "st.relaxed.cluster.shared::cluster.u32", "r", uint32_t, 4)                                       \
    X(store_release, "st.release.cluster.shared::cluster.u32", "r", uint32_t, 4)                                       \
    X(store_volatile, "st.volatile.shared::cluster.u32", "r", uint32_t, 4)
#define STORE_CASE(id, text, constraint, reg, size)                                                                    \
    {text "/to another block", id, V_U64, V_NONE, V_NONE, V_U64, 128, 4, 32, 0, 0},

STORES(STORE_KERNEL)

CLUSTER(generic_accesses, 2) {
    __shared__ uint32_t v[64];
    int i = threadIdx.x;
    v[i] = in_u32(a, 64 * blockIdx.x + i);
    v[32 + i] = in_u32(a, 64 * blockIdx.x + 32 + i);
    sync_cluster();
    uint64_t there;
    uint32_t x, y;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"((uint64_t)(v + i)), "r"(rank_of_block() ^ 1));
    asm volatile("ld.u32 %0, [%1];" : "=r"(x) : "l"(there) : "memory");
    asm volatile("atom.add.u32 %0, [%1+128], %2;" : "=r"(y) : "l"(there), "r"(x) : "memory");
    asm volatile("st.u32 [%0], %1;" ::"l"(there), "r"(x * 3 + y) : "memory");
    sync_cluster();
    out_u32(d, 64 * blockIdx.x + i, v[i]);
    out_u32(d, 64 * blockIdx.x + 32 + i, v[32 + i]);
}

/* ---- atomics on another block's memory ---- */

/* One thread a place; the old value and the new. Not add.noftz.f16x2: ptxas (13.0) tries the instruction for global
 * memory, which does not take these addresses, asks whether the address is the block's own, and as it is not, loads,
 * adds as integers and stores. */
#define ATOMIC_KERNEL(id, text, constraint, reg)                                                                       \
    CLUSTER(id, 2) {                                                                                                   \
        __shared__ __align__(16) reg v[64];                                                                            \
        int i = threadIdx.x, at = blockIdx.x * 64 + i;                                                                 \
        v[i] = ((const reg *)a)[at];                                                                                   \
        sync_cluster();                                                                                                \
        uint32_t to = mapa(shared_address(v + i), rank_of_block() ^ 1);                                                \
        reg x = ((const reg *)b)[at], old;                                                                             \
        asm volatile(text : "=" constraint(old) : "r"(to), constraint(x) : "memory");                                  \
        sync_cluster();                                                                                                \
        ((reg *)d)[2 * at] = old;                                                                                      \
        ((reg *)d)[2 * at + 1] = v[i];                                                                                 \
    }
#define ATOMICS(X)                                                                                                     \
    X(atom_add_u32, "atom.shared::cluster.add.u32 %0, [%1], %2;", "r", uint32_t, V_U32)                                \
    X(atom_min_s32, "atom.shared::cluster.min.s32 %0, [%1], %2;", "r", uint32_t, V_U32)                                \
    X(atom_max_u32, "atom.shared::cluster.max.u32 %0, [%1], %2;", "r", uint32_t, V_U32)                                \
    X(atom_and_b32, "atom.shared::cluster.and.b32 %0, [%1], %2;", "r", uint32_t, V_U32)                                \
    X(atom_or_b32, "atom.shared::cluster.or.b32 %0, [%1], %2;", "r", uint32_t, V_U32)                                  \
    X(atom_xor_b32, "atom.shared::cluster.xor.b32 %0, [%1], %2;", "r", uint32_t, V_U32)                                \
    X(atom_exch_b32, "atom.shared::cluster.exch.b32 %0, [%1], %2;", "r", uint32_t, V_U32)                              \
    X(atom_cas_b32, "atom.shared::cluster.cas.b32 %0, [%1], %2, 7;", "r", uint32_t, V_SMALL)                           \
    X(atom_inc_u32, "atom.shared::cluster.inc.u32 %0, [%1], %2;", "r", uint32_t, V_SMALL)                              \
    X(atom_dec_u32, "atom.shared::cluster.dec.u32 %0, [%1], %2;", "r", uint32_t, V_SMALL)                              \
    X(atom_add_u64, "atom.shared::cluster.add.u64 %0, [%1], %2;", "l", uint64_t, V_U64)                                \
    X(atom_min_s64, "atom.shared::cluster.min.s64 %0, [%1], %2;", "l", uint64_t, V_U64)                                \
    X(atom_exch_b64, "atom.shared::cluster.exch.b64 %0, [%1], %2;", "l", uint64_t, V_U64)                              \
    X(atom_add_f32, "atom.shared::cluster.add.f32 %0, [%1], %2;", "f", float, V_F32)                                   \
    X(atom_add_f64, "atom.shared::cluster.add.f64 %0, [%1], %2;", "d", double, V_F64)                                  \
    X(atom_relaxed, "atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;", "r", uint32_t, V_U32)                \
    X(atom_acq_rel, "atom.acq_rel.cluster.shared::cluster.exch.b32 %0, [%1], %2;", "r", uint32_t, V_U32)               \
    X(red_add_u32, "red.shared::cluster.add.u32 [%1], %2; mov.u32 %0, 0;", "r", uint32_t, V_U32)                       \
    X(red_max_s32, "red.relaxed.cluster.shared::cluster.max.s32 [%1], %2; mov.u32 %0, 0;", "r", uint32_t, V_U32)       \
    X(red_add_f32, "red.shared::cluster.add.f32 [%1], %2; mov.f32 %0, 0f00000000;", "f", float, V_F32)                 \
    X(red_add_u64, "red.shared::cluster.add.u64 [%1], %2; mov.u64 %0, 0;", "l", uint64_t, V_U64)
#define ATOMIC_KERNEL_OF(id, text, constraint, reg, type) ATOMIC_KERNEL(id, text, constraint, reg)
#define ATOMIC_CASE(id, text, constraint, reg, type) {text, id, type, type, V_NONE, type, 512, 4, 64, 0, 0},

ATOMICS(ATOMIC_KERNEL_OF)

/* All threads of a cluster count in one block's memory. */
CLUSTER(counting, 8) {
    __shared__ uint32_t bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    sync_cluster();
    uint32_t x = in_u32(a, blockIdx.x * blockDim.x + threadIdx.x) % 128;
    uint32_t to = mapa(shared_address(&bins[x % 16]), x / 16);
    asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(to) : "memory");
    sync_cluster();
    if (threadIdx.x < 16) out_u32(d, blockIdx.x * 16 + threadIdx.x, bins[threadIdx.x]);
}

/* ---- asynchronous operations on another block's shared memory ---- */

static __device__ __forceinline__ void begin_phase(uint64_t *barrier, unsigned arrivals, unsigned bytes) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        if (bytes != 0)
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                         "r"(bytes)
                         : "memory");
    }
    sync_cluster();
}

/* Each block's own threads arrive once. */
static __device__ __forceinline__ void arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

static __device__ __forceinline__ void end_phase(uint64_t *barrier) {
    asm volatile("{ .reg .pred p;\nAGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n"
                 "@!p bra AGAIN; }" ::"r"(shared_address(barrier))
                 : "memory");
}

/* a, changed by the b of the block before. */
#define ASYNC_KERNEL(id, text, constraint, reg)                                                                        \
    CLUSTER(id, 4) {                                                                                                   \
        __shared__ __align__(8) uint64_t barrier;                                                                      \
        __shared__ __align__(16) reg v[64];                                                                            \
        const int i = blockIdx.x * 64 + threadIdx.x;                                                                   \
        const uint32_t next = (rank_of_block() + 1) % 4;                                                               \
        v[threadIdx.x] = ((const reg *)a)[i];                                                                          \
        begin_phase(&barrier, 64, sizeof v);                                                                           \
        asm volatile(text ::"r"(mapa(shared_address(&v[threadIdx.x]), next)), constraint(((const reg *)b)[i]),         \
                     "r"(mapa(shared_address(&barrier), next))                                                         \
                     : "memory");                                                                                      \
        arrive(&barrier);                                                                                              \
        end_phase(&barrier);                                                                                           \
        ((reg *)d)[i] = v[threadIdx.x];                                                                                \
        sync_cluster();                                                                                                \
    }
#define ST_ASYNC  "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes."
#define RED_ASYNC "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."
#define ASYNCS(X)                                                                                                      \
    X(st_async_b32, ST_ASYNC "b32 [%0], %1, [%2];", "r", uint32_t, V_U32)                                              \
    X(st_async_s64, ST_ASYNC "s64 [%0], %1, [%2];", "l", uint64_t, V_U64)                                              \
    X(st_async_f32, ST_ASYNC "f32 [%0], %1, [%2];", "f", float, V_F32)                                                 \
    X(st_async_f64, ST_ASYNC "f64 [%0], %1, [%2];", "d", double, V_F64)                                                \
    X(red_async_add_u32, RED_ASYNC "add.u32 [%0], %1, [%2];", "r", uint32_t, V_U32)                                    \
    X(red_async_add_s32, RED_ASYNC "add.s32 [%0], %1, [%2];", "r", uint32_t, V_U32)                                    \
    X(red_async_add_u64, RED_ASYNC "add.u64 [%0], %1, [%2];", "l", uint64_t, V_U64)                                    \
    X(red_async_min_u32, RED_ASYNC "min.u32 [%0], %1, [%2];", "r", uint32_t, V_U32)                                    \
    X(red_async_max_s32, RED_ASYNC "max.s32 [%0], %1, [%2];", "r", uint32_t, V_U32)                                    \
    X(red_async_and_b32, RED_ASYNC "and.b32 [%0], %1, [%2];", "r", uint32_t, V_U32)                                    \
    X(red_async_or_b32, RED_ASYNC "or.b32 [%0], %1, [%2];", "r", uint32_t, V_U32)                                      \
    X(red_async_xor_b32, RED_ASYNC "xor.b32 [%0], %1, [%2];", "r", uint32_t, V_U32)                                    \
    X(red_async_inc_u32, RED_ASYNC "inc.u32 [%0], %1, [%2];", "r", uint32_t, V_SMALL)                                  \
    X(red_async_dec_u32, RED_ASYNC "dec.u32 [%0], %1, [%2];", "r", uint32_t, V_SMALL)
#define ASYNC_KERNEL_OF(id, text, constraint, reg, type) ASYNC_KERNEL(id, text, constraint, reg)
#define ASYNC_CASE(id, text, constraint, reg, type) {text, id, type, type, V_NONE, type, 512, 8, 64, 0, 0},

ASYNCS(ASYNC_KERNEL_OF)

/* Rank 2 brings 256 bytes to ranks 0, 1 and 3; rank 2 has the index instead. */
CLUSTER(multicast, 4) {
    __shared__ __align__(8) uint64_t barrier;
    __shared__ __align__(16) uint32_t v[64];
    const uint32_t rank = rank_of_block();
    v[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    begin_phase(&barrier, 64, rank == 2 ? 0 : sizeof v);
    if (rank == 2 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "256, [%2], %3;" ::"r"(shared_address(v)),
                     "l"((const uint32_t *)a + blockIdx.x / 4 * 64), "r"(shared_address(&barrier)), "h"((uint16_t)0xb)
                     : "memory");
    arrive(&barrier);
    end_phase(&barrier);
    out_u32(d, blockIdx.x * 64 + threadIdx.x, v[threadIdx.x]);
    sync_cluster();
}

/* A block's shared memory to the next one's, and arrivals at its mbarrier by all four blocks. */
CLUSTER(block_to_block, 4) {
    __shared__ __align__(8) uint64_t barrier;
    __shared__ __align__(16) uint32_t v[64], w[64];
    const uint32_t next = (rank_of_block() + 1) % 4;
    v[threadIdx.x] = in_u32(a, blockIdx.x * 64 + threadIdx.x);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    begin_phase(&barrier, 4 * 64, sizeof v);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                         mapa(shared_address(w), next)),
                     "r"(shared_address(v)), "r"(mapa(shared_address(&barrier), next))
                     : "memory");
    for (uint32_t r = 0; r < 4; r++)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapa(shared_address(&barrier), r))
                     : "memory");
    end_phase(&barrier);
    out_u32(d, blockIdx.x * 64 + threadIdx.x, w[threadIdx.x]);
    sync_cluster();
}

static const conformance_case cases[] = {
    SPECIALS(SPECIAL_CASE)
    {"mov.pred %is_explicit_cluster/clusters of 2", explicit_of_2, V_NONE, V_NONE, V_NONE, V_U32, 64, 2, 32, 0, 0},
    {"mov.pred %is_explicit_cluster/clusters of 1", explicit_of_1, V_NONE, V_NONE, V_NONE, V_U32, 64, 2, 32, 0, 0},
    {"mapa, getctarank/.shared::cluster", address_bits, V_NONE, V_NONE, V_NONE, V_U32, 8 * 12, 8, 1, 0, 0},
    {"mapa, getctarank, isspacep/generic", generic_addresses, V_NONE, V_NONE, V_NONE, V_U32, 8 * 8, 8, 1, 0, 0},
    {"mapa/addresses given away", address_given_away, V_U32, V_NONE, V_NONE, V_U32, 2 * 8 * 32, 8, 32, 0, 0},
    RINGS(RING_CASE)
    {"barrier.cluster/exits", exits, V_NONE, V_NONE, V_NONE, V_U32, 8 * 96, 8, 96, 0, 0},
    {"barrier.cluster/divergent", divergent_barrier, V_U32, V_NONE, V_NONE, V_U32, 4 * 64, 4, 64, 0, 0},
    LOADS(LOAD_CASE)
    {"ld, st.shared::cluster/vectors", vectors, V_U32, V_NONE, V_NONE, V_U32, 8 * 128, 8, 32, 0, 0},
    STORES(STORE_CASE)
    {"ld, st, atom/generic, another block", generic_accesses, V_U32, V_NONE, V_NONE, V_U32, 4 * 64, 4, 32, 0, 0},
    ATOMICS(ATOMIC_CASE)
    ASYNCS(ASYNC_CASE)
    {"cp.async.bulk.multicast::cluster/three of four", multicast, V_U32, V_NONE, V_NONE, V_U32, 512, 8, 64, 0, 0},
    {"cp.async.bulk.shared::cluster.shared::cta, mbarrier.arrive.shared::cluster", block_to_block, V_U32, V_NONE, V_NONE, V_U32, 512, 8, 64, 0, 0},
    {"red.shared::cluster/counting", counting, V_U32, V_NONE, V_NONE, V_U32, 16 * 128, 16, 128, 0, 0},
};

const conformance_table conformance_cluster = {"cluster", cases, (int)(sizeof(cases) / sizeof(cases[0]))};
