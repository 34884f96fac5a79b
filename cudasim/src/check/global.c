/* Races in global memory, by the cells of its words (places.h). clocks.h orders accesses by threads of one cluster,
 * grid_order.h all others. */
#include "check/global.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/message.h"
#include "check/places.h"
#include "check/writing.h"
#include "isa/writes.h"

/* Who accesses, and how. */
typedef struct toucher {
    checked_cluster *cluster;
    warp *w;
    const function *function;
    uint32_t pc, agent, number; /* the number of its cluster, + 1 */
    uint32_t site;
    uint8_t how; /* without the bytes */
    access_kind kind;
    bool later;  /* the access is executed later: a copy */
    bool learns; /* an atomic operation whose old value is used, so it comes after all earlier ones */
    unsigned bytes;
    const char *verb;
} toucher;

static uint32_t launches;

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* What the function and all that it calls may write. Arguments of the calls are not followed. */
static uint64_t writes_with_calls(const function *f, int depth) {
    const function *watched = f->watch != NULL ? f : f->watched;
    if (watched == NULL || depth > 64) return WRITES_ANYWHERE;
    uint64_t writes = watched->writes;
    if (depth > 0 && (writes & ~WRITES_OWN) != 0) return WRITES_ANYWHERE;
    for (int k = 0; k < f->call_count && !(writes & WRITES_ANYWHERE); k++) {
        if (f->calls[k].builtin != BUILTIN_NONE) continue;
        writes |= f->calls[k].callee != NULL ? writes_with_calls(f->calls[k].callee, depth + 1) : WRITES_ANYWHERE;
    }
    return writes;
}

static uint64_t param(const launch *la, uint32_t k) {
    uint64_t value = 0;
    if (8 * k + 8 <= la->param_bytes) memcpy(&value, la->params + 8 * k, sizeof value);
    return value;
}

void global_begin(checked_launch *l) {
    const launch *la = l->la;
    const uint64_t writes = writes_with_calls(la->entry, 0);
    l->serial = __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
    if (writes & (WRITES_ANYWHERE | WRITES_VARIABLES)) {
        memory_changes(0, 0);
        return;
    }
    for (uint32_t k = 0; k < WRITES_PARAMS; k++) {
        const uint64_t address = writes >> k & 1 ? param(la, k) : 0;
        uint64_t end = UINT64_MAX; /* where another parameter points to */
        for (uint32_t n = 0; address != 0 && n < WRITES_PARAMS; n++)
            if (param(la, n) > address && param(la, n) < end) end = param(la, n);
        if (address != 0) memory_changes(address, end);
    }
    if (writes & WRITES_WORKSPACE && la->grid_workspace != 0) memory_changes(la->grid_workspace, UINT64_MAX);
}

void global_end(checked_launch *l) {
    memory_unchanged();
    grid_order_free(l->order);
    l->order = NULL;
}

void global_cluster(checked_cluster *c, const block *b, bool begins) {
    if (c->run != NULL) grid_order_end(c->launch->order, c->run);
    c->run = NULL;
    if (begins) c->number = (uint32_t)(b->index / b->cluster->size);
}

static run *run_of(checked_cluster *c) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    checked_launch *l = c->launch;
    if (c->run != NULL) return c->run;
    pthread_mutex_lock(&lock);
    if (l->order == NULL)
        __atomic_store_n(&l->order, grid_order_new(c->clocks.agents, l->la->blocks / l->la->cluster_size),
                         __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return c->run = grid_order_begin(l->order, c->number);
}

/* ---- what is said ------------------------------------------------------------------------------------------------ */

/* A store that races with another one unless it leaves the value that is already there. */
typedef struct doubt {
    toucher by;
    uint32_t lane;
    uint64_t address;
    trace other;
    uint8_t before[4];
} doubt;
#define MOST_DOUBTS 64
static _Thread_local doubt doubts[MOST_DOUBTS];
static _Thread_local int doubt_count;

/* The value that a store in doubt is to leave is the one that is there when all writes noted before it are executed.
 * Doubts from `first` on are the current store's. */
static void await_values(const warp *w, int first, uint32_t number) {
    bool waited = false;
    for (int k = first; k < doubt_count; k++) {
        doubt *d = &doubts[k];
        if (d->other.cluster == number) continue;
        if (!waited && !writing_await(w)) {
            doubt_count = first;
            return;
        }
        waited = true;
        memcpy(d->before, (const void *)(uintptr_t)d->address, d->by.bytes < 4 ? d->by.bytes : 4);
    }
}

