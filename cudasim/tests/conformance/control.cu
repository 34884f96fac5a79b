/* long: a table of cases */
/* Conformance cases of control flow: divergence and reconvergence, loops, switches, irreducible flow, predication,
 * calls and recursion, local memory indexed at run time, exits before barriers, and waiting of lanes and blocks for
 * each other, which needs every thread to make progress.
 *
 * Most cases are C++ rather than inline PTX: what matters is what the compiler makes of these shapes. All results are
 * exact integers that depend on which path each lane took, how often, and in which order.
 */
#include "kernel.cuh"

#include <stdint.h>

#define FULL 0xffffffffu

static __device__ __forceinline__ uint32_t step(uint32_t v) {
    return v * 1664525u + 1013904223u;
}

/* ---- divergence and loops ---- */

KERNEL(nested_divergence) {
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i), path = 0;
    if (i & 1) {
        for (uint32_t k = 0; k < (v & 7) + 1; k++) {
            if ((v >> k) & 1) {
                path = path * 3 + 1;
                if (k & 1) v ^= path;
            } else {
                path = path * 5 + 2;
                for (uint32_t j = 0; j < (k & 3); j++) v = step(v);
            }
        }
    } else if (i & 2) {
        uint32_t k = 0;
        while ((v & 0xf) != 3 && k < 40) {
            v = step(v) >> 1;
            k++;
            if ((v & 0x30) == 0x30) path += k;
        }
        path = path * 64 + k;
    } else {
        path = 0xabc;
    }
    out_u32(d, i, v + path * 2654435761u);
}

KERNEL(loop_trip_counts) {
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i) & 0xffff, steps = 0;
    v += 1;
    while (v != 1 && steps < 500) { /* Collatz: the lengths differ wildly */
        v = v & 1 ? 3 * v + 1 : v >> 1;
        steps++;
    }
    out_u32(d, i, steps);
}

KERNEL(loop_break_continue) {
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i), sum = 0;
    for (int k = 0; k < 24; k++) {
        v = step(v);
        if ((v >> 28) == 3) continue;
        for (int j = 0; j < 9; j++) {
            if ((v >> j & 3) == 2) break;
            if ((v >> j & 7) == 5) continue;
            sum += (uint32_t)(j + k);
        }
        if ((v >> 24 & 31) == 9) break;
        sum = sum * 3 + 1;
    }
    out_u32(d, i, sum);
}

KERNEL(loop_do_while_exits) { /* several ways out of one loop, one of them a return from the kernel */
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i), k = 0;
    out_u32(d, i, 0x1234);
    do {
        v = step(v);
        if ((v >> 26) == 11) {
            out_u32(d, i, v + k);
            return;
        }
        if ((v >> 25 & 31) == 7) goto out;
        k++;
    } while (k < 30 && (v >> 20 & 63) != 17);
    v ^= 0x5555;
out:
    out_u32(d, i, v * 31 + k);
}

KERNEL(loop_64_bit) {
    int i = threadIdx.x;
    uint64_t v = in_u32(a, i), count = 0;
    /* the counter crosses 2^32, with a step that is not a power of two */
    for (uint64_t k = 0xfffffff0ull + v % 5; k < 0x100000200ull + (uint64_t)i; k += 37) {
        v = v * 6364136223846793005ull + k;
        count++;
    }
    for (int64_t k = -3; k * 1000000007ll < (int64_t)i * 5000000000ll; k += 20) v ^= (uint64_t)k * count;
    ((uint64_t *)d)[i] = v;
}

KERNEL(loop_uniform_and_shuffle) { /* lanes leave a loop one by one; those that remain find each other by a ballot */
    int i = threadIdx.x, lane = i & 31;
    uint32_t trips = in_u32(a, i) % 9, sum = 0, mask = FULL;
    for (uint32_t k = 0;; k++) {
        mask = __ballot_sync(mask, k < trips);
        if (k >= trips) break;
        sum = sum * 3 + __popc(mask) + __shfl_sync(mask, (uint32_t)lane * 5 + k, __ffs((int)mask) - 1);
    }
    out_u32(d, i, sum);
}

KERNEL(reconverge_warp) { /* a full-warp shuffle after branches of very different lengths */
    int i = threadIdx.x, lane = i & 31;
    uint32_t v = in_u32(a, i);
    for (int round = 0; round < 4; round++) {
        if ((lane + round) % 5 == 0) {
            for (int k = 0; k < lane; k++) v = step(v);
        } else if (v & 8) {
            v ^= v >> 3;
        }
        v += __shfl_xor_sync(FULL, v, 1 << round);
    }
    out_u32(d, i, v);
}

/* ---- switches ---- */

