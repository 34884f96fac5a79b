/* Random programs, continued: loads, stores and atomic operations, in every state space. */
#pragma once

#include "matrix.h"

/* ---- memory ---- */

static const struct access {
    value_type type;
    int vector;
} accesses[] = {{U8, 1},  {S8, 1},  {U16, 1}, {S16, 1}, {U32, 1}, {S32, 1}, {F32, 1}, {U64, 1}, {B64, 1}, {F64, 1},
                {B32, 2}, {B32, 4}, {B64, 2}, {U16, 2}, {U16, 4}, {U8, 2},  {U8, 4},  {U32, 1}, {U32, 1}, {U64, 1}};

static unsigned access_bytes(const struct access *a) {
    return type_bits[a->type] / 8 * (unsigned)a->vector;
}
static const struct access *chance_access(unsigned most) {
    for (;;) {
        const struct access *a = &accesses[chance(sizeof accesses / sizeof *accesses)];
        if (access_bytes(a) <= most) return a;
    }
}

static const char *const place_names[] = {"global", "global", "global", "shared", "local", "const", "param"};

/* ld or st; generic: with no space. */
static void add_access(bool store, place place, bool generic, operand address, int64_t offset, const struct access *a) {
    char text[48];
    snprintf(text, sizeof text, "%s%s%s%s.%s", store ? "st" : "ld", generic ? "" : ".",
             generic ? "" : place_names[place],
             a->vector == 2   ? ".v2"
             : a->vector == 4 ? ".v4"
                              : "",
             type_names[a->type]);
    step *s = add_step(store ? STEP_STORE : STEP_LOAD, text);
    s->how[0] = a->type, s->how[1] = a->vector, s->how[2] = generic;
    s->place = place;
    s->offset = offset;
    add_source(s, address);
    const int class = type_class[a->type];
    if (a->vector > 1) *(store ? &s->s_form : &s->d_form) = 'v';
    guard_sometimes(s);
    if (store) {
        for (int i = 0; i < a->vector; i++) add_source(s, reg(class, pick(class, one_in(3))));
    } else {
        static const char *const forms[][5] = {
            {""}, {"", "h=", "hh=", "", "hhhh="}, {"", "w=", "ww=", "", "wwww="}, {"", "l=", "ll=", "", ""}};
        add_results(s, forms[class][a->vector], a->type);
        for (int i = 0; i < s->d_count; i++) g.affine[class][s->d[i].index - g.base] = false;
    }
}

/* From anywhere in the input: the same address for all threads, one after another, or any. */
static void add_input(void) {
    const struct access *a = chance_access(16);
    const unsigned bytes = access_bytes(a);
    const operand address = reg(CLASS_L, ADDRESS), base = reg(CLASS_L, BASE_INPUT);
    int64_t offset = (int64_t)(chance(8) * bytes);
    if (one_in(2)) { /* thread * stride */
        static const int factors[] = {0, 1, 1, 1, 2, 3, -1};
        const int64_t stride = factors[chance(sizeof factors / sizeof *factors)] * (int64_t)bytes;
        if (stride < 0) offset -= stride * (THREADS - 1);
        PLAIN("mad.wide.s32", run_mad, S32, address, special(TID), number((uint64_t)stride & 0xffffffff), base);
    } else {
        const operand index = reg(CLASS_W, INDEX);
        PLAIN("and.b32", run_and, B32, index, source(CLASS_W, one_in(2), false), number(INPUT_BYTES / bytes - 1));
        if (one_in(2)) {
            PLAIN("mad.wide.u32", run_mad, U32, address, index, number(bytes), base);
        } else {
            PLAIN("mul.wide.u32", run_mul, U32, address, index, number(bytes));
            PLAIN("add.s64", run_add, S64, address, base, address);
        }
    }
    add_access(false, INPUT, one_in(5), address, offset, a);
}

/* A thread's own bytes of OUTPUT, in its slots or next to the other threads'. */
static operand own_output(unsigned bytes, int64_t *offset) {
    if (one_in(2)) {
        *offset = 8 * FIRST_OWN_SLOT + (int64_t)(chance(8 * (SLOTS - FIRST_OWN_SLOT) / bytes) * bytes);
        return reg(CLASS_L, OWN);
    }
    int size = 0;
    while (1u << size < bytes) size++;
    *offset = (int64_t)(chance(4) * BLOCKS * THREADS * bytes);
    return reg(CLASS_L, OWN_1 + size);
}

