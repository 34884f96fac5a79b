/* Runs a program a thread at a time: each goes on until it ends or has to meet others, at a barrier or in a warp-wide
 * instruction; when nobody can go on alone, those who have met do it together.
 */
#pragma once

#include "flow.h"

typedef struct thread {
    uint64_t r[CLASSES][2 * REGISTERS];
    bool carry[2]; /* of the kernel, of the function */
    int pc, back;  /* back: the call's, or -1 */
    enum { RUNS, WAITS, ENDED } state;
    uint8_t local[LOCAL_BYTES];
} thread;

typedef struct model {
    const program_steps *p;
    struct {
        thread threads[THREADS];
        uint8_t shared[SHARED_ALL];
    } blocks[BLOCKS];
    thread *threads; /* of the block at hand */
    uint8_t input[INPUT_BYTES + INPUT_SLACK], output[ALL_OUTPUT], counters[COUNTER_BYTES];
    int labels[STEPS];
    int block, at; /* the block, the thread that runs */
    long steps;    /* done so far */
    char failure[100];
} model;

static void model_fail(model *m, const step *s, const char *what) {
    if (m->failure[0] == '\0') snprintf(m->failure, sizeof m->failure, "%s: %s", s->opcode, what);
}

static uint64_t special_value(const model *m, int which) {
    const uint64_t values[] = {[TID] = (uint64_t)m->at % m->p->width,
                               [NTID] = m->p->width,
                               [CTAID] = (uint64_t)m->block,
                               [NCTAID] = m->p->blocks,
                               [LANE] = (uint64_t)m->at % 32,
                               [WARP] = (uint64_t)m->at / 32,
                               [TID_Y] = (uint64_t)m->at / m->p->width,
                               [CLUSTER_RANK] = (uint64_t)m->block % m->p->cluster,
                               [CLUSTER_SIZE] = m->p->cluster,
                               [CLUSTER] = (uint64_t)m->block / m->p->cluster};
    return values[which];
}

static uint64_t value_of(const model *m, const thread *t, const operand *o) {
    switch (o->kind) {
    case REGISTER:
        return o->negated ? !t->r[o->class][o->index] : t->r[o->class][o->index];
    case SPECIAL:
        return special_value(m, o->index);
    default:
        return o->number;
    }
}

static void set_results(thread *t, const step *s, uint64_t bits) {
    for (int i = 0; i < s->d_count; i++) {
        const unsigned width = class_bits[s->d[i].class];
        t->r[s->d[i].class][s->d[i].index] = cut(bits, width);
        bits = width < 64 ? bits >> width : 0;
    }
}

static bool does(const thread *t, const step *s) {
    return s->guard < 0 || (t->r[CLASS_P][s->guard] != 0) != s->guard_negated;
}

/* ---- memory ---- */

static uint8_t *place_start(model *m, thread *t, place place, int block, uint64_t *size) {
    uint8_t *const starts[] = {
        m->input, m->output, m->counters, m->blocks[block].shared, t->local, (uint8_t *)(uintptr_t)m->p->table};
    const uint64_t sizes[] = {sizeof m->input, sizeof m->output, sizeof m->counters,
                              SHARED_ALL,      sizeof t->local,  sizeof m->p->table};
    *size = sizes[place];
    return starts[place];
}

static uint64_t base_of(place place, bool generic) {
    return generic || place <= COUNTERS ? WINDOW(place) : PLAIN_BASE;
}

/* The bytes that a step accesses; NULL, a mistake of the generator's, where they are not all there. */
static uint8_t *bytes_of(model *m, thread *t, const step *s, unsigned count) {
    uint64_t size, address = value_of(m, t, &s->s[0]) + (uint64_t)s->offset;
    const bool generic = s->how[2] && s->kind != STEP_ATOMIC;
    int block = m->block;
    if (s->place == SHARED && address >> RANK_BIT(generic) != 0) { /* of the cluster's block with that rank */
        block += (int)(address >> RANK_BIT(generic)) - 1 - block % (int)m->p->cluster;
        address &= ((uint64_t)1 << RANK_BIT(generic)) - 1;
    }
    uint8_t *start = place_start(m, t, s->place, block, &size);
    const uint64_t at = address - base_of(s->place, generic);
    if (at > size || size - at < count || at % count != 0) {
        model_fail(m, s, "out of bounds");
        return NULL;
    }
    return start + at;
}