KERNEL(switch_dense) {
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i), r = 1;
    for (int k = 0; k < 6; k++) {
        switch ((v >> 3 * k) & 15) {
        case 0: r = step(r); break;
        case 1: r ^= v; break;
        case 2: r += 17; /* falls through */
        case 3: r *= 3; break;
        case 4: r = r << 5 | r >> 27; break;
        case 5: r -= v; break;
        case 6: for (uint32_t j = 0; j < (r & 7); j++) r = r * 7 + j; break;
        case 7: r = __brev(r); break;
        case 8: r = ~r; break;
        case 9: r += (uint32_t)i; /* falls through */
        case 10: r ^= 0x33; /* falls through */
        case 11: r *= 11; break;
        case 12: r = (uint32_t)__popc(r); break;
        case 13: r = (uint32_t)__clz((int)r) + 5; break;
        default: r += 99; break;
        }
    }
    out_u32(d, i, r);
}

KERNEL(switch_sparse) {
    int i = threadIdx.x;
    uint32_t v = in_u32(b, i) * 37u - 111u, r;
    switch ((int)v) {
    case -111: r = 1; break;
    case -37: r = 2; break;
    case 0: r = 3; break;
    case 370: r = 4; break;
    case 999: r = 5; break;
    case 1036: r = v * 6; break;
    default: r = v ^ 7; break;
    }
    out_u32(d, i, r);
}

KERNEL(branch_indexed) { /* brx.idx itself, with lanes going to different targets and one target listed twice */
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i), r = v;
    asm volatile("{\n\t"
                 ".reg .u32 index, count;\n\t"
                 ".reg .pred more;\n\t"
                 "mov.u32 count, 3;\n\t"
                 "control_targets: .branchtargets control_t0, control_t1, control_t2, control_t1, control_t3;\n\t"
                 "control_again:\n\t"
                 "rem.u32 index, %0, 5;\n\t"
                 "brx.idx index, control_targets;\n\t"
                 "control_t0:\n\t"
                 "add.u32 %0, %0, 12345;\n\t"
                 "bra control_join;\n\t"
                 "control_t1:\n\t"
                 "mul.lo.u32 %0, %0, 7;\n\t"
                 "control_t2:\n\t"
                 "xor.b32 %0, %0, 0x5a5a;\n\t"
                 "bra control_join;\n\t"
                 "control_t3:\n\t"
                 "not.b32 %0, %0;\n\t"
                 "control_join:\n\t"
                 "sub.u32 count, count, 1;\n\t"
                 "setp.ne.u32 more, count, 0;\n\t"
                 "@more bra control_again;\n\t"
                 "}"
                 : "+r"(r));
    out_u32(d, i, r);
}

KERNEL(branch_indexed_uniform) {
    int i = threadIdx.x;
    uint32_t r = in_u32(a, i);
    asm volatile("{\n\t"
                 "control_u_targets: .branchtargets control_u0, control_u1, control_u2;\n\t"
                 "brx.idx.uni %1, control_u_targets;\n\t"
                 "control_u0: add.u32 %0, %0, 1;\n\t"
                 "control_u1: mul.lo.u32 %0, %0, 3;\n\t"
                 "control_u2: xor.b32 %0, %0, 0x77;\n\t"
                 "}"
                 : "+r"(r)
                 : "r"((i >> 5) % 3));
    out_u32(d, i, r);
}

/* ---- irreducible flow ---- */

KERNEL(irreducible_assembly) { /* a loop of two blocks that is entered at either, by different lanes */
    int i = threadIdx.x;
    uint32_t r = in_u32(a, i);
    asm volatile("{\n\t"
                 ".reg .pred odd, more;\n\t"
                 ".reg .u32 k, t;\n\t"
                 "and.b32 t, %1, 1;\n\t"
                 "setp.ne.u32 odd, t, 0;\n\t"
                 "and.b32 k, %1, 15;\n\t"
                 "add.u32 k, k, 2;\n\t"
                 "@odd bra control_second;\n\t"
                 "control_first:\n\t"
                 "mul.lo.u32 %0, %0, 3;\n\t"
                 "add.u32 %0, %0, k;\n\t"
                 "control_second:\n\t"
                 "shr.u32 t, %0, 7;\n\t"
                 "xor.b32 %0, %0, t;\n\t"
                 "sub.u32 k, k, 1;\n\t"
                 "and.b32 t, %0, 8;\n\t"
                 "setp.eq.u32 odd, t, 0;\n\t"
                 "setp.ne.u32 more, k, 0;\n\t"
                 "@!more bra control_end;\n\t"
                 "@odd bra control_second;\n\t"
                 "bra control_first;\n\t"
                 "control_end:\n\t"
                 "}"
                 : "+r"(r)
                 : "r"(i));
    out_u32(d, i, r);
}

KERNEL(irreducible_goto) {
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i), k = 0;
    if (v & 1) goto middle;
    for (; k < 12; k++) {
        v = step(v);
        if ((v >> 29) == 5) goto tail;
    middle:
        v ^= k << 9;
        if ((v >> 27) == 6) goto head;
        continue;
    tail:
        v += 77;
    }
    goto end;
