/* Random programs, continued: ldmatrix, stmatrix and mma, for which whole warps come, some lanes late; mbarriers
 * and clusters. */
#pragma once

#include "generate.h"

/* ---- all threads of the block come, none has ended ---- */

/* Some lanes take so long that the others go ahead: sleeping ends a warp's turn before long. */
static void add_delay(void) {
    const operand p = reg(CLASS_P, DATA + DEPTH + 1), counter = reg(CLASS_W, INDEX);
    const int again = g.p->labels++;
    PLAIN("xor.b32", run_xor, B32, counter, special(LANE), number(chance(32)));
    PLAIN("min.u32", run_min, U32, counter, counter, number(24 + chance(8)));
    step *s = add_step(STEP_LABEL, "");
    s->label = again;
    s->fixed = true;
    add_step(STEP_SLEEP, "nanosleep.u32 20")->fixed = true;
    PLAIN("add.s32", run_add, S32, counter, counter, number(0xffffffff));
    PLAIN("setp.gt.s32", run_setp, S32, p, counter, number(0))->how[1] = 4;
    s = add_step(STEP_BRANCH, "bra");
    s->label = again;
    s->fixed = true;
    s->guard = p.index;
}

/* bar.sync, or an mbarrier, between whose arrival and wait more may stand. */
static void add_meeting(void (*meanwhile)(void)) {
    const operand phase = reg(CLASS_W, PHASE);
    if (!g.may_exit || one_in(2)) {
        add_step(STEP_BARRIER, "bar.sync 0")->fixed = true;
        return;
    }
    add_step(STEP_ARRIVE, "mbarrier.arrive.shared.b64 %rd63, [mb]")->fixed = true;
    for (uint32_t count = chance(4); count > 0; count--) meanwhile();
    step *s = add_step(STEP_BARRIER, "mbarrier");
    s->label = g.p->labels++;
    s->fixed = true;
    add_source(s, phase);
    PLAIN("xor.b32", run_xor, B32, phase, phase, number(1));
}

/* ---- clusters ---- */

/* The latest access to shared memory, or atomic operation, is to the cluster's. */
static void name_cluster(void) {
    step *s = &g.p->steps[g.p->count - 1];
    char *at = strstr(s->opcode, ".shared");
    if (at == NULL || strlen(s->opcode) + strlen("::cluster") >= sizeof s->opcode) return;
    at += strlen(".shared");
    memmove(at + strlen("::cluster"), at, strlen(at) + 1);
    memcpy(at, "::cluster", strlen("::cluster"));
}

/* The rank of any block of the cluster, another one for each thread or not. */
static operand add_rank(void) {
    const operand rank = reg(CLASS_W, INDEX);
    PLAIN("rem.u32", run_rem, U32, rank, one_in(3) ? special(CLUSTER_RANK) : source(CLASS_W, one_in(2), false),
          number(g.p->cluster));
    return rank;
}

/* `to` is where the block with that rank has what this one has at `from`. */
static void add_mapa(operand to, operand from, operand rank) {
    const bool generic = to.class == CLASS_L;
    PLAIN(generic ? "mapa.u64" : "mapa.shared::cluster.u32", run_mapa, B64, to, from, rank)->how[1] = generic;
}

/* All threads of the cluster, that have not exited, come. */
static void add_cluster_barrier(void (*meanwhile)(void)) {
    char text[48];
    snprintf(text, sizeof text, "barrier.cluster.arrive%s%s", one_in(2) ? ".release" : "", one_in(2) ? ".aligned" : "");
    add_step(STEP_ARRIVE, text)->fixed = true;
    for (uint32_t count = chance(4); count > 0; count--) meanwhile();
    snprintf(text, sizeof text, "barrier.cluster.wait%s%s", one_in(2) ? ".acquire" : "", one_in(2) ? ".aligned" : "");
    add_step(STEP_CLUSTER, text)->fixed = true;
}

