/* Clusters: numbering, addresses, distributed shared memory, the cluster's barrier, and what goes wrong with them. */
#include "sim_case.h"

#define FAULT(what) "cudasim: " what " in kernel k: "

static sim_launch_config clusters(unsigned grid, unsigned block, unsigned cluster) {
    return (sim_launch_config){
        .grid = {grid, 1, 1}, .block = {block, 1, 1}, .cluster = {cluster, 1, 1}, .explicit_cluster = true};
}

static void runs_well(const char *ptx, sim_launch_config config) {
    sim_status status = run_with(ptx, config);
    if (status != SIM_OK || said[0] != '\0') {
        fail_msg("status %d: %s", status, said);
    }
}

/* Kernel k(out) as KERNEL, with %r1 the thread in the grid (x only), %r20 the block's rank, %r21 the cluster's size. */
#define CLUSTERED(scope, body)                                                                                         \
    PTX_HEAD scope                                                                                                     \
        ".visible .entry k(.param .u64 out) {\n"                                                                       \
        ".reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<8>;\n"                \
        "mov.u32 %r22, %ctaid.x; mov.u32 %r23, %ntid.x; mov.u32 %r24, %tid.x; mad.lo.u32 %r1, %r22, %r23, %r24;\n"     \
        "mov.u32 %r20, %cluster_ctarank; mov.u32 %r21, %cluster_nctarank;\n"                                           \
        "ld.param.u64 %rd1, [out]; mad.wide.u32 %rd2, %r1, 4, %rd1;\n" body "\nret;\n}\n"
#define SYNC "barrier.cluster.arrive; barrier.cluster.wait;\n"

/* The text with `body` where "#" stands. */
static void put_in(char *ptx, size_t size, const char *text, const char *body) {
    const size_t before = strcspn(text, "#");
    snprintf(ptx, size, "%.*s%s%s", (int)before, text, body, text + before + 1);
}

/* ---- numbering ---- */

static void test_special_registers(void **state) {
    static const char *const names[] = {"clusterid.x",     "clusterid.y",      "clusterid.z",      "nclusterid.x",
                                        "nclusterid.y",    "nclusterid.z",     "cluster_ctaid.x",  "cluster_ctaid.y",
                                        "cluster_ctaid.z", "cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z",
                                        "cluster_ctarank", "cluster_nctarank", "ctaid.x",          "ctaid.y",
                                        "ctaid.z"};
    char ptx[8192];
    size_t at = (size_t)snprintf(
        ptx, sizeof ptx,
        PTX_HEAD
        ".visible .entry k(.param .u64 out) {\n.reg .b32 %%r<20>; .reg .b64 %%rd<4>; .reg .pred %%p<2>;\n"
        "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ctaid.y; mov.u32 %%r3, %%ctaid.z;\n"
        "mad.lo.u32 %%r4, %%r3, 6, %%r2; mad.lo.u32 %%r4, %%r4, 4, %%r1; mad.wide.u32 %%rd2, %%r4, 80, %%rd1;\n");
    for (size_t n = 0; n < COUNT(names); n++)
        at += (size_t)snprintf(ptx + at, sizeof ptx - at, "mov.u32 %%r5, %%%s; st.global.u32 [%%rd2+%zu], %%r5;\n",
                               names[n], 4 * n);
    snprintf(ptx + at, sizeof ptx - at,
             "mov.pred %%p1, %%is_explicit_cluster; selp.u32 %%r5, 1, 2, %%p1; st.global.u32 [%%rd2+%zu], %%r5;\n"
             "ret;\n}\n",
             4 * COUNT(names));
    const unsigned c[3] = {2, 3, 2}, g[3] = {4, 6, 4};
    for (int with = 0; with < 2; with++) {
        sim_launch_config config = {.grid = {g[0], g[1], g[2]}, .block = {1, 1, 1}, .explicit_cluster = with};
        const unsigned size[3] = {with ? c[0] : 1, with ? c[1] : 1, with ? c[2] : 1};
        memcpy(config.cluster, size, sizeof size);
        runs_well(ptx, config);
        for (unsigned z = 0; z < g[2]; z++)
            for (unsigned y = 0; y < g[1]; y++)
                for (unsigned x = 0; x < g[0]; x++) {
                    const uint32_t *o = out + ((z * g[1] + y) * g[0] + x) * 20;
                    const unsigned in[3] = {x % size[0], y % size[1], z % size[2]}, block[3] = {x, y, z};
                    for (int k = 0; k < 3; k++) {
                        assert_int_equal(o[k], (block[k] - in[k]) / size[k]);
                        assert_int_equal(o[3 + k], g[k] / size[k]);
                        assert_int_equal(o[6 + k], in[k]);
                        assert_int_equal(o[9 + k], size[k]);
                        assert_int_equal(o[14 + k], block[k]);
                    }
                    assert_int_equal(o[12], in[0] + size[0] * (in[1] + size[1] * in[2]));
                    assert_int_equal(o[13], size[0] * size[1] * size[2]);
                    assert_int_equal(o[17], with ? 1 : 2);
                }
    }
}