head:
    k += 2;
    v = v * 5 + 1;
    if (k < 10) goto middle;
end:
    out_u32(d, i, v + k);
}

/* ---- predication ---- */

KERNEL(predicated_memory) { /* @p and @!p before ld, st, atom, red; those that are off have bad addresses */
    __shared__ uint32_t cells[64];
    int i = threadIdx.x;
    uint32_t x = in_u32(a, i), v = 0xaaaa, w = 0xbbbb, old = 0xcccc;
    uint64_t good = (uint64_t)((const uint32_t *)a + i);
    uint32_t cell = (uint32_t)__cvta_generic_to_shared(&cells[i]);
    cells[i] = 1000u + (uint32_t)i;
    __syncthreads();
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "setp.gt.u32 p, %3, 0x7fffffff;\n\t"
                 "@p ld.u32 %0, [%4];\n\t"
                 "@!p ld.global.u32 %1, [%5];\n\t"
                 "@p st.shared.u32 [%6], %0;\n\t"
                 "@!p atom.shared.add.u32 %2, [%6], 5;\n\t"
                 "@p red.shared.xor.b32 [%6], 0x0f0f;\n\t"
                 "}"
                 : "+r"(v), "+r"(w), "+r"(old)
                 : "r"(x), "l"(x > 0x7fffffffu ? good : 8ull), "l"(x > 0x7fffffffu ? 16ull : good), "r"(cell)
                 : "memory");
    __syncthreads();
    out_u32(d, 2 * i, v + w * 3 + old * 5);
    out_u32(d, 2 * i + 1, ((volatile uint32_t *)cells)[i]);
}

KERNEL(predicated_shuffle) { /* @p shfl: the lanes with p are the member mask */
    int i = threadIdx.x, lane = i & 31;
    uint32_t v = 0xdead, w = 0xbeef;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "setp.lt.u32 p, %3, 8;\n\t"
                 "@p shfl.sync.bfly.b32 %0, %2, 3, 31, 0x000000ff;\n\t"
                 "@!p shfl.sync.idx.b32 %1, %2, 20, 31, 0xffffff00;\n\t"
                 "}"
                 : "+r"(v), "+r"(w)
                 : "r"(in_u32(a, i)), "r"(lane));
    out_u32(d, i, v * 3 + w);
}

KERNEL(predicated_arithmetic) { /* predicates that guard, that are combined, and that are moved */
    int i = threadIdx.x;
    uint32_t x = in_u32(a, i), y = in_u32(b, i), r = 7;
    asm volatile("{\n\t"
                 ".reg .pred p, q, r, s;\n\t"
                 ".reg .u32 t;\n\t"
                 "setp.lt.u32 p|q, %1, %2;\n\t"
                 "setp.ge.and.s32 r|s, %1, 0, p;\n\t"
                 "mov.pred s, !r;\n\t"
                 "xor.pred q, q, s;\n\t"
                 "@p add.u32 %0, %0, %1;\n\t"
                 "@!p sub.u32 %0, %0, %2;\n\t"
                 "@q mul.lo.u32 %0, %0, 5;\n\t"
                 "@!r mov.u32 t, 3;\n\t"
                 "@r mov.u32 t, 9;\n\t"
                 "@s xor.b32 %0, %0, t;\n\t"
                 "}"
                 : "+r"(r)
                 : "r"(x), "r"(y));
    out_u32(d, i, r);
}

KERNEL(select_or_branch) { /* the same choice by selp and by a branch */
    int i = threadIdx.x;
    uint32_t x = in_u32(a, i), y = in_u32(b, i), v, w;
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, %1, %2, p; }" : "=r"(v) : "r"(x), "r"(y));
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "setp.lt.s32 p, %1, %2;\n\t"
                 "@p bra control_less;\n\t"
                 "mov.u32 %0, %2;\n\t"
                 "bra.uni control_done;\n\t"
                 "control_less: mov.u32 %0, %1;\n\t"
                 "control_done:\n\t"
                 "}"
                 : "=&r"(w)
                 : "r"(x), "r"(y));
    ((uint64_t *)d)[i] = v | (uint64_t)w << 32;
}

/* ---- calls ---- */

struct pair {
    uint32_t x;
    uint64_t y;
};
struct large {
    uint32_t v[9];
    unsigned char tag;
};

