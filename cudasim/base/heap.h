/* The heap of device code (malloc, free, new, delete). */
#ifndef SIM_HEAP_H
#define SIM_HEAP_H

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

#endif