/* ---- addresses ---- */

static void test_addresses(void **state) {
    /* Of its own variable, by mov, by cvta, by mapa of its own rank; mapa to the next and back; generic likewise. */
    static const char body[] = CLUSTERED(
        ".shared .align 16 .b8 pad[48];\n.shared .align 4 .b8 v[64];\n",
        "mul.lo.u32 %r2, %r1, 64; cvt.u64.u32 %rd3, %r2; add.u64 %rd2, %rd1, %rd3;\n"
        "mov.u32 %r2, v; st.global.u32 [%rd2], %r2;\n"
        "mapa.shared::cluster.u32 %r3, %r2, %r20; st.global.u32 [%rd2+4], %r3;\n"
        "add.u32 %r4, %r20, 1; rem.u32 %r4, %r4, %r21;\n"
        "mapa.shared::cluster.u32 %r5, v+4, %r4; st.global.u32 [%rd2+8], %r5;\n"
        "mapa.shared::cluster.u32 %r6, %r5, %r20; st.global.u32 [%rd2+12], %r6;\n"
        "getctarank.shared::cluster.u32 %r7, %r5; st.global.u32 [%rd2+16], %r7;\n"
        "getctarank.shared::cluster.u32 %r7, v; st.global.u32 [%rd2+20], %r7;\n"
        "mov.u64 %rd4, v; cvta.shared.u64 %rd5, %rd4; cvta.shared::cta.u64 %rd6, v; sub.u64 %rd7, %rd6, %rd5;\n"
        "st.global.u32 [%rd2+24], %rd7;\n"
        "mapa.u64 %rd8, %rd5, %r4; getctarank.u64 %r7, %rd8; st.global.u32 [%rd2+28], %r7;\n"
        "cvta.to.shared::cluster.u64 %rd9, %rd8; st.global.u32 [%rd2+32], %rd9;\n"
        "isspacep.shared::cta %p1, %rd5; isspacep.shared::cta %p2, %rd8; isspacep.shared::cluster %p3, %rd5;\n"
        "isspacep.shared::cluster %p4, %rd8; isspacep.global %p5, %rd8; isspacep.shared %p6, %rd8;\n"
        "selp.u32 %r8, 1, 0, %p1; @%p2 or.b32 %r8, %r8, 2; @%p3 or.b32 %r8, %r8, 4;\n"
        "@%p4 or.b32 %r8, %r8, 8; @%p5 or.b32 %r8, %r8, 16; @%p6 or.b32 %r8, %r8, 32;\n"
        "st.global.u32 [%rd2+36], %r8;\n"
        "mapa.shared::cluster.u64 %rd10, %rd4, %r4; st.global.u32 [%rd2+40], %rd10;\n");
    const unsigned size = 4;
    runs_well(body, clusters(8, 1, size));
    for (unsigned b = 0; b < 8; b++) {
        const uint32_t *o = out + 16 * b, rank = b % size, next = (rank + 1) % size, v = 1024 + 48;
        assert_int_equal(o[0], rank << 24 | v);
        assert_int_equal(o[1], o[0]);
        assert_int_equal(o[2], next << 24 | (v + 4));
        assert_int_equal(o[3], rank << 24 | (v + 4));
        assert_int_equal(o[4], next);
        assert_int_equal(o[5], rank);
        assert_int_equal(o[6], 0);
        assert_int_equal(o[7], next);
        assert_int_equal(o[8], next << 24 | v);
        assert_int_equal(o[9], 1 | 4 | 8);
        assert_int_equal(o[10], next << 24 | v);
    }
    /* Without clusters: addresses as ever. */
    runs_well(body, shape(2, 1));
    assert_int_equal(out[16], 1024 + 48);
    assert_int_equal(out[16 + 9], 1 | 2 | 4 | 8 | 32);
}

