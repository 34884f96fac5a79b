/* A warpgroup of T threads, its operands in shared memory, and mbarriers. */
#pragma once

static const int T = 128;

static __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void mbarrier_init(unsigned long long *m, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(m)), "r"(count) : "memory");
}
static __device__ void mbarrier_arrive(unsigned long long *m) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_address(m)) : "memory");
}
static __device__ void mbarrier_expect(unsigned long long *m, unsigned bytes) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(shared_address(m)),
                 "r"(bytes)
                 : "memory");
}
static __device__ void mbarrier_wait(unsigned long long *m, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(
                     shared_address(m)),
                 "r"(parity)
                 : "memory");
}
static __device__ void bulk_load(void *to, const void *from, unsigned bytes, unsigned long long *m) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(m))
                 : "memory");
}

static __device__ unsigned long long matrix(const void *p) { /* rows of 32 bytes: no swizzle, 8 rows after 256 bytes */
    return (unsigned long long)(shared_address(p) >> 4 & 0x3fff) | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}
static __device__ void multiply(float (&d)[4], const void *a, const void *b) {
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(matrix(a)), "l"(matrix(b))
                 : "memory");
}
static __device__ void multiplied(float (&d)[4]) {
    asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
}
/* For those who look at no result before they wait for all. */
template <int N> static __device__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
static __device__ void fill_one(int *a, const int *g) {
    for (int k = 0; k < 4; k++) a[4 * threadIdx.x + k] = g[k];
}
static __device__ void fill_matrices(int *a, int *b, const int *g) {
    fill_one(a, g);
    if (threadIdx.x < 64) b[threadIdx.x] = g[threadIdx.x];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}
