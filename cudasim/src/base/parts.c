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
    k->part.end = part->first;
    if (part->rows > 0 && part->cols > 0) k->part.end += ((part->rows - 1) * part->ld + part->cols) * part->element;
    kept *before =
        latest; /* the one before it in the same allocation: those that were added first are looked at first */
    while (before != NULL && (m->parts == NULL || before->part.base != m->base)) before = before->older;
    if (before != NULL)
        before->part.next = &k->part;
    else
        memory_set_parts(m->base, &k->part);
    latest = k;
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

/* How far it is from the address to the part; 0: it lies in it, or between its rows. */
static uint64_t distance(const memory_part *p, uint64_t address) {
    return address < p->first ? p->first - address : address < p->end ? 0 : address - p->end + 1;
}

const memory_part *parts_nearest(const memory_part *p, uint64_t address) {
    const memory_part *nearest = p;
    for (; p != NULL; p = p->next)
        if (distance(p, address) < distance(nearest, address)) nearest = p;
    return nearest;
}
