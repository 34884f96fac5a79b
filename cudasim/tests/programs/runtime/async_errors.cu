// What an H200 says of wrong arguments: cuTensorMapEncodeTiled's, and of kernels' that copy asynchronously, count on
// mbarriers or reach into other blocks' shared memory, each in a process of its own. Four that an H200 may let pass
// (driver 580.159.04 says cudaSuccess) are launch failures in the simulator on purpose: "arrivals too many", "bytes too
// many expected", "bytes too many come" and "store to an ended block".
#include "../check.h"

#include <cstdint>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda.h>

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static encode_tiled encode;

static __device__ __forceinline__ uint32_t address_of(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// ---- tensor maps

struct arguments {
    const char *what;
    CUtensorMapDataType type;
    cuuint32_t rank;
    long at; // < 0: NULL
    cuuint64_t dims[5], strides[5];
    cuuint32_t box[5], steps[5];
    int interleave, swizzle, promotion, fill;
};

static CUresult make(CUtensorMap *map, const arguments &a, char *base) {
    return encode(map, a.type, a.rank, a.at < 0 ? nullptr : base + a.at, a.dims, a.strides, a.box, a.steps,
                  (CUtensorMapInterleave)a.interleave, (CUtensorMapSwizzle)a.swizzle,
                  (CUtensorMapL2promotion)a.promotion, (CUtensorMapFloatOOBfill)a.fill);
}

#define T(x) CU_TENSOR_MAP_DATA_TYPE_##x
static const arguments plain = {"plain", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 0};
static const arguments line = {"line", T(UINT32), 1, 0, {1024}, {0}, {32}, {1}, 0, 0, 0, 0};
static const arguments odd[] = {
    plain,
    {"rank 0", T(UINT32), 0, 0, {32, 32}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"rank 6",
     T(UINT32),
     6,
     0,
     {32, 32, 1, 1, 1},
     {128, 4096, 4096, 4096, 4096},
     {32, 8, 1, 1, 1},
     {1, 1, 1, 1, 1},
     0,
     0,
     0,
     0},
    {"type 13", (CUtensorMapDataType)13, 2, 0, {32, 32}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"address + 8", T(UINT32), 2, 8, {32, 32}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"address 0", T(UINT32), 2, -1, {32, 32}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"an extent of 0", T(UINT32), 2, 0, {32, 0}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"an extent of 2^32", T(UINT32), 2, 0, {32, 1ull << 32}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"an extent of 2^32 + 1", T(UINT32), 2, 0, {32, (1ull << 32) + 1}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"a stride of 120", T(UINT32), 2, 0, {32, 32}, {120}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"a stride of 0", T(UINT32), 2, 0, {32, 32}, {0}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"a stride below the row", T(UINT32), 2, 0, {32, 32}, {64}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"a stride of 2^40", T(UINT32), 2, 0, {32, 32}, {1ull << 40}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"a stride of 2^40 - 16", T(UINT32), 2, 0, {32, 32}, {(1ull << 40) - 16}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"a second stride below the first", T(UINT32), 3, 0, {32, 32, 4}, {4096, 128}, {32, 8, 1}, {1, 1, 1}, 0, 0, 0, 0},
    {"a box of 0", T(UINT32), 2, 0, {32, 32}, {128}, {32, 0}, {1, 1}, 0, 0, 0, 0},
    {"a box of 256", T(UINT32), 2, 0, {32, 512}, {128}, {32, 256}, {1, 1}, 0, 0, 0, 0},
    {"a box of 257", T(UINT32), 2, 0, {32, 512}, {128}, {32, 257}, {1, 1}, 0, 0, 0, 0},
    {"a box larger than the tensor", T(UINT32), 2, 0, {4, 4}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 0},
    {"a box row of 12 bytes", T(UINT32), 2, 0, {32, 32}, {128}, {3, 8}, {1, 1}, 0, 0, 0, 0},
    {"a box of 128 KB", T(UINT8), 3, 0, {256, 256, 256}, {256, 65536}, {256, 256, 2}, {1, 1, 1}, 0, 0, 0, 0},
    {"a box of 256 KB", T(UINT32), 2, 0, {512, 512}, {2048}, {256, 256}, {1, 1}, 0, 0, 0, 0},
    {"step 0", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {1, 0}, 0, 0, 0, 0},
    {"step 8", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {1, 8}, 0, 0, 0, 0},
    {"step 9", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {1, 9}, 0, 0, 0, 0},
    {"inner step 0", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {0, 1}, 0, 0, 0, 0},
    {"inner step 2", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {2, 1}, 0, 0, 0, 0},
    {"inner step 9", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {9, 1}, 0, 0, 0, 0},
    {"128B, rows of 256 bytes", T(UINT32), 2, 0, {64, 32}, {256}, {64, 8}, {1, 1}, 0, 3, 0, 0},
    {"64B, rows of 128 bytes", T(UINT32), 2, 0, {64, 32}, {256}, {32, 8}, {1, 1}, 0, 2, 0, 0},
    {"32B, rows of 64 bytes", T(UINT32), 2, 0, {64, 32}, {256}, {16, 8}, {1, 1}, 0, 1, 0, 0},
    {"128B, rows of 16 bytes", T(UINT32), 2, 0, {64, 32}, {256}, {4, 8}, {1, 1}, 0, 3, 0, 0},
    {"swizzle 7", T(UINT32), 2, 0, {64, 32}, {256}, {32, 8}, {1, 1}, 0, 7, 0, 0},
    {"1d, 128B, 128 bytes", T(UINT32), 1, 0, {64}, {0}, {32}, {1}, 0, 3, 0, 0},
    {"1d, 128B, 256 bytes", T(UINT32), 1, 0, {64}, {0}, {64}, {1}, 0, 3, 0, 0},
    {"promotion 4", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {1, 1}, 0, 0, 4, 0},
    {"NaN for integers", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 1},
    {"NaN for f32", T(FLOAT32), 2, 0, {32, 32}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 1},
    {"fill 2", T(FLOAT32), 2, 0, {32, 32}, {128}, {32, 8}, {1, 1}, 0, 0, 0, 2},
    {"interleave of 2 dimensions", T(UINT32), 2, 0, {32, 32}, {128}, {32, 8}, {1, 1}, 1, 0, 0, 0},
    {"interleave 3", T(UINT32), 3, 0, {32, 32, 4}, {128, 4096}, {8, 8, 1}, {1, 1, 1}, 3, 0, 0, 0},
};

static void encodings(char *base) {
    alignas(64) static char room[256];
    CUtensorMap map;
    for (const arguments &a : odd) printf("%s: %d\n", a.what, (int)make(&map, a, base));
    const arguments &p = plain;
    const CUtensorMapInterleave i = (CUtensorMapInterleave)0;
    const CUtensorMapSwizzle s = (CUtensorMapSwizzle)0;
    const CUtensorMapL2promotion l = (CUtensorMapL2promotion)0;
    const CUtensorMapFloatOOBfill f = (CUtensorMapFloatOOBfill)0;
    printf("no extents: %d\n", (int)encode(&map, p.type, 2, base, nullptr, p.strides, p.box, p.steps, i, s, l, f));
    printf("no strides: %d\n", (int)encode(&map, p.type, 2, base, p.dims, nullptr, p.box, p.steps, i, s, l, f));
    printf("no strides, 1d: %d\n", (int)encode(&map, p.type, 1, base, p.dims, nullptr, p.box, p.steps, i, s, l, f));
    printf("no map: %d\n", (int)make(nullptr, p, base));
    printf("map + 16: %d\n", (int)make((CUtensorMap *)(room + 16), p, base));
}

// ---- copies

static __device__ __forceinline__ void start(uint64_t *bar) {
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(bar)) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

static __device__ __forceinline__ void wait(uint64_t *bar) {
    uint32_t done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(address_of(bar))
                     : "memory");
    while (!done);
}