/* What would order the two, in brackets. */
static const char *what_is_wanted(const toucher *t, const trace *other) {
    checked_cluster *c = t->cluster;
    fence_wanted fence = FENCE_UNKNOWN;
    if (c->run != NULL && other->cluster != t->number)
        fence = grid_order_fence_wanted(c->launch->order, c->run, &c->clocks, t->agent, other->cluster - 1,
                                        other->agent, other->clock);
    if (fence == FENCE_HERE) return " (another block: no fence here since the flag was read; the other side has one)";
    if (fence == FENCE_THERE) return " (another block: no fence and flag there since; this side has both)";
    return order_wanted(c->launch, t->number, t->agent, other->cluster, other->agent);
}

static void say(const toucher *t, uint32_t lane, uint64_t address, const trace *other, bool after_read) {
    const checked_launch *l = t->cluster->launch;
    const site at = {t->function, t->pc}, there = site_at(l, other->site);
    if (finding_repeats(RACE, at, there)) return;
    char who[96], whom[96], where[320], what[800], other_what[400];
    snprintf(what, sizeof what, "%s %s %s", thread_name(t->w, lane, who), t->verb,
             global_name(address, t->bytes, where));
    snprintf(other_what, sizeof other_what,
             "and nothing orders it after the %s by %s%s: ", after_read ? "read" : "write",
             agent_name(l, other->cluster - 1, other->agent, other->lane, whom), what_is_wanted(t, other));
    finding_add(&(finding){RACE, l->la->entry->source->name, at, there, what, other_what});
}

void global_settle(void) {
    for (int k = 0; k < doubt_count; k++) {
        const doubt *d = &doubts[k];
        const unsigned bytes = d->by.bytes < 4 ? d->by.bytes : 4;
        if (memcmp(d->before, (const void *)(uintptr_t)d->address, bytes) != 0)
            say(&d->by, d->lane, d->address, &d->other, false);
    }
    doubt_count = 0;
}

