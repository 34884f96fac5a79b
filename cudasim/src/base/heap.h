/* The heap of device code (malloc, free, new, delete). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* cudaLimitMallocHeapSize; false once the heap is in use. */
bool heap_set_size(uint64_t bytes);
uint64_t heap_size(void);
/* After memory_reset. */
void heap_reset(void);

/* For kernels. 0 where it is full, HEAP_NO_HOST_MEMORY where the host has none left to keep its books. */
#define HEAP_NO_HOST_MEMORY UINT64_MAX
uint64_t heap_allocate(uint64_t bytes);
bool heap_free(uint64_t address);

/* Where memory_track is on, objects have a gap after them and what has been freed is given out again last. Are all
 * these bytes of objects that have not been freed (true where it is off)? */
bool heap_is_live(uint64_t address, unsigned bytes);
/* For messages: the object at `address` or before it. False if there is none. */
typedef struct heap_object {
    uint64_t base, size; /* as asked for */
    bool freed;
} heap_object;
bool heap_find(uint64_t address, heap_object *found);