__global__ void bulk_in(const char *from, uint32_t bytes, uint32_t to_offset, uint32_t bar_offset) {
    __shared__ __align__(128) char to[4096];
    __shared__ uint64_t bar[2];
    start(bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(bar)), "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         address_of(to) + to_offset),
                     "l"(from), "r"(bytes), "r"(address_of(bar) + bar_offset)
                     : "memory");
    }
    wait(bar);
}

__global__ void bulk_out(char *to, uint32_t from_offset, bool adds) {
    __shared__ __align__(128) char from[4096];
    asm volatile("fence.proxy.async;" ::: "memory");
    if (adds)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 64;" ::"l"(to),
                     "r"(address_of(from) + from_offset)
                     : "memory");
    else
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;" ::"l"(to),
                     "r"(address_of(from) + from_offset)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void bulk_ahead(const char *from) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 64;" ::"l"(from) : "memory");
}

__global__ void tensor_in(const __grid_constant__ CUtensorMap map, int x, int y, uint32_t offset) {
    extern __shared__ __align__(1024) char to[];
    __shared__ uint64_t bar;
    start(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(address_of(&bar)) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                     "%3}], [%4];" ::"r"(address_of(to) + offset),
                     "l"(&map), "r"(x), "r"(y), "r"(address_of(&bar))
                     : "memory");
    }
    wait(&bar);
}

