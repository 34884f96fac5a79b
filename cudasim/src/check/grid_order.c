#include "check/grid_order.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BARRIERS_TOLD 256 /* of a cluster: rank << 4 | id */

/* What an agent had fenced when it wrote. `wide`: for everybody; `near`: for the agents of its own cluster. */
typedef struct release {
    run *by;
    struct release *next; /* all of them, to free */
    const void *latest_at;
    uint32_t acquired; /* acquisitions of the cluster by then */
    uint32_t clocks[]; /* wide, then near, of all agents */
} release;

typedef struct location {
    uint64_t address; /* 0: none */
    release **log;
    uint32_t count, room;
    uint64_t search; /* of the latest search that came here, and up to where in the log */
    uint32_t searched;
} location;

typedef struct acquisition {
    location *from;
    uint32_t count, agent, clock;
} acquisition;

/* What a strong read has shown an agent: entries of a log. It knows of them after its next fence, and so do those who
 * meet it at a barrier in between, and fence then. */
typedef struct sight {
    location *of;
    uint32_t seen, agent, clock;
} sight;
typedef struct taken { /* of a sight by an agent: for all purposes, or within the cluster */
    uint32_t wide, near;
} taken;

typedef struct run_agent {
    uint32_t *fenced; /* wide, then near; NULL: it never has */
    bool dirty;       /* since the latest release */
    release *latest;
    taken *taken; /* by sight */
    uint32_t taken_room;
    uint32_t *found; /* what the latest search has found: clocks by run and agent */
    uint32_t found_runs, found_version, found_acquired;
} run_agent;

struct run {
    run *next;
    uint32_t number, index; /* in the grid, among those that have a release */
    run_agent *of;
    acquisition *acquired;
    uint32_t acquired_count, acquired_room;
    sight *sights;
    uint32_t sight_count, sight_room;
    uint32_t *meeting[BARRIERS_TOLD]; /* what those who have arrived had fenced */
};

struct grid_order {
    pthread_mutex_t lock;
    uint32_t agents;
    run **runs; /* by number */
    uint64_t clusters;
    uint32_t run_count; /* with an index */
    release *releases;
    location **table; /* by hash; locations stay where they are */
    uint32_t table_size, location_count;
    uint64_t search;
    struct step {
        location *of;
        uint32_t count;
    } * steps; /* a search's stack */
    uint32_t step_count, step_room;
};

static void *made(void *p) {
    if (p != NULL) return p;
    fputs("cudasim: the host has no memory for the checks (CUDASIM_CHECK=0 runs without)\n", stderr);
    _exit(3);
}

/* The items, with room for one more than `count`. */
static void *with_room(void *items, uint32_t count, uint32_t *room, uint32_t least, size_t size) {
    if (count < *room) return items;
    *room = *room != 0 ? 2 * *room : least;
    return made(realloc(items, *room * size));
}

grid_order *grid_order_new(uint32_t agents, uint64_t clusters) {
    grid_order *b = made(calloc(1, sizeof *b));
    b->agents = agents;
    b->clusters = clusters;
    pthread_mutex_init(&b->lock, NULL);
    b->runs = made(calloc(clusters + 1, sizeof *b->runs));
    return b;
}

static void agents_free(grid_order *b, run *r) {
    for (uint32_t k = 0; r->of != NULL && k < b->agents; k++) {
        free(r->of[k].fenced);
        free(r->of[k].taken);
        free(r->of[k].found);
    }
    free(r->of);
    free(r->sights);
    r->of = NULL;
    r->sights = NULL;
    for (int k = 0; k < BARRIERS_TOLD; k++) {
        free(r->meeting[k]);
        r->meeting[k] = NULL;
    }
}