static __device__ __noinline__ uint32_t call_scalar(uint32_t v, float f, double g, short s, unsigned char u,
                                                    bool flag) {
    return v * 3 + (uint32_t)(int)f * 5 + (uint32_t)(int)g * 7 + (uint32_t)s * 11 + u * 13u + (flag ? 17u : 0u);
}
static __device__ __noinline__ pair call_pair(pair p, uint32_t by) {
    pair r = {p.x * by, p.y + p.x};
    if (by & 1) r.y ^= by;
    return r;
}
static __device__ __noinline__ large call_large(large in, const large *other, int at) {
    in.v[at % 9] += other->v[(at + 1) % 9];
    in.tag = (unsigned char)(in.tag + at);
    return in;
}
static __device__ __noinline__ uint64_t call_many(uint32_t a0, uint64_t a1, uint16_t a2, int8_t a3, float a4,
                                                  uint32_t a5, uint64_t a6, double a7, uint32_t a8, int a9, pair a10,
                                                  uint32_t a11, uint8_t a12) {
    return a0 + a1 * 3 + a2 * 5u + (uint64_t)(int64_t)a3 * 7 + (uint64_t)(int64_t)a4 * 11 + a5 * 13ull + a6 * 17 +
           (uint64_t)(int64_t)a7 * 19 + a8 * 23ull + (uint64_t)(int64_t)a9 * 29 + a10.x * 31ull + a10.y * 37 +
           a11 * 41ull + a12 * 43ull;
}
static __device__ __noinline__ void call_out(uint32_t v, uint32_t *low, uint32_t *high) { /* pointers to locals */
    *low = v & 0xffff;
    *high += v >> 16;
}

KERNEL(call_forms) {
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i), low, high = 5;
    uint32_t r =
        call_scalar(v, (float)(v & 1023) - 300.5f, (double)(v >> 20) * 0.5, (short)v, (unsigned char)(v >> 3), v & 4);
    pair p = call_pair(call_pair({v, 99}, 3), v & 7);
    large x, y;
    for (uint32_t k = 0; k < 9; k++) {
        x.v[k] = v + k;
        y.v[k] = v * k;
    }
    x.tag = (unsigned char)v;
    y.tag = 1;
    x = call_large(call_large(x, &y, i), &x, i + 4);
    call_out(v, &low, &high);
    uint64_t m = call_many(v, v * 3ull, (uint16_t)v, (int8_t)v, (float)(v & 4095), v >> 2, v * 5ull, (double)(v >> 8),
                           v ^ 1, -(int)(v >> 4), p, v >> 9, (uint8_t)(v >> 5));
    for (int k = 0; k < 9; k++) r = r * 31 + x.v[k];
    ((uint64_t *)d)[i] = m + p.x + p.y * 3 + r * 5ull + x.tag + ((uint64_t)low << 32) + high;
}

static __device__ __noinline__ uint32_t recurse(uint32_t depth, uint32_t v) {
    uint32_t kept[3] = {v, v ^ depth, depth}; /* something in the frame that each level must keep for itself */
    if (depth == 0) return v * 3 + 1;
    uint32_t r = recurse(depth - 1, v * 5 + depth);
    return r + kept[(r ^ v) % 3];
}
static __device__ __noinline__ uint32_t recurse_twice(uint32_t depth, uint32_t v) {
    if (depth < 2) return v + depth;
    return recurse_twice(depth - 1, v + 1) * 3 + recurse_twice(depth - 2, v ^ 5);
}
static __device__ __noinline__ uint32_t recurse_odd(uint32_t depth, uint32_t v);
static __device__ __noinline__ uint32_t recurse_even(uint32_t depth, uint32_t v) {
    return depth == 0 ? v + 1 : recurse_odd(depth - 1, v * 3) ^ depth;
}
static __device__ __noinline__ uint32_t recurse_odd(uint32_t depth, uint32_t v) {
    return depth == 0 ? v + 2 : recurse_even(depth - 1, v * 5) + depth;
}

KERNEL(call_recursive) {
    int i = threadIdx.x;
    out_u32(d, i, recurse(in_u32(b, i) & 7, in_u32(a, i)));
}
KERNEL(call_recursive_twice) {
    int i = threadIdx.x;
    out_u32(d, i, recurse_twice(in_u32(b, i) & 7, in_u32(a, i)));
}
KERNEL(call_recursive_mutual) {
    int i = threadIdx.x;
    out_u32(d, i, recurse_even(in_u32(b, i) & 7, in_u32(a, i)));
}

typedef uint32_t (*operation)(uint32_t, uint32_t);
static __device__ __noinline__ uint32_t operation_add(uint32_t x, uint32_t y) {
    return x + y;
}
static __device__ __noinline__ uint32_t operation_loop(uint32_t x, uint32_t y) {
    for (uint32_t k = 0; k < (y & 7); k++) x = step(x);
    return x;
}
static __device__ __noinline__ uint32_t operation_nested(uint32_t x, uint32_t y) {
    return x & 1 ? operation_loop(x, y + 1) : operation_add(x, y * 3);
}
static __device__ __noinline__ uint32_t operation_return(uint32_t x, uint32_t y) {
    if (x > y) return x - y;
    if ((x & 3) == 1) return y;
    return x ^ y;
}

static __constant__ operation constant_operations[4] = {operation_add, operation_loop, operation_nested,
                                                        operation_return};
static __device__ operation device_operations[4] = {operation_return, operation_nested, operation_loop, operation_add};