/* Each way to reach the next block's memory; each block first fills its own by its own addresses. */
static void test_every_access(void **state) {
    static const struct {
        const char *name, *read;
        uint32_t expected; /* the word of this number: the next block has 0x01020304 * (rank + 1) + number there */
    } ways[] = {
        {"32 bit", "ld.shared::cluster.u32 %r2, [%r11+4];", 1},
        {"own space, cluster address", "ld.shared::cluster.u32 %r2, [%r11+8];", 2},
        {"vector", "ld.shared::cluster.v4.u32 {%r5, %r6, %r2, %r7}, [%r11];", 2},
        {"wide address", "cvt.u64.u32 %rd9, %r11; ld.shared::cluster.u32 %r2, [%rd9+12];", 3},
        {"generic", "ld.u32 %r2, [%rd8+4];", 1},
        {"generic volatile", "ld.volatile.u32 %r2, [%rd8+4];", 1},
        {"generic v2", "ld.v2.u32 {%r5, %r2}, [%rd8];", 1},
        {"relaxed", "ld.relaxed.cluster.shared::cluster.u32 %r2, [%r11+4];", 1},
        {"acquire", "ld.acquire.cluster.u32 %r2, [%rd8+4];", 1},
        {"atom", "atom.shared::cluster.add.u32 %r2, [%r11+4], 0;", 1},
        {"generic atom", "atom.acq_rel.cluster.or.b32 %r2, [%rd8+4], 0;", 1},
        {"cas", "atom.relaxed.cluster.shared::cluster.cas.b32 %r2, [%r11+4], 0, 1;", 1},
        {"store and back",
         "st.shared::cluster.u32 [%r11+32], %r1; ld.shared::cluster.u32 %r2, [%r11+32]; "
         "setp.eq.u32 %p1, %r2, %r1; ld.shared::cluster.u32 %r2, [%r11+4]; @!%p1 mov.u32 %r2, 7;",
         1},
        {"generic store",
         "st.u32 [%rd8+32], %r1; ld.shared::cluster.u32 %r2, [%r11+32]; "
         "setp.eq.u32 %p1, %r2, %r1; ld.shared::cluster.u32 %r2, [%r11+4]; @!%p1 mov.u32 %r2, 7;",
         1},
    };
    static const char frame[] =
        CLUSTERED(".shared .align 16 .b32 v[64];\n",
                  "mad.lo.u32 %r2, %r20, 16909060, 16909060; st.shared.u32 [v], %r2; add.u32 %r3, %r2, 1; "
                  "st.shared.u32 [v+4], %r3;\n"
                  "add.u32 %r3, %r2, 2; mov.u32 %r4, v; st.shared.u32 [%r4+8], %r3;\n"
                  "add.u32 %r3, %r2, 3; mov.u64 %rd3, v; cvta.shared.u64 %rd3, %rd3; st.u32 [%rd3+12], %r3;\n" SYNC
                  "add.u32 %r10, %r20, 1; rem.u32 %r10, %r10, %r21;\n"
                  "mapa.shared::cluster.u32 %r11, v, %r10; mapa.u64 %rd8, %rd3, %r10;\n#\n" STORE SYNC);
    for (size_t k = 0; k < COUNT(ways); k++) {
        for (unsigned size = 1; size <= 16; size = size == 2 ? 3 : size == 3 ? 8 : 2 * size) {
            char ptx[4096];
            put_in(ptx, sizeof ptx, frame, ways[k].read);
            runs_well(ptx, clusters(2 * size, 1, size));
            for (unsigned b = 0; b < 2 * size; b++) {
                const uint32_t next = (b % size + 1) % size;
                if (out[b] != 0x01020304u * (next + 1) + ways[k].expected)
                    fail_msg("%s, clusters of %u, block %u: 0x%x", ways[k].name, size, b, out[b]);
            }
        }
    }
}

/* 8, 16 and 64 bits, signed and unsigned, by whole warps with some lanes off. */
static void test_widths(void **state) {
    static const char ptx[] =
        CLUSTERED(".shared .align 16 .b8 v[1024];\n",
                  "xor.b32 %r25, %r20, 1; mov.u32 %r2, v; mad.lo.u32 %r3, %r24, 8, %r2;\n"
                  "mad.lo.u32 %r4, %r1, 77777777, 12345; cvt.u64.u32 %rd3, %r4; mul.lo.u64 %rd3, %rd3, 1000003;\n"
                  "st.shared.u64 [%r3], %rd3;\n" SYNC "setp.lt.u32 %p1, %r24, 21; mov.u32 %r10, 9;\n"
                  "mapa.shared::cluster.u32 %r5, %r3, %r25;\n"
                  "@%p1 ld.shared::cluster.u64 %rd4, [%r5]; @%p1 ld.shared::cluster.u8 %r6, [%r5+1];\n"
                  "@%p1 ld.shared::cluster.s8 %r7, [%r5+3]; @%p1 ld.shared::cluster.s16 %r8, [%r5+2];\n"
                  "@%p1 mov.b64 {%r9, %r11}, %rd4; @%p1 xor.b32 %r10, %r9, %r11; @%p1 add.u32 %r10, %r10, %r6;\n"
                  "@%p1 mad.lo.u32 %r10, %r7, 256, %r10; @%p1 mad.lo.u32 %r10, %r8, 65536, %r10;\n"
                  "st.global.u32 [%rd2], %r10;\n" SYNC);
    runs_well(ptx, clusters(4, 64, 2));
    for (uint32_t t = 0; t < 4 * 64; t++) {
        const uint32_t partner = (t / 64 ^ 1) * 64 + t % 64;
        const uint64_t w = (uint64_t)(partner * 77777777u + 12345u) * 1000003u;
        uint32_t expected = (uint32_t)w ^ (uint32_t)(w >> 32);
        expected += (uint8_t)(w >> 8);
        expected += 256u * (uint32_t)(int32_t)(int8_t)(w >> 24) + 65536u * (uint32_t)(int32_t)(int16_t)(w >> 16);
        assert_int_equal(out[t], t % 64 < 21 ? expected : 9);
    }
}

