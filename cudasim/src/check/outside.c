/* Accesses to an allocation whose parts are known (base/parts.h) outside of these. */
#include <stdio.h>

#include "base/parts.h"
#include "check/global.h"
#include "check/message.h"

/* "A[4160] (row 65, column 0)"; of a single column "x[64]". */
static const char *element_name(const memory_part *p, uint64_t address, char text[128]) {
    const int64_t size = (int64_t)p->element, off = (int64_t)(address - p->first), ld = (int64_t)p->ld;
    const int64_t index = (off - (off < 0 ? size - 1 : 0)) / size;
    if (index < 0 || ld == 1)
        snprintf(text, 128, "%s[%lld]", p->name, (long long)index);
    else
        snprintf(text, 128, "%s[%lld] (row %lld, column %lld)", p->name, (long long)index, (long long)(index / ld),
                 (long long)(index % ld));
    return text;
}

/* "x has 64 elements", "A is 64 x 64, leading dimension 65". */
static const char *shape_name(const memory_part *p, char text[128]) {
    const unsigned long long rows = p->rows, cols = p->cols, ld = p->ld;
    if (ld == 1)
        snprintf(text, 128, "%s has %llu %s%s", p->name, rows * cols, p->element == 1 ? "byte" : "element",
                 rows * cols == 1 ? "" : "s");
    else
        snprintf(text, 128, "%s is %llu x %llu, leading dimension %llu", p->name, rows, cols, ld);
    return text;
}

static void say(const global_range *r, const memory_part *parts) {
    const site at = {r->function, r->pc};
    if (finding_repeats(BOUNDS, at, (site){0})) return;
    uint64_t first = r->address; /* the first byte outside */
    while (first + 1 < r->address + r->bytes && parts_hold(parts, first, 1, r->kind != ACCESS_READ)) first++;
    const memory_part *p = parts_nearest(parts, first);
    char who[96], element[128], shape[128], what[800];
    const int n = snprintf(what, sizeof what, "%s %s %llu bytes", thread_name(r->w, r->lane, who), r->verb,
                           (unsigned long long)r->bytes);
    snprintf(what + n, sizeof what - (size_t)n, first == r->address ? " at %s, but %s" : ", among them %s, but %s",
             element_name(p, first, element), shape_name(p, shape));
    finding_add(&(finding){BOUNDS, r->w->launch->entry->source->name, at, {0}, what, NULL});
}

void outside_touch_range(const global_range *r) {
    const memory_allocation *m = memory_find(r->address);
    if (m != NULL && !memory_is_open(m, r->address, r->bytes, r->kind != ACCESS_READ)) say(r, m->parts);
}

void outside_touch(const observed_access *a) {
    const memory_allocation *m = NULL;
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        const uint64_t at = a->address[l];
        if (m == NULL || at - m->base >= m->size) m = memory_find(at);
        if (m == NULL || memory_is_open(m, at, a->bytes, a->kind != ACCESS_READ) || at - m->base + a->bytes > m->size)
            continue;
        say(&(global_range){.w = a->w,
                            .function = a->function,
                            .pc = a->i->pc,
                            .lane = l,
                            .address = at,
                            .bytes = a->bytes,
                            .kind = a->kind,
                            .verb = a->kind == ACCESS_READ    ? "reads"
                                    : a->kind == ACCESS_WRITE ? "writes"
                                                              : "changes"},
            m->parts);
    }
}
