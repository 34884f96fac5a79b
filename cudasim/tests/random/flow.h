/* Random programs, continued: warps, branches, and the whole. */
#pragma once

#include "access.h"

/* ---- warps ---- */

/* Only from lanes that take part: nobody says what another gives. All do, or those from 0 on; or it is the first. */
static void add_shuffle(operand mask, bool all_come) {
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    /* 32, 16, 8 lanes, or 1 */
    static const unsigned segments[] = {0x0000, 0x1000, 0x1800, 0x1f00};
    const bool whole = all_come && g.p->threads % 32 == 0;
    const unsigned mode = whole ? chance(4) : all_come && one_in(2) ? 0 : 3;
    operand by = one_in(2) ? number(chance(32)) : source(CLASS_W, one_in(2), false);
    unsigned c = segments[chance(4)];
    if (mode == 3 && !whole) {
        by = reg(CLASS_W, INDEX);
        PLAIN("brev.b32", run_brev, B32, by, mask);
        PLAIN("clz.b32", run_clz, B32, by, by);
        c = 0;
    }
    char text[48];
    snprintf(text, sizeof text, "shfl.sync.%s.b32", modes[mode]);
    step *s = add_step(STEP_SHUFFLE, text);
    s->how[0] = (int)mode;
    add_source(s, source(CLASS_W, one_in(2), false));
    add_source(s, by);
    add_source(s, number(mode == 0 ? c : c | 0x1f));
    add_source(s, mask);
    s->d_form = 'p';
    add_results(s, "wp=", B32);
    for (int i = 0; i < 2; i++) g.affine[s->d[i].class][s->d[i].index] = false;
}

/* Lanes that come here together are those in register MASK + g.depth. */
static void add_warp_wide(bool all_come) {
    const operand mask = reg(CLASS_W, MASK + g.depth);
    const uint32_t what = chance(10);
    char text[48];
    step *s;
    if (what < 4) {
        add_shuffle(mask, all_come);
        return;
    }
    if (what < 7) {
        static const char *const modes[] = {"all.pred", "any.pred", "uni.pred", "ballot.b32"};
        const unsigned mode = chance(4);
        snprintf(text, sizeof text, "vote.sync.%s", modes[mode]);
        s = add_step(STEP_VOTE, text);
        s->how[0] = (int)mode;
        operand p = source(CLASS_P, false, false);
        p.negated = one_in(3);
        add_source(s, p);
        add_source(s, mask);
        add_results(s, mode == 3 ? "w=" : "p=", B32);
        return;
    }
    if (what < 9) {
        static const struct {
            const char *text;
            value_type type;
            int which;
        } kinds[] = {{"add.u32", U32, ADD}, {"min.s32", S32, MIN}, {"max.u32", U32, MAX}, {"min.u32", U32, MIN},
                     {"max.s32", S32, MAX}, {"and.b32", B32, AND}, {"or.b32", B32, OR},   {"xor.b32", B32, XOR}};
        const unsigned k = chance(8);
        snprintf(text, sizeof text, "redux.sync.%s", kinds[k].text);
        s = add_step(STEP_REDUCE, text);
        s->how[0] = kinds[k].type, s->how[1] = kinds[k].which;
        add_source(s, source(CLASS_W, one_in(2), false));
        add_source(s, mask);
        add_results(s, "w=", B32);
        return;
    }
    const bool all = one_in(2), wide_one = one_in(2);
    snprintf(text, sizeof text, "match.%s.sync.b%d", all ? "all" : "any", wide_one ? 64 : 32);
    s = add_step(STEP_MATCH, text);
    s->how[0] = all;
    add_source(s, source(wide_one ? CLASS_L : CLASS_W, true, false));
    add_source(s, mask);
    s->d_form = all ? 'p' : 0;
    add_results(s, all ? "wp=" : "w=", B32);
}

/* ---- branches ---- */

static int new_label(void) {
    return g.p->labels++;
}
static void add_label(int label) {
    step *s = add_step(STEP_LABEL, "");
    s->label = label;
    s->fixed = true;
}
static step *add_branch(int label, int predicate, bool negated) {
    step *s = add_step(STEP_BRANCH, "bra");
    s->label = label;
    s->fixed = true;
    s->guard = predicate < 0 ? -1 : predicate + g.base;
    s->guard_negated = negated;
    return s;
}