void global_drop_doubts(void) {
    doubt_count = 0;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static bool ordered(const toucher *t, uint32_t lane, const trace *other) {
    checked_cluster *c = t->cluster;
    if (other->cluster == t->number)
        return clocks_before_all(&c->clocks, stamp_of(other->clock, other->agent, other->lane, STRENGTH_WEAK),
                                 other->lanes, t->agent, lane);
    return c->run != NULL && grid_order_ordered(c->launch->order, c->run, &c->clocks, t->agent, other->cluster - 1,
                                                other->agent, other->clock);
}

static bool strong(uint8_t how, bool near) {
    return (how & HOW_STRENGTH) != STRENGTH_WEAK && (near || !(how & HOW_BLOCK));
}

static bool conflicts(const toucher *t, uint32_t lane, uint8_t how, const trace *other) {
    if (other->cluster == 0 || (other->how & how & HOW_BYTES(15)) == 0) return false;
    const bool near = other->cluster == t->number;
    if (strong(how, near) && strong(other->how, near)) return false;
    return !ordered(t, lane, other);
}

/* Has the lane read what the word's latest strong write left? Then the access comes after that write. */
static bool seen(const toucher *t, uint32_t lane, const word *w) {
    if ((w->write.how & HOW_STRENGTH) == STRENGTH_WEAK) return false;
    for (int k = 0; k < 2; k++)
        if (w->reads[k].cluster != 0 && (w->reads[k].how & HOW_STRENGTH) != STRENGTH_WEAK &&
            ordered(t, lane, &w->reads[k]))
            return true;
    return false;
}

/* A write to the word that nothing orders with the access, or NULL. */
static const trace *unordered_write(const toucher *t, uint32_t lane, uint8_t how, const word *w, const hidden_word *h) {
    if (conflicts(t, lane, how, &w->write)) return seen(t, lane, w) ? NULL : &w->write;
    if (h == NULL || seen(t, lane, w)) return NULL;
    if (conflicts(t, lane, how, &h->weak)) return &h->weak;
    for (int k = 0; k < 2; k++)
        if (conflicts(t, lane, how, &h->strong[k])) return &h->strong[k];
    return NULL;
}

/* Compares the access with the word's history. False if there was a finding or a doubt. */
static bool look(const toucher *t, uint32_t lane, uint8_t how, uint64_t address, const word *w, const hidden_word *h) {
    if (t->kind != ACCESS_READ)
        for (int k = 0; k < 2; k++)
            if (conflicts(t, lane, how, &w->reads[k])) {
                say(t, lane, address, &w->reads[k], true);
                return false;
            }
    const trace *other = unordered_write(t, lane, how, w, h);
    if (other == NULL) return true;
    if (t->kind == ACCESS_WRITE && !t->later && doubt_count < MOST_DOUBTS) {
        doubt *d = &doubts[doubt_count++];
        checked_doubts = true;
        *d = (doubt){*t, lane, address, *other, {0}};
        memcpy(d->before, (const void *)(uintptr_t)address, t->bytes < 4 ? t->bytes : 4);
    } else {
        say(t, lane, address, other, false);
    }
    return false;
}

/* Is it an access by the same agent to the same bytes? */
static bool alike(const trace *r, const trace *mine) {
    return r->cluster == mine->cluster && r->agent == mine->agent && ((r->how ^ mine->how) & HOW_BYTES(15)) == 0;
}

/* Adds an access by a lane of the same agent. The weaker of the two is what conflicts. */
static void merge(trace *noted, const trace *mine) {
    const uint32_t who = noted->lane;
    const uint32_t lanes = (who == MANY_LANES ? noted->lanes : 1u << who) | 1u << mine->lane;
    const bool weaker = (noted->how & HOW_STRENGTH) < (mine->how & HOW_STRENGTH);
    const uint8_t how = weaker ? noted->how : mine->how;
    *noted = *mine;
    noted->lane = (lanes & (lanes - 1)) != 0 ? MANY_LANES : mine->lane;
    noted->lanes = lanes;
    noted->how = how;
}

/* Keeps the first and the latest access, or two by lanes of one agent that have not met in between. */
static void note(const toucher *t, const trace *mine, trace noted[2]) {
    int empty = -1, past = -1, other = -1;
    for (int k = 0; k < 2; k++) {
        trace *r = &noted[k];
        if (r->cluster == 0) {
            if (empty < 0) empty = k;
        } else if (alike(r, mine)) {
            if (r->clock == mine->clock) {
                merge(r, mine);
                return;
            }
            if (ordered(t, mine->lane, r))
                past = k;
            else
                other = k;
        }
    }
    if (past >= 0)
        noted[past] = *mine;
    else if (empty >= 0)
        noted[empty] = *mine;
    else if (other >= 0)
        merge(&noted[other], mine);
    else
        noted[noted[0].cluster == t->number && ordered(t, mine->lane, &noted[0]) ? 0 : 1] = *mine;
}

/* A strong or atomic write is about to replace the latest write. */
static void hide(const toucher *t, const trace *mine, word *w, hidden_word *h) {
    if (w->write.cluster != 0 && (w->write.how & HOW_STRENGTH) == STRENGTH_WEAK) h->weak = w->write;
    if (t->learns) h->strong[0] = h->strong[1] = (trace){0};
    note(t, mine, h->strong);
}

static void note_write(const trace *mine, word *w) {
    trace as = *mine;
    const trace *old = &w->write;
    if (old->cluster == as.cluster && old->agent == as.agent && old->clock == as.clock && old->lane == as.lane)
        as.how |= old->how & HOW_BYTES(15); /* one lane writes a word in parts */
    w->write = as;
    for (int k = 0; k < 2; k++) /* a weak read still races with later strong writes */
        if ((as.how & HOW_STRENGTH) == STRENGTH_WEAK || (w->reads[k].how & HOW_STRENGTH) != STRENGTH_WEAK)
            w->reads[k] = (trace){0};
}

static uint8_t bytes_of(uint64_t address, unsigned bytes) {
    return bytes >= 4 ? HOW_BYTES(15) : HOW_BYTES((((1u << bytes) - 1) << address % 4) & 15);
}

/* The words of a lane's access, whose parts are locked: LOOK compares it with their history and notes a read, PUT notes
 * a write. False if there was a finding or a doubt; after one, `quiet`, nothing more is compared. */
typedef enum touch_part { LOOK, PUT, LOOK_AND_PUT } touch_part;
static bool touch(const toucher *t, const shadow *s, uint32_t lane, uint64_t address, uint64_t bytes,
                  touch_part how_far, bool quiet) {
    const uint32_t launch = t->cluster->launch->serial;
    const uint8_t how = (uint8_t)(t->how | bytes_of(address, bytes < 4 ? (unsigned)bytes : 4));
    const trace mine = {t->number, t->cluster->clocks.of[t->agent].now, t->site, (uint16_t)t->agent, (uint8_t)lane, how,
                        0};
    const uint64_t from = address - s->m->base;
    for (uint64_t at = from; at < from + bytes; at = (at & ~(uint64_t)3) + 4) {
        part *p = part_at(s, at, launch);
        word *w = &s->words[at / 4];
        const hidden_word *h = p->hides == launch ? &s->hidden[at / 4] : NULL;
        if (how_far != PUT && !quiet) quiet = !look(t, lane, how, s->m->base + at, w, h);
        if (how_far == LOOK) {
            if (t->kind == ACCESS_READ) note(t, &mine, w->reads);
        } else {
            if ((how & HOW_STRENGTH) != STRENGTH_WEAK) hide(t, &mine, w, hidden_at(s, p, at, launch));
            note_write(&mine, w);
        }
    }
    return !quiet;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static bool is_red(const observed_access *a) {
    return strncmp(a->function->source->instructions[a->i->pc].opcode, "red", 3) == 0;
}

/* The order that a strong access makes: before it is executed what it releases, afterwards what it acquires. */
static void order(const observed_access *a, checked_cluster *c, uint32_t agent, bool after) {
    const bool both = a->order == ORDER_ACQUIRE_RELEASE, wide = a->scope >= SCOPE_GPU;
    const bool fences = both || a->order == (after ? ORDER_ACQUIRE : ORDER_RELEASE);
    const bool reads = a->kind != ACCESS_WRITE && !(a->kind == ACCESS_ATOMIC && is_red(a));
    if (after ? !reads : a->kind == ACCESS_READ) return;
    if (__atomic_load_n(&c->launch->order, __ATOMIC_ACQUIRE) == NULL && !fences)
        return; /* no thread has released anything */
    run *r = run_of(c);
    grid_order *b = c->launch->order;
    if (!after && fences) grid_order_fence(b, r, &c->clocks, agent, wide);
    uint64_t last = 0;
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint64_t address = a->address[__builtin_ctz(left)];
        if (address != last) grid_order_access(b, r, &c->clocks, agent, &(strong_access){address, after, !after});
        last = address;
    }
    if (after && fences) grid_order_fence(b, r, &c->clocks, agent, wide);
}

/* The same for the lanes of its warp among themselves. */
static void order_lanes(const observed_access *a, clocks *c, uint32_t agent) {
    flag_access its = flag_access_of(a);
    its.reads = its.reads && !(a->kind == ACCESS_ATOMIC && is_red(a));
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        its.key = a->address[lane];
        clocks_lane_flag(c, agent, lane, &its);
    }
}