KERNEL(call_pointer_constant) { /* a different function in each lane */
    int i = threadIdx.x;
    out_u32(d, i, constant_operations[in_u32(a, i) >> 3 & 3](in_u32(a, i), in_u32(b, i)));
}
KERNEL(call_pointer_device) {
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i);
    for (int k = 0; k < 5; k++) v = device_operations[(v >> 5 ^ (uint32_t)k) & 3](v, in_u32(b, i) + (uint32_t)k);
    out_u32(d, i, v);
}
KERNEL(call_pointer_local) { /* pointers chosen at run time and kept in a local array */
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i);
    operation table[3] = {v & 1 ? operation_add : operation_return, operation_loop,
                          v & 2 ? operation_nested : operation_loop};
    for (uint32_t k = 0; k < 4; k++) v = table[(v + k) % 3](v, k + 2);
    out_u32(d, i, v);
}

struct shape {
    uint32_t size;
    __device__ explicit shape(uint32_t s) : size(s) {
    }
    __device__ virtual uint32_t area(uint32_t v) const {
        return v + size;
    }
};
struct square : shape {
    __device__ explicit square(uint32_t s) : shape(s) {
    }
    __device__ uint32_t area(uint32_t v) const override {
        return size * size + v;
    }
};
struct bumpy : shape {
    uint32_t bumps;
    __device__ bumpy(uint32_t s, uint32_t b) : shape(s), bumps(b) {
    }
    __device__ uint32_t area(uint32_t v) const override {
        uint32_t r = v;
        for (uint32_t k = 0; k < (bumps & 7); k++) r = r * size + k;
        return r;
    }
};
KERNEL(call_virtual) {
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i);
    shape plain(v >> 3);
    square other(v >> 5);
    bumpy third(v | 3, v >> 7);
    const shape *shapes[3] = {&plain, &other, &third};
    uint32_t r = 0;
    for (uint32_t k = 0; k < 3; k++) r = shapes[(v + k) % 3]->area(r + k);
    out_u32(d, i, shapes[(r >> 4) % 3]->area(r));
}

static __device__ __noinline__ uint32_t call_shuffle(uint32_t v, uint32_t mask, int from) {
    return __shfl_sync(mask, v, from) * 3 + v;
}
KERNEL(call_divergent) { /* calls from both sides of a branch, of a function that shuffles among the caller's lanes */
    int i = threadIdx.x, lane = i & 31;
    uint32_t v = in_u32(a, i);
    if (lane < 7) {
        v = call_shuffle(v, 0x7f, (lane + 3) % 7);
    } else {
        v = call_shuffle(v + 1, 0xffffff80u, 31 - (lane - 7));
    }
    if (v & 16) v = operation_nested(v, 5);
    for (int k = 0; k < (lane & 3); k++) v = operation_nested(v, (uint32_t)k);
    v = call_shuffle(v, FULL, lane ^ 5);
    out_u32(d, i, v);
}

static __device__ __noinline__ uint32_t call_barrier(uint32_t v, uint32_t *cells, int i, int count) {
    cells[i] = v;
    __syncthreads();
    v += cells[count - 1 - i];
    __syncthreads();
    return v;
}
KERNEL(call_with_barrier) { /* __syncthreads in a function, called in a loop */
    __shared__ uint32_t cells[96];
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i);
    for (int k = 0; k < 4; k++) v = call_barrier(step(v), cells, i, 96);
    out_u32(d, i, v);
}

/* ---- local memory ---- */

KERNEL(local_sort) { /* heap-like swaps in a local array, with indices that differ by lane */
    int i = threadIdx.x;
    uint32_t v[24], seed = in_u32(a, i);
    for (int k = 0; k < 24; k++) v[k] = seed = step(seed);
    for (int k = 1; k < 24; k++) {
        uint32_t x = v[k];
        int j = k;
        for (; j > 0 && v[j - 1] > x; j--) v[j] = v[j - 1];
        v[j] = x;
    }
    uint32_t r = 0;
    for (int k = 0; k < 24; k++) r = r * 31 + v[k];
    out_u32(d, i, r ^ v[seed % 24]);
}

KERNEL(local_bytes) { /* byte, half and double elements, and a pointer that may point to local or shared memory */
    __shared__ unsigned char shared[64];
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i);
    __align__(4) unsigned char bytes[64];
    short halves[16];
    double wide[8];
    for (int k = 0; k < 64; k++) bytes[k] = (unsigned char)(v >> (k & 15));
    for (int k = 0; k < 16; k++) halves[k] = (short)(v * (uint32_t)k);
    for (int k = 0; k < 8; k++) wide[k] = (double)(v >> k);
    shared[i] = (unsigned char)v;
    __syncthreads();
    const unsigned char *where = v & 1 ? shared : bytes;
    uint32_t r = where[v >> 8 & 63];
    r = r * 31 + (uint32_t)halves[v >> 4 & 15];
    r = r * 31 + (uint32_t)(uint64_t)wide[v >> 20 & 7];
    out_u32(d, i, r + *(const uint32_t *)(bytes + 4 * (v >> 12 & 15)));
}

