/* long: a table of cases */
/* Conformance cases of what threads do together: shfl, vote, match, redux, elect, activemask, warp and block barriers,
 * fences, and the special registers that say where a thread is.
 *
 * Only determined results are compared: no lane reads from a lane outside the member mask, and everything that depends
 * on order passes through a barrier, a fence with a flag, or a sum. Blocks are whole warps unless a case says so.
 */
#include "kernel.cuh"

#include <stdint.h>

#define FULL 0xffffffffu

/* A value that names its thread. The top bit stays free for a predicate. */
static __device__ __forceinline__ uint32_t own_value(int i) {
    return (uint32_t)i * 0x00010003u + 0x1000u;
}

/* ---- shfl.sync ---- */

#define SHFL(mode, v, p, value, lane, bounds, mask)                                                                  \
    asm volatile("{ .reg .pred q; shfl.sync." mode ".b32 %0|q, %2, %3, %4, %5; selp.u32 %1, 1, 0, q; }"              \
                 : "=r"(v), "=r"(p)                                                                                  \
                 : "r"(value), "r"(lane), "r"(bounds), "r"(mask)                                                     \
                 : "memory")

/* The standard widths: clamp 0 for up, 31 for the others; the segment mask keeps the bits above the width. Warp w of
 * six has width 1 << w. Each lane has its own source lane or distance. */