/* An address is good in every block of the cluster, not just where it came from. */
static void test_address_given_away(void **state) {
    static const char ptx[] = CLUSTERED(
        ".shared .align 4 .b32 v[8]; .global .align 8 .b32 address[16]; .global .align 8 .b64 pointer[16];\n",
        "mov.u32 %r2, v; mul.lo.u32 %r3, %r1, 3; st.shared.u32 [v+4], %r3; mul.wide.u32 %rd3, %r1, 4;\n"
        "mov.u64 %rd4, address; add.u64 %rd4, %rd4, %rd3; st.global.u32 [%rd4], %r2;\n"
        "cvta.shared.u64 %rd5, v; mov.u64 %rd6, pointer; add.u64 %rd6, %rd6, %rd3; add.u64 %rd6, %rd6, %rd3;\n"
        "st.global.u64 [%rd6], %rd5;\n" SYNC
        "xor.b32 %r4, %r1, 3; mul.wide.u32 %rd3, %r4, 4; mov.u64 %rd4, address; add.u64 %rd4, %rd4, %rd3;\n"
        "ld.global.u32 %r5, [%rd4]; ld.shared::cluster.u32 %r2, [%r5+4]; mov.u64 %rd6, pointer;\n"
        "add.u64 %rd6, %rd6, %rd3; add.u64 %rd6, %rd6, %rd3; ld.global.u64 %rd7, [%rd6]; ld.u32 %r6, [%rd7+4];\n"
        "mad.lo.u32 %r2, %r6, 1000, %r2;\n" STORE SYNC);
    runs_well(ptx, clusters(8, 1, 4));
    for (uint32_t b = 0; b < 8; b++) assert_int_equal(out[b], 3003 * (b ^ 3));
}

static void test_atomics_meet(void **state) {
    static const char ptx[] =
        CLUSTERED(".shared .align 8 .b32 v[4];\n",
                  "st.shared.u32 [v], 0; st.shared.u32 [v+4], 0;\n" SYNC
                  "mapa.shared::cluster.u32 %r2, v, 0; red.shared::cluster.add.u32 [%r2], %r24;\n"
                  "red.relaxed.cluster.shared::cluster.add.u32 [%r2+4], 1;\n" SYNC
                  "ld.shared::cluster.v2.u32 {%r3, %r4}, [%r2]; mad.lo.u32 %r2, %r4, 65536, %r3;\n" STORE SYNC);
    for (int threads = 1; threads <= 2; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : "2");
        runs_well(ptx, clusters(48, 96, 16));
        for (uint32_t t = 0; t < 48 * 96; t++) assert_int_equal(out[t], 16 * 96 * 65536 + 16 * (95 * 96 / 2));
    }
    set_environment("CUDASIM_THREADS", NULL);
}

/* f32 additions in shared memory keep denormals, the partner's as one's own. */
static void test_denormals_in_shared_memory(void **state) {
    static const char ptx[] =
        CLUSTERED(".shared .align 4 .b32 v;\n",
                  "st.shared.u32 [v], 3;\n" SYNC "xor.b32 %r3, %r20, 1; mapa.shared::cluster.u32 %r4, v, %r3;\n"
                  "mov.b32 %f1, 5; red.shared::cluster.add.f32 [%r4], %f1;\n" SYNC "ld.shared.u32 %r2, [v];\n" STORE);
    runs_well(ptx, clusters(4, 1, 2));
    for (int b = 0; b < 4; b++) assert_int_equal(out[b], 8);
}

/* ---- the barrier ---- */

/* Rounds of a ring: in each, every block reads what its neighbour wrote in the round before. Warps come unevenly. */
static void test_many_phases(void **state) {
    static const char ptx[] =
        CLUSTERED(".shared .align 4 .b32 v[2];\n",
                  "setp.eq.u32 %p9, %r24, 0; @%p9 st.shared.u32 [v], %r20; mov.u32 %r5, 0; mov.u32 %r8, v;\n"
                  "add.u32 %r3, %r20, 1; rem.u32 %r3, %r3, %r21; mapa.shared::cluster.u32 %r4, %r8, %r3;\n"
                  "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
                  "$round: and.b32 %r6, %r5, 1; shl.b32 %r6, %r6, 2; xor.b32 %r7, %r6, 4; add.u32 %r9, %r4, %r6;\n"
                  "ld.shared::cluster.u32 %r2, [%r9]; add.u32 %r10, %r8, %r7; add.u32 %r11, %r2, 1; @%p9 st.shared.u32 "
                  "[%r10], %r11;\n"
                  "barrier.cluster.arrive;\n"
                  "mad.lo.u32 %r12, %r20, 7, %r24; rem.u32 %r12, %r12, 13;\n" /* some dawdle between the two */
                  "$wait: sub.u32 %r12, %r12, 1; setp.gt.s32 %p1, %r12, 0; @%p1 bra $wait;\n"
                  "barrier.cluster.wait;\n"
                  "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 20; @%p2 bra $round;\n" STORE);
    for (unsigned size = 2; size <= 16; size *= 2) {
        runs_well(ptx, clusters(size, 64, size));
        for (uint32_t t = 0; t < 64 * size; t++) assert_int_equal(out[t], (t / 64 + 20) % size + 19);
    }
}

