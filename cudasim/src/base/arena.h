/* Memory that is freed at once. */
#pragma once

#include <stddef.h>

/* Blocks that live until arena_free. All zeros: an empty one. */
typedef struct arena {
    struct arena_block *blocks;
    char *next, *end;
} arena;

/* Zeroed bytes, aligned to 8; NULL when there is no memory left. */
void *arena_take(arena *a, size_t size);
void arena_free(arena *a);

/* What messages say where there was none: by this the runtime knows the error's cause. */
#define OUT_OF_MEMORY "out of memory"
