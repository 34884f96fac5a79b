/* Memory that is freed at once. */
#include "base/arena.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

/* Every launch takes as much of the host's heap as the one before. Given back to the system in between, it would be
 * filled with zeros again, page by page, which takes longer than a small kernel. */
__attribute__((constructor)) static void keep_heap(void) {
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

#ifdef __SANITIZE_ADDRESS__ /* which sees where each piece ends */
#define BLOCK_SIZE ((size_t)0)
#else
#define BLOCK_SIZE ((size_t)1 << 16)
#endif
#define ALIGNMENT ((size_t)8)

typedef struct arena_block {
    struct arena_block *next;
    max_align_t data[];
} arena_block;

void *arena_take(arena *a, size_t size) {
    size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (size > (size_t)(a->end - a->next)) {
        /* What is large gets a block of its own, so that the rest of the current one is not lost. */
        const bool large = size > BLOCK_SIZE / 8;
        const size_t bytes = large ? size : BLOCK_SIZE;
        arena_block *block = calloc(1, sizeof *block + bytes);
        if (!block) return NULL;
        block->next = a->blocks;
        a->blocks = block;
        if (large) return block->data;
        a->next = (char *)block->data;
        a->end = a->next + bytes;
    }
    void *memory = a->next;
    a->next += size;
    return memory;
}

void arena_free(arena *a) {
    while (a->blocks) {
        arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
    *a = (arena){0};
}