/* Between arrival and wait there is no waiting: rank 0 arrives, rank 1 sees so, tells it, and it comes on. */
static void test_arrive_does_not_wait(void **state) {
    static const char ptx[] =
        CLUSTERED(".global .align 4 .b32 flag;\n",
                  "barrier.cluster.arrive.relaxed; setp.eq.u32 %p1, %r20, 0; @%p1 bra $first;\n"
                  "$poll: ld.volatile.global.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra $poll; bra $both;\n"
                  "$first: st.volatile.global.u32 [flag], 5; mov.u32 %r2, 5;\n"
                  "$both: barrier.cluster.wait;\n" STORE);
    runs_well(ptx, clusters(2, 33, 2));
    for (int t = 0; t < 66; t++) assert_int_equal(out[t], 5);
}

/* Threads that exit, before or after they have arrived, are not waited for. */
static void test_exits_count(void **state) {
    static const char ptx[] =
        CLUSTERED("", "mov.u32 %r2, 1; setp.eq.u32 %p1, %r20, 1; @%p1 exit; barrier.cluster.arrive; mov.u32 %r2, 2;\n"
                      "setp.eq.u32 %p1, %r20, 2; @%p1 exit; and.b32 %r3, %r24, 1; setp.eq.u32 %p2, %r3, 1;\n"
                      "barrier.cluster.wait; @%p2 exit;\n" SYNC STORE);
    runs_well(ptx, clusters(8, 48, 4));
    for (uint32_t t = 0; t < 8 * 48; t++) {
        const bool stays = t / 48 % 4 != 1 && t / 48 % 4 != 2 && t % 2 == 0;
        assert_int_equal(out[t], stays ? 2 : 0);
    }
}

/* The last that is waited for exits instead. */
static void test_last_one_exits(void **state) {
    static const char ptx[] = CLUSTERED("", "mov.u32 %r2, 1;\n" STORE "setp.eq.u32 %p1, %r20, 3; @%p1 exit;\n" SYNC
                                            "mov.u32 %r2, 2;\n" STORE);
    runs_well(ptx, clusters(4, 40, 4));
    for (uint32_t t = 0; t < 4 * 40; t++) assert_int_equal(out[t], t / 40 == 3 ? 1 : 2);
}

/* Who has arrived and exited counts once: rank 0 does so, and rank 3, the last to come, is still waited for. */
static void test_arrival_and_exit_count_once(void **state) {
    static const char ptx[] =
        CLUSTERED(".global .align 4 .b32 flag;\n",
                  "setp.eq.u32 %p3, %r20, 3; @%p3 st.global.u32 [flag], 8; barrier.cluster.arrive;\n"
                  "setp.eq.u32 %p1, %r20, 0; @%p1 exit; barrier.cluster.wait; ld.global.u32 %r2, [flag];\n" STORE);
    runs_well(ptx, clusters(4, 32, 4));
    for (uint32_t t = 0; t < 4 * 32; t++) assert_int_equal(out[t], t / 32 == 0 ? 0 : 8);
}

/* Lanes of one warp come to it from different places. */
static void test_divergent_arrival(void **state) {
    static const char ptx[] =
        CLUSTERED(".shared .align 4 .b32 v;\n",
                  "setp.eq.u32 %p9, %r24, 0; @%p9 st.shared.u32 [v], 0; bar.sync 0;\n" SYNC
                  "mapa.shared::cluster.u32 %r4, v, 0; and.b32 %r3, %r24, 1; setp.eq.u32 %p1, %r3, 1; @%p1 bra $odd;\n"
                  "red.shared::cluster.add.u32 [%r4], 1; barrier.cluster.arrive; barrier.cluster.wait; bra $end;\n"
                  "$odd: red.shared::cluster.add.u32 [%r4], 100; barrier.cluster.arrive; barrier.cluster.wait;\n"
                  "$end: ld.shared::cluster.u32 %r2, [%r4];\n" STORE SYNC);
    runs_well(ptx, clusters(3, 40, 3));
    for (int t = 0; t < 120; t++) assert_int_equal(out[t], 60 * 101);
}

