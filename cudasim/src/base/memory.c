/* The arena and the tables of live allocations.
 *
 * memory_find is called for every access of a simulated kernel, so it takes no lock: it reads a sorted table that is
 * published atomically. Addresses are given out in increasing order, so a new allocation is mostly appended in place
 * (the entry first, then the count); a free clears the entry's `live`. Whatever else changes a table replaces it by a
 * copy, and the old one, which a reader may still hold, is freed in memory_quiesce.
 */
/* long: all that reads and changes these tables without a lock stands beside what does it under one */
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/device_model.h"

#define PAGE         4096ull
#define HUGE_PAGE    (2ull << 20)
#define FIRST_OFFSET (4ull << 30)
#define LARGE        (1ull << 20) /* from here on allocations are mapped one by one */
#define HISTORY      256          /* freed allocations remembered for messages */
#define ELSEWHERE    (2ull << 30) /* address space that the arena leaves to the rest of the process: heaps, stacks */
/* Where the arena is put if it is free there: a program's addresses, and with them what a model of caches makes of
 * them, are the same from run to run. */
#define PREFERRED (32ull << 40)

typedef struct entry {
    memory_allocation allocation;
    _Atomic bool live;
    uint64_t span; /* bytes of address space, the page after it included; 0 for registered memory */
    char *name;    /* own copy of allocation.name */
    struct entry *next;
} entry;

typedef struct table {
    struct table *next; /* among the retired */
    size_t capacity;
    _Atomic size_t count;
    size_t dead;
    entry *items[];
} table;

/* Large and small allocations have a part of the arena each, and small ones that the host may touch another one;
 * registered host memory may lie anywhere. */
enum { TABLE_LARGE, TABLE_SMALL, TABLE_SMALL_HOST, TABLE_REGISTERED, TABLES };
static _Atomic(table *) tables[TABLES];

/* A part of the arena. */
typedef struct region {
    uint64_t start, end;
    uint64_t bump;       /* the next address never given out */
    uint64_t mapped_end; /* of small allocations: all before it is memory */
} region;
static region regions[TABLE_REGISTERED];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static table *retired_tables;
static entry *dead_entries;    /* freed, their pages not yet given back */
static entry *emptied_entries; /* these given back, but still in a table */
static size_t emptied_count;
static memory_allocation history[HISTORY];
static char *history_names[HISTORY];
static size_t history_count;
static uint64_t next_serial = 1;
static uint64_t device_used;
static _Atomic bool tracking; /* which bytes have been written, for the checks */

void memory_track(bool on) {
    atomic_store(&tracking, on);
}

bool memory_tracks(void) {
    return atomic_load_explicit(&tracking, memory_order_relaxed);
}

static pthread_once_t arena_once = PTHREAD_ONCE_INIT;
static uint64_t arena_base, arena_size;

static void reserve_arena(void) {
    static const uint64_t sizes[] = {1ull << 40, 256ull << 30, 64ull << 30, 16ull << 30};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const uint64_t size = sizes[i] + HUGE_PAGE;
        uint8_t *at =
            mmap((void *)PREFERRED, size + ELSEWHERE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) continue;
        munmap(at + size, ELSEWHERE);
        arena_base = ((uint64_t)(uintptr_t)at + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
        arena_size = sizes[i];
        uint64_t start = arena_base + FIRST_OFFSET, end = arena_base + arena_size, small = end - arena_size / 4;
        uint64_t host = end - arena_size / 8;
        regions[TABLE_LARGE] = (region){.start = start, .end = small, .bump = start};
        regions[TABLE_SMALL] = (region){.start = small, .end = host, .bump = small, .mapped_end = small};
        regions[TABLE_SMALL_HOST] = (region){.start = host, .end = end, .bump = host, .mapped_end = host};
        return;
    }
    fprintf(stderr,
            "cudasim: no address space for the device's memory: it takes at least 18 GiB (ulimit -v unlimited)\n");
    _Exit(3);
}

uint64_t memory_arena(void) {
    pthread_once(&arena_once, reserve_arena);
    return arena_base;
}

bool memory_in_arena(uint64_t address) {
    uint64_t base = memory_arena();
    return address >= base && address - base < arena_size;
}

static uint64_t total_bytes_of_device(void) {
    uint64_t model = device_model_current()->memory_bytes;
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4 * 3;
    return model < host ? model : host;
}

static bool is_device_kind(memory_kind kind) {
    return kind != MEMORY_HOST;
}

/* The program's own code on the host may not touch it. */
static bool is_device_only(memory_kind kind) {
    return is_device_kind(kind) && kind != MEMORY_MANAGED;
}