static void add_ballot(int to, int predicate, bool negated, int from) {
    step *s = add_step(STEP_VOTE, "vote.sync.ballot.b32");
    s->how[0] = 3;
    s->fixed = true;
    operand p = reg(CLASS_P, predicate);
    p.negated = negated;
    add_source(s, p);
    add_source(s, reg(CLASS_W, MASK + from));
    add_result(s, reg(CLASS_W, MASK + to));
}

typedef struct surroundings {
    bool warp;    /* MASK + g.depth holds the lanes that come here */
    bool uniform; /* all threads of the block do */
    int leave;    /* label behind the innermost loop, or -1 */
} surroundings;

static void add_body(int count, surroundings where);

/* The data predicate that decides, made just now, or any. */
static int decide(bool affine) {
    if (one_in(3)) return (int)chance(DATA);
    add_comparison(affine);
    const step *s = &g.p->steps[g.p->count - 1];
    return s->d[0].class == CLASS_P ? s->d[0].index - g.base : (int)chance(DATA);
}

static void add_if(surroundings where) {
    const int p = DATA + g.depth, end = new_label(), otherwise = new_label();
    PLAIN("mov.pred", run_mov, B16, reg(CLASS_P, p), reg(CLASS_P, decide(!one_in(3))));
    const bool warp = where.warp && one_in(2), has_else = one_in(2);
    const surroundings inside = {.warp = warp, .leave = -1};
    g.depth++;
    if (warp) add_ballot(g.depth, p, false, g.depth - 1);
    add_branch(has_else ? otherwise : end, p, true);
    add_body(1 + (int)chance(6), inside);
    if (has_else) {
        add_branch(end, -1, false);
        add_label(otherwise);
        if (warp) {
            const operand mask = reg(CLASS_W, MASK + g.depth);
            PLAIN("not.b32", run_not, B32, mask, mask);
            PLAIN("and.b32", run_and, B32, mask, mask, reg(CLASS_W, MASK + g.depth - 1));
        }
        add_body(1 + (int)chance(6), inside);
    }
    add_label(end);
    g.depth--;
}

/* A loop of as many turns in all threads, or of turns that differ. */
static void add_loop(surroundings where) {
    const int p = DATA + g.depth, again = new_label(), end = new_label();
    const operand counter = reg(CLASS_W, COUNTER + g.loops), predicate = reg(CLASS_P, p);
    const bool same = one_in(2), warp = where.warp && (same || one_in(2));
    const uint32_t turns = 1 + chance(5);
    const surroundings inside = {.warp = warp, .uniform = where.uniform && same, .leave = same ? -1 : end};
    g.depth++;
    if (warp) PLAIN("mov.b32", run_mov, B32, reg(CLASS_W, MASK + g.depth), reg(CLASS_W, MASK + g.depth - 1));
    if (same)
        PLAIN("mov.u32", run_mov, U32, counter, number(0));
    else
        PLAIN("and.b32", run_and, B32, counter, one_in(2) ? special(TID) : source(CLASS_W, one_in(2), false),
              number(one_in(2) ? 3 : 7));
    g.loops++;
    add_label(again);
    add_body(1 + (int)chance(7), inside);
    g.loops--;
    if (same) {
        PLAIN("add.s32", run_add, S32, counter, counter, number(1));
        PLAIN("setp.lt.u32", run_setp, U32, predicate, counter, number(turns))->how[1] = 2;
    } else {
        PLAIN("add.s32", run_add, S32, counter, counter, number(0xffffffff));
        PLAIN("setp.gt.s32", run_setp, S32, predicate, counter, number(0))->how[1] = 4;
        if (warp) add_ballot(g.depth, p, false, g.depth);
    }
    add_branch(again, p, false);
    add_label(end);
    g.depth--;
}

/* Some threads leave the loop that this stands in. */
static void add_leave(surroundings where) {
    const int p = DATA + g.depth;
    PLAIN("mov.pred", run_mov, B16, reg(CLASS_P, p), reg(CLASS_P, decide(one_in(2))));
    if (where.warp) add_ballot(g.depth, p, true, g.depth);
    add_branch(where.leave, p, false);
}

static void add_switch(void) {
    const operand index = reg(CLASS_W, INDEX);
    const int end = new_label();
    PLAIN("and.b32", run_and, B32, index, source(CLASS_W, one_in(2), false), number(3));
    step *s = add_step(STEP_INDEXED, "brx.idx");
    s->fixed = true;
    s->target_count = 4;
    int targets[4];
    for (int i = 0; i < 4; i++) targets[i] = s->targets[i] = new_label();
    add_source(s, index);
    g.depth++;
    for (int i = 0; i < 4; i++) {
        add_label(targets[i]);
        add_body(1 + (int)chance(3), (surroundings){.leave = -1});
        if (i < 3) add_branch(end, -1, false);
    }
    g.depth--;
    add_label(end);
}