static void add_own_output(void) {
    const struct access *a = chance_access(16);
    int64_t offset;
    const operand address = own_output(access_bytes(a), &offset);
    add_access(!one_in(3), OUTPUT, one_in(5), address, offset, a);
}

static void add_own_shared(void) {
    const struct access *a = chance_access(16);
    const unsigned bytes = access_bytes(a);
    const int64_t offset = (int64_t)(chance(32 / bytes) * bytes);
    if (one_in(4)) {
        const operand address = reg(CLASS_L, ADDRESS);
        PLAIN("cvt.u64.u32", run_mov, U32, address, reg(CLASS_W, SHARED_OWN));
        PLAIN("cvta.shared.u64", run_window, U64, address, address)->how[1] = SHARED;
        add_access(one_in(2), SHARED, true, address, offset, a);
    } else {
        add_access(one_in(2), SHARED, false, reg(CLASS_W, SHARED_OWN), offset, a);
        if (one_in(6)) name_cluster();
    }
}

static void add_small(place place) {
    const struct access *a = chance_access(16);
    const unsigned bytes = access_bytes(a), room = place == LOCAL ? LOCAL_BYTES : TABLE_BYTES;
    const operand base = reg(CLASS_L, place == LOCAL ? LOCAL_BASE : TABLE_BASE);
    const bool store = place == LOCAL && one_in(2);
    if (one_in(2)) {
        add_access(store, place, false, base, (int64_t)(chance(room / bytes) * bytes), a);
        return;
    }
    const operand index = reg(CLASS_W, INDEX), address = reg(CLASS_L, ADDRESS);
    PLAIN("and.b32", run_and, B32, index, source(CLASS_W, one_in(2), false), number(room / bytes - 1));
    PLAIN("mad.wide.u32", run_mad, U32, address, index, number(bytes), base);
    add_access(store, place, false, address, 0, a);
}

static void add_param(void) {
    static const struct {
        const char *text;
        value_type type;
        int index;
    } loads[] = {{"ld.param.u64", U64, 3}, {"ld.param.b32", B32, 4}, {"ld.param.s16", S16, 5}, {"ld.param.u8", U8, 6}};
    const unsigned k = chance(4);
    static const unsigned offsets[] = {0, 8, 12, 14};
    uint64_t value = 0;
    memcpy(&value, g.p->params + offsets[k], type_bits[loads[k].type] / 8);
    step *s = add_step(STEP_COMPUTE, loads[k].text);
    s->run = run_mov;
    add_source(s, (operand){.kind = PARAMETER, .index = loads[k].index, .number = value});
    guard_sometimes(s);
    add_results(s, "t=", loads[k].type);
}

enum { ADD, MIN, MAX, AND, OR, XOR, EXCHANGE, INC, DEC, CAS };
static const char *const atomics[] = {"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas"};

static step *add_atomic(const char *name, place place, operand address, int64_t offset, int which, value_type type) {
    char text[48];
    snprintf(text, sizeof text, "%s.%s.%s.%s", name, place_names[place], atomics[which], type_names[type]);
    step *s = add_step(STEP_ATOMIC, text);
    s->how[0] = type, s->how[1] = which;
    s->place = place;
    s->offset = offset;
    add_source(s, address);
    add_source(s, reg(type_class[type], pick(type_class[type], one_in(3))));
    if (which == CAS) add_source(s, reg(type_class[type], pick(type_class[type], false)));
    return s;
}

/* On a thread's own word, whose old value it gets; or on one that all threads change, each in the same way. */
static void add_own_atomic(void) {
    const int which = (int)chance(10);
    const bool raw = which >= AND && which <= XOR, any = which == EXCHANGE || which == CAS,
               u32 = which == INC || which == DEC;
    static const value_type numbers[] = {U32, S32, U64}, raws[] = {B32, B64};
    const value_type type = u32 ? U32 : raw || any ? raws[chance(2)] : numbers[chance(3)];
    const unsigned bytes = type_bits[type] / 8;
    const bool shared = one_in(2);
    int64_t offset = (int64_t)(chance(32 / bytes) * bytes);
    operand address = reg(CLASS_W, SHARED_OWN);
    if (!shared) address = own_output(bytes, &offset);
    step *s = add_atomic("atom", shared ? SHARED : OUTPUT, address, offset, which, type);
    guard_sometimes(s);
    add_results(s, "t=", type);
    g.affine[s->d[0].class][s->d[0].index - g.base] = false;
}
static void add_sum(void) {
    static const value_type types[] = {U32, S32, U32, B32, B32, B32, S32, U32};
    static const int kinds[] = {ADD, MIN, MAX, AND, OR, XOR, ADD, MIN};
    const unsigned k = chance(8);
    const bool shared = one_in(2), far = shared && g.p->cluster > 1 && one_in(2);
    const operand at = reg(CLASS_W, ROW);
    if (far) add_mapa(at, reg(CLASS_W, SHARED_BASE), add_rank());
    step *s = add_atomic("red", shared ? SHARED : COUNTERS,
                         far      ? at
                         : shared ? reg(CLASS_W, SHARED_BASE)
                                  : reg(CLASS_L, BASE_COUNTERS),
                         (shared ? SHARED_SUMS : 0) + 4 * (int)k, kinds[k], types[k]);
    if (far) name_cluster();
    guard_sometimes(s);
}