static void touch_lanes(const toucher *t, const observed_access *a, const places *p, touch_part how_far) {
    for (uint32_t left = p->mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        touch(t, &p->of[l], l, a->address[l], a->bytes, how_far, false);
    }
}

static toucher toucher_of(const observed_access *a) {
    checked_cluster *c = checked(a->w->block)->cluster;
    const strength s = strength_of(a);
    return (toucher){.cluster = c,
                     .w = a->w,
                     .function = a->function,
                     .pc = a->i->pc,
                     .agent = agent_of(a->w),
                     .number = c->number + 1,
                     .site = site_number(c->launch, a->function, a->i->pc),
                     .how = (uint8_t)(s | (s != STRENGTH_WEAK && a->scope < SCOPE_GPU ? HOW_BLOCK : 0)),
                     .kind = a->kind,
                     .learns = a->function->watch[a->i->pc].learns,
                     .bytes = a->bytes,
                     .verb = a->kind == ACCESS_READ    ? "reads"
                             : a->kind == ACCESS_WRITE ? "writes"
                                                       : "changes"};
}

/* The parts stay locked from the look at what others noted to the note of a write: of two host threads that write the
 * same word one finds the other. Who waits for writes meanwhile (await_values) waits for threads that have all their
 * locks, and their turn. */
void global_touch(const observed_access *a) {
    const toucher t = toucher_of(a);
    const bool strong = (t.how & HOW_STRENGTH) != STRENGTH_WEAK;
    const int in_doubt = doubt_count;
    places p;
    find_places(a, &p);
    if (strong && a->kind != ACCESS_READ) writing_turn(a->w);
    lock_places(&p);
    if (a->kind != ACCESS_ATOMIC) touch_lanes(&t, a, &p, LOOK);
    await_values(a->w, in_doubt, t.number);
    if (a->kind != ACCESS_READ) {
        writing_begins(a->w);
        /* An atomic operation is never in doubt. */
        touch_lanes(&t, a, &p, a->kind == ACCESS_ATOMIC ? LOOK_AND_PUT : PUT);
    }
    unlock_places(&p);
    if (strong) order(a, t.cluster, t.agent, false);
}