/* More clusters than fit at a time, blocks of each numbered next to each other; block barriers stay the block's own. */
static void test_many_clusters(void **state) {
    static const char ptx[] = CLUSTERED(
        ".shared .align 4 .b32 v;\n",
        "setp.eq.u32 %p9, %r24, 0; @%p9 st.shared.u32 [v], %r22; bar.sync 0; ld.shared.u32 %r5, [v]; bar.sync 0;\n"
        "@%p9 st.shared.u32 [v], %r5;\n" SYNC
        "sub.u32 %r3, %r21, 1; sub.u32 %r3, %r3, %r20; mapa.shared::cluster.u32 %r4, v, %r3;\n"
        "ld.shared::cluster.u32 %r2, [%r4];\n" SYNC
        "@!%p9 exit; mul.wide.u32 %rd3, %r22, 4; add.u64 %rd2, %rd1, %rd3;\n" STORE);
    for (int threads = 1; threads <= 3; threads++) {
        set_environment("CUDASIM_THREADS", threads == 1 ? "1" : threads == 2 ? "2" : "3");
        runs_well(ptx, clusters(5 * 1000, 64, 5));
        for (uint32_t b = 0; b < 5000; b++) assert_int_equal(out[b], b / 5 * 5 + 4 - b % 5);
    }
    set_environment("CUDASIM_THREADS", NULL);
}

/* A cluster that polls waits for one not yet begun. */
static void test_clusters_wait_for_clusters(void **state) {
    static const char ptx[] =
        CLUSTERED(".global .align 4 .b32 count;\n",
                  "red.global.add.u32 [count], 1;\n"
                  "$poll: ld.volatile.global.u32 %r2, [count]; setp.lt.u32 %p1, %r2, 24; @%p1 bra $poll;\n" SYNC STORE);
    set_environment("CUDASIM_THREADS", "1");
    runs_well(ptx, clusters(24, 1, 4));
    for (int b = 0; b < 24; b++) assert_int_equal(out[b], 24);
    set_environment("CUDASIM_THREADS", NULL);
}

/* Blocks of one cluster that talk by polling, with block barriers in the loop: neither may starve the other. */
static void test_blocks_poll_one_another(void **state) {
    static const char ptx[] = CLUSTERED(
        ".shared .align 4 .b32 v; .shared .align 4 .b32 seen;\n",
        "setp.eq.u32 %p9, %r24, 0; @%p9 st.shared.u32 [v], 0; bar.sync 0;\n" SYNC
        "xor.b32 %r3, %r20, 1; mapa.shared::cluster.u32 %r4, v, %r3; mov.u32 %r5, 0;\n"
        "$turn: setp.eq.u32 %p1, %r20, 0; @%p1 bra $serve;\n"
        "$return: bar.sync 0; @%p9 ld.volatile.shared.u32 %r6, [v]; @%p9 st.shared.u32 [seen], %r6; bar.sync 0;\n"
        "ld.shared.u32 %r6, [seen]; setp.le.u32 %p2, %r6, %r5; @%p2 bra $return;\n"
        "@%p9 st.volatile.shared::cluster.u32 [%r4], %r6; bra $next;\n"
        "$serve: add.u32 %r7, %r5, 1; @%p9 st.volatile.shared::cluster.u32 [%r4], %r7;\n"
        "$answer: bar.sync 0; @%p9 ld.volatile.shared.u32 %r6, [v]; @%p9 st.shared.u32 [seen], %r6; bar.sync 0;\n"
        "ld.shared.u32 %r6, [seen]; setp.le.u32 %p2, %r6, %r5; @%p2 bra $answer;\n"
        "$next: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 10; @%p3 bra $turn; mov.u32 %r2, %r6;\n" STORE SYNC);
    runs_well(ptx, clusters(2, 64, 2));
    for (int t = 0; t < 128; t++) assert_int_equal(out[t], 10);
}

/* ---- faults ---- */

#define AT "\n    at PTX line *\n"