#define SHFL_WIDTHS_KERNEL(mode, clamp)                                                                              \
    KERNEL(shfl_widths_##mode) {                                                                                     \
        int i = threadIdx.x;                                                                                         \
        uint32_t width = 1u << (i >> 5), v, p;                                                                       \
        SHFL(#mode, v, p, own_value(i), in_u32(b, i), (32 - width) << 8 | clamp, FULL);                              \
        out_u32(d, i, v | p << 31);                                                                                  \
    }                                                                                                                \
    KERNEL(shfl_distances_##mode) { /* the same distance in all lanes: warp w has distance w, width 32 */            \
        int i = threadIdx.x;                                                                                         \
        uint32_t v, p;                                                                                               \
        SHFL(#mode, v, p, own_value(i), (uint32_t)(i >> 5), clamp, FULL);                                            \
        out_u32(d, i, v | p << 31);                                                                                  \
    }                                                                                                                \
    KERNEL(shfl_clamps_##mode) { /* every clamp value with changing segment masks, the same in all lanes of a warp */ \
        int i = threadIdx.x;                                                                                         \
        uint32_t w = (uint32_t)i >> 5, v, p;                                                                         \
        SHFL(#mode, v, p, own_value(i), in_u32(b, i), w | ((w * 11) & 31) << 8, FULL);                               \
        out_u32(d, i, v | p << 31);                                                                                  \
    }                                                                                                                \
    KERNEL(shfl_free_##mode) { /* any lane operand, clamp and segment mask, different in each lane, all bits set */  \
        int i = threadIdx.x;                                                                                         \
        uint32_t v, p;                                                                                               \
        SHFL(#mode, v, p, own_value(i), in_u32(a, i) >> (i & 7), in_u32(b, i) * 2654435761u >> 7, FULL);             \
        out_u32(d, i, v | p << 31);                                                                                  \
    }                                                                                                                \
    KERNEL(shfl_immediate_##mode) { /* immediate operands, no predicate output, as __shfl_*_sync makes them */       \
        int i = threadIdx.x;                                                                                         \
        uint32_t v = in_u32(a, i), w;                                                                                \
        asm volatile("shfl.sync." #mode ".b32 %0, %1, 1, " #clamp ", -1;" : "=r"(w) : "r"(v));                       \
        v = v * 3 + w;                                                                                               \
        asm volatile("shfl.sync." #mode ".b32 %0, %1, 16, " #clamp ", 0xffffffff;" : "=r"(w) : "r"(v));              \
        v = v * 3 + w;                                                                                               \
        asm volatile("shfl.sync." #mode ".b32 %0, %0, 5, " #clamp ", -1;" : "+r"(v));                                \
        out_u32(d, i, v);                                                                                            \
    }                                                                                                                \
    KERNEL(shfl_half_##mode) { /* each half of a warp in its own branch, with its own member mask and width 16 */    \
        int i = threadIdx.x, lane = i & 31;                                                                          \
        uint32_t v, p;                                                                                               \
        if (lane < 16) {                                                                                             \
            SHFL(#mode, v, p, own_value(i), in_u32(b, i) & 15, 0x1000 | clamp, 0x0000ffffu);                         \
        } else {                                                                                                     \
            SHFL(#mode, v, p, own_value(i) + 7, in_u32(b, i) & 15, 0x1000 | clamp, 0xffff0000u);                     \
        }                                                                                                            \
        out_u32(d, i, v | p << 31);                                                                                  \
    }                                                                                                                \
    KERNEL(shfl_even_##mode) { /* only the even lanes take part, and even distances keep the sources among them */   \
        int i = threadIdx.x, lane = i & 31;                                                                          \
        uint32_t v = 0, p = 0;                                                                                       \
        if (lane % 2 == 0) SHFL(#mode, v, p, own_value(i), in_u32(b, i) & 30, clamp, 0x55555555u);                   \
        out_u32(d, i, v | p << 31);                                                                                  \
    }
SHFL_WIDTHS_KERNEL(up, 0)
SHFL_WIDTHS_KERNEL(down, 31)
SHFL_WIDTHS_KERNEL(bfly, 31)
SHFL_WIDTHS_KERNEL(idx, 31)

#define SHFL_CASES(mode)                                                                                             \
    {"shfl.sync." #mode ".b32/widths", shfl_widths_##mode, V_NONE, V_SMALL, V_NONE, V_U32, 192, 1, 192, 0, 0},       \
        {"shfl.sync." #mode ".b32/distances", shfl_distances_##mode, V_NONE, V_NONE, V_NONE, V_U32, 1024, 1, 1024,   \
         0, 0},                                                                                                      \
        {"shfl.sync." #mode ".b32/clamps", shfl_clamps_##mode, V_NONE, V_SMALL, V_NONE, V_U32, 1024, 1, 1024, 0, 0}, \
        {"shfl.sync." #mode ".b32/free", shfl_free_##mode, V_U32, V_U32, V_NONE, V_U32, 512, 1, 512, 0, 0},          \
        {"shfl.sync." #mode ".b32/immediate", shfl_immediate_##mode, V_U32, V_NONE, V_NONE, V_U32, 64, 1, 64, 0, 0}, \
        {"shfl.sync." #mode ".b32/halves", shfl_half_##mode, V_NONE, V_SMALL, V_NONE, V_U32, 128, 1, 128, 0, 0},     \
        {"shfl.sync." #mode ".b32/even lanes", shfl_even_##mode, V_NONE, V_SMALL, V_NONE, V_U32, 128, 1, 128, 0, 0},

KERNEL(shfl_float_sum) { /* the usual butterfly sum: each lane must end with the same bits */
    int i = threadIdx.x;
    float v = (float)(in_u32(a, i) & 0xffffff);
    for (int k = 16; k > 0; k >>= 1) v += __shfl_xor_sync(FULL, v, k);
    ((float *)d)[i] = v;
}

KERNEL(shfl_64_scan) { /* 64-bit values, which are two shuffles each, in an inclusive scan */
    int i = threadIdx.x, lane = i & 31;
    unsigned long long v = in_u32(a, i) * 0x100000001ull;
    for (int k = 1; k < 32; k <<= 1) {
        unsigned long long w = __shfl_up_sync(FULL, v, k);
        if (lane >= k) v += w;
    }
    ((uint64_t *)d)[i] = v;
}

KERNEL(shfl_partial_warp) { /* a block of 45 threads: the second warp has 13 lanes */
    int i = threadIdx.x, lane = i & 31;
    uint32_t mask = i < 32 ? FULL : 0x1fffu, v, p;
    SHFL("idx", v, p, own_value(i), (uint32_t)(lane * 5 % (i < 32 ? 32 : 13)), 31, mask);
    out_u32(d, i, v | p << 31);
}

/* ---- vote, match, redux, elect, activemask ---- */

/* Predicates of a warp: as the input has them, all true, all false, one true, one false. The block has five warps.
 * Three forms: all lanes; two branches with the odd and the even lanes; 11 lanes of the warp. */
static __device__ __forceinline__ uint32_t vote_input(const void *a, int i) {
    int warp = i >> 5, lane = i & 31;
    return warp == 0   ? in_u32(a, i) % 3 == 0
           : warp == 1 ? 1u
           : warp == 2 ? 0u
           : warp == 3 ? lane == 21
                       : lane != 6;
}

#define VOTE_PRED(mode, v, x, mask, neg)                                                                             \
    asm volatile("{ .reg .pred q, r; setp.ne.u32 q, %1, 0; vote.sync." mode ".pred r, " neg "q, %2; "                \
                 "selp.u32 %0, 1, 0, r; }"                                                                           \
                 : "=r"(v)                                                                                           \
                 : "r"(x), "r"(mask))
#define VOTE_BALLOT(mode, v, x, mask, neg)                                                                           \
    asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, " neg "q, %2; }"                    \
                 : "=r"(v)                                                                                           \
                 : "r"(x), "r"(mask))

#define VOTE_KERNEL(id, VOTE, mode, neg)                                                                             \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x, lane = i & 31;                                                                          \
        uint32_t x = vote_input(a, i), all, branch, some = 0xdead;                                                   \
        VOTE(mode, all, x, FULL, neg);                                                                               \
        if (lane & 1) {                                                                                              \
            VOTE(mode, branch, x, 0xaaaaaaaau, neg);                                                                 \
            branch += 5;                                                                                             \
        } else {                                                                                                     \
            VOTE(mode, branch, x, 0x55555555u, neg);                                                                 \
        }                                                                                                            \
        if (lane % 3 == 1) VOTE(mode, some, x, 0x92492492u, neg);                                                    \
        out_u32(d, 3 * i, all);                                                                                      \
        out_u32(d, 3 * i + 1, branch);                                                                               \
        out_u32(d, 3 * i + 2, some);                                                                                 \
    }
#define VOTES(X)                                                                                                     \
    X(vote_all, VOTE_PRED, "all", "") X(vote_any, VOTE_PRED, "any", "") X(vote_uni, VOTE_PRED, "uni", "")            \
    X(vote_ballot, VOTE_BALLOT, "ballot", "") X(vote_not_all, VOTE_PRED, "all", "!")                                 \
    X(vote_not_any, VOTE_PRED, "any", "!") X(vote_not_uni, VOTE_PRED, "uni", "!")                                    \
    X(vote_not_ballot, VOTE_BALLOT, "ballot", "!")
#define VOTE_CASE(id, VOTE, mode, neg) \
    {"vote.sync." mode "/" neg "p", id, V_U32, V_NONE, V_NONE, V_U32, 480, 1, 160, 0, 0},

VOTES(VOTE_KERNEL)

/* Values with few different ones among the lanes; in the last warp all the same. Note that for 64 bits the low halves
 * agree more often than the whole. */
static __device__ __forceinline__ uint64_t match_input(const void *a, int i) {
    uint32_t x = in_u32(a, i);
    return i >= 96 ? 0x8000000180000001ull : (uint64_t)(x % 3) | (uint64_t)(x / 3 % 2) << 40;
}

#define MATCH_ANY(type, reg, v, p, x, mask)                                                                          \
    p = 0;                                                                                                           \
    asm volatile("match.any.sync." type " %0, %1, %2;" : "=r"(v) : reg(x), "r"(mask))
#define MATCH_ALL(type, reg, v, p, x, mask)                                                                          \
    asm volatile("{ .reg .pred q; match.all.sync." type " %0|q, %2, %3; selp.u32 %1, 1, 0, q; }"                     \
                 : "=r"(v), "=r"(p)                                                                                  \
                 : reg(x), "r"(mask))
#define MATCH_KERNEL(id, MATCH, name, type, reg, ctype)                                                              \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x, lane = i & 31;                                                                          \
        ctype x = (ctype)match_input(a, i);                                                                          \
        uint32_t all, p, branch, q, some = 0xdead, r = 0;                                                            \
        MATCH(type, reg, all, p, x, FULL);                                                                           \
        if (lane >= 13) {                                                                                            \
            MATCH(type, reg, branch, q, x, 0xffffe000u);                                                             \
            branch += 5;                                                                                             \
        } else {                                                                                                     \
            MATCH(type, reg, branch, q, x, 0x00001fffu);                                                             \
        }                                                                                                            \
        if (lane == 30) {                                                                                            \
            MATCH(type, reg, some, r, x, 0x40000000u);                                                               \
        }                                                                                                            \
        out_u32(d, 4 * i, all);                                                                                      \
        out_u32(d, 4 * i + 1, branch);                                                                               \
        out_u32(d, 4 * i + 2, some);                                                                                 \
        out_u32(d, 4 * i + 3, p | q << 1 | r << 2);                                                                  \
    }
#define MATCHES(X)                                                                                                   \
    X(match_any_b32, MATCH_ANY, "match.any.sync.b32", "b32", "r", uint32_t)                                          \
    X(match_any_b64, MATCH_ANY, "match.any.sync.b64", "b64", "l", uint64_t)                                          \
    X(match_all_b32, MATCH_ALL, "match.all.sync.b32", "b32", "r", uint32_t)                                          \
    X(match_all_b64, MATCH_ALL, "match.all.sync.b64", "b64", "l", uint64_t)
#define MATCH_CASE(id, MATCH, name, type, reg, ctype) \
    {name, id, V_U32, V_NONE, V_NONE, V_U32, 512, 1, 128, 0, 0},

MATCHES(MATCH_KERNEL)

#define REDUX(text, v, x, mask) asm volatile("redux.sync." text " %0, %1, %2;" : "=r"(v) : "r"(x), "r"(mask))
#define REDUX_KERNEL(id, text, values)                                                                               \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x, lane = i & 31;                                                                          \
        uint32_t x = in_u32(a, i), all, branch, some = 0xdead;                                                       \
        REDUX(text, all, x, FULL);                                                                                   \
        if (lane & 2) {                                                                                              \
            REDUX(text, branch, x, 0xccccccccu);                                                                     \
            branch += 5;                                                                                             \
        } else {                                                                                                     \
            REDUX(text, branch, x, 0x33333333u);                                                                     \
        }                                                                                                            \
        if (lane >= 9 && lane < 12) REDUX(text, some, x, 0x00000e00u);                                               \
        out_u32(d, 3 * i, all);                                                                                      \
        out_u32(d, 3 * i + 1, branch);                                                                               \
        out_u32(d, 3 * i + 2, some);                                                                                 \
    }
#define REDUXES(X)                                                                                                   \
    X(redux_add_u32, "add.u32", V_U32) X(redux_add_s32, "add.s32", V_S32) X(redux_min_u32, "min.u32", V_U32)         \
    X(redux_min_s32, "min.s32", V_S32) X(redux_max_u32, "max.u32", V_U32) X(redux_max_s32, "max.s32", V_S32)         \
    X(redux_and_b32, "and.b32", V_U32) X(redux_or_b32, "or.b32", V_U32) X(redux_xor_b32, "xor.b32", V_U32)
#define REDUX_CASE(id, text, values) {"redux.sync." text, id, values, V_NONE, V_NONE, V_U32, 384, 1, 128, 0, 0},

REDUXES(REDUX_KERNEL)

#define ELECT(v, p, mask)                                                                                            \
    asm volatile("{ .reg .pred q; elect.sync %0|q, %2; selp.u32 %1, 1, 0, q; }" : "=r"(v), "=r"(p) : "r"(mask))
KERNEL(elect) {
    int i = threadIdx.x, lane = i & 31;
    uint32_t v, p, w = 0, q = 0, only;
    ELECT(v, p, FULL);
    if (lane >= 5) ELECT(w, q, 0xffffffe0u);
    __syncwarp();
    asm volatile("{ .reg .pred q; elect.sync _|q, -1; selp.u32 %0, 1, 0, q; }" : "=r"(only));
    out_u32(d, i, v | p << 8 | w << 16 | q << 24 | only << 28);
}

/* activemask where a warp barrier has just brought the named lanes together. */
KERNEL(activemask) {
    int i = threadIdx.x, lane = i & 31;
    uint32_t all, half, one = 0;
    __syncwarp();
    asm volatile("activemask.b32 %0;" : "=r"(all)::"memory");
    if (lane < 16) {
        __syncwarp(0x0000ffffu);
        asm volatile("activemask.b32 %0;" : "=r"(half)::"memory");
        out_u32(d, 3 * i, half);
    } else {
        __syncwarp(0xffff0000u);
        asm volatile("activemask.b32 %0;" : "=r"(half)::"memory");
        out_u32(d, 3 * i, half + 1);
    }
    if (lane == 19) {
        asm volatile("activemask.b32 %0;" : "=r"(one)::"memory");
    }
    out_u32(d, 3 * i + 1, one);
    out_u32(d, 3 * i + 2, all);
}

/* ---- bar.warp.sync ---- */

KERNEL(bar_warp_order) { /* neighbours' values through shared memory, many rounds, warps not in step with each other */
    __shared__ uint32_t cells[128];
    int i = threadIdx.x, base = i & ~31;
    uint32_t v = in_u32(a, i);
    for (int round = 0; round < 8 + (i >> 5); round++) {
        cells[i] = v;
        asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        v = v * 5 + cells[base + ((i + 1 + round) & 31)];
        asm volatile("bar.warp.sync %0;" ::"r"(FULL) : "memory");
    }
    out_u32(d, i, v);
}

KERNEL(bar_warp_branches) { /* lanes that arrive at the same barrier from different places in the code */
    __shared__ volatile uint32_t cells[64];
    int i = threadIdx.x, lane = i & 31;
    uint32_t v;
    if (lane < 10) {
        cells[i] = in_u32(a, i) + 1;
        asm volatile("bar.warp.sync -1;" ::: "memory");
        v = cells[i ^ 31] * 3;
    } else {
        cells[i] = in_u32(a, i) ^ 0x55;
        asm volatile("bar.warp.sync -1;" ::: "memory");
        v = cells[i ^ 31] * 7;
    }
    out_u32(d, i, v);
}

KERNEL(bar_warp_subset) { /* odd lanes synchronise among themselves, in a loop, while the even ones do something else */
    __shared__ volatile uint32_t cells[64];
    int i = threadIdx.x, lane = i & 31;
    uint32_t v = in_u32(a, i);
    if (lane & 1) {
        for (int k = 0; k < 5; k++) {
            cells[i] = v;
            asm volatile("bar.warp.sync 0xaaaaaaaa;" ::: "memory");
            v += cells[i ^ 2 << (k & 3)];
            asm volatile("bar.warp.sync 0xaaaaaaaa;" ::: "memory");
        }
    } else {
        for (int k = 0; k < lane; k++) v = v * 3 + 1;
    }
    out_u32(d, i, v);
}

/* ---- special registers ---- */

#define SPECIAL_KERNEL(id, name)                                                                                     \
    KERNEL(id) {                                                                                                     \
        uint32_t v;                                                                                                  \
        asm volatile("mov.u32 %0, %%" name ";" : "=r"(v));                                                           \
        out_u32(d, blockIdx.x * blockDim.x + threadIdx.x, v);                                                        \
    }
#define SPECIALS(X)                                                                                                  \
    X(special_laneid, "laneid") X(special_lanemask_eq, "lanemask_eq") X(special_lanemask_le, "lanemask_le")          \
    X(special_lanemask_lt, "lanemask_lt") X(special_lanemask_ge, "lanemask_ge") X(special_lanemask_gt, "lanemask_gt") \
    X(special_tid_x, "tid.x") X(special_tid_y, "tid.y") X(special_tid_z, "tid.z") X(special_ntid_x, "ntid.x")        \
    X(special_ntid_y, "ntid.y") X(special_ntid_z, "ntid.z") X(special_ctaid_x, "ctaid.x")                            \
    X(special_ctaid_y, "ctaid.y") X(special_ctaid_z, "ctaid.z") X(special_nctaid_x, "nctaid.x")                      \
    X(special_nctaid_y, "nctaid.y") X(special_nctaid_z, "nctaid.z")                                                  \
    X(special_total_smem, "total_smem_size") X(special_clusterid_x, "clusterid.x")                                   \
    X(special_nclusterid_x, "nclusterid.x") X(special_cluster_ctaid_x, "cluster_ctaid.x")                            \
    X(special_cluster_nctaid_x, "cluster_nctaid.x") X(special_cluster_ctarank, "cluster_ctarank")                    \
    X(special_cluster_nctarank, "cluster_nctarank")
/* Blocks of 45 threads, so that the last warp is not full. */
#define SPECIAL_CASE(id, name) {"mov.u32 %" name, id, V_NONE, V_NONE, V_NONE, V_U32, 135, 3, 45, 0, 0},

SPECIALS(SPECIAL_KERNEL)

KERNEL(special_16_bit) { /* the 16-bit form of older code */
    uint16_t x, y, z, w;
    asm volatile("mov.u16 %0, %%tid.x;\n\tmov.u16 %1, %%ntid.x;\n\tmov.u16 %2, %%ctaid.x;\n\tmov.u16 %3, %%nctaid.x;"
                 : "=h"(x), "=h"(y), "=h"(z), "=h"(w));
    out_u32(d, blockIdx.x * blockDim.x + threadIdx.x, x + 256u * y + 65536u * z + (w << 24));
}

KERNEL(special_uniform) { /* %warpid and %smid and the like: what they say is not fixed, but it is within bounds and
                             the same in all lanes of a warp */
    uint32_t warp, warps, sm, sms, is;
    int same;
    asm volatile("mov.u32 %0, %%warpid;\n\tmov.u32 %1, %%nwarpid;\n\tmov.u32 %2, %%smid;\n\tmov.u32 %3, %%nsmid;"
                 : "=r"(warp), "=r"(warps), "=r"(sm), "=r"(sms));
    asm volatile("{ .reg .pred e; mov.pred e, %%is_explicit_cluster; selp.u32 %0, 1, 0, e; }" : "=r"(is));
    __match_all_sync(FULL, sm, &same);
    out_u32(d, threadIdx.x, (warp < warps) | (sm < sms) << 1 | (same != 0) << 2 | is << 3);
}

/* ---- block barriers ---- */

/* Exchanges through shared memory with the barrier under test between writes and reads, several times. */
#define BARRIER_KERNEL(id, text, threads)                                                                            \
    KERNEL(id) {                                                                                                     \
        __shared__ uint32_t cells[threads];                                                                          \
        int i = threadIdx.x;                                                                                         \
        uint32_t v = in_u32(a, i);                                                                                   \
        for (int round = 0; round < 6; round++) {                                                                    \
            cells[i] = v;                                                                                            \
            asm volatile(text ::"r"(round % 3 + 2), "r"(threads) : "memory");                                        \
            v = v * 5 + cells[(i + 37 * round + 1) % (threads)];                                                     \
            asm volatile(text ::"r"(round % 3 + 2), "r"(threads) : "memory");                                        \
        }                                                                                                            \
        out_u32(d, i, v);                                                                                            \
    }
#define BARRIERS(X)                                                                                                  \
    X(bar_sync_0, "bar.sync 0;", 128) X(bar_sync_15, "bar.sync 15;", 96) X(bar_sync_count, "bar.sync 3, 256;", 256)  \
    X(bar_sync_register, "bar.sync %0;", 128) X(bar_sync_registers, "bar.sync %0, %1;", 128)                         \
    X(bar_cta_sync, "bar.cta.sync 1;", 128) X(barrier_sync, "barrier.sync 0;", 128)                                  \
    X(barrier_sync_aligned, "barrier.sync.aligned 4, 128;", 128) X(barrier_sync_registers, "barrier.sync %0, %1;", 64) \
    X(barrier_cta_sync, "barrier.cta.sync %0;", 160)                                                                 \
    X(barrier_cta_sync_aligned, "barrier.cta.sync.aligned 7, %1;", 1024)
#define BARRIER_CASE(id, text, threads) {text "/" #id, id, V_U32, V_NONE, V_NONE, V_U32, threads, 1, threads, 0, 0},

BARRIERS(BARRIER_KERNEL)

/* bar.red: two barriers with different predicates, then one over two of the four warps. */
#define BAR_RED_PRED(text, v, x, tail)                                                                               \
    asm volatile("{ .reg .pred q, r; setp.ne.u32 q, %1, 0; " text ".pred r, " tail "; selp.u32 %0, 1, 0, r; }"       \
                 : "=r"(v)                                                                                           \
                 : "r"((uint32_t)(x))                                                                                \
                 : "memory")
#define BAR_RED_COUNT(text, v, x, tail)                                                                              \
    asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; " text ".u32 %0, " tail "; }"                                \
                 : "=r"(v)                                                                                           \
                 : "r"((uint32_t)(x))                                                                                \
                 : "memory")
#define BAR_RED_KERNEL(id, BAR_RED, text)                                                                            \
    KERNEL(id) {                                                                                                     \
        int i = threadIdx.x;                                                                                         \
        uint32_t x = in_u32(a, i), v, w, u, t = 0xdead, s;                                                           \
        BAR_RED(text, v, x & 1, "0, q");                                                                             \
        BAR_RED(text, w, i != 77, "1, 128, q");                                                                      \
        BAR_RED(text, u, i >= 0, "0, !q");                                                                           \
        if (i >= 64) BAR_RED(text, t, i == 70 || x % 5 == 0, "2, 64, q");                                            \
        BAR_RED(text, s, i >= 0, "0, 128, q");                                                                       \
        out_u32(d, i, v | w << 8 | u << 16 | s << 24);                                                               \
        out_u32(d, 128 + i, t);                                                                                      \
    }
#define BAR_REDS(X)                                                                                                  \
    X(bar_red_popc, BAR_RED_COUNT, "bar.red.popc") X(bar_red_and, BAR_RED_PRED, "bar.red.and")                       \
    X(bar_red_or, BAR_RED_PRED, "bar.red.or") X(barrier_red_popc, BAR_RED_COUNT, "barrier.red.popc.aligned")         \
    X(barrier_red_and, BAR_RED_PRED, "barrier.cta.red.and")                                                          \
    X(barrier_red_or, BAR_RED_PRED, "barrier.cta.red.or.aligned")
#define BAR_RED_CASE(id, BAR_RED, text) {text, id, V_U32, V_NONE, V_NONE, V_U32, 256, 1, 128, 0, 0},

BAR_REDS(BAR_RED_KERNEL)

/* Warps 0 and 1 produce, warps 2 and 3 consume: barrier 1 + stage says "full", barrier 3 + stage says "empty". Each
 * side arrives at the one and waits at the other, 128 threads in all. */
#define PRODUCER_KERNEL(id, arrive, sync)                                                                            \
    KERNEL(id) {                                                                                                     \
        __shared__ uint32_t stages[2][64];                                                                           \
        int i = threadIdx.x;                                                                                         \
        uint32_t v = in_u32(a, i);                                                                                   \
        if (i < 64) {                                                                                                \
            for (int k = 0; k < 7; k++) {                                                                            \
                if (k >= 2) asm volatile(sync " %0, 128;" ::"r"(3 + (k & 1)) : "memory");                            \
                stages[k & 1][i] = v;                                                                                \
                asm volatile(arrive " %0, 128;" ::"r"(1 + (k & 1)) : "memory");                                      \
                v = v * 1664525u + 1013904223u;                                                                      \
            }                                                                                                        \
        } else {                                                                                                     \
            for (int k = 0; k < 7; k++) {                                                                            \
                asm volatile(sync " %0, 128;" ::"r"(1 + (k & 1)) : "memory");                                        \
                v = v * 3 + stages[k & 1][(i + 5 * k) & 63];                                                         \
                if (k < 5) asm volatile(arrive " %0, 128;" ::"r"(3 + (k & 1)) : "memory");                           \
            }                                                                                                        \
        }                                                                                                            \
        out_u32(d, i, v);                                                                                            \
    }
PRODUCER_KERNEL(bar_arrive, "bar.arrive", "bar.sync")
PRODUCER_KERNEL(barrier_arrive, "barrier.arrive", "barrier.sync")
PRODUCER_KERNEL(barrier_cta_arrive, "barrier.cta.arrive.aligned", "barrier.cta.sync.aligned")

KERNEL(bar_subsets) { /* pairs of warps with barriers of their own, going different numbers of rounds */
    __shared__ uint32_t cells[256];
    int i = threadIdx.x, pair = i >> 6;
    uint32_t v = in_u32(a, i);
    for (int k = 0; k < 2 + 3 * pair; k++) {
        cells[i] = v;
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
        v = v * 7 + cells[pair * 64 + ((i + 33) & 63)];
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    }
    cells[i] = v;
    __syncthreads();
    out_u32(d, i, v ^ cells[255 - i]);
}

KERNEL(barrier_branches) { /* barrier.sync without .aligned: the lanes of a warp arrive from different branches */
    __shared__ uint32_t cells[64];
    int i = threadIdx.x;
    uint32_t v = in_u32(a, i);
    if (i % 3 == 0) {
        cells[i] = v + 1;
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        v = cells[63 - i] * 3;
    } else {
        cells[i] = v ^ 0x77;
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        v = cells[63 - i] * 5;
    }
    out_u32(d, i, v);
}

KERNEL(syncthreads_votes) {
    int i = threadIdx.x;
    uint32_t x = in_u32(a, i);
    uint32_t count = (uint32_t)__syncthreads_count(x & 1), all = __syncthreads_and(i < 100) != 0,
             any = __syncthreads_or(i == 99) != 0;
    out_u32(d, i, count | all << 16 | any << 17);
}

/* ---- fences ---- */

/* Message passing within a block: each lane of warp 0 writes its data, fences and sets its flag; the lane of warp 1
 * that waits for the flag fences and reads the data. Data in shared and in global memory. The warps differ, so that
 * the wait ends as long as warps make progress. */
#define FENCE_KERNEL(id, fence)                                                                                      \
    KERNEL(id) {                                                                                                     \
        __shared__ uint32_t cells[32];                                                                               \
        __shared__ uint32_t flags[32];                                                                               \
        int i = threadIdx.x, lane = i & 31;                                                                          \
        uint32_t *global = (uint32_t *)d + 64;                                                                       \
        if (i < 32) flags[i] = 0, cells[i] = 0, global[i] = 0;                                                       \
        __syncthreads();                                                                                             \
        uint32_t v = in_u32(a, i);                                                                                   \
        uint32_t flag = (uint32_t)__cvta_generic_to_shared(&flags[i < 32 ? lane : lane ^ 9]);                        \
        if (i < 32) {                                                                                                \
            ((volatile uint32_t *)cells)[lane] = v;                                                                  \
            ((volatile uint32_t *)global)[lane] = v * 3;                                                             \
            asm volatile(fence ";" ::: "memory");                                                                    \
            asm volatile("st.relaxed.cta.shared.u32 [%0], 1;" ::"r"(flag) : "memory");                               \
        } else {                                                                                                     \
            uint32_t set;                                                                                            \
            do {                                                                                                     \
                asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(set) : "r"(flag) : "memory");              \
            } while (!set);                                                                                          \
            asm volatile(fence ";" ::: "memory");                                                                    \
            v = ((volatile uint32_t *)cells)[lane ^ 9] + ((volatile uint32_t *)global)[lane ^ 9];                    \
        }                                                                                                            \
        out_u32(d, i, v);                                                                                            \
    }
#define FENCES(X)                                                                                                    \
    X(membar_cta, "membar.cta") X(membar_gl, "membar.gl") X(membar_sys, "membar.sys") X(fence_cta, "fence.cta")      \
    X(fence_gpu, "fence.gpu") X(fence_sys, "fence.sys") X(fence_cluster, "fence.cluster")                            \
    X(fence_sc_cta, "fence.sc.cta") X(fence_sc_cluster, "fence.sc.cluster") X(fence_sc_gpu, "fence.sc.gpu")          \
    X(fence_sc_sys, "fence.sc.sys") X(fence_acq_rel_cta, "fence.acq_rel.cta")                                        \
    X(fence_acq_rel_cluster, "fence.acq_rel.cluster") X(fence_acq_rel_gpu, "fence.acq_rel.gpu")                      \
    X(fence_acq_rel_sys, "fence.acq_rel.sys") X(fence_proxy_alias, "fence.acq_rel.cta;\n\tfence.proxy.alias")        \
    X(fence_proxy_async, "fence.acq_rel.cta;\n\tfence.proxy.async")                                                  \
    X(fence_proxy_async_global, "fence.acq_rel.cta;\n\tfence.proxy.async.global")                                    \
    X(fence_proxy_async_shared, "fence.acq_rel.cta;\n\tfence.proxy.async.shared::cta")
#define FENCE_CASE(id, fence) {fence "/" #id, id, V_U32, V_NONE, V_NONE, V_U32, 96, 1, 64, 0, 0},

FENCES(FENCE_KERNEL)

KERNEL(fence_one_sided) { /* release store and acquire load instead of fences; data in shared and global memory */
    __shared__ uint32_t cells[32];
    __shared__ uint32_t flags[32];
    int i = threadIdx.x, lane = i & 31;
    uint32_t *global = (uint32_t *)d + 64;
    if (i < 32) flags[i] = 0, cells[i] = 0, global[i] = 0;
    __syncthreads();
    uint32_t v = in_u32(a, i);
    if (i < 32) {
        cells[lane] = v;
        global[lane] = v * 3;
        asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"r"((uint32_t)__cvta_generic_to_shared(&flags[lane]))
                     : "memory");
    } else {
        uint32_t set, flag = (uint32_t)__cvta_generic_to_shared(&flags[31 - lane]);
        do {
            asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(set) : "r"(flag) : "memory");
        } while (!set);
        v = cells[31 - lane] + ((volatile uint32_t *)global)[31 - lane];
    }
    out_u32(d, i, v);
}

/* ---- the table ---- */

#define SIMPLE(name, id, a, d, n, threads) {name, id, a, V_NONE, V_NONE, d, n, 1, threads, 0, 0}

static const conformance_case cases[] = {
    SHFL_CASES(up)
    SHFL_CASES(down)
    SHFL_CASES(bfly)
    SHFL_CASES(idx)
    SIMPLE("shfl.sync/float sum", shfl_float_sum, V_U32, V_F32, 64, 64),
    SIMPLE("shfl.sync/64-bit scan", shfl_64_scan, V_U32, V_U64, 64, 64),
    SIMPLE("shfl.sync/partial warp", shfl_partial_warp, V_NONE, V_U32, 45, 45),
    VOTES(VOTE_CASE)
    MATCHES(MATCH_CASE)
    REDUXES(REDUX_CASE)
    SIMPLE("elect.sync", elect, V_NONE, V_U32, 64, 64),
    SIMPLE("activemask.b32", activemask, V_NONE, V_U32, 192, 64),
    SIMPLE("bar.warp.sync/order", bar_warp_order, V_U32, V_U32, 128, 128),
    SIMPLE("bar.warp.sync/branches", bar_warp_branches, V_U32, V_U32, 64, 64),
    SIMPLE("bar.warp.sync/subset", bar_warp_subset, V_U32, V_U32, 64, 64),
    SPECIALS(SPECIAL_CASE)
    {"mov.u16 special", special_16_bit, V_NONE, V_NONE, V_NONE, V_U32, 135, 3, 45, 0, 0},
    SIMPLE("mov.u32 %warpid, %smid", special_uniform, V_NONE, V_U32, 128, 128),
    BARRIERS(BARRIER_CASE)
    BAR_REDS(BAR_RED_CASE)
    SIMPLE("bar.arrive", bar_arrive, V_U32, V_U32, 128, 128),
    SIMPLE("barrier.arrive", barrier_arrive, V_U32, V_U32, 128, 128),
    SIMPLE("barrier.cta.arrive.aligned", barrier_cta_arrive, V_U32, V_U32, 128, 128),
    SIMPLE("bar.sync/subsets", bar_subsets, V_U32, V_U32, 256, 256),
    SIMPLE("barrier.sync/branches", barrier_branches, V_U32, V_U32, 64, 64),
    SIMPLE("bar.red/__syncthreads_", syncthreads_votes, V_U32, V_U32, 128, 128),
    FENCES(FENCE_CASE)
    SIMPLE("st.release.cta, ld.acquire.cta", fence_one_sided, V_U32, V_U32, 96, 64),
};

const conformance_table conformance_warp = {"warp", cases, (int)(sizeof(cases) / sizeof(cases[0]))};
