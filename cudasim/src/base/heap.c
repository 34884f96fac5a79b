/* malloc and free of device code: first fit in one allocation of cudaLimitMallocHeapSize, its books kept outside of it.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/heap.h"
#include "base/memory.h"

typedef struct piece {
    uint64_t base, size, asked;
    bool used, stale;   /* freed, where memory_track is on */
    struct piece *next; /* by address */
} piece;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static piece *pieces;
static uint64_t heap_bytes = 8u << 20, heap_base;
static uint8_t *live; /* a bit a byte of the heap; NULL: memory_track is off */
#define GAP 16

bool heap_set_size(uint64_t bytes) {
    pthread_mutex_lock(&lock);
    const bool unused = heap_base == 0;
    if (unused) heap_bytes = bytes;
    pthread_mutex_unlock(&lock);
    return unused;
}

uint64_t heap_size(void) {
    return heap_bytes;
}

void heap_reset(void) {
    pthread_mutex_lock(&lock);
    while (pieces != NULL) {
        piece *next = pieces->next;
        free(pieces);
        pieces = next;
    }
    heap_base = 0;
    free(live);
    live = NULL;
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void free_bits(void) {
    free(live);
    live = NULL;
}

/* Under the lock: the heap as one free piece. */
static bool begin(void) {
    piece *all = malloc(sizeof *all);
    heap_base = all != NULL ? memory_allocate(heap_bytes, 256, MEMORY_DEVICE, "the device's heap", NULL) : 0;
    if (heap_base == 0) {
        free(all);
        return false;
    }
    memory_set_heap(heap_base);
    *all = (piece){.base = heap_base, .size = heap_bytes};
    pieces = all;
    if (memory_tracks()) live = calloc(heap_bytes / 8 + 1, 1);
    return true;
}

static void set_live(uint64_t address, uint64_t bytes, bool is) {
    for (uint64_t k = address - heap_base; live != NULL && k < address - heap_base + bytes; k++)
        if (is)
            __atomic_fetch_or(&live[k / 8], (uint8_t)(1u << k % 8), __ATOMIC_RELAXED);
        else
            __atomic_fetch_and(&live[k / 8], (uint8_t) ~(1u << k % 8), __ATOMIC_RELAXED);
}

/* Under the lock: takes the piece, or its first bytes. */
static uint64_t cut(piece *p, uint64_t bytes, uint64_t asked) {
    if (p->size > bytes) {
        piece *rest = malloc(sizeof *rest);
        if (rest == NULL) return HEAP_NO_HOST_MEMORY;
        *rest = (piece){.base = p->base + bytes, .size = p->size - bytes, .next = p->next};
        p->next = rest;
        p->size = bytes;
    }
    p->used = true;
    p->asked = asked;
    set_live(p->base, asked, true);
    return p->base;
}

static uint64_t first_fit(uint64_t bytes, uint64_t asked) {
    for (piece *p = pieces; p != NULL; p = p->next)
        if (!p->used && !p->stale && p->size >= bytes) return cut(p, bytes, asked);
    return 0;
}

/* Neighbours that are free become one. */
static void join_free(void) {
    for (piece *p = pieces; p != NULL; p = p->next) {
        p->stale = false;
        while (!p->used && p->next != NULL && !p->next->used) {
            piece *next = p->next;
            p->size += next->size;
            p->next = next->next;
            free(next);
        }
    }
}

uint64_t heap_allocate(uint64_t bytes) {
    const uint64_t asked = bytes;
    if (bytes == 0 || bytes > heap_bytes) return 0;
    pthread_mutex_lock(&lock);
    uint64_t address = heap_base != 0 || begin() ? 0 : HEAP_NO_HOST_MEMORY;
    bytes = (bytes + 15) & ~15ull;
    if (live != NULL && bytes + GAP <= heap_bytes) bytes += GAP;
    if (address == 0) address = first_fit(bytes, asked);
    if (address == 0 && live != NULL) {
        join_free();
        address = first_fit(bytes, asked);
    }
    pthread_mutex_unlock(&lock);
    return address;
}

bool heap_free(uint64_t address) {
    pthread_mutex_lock(&lock);
    piece *p = pieces;
    while (p != NULL && (p->base != address || !p->used)) p = p->next;
    if (p != NULL) {
        p->used = false;
        p->stale = live != NULL;
        set_live(p->base, p->asked, false);
        if (live == NULL) join_free();
    }
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

bool heap_is_live(uint64_t address, unsigned bytes) {
    const uint64_t first = address - heap_base;
    for (uint64_t k = first; live != NULL && k < first + bytes && k < heap_bytes; k++)
        if (!(__atomic_load_n(&live[k / 8], __ATOMIC_RELAXED) >> k % 8 & 1)) return false;
    return true;
}

bool heap_find(uint64_t address, heap_object *found) {
    bool any = false;
    pthread_mutex_lock(&lock);
    for (const piece *p = pieces; p != NULL && p->base <= address; p = p->next) {
        if (!p->used && !p->stale) continue;
        *found = (heap_object){p->base, p->asked, p->stale};
        any = true;
    }
    pthread_mutex_unlock(&lock);
    return any;
}
