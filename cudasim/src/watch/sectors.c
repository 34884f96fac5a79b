#include "watch/sectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A bit a sector. Programs touch the same ones again and again: only a bit that is not there yet is written, by an
 * atomic operation. A chunk is a megabyte of memory; they hang in a table by address, of which only what is touched
 * takes memory.
 */
#define CHUNK_BITS  15 /* sectors */
#define CHUNK       (1u << CHUNK_BITS)
#define SECTOR_BITS 43 /* of an address of 48 bits */

typedef struct chunk {
    struct chunk *next;
    uint64_t read[CHUNK / 64], written[CHUNK / 64];
} chunk;

static chunk **table, *chunks;

static chunk **table_get(void) {
    chunk **known = __atomic_load_n(&table, __ATOMIC_ACQUIRE), **expected = NULL;
    if (known != NULL) return known;
    const size_t bytes = sizeof(chunk *) << (SECTOR_BITS - CHUNK_BITS);
    known = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (known == MAP_FAILED) {
        fprintf(stderr, "cudasim: no address space is left for the counters of sectors\n");
        _Exit(3);
    }
    if (__atomic_compare_exchange_n(&table, &expected, known, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return known;
    munmap(known, bytes);
    return expected;
}

static chunk *chunk_of(uint64_t sector) {
    chunk **at = &table_get()[sector >> CHUNK_BITS & ((1u << (SECTOR_BITS - CHUNK_BITS)) - 1)], *expected = NULL;
    chunk *c = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (c != NULL) return c;
    c = calloc(1, sizeof *c);
    if (c == NULL) {
        fprintf(stderr, "cudasim: no memory is left for the counters of sectors\n");
        _Exit(3);
    }
    if (!__atomic_compare_exchange_n(at, &expected, c, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(c);
        return expected;
    }
    c->next = __atomic_load_n(&chunks, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&chunks, &c->next, c, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
    return c;
}

static inline void set(uint64_t *word, uint64_t bits) {
    if ((bits & ~__atomic_load_n(word, __ATOMIC_RELAXED)) != 0) __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

/* `bits` from sector `at` of the chunk on, which may go on in the next word of 64. */
static inline void set_from(uint64_t *words, uint64_t at, uint64_t bits) {
    set(&words[at / 64], bits << at % 64);
    if (at % 64 > 32 && bits >> (64 - at % 64) != 0) set(&words[at / 64 + 1], bits >> (64 - at % 64));
}

/* The chunk that was needed last. */
typedef struct latest {
    chunk *c;
    uint64_t number;
} latest;

/* `count` sectors, at most 32, from this one on. */
static inline void mark(latest *l, uint64_t sector, unsigned count, bool read, bool written) {
    const uint64_t at = sector % CHUNK, ones = (1ull << count) - 1;
    if (at + count > CHUNK) { /* part in the next chunk */
        const unsigned here = (unsigned)(CHUNK - at);
        sectors_mark_range(sector * SECTOR_BYTES, here * SECTOR_BYTES, read, written);
        sectors_mark_range((sector + here) * SECTOR_BYTES, (count - here) * SECTOR_BYTES, read, written);
        return;
    }
    if (l->c == NULL || sector >> CHUNK_BITS != l->number) l->c = chunk_of(sector);
    l->number = sector >> CHUNK_BITS;
    if (read) set_from(l->c->read, at, ones);
    if (written) set_from(l->c->written, at, ones);
}

/* How many of the accesses, from the first on, begin one sector after another. At most 32. */
static int run_length(const uint64_t *sectors, int accesses) {
    int n = 1;
    while (n < accesses && n < 32 && sectors[n] == sectors[0] + (uint64_t)n) n++;
    return n;
}

/* Lanes that lie apart and walk on together, as those that each read a row of their own: each of them marks what it has
 * walked over, in one go. */
void sectors_mark_each(const uint64_t *sectors, int accesses, const int64_t *from, int count, bool read, bool written) {
    latest l = {0};
    const bool together = count > 0 && count <= 32 && from[count - 1] - from[0] == count - 1;
    while (accesses > 0) {
        const int run = together ? 1 : run_length(sectors, accesses);
        if (together)
            mark(&l, sectors[0] + (uint64_t)from[0], (unsigned)count, read, written);
        else
            for (int k = 0; k < count; k++) mark(&l, sectors[0] + (uint64_t)from[k], (unsigned)run, read, written);
        sectors += run;
        accesses -= run;
    }
}

void sectors_mark(uint64_t sector, const int64_t *from, int count, bool read, bool written) {
    sectors_mark_each(&sector, 1, from, count, read, written);
}

void sectors_mark_range(uint64_t address, uint64_t bytes, bool read, bool written) {
    latest l = {0};
    if (bytes == 0) return;
    for (uint64_t s = address / SECTOR_BYTES, end = (address + bytes - 1) / SECTOR_BYTES + 1; s < end;) {
        const uint64_t left = end - s, here = CHUNK - s % CHUNK, least = left < here ? left : here;
        const unsigned count = least < 32 ? (unsigned)least : 32;
        mark(&l, s, count, read, written);
        s += count;
    }
}

static int64_t take(uint64_t *words) {
    int64_t count = 0;
    for (unsigned k = 0; k < CHUNK / 64; k++) count += __builtin_popcountll(words[k]);
    memset(words, 0, CHUNK / 8);
    return count;
}

void sectors_take(int64_t *read, int64_t *written) {
    *read = *written = 0;
    for (chunk *c = chunks; c != NULL; c = c->next) {
        *read += take(c->read);
        *written += take(c->written);
    }
}