__global__ void tensor_out(const __grid_constant__ CUtensorMap map, int x, int y, uint32_t offset) {
    extern __shared__ __align__(1024) char from[];
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x),
                 "r"(y), "r"(address_of(from) + offset)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void tensor_ahead(const __grid_constant__ CUtensorMap map, int x, int y) {
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(x), "r"(y)
                 : "memory");
}

// ---- mbarriers

__global__ void counts(int how) {
    __shared__ __align__(16) uint64_t bar[2];
    const uint32_t b = address_of(bar);
    if (how == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b + 4) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(b + (how == 0 ? 8 : 0)) : "memory");
    if (how == 1) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 3;" ::"r"(b) : "memory");
    if (how == 2)
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(1 << 21) : "memory");
    if (how == 3)
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(1 << 21) : "memory");
}

// ---- other blocks' shared memory, after they have ended (rank 1), or of no such rank (5)

__global__ void __cluster_dims__(2, 1, 1) reaches(int how, uint32_t of, uint32_t *out) {
    __shared__ uint32_t v[32];
    uint32_t rank, there, x = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    v[threadIdx.x] = threadIdx.x;
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (rank == 1) return;
    __nanosleep(1000000);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address_of(&v[threadIdx.x])), "r"(of));
    if (how == 0) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(there) : "memory");
    if (how == 1) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(7) : "memory");
    if (how == 2) asm volatile("atom.shared::cluster.add.u32 %0, [%1], 3;" : "=r"(x) : "r"(there) : "memory");
    out[threadIdx.x] = x;
}

static const char *const names[] = {"copy",
                                    "copy of nothing",
                                    "copy from + 4",
                                    "copy to + 8",
                                    "copy, mbarrier + 4",
                                    "copy out of shared memory",
                                    "copy, mbarrier out of shared memory",
                                    "copy from nowhere",
                                    "copy of 2 MB",
                                    "store",
                                    "store to + 4",
                                    "store from + 8",
                                    "store from outside of shared memory",
                                    "store to nowhere",
                                    "addition to + 4",
                                    "addition from + 4",
                                    "prefetch",
                                    "prefetch from + 4",
                                    "prefetch from nowhere",
                                    "tensor",
                                    "tensor outside",
                                    "tensor to + 128",
                                    "tensor to + 16",
                                    "tensor to + 64",
                                    "tensor out of shared memory",
                                    "tensor of one dimension",
                                    "tensor of zeros",
                                    "tensor at no memory",
                                    "tensor at 3, 5",
                                    "tensor store",
                                    "tensor store past the end",
                                    "tensor store at 0, -1",
                                    "tensor store from + 16",
                                    "tensor store to no memory",
                                    "tensor prefetch",
                                    "tensor prefetch at 3, 5",
                                    "mbarrier + 4",
                                    "arrivals too many",
                                    "bytes too many expected",
                                    "bytes too many come",
                                    "load from an ended block",
                                    "store to an ended block",
                                    "addition in an ended block",
                                    "load from no block",
                                    "store to no block",
                                    "addition in no block"};

