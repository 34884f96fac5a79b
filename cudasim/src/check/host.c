/* What the host does with device memory: it leaves it allocated, or copies what nothing has written. */
#include <stdio.h>

#include "base/memory.h"
#include "check/check.h"
#include "check/findings.h"

static bool leaks_wanted, copies_wanted;

void checks_begin(bool leaks, bool strict) {
    leaks_wanted = leaks;
    copies_wanted = strict;
    memory_track(true);
}

static void say_leak(const memory_allocation *m) {
    char text[200];
    snprintf(text, sizeof text, "%llu bytes at 0x%llx, the program's allocation number %llu, have not been freed",
             (unsigned long long)m->size, (unsigned long long)m->base, (unsigned long long)m->serial);
    finding_say("leak", text);
}

bool checks_end(void) {
    unsigned long all;
    if (leaks_wanted) memory_leaks(say_leak);
    const unsigned long count = finding_count(&all);
    if (count == 0) return false;
    fflush(stdout);
    fprintf(stderr, "cudasim: %lu finding%s", count, count == 1 ? "" : "s");
    if (all > count) fprintf(stderr, ", %lu with repeats", all);
    fputc('\n', stderr);
    return true;
}

/* Has it been said of the allocation? Of many, the latest are remembered. */
static bool has_been_said(uint64_t serial) {
    enum { REMEMBERED = 64 };
    static uint64_t said[REMEMBERED];
    return __atomic_exchange_n(&said[serial % REMEMBERED], serial + 1, __ATOMIC_RELAXED) == serial + 1;
}

void checks_host_copy(const void *from, uint64_t bytes) {
    const uint64_t address = (uint64_t)(uintptr_t)from;
    const memory_allocation *m = copies_wanted ? memory_find(address) : NULL;
    if (m == NULL || address - m->base + bytes > m->size || memory_is_written(m, address, bytes)) return;
    if (has_been_said(m->serial)) return;
    uint64_t first = address, end;
    while (memory_is_written(m, first, 1)) first++;
    for (end = first; end < address + bytes && !memory_is_written(m, end, 1);) end++;
    char text[300];
    snprintf(text, sizeof text,
             "a copy of %llu bytes to the host takes with it %llu that nothing has written, from byte %llu of the "
             "%llu-byte allocation at 0x%llx on",
             (unsigned long long)bytes, (unsigned long long)(end - first), (unsigned long long)(first - m->base),
             (unsigned long long)m->size, (unsigned long long)m->base);
    finding_say("uninitialised", text);
}
