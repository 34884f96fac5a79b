/* long: a table of cases */
/* Conformance cases of the memory instructions: ld, st, atom, red, cp.async, cvta, isspacep and their relatives in
 * every state space, with every type, vector length, cache operator, ordering and scope that sm_90a takes.
 *
 * The instruction under test is always inline PTX, so that the compiler can neither choose another one nor remove it.
 * Cases are made from lists (X macros): a list is expanded once into kernels and once into table entries. Addresses
 * never reach the output: only what is loaded, and yes/no answers. Pointers a to d are aligned as cudaMalloc aligns.
 */
#include "kernel.cuh"

#include <stdint.h>


typedef const void *void_pointer;
typedef void *out_pointer;

/* Threads of a one-block case. Each has one element (or one vector of elements). */
#define THREADS 48

/* Registers by their inline assembly constraint. */
typedef uint16_t reg_h;
typedef uint32_t reg_r;
typedef uint64_t reg_l;
typedef float reg_f;
typedef double reg_d;

#define SIZE_b8  1
#define SIZE_u8  1
#define SIZE_s8  1
#define SIZE_b16 2
#define SIZE_u16 2
#define SIZE_s16 2
#define SIZE_b32 4
#define SIZE_u32 4
#define SIZE_s32 4
#define SIZE_f32 4
#define SIZE_b64 8
#define SIZE_u64 8
#define SIZE_s64 8
#define SIZE_f64 8

#define VALUES_b8    V_U8
#define VALUES_u8    V_U8
#define VALUES_s8    V_S8
#define VALUES_b16   V_U16
#define VALUES_u16   V_U16
#define VALUES_s16   V_S16
#define VALUES_b32   V_U32
#define VALUES_u32   V_U32
#define VALUES_s32   V_S32
#define VALUES_f32   V_F32
#define VALUES_b64   V_U64
#define VALUES_u64   V_U64
#define VALUES_s64   V_S64
#define VALUES_f64   V_F64
#define VALUES_f16   V_F16
#define VALUES_bf16  V_BF16
#define VALUES_f16x2 V_F16X2
#define VALUES_bf16x2 V_BF16X2

#define VALUES_reg_h V_U16
#define VALUES_reg_r V_U32
#define VALUES_reg_l V_U64
#define VALUES_reg_f V_F32
#define VALUES_reg_d V_F64

/* How an instruction names the state space of an address made by place_<space>. */
#define PTX_global         ".global"
#define PTX_shared         ".shared"
#define PTX_local          ".local"
#define PTX_const          ".const"
#define PTX_generic        ""
#define PTX_generic_shared ""
#define PTX_generic_local  ""

static __device__ __forceinline__ uint64_t bits(uint16_t v) {
    return v;
}
static __device__ __forceinline__ uint64_t bits(uint32_t v) {
    return v;
}
static __device__ __forceinline__ uint64_t bits(uint64_t v) {
    return v;
}
static __device__ __forceinline__ uint64_t bits(float v) {
    return __float_as_uint(v);
}
static __device__ __forceinline__ uint64_t bits(double v) {
    return (uint64_t)__double_as_longlong(v);
}

/* 256 different bytes in a scrambled order, so that every offset has its own value and half of them are negative. */
#define BYTE(x)    (unsigned char)(((x) * 167 + 91) & 255)
#define BYTES8(x)  BYTE(x), BYTE((x) + 1), BYTE((x) + 2), BYTE((x) + 3), BYTE((x) + 4), BYTE((x) + 5), BYTE((x) + 6), \
                   BYTE((x) + 7)
#define BYTES64(x) BYTES8(x), BYTES8((x) + 8), BYTES8((x) + 16), BYTES8((x) + 24), BYTES8((x) + 32), \
                   BYTES8((x) + 40), BYTES8((x) + 48), BYTES8((x) + 56)
#define BYTES256   BYTES64(0), BYTES64(64), BYTES64(128), BYTES64(192)

extern "C" {
/* C names, because the assembly below names them too. */
__constant__ __align__(16) unsigned char memory_const_bytes[256] = {BYTES256};
__device__ __align__(16) unsigned char memory_global_bytes[256] = {BYTES256};
}

/* place_<space>: puts thread i's element of `size` bytes where the space wants it and gives its address. */

static __device__ __forceinline__ uint64_t place_global(const void *a, int i, int size, unsigned char *) {
    return (uint64_t)__cvta_generic_to_global((const char *)a + i * size);
}

static __device__ __forceinline__ uint64_t place_generic(const void *a, int i, int size, unsigned char *) {
    return (uint64_t)((const char *)a + i * size);
}

static __device__ __forceinline__ unsigned char *shared_copy(const void *a, int i, int size) {
    __shared__ __align__(16) unsigned char buffer[THREADS * 32];
    for (int k = 0; k < size; k++) buffer[i * size + k] = ((const unsigned char *)a)[i * size + k];
    __syncthreads();
    return buffer + i * size;
}

static __device__ __forceinline__ uint64_t place_shared(const void *a, int i, int size, unsigned char *) {
    return (uint64_t)__cvta_generic_to_shared(shared_copy(a, i, size));
}

static __device__ __forceinline__ uint64_t place_generic_shared(const void *a, int i, int size, unsigned char *) {
    return (uint64_t)shared_copy(a, i, size);
}

/* `local` has 64 bytes; the slot depends on the thread, so that lanes of a warp use different local offsets. */
static __device__ __forceinline__ unsigned char *local_copy(const void *a, int i, int size, unsigned char *local) {
    unsigned char *slot = local + (i & 1) * 32;
    for (int k = 0; k < size; k++) slot[k] = ((const unsigned char *)a)[i * size + k];
    return slot;
}

static __device__ __forceinline__ uint64_t place_local(const void *a, int i, int size, unsigned char *local) {
    return (uint64_t)__cvta_generic_to_local(local_copy(a, i, size, local));
}

static __device__ __forceinline__ uint64_t place_generic_local(const void *a, int i, int size, unsigned char *local) {
    return (uint64_t)local_copy(a, i, size, local);
}

static __device__ __forceinline__ uint64_t place_const(const void *, int i, int size, unsigned char *) {
    return (uint64_t)__cvta_generic_to_constant(memory_const_bytes + (i * size & 255));
}

/* ---- scalar loads ---- */

/* Every type into every register width that can hold it: the wider registers show the zero or sign extension. */
#define SCALAR_FORMS(X, s)                                                                                           \
    X(s, b8, h) X(s, b8, r) X(s, b8, l) X(s, u8, h) X(s, u8, r) X(s, u8, l) X(s, s8, h) X(s, s8, r) X(s, s8, l)      \
    X(s, b16, h) X(s, b16, r) X(s, b16, l) X(s, u16, h) X(s, u16, r) X(s, u16, l) X(s, s16, h) X(s, s16, r)          \
    X(s, s16, l) X(s, b32, r) X(s, b32, l) X(s, u32, r) X(s, u32, l) X(s, s32, r) X(s, s32, l) X(s, f32, f)          \
    X(s, b64, l) X(s, u64, l) X(s, s64, l) X(s, f64, d)

#define LOADS(X)                                                                                                     \
    SCALAR_FORMS(X, global) SCALAR_FORMS(X, shared) SCALAR_FORMS(X, local) SCALAR_FORMS(X, const)                    \
    SCALAR_FORMS(X, generic) SCALAR_FORMS(X, generic_shared) SCALAR_FORMS(X, generic_local)

#define LOAD_KERNEL(id, text, space, type, reg)                                                                      \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        __align__(16) unsigned char local[64];                                                                       \
        uint64_t p = place_##space(a, i, SIZE_##type, local);                                                        \
        reg_##reg v;                                                                                                 \
        asm volatile(text " %0, [%1];" : "=" #reg(v) : "l"(p) : "memory");                                           \
        ((uint64_t *)d)[i] = bits(v);                                                                                \
    }