/* ---- threads that leave ---- */

KERNEL(return_before_barrier) { /* lanes and whole warps that returned no longer count at barriers */
    __shared__ volatile uint32_t cells[128];
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i);
    cells[i] = v;
    out_u32(d, i, 0x1000u + (uint32_t)i);
    __syncthreads();
    if (i >= 96 || i % 7 == 3) return;
    v += cells[127 - i];
    __syncthreads();
    cells[i] = v;
    __syncthreads();
    if (i >= 64) return;
    v = v * 3 + cells[(i ^ 2) % 7 == 3 ? i : i ^ 2];
    __syncthreads();
    out_u32(d, i, v);
}

KERNEL(return_before_shuffle) {
    int i = threadIdx.x, lane = i & 31;
    uint32_t v = in_u32(a, i);
    out_u32(d, i, v ^ 0xff);
    if (lane >= 20) return;
    v = v * 3 + __shfl_down_sync(0x000fffffu, v, 1, 4);
    if (lane & 1) return;
    v += __shfl_xor_sync(0x00055555u, v, 2);
    out_u32(d, i, v);
}

KERNEL(exit_instruction) {
    __shared__ volatile uint32_t cells[64];
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i);
    cells[i] = v;
    out_u32(d, i, v + 1);
    __syncthreads();
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0; @p exit; }" ::"r"(i % 5) : "memory");
    __syncthreads();
    out_u32(d, i, v * 3 + cells[63 - i]);
}

KERNEL(guard_first) { /* the usual `if (i >= n) return`, with a last block that is not full */
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    out_u32(d, i, step(in_u32(a, i)) + (uint32_t)i);
}

/* ---- threads that wait for each other ---- */

KERNEL(lock_in_warp) { /* all lanes of four warps want one lock; release inside the branch that took it */
    __shared__ int lock;
    __shared__ volatile uint32_t sum, count;
    int i = threadIdx.x;
    if (i == 0) lock = 0, sum = 0, count = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum = sum + in_u32(a, i); /* not atomic: only right when no two threads are here at a time */
            count = count + 1;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    out_u32(d, i, i & 1 ? sum : count);
}

KERNEL(lock_spin) { /* the spin loop apart from the critical section: the lane that holds the lock must get its turn */
    __shared__ int lock;
    __shared__ volatile uint32_t sum, count;
    int i = threadIdx.x;
    if (i == 0) lock = 0, sum = 0, count = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    sum = sum + in_u32(a, i);
    count = count + 1;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    out_u32(d, i, i & 1 ? sum : count);
}

KERNEL(lanes_pass_values) { /* odd lanes wait for what the even lanes of the same warp write, and the other way round */
    __shared__ volatile uint32_t value[64], ready[64];
    int i = threadIdx.x;
    ready[i] = 0;
    __syncthreads();
    uint32_t v = in_u32(a, i);
    if (i & 1) {
        while (!ready[i ^ 1]) {
        }
        __threadfence_block();
        v = v * 3 + value[i ^ 1];
        value[i] = v;
        __threadfence_block();
        ready[i] = 1;
    } else {
        value[i] = v;
        __threadfence_block();
        ready[i] = 1;
        while (!ready[i ^ 1]) {
        }
        __threadfence_block();
        v = v * 5 + value[i ^ 1];
    }
    out_u32(d, i, v);
}

KERNEL(lanes_in_a_chain) { /* lane k waits for lane k - 1, down the warp and on to the next warp */
    __shared__ volatile uint32_t value[64], ready[65];
    int i = threadIdx.x;
    ready[i + 1] = 0;
    if (i == 0) ready[0] = 1;
    __syncthreads();
    while (!ready[i]) {
    }
    __threadfence_block();
    uint32_t v = in_u32(a, i) + (i ? value[i - 1] * 3 : 0);
    value[i] = v;
    __threadfence_block();
    ready[i + 1] = 1;
    out_u32(d, i, v);
}

/* Blocks that wait for another block's flag. Four small blocks are resident together on any device. The block at the
 * end of the chain clears the flags for the next launch: by then every other block has seen the one it waits for. */