void grid_order_free(grid_order *b) {
    if (b == NULL) return;
    for (uint64_t k = 0; k <= b->clusters; k++) {
        if (b->runs[k] == NULL) continue;
        agents_free(b, b->runs[k]);
        free(b->runs[k]->acquired);
        free(b->runs[k]);
    }
    while (b->releases != NULL) {
        release *next = b->releases->next;
        free(b->releases);
        b->releases = next;
    }
    for (uint32_t k = 0; k < b->table_size; k++) {
        if (b->table[k] == NULL) continue;
        free(b->table[k]->log);
        free(b->table[k]);
    }
    free(b->table);
    free(b->steps);
    free(b->runs);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

run *grid_order_begin(grid_order *b, uint32_t number) {
    run *r = made(calloc(1, sizeof *r));
    r->number = number;
    r->index = UINT32_MAX;
    r->of = made(calloc(b->agents, sizeof *r->of));
    pthread_mutex_lock(&b->lock);
    b->runs[number < b->clusters ? number : b->clusters] = r;
    pthread_mutex_unlock(&b->lock);
    return r;
}

void grid_order_end(grid_order *b, run *r) {
    pthread_mutex_lock(&b->lock);
    agents_free(b, r);
    pthread_mutex_unlock(&b->lock);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static location **slot_of(location **table, uint32_t size, uint64_t address) {
    uint32_t k = (uint32_t)(address * 0x9e3779b97f4a7c15u >> 40) & (size - 1);
    while (table[k] != NULL && table[k]->address != address) k = (k + 1) & (size - 1);
    return &table[k];
}

static location *find(const grid_order *b, uint64_t address) {
    return b->location_count > 0 ? *slot_of(b->table, b->table_size, address) : NULL;
}

static location *find_or_make(grid_order *b, uint64_t address) {
    if (2 * b->location_count >= b->table_size) {
        const uint32_t size = b->table_size != 0 ? 2 * b->table_size : 64;
        location **larger = made(calloc(size, sizeof(location *)));
        for (uint32_t k = 0; k < b->table_size; k++)
            if (b->table[k] != NULL) *slot_of(larger, size, b->table[k]->address) = b->table[k];
        free(b->table);
        b->table = larger;
        b->table_size = size;
    }
    location **slot = slot_of(b->table, b->table_size, address);
    if (*slot == NULL) {
        *slot = made(calloc(1, sizeof **slot));
        (*slot)->address = address;
        b->location_count++;
    }
    return *slot;
}

/* ---- releases and acquisitions ----------------------------------------------------------------------------------- */

static uint32_t *fenced_of(grid_order *b, run_agent *a) {
    if (a->fenced == NULL) a->fenced = made(calloc((size_t)b->agents * 2, sizeof *a->fenced));
    return a->fenced;
}

static void acquire(grid_order *b, run *r, clocks *c, uint32_t agent, const sight *s, taken *t, bool wide) {
    for (uint32_t k = t->near; k < s->seen; k++) /* of its own cluster */
        if (s->of->log[k]->by == r) clocks_acquire(c, agent, s->of->log[k]->clocks + b->agents);
    t->near = s->seen;
    if (!wide || t->wide >= s->seen) return;
    t->wide = s->seen;
    r->acquired = with_room(r->acquired, r->acquired_count, &r->acquired_room, 8, sizeof *r->acquired);
    r->acquired[r->acquired_count++] = (acquisition){s->of, s->seen, agent, c->of[agent].now++};
}

static void acquire_all(grid_order *b, run *r, clocks *c, uint32_t agent, bool wide) {
    run_agent *a = &r->of[agent];
    if (a->taken_room < r->sight_count) {
        a->taken = made(realloc(a->taken, r->sight_room * sizeof *a->taken));
        memset(a->taken + a->taken_room, 0, (r->sight_room - a->taken_room) * sizeof *a->taken);
        a->taken_room = r->sight_room;
    }
    for (uint32_t k = 0; k < r->sight_count; k++) {
        const sight *s = &r->sights[k];
        if (s->agent == agent || s->clock < c->of[agent].known[s->agent])
            acquire(b, r, c, agent, s, &a->taken[k], wide);
    }
}

void grid_order_fence(grid_order *b, run *r, clocks *c, uint32_t agent, bool wide) {
    pthread_mutex_lock(&b->lock);
    run_agent *a = &r->of[agent];
    acquire_all(b, r, c, agent, wide);
    uint32_t *fenced = fenced_of(b, a);
    c->of[agent].now++;
    for (uint32_t k = 0; k < b->agents; k++) {
        const uint32_t known = k == agent ? c->of[agent].now : c->of[agent].known[k];
        fenced[b->agents + k] = known;
        if (wide) fenced[k] = known;
    }
    a->dirty = true;
    pthread_mutex_unlock(&b->lock);
}

static void publish(grid_order *b, run *r, uint32_t agent, uint64_t address) {
    run_agent *a = &r->of[agent];
    location *l = find_or_make(b, address);
    if (!a->dirty && a->latest != NULL && a->latest->latest_at == l) return;
    if (a->dirty || a->latest == NULL) {
        release *new = made(malloc(sizeof *new + (size_t)b->agents * 2 * sizeof(uint32_t)));
        *new = (release){.by = r, .next = b->releases, .acquired = r->acquired_count};
        memcpy(new->clocks, a->fenced, (size_t)b->agents * 2 * sizeof(uint32_t));
        b->releases = a->latest = new;
        a->dirty = false;
        if (r->index == UINT32_MAX) r->index = b->run_count++;
    }
    a->latest->latest_at = l;
    l->log = with_room(l->log, l->count, &l->room, 4, sizeof *l->log);
    l->log[l->count++] = a->latest;
}

static void see(run *r, clocks *c, uint32_t agent, location *l) {
    uint32_t k = 0;
    while (k < r->sight_count && (r->sights[k].of != l || r->sights[k].agent != agent)) k++;
    if (k == r->sight_count) {
        r->sights = with_room(r->sights, r->sight_count, &r->sight_room, 4, sizeof *r->sights);
        r->sights[r->sight_count++] = (sight){.of = l, .agent = agent};
    }
    if (r->sights[k].seen == l->count) return;
    r->sights[k].seen = l->count;
    r->sights[k].clock = c->of[agent].now++;
}

void grid_order_access(grid_order *b, run *r, clocks *c, uint32_t agent, const strong_access *s) {
    pthread_mutex_lock(&b->lock);
    location *l = s->reads ? find(b, s->address) : NULL;
    if (l != NULL && l->count > 0) see(r, c, agent, l);
    if (s->writes && r->of[agent].fenced != NULL) publish(b, r, agent, s->address);
    pthread_mutex_unlock(&b->lock);
}

void grid_order_meet(grid_order *b, run *r, uint32_t agent, uint32_t barrier, bool arrives) {
    run_agent *a = &r->of[agent];
    uint32_t **at = &r->meeting[barrier % BARRIERS_TOLD];
    if (arrives && a->fenced != NULL) {
        if (*at == NULL) *at = made(calloc((size_t)b->agents * 2, sizeof **at));
        known_join(*at, a->fenced, 2 * b->agents);
    } else if (!arrives && *at != NULL) {
        known_join(fenced_of(b, a), *at, 2 * b->agents);
        a->dirty = true;
    }
}

void grid_order_met(grid_order *b, run *r, uint32_t barrier) {
    free(r->meeting[barrier % BARRIERS_TOLD]);
    r->meeting[barrier % BARRIERS_TOLD] = NULL;
}

/* ---- what has happened before ------------------------------------------------------------------------------------ */

static void go_to(grid_order *b, const acquisition *a) {
    b->steps = with_room(b->steps, b->step_count, &b->step_room, 64, sizeof *b->steps);
    b->steps[b->step_count++] = (struct step){a->from, a->count};
}

static void search_from(grid_order *b, uint32_t *found, const release *r) {
    known_join(found + (size_t)r->by->index * b->agents, r->clocks, b->agents);
    for (uint32_t k = 0; k < r->acquired; k++) {
        const acquisition *a = &r->by->acquired[k];
        if (a->clock < r->clocks[a->agent]) go_to(b, a);
    }
}

/* Makes room for what a search of the agent's finds. */
static void search_begin(grid_order *b, run_agent *a) {
    if (a->found_runs < b->run_count) {
        a->found = made(realloc(a->found, (size_t)b->run_count * b->agents * sizeof *a->found));
        memset(a->found + (size_t)a->found_runs * b->agents, 0,
               (size_t)(b->run_count - a->found_runs) * b->agents * sizeof *a->found);
        a->found_runs = b->run_count;
    }
    b->search++;
}

static void search_on(grid_order *b, run_agent *a) {
    while (b->step_count > 0) {
        const struct step s = b->steps[--b->step_count];
        uint32_t k = s.of->search == b->search ? s.of->searched : 0;
        s.of->search = b->search;
        if (s.count > k)
            s.of->searched = s.count;
        else
            s.of->searched = k;
        for (; k < s.count; k++) search_from(b, a->found, s.of->log[k]);
    }
}

/* The clocks of all agents of all clusters that this one knows of. */
static void search(grid_order *b, run *r, const clocks *c, uint32_t agent) {
    run_agent *a = &r->of[agent];
    search_begin(b, a);
    for (uint32_t k = 0; k < r->acquired_count; k++) {
        const acquisition *q = &r->acquired[k];
        if (q->agent == agent || q->clock < c->of[agent].known[q->agent]) go_to(b, q);
    }
    search_on(b, a);
}

static bool has_found(const grid_order *b, const run_agent *a, const run *other, uint32_t agent, uint32_t clock) {
    return other->index < a->found_runs && clock < a->found[(size_t)other->index * b->agents + agent];
}

bool grid_order_ordered(grid_order *b, run *r, const clocks *c, uint32_t agent, uint32_t number, uint32_t other,
                        uint32_t clock) {
    pthread_mutex_lock(&b->lock);
    const run *by = b->runs[number < b->clusters ? number : b->clusters];
    run_agent *a = &r->of[agent];
    bool ordered = false;
    if (by != NULL && by->index != UINT32_MAX && r->acquired_count > 0) {
        ordered = has_found(b, a, by, other, clock);
        const uint32_t version = c->of[agent].version;
        if (!ordered && (a->found_version != version || a->found_acquired != r->acquired_count)) {
            search(b, r, c, agent);
            a->found_version = version;
            a->found_acquired = r->acquired_count;
            ordered = has_found(b, a, by, other, clock);
        }
    }
    pthread_mutex_unlock(&b->lock);
    return ordered;
}

/* Would the agent know of it with a fence now? */
static bool found_with_a_fence(grid_order *b, run *r, const clocks *c, uint32_t agent, const run *by, uint32_t other,
                               uint32_t clock) {
    run_agent *a = &r->of[agent];
    search_begin(b, a);
    for (uint32_t k = 0; k < r->sight_count; k++) {
        const sight *s = &r->sights[k];
        if (s->agent != agent && s->clock >= c->of[agent].known[s->agent]) continue;
        go_to(b, &(acquisition){.from = s->of, .count = s->seen});
    }
    search_on(b, a);
    const bool found = has_found(b, a, by, other, clock);
    free(a->found); /* it does not know so much */
    a->found = NULL;
    a->found_runs = a->found_version = a->found_acquired = 0;
    return found;
}

fence_wanted grid_order_fence_wanted(grid_order *b, run *r, const clocks *c, uint32_t agent, uint32_t number,
                                     uint32_t other, uint32_t clock) {
    pthread_mutex_lock(&b->lock);
    const run *by = b->runs[number < b->clusters ? number : b->clusters];
    fence_wanted wanted = FENCE_UNKNOWN;
    bool released = false;
    for (const release *k = b->releases; k != NULL && by != NULL && !released; k = k->next)
        released = k->by == by && clock < k->clocks[other];
    if (released && found_with_a_fence(b, r, c, agent, by, other, clock))
        wanted = FENCE_HERE;
    else if (!released && r->acquired_count > 0)
        wanted = FENCE_THERE;
    pthread_mutex_unlock(&b->lock);
    return wanted;
}