/* For writers, under the lock. */
static table *table_now(int which) {
    return atomic_load_explicit(&tables[which], memory_order_relaxed);
}
static size_t count_of(const table *t) {
    return t != NULL ? atomic_load_explicit(&t->count, memory_order_relaxed) : 0;
}
static bool is_live(const entry *e) {
    return atomic_load_explicit(&e->live, memory_order_relaxed);
}

/* The next live entry of a table, from number *at on, by address; NULL: there is none. */
static entry *next_live(int which, size_t *at) {
    const table *t = table_now(which);
    while (*at < count_of(t)) {
        entry *e = t->items[(*at)++];
        if (is_live(e)) return e;
    }
    return NULL;
}

/* Index of the last entry with base <= address, or -1. */
static long last_at_or_below(const table *t, size_t count, uint64_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->items[middle]->allocation.base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (long)low - 1;
}

static int table_of(uint64_t address) {
    if (!memory_in_arena(address)) return TABLE_REGISTERED;
    if (address < regions[TABLE_SMALL].start) return TABLE_LARGE;
    return address < regions[TABLE_SMALL_HOST].start ? TABLE_SMALL : TABLE_SMALL_HOST;
}

static entry *search(uint64_t address) {
    table *t = atomic_load_explicit(&tables[table_of(address)], memory_order_acquire);
    if (!t) return NULL;
    size_t count = atomic_load_explicit(&t->count, memory_order_acquire);
    long i = last_at_or_below(t, count, address);
    if (i < 0) return NULL;
    entry *e = t->items[i];
    if (address - e->allocation.base >= e->allocation.size) return NULL;
    return atomic_load_explicit(&e->live, memory_order_acquire) ? e : NULL;
}

/* Mostly an access is where the thread's access before was: that entry is asked first, unless one was freed since. */
static _Atomic uint64_t releases = 1;

static entry *find_entry(uint64_t address) {
    static _Thread_local struct {
        uint64_t releases, base, size;
        entry *at;
    } latest;
    const uint64_t now = atomic_load_explicit(&releases, memory_order_acquire);
    if (latest.releases == now && address - latest.base < latest.size) return latest.at;
    entry *e = search(address);
    if (e != NULL) {
        latest.releases = now;
        latest.base = e->allocation.base;
        latest.size = e->allocation.size;
        latest.at = e;
    }
    return e;
}

const memory_allocation *memory_find(uint64_t address) {
    entry *e = find_entry(address);
    return e ? &e->allocation : NULL;
}

/* Replaces a table by a copy without its dead entries and with `added` in its place (NULL: none). */
static bool replace_table(int which, entry *added) {
    table *old = table_now(which);
    size_t old_count = count_of(old);
    size_t capacity = 64;
    while (capacity < 2 * (old_count + 1)) capacity *= 2;
    table *new = calloc(1, sizeof(*new) + capacity * sizeof(entry *));
    if (!new) return false;
    new->capacity = capacity;
    size_t count = 0;
    entry *e;
    for (size_t at = 0; (e = next_live(which, &at)) != NULL;) {
        if (added && added->allocation.base < e->allocation.base) {
            new->items[count++] = added;
            added = NULL;
        }
        new->items[count++] = e;
    }
    if (added) new->items[count++] = added;
    atomic_store_explicit(&new->count, count, memory_order_relaxed);
    atomic_store_explicit(&tables[which], new, memory_order_release);
    if (old) {
        old->next = retired_tables;
        retired_tables = old;
    }
    return true;
}

static bool insert(int which, entry *added) {
    table *t = table_now(which);
    if (t) {
        size_t count = count_of(t);
        bool last = count == 0 || t->items[count - 1]->allocation.base < added->allocation.base;
        if (last && count < t->capacity) {
            t->items[count] = added;
            atomic_store_explicit(&t->count, count + 1, memory_order_release);
            return true;
        }
    }
    return replace_table(which, added);
}

static int by_base(const void *a, const void *b) {
    uint64_t x = (*(entry *const *)a)->allocation.base, y = (*(entry *const *)b)->allocation.base;
    return x < y ? -1 : x > y;
}