static void add_call(void) {
    step *s = add_step(STEP_CALL, "call");
    for (int i = 0; i < 2; i++) add_source(s, source(CLASS_W, one_in(2), false));
    add_source(s, reg(CLASS_L, pick(CLASS_L, one_in(2))));
    const int index = pick_result(CLASS_W, false);
    add_result(s, reg(CLASS_W, index));
    g.affine[CLASS_W][index] = false;
}

static void add_exit(void) {
    const int p = DATA + g.depth;
    PLAIN("mov.pred", run_mov, B16, reg(CLASS_P, p), reg(CLASS_P, decide(true)));
    if (g.p->cluster > 1) { /* a block that ends has no shared memory for the others: its first thread stays */
        PLAIN("setp.ne.u32", run_setp, U32, reg(CLASS_P, p + 1), reg(CLASS_W, LINE), number(0))->how[1] = 1;
        PLAIN("and.pred", run_and, B16, reg(CLASS_P, p), reg(CLASS_P, p), reg(CLASS_P, p + 1));
    }
    add_ballot(0, p, true, 0);
    step *s = add_step(STEP_EXIT, "exit");
    s->guard = p;
    s->fixed = true;
    g.may_exit = false;
}

static void add_body(int count, surroundings where) {
    for (int i = 0; i < count && g.room > 20; i++) {
        const uint32_t what = chance(100);
        const bool deep = g.depth >= DEPTH || g.room < 150;
        if (what < 6 && !deep)
            add_if(where);
        else if (what < 9 && !deep && g.loops < 2 && g.base == 0)
            add_loop(where);
        else if (what < 10 && !deep && g.base == 0)
            add_switch();
        else if (what < 12 && g.base == 0)
            add_call();
        else if (what < 15 && where.leave >= 0)
            add_leave(where);
        else if (what < 16 && where.uniform && g.depth == 0 && g.may_exit && one_in(4))
            add_exit();
        else if (what < 20 && where.uniform)
            g.p->cluster > 1 && one_in(2) ? add_far_exchange() : add_exchange();
        else if (what < 23 && where.uniform && g.may_exit && g.p->threads % 32 == 0)
            add_matrix();
        else if (what < 29 && where.warp)
            add_warp_wide(where.uniform && g.may_exit);
        else if (what < 47 && g.base == 0)
            add_memory();
        else
            add_computation();
    }
}

/* ---- the whole ---- */

static void initialise(int class, int index) {
    static const char *const moves[] = {"", "mov.b16", "mov.b32", "mov.b64"};
    const operand d = reg(class, index);
    const uint32_t what = chance(4);
    g.affine[class][index] = true;
    if (class == CLASS_P) {
        PLAIN("setp.lt.u32", run_setp, U32, d, special(one_in(2) ? TID : LANE), number(chance(40)))->how[1] = 2;
        g.affine[class][index] = false;
    } else if (what == 0 || (class == CLASS_H && what < 3) || (g.base != 0 && is_kept(class, index))) {
        PLAIN(moves[class], run_mov, B16, d, chance_constant(class));
    } else if (class == CLASS_W && (what < 3 || is_kept(class, index))) {
        PLAIN("mad.lo.u32", run_mad, U32, d, special(TID), number(chance(20)), chance_constant(CLASS_W));
    } else if (class == CLASS_L && (what < 3 || is_kept(class, index))) {
        PLAIN("mad.wide.s32", run_mad, S32, d, special(TID), number(chance(20)), chance_constant(CLASS_L));
    } else if (g.base == 0) { /* any bits */
        static const value_type types[] = {U16, U16, U32, U64};
        const struct access a = {types[class], 1};
        PLAIN("mad.wide.u32", run_mad, U32, reg(CLASS_L, ADDRESS), special(TID), number(8), reg(CLASS_L, BASE_INPUT));
        add_access(false, INPUT, false, reg(CLASS_L, ADDRESS), (int64_t)chance(900) * 8, &a);
        step *s = &g.p->steps[g.p->count - 1];
        s->d[0].index = index;
        s->guard = -1;
        s->fixed = true;
        g.affine[class][index] = false;
    } else {
        PLAIN(moves[class], run_mov, B16, d, chance_constant(class));
    }
}

static void add_place(int class, int index, place place, int64_t offset) {
    step *s = add_step(STEP_ADDRESS, "");
    s->place = place;
    s->offset = offset;
    s->fixed = true;
    add_result(s, reg(class, index));
}