#define CHAIN_BLOCKS 4
#define BLOCK_CHAIN_KERNEL(id, position, sleep)                                                                      \
    static __device__ volatile uint32_t id##_flags[CHAIN_BLOCKS];                                                    \
    static __device__ volatile uint32_t id##_value[CHAIN_BLOCKS];                                                    \
    KERNEL(id) {                                                                                                     \
        __shared__ uint32_t before;                                                                                  \
        int at = (int)(position), i = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                  \
        if (threadIdx.x == 0) {                                                                                      \
            before = 1;                                                                                              \
            if (at > 0) {                                                                                            \
                while (!id##_flags[at - 1]) {                                                                        \
                    sleep;                                                                                           \
                }                                                                                                    \
                __threadfence();                                                                                     \
                before = id##_value[at - 1];                                                                         \
            }                                                                                                        \
        }                                                                                                            \
        __syncthreads();                                                                                             \
        out_u32(d, i, in_u32(a, i) + before);                                                                        \
        __syncthreads();                                                                                             \
        if (threadIdx.x == 0) {                                                                                      \
            id##_value[at] = before * 5 + in_u32(a, i);                                                              \
            __threadfence();                                                                                         \
            if (at < CHAIN_BLOCKS - 1) {                                                                             \
                id##_flags[at] = 1;                                                                                  \
            } else {                                                                                                 \
                for (int k = 0; k < CHAIN_BLOCKS; k++) id##_flags[k] = 0;                                            \
            }                                                                                                        \
        }                                                                                                            \
    }
BLOCK_CHAIN_KERNEL(blocks_in_order, blockIdx.x, (void)0)
BLOCK_CHAIN_KERNEL(blocks_in_reverse, CHAIN_BLOCKS - 1 - blockIdx.x, (void)0)
BLOCK_CHAIN_KERNEL(blocks_in_reverse_asleep, CHAIN_BLOCKS - 1 - blockIdx.x, __nanosleep(100))

/* A barrier across the grid: block 0 waits for the last block and the other way round. The ticket counts up over 2
 * rounds of CHAIN_BLOCKS and wraps to 0 by itself: nobody waits for the wrap. */
static __device__ unsigned int grid_ticket;
static __device__ volatile uint32_t grid_release[2];
static __device__ uint32_t grid_cells[2][CHAIN_BLOCKS * 32];
KERNEL(blocks_all_wait) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), last = CHAIN_BLOCKS * 32 - 1;
    uint32_t v = in_u32(a, i);
    for (int round = 0; round < 2; round++) {
        grid_cells[round][i] = v;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            /* The last one to arrive in a round lets the others go; in round 1 it takes back round 0's release, which
             * everybody has seen. Round 1's own is taken back at the start of the next launch's round 0. */
            unsigned int ticket = atomicInc(&grid_ticket, 2 * CHAIN_BLOCKS - 1);
            if (ticket % CHAIN_BLOCKS == CHAIN_BLOCKS - 1) {
                grid_release[1 - round] = 0;
                __threadfence();
                grid_release[round] = 1;
            }
            while (!grid_release[round]) {
            }
            __threadfence();
        }
        __syncthreads();
        v = v * 3 + ((volatile uint32_t *)grid_cells[round])[last - i];
    }
    out_u32(d, i, v);
}

/* ---- time ---- */

KERNEL(clock_monotonic) {
    int i = threadIdx.x;
    uint64_t c0, c1, g0, g1;
    uint32_t l0, l1, v = in_u32(a, i);
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(c0)::"memory");
    asm volatile("mov.u32 %0, %%clock;" : "=r"(l0)::"memory");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0)::"memory");
    asm volatile("nanosleep.u32 %0;" ::"r"(2000) : "memory");
    asm volatile("nanosleep.u32 50;" ::: "memory");
    asm volatile("mov.u32 %0, %%clock;" : "=r"(l1)::"memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(c1)::"memory");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1)::"memory");
    /* %clock wraps: its difference must be small and positive */
    out_u32(d, i, (v & 0xff00u) | (c1 > c0) | (uint32_t)(l1 - l0 != 0 && l1 - l0 < 0x80000000u) << 1 | (g1 >= g0) << 2);
}

KERNEL(clock_wait) { /* waiting by the clock ends */
    long long start = clock64();
    while (clock64() - start < 500 + 10 * (long long)threadIdx.x) {
    }
    out_u32(d, (int)threadIdx.x, in_u32(a, (int)threadIdx.x) ^ 0x1111);
}

/* ---- block shapes and launch bounds ---- */

static __device__ __forceinline__ uint32_t shape_value(void) {
    return threadIdx.x + 1000u * blockIdx.x + 100000u * blockDim.x + 7u * gridDim.x + threadIdx.y + threadIdx.z +
           blockIdx.y + blockIdx.z + 3 * blockDim.y + 5 * blockDim.z + 11 * gridDim.y + 13 * gridDim.z;
}

KERNEL(block_shape) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out_u32(d, i, shape_value());
}

static __global__ void __launch_bounds__(1024, 1)
    bounded_1024(CASE_ARGUMENTS) {
    __shared__ uint32_t cells[1024];
    int i = threadIdx.x;
    cells[i] = in_u32(a, i);
    __syncthreads();
    /* a tree sum, with whole warps idle in its later steps */
    for (int k = 512; k > 0; k >>= 1) {
        if (i < k) cells[i] += cells[i + k];
        __syncthreads();
    }
    out_u32(d, i, cells[0] + in_u32(a, i ^ 3));
}

static __global__ void __launch_bounds__(64, 16)
    bounded_64(CASE_ARGUMENTS) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    uint32_t v[48], r = 0; /* more live values than the bound's registers have room for */