/* Every thread arrives at the mbarrier of the block with that rank, no two blocks at the same, and waits at its own. */
static void add_far_arrival(operand rank, void (*meanwhile)(void)) {
    const operand phase = reg(CLASS_W, FAR_PHASE);
    step *s = add_step(STEP_ARRIVE, "mbarrier.arrive");
    s->fixed = true;
    add_source(s, rank);
    for (uint32_t count = chance(4); count > 0; count--) meanwhile();
    s = add_step(STEP_CLUSTER, "mbarrier");
    s->label = g.p->labels++;
    s->fixed = true;
    add_source(s, phase);
    PLAIN("xor.b32", run_xor, B32, phase, phase, number(1));
}

/* ---- whole warps ---- */

static void add_words(step *s, int count, bool results) {
    *(results ? &s->d_form : &s->s_form) = 'v';
    if (!results) {
        for (int i = 0; i < count; i++) add_source(s, reg(CLASS_W, pick(CLASS_W, one_in(3))));
        return;
    }
    static const char *const forms[] = {"", "w=", "ww=", "", "wwww="};
    add_results(s, forms[count], B32);
    for (int i = 0; i < count; i++) g.affine[CLASS_W][s->d[i].index] = false;
}

/* A row for each lane in the warp's own part of shared memory, no two the same. */
static void add_matrix_access(bool store) {
    static const int counts[] = {1, 2, 4};
    const int count = counts[chance(3)];
    const bool transposed = one_in(2);
    const operand at = reg(CLASS_W, ROW);
    char text[48];
    snprintf(text, sizeof text, "%s.sync.aligned.m8n8.x%d%s.shared.b16", store ? "stmatrix" : "ldmatrix", count,
             transposed ? ".trans" : "");
    PLAIN("mad.lo.u32", run_mad, U32, at, special(LANE), number(1 + 2 * chance(8)), number(chance(MATRIX_ROWS)));
    PLAIN("and.b32", run_and, B32, at, at, number(MATRIX_ROWS - 1));
    PLAIN("mad.lo.u32", run_mad, U32, at, at, number(16), reg(CLASS_W, MATRIX));
    step *s = add_step(store ? STEP_STMATRIX : STEP_LDMATRIX, text);
    s->how[0] = count, s->how[1] = transposed;
    s->place = SHARED;
    add_source(s, at);
    add_words(s, count, !store);
}

static void add_matrix_product(void) {
    step *s = add_step(STEP_MMA, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32");
    for (int i = 0; i < 4; i++) add_source(s, reg(CLASS_W, pick(CLASS_W, false)));
    add_words(s, 2, true);
}

static void add_matrix(void) {
    if (one_in(2)) add_delay();
    for (uint32_t count = 1 + chance(3); count > 0; count--) {
        const uint32_t what = chance(5);
        if (what < 4)
            add_matrix_access(what < 2);
        else
            add_matrix_product();
        if (one_in(2)) add_affine();
    }
}

/* ---- what they do ---- */

/* Element (r, c) of matrix k for each lane: its own row, and the lane and half of a register that hold it. */
static void move_matrices(bool store, int count, bool transposed, uint8_t *const *rows, uint64_t (*words)[32]) {
    for (int k = 0; k < count; k++)
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 8; c++) {
                const int i = transposed ? c : r, j = transposed ? r : c;
                uint8_t *at = rows[8 * k + r] + 2 * c;
                uint64_t *word = &words[k][4 * i + j / 2];
                const int shift = 16 * (j % 2);
                const uint16_t half = (uint16_t)(*word >> shift);
                uint16_t element;
                memcpy(&element, at, 2);
                if (store)
                    memcpy(at, &half, 2);
                else
                    *word = (*word & ~((uint64_t)0xffff << shift)) | (uint64_t)element << shift;
            }
}

/* a: row lane / 4, columns 4 * (lane % 4)...; b: its transpose, likewise; c, d: row lane / 4, columns 2 * (lane % 4)...
 */
static void multiply_matrices(const uint64_t *a, const uint64_t *b, const uint64_t (*c)[32], uint64_t (*d)[32]) {
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            uint32_t sum = (uint32_t)c[j % 2][4 * i + j / 2];
            for (int k = 0; k < 16; k++) {
                const int8_t x = (int8_t)(a[4 * i + k / 4] >> 8 * (k % 4)),
                             y = (int8_t)(b[4 * j + k / 4] >> 8 * (k % 4));
                sum += (uint32_t)(x * y);
            }
            d[j % 2][4 * i + j / 2] = sum;
        }
}
