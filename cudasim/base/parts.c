#include "base/parts.h"

#include <stdlib.h>

typedef struct kept {
    memory_part part;
    struct kept *older;
} kept;
static kept *latest;

bool parts_add(const memory_part *part) {
    const memory_allocation *m = memory_find(part->first);
    kept *k = m != NULL ? malloc(sizeof *k) : NULL;
    if (k == NULL) return false;
    *k = (kept){.part = *part, .older = latest};
    k->part.base = m->base;
    k->part.next = m->parts;
    latest = k;
    memory_set_parts(m->base, &k->part);
    return true;
}

void parts_end(void) {
    while (latest != NULL) {
        kept *older = latest->older;
        memory_set_parts(latest->part.base, NULL);
        free(latest);
        latest = older;
    }
}

/* Of a part that is not empty: bytes from its first element to behind its last. */
static uint64_t extent(const memory_part *p) {
    return ((p->rows - 1) * p->ld + p->cols) * p->element;
}

bool parts_hold(const memory_part *p, uint64_t address, uint64_t bytes, bool writes) {
    for (; p != NULL; p = p->next) {
        const uint64_t at = address - p->first;
        if (p->rows == 0 || p->cols == 0 || address < p->first || at > extent(p) || bytes > extent(p) - at) continue;
        return !writes || p->ld == p->cols || at % (p->ld * p->element) + bytes <= p->cols * p->element;
    }
    return false;
}

/* How far it is from the address to the part; 0: it lies in it, or between its rows. */
static uint64_t distance(const memory_part *p, uint64_t address) {
    const uint64_t end = p->first + (p->rows == 0 || p->cols == 0 ? 0 : extent(p));
    return address < p->first ? p->first - address : address < end ? 0 : address - end + 1;
}

const memory_part *parts_nearest(const memory_part *p, uint64_t address) {
    const memory_part *nearest = p;
    for (; p != NULL; p = p->next)
        if (distance(p, address) < distance(nearest, address)) nearest = p;
    return nearest;
}