/* Where everything is; own memory is emptied. */
static void add_beginning(void) {
    const operand flat = reg(CLASS_W, FLAT), line = reg(CLASS_W, LINE), base = reg(CLASS_W, SHARED_BASE);
    add_place(CLASS_L, BASE_INPUT, INPUT, 0);
    add_place(CLASS_L, BASE_COUNTERS, COUNTERS, 0);
    add_place(CLASS_L, LOCAL_BASE, LOCAL, 0);
    add_place(CLASS_L, TABLE_BASE, TABLE, 0);
    add_place(CLASS_L, ADDRESS, OUTPUT, 0);
    add_place(CLASS_W, SHARED_BASE, SHARED, 0);
    PLAIN("mad.lo.u32", run_mad, U32, line, special(TID_Y), special(NTID), special(TID));
    PLAIN("mad.lo.u32", run_mad, U32, flat, special(CTAID), number(g.p->threads), line);
    PLAIN("mad.wide.u32", run_mad, U32, reg(CLASS_L, OWN), flat, number(SLOTS * 8), reg(CLASS_L, ADDRESS));
    uint64_t at = OUTPUT_BYTES;
    for (int i = 0; i < 5; i++) {
        PLAIN("add.s64", run_add, S64, reg(CLASS_L, OWN_1 + i), reg(CLASS_L, ADDRESS), number(at));
        PLAIN("mad.wide.u32", run_mad, U32, reg(CLASS_L, OWN_1 + i), flat, number(1u << i), reg(CLASS_L, OWN_1 + i));
        at += (uint64_t)(4 * BLOCKS * THREADS) << i;
    }
    PLAIN("mad.lo.u32", run_mad, U32, reg(CLASS_W, SHARED_OWN), line, number(32), base);
    PLAIN("mad.lo.u32", run_mad, U32, reg(CLASS_W, SHARED_4), line, number(4), base);
    PLAIN("mad.lo.u32", run_mad, U32, reg(CLASS_W, SHARED_8), line, number(8), base);
    PLAIN("add.u32", run_add, U32, reg(CLASS_W, SHARED_4), reg(CLASS_W, SHARED_4), number(SHARED_4_AT));
    PLAIN("add.u32", run_add, U32, reg(CLASS_W, SHARED_8), reg(CLASS_W, SHARED_8), number(SHARED_8_AT));
    PLAIN("mov.u32", run_mov, U32, reg(CLASS_W, PHASE), number(0));
    PLAIN("mov.u32", run_mov, U32, reg(CLASS_W, FAR_PHASE), number(0));
    PLAIN("mad.lo.u32", run_mad, U32, reg(CLASS_W, MATRIX), special(WARP), number(MATRIX_ROWS * 16), base);
    PLAIN("add.u32", run_add, U32, reg(CLASS_W, MATRIX), reg(CLASS_W, MATRIX), number(SHARED_ROWS));
    /* Lanes of the warp that there are. */
    const operand mask = reg(CLASS_W, MASK), index = reg(CLASS_W, INDEX);
    PLAIN("shl.b32", run_shl, B32, index, special(WARP), number(5));
    PLAIN("sub.u32", run_sub, U32, index, number(g.p->threads), index);
    PLAIN("shl.b32", run_shl, B32, mask, number(0xffffffff), index);
    PLAIN("not.b32", run_not, B32, mask, mask);
    for (int class = CLASS_P; class < CLASSES; class ++)
        for (int i = 0; i < DATA; i++) initialise(class, i);
    step *first = &g.p->steps[g.p->count];
    const struct access four = {B32, 1}, eight = {B64, 1};
    for (int i = 0; i < LOCAL_BYTES; i += 8) add_access(true, LOCAL, false, reg(CLASS_L, LOCAL_BASE), i, &eight);
    for (int i = 0; i < 32; i += 8) add_access(true, SHARED, false, reg(CLASS_W, SHARED_OWN), i, &eight);
    add_access(true, SHARED, false, reg(CLASS_W, SHARED_4), 0, &four);
    add_access(true, SHARED, false, reg(CLASS_W, SHARED_8), 0, &eight);
    /* The words that all change: thread 0 writes something there. */
    PLAIN("setp.eq.u32", run_setp, U32, reg(CLASS_P, DATA), line, number(0))->how[1] = 0;
    for (int i = 0; i < 8; i++) add_access(true, SHARED, false, base, SHARED_SUMS + 4 * i, &four);
    /* The warp's rows, two for each of its lanes. */
    PLAIN("mad.lo.u32", run_mad, U32, index, special(LANE), number(32), reg(CLASS_W, MATRIX));
    for (int i = 0; i < 4; i++) add_access(true, SHARED, false, index, 8 * i, &eight);
    for (step *s = first; s < &g.p->steps[g.p->count]; s++) {
        s->guard_negated = false;
        const bool sums = s->kind == STEP_STORE && s->place == SHARED && s->offset >= SHARED_SUMS;
        s->guard = sums ? DATA : -1;
        s->fixed = true;
    }
    add_step(STEP_BARRIER, "bar.sync 0")->fixed = true;
    if (g.p->cluster > 1) add_cluster_barrier(add_computation); /* its mbarriers and shared memory are ready */
}