/* A read looks again after the access: what another host thread has noted in between came first. */
void global_done(const observed_access *a) {
    const toucher t = toucher_of(a);
    if (a->kind == ACCESS_READ) {
        places p;
        find_places(a, &p);
        lock_places(&p);
        touch_lanes(&t, a, &p, LOOK);
        unlock_places(&p);
    }
    order(a, t.cluster, t.agent, true);
    order_lanes(a, &t.cluster->clocks, t.agent);
}

void global_touch_range(const global_range *r) {
    checked_cluster *c = checked(r->w->block)->cluster;
    const memory_allocation *m = memory_find(r->address);
    shadow s;
    if (m == NULL || m->kind == MEMORY_CONSTANT || r->address - m->base + r->bytes > m->size) return;
    if (!memory_may_change(m, r->address, r->bytes)) {
        if (r->kind == ACCESS_READ) return;
        memory_changes(r->address, r->address + r->bytes);
    }
    if (!shadow_of(m, &s)) return;
    const toucher t = {.cluster = c,
                       .w = r->w,
                       .function = r->function,
                       .pc = r->pc,
                       .agent = agent_of(r->w),
                       .number = c->number + 1,
                       .site = site_number(c->launch, r->function, r->pc),
                       .how = r->kind == ACCESS_ATOMIC ? STRENGTH_ATOMIC : STRENGTH_WEAK,
                       .kind = r->kind,
                       .later = true,
                       .bytes = (unsigned)r->bytes,
                       .verb = r->verb};
    /* Both at once, so that of two copies by two host threads one finds the other. */
    const touch_part how_far = r->kind == ACCESS_READ ? LOOK : LOOK_AND_PUT;
    const uint64_t end = r->address + r->bytes, mask = (1u << PART_SHIFT) - 1;
    bool quiet = false;
    for (uint64_t at = r->address, next; at < end; at = next) {
        part *p = &s.parts[(at - m->base) >> PART_SHIFT];
        next = m->base + (((at - m->base) | mask) + 1);
        if (next > end) next = end;
        lock_part(p);
        quiet = !touch(&t, &s, r->lane, at, next - at, how_far, quiet);
        unlock_part(p);
    }
}

void global_forget(const warp *w, uint64_t address, uint64_t bytes) {
    const checked_launch *l = checked(w->block)->cluster->launch;
    const memory_allocation *m = memory_find(address);
    shadow s;
    if (m == NULL || !shadow_of(m, &s)) return;
    memory_changes(address, address + bytes);
    for (uint64_t at = address - m->base; at < address - m->base + bytes; at += 4) {
        part *p = &s.parts[at >> PART_SHIFT];
        lock_part(p);
        part_at(&s, at, l->serial);
        s.words[at / 4] = (word){0};
        if (p->hides == l->serial) s.hidden[at / 4] = (hidden_word){0};
        unlock_part(p);
    }
}

/* ---- what orders ------------------------------------------------------------------------------------------------- */

static bool is_wide_fence(const warp *w) {
    const function *f = w->frame->function;
    const char *opcode = f->source->instructions[w->pc - 1].opcode;
    return strstr(opcode, ".cta") == NULL && strstr(opcode, ".cluster") == NULL;
}

void global_sync(const observed_sync *s) {
    checked_cluster *c = checked(s->b)->cluster;
    if (s->kind == SYNC_FENCE) {
        run *r = run_of(c); /* this makes c->launch->order */
        grid_order_fence(c->launch->order, r, &c->clocks, agent_of(s->w), is_wide_fence(s->w));
        return;
    }
    if (c->run == NULL) return;
    grid_order *b = c->launch->order;
    const uint32_t barrier = s->b->rank << 4 | (s->id & 15);
    if (s->kind == SYNC_BARRIER_ARRIVE) grid_order_meet(b, c->run, agent_of(s->w), barrier, true);
    if (s->kind == SYNC_BARRIER_PASS) grid_order_meet(b, c->run, agent_of(s->w), barrier, false);
    if (s->kind == SYNC_BARRIER_DONE) grid_order_met(b, c->run, barrier);
}