static int child(const char *name) {
    char *p;
    const long nowhere = 1l << 40;
    CUtensorMap map, flat, lost, zeros = {};
    arguments far = plain;
    CHECK(cudaMalloc(&p, 65536));
    far.at = 0;
    expect(make(&map, plain, p) == 0 && make(&flat, line, p) == 0, "maps");
    expect(make(&lost, far, (char *)0x700000000000) == 0, "a map of nothing");
    int n = 0;
#define CASE if (!strcmp(name, names[n++]))
    CASE bulk_in<<<1, 32>>>(p, 64, 0, 0);
    CASE bulk_in<<<1, 32>>>(p, 0, 0, 0);
    CASE bulk_in<<<1, 32>>>(p + 4, 64, 0, 0);
    CASE bulk_in<<<1, 32>>>(p, 64, 8, 0);
    CASE bulk_in<<<1, 32>>>(p, 64, 0, 4);
    CASE bulk_in<<<1, 32>>>(p, 64, 300000, 0);
    CASE bulk_in<<<1, 32>>>(p, 64, 0, 300000);
    CASE bulk_in<<<1, 32>>>(p + nowhere, 64, 0, 0);
    CASE bulk_in<<<1, 32>>>(p, 1 << 21, 0, 0);
    CASE bulk_out<<<1, 1>>>(p, 0, false);
    CASE bulk_out<<<1, 1>>>(p + 4, 0, false);
    CASE bulk_out<<<1, 1>>>(p, 8, false);
    CASE bulk_out<<<1, 1>>>(p, 300000, false);
    CASE bulk_out<<<1, 1>>>(p + nowhere, 0, false);
    CASE bulk_out<<<1, 1>>>(p + 4, 0, true);
    CASE bulk_out<<<1, 1>>>(p, 4, true);
    CASE bulk_ahead<<<1, 1>>>(p);
    CASE bulk_ahead<<<1, 1>>>(p + 4);
    CASE bulk_ahead<<<1, 1>>>(p + nowhere);
    CASE tensor_in<<<1, 32, 8192>>>(map, 0, 0, 0);
    CASE tensor_in<<<1, 32, 8192>>>(map, 2000000000, -2000000000, 0);
    CASE tensor_in<<<1, 32, 8192>>>(map, 0, 0, 128);
    CASE tensor_in<<<1, 32, 8192>>>(map, 0, 0, 16);
    CASE tensor_in<<<1, 32, 8192>>>(map, 0, 0, 64);
    CASE tensor_in<<<1, 32, 8192>>>(map, 0, 0, 300 * 1024);
    CASE tensor_in<<<1, 32, 8192>>>(flat, 0, 0, 0);
    CASE tensor_in<<<1, 32, 8192>>>(zeros, 0, 0, 0);
    CASE tensor_in<<<1, 32, 8192>>>(lost, 0, 0, 0);
    CASE tensor_in<<<1, 32, 8192>>>(map, 3, 5, 0);
    CASE tensor_out<<<1, 1, 8192>>>(map, 0, 0, 0);
    CASE tensor_out<<<1, 1, 8192>>>(map, 32, 0, 0);
    CASE tensor_out<<<1, 1, 8192>>>(map, 0, -1, 0);
    CASE tensor_out<<<1, 1, 8192>>>(map, 0, 0, 16);
    CASE tensor_out<<<1, 1, 8192>>>(lost, 0, 0, 0);
    CASE tensor_ahead<<<1, 1>>>(map, 0, 0);
    CASE tensor_ahead<<<1, 1>>>(map, 3, 5);
    for (int how = 0; how < 4; how++) CASE counts<<<1, 1>>>(how);
    for (int how = 0; how < 3; how++) CASE reaches<<<2, 32>>>(how, 1, (uint32_t *)p);
    for (int how = 0; how < 3; how++) CASE reaches<<<2, 32>>>(how, 5, (uint32_t *)p);
    const cudaError_t launched = cudaGetLastError();
    printf("%s: %s, %s\n", name, cudaGetErrorName(launched), cudaGetErrorName(cudaDeviceSynchronize()));
    return failures;
}

int main(int argc, char **argv) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult query;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &query));
    encode = (encode_tiled)found;
    if (argc > 1) return child(argv[1]);
    for (const char *name : names) {
        fflush(stdout);
        const pid_t pid = fork();
        if (pid == 0) {
            execl("/proc/self/exe", argv[0], name, (char *)nullptr);
            _exit(127);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, name);
    }
    char *p;
    CHECK(cudaMalloc(&p, 65536));
    encodings(p);
    return finish("async_errors");
}
