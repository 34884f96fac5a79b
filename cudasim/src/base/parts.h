/* Parts of allocations: a program that lays out several arrays in one piece of memory, with guard zones between them,
 * may say which bytes are an array's. The rest of the allocation is then no kernel's to touch. */
#pragma once

#include "base/memory.h"

/* rows x cols elements of `element` bytes each, the rows `ld` elements apart. */
typedef struct memory_part {
    char name[32];
    uint64_t first; /* the address of its first element */
    uint64_t element, rows, cols, ld;
    uint64_t end;  /* behind its last element; set by parts_add, as what follows */
    uint64_t base; /* of its allocation */
    const struct memory_part *next;
} memory_part;

/* Adds a part to the allocation that holds `first`, which may be empty; no kernel is running. False: there is no such
 * allocation, or no memory. */
bool parts_add(const memory_part *part);

/* All allocations are whole again. */
void parts_end(void);

/* The nearest part to the address. */
const memory_part *parts_nearest(const memory_part *p, uint64_t address);

/* Do these bytes lie in one of the allocation's parts, from its first element to its last? What lies between rows
 * belongs to it for those who read, not for those who write. */
static inline bool parts_hold(const memory_part *p, uint64_t address, uint64_t bytes, bool writes) {
    while (p != NULL && (address < p->first || address + bytes > p->end)) p = p->next;
    if (p == NULL) return false;
    return !writes || p->ld == p->cols || (address - p->first) % (p->ld * p->element) + bytes <= p->cols * p->element;
}

/* May kernels read (or write) these bytes of the allocation? */
static inline bool memory_is_open(const memory_allocation *m, uint64_t address, uint64_t bytes, bool writes) {
    return m->parts == NULL || parts_hold(m->parts, address, bytes, writes);
}