static void load(model *m, thread *t, const step *s) {
    const value_type type = (value_type)s->how[0];
    const unsigned each = type_bits[type] / 8;
    const uint8_t *from = bytes_of(m, t, s, each * (unsigned)s->how[1]);
    for (int i = 0; from && i < s->d_count; i++) {
        uint64_t value = 0;
        memcpy(&value, from + each * (unsigned)i, each);
        if (is_signed(type)) value = (uint64_t)number_of(type, value);
        t->r[s->d[i].class][s->d[i].index] = cut(value, class_bits[s->d[i].class]);
    }
}

static void store(model *m, thread *t, const step *s) {
    const unsigned each = type_bits[s->how[0]] / 8;
    uint8_t *to = bytes_of(m, t, s, each * (unsigned)s->how[1]);
    for (int i = 1; to && i < s->s_count; i++) {
        const uint64_t value = value_of(m, t, &s->s[i]);
        memcpy(to + each * (unsigned)(i - 1), &value, each);
    }
}

static uint64_t changed(int which, value_type type, uint64_t old, uint64_t by, uint64_t with) {
    const wide a = number_of(type, old), b = number_of(type, by);
    switch (which) {
    case ADD:
        return (uint64_t)(a + b);
    case MIN:
        return a < b ? old : by;
    case MAX:
        return a > b ? old : by;
    case AND:
        return old & by;
    case OR:
        return old | by;
    case XOR:
        return old ^ by;
    case EXCHANGE:
        return by;
    case INC:
        return old >= by ? 0 : old + 1;
    case DEC:
        return old == 0 || old > by ? by : old - 1;
    default:
        return old == by ? with : old;
    }
}

static void change(model *m, thread *t, const step *s) {
    const value_type type = (value_type)s->how[0];
    const unsigned each = type_bits[type] / 8;
    uint8_t *at = bytes_of(m, t, s, each);
    if (!at) return;
    uint64_t old = 0;
    memcpy(&old, at, each);
    const uint64_t new = changed(s->how[1], type, old, value_of(m, t, &s->s[1]), value_of(m, t, &s->s[2]));
    memcpy(at, &new, each);
    set_results(t, s, old);
}

/* ---- one thread ---- */

static void call(model *m, thread *t, const step *s) {
    const uint64_t a = value_of(m, t, &s->s[0]), b = value_of(m, t, &s->s[1]), c = value_of(m, t, &s->s[2]);
    t->r[CLASS_W][REGISTERS] = a, t->r[CLASS_W][REGISTERS + 1] = b, t->r[CLASS_L][REGISTERS] = c;
    t->back = t->pc - 1; /* this step */
    t->pc = m->p->function;
}

/* Does the step at the thread's pc, or leaves it where it has to wait. */
static void advance(model *m, thread *t) {
    const step *s = &m->p->steps[t->pc];
    m->steps++;
    if (s->kind >= STEP_BARRIER) {
        t->state = s->off ? RUNS : WAITS;
        t->pc += s->off;
        return;
    }
    t->pc++;
    if (s->off || !does(t, s)) return;
    uint64_t x[5] = {0};
    switch (s->kind) {
    case STEP_COMPUTE:
        for (int i = 0; i < s->s_count; i++) x[i] = value_of(m, t, &s->s[i]);
        set_results(t, s, s->run(s, x, &t->carry[t->back >= 0]));
        break;
    case STEP_ADDRESS:
        set_results(t, s, base_of(s->place, false) + (uint64_t)s->offset);
        break;
    case STEP_LOAD:
        load(m, t, s);
        break;
    case STEP_STORE:
        store(m, t, s);
        break;
    case STEP_ATOMIC:
        change(m, t, s);
        break;
    case STEP_BRANCH:
        t->pc = m->labels[s->label];
        break;
    case STEP_INDEXED:
        t->pc = m->labels[s->targets[value_of(m, t, &s->s[0])]];
        break;
    case STEP_CALL:
        call(m, t, s);
        break;
    case STEP_RETURN:
        t->pc = t->back;
        t->back = -1;
        set_results(t, &m->p->steps[t->pc], value_of(m, t, &s->s[0]));
        t->pc++;
        break;
    case STEP_EXIT:
        t->state = ENDED;
        break;
    default:
        break;
    }
}