#pragma unroll
    for (int k = 0; k < 48; k++) v[k] = in_u32(a, (i + 5 * k) % n);
#pragma unroll
    for (int k = 0; k < 48; k++) r = r * 31 + (v[k] ^ v[47 - k] >> 3);
    out_u32(d, i, r);
}

/* ---- the table ---- */

#define ONE(name, id, d, n)            {name, id, V_U32, V_U32, V_NONE, d, n, 1, n, 0, 0}
#define SMALL(name, id, n)             {name, id, V_U32, V_SMALL, V_NONE, V_U32, n, 1, n, 0, 0}
#define GRID(name, id, n, grid, block) {name, id, V_U32, V_NONE, V_NONE, V_U32, n, grid, block, 0, 0}

static const conformance_case cases[] = {
    ONE("divergence/nested", nested_divergence, V_U32, 256),
    ONE("loop/trip counts", loop_trip_counts, V_U32, 256),
    ONE("loop/break and continue", loop_break_continue, V_U32, 256),
    ONE("loop/many exits", loop_do_while_exits, V_U32, 256),
    ONE("loop/64-bit counter", loop_64_bit, V_U64, 64),
    ONE("loop/ballot of the rest", loop_uniform_and_shuffle, V_U32, 128),
    ONE("divergence/reconverge", reconverge_warp, V_U32, 128),
    ONE("switch/dense", switch_dense, V_U32, 256),
    SMALL("switch/sparse", switch_sparse, 128),
    ONE("brx.idx", branch_indexed, V_U32, 256),
    ONE("brx.idx.uni", branch_indexed_uniform, V_U32, 128),
    ONE("irreducible/assembly", irreducible_assembly, V_U32, 128),
    ONE("irreducible/goto", irreducible_goto, V_U32, 128),
    {"@p ld, st, atom, red", predicated_memory, V_U32, V_NONE, V_NONE, V_U32, 128, 1, 64, 0, 0},
    ONE("@p shfl.sync", predicated_shuffle, V_U32, 64),
    ONE("@p/arithmetic", predicated_arithmetic, V_U32, 256),
    ONE("selp/against a branch", select_or_branch, V_U64, 128),
    ONE("call/arguments and results", call_forms, V_U64, 64),
    SMALL("call/recursive", call_recursive, 128),
    SMALL("call/twice recursive", call_recursive_twice, 64),
    SMALL("call/mutually recursive", call_recursive_mutual, 64),
    ONE("call/pointers in .const", call_pointer_constant, V_U32, 128),
    ONE("call/pointers in .global", call_pointer_device, V_U32, 128),
    ONE("call/pointers in .local", call_pointer_local, V_U32, 128),
    ONE("call/virtual", call_virtual, V_U32, 128),
    ONE("call/divergent", call_divergent, V_U32, 128),
    ONE("call/with a barrier", call_with_barrier, V_U32, 96),
    ONE("local/sort", local_sort, V_U32, 128),
    ONE("local/mixed types", local_bytes, V_U32, 64),
    ONE("return/before a barrier", return_before_barrier, V_U32, 128),
    ONE("return/before a shuffle", return_before_shuffle, V_U32, 64),
    ONE("exit", exit_instruction, V_U32, 64),
    GRID("return/guard", guard_first, 333, 3, 128),
    ONE("wait/lock", lock_in_warp, V_U32, 128),
    ONE("wait/lock with a spin loop", lock_spin, V_U32, 128),
    ONE("wait/lanes in pairs", lanes_pass_values, V_U32, 64),
    ONE("wait/lanes in a chain", lanes_in_a_chain, V_U32, 64),
    GRID("wait/blocks in order", blocks_in_order, 128, CHAIN_BLOCKS, 32),
    GRID("wait/blocks in reverse", blocks_in_reverse, 128, CHAIN_BLOCKS, 32),
    GRID("wait/blocks in reverse, nanosleep", blocks_in_reverse_asleep, 128, CHAIN_BLOCKS, 32),
    GRID("wait/grid barrier", blocks_all_wait, 128, CHAIN_BLOCKS, 32),
    ONE("clock/monotonic", clock_monotonic, V_U32, 64),
    ONE("clock/wait", clock_wait, V_U32, 64),
    GRID("shape/1 thread", block_shape, 1, 1, 1),
    GRID("shape/33 threads", block_shape, 33, 1, 33),
    GRID("shape/5 blocks of 105 threads", block_shape, 525, 5, 105),
    GRID("shape/1024 threads", block_shape, 1024, 1, 1024),
    GRID("shape/100 blocks of 1 thread", block_shape, 100, 100, 1),
    GRID("launch bounds/1024", bounded_1024, 1024, 1, 1024),
    GRID("launch bounds/64, 16", bounded_64, 256, 4, 64),
};

const conformance_table conformance_control = {"control", cases, (int)(sizeof(cases) / sizeof(cases[0]))};