#define LOADS_KERNEL(space, type, reg)                                                                               \
    LOAD_KERNEL(ld_##space##_##type##_##reg, "ld" PTX_##space "." #type, space, type, reg)
#define LOADS_CASE(space, type, reg)                                                                                 \
    {"ld." #space "." #type "/" #reg, ld_##space##_##type##_##reg, VALUES_##type, V_NONE, V_NONE, V_U64, THREADS,    \
     1, THREADS, 0, 0},

LOADS(LOADS_KERNEL)

/* Loads with qualifiers: X(id, text, space, type, reg). */
#define QUALIFIED_TYPES(X, id, text, s)                                                                              \
    X(id##_u8, text ".u8", s, u8, r) X(id##_s16, text ".s16", s, s16, r) X(id##_b32, text ".b32", s, b32, r)         \
    X(id##_f64, text ".f64", s, f64, d)
#define QUALIFIED_ONE(X, id, text, s) X(id##_u32, text ".u32", s, u32, r) X(id##_b64, text ".b64", s, b64, l)

#define NC_TYPES(X, id, text)                                                                                        \
    X(id##_b8, text ".b8", global, b8, r) X(id##_u8, text ".u8", global, u8, r)                                      \
    X(id##_s8, text ".s8", global, s8, r) X(id##_b16, text ".b16", global, b16, h)                                   \
    X(id##_u16, text ".u16", global, u16, h) X(id##_s16, text ".s16", global, s16, l)                                \
    X(id##_b32, text ".b32", global, b32, r) X(id##_u32, text ".u32", global, u32, r)                                \
    X(id##_s32, text ".s32", global, s32, l) X(id##_f32, text ".f32", global, f32, f)                                \
    X(id##_b64, text ".b64", global, b64, l) X(id##_u64, text ".u64", global, u64, l)                                \
    X(id##_s64, text ".s64", global, s64, l) X(id##_f64, text ".f64", global, f64, d)

#define SCOPED_LOADS(X, id, text)                                                                                    \
    QUALIFIED_TYPES(X, id##_cta_global, text ".cta.global", global)                                                  \
    QUALIFIED_ONE(X, id##_cluster_global, text ".cluster.global", global)                                            \
    QUALIFIED_TYPES(X, id##_gpu_global, text ".gpu.global", global)                                                  \
    QUALIFIED_ONE(X, id##_sys_global, text ".sys.global", global)                                                    \
    QUALIFIED_TYPES(X, id##_cta_shared, text ".cta.shared", shared)                                                  \
    QUALIFIED_ONE(X, id##_gpu_shared, text ".gpu.shared", shared)                                                    \
    QUALIFIED_ONE(X, id##_gpu_generic, text ".gpu", generic)                                                         \
    QUALIFIED_ONE(X, id##_cta_generic_shared, text ".cta", generic_shared)

#define QUALIFIED_LOADS(X)                                                                                           \
    QUALIFIED_TYPES(X, ld_ca, "ld.global.ca", global) QUALIFIED_TYPES(X, ld_cg, "ld.global.cg", global)              \
    QUALIFIED_TYPES(X, ld_cs, "ld.global.cs", global) QUALIFIED_TYPES(X, ld_lu, "ld.global.lu", global)              \
    QUALIFIED_TYPES(X, ld_cv, "ld.global.cv", global) QUALIFIED_ONE(X, ld_generic_ca, "ld.ca", generic)              \
    QUALIFIED_ONE(X, ld_generic_cg, "ld.cg", generic) QUALIFIED_ONE(X, ld_generic_cs, "ld.cs", generic)              \
    QUALIFIED_ONE(X, ld_generic_cv, "ld.cv", generic) QUALIFIED_ONE(X, ld_local_lu, "ld.local.lu", local)            \
    QUALIFIED_ONE(X, ld_local_ca, "ld.local.ca", local) QUALIFIED_ONE(X, ld_weak, "ld.weak.global", global)          \
    QUALIFIED_ONE(X, ld_weak_shared, "ld.weak.shared", shared) QUALIFIED_ONE(X, ld_weak_local, "ld.weak.local", local) \
    QUALIFIED_ONE(X, ld_weak_generic, "ld.weak", generic_shared)                                                     \
    QUALIFIED_ONE(X, ld_shared_cta, "ld.shared::cta", shared)                                                        \
    QUALIFIED_ONE(X, ld_shared_cluster, "ld.shared::cluster", shared)                                                \
    NC_TYPES(X, ld_nc, "ld.global.nc") NC_TYPES(X, ldu, "ldu.global")                                                \
    QUALIFIED_ONE(X, ldu_generic, "ldu", generic)                                                                    \
    QUALIFIED_ONE(X, ld_ca_nc, "ld.global.ca.nc", global) QUALIFIED_ONE(X, ld_cg_nc, "ld.global.cg.nc", global)      \
    QUALIFIED_ONE(X, ld_cs_nc, "ld.global.cs.nc", global)                                                            \
    NC_TYPES(X, ld_volatile_global, "ld.volatile.global")                                                            \
    QUALIFIED_TYPES(X, ld_volatile_shared, "ld.volatile.shared", shared)                                             \
    QUALIFIED_TYPES(X, ld_volatile_generic, "ld.volatile", generic)                                                  \
    QUALIFIED_ONE(X, ld_volatile_generic_shared, "ld.volatile", generic_shared)                                      \
    SCOPED_LOADS(X, ld_relaxed, "ld.relaxed") SCOPED_LOADS(X, ld_acquire, "ld.acquire")                              \
    QUALIFIED_ONE(X, ld_mmio, "ld.mmio.relaxed.sys.global", global)                                                  \
    QUALIFIED_ONE(X, ld_en, "ld.global.L1::evict_normal", global)                                                    \
    QUALIFIED_ONE(X, ld_eu, "ld.global.L1::evict_unchanged", global)                                                 \
    QUALIFIED_ONE(X, ld_ef, "ld.global.L1::evict_first", global)                                                     \
    QUALIFIED_ONE(X, ld_el, "ld.global.L1::evict_last", global)                                                      \
    QUALIFIED_ONE(X, ld_na, "ld.global.L1::no_allocate", global)                                                     \
    QUALIFIED_ONE(X, ld_l2_64, "ld.global.L2::64B", global) QUALIFIED_ONE(X, ld_l2_128, "ld.global.L2::128B", global) \
    QUALIFIED_ONE(X, ld_l2_256, "ld.global.L2::256B", global)                                                        \
    QUALIFIED_ONE(X, ld_ca_l2_128, "ld.global.ca.L2::128B", global)                                                  \
    QUALIFIED_ONE(X, ld_na_l2_256, "ld.global.L1::no_allocate.L2::256B", global)                                     \
    QUALIFIED_ONE(X, ld_nc_na, "ld.global.nc.L1::no_allocate", global)                                               \
    QUALIFIED_ONE(X, ld_nc_na_l2_128, "ld.global.nc.L1::no_allocate.L2::128B", global)                               \
    QUALIFIED_ONE(X, ld_nc_l2_256, "ld.global.nc.L2::256B", global)                                                  \
    QUALIFIED_ONE(X, ld_relaxed_na, "ld.relaxed.gpu.global.L1::no_allocate", global)

#define QUALIFIED_LOAD_CASE(id, text, space, type, reg)                                                              \
    {text "/" #space, id, VALUES_##type, V_NONE, V_NONE, V_U64, THREADS, 1, THREADS, 0, 0},

QUALIFIED_LOADS(LOAD_KERNEL)

/* ---- vector loads ---- */

#define VECTOR2_FORMS(X, s)                                                                                          \
    X(s, b8, h, 2) X(s, u8, r, 2) X(s, s8, r, 2) X(s, b16, h, 2) X(s, u16, r, 2) X(s, s16, r, 2) X(s, b32, r, 2)     \
    X(s, u32, r, 2) X(s, s32, l, 2) X(s, f32, f, 2) X(s, b64, l, 2) X(s, u64, l, 2) X(s, s64, l, 2) X(s, f64, d, 2)
#define VECTOR4_FORMS(X, s)                                                                                          \
    X(s, b8, h, 4) X(s, u8, r, 4) X(s, s8, r, 4) X(s, b16, h, 4) X(s, u16, r, 4) X(s, s16, r, 4) X(s, b32, r, 4)     \
    X(s, u32, r, 4) X(s, s32, l, 4) X(s, f32, f, 4)
#define VECTOR_FORMS(X, s) VECTOR2_FORMS(X, s) VECTOR4_FORMS(X, s)

#define VECTOR_LOADS(X)                                                                                              \
    VECTOR_FORMS(X, global) VECTOR_FORMS(X, shared) VECTOR_FORMS(X, local) VECTOR_FORMS(X, const)                    \
    VECTOR_FORMS(X, generic) VECTOR_FORMS(X, generic_shared) VECTOR_FORMS(X, generic_local)

/* Half the threads: they make 24 * 2 or 24 * 4 elements. */
#define VECTOR_THREADS 24

#define VECTOR_LOAD_KERNEL_2(id, text, space, type, reg)                                                             \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        __align__(16) unsigned char local[64];                                                                       \
        uint64_t p = place_##space(a, i, SIZE_##type * 2, local);                                                    \
        reg_##reg v0, v1;                                                                                            \
        asm volatile(text " {%0, %1}, [%2];" : "=" #reg(v0), "=" #reg(v1) : "l"(p) : "memory");                      \
        ((uint64_t *)d)[2 * i] = bits(v0);                                                                           \
        ((uint64_t *)d)[2 * i + 1] = bits(v1);                                                                       \
    }

#define VECTOR_LOAD_KERNEL_4(id, text, space, type, reg)                                                             \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        __align__(16) unsigned char local[64];                                                                       \
        uint64_t p = place_##space(a, i, SIZE_##type * 4, local);                                                    \
        reg_##reg v0, v1, v2, v3;                                                                                    \
        asm volatile(text " {%0, %1, %2, %3}, [%4];"                                                                 \
                     : "=" #reg(v0), "=" #reg(v1), "=" #reg(v2), "=" #reg(v3)                                        \
                     : "l"(p)                                                                                        \
                     : "memory");                                                                                    \
        ((uint64_t *)d)[4 * i] = bits(v0);                                                                           \
        ((uint64_t *)d)[4 * i + 1] = bits(v1);                                                                       \
        ((uint64_t *)d)[4 * i + 2] = bits(v2);                                                                       \
        ((uint64_t *)d)[4 * i + 3] = bits(v3);                                                                       \
    }

#define VECTOR_LOADS_KERNEL(space, type, reg, count)                                                                 \
    VECTOR_LOAD_KERNEL_##count(ld_v##count##_##space##_##type, "ld" PTX_##space ".v" #count "." #type, space, type, reg)
#define VECTOR_LOADS_CASE(space, type, reg, count)                                                                   \
    {"ld." #space ".v" #count "." #type, ld_v##count##_##space##_##type, VALUES_##type, V_NONE, V_NONE, V_U64,       \
     VECTOR_THREADS * count, 1, VECTOR_THREADS, 0, 0},

VECTOR_LOADS(VECTOR_LOADS_KERNEL)

/* X(id, text, space, type, reg, count) */
#define QUALIFIED_VECTOR(X, id, text)                                                                                \
    X(id##_v4f32, text ".v4.f32", global, f32, f, 4) X(id##_v2f64, text ".v2.f64", global, f64, d, 2)                \
    X(id##_v4u8, text ".v4.u8", global, u8, r, 4) X(id##_v2s16, text ".v2.s16", global, s16, r, 2)
#define QUALIFIED_VECTOR_LOADS(X)                                                                                    \
    QUALIFIED_VECTOR(X, ld_nc, "ld.global.nc") QUALIFIED_VECTOR(X, ld_cg, "ld.global.cg")                            \
    QUALIFIED_VECTOR(X, ld_cs, "ld.global.cs") QUALIFIED_VECTOR(X, ld_ca, "ld.global.ca")                            \
    QUALIFIED_VECTOR(X, ld_cv, "ld.global.cv") QUALIFIED_VECTOR(X, ld_lu, "ld.global.lu")                            \
    QUALIFIED_VECTOR(X, ldu, "ldu.global") QUALIFIED_VECTOR(X, ld_volatile, "ld.volatile.global")                    \
    QUALIFIED_VECTOR(X, ld_na128, "ld.global.L1::no_allocate.L2::128B")                                              \
    QUALIFIED_VECTOR(X, ld_nc_na128, "ld.global.nc.L1::no_allocate.L2::128B")                                        \
    QUALIFIED_VECTOR(X, ld_relaxed, "ld.relaxed.gpu.global") QUALIFIED_VECTOR(X, ld_acquire, "ld.acquire.sys.global")

#define QUALIFIED_VECTOR_LOAD_KERNEL(id, text, space, type, reg, count)                                              \
    VECTOR_LOAD_KERNEL_##count(id, text, space, type, reg)
#define QUALIFIED_VECTOR_LOAD_CASE(id, text, space, type, reg, count)                                                \
    {text, id, VALUES_##type, V_NONE, V_NONE, V_U64, VECTOR_THREADS * count, 1, VECTOR_THREADS, 0, 0},

QUALIFIED_VECTOR_LOADS(QUALIFIED_VECTOR_LOAD_KERNEL)

/* ---- stores ---- */

/* Memory for thread i's store: two slots, of which the first is stored to. All of it is filled first, so that the
 * output shows that the second slot was left alone. */

#define FILL 0xA5

static __device__ __forceinline__ unsigned char *fill_slots(unsigned char *slots, int size) {
    for (int k = 0; k < 2 * size; k++) slots[k] = FILL;
    return slots;
}

static __device__ __forceinline__ unsigned char *shared_slots(int i, int size) {
    __shared__ __align__(16) unsigned char buffer[THREADS * 32];
    return fill_slots(buffer + 2 * i * size, size);
}

static __device__ __forceinline__ uint64_t slot_global(void *d, int i, int size, unsigned char *,
                                                       unsigned char **slots) {
    *slots = fill_slots((unsigned char *)d + 2 * i * size, size);
    return (uint64_t)__cvta_generic_to_global(*slots);
}

static __device__ __forceinline__ uint64_t slot_generic(void *d, int i, int size, unsigned char *,
                                                        unsigned char **slots) {
    *slots = fill_slots((unsigned char *)d + 2 * i * size, size);
    return (uint64_t)*slots;
}

static __device__ __forceinline__ uint64_t slot_shared(void *, int i, int size, unsigned char *,
                                                       unsigned char **slots) {
    *slots = shared_slots(i, size);
    return (uint64_t)__cvta_generic_to_shared(*slots);
}

static __device__ __forceinline__ uint64_t slot_generic_shared(void *, int i, int size, unsigned char *,
                                                               unsigned char **slots) {
    *slots = shared_slots(i, size);
    return (uint64_t)*slots;
}

static __device__ __forceinline__ uint64_t slot_local(void *, int i, int size, unsigned char *local,
                                                      unsigned char **slots) {
    *slots = fill_slots(local + (i & 1) * 32, size);
    return (uint64_t)__cvta_generic_to_local(*slots);
}

static __device__ __forceinline__ uint64_t slot_generic_local(void *, int i, int size, unsigned char *local,
                                                              unsigned char **slots) {
    *slots = fill_slots(local + (i & 1) * 32, size);
    return (uint64_t)*slots;
}

/* Copies both slots out. For the global spaces they are already in place, and this only copies them to themselves. */
static __device__ __forceinline__ void show_slots(void *d, int i, int size, const unsigned char *slots) {
    for (int k = 0; k < 2 * size; k++) {
        ((volatile unsigned char *)d)[2 * i * size + k] = ((const volatile unsigned char *)slots)[k];
    }
}

#define STORES(X)                                                                                                    \
    SCALAR_FORMS(X, global) SCALAR_FORMS(X, shared) SCALAR_FORMS(X, local) SCALAR_FORMS(X, generic)                  \
    SCALAR_FORMS(X, generic_shared) SCALAR_FORMS(X, generic_local)

#define STORE_KERNEL(id, text, space, type, reg)                                                                     \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        __align__(16) unsigned char local[64];                                                                       \
        unsigned char *slots;                                                                                        \
        uint64_t p = slot_##space(d, i, SIZE_##type, local, &slots);                                                 \
        asm volatile(text " [%0], %1;" ::"l"(p), #reg(((const reg_##reg *)a)[i]) : "memory");                        \
        show_slots(d, i, SIZE_##type, slots);                                                                        \
    }

#define STORES_KERNEL(space, type, reg)                                                                              \
    STORE_KERNEL(st_##space##_##type##_##reg, "st" PTX_##space "." #type, space, type, reg)
#define STORES_CASE(space, type, reg)                                                                                \
    {"st." #space "." #type "/" #reg, st_##space##_##type##_##reg, VALUES_reg_##reg, V_NONE, V_NONE, VALUES_##type,  \
     2 * THREADS, 1, THREADS, 0, 0},

STORES(STORES_KERNEL)

#define SCOPED_STORES(X, id, text)                                                                                   \
    QUALIFIED_TYPES(X, id##_cta_global, text ".cta.global", global)                                                  \
    QUALIFIED_ONE(X, id##_cluster_global, text ".cluster.global", global)                                            \
    QUALIFIED_TYPES(X, id##_gpu_global, text ".gpu.global", global)                                                  \
    QUALIFIED_ONE(X, id##_sys_global, text ".sys.global", global)                                                    \
    QUALIFIED_TYPES(X, id##_cta_shared, text ".cta.shared", shared)                                                  \
    QUALIFIED_ONE(X, id##_gpu_generic, text ".gpu", generic)                                                         \
    QUALIFIED_ONE(X, id##_cta_generic_shared, text ".cta", generic_shared)

#define QUALIFIED_STORES(X)                                                                                          \
    QUALIFIED_TYPES(X, st_wb, "st.global.wb", global) QUALIFIED_TYPES(X, st_cg, "st.global.cg", global)              \
    QUALIFIED_TYPES(X, st_cs, "st.global.cs", global) QUALIFIED_TYPES(X, st_wt, "st.global.wt", global)              \
    QUALIFIED_ONE(X, st_generic_wb, "st.wb", generic) QUALIFIED_ONE(X, st_generic_cg, "st.cg", generic)              \
    QUALIFIED_ONE(X, st_generic_cs, "st.cs", generic) QUALIFIED_ONE(X, st_generic_wt, "st.wt", generic)              \
    QUALIFIED_ONE(X, st_weak, "st.weak.global", global) QUALIFIED_ONE(X, st_weak_shared, "st.weak.shared", shared)   \
    QUALIFIED_ONE(X, st_weak_local, "st.weak.local", local) QUALIFIED_ONE(X, st_weak_generic, "st.weak", generic)    \
    QUALIFIED_ONE(X, st_shared_cta, "st.shared::cta", shared)                                                        \
    QUALIFIED_ONE(X, st_shared_cluster, "st.shared::cluster", shared)                                                \
    QUALIFIED_TYPES(X, st_volatile_global, "st.volatile.global", global)                                             \
    QUALIFIED_TYPES(X, st_volatile_shared, "st.volatile.shared", shared)                                             \
    QUALIFIED_TYPES(X, st_volatile_generic, "st.volatile", generic)                                                  \
    SCOPED_STORES(X, st_relaxed, "st.relaxed") SCOPED_STORES(X, st_release, "st.release")                            \
    QUALIFIED_ONE(X, st_mmio, "st.mmio.relaxed.sys.global", global)                                                  \
    QUALIFIED_ONE(X, st_en, "st.global.L1::evict_normal", global)                                                    \
    QUALIFIED_ONE(X, st_eu, "st.global.L1::evict_unchanged", global)                                                 \
    QUALIFIED_ONE(X, st_ef, "st.global.L1::evict_first", global)                                                     \
    QUALIFIED_ONE(X, st_el, "st.global.L1::evict_last", global)                                                      \
    QUALIFIED_ONE(X, st_na, "st.global.L1::no_allocate", global)

#define QUALIFIED_STORE_CASE(id, text, space, type, reg)                                                             \
    {text "/" #space, id, VALUES_reg_##reg, V_NONE, V_NONE, VALUES_##type, 2 * THREADS, 1, THREADS, 0, 0},

QUALIFIED_STORES(STORE_KERNEL)

#define VECTOR_STORES(X)                                                                                             \
    VECTOR_FORMS(X, global) VECTOR_FORMS(X, shared) VECTOR_FORMS(X, local) VECTOR_FORMS(X, generic)                  \
    VECTOR_FORMS(X, generic_shared) VECTOR_FORMS(X, generic_local)

#define VECTOR_STORE_KERNEL_2(id, text, space, type, reg)                                                            \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        const reg_##reg *v = (const reg_##reg *)a + 2 * i;                                                           \
        __align__(16) unsigned char local[64];                                                                       \
        unsigned char *slots;                                                                                        \
        uint64_t p = slot_##space(d, i, SIZE_##type * 2, local, &slots);                                             \
        asm volatile(text " [%0], {%1, %2};" ::"l"(p), #reg(v[0]), #reg(v[1]) : "memory");                           \
        show_slots(d, i, SIZE_##type * 2, slots);                                                                    \
    }

#define VECTOR_STORE_KERNEL_4(id, text, space, type, reg)                                                            \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        const reg_##reg *v = (const reg_##reg *)a + 4 * i;                                                           \
        __align__(16) unsigned char local[64];                                                                       \
        unsigned char *slots;                                                                                        \
        uint64_t p = slot_##space(d, i, SIZE_##type * 4, local, &slots);                                             \
        asm volatile(text " [%0], {%1, %2, %3, %4};" ::"l"(p), #reg(v[0]), #reg(v[1]), #reg(v[2]), #reg(v[3])        \
                     : "memory");                                                                                    \
        show_slots(d, i, SIZE_##type * 4, slots);                                                                    \
    }

#define VECTOR_STORES_KERNEL(space, type, reg, count)                                                                \
    VECTOR_STORE_KERNEL_##count(st_v##count##_##space##_##type, "st" PTX_##space ".v" #count "." #type, space, type, \
                                reg)
#define VECTOR_STORES_CASE(space, type, reg, count)                                                                  \
    {"st." #space ".v" #count "." #type, st_v##count##_##space##_##type, VALUES_reg_##reg, V_NONE, V_NONE,           \
     VALUES_##type, VECTOR_THREADS * count * 2, 1, VECTOR_THREADS, 0, 0},

VECTOR_STORES(VECTOR_STORES_KERNEL)

#define QUALIFIED_VECTOR_STORES(X)                                                                                   \
    QUALIFIED_VECTOR(X, st_wb, "st.global.wb") QUALIFIED_VECTOR(X, st_cg, "st.global.cg")                            \
    QUALIFIED_VECTOR(X, st_cs, "st.global.cs") QUALIFIED_VECTOR(X, st_wt, "st.global.wt")                            \
    QUALIFIED_VECTOR(X, st_volatile, "st.volatile.global") QUALIFIED_VECTOR(X, st_relaxed, "st.relaxed.gpu.global")  \
    QUALIFIED_VECTOR(X, st_release, "st.release.cta.global") QUALIFIED_VECTOR(X, st_na, "st.global.L1::no_allocate")

#define QUALIFIED_VECTOR_STORE_KERNEL(id, text, space, type, reg, count)                                             \
    VECTOR_STORE_KERNEL_##count(id, text, space, type, reg)
#define QUALIFIED_VECTOR_STORE_CASE(id, text, space, type, reg, count)                                               \
    {text, id, VALUES_reg_##reg, V_NONE, V_NONE, VALUES_##type, VECTOR_THREADS * count * 2, 1, VECTOR_THREADS, 0, 0},

QUALIFIED_VECTOR_STORES(QUALIFIED_VECTOR_STORE_KERNEL)

/* ---- 128-bit registers ---- */

#define LOAD_B128_KERNEL(id, text, space)                                                                            \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        __align__(16) unsigned char local[64];                                                                       \
        uint64_t p = place_##space(a, i, 16, local), low, high;                                                      \
        asm volatile("{ .reg .b128 v; " text " v, [%2]; mov.b128 {%0, %1}, v; }"                                     \
                     : "=l"(low), "=l"(high)                                                                         \
                     : "l"(p)                                                                                        \
                     : "memory");                                                                                    \
        ((uint64_t *)d)[2 * i] = low;                                                                                \
        ((uint64_t *)d)[2 * i + 1] = high;                                                                           \
    }
#define STORE_B128_KERNEL(id, text, space)                                                                           \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        const uint64_t *v = (const uint64_t *)a + 2 * i;                                                             \
        __align__(16) unsigned char local[64];                                                                       \
        unsigned char *slots;                                                                                        \
        uint64_t p = slot_##space(d, i, 16, local, &slots);                                                          \
        asm volatile("{ .reg .b128 v; mov.b128 v, {%1, %2}; " text " [%0], v; }" ::"l"(p), "l"(v[0]), "l"(v[1])      \
                     : "memory");                                                                                    \
        show_slots(d, i, 16, slots);                                                                                 \
    }
#define LOADS_B128(X)                                                                                                \
    X(ld_global_b128, "ld.global.b128", global)                                                                      \
    X(ld_shared_b128, "ld.shared.b128", shared) X(ld_generic_b128, "ld.b128", generic)                               \
    X(ld_relaxed_b128, "ld.relaxed.gpu.global.b128", global)
#define STORES_B128(X)                                                                                               \
    X(st_global_b128, "st.global.b128", global)                                                                      \
    X(st_shared_b128, "st.shared.b128", shared) X(st_generic_b128, "st.b128", generic)                               \
    X(st_relaxed_b128, "st.relaxed.gpu.global.b128", global)
#define LOAD_B128_CASE(id, text, space)                                                                              \
    {text, id, V_U64, V_NONE, V_NONE, V_U64, 2 * VECTOR_THREADS, 1, VECTOR_THREADS, 0, 0},
#define STORE_B128_CASE(id, text, space)                                                                             \
    {text, id, V_U64, V_NONE, V_NONE, V_U64, 4 * VECTOR_THREADS, 1, VECTOR_THREADS, 0, 0},

LOADS_B128(LOAD_B128_KERNEL)
STORES_B128(STORE_B128_KERNEL)

/* ---- address forms, symbols, conversions between address spaces ---- */

extern __shared__ __align__(16) unsigned char memory_dynamic_shared[];

/* base register plus and minus an immediate, and a 32-bit base for shared memory */
#define OFFSET_KERNEL(id, text, offset)                                                                              \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        const char *p = (const char *)a + 4 * i - (offset);                                                          \
        uint32_t v;                                                                                                  \
        asm volatile(text " %0, [%1+" #offset "];" : "=r"(v) : "l"(p) : "memory");                                   \
        ((uint32_t *)d)[i] = v;                                                                                      \
    }
OFFSET_KERNEL(ld_offset_4, "ld.global.u32", 4)
OFFSET_KERNEL(ld_offset_minus_8, "ld.global.u32", -8)
OFFSET_KERNEL(ld_offset_large, "ld.global.u32", 1048576)
OFFSET_KERNEL(ld_offset_generic, "ld.u32", -4096)

KERNEL(ld_shared_address32) {
    int i = threadIdx.x;
    uint32_t p = (uint32_t)__cvta_generic_to_shared(shared_copy(a, i, 4)), v;
    __syncthreads();
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(i == THREADS - 1 ? p : p + 4) : "memory");
    ((uint32_t *)d)[i] = v;
}

KERNEL(shared_symbol_block) { /* a shared variable declared in the assembly itself, addressed by its name */
    int i = threadIdx.x;
    uint32_t v;
    asm volatile("{\n\t"
                 ".shared .align 8 .b8 memory_block_symbol[512];\n\t"
                 ".reg .b32 base, address;\n\t"
                 "mov.u32 base, memory_block_symbol;\n\t"
                 "mad.lo.u32 address, %1, 4, base;\n\t"
                 "st.shared.u32 [address+256], %2;\n\t"
                 "bar.sync 0;\n\t"
                 "mov.u32 base, memory_block_symbol+256;\n\t"
                 "xor.b32 address, %1, 5;\n\t"
                 "mad.lo.u32 address, address, 4, base;\n\t"
                 "ld.shared.u32 %0, [address];\n\t"
                 "}"
                 : "=r"(v)
                 : "r"(i), "r"(((const uint32_t *)a)[i])
                 : "memory");
    ((uint32_t *)d)[i] = v;
}

KERNEL(shared_symbol_direct) { /* [symbol + constant], no register at all; one writer and every lane a reader */
    int i = threadIdx.x;
    uint32_t v, w;
    asm volatile("{\n\t"
                 ".shared .align 8 .b32 memory_direct_symbol[4];\n\t"
                 ".reg .pred first;\n\t"
                 "setp.eq.u32 first, %2, 0;\n\t"
                 "@first st.shared.u32 [memory_direct_symbol], %3;\n\t"
                 "@first st.shared.u32 [memory_direct_symbol+12], %4;\n\t"
                 "bar.sync 0;\n\t"
                 "ld.shared.u32 %0, [memory_direct_symbol];\n\t"
                 "ld.shared.u32 %1, [memory_direct_symbol+12];\n\t"
                 "}"
                 : "=r"(v), "=r"(w)
                 : "r"(i), "r"(((const uint32_t *)a)[7]), "r"(((const uint32_t *)a)[9])
                 : "memory");
    ((uint32_t *)d)[i] = i & 1 ? v : w;
}

KERNEL(shared_dynamic_symbol) {
    int i = threadIdx.x;
    uint32_t base, v;
    ((uint32_t *)memory_dynamic_shared)[i] = ((const uint32_t *)a)[i];
    __syncthreads();
    asm volatile("mov.u32 %0, memory_dynamic_shared+16;" : "=r"(base));
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(base + 4 * (i % (THREADS - 4))) : "memory");
    ((uint32_t *)d)[i] = v;
}

KERNEL(dynamic_shared_sizes) {
    uint32_t dynamic;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
    memory_dynamic_shared[threadIdx.x] = (unsigned char)threadIdx.x;
    __syncthreads();
    ((uint32_t *)d)[threadIdx.x] = dynamic + memory_dynamic_shared[threadIdx.x ^ 1];
}

KERNEL(global_symbol) {
    int i = threadIdx.x;
    uint64_t p;
    uint32_t v;
    /* The variable must be used in C++ as well, or it would not be in the module. */
    asm volatile("mov.u64 %0, memory_global_bytes+8;" : "=l"(p));
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(v) : "l"(p + 4 * (i % 32)) : "memory");
    ((uint64_t *)d)[i] =
        v + ((uint64_t)(p == (uint64_t)__cvta_generic_to_global(memory_global_bytes) + 8) << 32);
}

KERNEL(global_symbol_direct) {
    uint32_t v, w;
    asm volatile("ld.global.b32 %0, [memory_global_bytes];" : "=r"(v)::"memory");
    asm volatile("ld.global.u8 %0, [memory_global_bytes+201];" : "=r"(w)::"memory");
    ((uint32_t *)d)[threadIdx.x] = threadIdx.x & 1 ? v : w + memory_global_bytes[threadIdx.x];
}

KERNEL(const_symbol) {
    int i = threadIdx.x;
    uint64_t p;
    uint32_t v;
    asm volatile("mov.u64 %0, memory_const_bytes+8;" : "=l"(p));
    asm volatile("ld.const.b32 %0, [%1];" : "=r"(v) : "l"(p + 4 * (i % 32)) : "memory");
    ((uint32_t *)d)[i] = v;
}

KERNEL(const_symbol_direct) {
    uint32_t v, w;
    asm volatile("ld.const.b32 %0, [memory_const_bytes];" : "=r"(v)::"memory");
    asm volatile("ld.const.s8 %0, [memory_const_bytes+201];" : "=r"(w)::"memory");
    ((uint32_t *)d)[threadIdx.x] = threadIdx.x & 1 ? v : w + memory_const_bytes[threadIdx.x];
}

KERNEL(local_symbol) { /* a local variable declared in the assembly, with a slot picked at run time */
    int i = threadIdx.x;
    uint32_t v;
    asm volatile("{\n\t"
                 ".local .align 8 .b8 memory_local_symbol[64];\n\t"
                 ".reg .b64 base, wide;\n\t"
                 ".reg .b32 slot;\n\t"
                 "and.b32 slot, %1, 7;\n\t"
                 "mov.u64 base, memory_local_symbol+16;\n\t"
                 "mul.wide.u32 wide, slot, 4;\n\t"
                 "add.u64 base, base, wide;\n\t"
                 "st.local.u32 [memory_local_symbol], %1;\n\t"
                 "st.local.u32 [base], %2;\n\t"
                 "ld.local.u32 %0, [base];\n\t"
                 "ld.local.u32 slot, [memory_local_symbol];\n\t"
                 "add.u32 %0, %0, slot;\n\t"
                 "}"
                 : "=&r"(v)
                 : "r"(i), "r"(((const uint32_t *)a)[i])
                 : "memory");
    ((uint32_t *)d)[i] = v;
}

/* From a space's address to a generic one, a generic load through it, and back to the same address. */
#define CVTA_KERNEL(id, space)                                                                                \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        __align__(16) unsigned char local[64];                                                                       \
        uint64_t p = place_##space(a, i, 4, local), generic, back;                                                   \
        uint32_t v;                                                                                                  \
        asm volatile("cvta." #space ".u64 %0, %1;" : "=l"(generic) : "l"(p));                                        \
        asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(generic) : "memory");                                        \
        asm volatile("cvta.to." #space ".u64 %0, %1;" : "=l"(back) : "l"(generic));                                  \
        ((uint64_t *)d)[i] = v + ((uint64_t)(back == p) << 32);                                                      \
    }
CVTA_KERNEL(cvta_global, global)
CVTA_KERNEL(cvta_shared, shared)
CVTA_KERNEL(cvta_local, local)
CVTA_KERNEL(cvta_const, const)

KERNEL(cvta_symbols) { /* cvta of a symbol and of a symbol plus an offset */
    uint64_t p, q;
    uint32_t v, w;
    asm volatile("cvta.global.u64 %0, memory_global_bytes;" : "=l"(p));
    asm volatile("cvta.const.u64 %0, memory_const_bytes+64;" : "=l"(q));
    asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(p + 4 * threadIdx.x) : "memory");
    asm volatile("ld.u32 %0, [%1];" : "=r"(w) : "l"(q + 4 * (threadIdx.x & 31)) : "memory");
    ((uint64_t *)d)[threadIdx.x] = v + ((uint64_t)w << 32) + memory_global_bytes[3] + memory_const_bytes[3];
}

/* isspacep of a generic address that is certainly in `space`, against each of the spaces that it could be taken for. */
#define ISSPACEP(question, p, shift)                                                                                 \
    {                                                                                                                \
        uint32_t answer;                                                                                             \
        asm volatile("{ .reg .pred q; isspacep." question " q, %1; selp.u32 %0, 1, 0, q; }" : "=r"(answer) : "l"(p)); \
        answers |= answer << (shift);                                                                                \
    }
KERNEL(isspacep_global_shared_local) {
    int i = threadIdx.x;
    __align__(16) unsigned char local[64];
    uint64_t where[3] = {place_generic(a, i, 4, local), place_generic_shared(a, i, 4, local),
                         place_generic_local(a, i, 4, local)};
    uint32_t answers = 0;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        ISSPACEP("global", where[k], 8 * k)
        ISSPACEP("shared", where[k], 8 * k + 1)
        ISSPACEP("local", where[k], 8 * k + 2)
        ISSPACEP("shared::cta", where[k], 8 * k + 3)
        ISSPACEP("shared::cluster", where[k], 8 * k + 4)
    }
    /* One pointer that points to different spaces in different lanes. */
    uint64_t mixed = where[i % 3];
    ISSPACEP("global", mixed, 24)
    ISSPACEP("shared", mixed, 25)
    ISSPACEP("local", mixed, 26)
    uint32_t v;
    asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(mixed) : "memory");
    ((uint64_t *)d)[i] = answers + ((uint64_t)v << 32);
}

KERNEL(isspacep_const) {
    uint64_t p;
    asm volatile("cvta.const.u64 %0, memory_const_bytes;" : "=l"(p));
    uint32_t answers = 0;
    ISSPACEP("const", p + threadIdx.x, 0)
    ISSPACEP("shared", p + threadIdx.x, 1)
    ISSPACEP("local", p + threadIdx.x, 2)
    ISSPACEP("const", a, 3)
    ((uint32_t *)d)[threadIdx.x] = answers + memory_const_bytes[threadIdx.x] * 256;
}

/* ---- parameters ---- */

/* The kernel's own parameters, of which only n (389) has a known value; C names, so that the assembly can spell the
 * parameters' names. The bytes of n are 85 01 00 00, so that s8 extends a sign. */
#define PARAM_N 389
#define PARAM_KERNEL(id, type, reg, offset)                                                                          \
    extern "C" __global__ void id(CASE_ARGUMENTS) {                     \
        reg_##reg v;                                                                                                 \
        asm volatile("ld.param." #type " %0, [" #id "_param_4+" #offset "];" : "=" #reg(v)::"memory");               \
        for (int i = threadIdx.x; i < n; i += blockDim.x) ((uint64_t *)d)[i] = i ? (uint64_t)i : bits(v);            \
    }
#define PARAM_FORMS(X)                                                                                               \
    X(memory_param_b8_h, b8, h, 0) X(memory_param_b8_r, b8, r, 0)                                                    \
    X(memory_param_b8_l, b8, l, 0) X(memory_param_u8_h, u8, h, 0)                                                    \
    X(memory_param_u8_r, u8, r, 0) X(memory_param_u8_l, u8, l, 0)                                                    \
    X(memory_param_s8_h, s8, h, 0) X(memory_param_s8_r, s8, r, 0)                                                    \
    X(memory_param_s8_l, s8, l, 0) X(memory_param_u8_odd, u8, r, 1)                                                  \
    X(memory_param_s8_odd, s8, r, 3) X(memory_param_b16_h, b16, h, 0)                                                \
    X(memory_param_u16_r, u16, r, 0) X(memory_param_u16_l, u16, l, 2)                                                \
    X(memory_param_s16_r, s16, r, 0) X(memory_param_s16_l, s16, l, 0)                                                \
    X(memory_param_b32_r, b32, r, 0) X(memory_param_u32_r, u32, r, 0)                                                \
    X(memory_param_u32_l, u32, l, 0) X(memory_param_s32_r, s32, r, 0)                                                \
    X(memory_param_s32_l, s32, l, 0) X(memory_param_f32_f, f32, f, 0)
#define PARAM_CASE(id, type, reg, offset)                                                                            \
    {"ld.param." #type "/" #reg "+" #offset, id, V_NONE, V_NONE, V_NONE, V_U64, PARAM_N, 1, 128, 0, 0},

PARAM_FORMS(PARAM_KERNEL)

/* The pointer parameters have no fixed values, but 64-bit and vector loads of them must agree with the compiler's own
 * loads, and unused inputs are null pointers. */
extern "C" __global__ void memory_param_pointers(CASE_ARGUMENTS) {
    uint64_t whole, pair0, pair1;
    uint32_t low, high;
    asm volatile("ld.param.u64 %0, [memory_param_pointers_param_3];" : "=l"(whole)::"memory");
    asm volatile("ld.param.v2.u32 {%0, %1}, [memory_param_pointers_param_3];" : "=r"(low), "=r"(high)::"memory");
    asm volatile("ld.param.b64 %0, [memory_param_pointers_param_1];" : "=l"(pair0)::"memory");
    asm volatile("ld.param.s64 %0, [memory_param_pointers_param_2];" : "=l"(pair1)::"memory");
    uint32_t answers = (whole == (uint64_t)d) | (low == (uint32_t)whole) << 1 | (high == (uint32_t)(whole >> 32)) << 2 |
                       (pair0 == 0) << 3 | (pair1 == 0) << 4 | (b == nullptr) << 5 | (c == nullptr) << 6;
    if ((int)threadIdx.x < n) ((uint32_t *)whole)[threadIdx.x] = answers + ((const uint32_t *)a)[threadIdx.x];
}

/* Parameters whose address is taken: __grid_constant__ lets it be taken without a local copy (cvta.param). */
/* Structs passed by value to and from a function that is not inlined: ld.param and st.param of bytes, arrays and odd
 * offsets, in the caller and in the callee. */
struct param_bytes {
    unsigned char v[7];
};
struct param_mixed {
    signed char tag;
    uint16_t half;
    unsigned char pad[3];
    double wide;
    uint32_t words[5];
    signed char last;
};
struct __align__(16) param_vector {
    float v[4];
    uint64_t w;
};

static __device__ __noinline__ param_bytes swap_bytes(param_bytes in, int by) {
    param_bytes out;
    for (int k = 0; k < 7; k++) out.v[k] = in.v[(k + by) % 7];
    return out;
}
static __device__ __noinline__ param_mixed mix(param_mixed in, signed char tag, param_bytes bytes) {
    in.words[in.half % 5] += (uint32_t)tag;
    in.half = (uint16_t)(in.half * 3 + bytes.v[6]);
    in.wide *= 2;
    for (int k = 0; k < 3; k++) in.pad[k] = (unsigned char)(in.pad[k] + bytes.v[k]);
    in.last = in.tag;
    in.tag = tag;
    return in;
}
static __device__ __noinline__ param_vector scale(param_vector in, const param_vector by, bool negate) {
    for (int k = 0; k < 4; k++) in.v[k] = negate ? -by.v[k] : in.v[k];
    in.w = in.w * 5 + by.w;
    return in;
}

KERNEL(param_struct_bytes) {
    int i = threadIdx.x;
    param_bytes in;
    for (int k = 0; k < 7; k++) in.v[k] = ((const unsigned char *)a)[7 * i + k];
    param_bytes out = swap_bytes(swap_bytes(in, i & 7), 3);
    for (int k = 0; k < 7; k++) ((unsigned char *)d)[7 * i + k] = out.v[k];
}

KERNEL(param_struct_mixed) {
    int i = threadIdx.x;
    const uint32_t *in = (const uint32_t *)a;
    param_mixed m;
    param_bytes bytes;
    m.tag = (signed char)in[i];
    m.half = (uint16_t)(in[i] >> 7);
    m.wide = (double)in[i];
    m.last = 1;
    for (int k = 0; k < 3; k++) m.pad[k] = (unsigned char)(in[i] >> k);
    for (int k = 0; k < 5; k++) m.words[k] = in[(i + k) % THREADS];
    for (int k = 0; k < 7; k++) bytes.v[k] = (unsigned char)(in[i] >> 3 * k);
    m = mix(m, (signed char)(i - 32), bytes);
    uint32_t sum = (uint32_t)m.tag * 3 + m.half * 5 + (uint32_t)m.last * 7;
    for (int k = 0; k < 3; k++) sum = sum * 31 + m.pad[k];
    for (int k = 0; k < 5; k++) sum = sum * 31 + m.words[k];
    ((uint64_t *)d)[i] = sum + ((uint64_t)__double_as_longlong(m.wide) & 0xffffffff00000000ull);
}

KERNEL(param_struct_vector) {
    int i = threadIdx.x;
    const uint32_t *in = (const uint32_t *)a;
    param_vector u, v;
    for (int k = 0; k < 4; k++) { /* no NaN: what a negation makes of its bits is not this case's business */
        u.v[k] = (float)in[(i + k) % THREADS];
        v.v[k] = (float)in[(i + 4 + k) % THREADS];
    }
    u.w = 0x123456789abcdefull + (uint64_t)i;
    v.w = (uint64_t)i << 40;
    u = scale(u, v, i % 3 == 0);
    uint64_t sum = u.w;
    for (int k = 0; k < 4; k++) sum = sum * 31 + __float_as_uint(u.v[k]);
    ((uint64_t *)d)[i] = sum;
}

/* ---- atom and red: one thread to a location ---- */

/* The cell holds a[i]; the output is the cell afterwards, then what the instruction returned. */

#define CELL_global(T)         ((T *)d + i)
#define CELL_generic(T)        ((T *)d + i)
#define CELL_shared(T)         (shared_cells<T>() + i)
#define CELL_generic_shared(T) (shared_cells<T>() + i)

#define ADDRESS_global(p)         ((uint64_t)__cvta_generic_to_global(p))
#define ADDRESS_shared(p)         ((uint64_t)__cvta_generic_to_shared(p))
#define ADDRESS_generic(p)        ((uint64_t)(p))
#define ADDRESS_generic_shared(p) ((uint64_t)(p))

template <typename T> static __device__ __forceinline__ T *shared_cells() {
    __shared__ __align__(16) T cells[THREADS];
    return cells;
}

#define ATOM_KERNEL(id, text, space, reg, values)                                                                    \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        reg_##reg *cell = CELL_##space(reg_##reg), old;                                                              \
        *cell = ((const reg_##reg *)a)[i];                                                                           \
        asm volatile(text " %0, [%1], %2;"                                                                           \
                     : "=" #reg(old)                                                                                 \
                     : "l"(ADDRESS_##space(cell)), #reg(((const reg_##reg *)b)[i])                                   \
                     : "memory");                                                                                    \
        ((reg_##reg *)d)[i] = *(volatile reg_##reg *)cell;                                                           \
        ((reg_##reg *)d)[THREADS + i] = old;                                                                         \
    }

#define RED_KERNEL(id, text, space, reg, values)                                                                     \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        reg_##reg *cell = CELL_##space(reg_##reg);                                                                   \
        *cell = ((const reg_##reg *)a)[i];                                                                           \
        asm volatile(text " [%0], %1;" ::"l"(ADDRESS_##space(cell)), #reg(((const reg_##reg *)b)[i]) : "memory");    \
        ((reg_##reg *)d)[i] = *(volatile reg_##reg *)cell;                                                           \
    }

/* Every other compare value matches. */
#define CAS_KERNEL(id, text, space, reg, values)                                                                     \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        reg_##reg *cell = CELL_##space(reg_##reg), old, in = ((const reg_##reg *)a)[i];                              \
        *cell = in;                                                                                                  \
        asm volatile(text " %0, [%1], %2, %3;"                                                                       \
                     : "=" #reg(old)                                                                                 \
                     : "l"(ADDRESS_##space(cell)), #reg(i & 1 ? in : ((const reg_##reg *)b)[i]),                     \
                       #reg(((const reg_##reg *)c)[i])                                                               \
                     : "memory");                                                                                    \
        ((reg_##reg *)d)[i] = *(volatile reg_##reg *)cell;                                                           \
        ((reg_##reg *)d)[THREADS + i] = old;                                                                         \
    }

/* X(space, operation, name, register, values) */
#define RED_OPERATIONS(X, s)                                                                                         \
    X(s, "add.u32", add_u32, r, V_U32) X(s, "add.s32", add_s32, r, V_S32) X(s, "add.u64", add_u64, l, V_U64)         \
    X(s, "add.f32", add_f32, r, V_F32) X(s, "add.f64", add_f64, l, V_F64)                                            \
    X(s, "add.noftz.f16", add_f16, h, V_F16) X(s, "add.noftz.f16x2", add_f16x2, r, V_F16X2)                          \
    X(s, "add.noftz.bf16", add_bf16, h, V_BF16) X(s, "add.noftz.bf16x2", add_bf16x2, r, V_BF16X2)                    \
    X(s, "min.u32", min_u32, r, V_U32) X(s, "min.s32", min_s32, r, V_S32) X(s, "min.u64", min_u64, l, V_U64)         \
    X(s, "min.s64", min_s64, l, V_S64) X(s, "max.u32", max_u32, r, V_U32) X(s, "max.s32", max_s32, r, V_S32)         \
    X(s, "max.u64", max_u64, l, V_U64) X(s, "max.s64", max_s64, l, V_S64) X(s, "and.b32", and_b32, r, V_U32)         \
    X(s, "and.b64", and_b64, l, V_U64) X(s, "or.b32", or_b32, r, V_U32) X(s, "or.b64", or_b64, l, V_U64)             \
    X(s, "xor.b32", xor_b32, r, V_U32) X(s, "xor.b64", xor_b64, l, V_U64) X(s, "inc.u32", inc_u32, r, V_U32)         \
    X(s, "dec.u32", dec_u32, r, V_U32)
#define ATOM_OPERATIONS(X, s)                                                                                        \
    RED_OPERATIONS(X, s) X(s, "exch.b32", exch_b32, r, V_U32) X(s, "exch.b64", exch_b64, l, V_U64)
#define CAS_OPERATIONS(X, s)                                                                                         \
    X(s, "cas.b16", cas_b16, h, V_U16) X(s, "cas.b32", cas_b32, r, V_U32) X(s, "cas.b64", cas_b64, l, V_U64)
#define ALL_SPACES(OPERATIONS, X)                                                                                    \
    OPERATIONS(X, global) OPERATIONS(X, shared) OPERATIONS(X, generic) OPERATIONS(X, generic_shared)

#define ATOMS_KERNEL(s, op, name, reg, values) ATOM_KERNEL(atom_##s##_##name, "atom" PTX_##s "." op, s, reg, values)
#define REDS_KERNEL(s, op, name, reg, values)  RED_KERNEL(red_##s##_##name, "red" PTX_##s "." op, s, reg, values)
#define CASES_KERNEL(s, op, name, reg, values) CAS_KERNEL(atom_##s##_##name, "atom" PTX_##s "." op, s, reg, values)
#define ATOMS_CASE(s, op, name, reg, values)                                                                         \
    {"atom." #s "." op, atom_##s##_##name, values, values, V_NONE, values, 2 * THREADS, 1, THREADS, 0, 0},
#define REDS_CASE(s, op, name, reg, values)                                                                          \
    {"red." #s "." op, red_##s##_##name, values, values, V_NONE, values, THREADS, 1, THREADS, 0, 0},
#define CASES_CASE(s, op, name, reg, values)                                                                         \
    {"atom." #s "." op, atom_##s##_##name, values, values, values, values, 2 * THREADS, 1, THREADS, 0, 0},

ALL_SPACES(ATOM_OPERATIONS, ATOMS_KERNEL)
ALL_SPACES(RED_OPERATIONS, REDS_KERNEL)
ALL_SPACES(CAS_OPERATIONS, CASES_KERNEL)

/* Orderings and scopes. */
#define ATOM_ORDERS(X, space, id, op)                                                                                \
    ATOM_SCOPES(X, space, id##_relaxed, "atom.relaxed", op) ATOM_SCOPES(X, space, id##_acquire, "atom.acquire", op)  \
    ATOM_SCOPES(X, space, id##_release, "atom.release", op) ATOM_SCOPES(X, space, id##_acq_rel, "atom.acq_rel", op)
#define RED_ORDERS(X, space, id, op)                                                                                 \
    ATOM_SCOPES(X, space, id##_relaxed, "red.relaxed", op) ATOM_SCOPES(X, space, id##_release, "red.release", op)
#define ATOM_SCOPES(X, space, id, text, op)                                                                          \
    X(id##_cta, text ".cta" PTX_##space op, space, r, V_U32)                                                         \
    X(id##_cluster, text ".cluster" PTX_##space op, space, r, V_U32)                                                 \
    X(id##_gpu, text ".gpu" PTX_##space op, space, r, V_U32) X(id##_sys, text ".sys" PTX_##space op, space, r, V_U32)
#define ORDERED_ATOMS(X)                                                                                             \
    ATOM_ORDERS(X, global, atom_o_add, ".add.u32") ATOM_ORDERS(X, shared, atom_os_add, ".add.u32")                   \
    ATOM_ORDERS(X, generic, atom_og_exch, ".exch.b32")
#define ORDERED_CAS(X) ATOM_ORDERS(X, global, atom_o_cas, ".cas.b32") ATOM_ORDERS(X, shared, atom_os_cas, ".cas.b32")
#define ORDERED_REDS(X)                                                                                              \
    RED_ORDERS(X, global, red_o_add, ".add.s32") RED_ORDERS(X, shared, red_os_max, ".max.u32")                       \
    RED_ORDERS(X, generic, red_og_xor, ".xor.b32")
#define ORDERED_ATOM_CASE(id, text, space, reg, values)                                                              \
    {text, id, values, values, V_NONE, values, 2 * THREADS, 1, THREADS, 0, 0},
#define ORDERED_CAS_CASE(id, text, space, reg, values)                                                               \
    {text, id, values, values, values, values, 2 * THREADS, 1, THREADS, 0, 0},
#define ORDERED_RED_CASE(id, text, space, reg, values)                                                               \
    {text, id, values, values, V_NONE, values, THREADS, 1, THREADS, 0, 0},

ORDERED_ATOMS(ATOM_KERNEL)
ORDERED_CAS(CAS_KERNEL)
ORDERED_REDS(RED_KERNEL)

/* 128 bits: exch and cas. */
#define ATOM_B128_KERNEL(id, space)                                                                                  \
    KERNEL(id) {                                                                                                     \
        int i = 2 * threadIdx.x;                                                                                     \
        uint64_t *cell = CELL_##space(uint64_t), low, high;                                                          \
        const uint64_t *in = (const uint64_t *)a + i, *value = (const uint64_t *)b + i;                              \
        cell[0] = in[0];                                                                                             \
        cell[1] = in[1];                                                                                             \
        asm volatile("{ .reg .b128 v, old; mov.b128 v, {%3, %4}; atom" PTX_##space ".exch.b128 old, [%2], v; "       \
                     "mov.b128 {%0, %1}, old; }"                                                                     \
                     : "=l"(low), "=l"(high)                                                                         \
                     : "l"(ADDRESS_##space(cell)), "l"(value[0]), "l"(value[1])                                      \
                     : "memory");                                                                                    \
        uint64_t after0 = ((volatile uint64_t *)cell)[0], after1 = ((volatile uint64_t *)cell)[1];                   \
        ((uint64_t *)d)[i] = after0;                                                                                 \
        ((uint64_t *)d)[i + 1] = after1;                                                                             \
        ((uint64_t *)d)[THREADS + i] = low;                                                                          \
        ((uint64_t *)d)[THREADS + i + 1] = high;                                                                     \
    }
/* Compare values match in both halves, in the low half only, in the high half only, or in neither. */
#define CAS_B128_KERNEL(id, space)                                                                                   \
    KERNEL(id) {                                                                                                     \
        int i = 2 * threadIdx.x;                                                                                     \
        uint64_t *cell = CELL_##space(uint64_t), low, high;                                                          \
        const uint64_t *in = (const uint64_t *)a + i, *value = (const uint64_t *)b + i;                              \
        uint64_t expect0 = in[0] + (threadIdx.x & 1), expect1 = in[1] + (threadIdx.x & 2);                           \
        cell[0] = in[0];                                                                                             \
        cell[1] = in[1];                                                                                             \
        asm volatile("{ .reg .b128 v, e, old; mov.b128 v, {%3, %4}; mov.b128 e, {%5, %6}; "                          \
                     "atom" PTX_##space ".cas.b128 old, [%2], e, v; mov.b128 {%0, %1}, old; }"                       \
                     : "=l"(low), "=l"(high)                                                                         \
                     : "l"(ADDRESS_##space(cell)), "l"(value[0]), "l"(value[1]), "l"(expect0), "l"(expect1)          \
                     : "memory");                                                                                    \
        uint64_t after0 = ((volatile uint64_t *)cell)[0], after1 = ((volatile uint64_t *)cell)[1];                   \
        ((uint64_t *)d)[i] = after0;                                                                                 \
        ((uint64_t *)d)[i + 1] = after1;                                                                             \
        ((uint64_t *)d)[THREADS + i] = low;                                                                          \
        ((uint64_t *)d)[THREADS + i + 1] = high;                                                                     \
    }
ATOM_B128_KERNEL(atom_global_exch_b128, global)
ATOM_B128_KERNEL(atom_shared_exch_b128, shared)
ATOM_B128_KERNEL(atom_generic_exch_b128, generic)
CAS_B128_KERNEL(atom_global_cas_b128, global)
CAS_B128_KERNEL(atom_shared_cas_b128, shared)
CAS_B128_KERNEL(atom_generic_cas_b128, generic)

/* Vectors in global memory. */
#define OUT_2(reg)  "=" #reg(old[0]), "=" #reg(old[1])
#define OUT_4(reg)  OUT_2(reg), "=" #reg(old[2]), "=" #reg(old[3])
#define OUT_8(reg)  OUT_4(reg), "=" #reg(old[4]), "=" #reg(old[5]), "=" #reg(old[6]), "=" #reg(old[7])
#define IN_2(reg)   #reg(in[0]), #reg(in[1])
#define IN_4(reg)   IN_2(reg), #reg(in[2]), #reg(in[3])
#define IN_8(reg)   IN_4(reg), #reg(in[4]), #reg(in[5]), #reg(in[6]), #reg(in[7])
#define ATOM_TEXT_2 " {%0, %1}, [%2], {%3, %4};"
#define ATOM_TEXT_4 " {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
#define ATOM_TEXT_8 \
    " {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], {%9, %10, %11, %12, %13, %14, %15, %16};"
#define RED_TEXT_2 " [%0], {%1, %2};"
#define RED_TEXT_4 " [%0], {%1, %2, %3, %4};"
#define RED_TEXT_8 " [%0], {%1, %2, %3, %4, %5, %6, %7, %8};"

#define VECTOR_ATOM_KERNEL(id, text, reg, values, count)                                                             \
    KERNEL(atom_##id) {                                                                                              \
        int i = threadIdx.x * count;                                                                                 \
        reg_##reg *cell = (reg_##reg *)d + i, old[count];                                                            \
        const reg_##reg *in = (const reg_##reg *)b + i;                                                              \
        for (int k = 0; k < count; k++) cell[k] = ((const reg_##reg *)a)[i + k];                                     \
        asm volatile("atom.global." text ATOM_TEXT_##count                                                           \
                     : OUT_##count(reg)                                                                              \
                     : "l"(ADDRESS_global(cell)), IN_##count(reg)                                                    \
                     : "memory");                                                                                    \
        for (int k = 0; k < count; k++) ((reg_##reg *)d)[VECTOR_THREADS * count + i + k] = old[k];                   \
    }                                                                                                                \
    KERNEL(red_##id) {                                                                                               \
        int i = threadIdx.x * count;                                                                                 \
        reg_##reg *cell = (reg_##reg *)d + i;                                                                        \
        const reg_##reg *in = (const reg_##reg *)b + i;                                                              \
        for (int k = 0; k < count; k++) cell[k] = ((const reg_##reg *)a)[i + k];                                     \
        asm volatile("red.global." text RED_TEXT_##count ::"l"(ADDRESS_global(cell)), IN_##count(reg) : "memory");   \
    }
#define VECTOR_ATOM_CASE(id, text, reg, values, count)                                                               \
    {"atom.global." text, atom_##id, values, values, V_NONE, values, VECTOR_THREADS * count * 2, 1, VECTOR_THREADS,  \
     0, 0},                                                                                                          \
        {"red.global." text, red_##id, values, values, V_NONE, values, VECTOR_THREADS * count, 1, VECTOR_THREADS, 0, \
         0},
#define VECTOR_HALF_ATOMS(X, op)                                                                                     \
    X(v2_f16_##op, #op ".noftz.v2.f16", h, V_F16, 2) X(v4_f16_##op, #op ".noftz.v4.f16", h, V_F16, 4)                \
    X(v8_f16_##op, #op ".noftz.v8.f16", h, V_F16, 8) X(v2_bf16_##op, #op ".noftz.v2.bf16", h, V_BF16, 2)             \
    X(v4_bf16_##op, #op ".noftz.v4.bf16", h, V_BF16, 4) X(v8_bf16_##op, #op ".noftz.v8.bf16", h, V_BF16, 8)          \
    X(v2_f16x2_##op, #op ".noftz.v2.f16x2", r, V_F16X2, 2) X(v4_f16x2_##op, #op ".noftz.v4.f16x2", r, V_F16X2, 4)    \
    X(v2_bf16x2_##op, #op ".noftz.v2.bf16x2", r, V_BF16X2, 2)                                                        \
    X(v4_bf16x2_##op, #op ".noftz.v4.bf16x2", r, V_BF16X2, 4)
#define VECTOR_ATOMS(X)                                                                                              \
    X(v2_f32, "add.v2.f32", f, V_F32, 2) X(v4_f32, "add.v4.f32", f, V_F32, 4) VECTOR_HALF_ATOMS(X, add)              \
    VECTOR_HALF_ATOMS(X, min) VECTOR_HALF_ATOMS(X, max)

VECTOR_ATOMS(VECTOR_ATOM_KERNEL)

/* ---- atom and red: contended ---- */

/* CONTENDED_BLOCKS blocks of CONTENDED_THREADS threads all work on four cells, neighbouring lanes on the same one in
 * the first half of each block and on different ones in the second. The order is not determined, so that operands are
 * such that neither the result nor the sum of what was returned depends on it. The last block to finish writes the
 * cells out and restores them for the next launch; the cells are the case's own. */
#define CONTENDED_BLOCKS  8
#define CONTENDED_THREADS 96

static __device__ __forceinline__ int contended_cell() {
    return threadIdx.x < CONTENDED_THREADS / 2 ? blockIdx.x & 3 : threadIdx.x & 3;
}

/* True in every thread of the block that finished last. */
static __device__ __forceinline__ bool last_block(unsigned int *ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    __threadfence();
    return last;
}

/* t numbers the threads of the grid. `sums` says whether the returned values' sum is order-independent. */
#define CONTENDED_KERNEL(id, text, reg, start, operand, sums)                                                        \
    static __device__ __align__(16) reg_##reg id##_cells[4] = {(reg_##reg)start, (reg_##reg)start, (reg_##reg)start, \
                                                               (reg_##reg)start};                                    \
    static __device__ unsigned long long id##_sums[4];                                                               \
    static __device__ unsigned int id##_ticket;                                                                      \
    static __device__ __forceinline__ reg_##reg id##_operand(uint32_t t) {                                           \
        (void)t;                                                                                                     \
        return (reg_##reg)(operand);                                                                                 \
    }                                                                                                                \
    KERNEL(id##_global) {                                                                                            \
        uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;                                                          \
        int k = contended_cell();                                                                                    \
        reg_##reg old, in = id##_operand(t);                                                                         \
        asm volatile("atom.global." text " %0, [%1], %2;"                                                            \
                     : "=" #reg(old)                                                                                 \
                     : "l"(ADDRESS_global(&id##_cells[k])), #reg(in)                                                 \
                     : "memory");                                                                                    \
        if (sums) atomicAdd(&id##_sums[k], (unsigned long long)old);                                                 \
        if (last_block(&id##_ticket) && threadIdx.x < 4) {                                                           \
            ((uint64_t *)d)[threadIdx.x] = ((volatile reg_##reg *)id##_cells)[threadIdx.x];                          \
            ((uint64_t *)d)[4 + threadIdx.x] = ((volatile unsigned long long *)id##_sums)[threadIdx.x];              \
            ((volatile reg_##reg *)id##_cells)[threadIdx.x] = (reg_##reg)start;                                      \
            ((volatile unsigned long long *)id##_sums)[threadIdx.x] = 0;                                             \
        }                                                                                                            \
    }                                                                                                                \
    KERNEL(id##_shared) {                                                                                            \
        __shared__ __align__(16) reg_##reg cells[4];                                                                 \
        __shared__ unsigned long long totals[4];                                                                     \
        uint32_t t = threadIdx.x;                                                                                    \
        int k = t & 4 ? t & 3 : t >> 5 & 3;                                                                          \
        if (t < 4) cells[t] = (reg_##reg)start, totals[t] = 0;                                                       \
        __syncthreads();                                                                                             \
        reg_##reg old, in = id##_operand(t);                                                                         \
        asm volatile("atom.shared." text " %0, [%1], %2;"                                                            \
                     : "=" #reg(old)                                                                                 \
                     : "l"(ADDRESS_shared(&cells[k])), #reg(in)                                                      \
                     : "memory");                                                                                    \
        if (sums) atomicAdd(&totals[k], (unsigned long long)old);                                                    \
        __syncthreads();                                                                                             \
        if (t < 4) ((uint64_t *)d)[t] = cells[t], ((uint64_t *)d)[4 + t] = totals[t];                                \
    }                                                                                                                \
    KERNEL(id##_lane) { /* one active lane at a time, in order: the returned values are determined */                \
        __shared__ __align__(16) reg_##reg cell;                                                                     \
        if (threadIdx.x == 0) cell = (reg_##reg)start;                                                               \
        for (uint32_t t = 0; t < 32; t++) {                                                                          \
            __syncwarp();                                                                                            \
            if (threadIdx.x == t) {                                                                                  \
                reg_##reg old, in = id##_operand(t);                                                                 \
                asm volatile("atom.shared." text " %0, [%1], %2;"                                                    \
                             : "=" #reg(old)                                                                         \
                             : "l"(ADDRESS_shared(&cell)), #reg(in)                                                  \
                             : "memory");                                                                            \
                ((uint64_t *)d)[t] = old;                                                                            \
            }                                                                                                        \
        }                                                                                                            \
    }

/* exch has no order-independent result but the sum of everything that was ever in a cell; the other operations
 * without a constant operand return values that depend on the order, so that only the cells are shown. Floating-point
 * sums are exact: 192 additions of 1 to a cell at most. */
#define CONTENDED(X)                                                                                                 \
    X(many_add_u32, "add.u32", r, 0xfffffff0u, 1, 1) X(many_add_s32, "add.s32", r, 100, -3, 1)                       \
    X(many_add_u64, "add.u64", l, 0xfffffffffull, 0x100000001ull, 1)                                                 \
    X(many_add_f32, "add.f32", r, 0, 0x3f800000u, 1) X(many_add_f64, "add.f64", l, 0, 0x3ff0000000000000ull, 1)      \
    X(many_add_f16, "add.noftz.f16", h, 0, 0x3c00, 1) X(many_add_f16x2, "add.noftz.f16x2", r, 0, 0xbc003c00u, 1)     \
    X(many_add_bf16, "add.noftz.bf16", h, 0, 0x3f80, 1)                                                              \
    X(many_add_bf16x2, "add.noftz.bf16x2", r, 0, 0xbf803f80u, 1) X(many_inc, "inc.u32", r, 3, 100, 1)                \
    X(many_dec, "dec.u32", r, 7, 50, 1) X(many_add_u32_mixed, "add.u32", r, 5, t * 2654435761u, 0)                   \
    X(many_min_u32, "min.u32", r, 0xffffffffu, t * 2654435761u, 0)                                                   \
    X(many_max_u32, "max.u32", r, 0, t * 2654435761u, 0)                                                             \
    X(many_min_s32, "min.s32", r, 0x7fffffff, t * 2654435761u, 0)                                                    \
    X(many_max_s32, "max.s32", r, 0x80000000u, t * 2654435761u, 0)                                                   \
    X(many_min_u64, "min.u64", l, ~0ull, t * 0x9e3779b97f4a7c15ull, 0)                                               \
    X(many_max_u64, "max.u64", l, 0, t * 0x9e3779b97f4a7c15ull, 0)                                                   \
    X(many_min_s64, "min.s64", l, 0x7fffffffffffffffull, t * 0x9e3779b97f4a7c15ull, 0)                               \
    X(many_max_s64, "max.s64", l, 0x8000000000000000ull, t * 0x9e3779b97f4a7c15ull, 0)                               \
    X(many_and_b32, "and.b32", r, ~0u, ~(1u << (t & 23)), 0) X(many_or_b32, "or.b32", r, 0, 1u << (t & 23), 0)       \
    X(many_xor_b32, "xor.b32", r, 0x55, t * 2654435761u, 0)                                                          \
    X(many_and_b64, "and.b64", l, ~0ull, ~(1ull << (t & 45)), 0)                                                     \
    X(many_or_b64, "or.b64", l, 0, 1ull << (t & 45), 0)                                                              \
    X(many_xor_b64, "xor.b64", l, 0x55, t * 0x9e3779b97f4a7c15ull, 0)

#define CONTENDED_CASE(id, text, reg, start, operand, sums)                                                          \
    {"atom.global." text "/" #id, id##_global, V_NONE, V_NONE, V_NONE, V_U64, 8, CONTENDED_BLOCKS,                   \
     CONTENDED_THREADS, 0, 0},                                                                                       \
        {"atom.shared." text "/" #id, id##_shared, V_NONE, V_NONE, V_NONE, V_U64, 8, 1, 128, 0, 0},                  \
        {"atom.shared." text "/" #id "_by_lane", id##_lane, V_NONE, V_NONE, V_NONE, V_U64, 32, 1, 32, 0, 0},

CONTENDED(CONTENDED_KERNEL)

/* Every value that was in the cell comes back exactly once, or stays: the sum of all is determined. */
#define MANY_EXCH_KERNEL(id, text, reg)                                                                              \
    static __device__ reg_##reg id##_cell;                                                                           \
    static __device__ unsigned long long id##_sum;                                                                   \
    static __device__ unsigned int id##_ticket;                                                                      \
    KERNEL(id) {                                                                                                     \
        reg_##reg old, in = (reg_##reg)((blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b97f4a7c15ull);            \
        asm volatile(text " %0, [%1], %2;" : "=" #reg(old) : "l"(ADDRESS_global(&id##_cell)), #reg(in) : "memory");  \
        atomicAdd(&id##_sum, (unsigned long long)old);                                                               \
        if (last_block(&id##_ticket) && threadIdx.x == 0) {                                                          \
            ((uint64_t *)d)[0] = *(volatile unsigned long long *)&id##_sum + *(volatile reg_##reg *)&id##_cell;      \
            *(volatile reg_##reg *)&id##_cell = 0;                                                                   \
            *(volatile unsigned long long *)&id##_sum = 0;                                                           \
        }                                                                                                            \
    }
MANY_EXCH_KERNEL(many_exch_b32, "atom.global.exch.b32", r)
MANY_EXCH_KERNEL(many_exch_b64, "atom.global.exch.b64", l)

/* Adding with a compare-and-swap loop: every thread must succeed exactly once. A lane that fails has lost to one that
 * succeeded, so that the loop ends however lanes and blocks are scheduled. */
#define MANY_CAS_KERNEL(id, text, reg)                                                                               \
    static __device__ reg_##reg id##_cells[4];                                                                       \
    static __device__ unsigned int id##_ticket;                                                                      \
    KERNEL(id) {                                                                                                     \
        int k = contended_cell();                                                                                    \
        reg_##reg old = ((volatile reg_##reg *)id##_cells)[k], expected;                                             \
        do {                                                                                                         \
            expected = old;                                                                                          \
            asm volatile(text " %0, [%1], %2, %3;"                                                                   \
                         : "=" #reg(old)                                                                             \
                         : "l"(ADDRESS_global(&id##_cells[k])), #reg(expected),                                      \
                           #reg((reg_##reg)(expected + threadIdx.x + 1))                                             \
                         : "memory");                                                                                \
        } while (old != expected);                                                                                   \
        if (last_block(&id##_ticket) && threadIdx.x < 4) {                                                           \
            ((uint64_t *)d)[threadIdx.x] = ((volatile reg_##reg *)id##_cells)[threadIdx.x];                          \
            ((volatile reg_##reg *)id##_cells)[threadIdx.x] = 0;                                                     \
        }                                                                                                            \
    }
MANY_CAS_KERNEL(many_cas_b16, "atom.global.cas.b16", h)
MANY_CAS_KERNEL(many_cas_b32, "atom.global.cas.b32", r)
MANY_CAS_KERNEL(many_cas_b64, "atom.global.cas.b64", l)

/* red, contended: the cell only. */
#define MANY_RED_KERNEL(id, text, reg, start, operand, sums)                                                         \
    static __device__ reg_##reg red_##id##_cells[4] = {(reg_##reg)start, (reg_##reg)start, (reg_##reg)start,         \
                                                       (reg_##reg)start};                                            \
    static __device__ unsigned int red_##id##_ticket;                                                                \
    KERNEL(red_##id) {                                                                                               \
        uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;                                                          \
        int k = contended_cell();                                                                                    \
        reg_##reg in = id##_operand(t);                                                                              \
        asm volatile("red.global." text " [%0], %1;" ::"l"(ADDRESS_global(&red_##id##_cells[k])), #reg(in)           \
                     : "memory");                                                                                    \
        if (last_block(&red_##id##_ticket) && threadIdx.x < 4) {                                                     \
            ((uint64_t *)d)[threadIdx.x] = ((volatile reg_##reg *)red_##id##_cells)[threadIdx.x];                    \
            ((volatile reg_##reg *)red_##id##_cells)[threadIdx.x] = (reg_##reg)start;                                \
        }                                                                                                            \
    }
#define MANY_RED_CASE(id, text, reg, start, operand, sums)                                                           \
    {"red.global." text "/" #id, red_##id, V_NONE, V_NONE, V_NONE, V_U64, 4, CONTENDED_BLOCKS, CONTENDED_THREADS, 0, 0},

CONTENDED(MANY_RED_KERNEL)

/* ---- cp.async ---- */

/* Each thread copies into its own 32-byte slot of shared memory, which was filled before; the whole slot is shown. */
#define COPY_THREADS 32

static __device__ __forceinline__ unsigned char *copy_slot(int i) {
    __shared__ __align__(16) unsigned char slots[COPY_THREADS * 32];
    for (int k = 0; k < 32; k++) slots[i * 32 + k] = FILL;
    __syncthreads();
    return slots + i * 32;
}

static __device__ __forceinline__ void show_copy(void *d, int i, const unsigned char *slot) {
    __syncthreads();
    for (int k = 0; k < 32; k++) ((unsigned char *)d)[i * 32 + k] = ((const volatile unsigned char *)slot)[k];
}

/* `tail` uses %2 (bytes to read) or the predicate `ignore`, which is set in odd threads. */
#define COPY_KERNEL(id, text, size, tail, bytes)                                                                     \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        unsigned char *slot = copy_slot(i);                                                                          \
        asm volatile("{ .reg .pred ignore; setp.ne.u32 ignore, %3, 0; " text " [%0], [%1], " #size tail              \
                     "; }" ::"r"((uint32_t)__cvta_generic_to_shared(slot)),                                          \
                     "l"(__cvta_generic_to_global((const char *)a + i * 16)), "r"((uint32_t)(bytes)), "r"(i & 1)     \
                     : "memory");                                                                                    \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                             \
        show_copy(d, i, slot);                                                                                       \
    }
#define COPIES(X)                                                                                                    \
    X(copy_ca_4, "cp.async.ca.shared.global", 4, "", 0) X(copy_ca_8, "cp.async.ca.shared.global", 8, "", 0)          \
    X(copy_ca_16, "cp.async.ca.shared.global", 16, "", 0) X(copy_cg_16, "cp.async.cg.shared.global", 16, "", 0)      \
    X(copy_ca_4_bytes, "cp.async.ca.shared.global", 4, ", %2", i % 5)                                                \
    X(copy_ca_8_bytes, "cp.async.ca.shared.global", 8, ", %2", i % 9)                                                \
    X(copy_ca_16_bytes, "cp.async.ca.shared.global", 16, ", %2", i % 17)                                             \
    X(copy_cg_16_bytes, "cp.async.cg.shared.global", 16, ", %2", i % 17)                                             \
    X(copy_ca_4_zero, "cp.async.ca.shared.global", 4, ", 0", 0)                                                      \
    X(copy_cg_16_zero, "cp.async.cg.shared.global", 16, ", 0", 0)                                                    \
    X(copy_ca_8_part, "cp.async.ca.shared.global", 8, ", 3", 0)                                                      \
    X(copy_cg_16_part, "cp.async.cg.shared.global", 16, ", 12", 0)                                                   \
    X(copy_cg_16_full, "cp.async.cg.shared.global", 16, ", 16", 0)                                                   \
    X(copy_cg_16_zero_or_full, "cp.async.cg.shared.global", 16, ", %2", i % 3 ? 16 : 0)                              \
    X(copy_ca_4_ignore, "cp.async.ca.shared.global", 4, ", ignore", 0)                                               \
    X(copy_ca_16_ignore, "cp.async.ca.shared.global", 16, ", ignore", 0)                                             \
    X(copy_cg_16_ignore, "cp.async.cg.shared.global", 16, ", ignore", 0)                                             \
    X(copy_cta, "cp.async.ca.shared::cta.global", 16, "", 0)                                                         \
    X(copy_l2_64, "cp.async.ca.shared.global.L2::64B", 16, "", 0)                                                    \
    X(copy_l2_128, "cp.async.cg.shared.global.L2::128B", 16, "", 0)                                                  \
    X(copy_l2_256, "cp.async.cg.shared.global.L2::256B", 16, ", %2", i % 17)
#define COPY_CASE(id, text, size, tail, bytes)                                                                       \
    {text " " #size tail "/" #id, id, V_U8, V_NONE, V_NONE, V_U8, COPY_THREADS * 32, 1, COPY_THREADS, 0, 0},

COPIES(COPY_KERNEL)

KERNEL(copy_predicated) { /* @p and @!p before cp.async */
    int i = threadIdx.x;
    unsigned char *slot = copy_slot(i);
    uint32_t to = (uint32_t)__cvta_generic_to_shared(slot);
    uint64_t from = (uint64_t)__cvta_generic_to_global((const char *)a + i * 16);
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %2, 11; @p cp.async.cg.shared.global [%0], [%1], 16; "
                 "@!p cp.async.ca.shared.global [%0+16], [%1], 8; }" ::"r"(to),
                 "l"(from), "r"(i)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    show_copy(d, i, slot);
}

/* Four groups; group g fills a 4 * 32-byte stage with elements from g * 32 on. After wait_group N all but the last N
 * groups are there, and only those are read, by another thread than the one that copied. */
#define COPY_GROUPS 4
#define COPY_GROUP_KERNEL(id, wait, ready)                                                                           \
    KERNEL(id) {                                                                                                     \
        __shared__ __align__(16) uint32_t stage[COPY_GROUPS][COPY_THREADS];                                          \
        int i = threadIdx.x;                                                                                         \
        for (int g = 0; g < COPY_GROUPS; g++) stage[g][i] = FILL;                                                    \
        __syncthreads();                                                                                             \
        for (int g = 0; g < COPY_GROUPS; g++) {                                                                      \
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(                                           \
                             (uint32_t)__cvta_generic_to_shared(&stage[g][i])),                                      \
                         "l"(__cvta_generic_to_global((const uint32_t *)a + g * COPY_THREADS + i))                   \
                         : "memory");                                                                                \
            asm volatile("cp.async.commit_group;" ::: "memory");                                                     \
        }                                                                                                            \
        asm volatile(wait ::: "memory");                                                                             \
        __syncthreads();                                                                                             \
        uint32_t sum = 0;                                                                                            \
        for (int g = 0; g < (ready); g++) sum = sum * 31 + stage[g][i ^ 7];                                          \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                             \
        __syncthreads();                                                                                             \
        for (int g = 0; g < COPY_GROUPS; g++) ((uint32_t *)d)[g * COPY_THREADS + i] = sum ^ stage[g][31 - i];        \
    }
COPY_GROUP_KERNEL(copy_wait_group_0, "cp.async.wait_group 0;", 4)
COPY_GROUP_KERNEL(copy_wait_group_1, "cp.async.wait_group 1;", 3)
COPY_GROUP_KERNEL(copy_wait_group_2, "cp.async.wait_group 2;", 2)
COPY_GROUP_KERNEL(copy_wait_group_3, "cp.async.wait_group 3;", 1)
COPY_GROUP_KERNEL(copy_wait_group_7, "cp.async.wait_group 7;", 0)
COPY_GROUP_KERNEL(copy_wait_all, "cp.async.wait_all;", 4)

KERNEL(copy_empty_groups) { /* empty groups count too: the two pending ones that may stay are the empty ones */
    int i = threadIdx.x;
    unsigned char *slot = copy_slot(i);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(slot)),
                 "l"(__cvta_generic_to_global((const char *)a + i * 16))
                 : "memory");
    asm volatile("cp.async.commit_group;\n\tcp.async.commit_group;\n\tcp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 2;" ::: "memory");
    show_copy(d, i, slot);
}

/* A double-buffered loop, as the matrix kernels have: copies for the next stage go on while this one is read. */
KERNEL(copy_pipeline) {
    __shared__ __align__(16) uint32_t stage[2][COPY_THREADS * 4];
    int i = threadIdx.x;
    uint32_t sum = 0;
    for (int step = 0; step <= 8; step++) {
        if (step < 8) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             (uint32_t)__cvta_generic_to_shared(&stage[step & 1][4 * i])),
                         "l"(__cvta_generic_to_global((const uint32_t *)a + (step * COPY_THREADS + i) * 4))
                         : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (step > 0) {
            asm volatile("cp.async.wait_group 1;" ::: "memory");
            __syncthreads();
            for (int k = 0; k < 4; k++) sum = sum * 33 + stage[step - 1 & 1][(i * 4 + k * 37) & 127];
            __syncthreads();
        }
    }
    for (int k = i; k < n; k += COPY_THREADS) ((uint32_t *)d)[k] = sum + (uint32_t)(k / COPY_THREADS);
}

/* ---- prefetches, policies, cache hints: they must leave data alone ---- */

#define PREFETCH_KERNEL(id, text, space)                                                                             \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        __align__(16) unsigned char local[64];                                                                       \
        uint64_t p = place_##space(a, i, 4, local);                                                                  \
        uint32_t v;                                                                                                  \
        asm volatile(text ::"l"(p) : "memory");                                                                      \
        asm volatile("ld" PTX_##space ".u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");                               \
        ((uint32_t *)d)[i] = v;                                                                                      \
    }
#define PREFETCHES(X)                                                                                                \
    X(prefetch_l1, "prefetch.global.L1 [%0];", global) X(prefetch_l2, "prefetch.global.L2 [%0];", global)            \
    X(prefetch_generic_l1, "prefetch.L1 [%0];", generic) X(prefetch_generic_l2, "prefetch.L2 [%0];", generic)        \
    X(prefetch_local_l1, "prefetch.local.L1 [%0];", local) X(prefetch_local_l2, "prefetch.local.L2 [%0];", local)    \
    X(prefetchu_l1, "prefetchu.L1 [%0];", generic)                                                                   \
    X(prefetch_last, "prefetch.global.L2::evict_last [%0];", global)                                                 \
    X(prefetch_normal, "prefetch.global.L2::evict_normal [%0];", global)
#define PREFETCH_CASE(id, text, space) \
    {text "/" #id, id, V_U32, V_NONE, V_NONE, V_U32, THREADS, 1, THREADS, 0, 0},

PREFETCHES(PREFETCH_KERNEL)

KERNEL(applypriority) {
    int i = threadIdx.x;
    uint32_t v;
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"((uint64_t)a & ~127ull) : "memory");
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"((const uint32_t *)a + i) : "memory");
    ((uint32_t *)d)[i] = v;
}

#define HINT_KERNEL(id, create)                                                                                      \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        uint32_t v, old, *out = (uint32_t *)d + 2 * i, w0, w1, w2, w3;                                               \
        uint64_t policy;                                                                                             \
        asm volatile(create : "=l"(policy) : "l"(a));                                                                \
        asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;"                                                    \
                     : "=r"(v)                                                                                       \
                     : "l"((const uint32_t *)a + i), "l"(policy)                                                     \
                     : "memory");                                                                                    \
        asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"                \
                     : "=r"(w0), "=r"(w1), "=r"(w2), "=r"(w3)                                                        \
                     : "l"((const uint32_t *)a + (i & ~3)), "l"(policy)                                              \
                     : "memory");                                                                                    \
        asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out), "r"(v), "l"(policy) : "memory");       \
        asm volatile("atom.global.add.L2::cache_hint.u32 %0, [%1], %2, %3;"                                          \
                     : "=r"(old)                                                                                     \
                     : "l"(out), "r"(i), "l"(policy)                                                                 \
                     : "memory");                                                                                    \
        asm volatile("red.global.xor.L2::cache_hint.b32 [%0], %1, %2;" ::"l"(out), "r"(0x5a5a), "l"(policy)          \
                     : "memory");                                                                                    \
        out[1] = old + w0 * 3 + w1 * 5 + w2 * 7 + w3 * 11;                                                           \
    }
#define HINTS(X)                                                                                                     \
    X(hint_first, "createpolicy.fractional.L2::evict_first.b64 %0, 1.0;")                                            \
    X(hint_last, "createpolicy.fractional.L2::evict_last.b64 %0, 0.5;")                                              \
    X(hint_normal, "createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;")                                          \
    X(hint_unchanged, "createpolicy.fractional.L2::evict_unchanged.b64 %0;")                                         \
    X(hint_two, "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.25;")                          \
    X(hint_range, "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 256, 512;")
#define HINT_CASE(id, create) {create "/" #id, id, V_U32, V_NONE, V_NONE, V_U32, 2 * THREADS, 1, THREADS, 0, 0},

HINTS(HINT_KERNEL)

/* ---- the table ---- */

#define SIMPLE(name, id, a, d, n, threads) {name, id, a, V_NONE, V_NONE, d, n, 1, threads, 0, 0}
#define B128(name, id, c) {name, id, V_U64, V_U64, c, V_U64, 4 * VECTOR_THREADS, 1, VECTOR_THREADS, 0, 0}

static const conformance_case cases[] = {
    LOADS(LOADS_CASE)
    QUALIFIED_LOADS(QUALIFIED_LOAD_CASE)
    VECTOR_LOADS(VECTOR_LOADS_CASE)
    QUALIFIED_VECTOR_LOADS(QUALIFIED_VECTOR_LOAD_CASE)
    STORES(STORES_CASE)
    QUALIFIED_STORES(QUALIFIED_STORE_CASE)
    VECTOR_STORES(VECTOR_STORES_CASE)
    QUALIFIED_VECTOR_STORES(QUALIFIED_VECTOR_STORE_CASE)
    LOADS_B128(LOAD_B128_CASE)
    STORES_B128(STORE_B128_CASE)
    SIMPLE("ld.global.u32 [r+4]", ld_offset_4, V_U32, V_U32, THREADS, THREADS),
    SIMPLE("ld.global.u32 [r-8]", ld_offset_minus_8, V_U32, V_U32, THREADS, THREADS),
    SIMPLE("ld.global.u32 [r+1048576]", ld_offset_large, V_U32, V_U32, THREADS, THREADS),
    SIMPLE("ld.u32 [r-4096]", ld_offset_generic, V_U32, V_U32, THREADS, THREADS),
    SIMPLE("ld.shared.u32 [r32]", ld_shared_address32, V_U32, V_U32, THREADS, THREADS),
    SIMPLE("mov.u32 shared symbol", shared_symbol_block, V_U32, V_U32, THREADS, THREADS),
    SIMPLE("ld.shared [symbol+12]", shared_symbol_direct, V_U32, V_U32, THREADS, THREADS),
    {"mov.u32 extern shared symbol", shared_dynamic_symbol, V_U32, V_NONE, V_NONE, V_U32, THREADS, 1, THREADS,
     4 * THREADS, 0},
    {"%dynamic_smem_size", dynamic_shared_sizes, V_NONE, V_NONE, V_NONE, V_U32, THREADS, 1, THREADS, 4096, 0},
    {"%dynamic_smem_size/48K", dynamic_shared_sizes, V_NONE, V_NONE, V_NONE, V_U32, THREADS, 1, THREADS, 48000, 0},
    SIMPLE("mov.u64 global symbol+8", global_symbol, V_NONE, V_U64, THREADS, THREADS),
    SIMPLE("ld.global [symbol+201]", global_symbol_direct, V_NONE, V_U32, THREADS, THREADS),
    SIMPLE("mov.u64 const symbol+8", const_symbol, V_NONE, V_U32, THREADS, THREADS),
    SIMPLE("ld.const [symbol+201]", const_symbol_direct, V_NONE, V_U32, THREADS, THREADS),
    SIMPLE("mov.u64 local symbol+16", local_symbol, V_U32, V_U32, THREADS, THREADS),
    SIMPLE("cvta.global.u64", cvta_global, V_U32, V_U64, THREADS, THREADS),
    SIMPLE("cvta.shared.u64", cvta_shared, V_U32, V_U64, THREADS, THREADS),
    SIMPLE("cvta.local.u64", cvta_local, V_U32, V_U64, THREADS, THREADS),
    SIMPLE("cvta.const.u64", cvta_const, V_U32, V_U64, THREADS, THREADS),
    SIMPLE("cvta symbol", cvta_symbols, V_NONE, V_U64, THREADS - 8, THREADS - 8),
    SIMPLE("isspacep", isspacep_global_shared_local, V_U32, V_U64, THREADS, THREADS),
    SIMPLE("isspacep.const", isspacep_const, V_U32, V_U32, THREADS, THREADS),
    PARAM_FORMS(PARAM_CASE)
    SIMPLE("ld.param.u64", memory_param_pointers, V_U32, V_U32, THREADS, THREADS),
    SIMPLE("param/struct of bytes", param_struct_bytes, V_U8, V_U8, 7 * THREADS, THREADS),
    SIMPLE("param/struct mixed", param_struct_mixed, V_U32, V_U64, THREADS, THREADS),
    SIMPLE("param/struct aligned 16", param_struct_vector, V_U32, V_U64, THREADS, THREADS),
    ALL_SPACES(ATOM_OPERATIONS, ATOMS_CASE)
    ALL_SPACES(RED_OPERATIONS, REDS_CASE)
    ALL_SPACES(CAS_OPERATIONS, CASES_CASE)
    ORDERED_ATOMS(ORDERED_ATOM_CASE)
    ORDERED_CAS(ORDERED_CAS_CASE)
    ORDERED_REDS(ORDERED_RED_CASE)
    B128("atom.global.exch.b128", atom_global_exch_b128, V_NONE),
    B128("atom.shared.exch.b128", atom_shared_exch_b128, V_NONE),
    B128("atom.generic.exch.b128", atom_generic_exch_b128, V_NONE),
    B128("atom.global.cas.b128", atom_global_cas_b128, V_NONE),
    B128("atom.shared.cas.b128", atom_shared_cas_b128, V_NONE),
    B128("atom.generic.cas.b128", atom_generic_cas_b128, V_NONE),
    VECTOR_ATOMS(VECTOR_ATOM_CASE)
    CONTENDED(CONTENDED_CASE)
    CONTENDED(MANY_RED_CASE)
    {"atom.global.exch.b32/many", many_exch_b32, V_NONE, V_NONE, V_NONE, V_U64, 1, CONTENDED_BLOCKS,
     CONTENDED_THREADS, 0, 0},
    {"atom.global.exch.b64/many", many_exch_b64, V_NONE, V_NONE, V_NONE, V_U64, 1, CONTENDED_BLOCKS,
     CONTENDED_THREADS, 0, 0},
    {"atom.global.cas.b16/many", many_cas_b16, V_NONE, V_NONE, V_NONE, V_U64, 4, CONTENDED_BLOCKS, CONTENDED_THREADS,
     0, 0},
    {"atom.global.cas.b32/many", many_cas_b32, V_NONE, V_NONE, V_NONE, V_U64, 4, CONTENDED_BLOCKS, CONTENDED_THREADS,
     0, 0},
    {"atom.global.cas.b64/many", many_cas_b64, V_NONE, V_NONE, V_NONE, V_U64, 4, CONTENDED_BLOCKS, CONTENDED_THREADS,
     0, 0},
    COPIES(COPY_CASE)
    SIMPLE("cp.async/predicated", copy_predicated, V_U8, V_U8, COPY_THREADS * 32, COPY_THREADS),
    SIMPLE("cp.async.wait_group 0", copy_wait_group_0, V_U32, V_U32, COPY_GROUPS * COPY_THREADS, COPY_THREADS),
    SIMPLE("cp.async.wait_group 1", copy_wait_group_1, V_U32, V_U32, COPY_GROUPS * COPY_THREADS, COPY_THREADS),
    SIMPLE("cp.async.wait_group 2", copy_wait_group_2, V_U32, V_U32, COPY_GROUPS * COPY_THREADS, COPY_THREADS),
    SIMPLE("cp.async.wait_group 3", copy_wait_group_3, V_U32, V_U32, COPY_GROUPS * COPY_THREADS, COPY_THREADS),
    SIMPLE("cp.async.wait_group 7", copy_wait_group_7, V_U32, V_U32, COPY_GROUPS * COPY_THREADS, COPY_THREADS),
    SIMPLE("cp.async.wait_all", copy_wait_all, V_U32, V_U32, COPY_GROUPS * COPY_THREADS, COPY_THREADS),
    SIMPLE("cp.async.commit_group/empty", copy_empty_groups, V_U8, V_U8, COPY_THREADS * 32, COPY_THREADS),
    SIMPLE("cp.async/pipeline", copy_pipeline, V_U32, V_U32, 8 * COPY_THREADS * 4, COPY_THREADS),
    PREFETCHES(PREFETCH_CASE)
    SIMPLE("applypriority.global.L2::evict_normal", applypriority, V_U32, V_U32, THREADS, THREADS),
    HINTS(HINT_CASE)
};

const conformance_table conformance_memory = {"memory", cases, (int)(sizeof(cases) / sizeof(cases[0]))};
