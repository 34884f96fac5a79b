/* malloc and free of device code: first fit in one allocation of cudaLimitMallocHeapSize, its books kept outside of it.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/heap.h"
#include "base/memory.h"

typedef struct piece {
    uint64_t base, size;
    bool used;
    struct piece *next; /* by address */
} piece;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static piece *pieces;
static uint64_t heap_bytes = 8u << 20, heap_base;

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
    pthread_mutex_unlock(&lock);
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
    *all = (piece){heap_base, heap_bytes, false, NULL};
    pieces = all;
    return true;
}

/* Under the lock: takes the piece, or its first bytes. */
static uint64_t cut(piece *p, uint64_t bytes) {
    if (p->size > bytes) {
        piece *rest = malloc(sizeof *rest);
        if (rest == NULL) return HEAP_NO_HOST_MEMORY;
        *rest = (piece){p->base + bytes, p->size - bytes, false, p->next};
        p->next = rest;
        p->size = bytes;
    }
    p->used = true;
    return p->base;
}

uint64_t heap_allocate(uint64_t bytes) {
    if (bytes == 0 || bytes > heap_bytes) return 0;
    bytes = (bytes + 15) & ~15ull;
    pthread_mutex_lock(&lock);
    uint64_t address = heap_base != 0 || begin() ? 0 : HEAP_NO_HOST_MEMORY;
    for (piece *p = pieces; p != NULL && address == 0; p = p->next)
        if (!p->used && p->size >= bytes) address = cut(p, bytes);
    pthread_mutex_unlock(&lock);
    return address;
}

bool heap_free(uint64_t address) {
    bool found = false;
    pthread_mutex_lock(&lock);
    piece *before = NULL;
    for (piece *p = pieces; p != NULL; before = p, p = p->next) {
        if (p->base != address || !p->used) continue;
        p->used = false;
        found = true;
        if (p->next != NULL && !p->next->used) {
            piece *next = p->next;
            p->size += next->size;
            p->next = next->next;
            free(next);
        }
        if (before != NULL && !before->used) {
            before->size += p->size;
            before->next = p->next;
            free(p);
        }
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}