/* Where every address has been given out once: the first gap between what is live or not yet given back. */
static uint64_t find_gap(int which, uint64_t span, uint64_t align) {
    const region *r = &regions[which];
    size_t room = count_of(table_now(which)) + 1, n = 0;
    for (entry *e = dead_entries; e; e = e->next) room++;
    entry **all = malloc(room * sizeof(*all)), *e;
    if (!all) return 0;
    for (size_t at = 0; (e = next_live(which, &at)) != NULL;) all[n++] = e;
    for (e = dead_entries; e; e = e->next)
        if (table_of(e->allocation.base) == which) all[n++] = e;
    qsort(all, n, sizeof(*all), by_base);
    uint64_t at = r->start, found = 0;
    for (size_t i = 0; i <= n && !found; i++) {
        uint64_t limit = i < n ? all[i]->allocation.base : r->end;
        uint64_t start = (at + align - 1) & ~(align - 1);
        if (start < limit && limit - start >= span) found = start;
        if (i < n) at = all[i]->allocation.base + all[i]->span;
    }
    free(all);
    return found;
}

static uint64_t take_addresses(int which, uint64_t span, uint64_t align) {
    region *r = &regions[which];
    uint64_t base = (r->bump + align - 1) & ~(align - 1);
    if (base < r->end && r->end - base >= span) {
        r->bump = base + span;
        return base;
    }
    return find_gap(which, span, align);
}

static bool overlaps_registered(uint64_t base, uint64_t size) {
    const entry *e;
    for (size_t at = 0; (e = next_live(TABLE_REGISTERED, &at)) != NULL;)
        if (e->allocation.base < base + size && base < e->allocation.base + e->allocation.size) return true;
    return false;
}

static void free_entry(entry *e) {
    if (e->allocation.shadow != NULL) munmap(e->allocation.shadow, e->allocation.shadow_bytes);
    free(e->allocation.written);
    free(e->name);
    free(e);
}

static bool guards, closed; /* what only the device may touch is protected: now */
static int open_count;

/* Makes memory of addresses; for small allocations some more than asked for, as one mapping with what lies before. What
 * is protected becomes memory when the device needs it. */