/* ---- threads together ---- */

static uint64_t reduced(const step *s, uint64_t members, const uint64_t *a) {
    uint64_t d = 0;
    bool first = true;
    for (int l = 0; l < 32; l++) {
        if (!(members >> l & 1)) continue;
        d = first ? a[l] : changed(s->how[1], (value_type)s->how[0], d, a[l], 0);
        first = false;
    }
    return cut(d, 32);
}

/* As the PTX ISA has it, line by line. */
static uint64_t shuffled(const step *s, int lane, const uint64_t *a, uint64_t by, uint64_t c) {
    const int bval = (int)(by & 0x1f), cval = (int)(c & 0x1f), segmask = (int)(c >> 8 & 0x1f);
    const int max_lane = (lane & segmask) | (cval & ~segmask), min_lane = lane & segmask;
    int j;
    bool p;
    switch (s->how[0]) {
    case 0:
        j = lane - bval;
        p = j >= max_lane;
        break;
    case 1:
        j = lane + bval;
        p = j <= max_lane;
        break;
    case 2:
        j = lane ^ bval;
        p = j <= max_lane;
        break;
    default:
        j = min_lane | (bval & ~segmask);
        p = j <= max_lane;
    }
    return a[p ? j : lane] | (uint64_t)p << 32;
}

static uint64_t matched(const step *s, int lane, uint64_t members, const uint64_t *a) {
    uint64_t same = 0;
    for (int l = 0; l < 32; l++)
        if (members >> l & 1 && a[l] == a[lane]) same |= (uint64_t)1 << l;
    if (!s->how[0]) return same;
    return same == members ? same | (uint64_t)1 << 32 : 0;
}

static uint64_t voted(const step *s, uint64_t members, const uint64_t *a) {
    uint64_t yes = 0;
    for (int l = 0; l < 32; l++)
        if (members >> l & 1 && a[l]) yes |= (uint64_t)1 << l;
    const bool all = yes == members, any = yes != 0;
    return s->how[0] == 0 ? all : s->how[0] == 1 ? any : s->how[0] == 2 ? all || !any : yes;
}

/* Matrix instructions of the warp whose lane 0 is thread `first`. */
static void do_matrix(model *m, int first, const step *s) {
    uint64_t words[4][32], results[2][32];
    uint8_t *rows[32] = {0};
    const bool store = s->kind == STEP_STMATRIX, product = s->kind == STEP_MMA;
    for (int l = 0; l < 32; l++) {
        thread *t = &m->threads[m->at = first + l];
        const operand *from = product ? s->s : &s->s[1];
        for (int i = 0; i < 4; i++) words[i][l] = value_of(m, t, &from[i]);
        if (!product && l < 8 * s->how[0] && (rows[l] = bytes_of(m, t, s, 16)) == NULL) return;
    }
    if (product)
        multiply_matrices(words[0], words[1], (const uint64_t(*)[32]) & words[2], results);
    else
        move_matrices(store, s->how[0], s->how[1], rows, words);
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < s->d_count; i++)
            m->threads[first + l].r[CLASS_W][s->d[i].index] = cut(product ? results[i][l] : words[i][l], 32);
}

