#include "check/places.h"

#include <string.h>
#include <time.h>

bool shadow_of(const memory_allocation *m, shadow *s) {
    const size_t parts = (m->size >> PART_SHIFT) + 1, words = parts << (PART_SHIFT - 2);
    s->m = m;
    const size_t first = (parts * sizeof *s->parts + 15) / 16 * 16;
    s->parts = memory_shadow(m, first + words * (sizeof *s->words + sizeof *s->hidden));
    s->words = (word *)(void *)((char *)s->parts + first);
    s->hidden = (hidden_word *)(void *)(s->words + words);
    return s->parts != NULL;
}

void lock_part(part *p) {
    while (__atomic_exchange_n(&p->lock, 1, __ATOMIC_ACQUIRE) != 0)
        for (int turn = 0; __atomic_load_n(&p->lock, __ATOMIC_RELAXED) != 0; turn++)
            if (turn > 1000) nanosleep(&(struct timespec){0, 50000}, NULL);
}
void unlock_part(part *p) {
    __atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE);
}

hidden_word *hidden_at(const shadow *s, part *p, uint64_t offset, uint32_t launch) {
    if (p->hides != launch)
        memset(s->hidden + (offset >> PART_SHIFT << (PART_SHIFT - 2)), 0, sizeof(hidden_word) << (PART_SHIFT - 2));
    p->hides = launch;
    return &s->hidden[offset / 4];
}

static void add_part(places *p, part *added) {
    int k = p->part_count;
    while (k > 0 && p->parts[k - 1] > added) k--;
    if (k > 0 && p->parts[k - 1] == added) return;
    memmove(p->parts + k + 1, p->parts + k, (size_t)(p->part_count - k) * sizeof *p->parts);
    p->parts[k] = added;
    p->part_count++;
}

void find_places(const observed_access *a, places *p) {
    shadow s = {0};
    p->mask = 0;
    p->part_count = 0;
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        const uint64_t at = a->address[l];
        if (s.m == NULL || at - s.m->base >= s.m->size) {
            const memory_allocation *m = memory_find(at);
            if (m == NULL || m->kind == MEMORY_CONSTANT || !shadow_of(m, &s)) {
                s.m = NULL;
                continue;
            }
        }
        const uint64_t from = at - s.m->base;
        if (from + a->bytes > s.m->size) continue;
        if (!memory_may_change(s.m, at, a->bytes)) {
            if (a->kind == ACCESS_READ) continue;
            memory_changes(at, at + a->bytes); /* the access is outside what its pointer was taken to mean */
        }
        p->mask |= 1u << l;
        p->of[l] = s;
        add_part(p, &s.parts[from >> PART_SHIFT]);
        add_part(p, &s.parts[(from + a->bytes - 1) >> PART_SHIFT]);
    }
}

void lock_places(const places *p) {
    for (int k = 0; k < p->part_count; k++) lock_part(p->parts[k]);
}
void unlock_places(const places *p) {
    for (int k = 0; k < p->part_count; k++) unlock_part(p->parts[k]);
}