/* What another thread of the block has, by shared memory: all threads come here. */
static void add_exchange(void) {
    const bool wide_one = one_in(2);
    const struct access a = {wide_one ? U64 : U32, 1};
    const operand index = reg(CLASS_W, INDEX), own = reg(CLASS_W, wide_one ? SHARED_8 : SHARED_4);
    add_access(true, SHARED, false, own, 0, &a);
    add_meeting(add_computation);
    PLAIN("rem.u32", run_rem, U32, index, source(CLASS_W, one_in(2), false), number(g.p->threads));
    PLAIN("mad.lo.u32", run_mad, U32, index, index, number(wide_one ? 8 : 4), reg(CLASS_W, SHARED_BASE));
    add_access(false, SHARED, false, index, wide_one ? SHARED_8_AT : SHARED_4_AT, &a);
    add_meeting(add_computation);
}

/* An access to another block's shared memory, `at` being the own address. */
static void add_far_access(bool store, operand at, int64_t offset, operand rank, const struct access *a) {
    const operand far = reg(CLASS_W, ROW), address = reg(CLASS_L, ADDRESS);
    if (one_in(3)) {
        PLAIN("cvt.u64.u32", run_mov, U32, address, at);
        PLAIN("cvta.shared.u64", run_window, U64, address, address)->how[1] = SHARED;
        add_mapa(address, address, rank);
        add_access(store, SHARED, true, address, offset, a);
    } else {
        add_mapa(far, at, rank);
        add_access(store, SHARED, false, far, offset, a);
        name_cluster();
    }
}

/* What another thread of the cluster has, by shared memory: read there, or sent by the thread of the same number in
 * another block. All threads come here. */
static void add_far_exchange(void) {
    const bool wide_one = one_in(2), push = one_in(2);
    const struct access a = {wide_one ? U64 : U32, 1};
    const operand index = reg(CLASS_W, INDEX), own = reg(CLASS_W, wide_one ? SHARED_8 : SHARED_4),
                  slot = reg(CLASS_W, SLOT);
    add_cluster_barrier(add_computation); /* whoever is still in another exchange */
    if (push) {
        PLAIN("add.u32", run_add, U32, index, special(CLUSTER_RANK), number(1 + chance(g.p->cluster - 1)));
        PLAIN("rem.u32", run_rem, U32, index, index, number(g.p->cluster));
        add_far_access(true, own, 0, index, &a);
        if (g.may_exit && one_in(2))
            add_far_arrival(index, add_computation);
        else
            add_cluster_barrier(add_computation);
    } else {
        add_access(true, SHARED, false, own, 0, &a);
        add_cluster_barrier(add_computation);
    }
    PLAIN("rem.u32", run_rem, U32, slot, source(CLASS_W, one_in(2), false), number(g.p->threads));
    PLAIN("mad.lo.u32", run_mad, U32, slot, slot, number(wide_one ? 8 : 4), reg(CLASS_W, SHARED_BASE));
    if (push)
        add_access(false, SHARED, false, slot, wide_one ? SHARED_8_AT : SHARED_4_AT, &a);
    else
        add_far_access(false, slot, wide_one ? SHARED_8_AT : SHARED_4_AT, add_rank(), &a);
    add_cluster_barrier(add_computation);
}

static void add_memory(void) {
    const uint32_t what = chance(100);
    if (what < 25)
        add_input();
    else if (what < 45)
        add_own_output();
    else if (what < 60)
        add_own_shared();
    else if (what < 72)
        add_small(LOCAL);
    else if (what < 80)
        add_small(TABLE);
    else if (what < 86)
        add_param();
    else if (what < 94)
        add_own_atomic();
    else
        add_sum();
}