/* The threads of a warp that wait at the step of thread `at`, once all that it names have come: they do it. */
static bool meet(model *m, int at) {
    const int first = at / 32 * 32, pc = m->threads[at].pc;
    const step *s = &m->p->steps[pc];
    m->at = at;
    const bool whole = s->kind >= STEP_LDMATRIX;
    const uint64_t members = whole ? 0xffffffff : value_of(m, &m->threads[at], &s->s[s->s_count - 1]);
    uint64_t a[32] = {0}, results[32] = {0};
    for (int l = 0; l < 32; l++) {
        if (!(members >> l & 1)) continue;
        const thread *t = &m->threads[first + l];
        if ((unsigned)(first + l) >= m->p->threads || t->state != WAITS || t->pc != pc) return false;
        m->at = first + l;
        if (!whole && value_of(m, t, &s->s[s->s_count - 1]) != members) return false; /* from another turn of a loop */
        a[l] = value_of(m, t, &s->s[0]);
    }
    if (whole) do_matrix(m, first, s);
    for (int l = 0; l < 32; l++) {
        if (whole || !(members >> l & 1)) continue;
        const thread *t = &m->threads[first + l];
        m->at = first + l;
        results[l] = s->kind == STEP_SHUFFLE  ? shuffled(s, l, a, value_of(m, t, &s->s[1]), value_of(m, t, &s->s[2]))
                     : s->kind == STEP_VOTE   ? voted(s, members, a)
                     : s->kind == STEP_REDUCE ? reduced(s, members, a)
                                              : matched(s, l, members, a);
    }
    for (int l = 0; l < 32; l++) {
        if (!(members >> l & 1)) continue;
        thread *t = &m->threads[first + l];
        if (!whole) set_results(t, s, results[l]);
        t->pc++;
        t->state = RUNS;
    }
    return true;
}

static void choose_block(model *m, int block) {
    m->block = block;
    m->threads = m->blocks[block].threads;
}

/* All threads of the blocks that have not ended wait at barriers of the kind. */
static bool pass_barrier(model *m, int kind, int first, int end) {
    bool some = false;
    for (int b = first; b < end; b++)
        for (unsigned i = 0; i < m->p->threads; i++) {
            const thread *t = &m->blocks[b].threads[i];
            if (t->state == ENDED) continue;
            if (t->state != WAITS || (int)m->p->steps[t->pc].kind != kind) return false;
            some = true;
        }
    for (int b = first; b < end; b++)
        for (unsigned i = 0; i < m->p->threads; i++) {
            thread *t = &m->blocks[b].threads[i];
            if (t->state == ENDED) continue;
            t->pc++;
            t->state = RUNS;
        }
    return some;
}

#define MOST_STEPS 3000000 /* of a program */

/* The block's threads, as far as they come without its barriers. False where none has done anything. */
static bool run_threads(model *m) {
    bool goes_on = false;
    for (unsigned i = 0; i < m->p->threads; i++) {
        thread *t = &m->threads[i];
        for (m->at = (int)i; t->state == RUNS && m->failure[0] == '\0' && m->steps < MOST_STEPS; goes_on = true)
            advance(m, t);
    }
    for (unsigned i = 0; i < m->p->threads; i++)
        if (m->threads[i].state == WAITS && m->p->steps[m->threads[i].pc].kind >= STEP_SHUFFLE && meet(m, (int)i))
            goes_on = true;
    return goes_on;
}

static void run_cluster(model *m, int first) {
    const int end = first + (int)m->p->cluster;
    for (int b = first; b < end; b++) {
        memset(&m->blocks[b], 0, sizeof m->blocks[b]);
        for (int i = 0; i < THREADS; i++) m->blocks[b].threads[i].back = -1;
    }
    for (bool goes_on = true; goes_on && m->failure[0] == '\0';) {
        goes_on = false;
        for (int b = first; b < end; b++) {
            choose_block(m, b);
            goes_on = run_threads(m) || goes_on;
        }
        for (int b = first; b < end && !goes_on; b++) goes_on = pass_barrier(m, STEP_BARRIER, b, b + 1);
        if (!goes_on) goes_on = pass_barrier(m, STEP_CLUSTER, first, end);
    }
    for (int b = first; b < end; b++)
        for (unsigned i = 0; i < m->p->threads; i++) {
            const thread *t = &m->blocks[b].threads[i];
            if (t->state != ENDED)
                model_fail(m, &m->p->steps[t->pc], m->steps < MOST_STEPS ? "a thread does not end" : "too many steps");
        }
}

/* Runs all of it; the memory of places is as the caller has filled it. False, and why in `failure`, where the program
 * is none that may be run. */
static bool model_run(model *m, const program_steps *p) {
    m->p = p;
    m->steps = 0;
    m->failure[0] = '\0';
    for (int i = 0; i < p->count; i++)
        if (p->steps[i].kind == STEP_LABEL) m->labels[p->steps[i].label] = i;
    for (int block = 0; block < (int)p->blocks; block += (int)p->cluster) run_cluster(m, block);
    return m->failure[0] == '\0';
}
