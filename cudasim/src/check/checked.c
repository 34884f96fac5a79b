#include "check/checked.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/wgmma.h"

_Thread_local bool checked_doubts;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- places in the code ------------------------------------------------------------------------------------------ */

uint32_t site_number(checked_launch *l, const function *f, uint32_t pc) {
    uint32_t count = __atomic_load_n(&l->function_count, __ATOMIC_ACQUIRE), n = 0;
    while (n < count && l->functions[n] != f) n++;
    if (n == count) {
        pthread_mutex_lock(&lock);
        for (n = 0; n < l->function_count && l->functions[n] != f;) n++;
        if (n == l->function_count && n < MOST_CHECKED_FUNCTIONS - 1) {
            l->functions[n] = f;
            __atomic_store_n(&l->function_count, n + 1, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&lock);
    }
    return n << SITE_FUNCTION_SHIFT | (pc & ((1u << SITE_FUNCTION_SHIFT) - 1));
}

site site_at(const checked_launch *l, uint32_t number) {
    const uint32_t n = number >> SITE_FUNCTION_SHIFT;
    if (n >= l->function_count) return (site){l->la->entry, 0};
    return (site){l->functions[n], number & ((1u << SITE_FUNCTION_SHIFT) - 1)};
}

/* ---- meetings ---------------------------------------------------------------------------------------------------- */

static bool meeting_make(meeting *m, uint32_t agents) {
    m->coming = calloc((size_t)agents * 2, sizeof *m->coming);
    m->met = m->coming != NULL ? m->coming + agents : NULL;
    return m->coming != NULL;
}

void meeting_forget(meeting *m, const clocks *c) {
    memset(m->coming, 0, (size_t)c->agents * 2 * sizeof *m->coming);
}

meeting *meeting_find(meetings *m, uint64_t key) {
    if (m->last < m->count && m->list[m->last].key == key) return &m->list[m->last];
    for (uint32_t k = 0; k < m->count; k++)
        if (m->list[k].key == key) {
            m->last = k;
            return &m->list[k];
        }
    return NULL;
}

meeting *meeting_at(meetings *m, uint64_t key, const clocks *c) {
    meeting *found = meeting_find(m, key);
    if (found != NULL) return found;
    if (m->count == m->room) {
        const uint32_t room = m->room ? 2 * m->room : 16;
        meeting *list = realloc(m->list, room * sizeof *list);
        if (list == NULL) return NULL;
        m->list = list;
        m->room = room;
    }
    found = &m->list[m->count];
    if (m->count == m->made) {
        if (!meeting_make(found, c->agents)) return NULL;
        m->made++;
    }
    meeting_forget(found, c);
    found->key = key;
    m->count++;
    return found;
}

static void meetings_free(meetings *m) {
    for (uint32_t k = 0; k < m->made; k++) free(m->list[k].coming);
    free(m->list);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* The fewest bytes that an access of the function, or of one that it calls, goes to shared memory with; at most 4. */
static uint32_t least_access(const function *f, int depth) {
    uint32_t least = 4;
    const function *watched = f->watch != NULL ? f : f->watched;
    if (watched == NULL || depth > 64) return 1;
    for (int k = 0; k < f->source->instruction_count; k++) {
        const ptx_space space = (ptx_space)f->code[k].space;
        const watched_insn *i = &watched->watch[k];
        const bool shared = space == PTX_NO_SPACE || space == PTX_SHARED || space == PTX_SHARED_CLUSTER;
        if (i->what != WATCH_NOTHING && i->what != WATCH_ASYNC && shared && i->bytes < least && i->bytes > 0)
            least = i->bytes;
    }
    for (int k = 0; k < f->call_count && least > 1; k++) {
        if (f->calls[k].builtin != BUILTIN_NONE) continue;
        const uint32_t its = f->calls[k].callee != NULL ? least_access(f->calls[k].callee, depth + 1) : 1;
        least = its < least ? its : least;
    }
    return least;
}

/* Does the function, or one that it calls, contain a wgmma? */
static bool has_wgmma(const function *f, int depth) {
    if (f->wgmma != NULL || depth > 64) return true;
    for (int k = 0; k < f->call_count; k++)
        if (f->calls[k].builtin == BUILTIN_NONE &&
            (f->calls[k].callee == NULL || has_wgmma(f->calls[k].callee, depth + 1)))
            return true;
    return false;
}

checked_launch *checked_launch_new(launch *la) {
    checked_launch *l = calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    l->writing = calloc((size_t)la->worker_count, sizeof *l->writing);
    if (l->writing == NULL) {
        free(l);
        return NULL;
    }
    l->la = la;
    l->unit = least_access(la->entry, 0);
    l->warps = (la->threads + LANES - 1) / LANES;
    l->groups = has_wgmma(la->entry, 0) ? l->warps / WARPGROUP : 0;
    l->each = l->warps + 1 + l->groups;
    return l;
}

void checked_launch_free(checked_launch *l) {
    while (l->blocks != NULL) {
        checked_block *b = l->blocks;
        l->blocks = b->next;
        cells_free(&b->cells);
        for (int k = 0; k < BARRIERS; k++) free(b->barriers[k].coming);
        free(b->exited.coming);
        for (int n = 0; b->warps != NULL && n < b->warp_count; n++) {
            poison_free(&b->warps[n].poisons);
            free(b->warps[n].reads);
            free(b->warps[n].assigned);
            if (b->warps[n].unwritten != NULL) munmap(b->warps[n].unwritten, b->warps[n].unwritten_bytes);
        }
        free(b->warps);
        meetings_free(&b->mbarriers);
        meetings_free(&b->flags);
        free(b->wgmmas);
        free(b);
    }
    while (l->clusters != NULL) {
        checked_cluster *c = l->clusters;
        l->clusters = c->next;
        clocks_free(&c->clocks);
        free(c->barrier.coming);
        free(c);
    }
    free(l->writing);
    free(l);
}

static checked_block *block_new(checked_launch *l, checked_cluster *cluster, block *b) {
    checked_block *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    const uint32_t agents = cluster->clocks.agents;
    c->block = b;
    c->warp_count = b->warp_count;
    c->first_agent = b->rank * l->each;
    c->warps = calloc((size_t)b->warp_count, sizeof *c->warps);
    c->cluster = cluster;
    bool ok = c->warps != NULL && cells_make(&c->cells, b->shared_end, l->unit) && meeting_make(&c->exited, agents);
    if (l->groups > 0) ok = ok && (c->wgmmas = calloc(l->groups, sizeof *c->wgmmas)) != NULL;
    c->cells.readers = l->groups;
    c->cells.first_reader = c->first_agent + l->warps + 1;
    for (int k = 0; k < BARRIERS; k++) ok = ok && meeting_make(&c->barriers[k], agents);
    pthread_mutex_lock(&lock);
    c->next = l->blocks;
    l->blocks = c;
    pthread_mutex_unlock(&lock);
    return ok ? c : NULL;
}

static bool cluster_make(checked_launch *l, block *b) {
    checked_cluster *c = calloc(1, sizeof *c);
    if (c == NULL) return false;
    c->launch = l;
    pthread_mutex_lock(&lock);
    c->next = l->clusters;
    l->clusters = c;
    pthread_mutex_unlock(&lock);
    const uint32_t agents = b->cluster->size * l->each;
    if (!clocks_make(&c->clocks, agents) || !meeting_make(&c->barrier, agents)) return false;
    checked_block *made[MOST_CLUSTER];
    for (uint32_t r = 0; r < b->cluster->size; r++)
        if ((made[r] = block_new(l, c, b->cluster->blocks[r])) == NULL) return false;
    for (uint32_t r = 0; r < b->cluster->size; r++) b->cluster->blocks[r]->checks = made[r];
    return true;
}

bool checked_begin(checked_launch *l, block *b) {
    if (b->checks == NULL && !cluster_make(l, b)) return false;
    checked_block *c = checked(b);
    if (b->rank == 0) {
        clocks_begin(&c->cluster->clocks);
        meeting_forget(&c->cluster->barrier, &c->cluster->clocks);
    }
    for (int k = 0; k < BARRIERS; k++) meeting_forget(&c->barriers[k], &c->cluster->clocks);
    meeting_forget(&c->exited, &c->cluster->clocks);
    c->mbarriers.count = c->flags.count = 0;
    for (int n = 0; n < c->warp_count; n++) {
        poison_clear(&c->warps[n].poisons);
        c->warps[n].read_count = 0;
        c->warps[n].left_out.lanes = 0;
        const size_t loose = (size_t)b->launch->entry->loose_count + 1;
        if (c->warps[n].assigned == NULL) c->warps[n].assigned = malloc(loose * sizeof(uint32_t));
        if (c->warps[n].assigned == NULL) return false;
        memset(c->warps[n].assigned, 0, loose * sizeof(uint32_t));
    }
    return true;
}