static const struct {
    const char *name, *body;
    sim_status status;
    const char *said;
} faults[] = {
    {"rank out of range", SYNC "mapa.shared::cluster.u32 %r2, v, %r21;\n", SIM_LAUNCH_FAILURE,
     FAULT("launch failure") "thread (0,0,0) of block (*,0,0) and 31 more of its warp: mapa: rank 4 of a cluster of 4 "
                             "blocks\n    at PTX line 11: mapa.shared::cluster.u32 %r2, v, %r21\n"},
    {"generic mapa, rank out of range", "cvta.shared.u64 %rd3, v; mov.u32 %r2, -1; mapa.u64 %rd4, %rd3, %r2;\n",
     SIM_LAUNCH_FAILURE, "*: mapa: rank 4294967295 of a cluster of 4 blocks" AT},
    {"mapa of a global address", "mapa.u64 %rd4, %rd1, %r20;\n", SIM_ILLEGAL_ADDRESS,
     "*: 0x* is no address of the cluster's shared memory" AT},
    {"getctarank of an address beyond", "mov.u32 %r2, 0x5000400; getctarank.shared::cluster.u32 %r3, %r2;\n",
     SIM_ILLEGAL_ADDRESS, "*: 0x5000400 is no address of the cluster's shared memory" AT},
    {"past the target's memory", "mapa.shared::cluster.u32 %r2, v, 2; st.shared::cluster.u32 [%r2+64], %r1;\n",
     SIM_ILLEGAL_ADDRESS,
     "*thread (0,0,0) of block (0,0,0) and 31 more of its warp: writes 4 bytes of shared memory at 0x440 of block "
     "(2,0,0), "
     "rank 2 of the cluster; that block's shared memory is 0x400 to 0x440" AT},
    {"past its own, as a cluster address",
     "mapa.shared::cluster.u32 %r2, v, %r20; ld.shared::cluster.u32 %r3, [%r2+64];\n", SIM_ILLEGAL_ADDRESS,
     "*: reads 4 bytes of shared memory at 0x440; the block's shared memory is 0x400 to 0x440" AT},
    {"past its own, rank 1", "setp.ne.u32 %p1, %r20, 1; @%p1 exit; mov.u32 %r2, v; ld.shared.u32 %r3, [%r2+64];\n",
     SIM_ILLEGAL_ADDRESS,
     "*block (1,0,0)*: reads 4 bytes of shared memory at 0x440; the block's shared memory is 0x400 to 0x440" AT},
    {"a rank that is not there", "mov.u32 %r2, 0x7000400; atom.shared::cluster.add.u32 %r3, [%r2], 1;\n",
     SIM_LAUNCH_FAILURE,
     "*: atomically changes 4 bytes of shared memory at 0x7000400, which would be rank 7's of a cluster of 4 "
     "blocks" AT},
    {"halves added in another block",
     SYNC "mapa.shared::cluster.u32 %r2, v, 1; atom.shared::cluster.add.noftz.f16x2 %r3, [%r2], %r1;\n" SYNC,
     SIM_UNSUPPORTED, "*: an addition of f16x2 or bf16x2 in another block's shared memory: ptxas (13.0) makes *" AT},
    {"bf16 halves, without the old ones",
     SYNC "mapa.shared::cluster.u32 %r2, v, 1; red.shared::cluster.add.noftz.bf16x2 [%r2], %r1;\n" SYNC,
     SIM_UNSUPPORTED, "*: an addition of f16x2 or bf16x2 in another block's shared memory: ptxas (13.0) makes *" AT},
    {"misaligned", "mapa.shared::cluster.u32 %r2, v, 1; ld.shared::cluster.u32 %r3, [%r2+2];\n", SIM_MISALIGNED_ADDRESS,
     "*: reads 4 bytes at 0x1000402, which is not aligned to 4" AT},
    {"another's address as its own", "mapa.shared::cluster.u32 %r2, v, 1; ld.shared.u32 %r3, [%r2];\n",
     SIM_ILLEGAL_ADDRESS,
     "*: reads 4 bytes at 0x1000400, an address of rank 1's shared memory, as its own: .shared::cluster or a generic "
     "address is needed (this block has rank 0)" AT},
    /* Rank 0 gathers, the others do not wait for it. */
    {"no barrier before the end",
     "st.shared.u32 [v], %r1;\n" SYNC "setp.ne.u32 %p1, %r20, 0; @%p1 bra $end;\n"
     "mapa.shared::cluster.u32 %r2, v, 3; ld.shared::cluster.u32 %r3, [%r2];\n$end:\n",
     SIM_LAUNCH_FAILURE,
     "*block (0,0,0)*: reads 4 bytes of shared memory at 0x400 of block (3,0,0), rank 3 of the cluster, which has "
     "ended: a "
     "block must wait for those that use its shared memory (barrier.cluster)" AT},
    {"the last sends to the first",
     "st.shared.u32 [v], %r1;\n" SYNC "setp.ne.u32 %p1, %r20, 3; @%p1 bra $end;\n"
     "cvta.shared.u64 %rd3, v; mapa.u64 %rd4, %rd3, 0; red.add.u32 [%rd4], 1;\n$end:\n",
     SIM_LAUNCH_FAILURE,
     "*block (3,0,0)*: atomically changes 4 bytes of shared memory at 0x400 of block (0,0,0), rank 0 of the cluster, "
     "which "
     "has ended*"},
    {"wait without arrival", "barrier.cluster.wait;\n", SIM_ILLEGAL_INSTRUCTION,
     FAULT("illegal instruction") "thread (0,0,0) of block (0,0,0) and 31 more of its warp: waits at the cluster's "
                                  "barrier "
                                  "without having arrived there (barrier.cluster.arrive)\n"
                                  "    at PTX line 10: barrier.cluster.wait\n"},
    {"two arrivals", "barrier.cluster.arrive; barrier.cluster.arrive.relaxed;\n", SIM_ILLEGAL_INSTRUCTION,
     "*: arrives at the cluster's barrier again without having waited at it (barrier.cluster.wait)" AT},
    {"two arrivals, the first complete",
     SYNC "barrier.cluster.arrive; setp.eq.u32 %p1, %r20, 3; @!%p1 bra $w;\n"
          "barrier.cluster.arrive;\n$w: barrier.cluster.wait;\n",
     SIM_ILLEGAL_INSTRUCTION, "*block (3,0,0)*: arrives at the cluster's barrier again *"},
    {"waiting for each other",
     "setp.eq.u32 %p1, %r20, 2; @%p1 bra $other;\n" SYNC
     "$other: setp.lt.u32 %p2, %r24, 16; @%p2 bra $end;\nbar.sync 1, 64;\n"
     "$end: barrier.cluster.arrive; barrier.cluster.wait;\n",
     SIM_TIMEOUT,
     "cudasim: kernel k is stopped: deadlock: no thread of the cluster can go on; block (*,0,0):\n"
     "*, wait at the cluster's barrier (112 of 128 threads have come): PTX line 11: barrier.cluster.wait\n"
     "*  block (*,0,0) of its cluster:\n*, wait at barrier 1 (16 of 64 threads have come): PTX line 13: bar.sync 1, "
     "64\n*"},
};