/* All registers go to the thread's slots. */
static void add_end(void) {
    static const value_type types[] = {U32, U16, U32, U64};
    int slot = 0;
    for (int class = CLASS_P; class < CLASSES; class ++)
        for (int i = 0; i < DATA; i++, slot++) {
            const struct access a = {types[class], 1};
            if (class == CLASS_P)
                PLAIN("selp.u32", run_selp, U32, reg(CLASS_W, INDEX), number(1), number(0), reg(CLASS_P, i));
            add_access(true, OUTPUT, false, reg(CLASS_L, OWN), 8 * slot, &a);
            step *s = &g.p->steps[g.p->count - 1];
            s->s[1] = class == CLASS_P ? reg(CLASS_W, INDEX) : reg(class, i);
            s->guard = -1;
            s->fixed = true;
        }
    add_step(STEP_BARRIER, "bar.sync 0")->fixed = true;
    if (g.p->cluster > 1) add_cluster_barrier(add_computation); /* nobody changes the sums any more */
    const struct access word = {U32, 1};
    for (int i = 0; i < 8; i++) { /* the sums, by every thread */
        add_access(false, SHARED, false, reg(CLASS_W, SHARED_BASE), SHARED_SUMS + 4 * i, &word);
        step *s = &g.p->steps[g.p->count - 1];
        s->guard = -1;
        s->fixed = true;
        s->d[0].index = INDEX;
        add_access(true, OUTPUT, false, reg(CLASS_L, OWN), 8 * slot + 4 * i, &word);
        s = &g.p->steps[g.p->count - 1];
        s->s[1] = reg(CLASS_W, INDEX);
        s->guard = -1;
        s->fixed = true;
    }
    add_step(STEP_EXIT, "ret")->fixed = true;
}

static void add_function(void) {
    g.base = REGISTERS;
    g.p->function = g.p->count;
    g.depth = g.loops = 0;
    for (int class = CLASS_P; class < CLASSES; class ++)
        for (int i = 0; i < DATA; i++)
            if (!(class == CLASS_W && i < 2) && !(class == CLASS_L && i == 0)) initialise(class, i);
    g.affine[CLASS_W][0] = g.affine[CLASS_W][1] = g.affine[CLASS_L][0] = true;
    g.room = 200;
    add_body(3 + (int)chance(10), (surroundings){.leave = -1});
    step *s = add_step(STEP_RETURN, "ret");
    s->fixed = true;
    add_source(s, reg(CLASS_W, pick(CLASS_W, false)));
    g.base = 0;
}

static void generate(program_steps *p, uint64_t seed) {
    memset(&g, 0, sizeof g);
    memset(p, 0, sizeof *p);
    chance_state = seed;
    g.p = p;
    g.may_exit = true;
    p->threads = one_in(3) ? 1 + chance(THREADS) : 32 * (1 + chance(3));
    p->width = p->threads % 2 == 0 && one_in(4) ? p->threads / 2 : p->threads;
    p->blocks = 1 + chance(BLOCKS);
    p->cluster = one_in(2) ? 1 : p->blocks % 2 == 0 && one_in(2) ? 2 : p->blocks;
    g.kept = (int)chance(3) * 4;
    for (int i = 0; i < INPUT_BYTES; i += 8) {
        const uint64_t value = chance_number();
        memcpy(p->input + i, &value, 8);
    }
    for (int i = 0; i < TABLE_BYTES; i++) p->table[i] = (uint8_t)chance(256);
    for (int i = 0; i < PARAM_BYTES; i++) p->params[i] = (uint8_t)chance(256);
    add_beginning();
    g.room = 500;
    add_body(5 + (int)chance(60), (surroundings){.warp = true, .uniform = true, .leave = -1});
    add_end();
    add_function();
}