static bool map_pages(int which, memory_kind kind, uint64_t base, uint64_t bytes) {
    region *r = &regions[which];
    const bool small = which != TABLE_LARGE;
    if (small && base + bytes <= r->mapped_end) return true;
    uint64_t start = small ? r->mapped_end : base, end = base + bytes;
    if (small) end = (end + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    const int access = closed && is_device_only(kind) ? PROT_NONE : PROT_READ | PROT_WRITE;
    if (mprotect((void *)(uintptr_t)start, end - start, access) != 0) return false;
    if (small) r->mapped_end = end;
    return true;
}

/* Fills in where the entry lies; false when there is no room. */
static bool place(entry *e, uint64_t size, uint64_t align, void *at) {
    if (at) {
        uint64_t base = (uint64_t)(uintptr_t)at;
        if (base + size < base || overlaps_registered(base, size)) return false;
        e->allocation.base = base;
        return true;
    }
    uint64_t total = total_bytes_of_device();
    bool device = is_device_kind(e->allocation.kind);
    if (size > total || (device && size > total - device_used)) return false;
    uint64_t committed = (size + PAGE - 1) & ~(PAGE - 1);
    if (align < PAGE) align = PAGE;
    if (size >= HUGE_PAGE && align < HUGE_PAGE) align = HUGE_PAGE;
    const memory_kind kind = e->allocation.kind;
    int which = committed >= LARGE ? TABLE_LARGE : is_device_only(kind) ? TABLE_SMALL : TABLE_SMALL_HOST;
    uint64_t base = take_addresses(which, committed + PAGE, align);
    if (!base || !map_pages(which, kind, base, committed)) return false;
    if (size >= HUGE_PAGE) madvise((void *)(uintptr_t)base, committed, MADV_HUGEPAGE);
    e->allocation.base = base;
    e->span = committed + PAGE;
    if (device) device_used += size;
    return true;
}

static void give_pages_back(const entry *e) {
    if (e->span && table_of(e->allocation.base) != TABLE_LARGE) {
        madvise((void *)(uintptr_t)e->allocation.base, e->span - PAGE, MADV_DONTNEED); /* zero when used again */
    } else if (e->span) {
        (void)mmap((void *)(uintptr_t)e->allocation.base, e->span - PAGE, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    }
}

void memory_each(void (*each)(memory_allocation *m, void *argument), void *argument) {
    pthread_mutex_lock(&lock);
    entry *e;
    for (int which = 0; which < TABLES; which++)
        for (size_t at = 0; (e = next_live(which, &at)) != NULL;) each(&e->allocation, argument);
    pthread_mutex_unlock(&lock);
}

static int by_serial(const void *a, const void *b) {
    const uint64_t x = (*(entry *const *)a)->allocation.serial, y = (*(entry *const *)b)->allocation.serial;
    return x < y ? -1 : x > y;
}

void memory_leaks(void (*each)(const memory_allocation *m)) {
    pthread_mutex_lock(&lock);
    size_t room = 1, n = 0;
    for (int which = 0; which < TABLES; which++) room += count_of(table_now(which));
    entry **all = malloc(room * sizeof(*all)), *e;
    for (int which = 0; which < TABLES && all != NULL; which++)
        for (size_t at = 0; (e = next_live(which, &at)) != NULL;) {
            const memory_allocation *m = &e->allocation;
            if (m->kind == MEMORY_DEVICE && m->name == NULL && !m->heap) all[n++] = e; /* the program's */
        }
    if (all != NULL) qsort(all, n, sizeof(*all), by_serial);
    for (size_t i = 0; i < n; i++) each(&all[i]->allocation);
    free(all);
    pthread_mutex_unlock(&lock);
}

uint64_t memory_allocate(uint64_t size, uint64_t align, memory_kind kind, const char *name, void *at) {
    if (size == 0) return 0;
    memory_arena();
    entry *e = calloc(1, sizeof(*e));
    if (!e) return 0;
    if (name) e->name = strdup(name);
    e->allocation = (memory_allocation){.size = size, .kind = kind, .name = e->name};
    if (memory_tracks() && kind == MEMORY_DEVICE && name == NULL && at == NULL) {
        e->allocation.written = calloc(size / 8 + 1, 1);
        e->allocation.incomplete = e->allocation.written != NULL;
    }
    e->allocation.whole_end = e->allocation.incomplete ? 0 : UINT64_MAX;
    atomic_init(&e->live, true);
    pthread_mutex_lock(&lock);
    uint64_t base = 0;
    if (place(e, size, align, at)) {
        e->allocation.serial = next_serial++;
        if (insert(table_of(e->allocation.base), e)) {
            base = e->allocation.base;
        } else {
            give_pages_back(e);
            if (!at && is_device_kind(kind)) device_used -= size;
        }
    }
    pthread_mutex_unlock(&lock);
    if (!base) free_entry(e);
    return base;
}

/* Under the lock. */
static void release(entry *e) {
    atomic_store_explicit(&e->live, false, memory_order_release);
    atomic_fetch_add_explicit(&releases, 1, memory_order_release);
    if (e->span && is_device_kind(e->allocation.kind)) device_used -= e->allocation.size;
    e->next = dead_entries;
    dead_entries = e;
    size_t slot = history_count++ % HISTORY;
    free(history_names[slot]);
    history_names[slot] = e->name ? strdup(e->name) : NULL;
    history[slot] = e->allocation;
    history[slot].name = history_names[slot];
    history[slot].shadow = NULL;
    history[slot].parts = NULL;
    int which = table_of(e->allocation.base);
    table *t = table_now(which);
    /* Registered memory may be registered again at the same address, so its dead entries leave at once. */
    if (which == TABLE_REGISTERED || (++t->dead > 64 && t->dead > count_of(t) / 2)) replace_table(which, NULL);
}

bool memory_free(uint64_t base) {
    pthread_mutex_lock(&lock);
    entry *e = find_entry(base);
    bool found = e && e->allocation.base == base;
    if (found) release(e);
    pthread_mutex_unlock(&lock);
    return found;
}

void memory_set_flags(uint64_t base, unsigned flags) {
    pthread_mutex_lock(&lock);
    entry *e = find_entry(base);
    if (e) e->allocation.flags = flags;
    pthread_mutex_unlock(&lock);
}

void memory_set_parts(uint64_t base, const struct memory_part *parts) {
    pthread_mutex_lock(&lock);
    entry *e = find_entry(base);
    if (e) e->allocation.parts = parts;
    pthread_mutex_unlock(&lock);
}

void memory_set_heap(uint64_t base) {
    pthread_mutex_lock(&lock);
    entry *e = find_entry(base);
    if (e) e->allocation.heap = true;
    if (e && memory_tracks() && (e->allocation.written = calloc(e->allocation.size / 8 + 1, 1)) != NULL) {
        e->allocation.incomplete = true;
        e->allocation.whole_end = 0;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- what the host may not touch --------------------------------------------------------------------------------- */

/* Under the lock. */
static void set_access(int access) {
    const region *small = &regions[TABLE_SMALL];
    bool good = mprotect((void *)(uintptr_t)small->start, small->mapped_end - small->start, access) == 0;
    const entry *e;
    for (size_t at = 0; (e = next_live(TABLE_LARGE, &at)) != NULL;)
        if (good && is_device_only(e->allocation.kind))
            good = mprotect((void *)(uintptr_t)e->allocation.base, e->span - PAGE, access) == 0;
    closed = access == PROT_NONE;
    if (good) return;
    fprintf(stderr, "cudasim: the host's kernel allows no more mappings for the device's memory (vm.max_map_count)\n");
    _Exit(3);
}

void memory_guard(void) {
    guards = closed = true;
}

void memory_access_begin(void) {
    if (!guards) return;
    pthread_mutex_lock(&lock);
    if (open_count++ == 0 && closed) set_access(PROT_READ | PROT_WRITE);
    pthread_mutex_unlock(&lock);
}

void memory_access_end(void) {
    if (!guards) return;
    pthread_mutex_lock(&lock);
    if (--open_count == 0) set_access(PROT_NONE);
    pthread_mutex_unlock(&lock);
}

static uint64_t distance(const memory_allocation *a, uint64_t address) {
    if (address < a->base) return a->base - address;
    return address - a->base < a->size ? 0 : address - a->base - a->size + 1;
}

bool memory_nearest(uint64_t address, memory_allocation *nearest, bool *freed) {
    const memory_allocation *best = NULL;
    const entry *e;
    pthread_mutex_lock(&lock);
    for (int which = 0; which < TABLES; which++)
        for (size_t at = 0; (e = next_live(which, &at)) != NULL;)
            if (best == NULL || distance(&e->allocation, address) < distance(best, address)) best = &e->allocation;
    *freed = false;
    size_t kept = history_count < HISTORY ? history_count : HISTORY;
    for (size_t i = 0; i < kept; i++) {
        /* Inside what was freed says more than next to what is live. */
        if (best != NULL && distance(&history[i], address) >= distance(best, address)) continue;
        best = &history[i];
        *freed = true;
    }
    if (best != NULL) *nearest = *best;
    pthread_mutex_unlock(&lock);
    return best != NULL;
}

static void free_emptied(void) {
    while (emptied_entries) {
        entry *e = emptied_entries;
        emptied_entries = e->next;
        free_entry(e);
    }
}

/* Frees what is in no table any more, once it is worth going through the tables for it. */
static void compact(void) {
    size_t left = 0;
    for (int which = 0; which < TABLES; which++) left += count_of(table_now(which));
    if (emptied_count < 64 || emptied_count < left / 4) return;
    for (int which = 0; which < TABLES; which++)
        if (table_now(which) && !replace_table(which, NULL)) return;
    free_emptied();
    emptied_count = 0;
}

void memory_quiesce(void) {
    pthread_mutex_lock(&lock);
    while (dead_entries) {
        entry *e = dead_entries;
        dead_entries = e->next;
        give_pages_back(e);
        e->next = emptied_entries;
        emptied_entries = e;
        emptied_count++;
    }
    compact();
    while (retired_tables) {
        table *t = retired_tables;
        retired_tables = t->next;
        free(t);
    }
    pthread_mutex_unlock(&lock);
}

void memory_info(uint64_t *free_bytes, uint64_t *total_bytes) {
    uint64_t total = total_bytes_of_device();
    pthread_mutex_lock(&lock);
    *free_bytes = total - device_used;
    pthread_mutex_unlock(&lock);
    *total_bytes = total;
}

/* Frees all that a table holds; release() may replace the table. Under the lock. */
static void release_all(int which) {
    for (;;) {
        const table *t = table_now(which);
        size_t at = 0;
        entry *e = next_live(which, &at);
        if (e == NULL) return;
        for (; e != NULL && t == table_now(which); e = next_live(which, &at)) release(e);
    }
}

void memory_reset(void) {
    pthread_mutex_lock(&lock);
    for (int which = 0; which < TABLE_REGISTERED; which++) release_all(which);
    pthread_mutex_unlock(&lock);
    memory_quiesce();
}

/* For leak checkers: everything of the host's heap. The arena stays, since a detached thread may still read it. */
__attribute__((destructor(101))) static void memory_close(void) {
    memory_quiesce();
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&releases, 1);
    for (int which = 0; which < TABLES; which++) {
        table *t = atomic_exchange(&tables[which], NULL);
        size_t count = t ? atomic_load(&t->count) : 0;
        for (size_t i = 0; i < count; i++) {
            if (atomic_load(&t->items[i]->live)) free_entry(t->items[i]);
        }
        free(t);
    }
    free_emptied();
    for (size_t i = 0; i < HISTORY; i++) {
        free(history_names[i]);
        history_names[i] = NULL;
        history[i].name = NULL;
    }
    pthread_mutex_unlock(&lock);
}