static void test_faults(void **state) {
    for (size_t k = 0; k < COUNT(faults); k++) {
        char ptx[4096];
        put_in(ptx, sizeof ptx, CLUSTERED(".shared .align 16 .b32 v[16];\n", "#"), faults[k].body);
        sim_status status = run_with(ptx, clusters(4, 32, 4));
        if (status != faults[k].status || !is_like(said, faults[k].said))
            fail_msg("%s: status %d, said:\n%sexpected:\n%s", faults[k].name, status, said, faults[k].said);
    }
}

/* Without clusters there is a cluster of one block. */
static void test_without_clusters(void **state) {
    static const char ptx[] =
        CLUSTERED(".shared .align 4 .b32 v;\n",
                  "setp.eq.u32 %p9, %r24, 0; @%p9 st.shared.u32 [v], %r22;\n" SYNC
                  "mapa.shared::cluster.u32 %r4, v, 0; ld.shared::cluster.u32 %r2, [%r4];\n" STORE SYNC);
    runs_well(ptx, shape(3, 50));
    for (uint32_t t = 0; t < 150; t++) assert_int_equal(out[t], t / 50);
    assert_int_equal(run(CLUSTERED(".shared .align 4 .b32 v;\n", "mapa.shared::cluster.u32 %r4, v, 1;\n"), 2, 1),
                     SIM_LAUNCH_FAILURE);
    assert_said("*: mapa: rank 1 of a cluster of 1 blocks\n*");
}

static void test_refusals(void **state) {
    static const struct {
        const char *body, *error;
    } cases[] = {
        {"barrier.cluster.sync;", "arrive or wait is meant*"},
        {"barrier.cluster.arrive.acquire;", "*acquire*"},
        {"barrier.cluster.wait.relaxed;", "*relaxed*"},
        {"barrier.cluster.arrive 0;", "barrier.cluster has no operands*"},
        {"mapa.u32 %r1, %r2, 0;", "a generic address has 64 bits*"},
        {"mapa.u64 %rd1, v, 0;", "an address of shared memory is needed here*"},
        {"mapa.shared::cluster.u32 %r1, g, 0;", "an address of shared memory is needed here*"},
        {"mapa.shared::cta.u32 %r1, v, 0;", "*"},
        {"mapa.shared::cluster.u32 %r1, v;", "3 operands are needed*"},
        {"getctarank.shared::cluster.b32 %r1, v;", "u32 or u64 is meant*"},
        {"ld.shared::cluster.u32 %r1, [g];", "g is not in the space the instruction names*"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        char ptx[1024], error[1024];
        snprintf(ptx, sizeof ptx,
                 PTX_HEAD ".global .b32 g; .shared .b32 v;\n.visible .entry k() {\n"
                          ".reg .b32 %%r<4>; .reg .b64 %%rd<4>;\n%s\nret;\n}\n",
                 cases[k].body);
        program p = program_load(ptx);
        assert_non_null(p.module);
        assert_null(sim_module_kernel(p.module, "k", error, sizeof error));
        if (!is_like(error, cases[k].error)) fail_msg("%s: %s", cases[k].body, error);
        program_unload(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_registers),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_every_access),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_address_given_away),
        cmocka_unit_test(test_atomics_meet),
        cmocka_unit_test(test_denormals_in_shared_memory),
        cmocka_unit_test(test_many_phases),
        cmocka_unit_test(test_arrive_does_not_wait),
        cmocka_unit_test(test_exits_count),
        cmocka_unit_test(test_last_one_exits),
        cmocka_unit_test(test_arrival_and_exit_count_once),
        cmocka_unit_test(test_divergent_arrival),
        cmocka_unit_test(test_many_clusters),
        cmocka_unit_test(test_clusters_wait_for_clusters),
        cmocka_unit_test(test_blocks_poll_one_another),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_without_clusters),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
