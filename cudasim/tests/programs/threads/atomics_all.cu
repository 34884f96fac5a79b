// Every atomic function in every type of up to 64 bits, by 64 threads on global and on shared memory; the results do
// not depend on the order.
#include <cstring>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../check.h"

typedef unsigned long long u64;
const int threads = 64;

struct cells {
    int add_i, sub_i, exch_i, min_i, max_i, and_i, or_i, xor_i, cas_i;
    unsigned add_u, sub_u, exch_u, min_u, max_u, inc, dec, and_u, or_u, xor_u, cas_u;
    u64 add_l, exch_l, min_l, max_l, and_l, or_l, xor_l, cas_l;
    long long min_s, max_s;
    float add_f, exch_f;
    double add_d;
    __half2 add_h2;
    __nv_bfloat162 add_b2;
    __half add_h;
    __nv_bfloat16 add_b;
    unsigned short cas_short;
    int scoped, ticket, returned;
};

// Adds 1 by compare and swap.
template <typename T> __device__ void increment(T *address) {
    T old = *(volatile T *)address, seen;
    while ((seen = atomicCAS(address, old, (T)(old + 1))) != old) old = seen;
}

__device__ __forceinline__ void all_of_them(cells *c, int i) {
    atomicAdd(&c->add_i, i - 40);
    atomicAdd(&c->add_u, (unsigned)i);
    atomicAdd(&c->add_l, (u64)i << 33);
    atomicAdd(&c->add_f, 0.5f);
    atomicAdd(&c->add_d, 0.25 * i);
    atomicAdd(&c->add_h, __float2half(0.5f));
    atomicAdd(&c->add_h2, __floats2half2_rn(1.0f, -0.25f));
    atomicAdd(&c->add_b, __float2bfloat16(0.5f));
    atomicAdd(&c->add_b2, __floats2bfloat162_rn(1.0f, -2.0f));
    atomicSub(&c->sub_i, i);
    atomicSub(&c->sub_u, 1u);
    if (i == 37) { // the last one would win
        atomicExch(&c->exch_i, -i);
        atomicExch(&c->exch_u, 3000000000u);
        atomicExch(&c->exch_l, 1ull << 40 | 5);
        atomicExch(&c->exch_f, 2.5f);
    }
    atomicMin(&c->min_i, 10 - i);
    atomicMin(&c->min_u, 4000000000u - i);
    atomicMin(&c->min_l, 0xffffffffffff0000ull + i);
    atomicMin(&c->min_s, -(1ll << 40) + i);
    atomicMax(&c->max_i, i - 100);
    atomicMax(&c->max_u, 3000000000u + i);
    atomicMax(&c->max_l, (1ull << 63) + i);
    atomicMax(&c->max_s, (long long)i - 1000000000000ll);
    atomicInc(&c->inc, 9u);
    atomicDec(&c->dec, 9u);
    atomicAnd(&c->and_i, ~(1 << i % 16));
    atomicAnd(&c->and_u, ~(1u << i % 24));
    atomicAnd(&c->and_l, ~(1ull << i));
    atomicOr(&c->or_i, 1 << i % 5);
    atomicOr(&c->or_u, 1u << i % 32);
    atomicOr(&c->or_l, 1ull << (i & ~1));
    atomicXor(&c->xor_i, i * 3);
    atomicXor(&c->xor_u, 1u << i % 31);
    atomicXor(&c->xor_l, (u64)i * 0x0001000100010001ull);
    increment(&c->cas_i);
    increment(&c->cas_u);
    increment(&c->cas_l);
    increment(&c->cas_short);
    atomicAdd_block(&c->scoped, 1);
    atomicAdd_system(&c->scoped, 1);
    // What the threads get back are the numbers from 0 to 63, once each.
    atomicXor(&c->returned, atomicAdd(&c->ticket, 1) * 5);
}

__global__ void on_global(cells *c) {
    all_of_them(c, threadIdx.x);
}

__global__ void on_shared(cells *c) {
    __shared__ cells local;
    if (threadIdx.x == 0) memcpy(&local, c, sizeof local);
    __syncthreads();
    all_of_them(&local, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) memcpy(c, &local, sizeof local);
}

