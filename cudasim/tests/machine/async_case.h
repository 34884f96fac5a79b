/* What tests of asynchronous copies share. */
#pragma once

#include "sim_case.h"

#include "machine/mbarrier.h"
#include "machine/tensormap.h"

#define BAR        ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar2;\n"
#define BUFFER     ".shared .align 1024 .b8 buf[8192];\n"
#define ZEROTH     "setp.eq.u32 %p1, %r1, 0;\n"
#define INIT(n)    ZEROTH "@%p1 mbarrier.init.shared.b64 [bar], " #n ";\n"
#define SYNC       "bar.sync 0;\n"
#define WAIT(l, p) #l ": mbarrier.try_wait.parity.shared.b64 %p9, [bar], " #p "; @!%p9 bra " #l ";\n"
#define TEST(l, p) #l ": mbarrier.test_wait.parity.shared::cta.b64 %p9, [bar], " #p "; @!%p9 bra " #l ";\n"
#define FENCE      "fence.proxy.async;\n"
#define MINE       "mov.u32 %r20, buf; mad.lo.u32 %r20, %r1, 4, %r20;\n" /* %r20: the thread's word of buf */
#define LOAD_MINE  MINE "ld.shared.u32 %r2, [%r20];\n"
#define STORE_MINE MINE "st.shared.u32 [%r20], %r1;\n"
/* ---- bulk copies ---- */

/* What kernels find behind their output: a tensor map, and numbers. */
#define MAP_BYTE   16384
#define DATA_BYTE  (MAP_BYTE + 256)
#define DATA_WORDS 3000
#define MAP        "add.u64 %rd10, %rd1, 16384;\n"
#define DATA       "add.u64 %rd11, %rd1, 16640;\n"
#define EXPECT(n)  "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " #n ";\n"
#define BULK(n)                                                                                                        \
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd11], " #n ", [bar];\n"
#define STORE_BULK(n) "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd11], [buf], " #n ";\n"
#define COMMIT        "@%p1 cp.async.bulk.commit_group;\n"
#define DRAIN(n)      "@%p1 cp.async.bulk.wait_group " #n ";\n"
#define DRAIN_READ(n) "@%p1 cp.async.bulk.wait_group.read " #n ";\n"

static inline uint32_t number(uint32_t k) {
    return k * 2654435761u ^ k >> 7;
}

static inline sim_status run_with_map(const char *ptx, unsigned threads, const tensor_map *map) {
    out_renew();
    uint32_t *data = out + DATA_BYTE / 4;
    for (uint32_t k = 0; k < DATA_WORDS; k++) data[k] = number(k);
    if (map != NULL) {
        memcpy(out + MAP_BYTE / 4, map, sizeof *map);
    }
    program p = program_load(ptx);
    sim_status status = launch_kernel(kernel_of(&p, "k"), shape(1, threads), &out);
    program_unload(&p);
    return status;
}

static inline void run_map_well(const char *ptx, unsigned threads, const tensor_map *map) {
    sim_status status = run_with_map(ptx, threads, map);
    if (status != SIM_OK || said[0] != '\0') {
        fail_msg("status %d: %s", status, said);
    }
}

/* ---- tensor maps ---- */

/* With the right check (tensormap.c's) for what it holds. */
static inline const tensor_map *forged(tensor_map *map) {
    map->check = 0xcbf29ce484222325u;
    for (size_t k = 0; k < offsetof(tensor_map, check); k++)
        map->check = (map->check ^ ((const uint8_t *)map)[k]) * 0x100000001b3u;
    return map;
}

/* Where element `index` (counted over the box, the contiguous dimension fastest) of a copy to address `base` lies, told
 * by what swizzling means: each row has a span of its own, and in line n (of 128 bytes) chunk c of 16 bytes stands
 * where chunk c xor n would, within a span. */
static inline uint32_t model_place(uint32_t base, uint32_t index, uint32_t element, uint32_t row, int swizzle) {
    const uint32_t pitch = swizzle == SWIZZLE_NONE ? row * element : 16u << swizzle;
    const uint32_t byte = base + index / row * pitch + index % row * element, line = byte / 128,
                   chunk = byte % 128 / 16, rest = byte % 16;
    const uint32_t span = swizzle == SWIZZLE_NONE ? 1 : swizzle == SWIZZLE_32B ? 2 : swizzle == SWIZZLE_64B ? 4 : 8;
    const uint32_t first = chunk / span * span;
    return line * 128 + (first + ((chunk - first) ^ (line % span))) * 16 + rest;
}

static uint32_t seed = 1;
static inline uint32_t random_below(uint32_t n) {
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(seed >> 4) * n >> 28);
}

static inline void put_bytes(void *context, uint8_t *to, const uint8_t *from, uint64_t bytes) {
    memcpy(to, from, bytes);
}