static cells start() {
    cells c;
    memset((void *)&c, 0, sizeof c);
    c.sub_u = 10;
    c.dec = 0;
    c.min_u = 0xffffffffu;
    c.min_l = ~0ull;
    c.max_i = -1000;
    c.max_s = -(1ll << 60);
    c.and_i = -1;
    c.and_u = ~0u;
    c.and_l = ~0ull;
    c.cas_short = 65530; // wraps
    return c;
}

static void print(const char *name, const cells &c) {
    printf("%s\n", name);
    printf("  add  %d %u %llx %.2f %.2f %.2f %.2f,%.2f %.2f %.2f,%.2f\n", c.add_i, c.add_u, c.add_l, c.add_f, c.add_d,
           __half2float(c.add_h), __low2float(c.add_h2), __high2float(c.add_h2), __bfloat162float(c.add_b),
           __low2float(c.add_b2), __high2float(c.add_b2));
    printf("  sub  %d %u\n", c.sub_i, c.sub_u);
    printf("  exch %d %u %llx %.2f\n", c.exch_i, c.exch_u, c.exch_l, c.exch_f);
    printf("  min  %d %u %llx %lld\n", c.min_i, c.min_u, c.min_l, c.min_s);
    printf("  max  %d %u %llx %lld\n", c.max_i, c.max_u, c.max_l, c.max_s);
    printf("  inc  %u dec %u\n", c.inc, c.dec);
    printf("  and  %x %x %llx\n", c.and_i, c.and_u, c.and_l);
    printf("  or   %x %x %llx\n", c.or_i, c.or_u, c.or_l);
    printf("  xor  %x %x %llx\n", c.xor_i, c.xor_u, c.xor_l);
    printf("  cas  %d %u %llu %u\n", c.cas_i, c.cas_u, c.cas_l, c.cas_short);
    printf("  scopes %d, tickets %d, returned %d\n", c.scoped, c.ticket, c.returned);
}

int main() {
    const cells initial = start();
    cells results[2], *d_cells;
    CHECK(cudaMalloc(&d_cells, sizeof(cells)));
    for (int shared = 0; shared < 2; shared++) {
        CHECK(cudaMemcpy(d_cells, &initial, sizeof initial, cudaMemcpyHostToDevice));
        if (shared)
            on_shared<<<1, threads>>>(d_cells);
        else
            on_global<<<1, threads>>>(d_cells);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy((void *)&results[shared], d_cells, sizeof(cells), cudaMemcpyDeviceToHost));
        print(shared ? "shared" : "global", results[shared]);
    }
    expect(memcmp(&results[0], &results[1], sizeof(cells)) == 0, "global and shared agree");

    int add = 0, x = 0;
    u64 xl = 0;
    double add_d = 0;
    for (int i = 0; i < threads; i++) {
        add += i - 40;
        add_d += 0.25 * i;
        x ^= i * 3;
        xl ^= (u64)i * 0x0001000100010001ull;
    }
    const cells &c = results[0];
    expect(c.add_i == add && c.add_u == 2016 && c.add_l == (u64)2016 << 33 && c.add_f == 32 && c.add_d == add_d, "add");
    expect(c.xor_i == x && c.xor_l == xl, "xor");
    expect(c.sub_i == -2016 && c.sub_u == 10u - threads, "sub");
    expect(c.min_i == -53 && c.max_i == -37 && c.min_u == 4000000000u - 63 && c.max_u == 3000000063u, "min and max");
    expect(c.inc == threads % 10 && c.dec == 6, "inc and dec");
    expect(c.and_l == 0 && c.or_l == 0x5555555555555555ull, "and, or");
    int returned = 0;
    for (int i = 0; i < threads; i++) returned ^= i * 5;
    expect(c.returned == returned && c.ticket == threads, "values returned");
    expect(c.cas_i == threads && c.cas_short == (unsigned short)(65530 + threads), "cas");

    CHECK(cudaFree(d_cells));
    return finish("atomics_all");
}
