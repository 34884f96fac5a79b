#include "watch/sectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A byte a sector: threads may set the same one without harm. A chunk is a megabyte of memory; they hang in a table by
 * address, of which only what is touched takes memory. */
#define CHUNK_BITS  15 /* sectors */
#define CHUNK       (1u << CHUNK_BITS)
#define SECTOR_BITS 43 /* of an address of 48 bits */

typedef struct chunk {
    struct chunk *next;
    _Alignas(8) uint8_t read[CHUNK], written[CHUNK];
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

static void set(uint8_t *byte) {
    __atomic_store_n(byte, 1, __ATOMIC_RELAXED);
}

/* Whole lines of four sectors, what well coalesced accesses of 4 bytes are, at one time. */
static void mark_lines(const uint64_t *sectors, int accesses, bool read, bool written) {
    chunk *c = NULL;
    uint64_t known = 0;
    for (int n = 0; n < accesses; n++) {
        const uint64_t at = sectors[n] % CHUNK;
        if (c == NULL || sectors[n] >> CHUNK_BITS != known) c = chunk_of(sectors[n]);
        known = sectors[n] >> CHUNK_BITS;
        if (read) __atomic_store_n((uint32_t *)&c->read[at], 0x01010101u, __ATOMIC_RELAXED);
        if (written) __atomic_store_n((uint32_t *)&c->written[at], 0x01010101u, __ATOMIC_RELAXED);
    }
}

void sectors_mark_each(const uint64_t *sectors, int accesses, const int64_t *from, int count, bool read, bool written) {
    chunk *c = NULL;
    uint64_t known = 0, bits = 0;
    for (int n = 0; n < accesses; n++) bits |= sectors[n];
    if (count == 4 && from[0] == 0 && from[3] == 3 && bits % 4 == 0) {
        mark_lines(sectors, accesses, read, written);
        return;
    }
    for (int n = 0; n < accesses; n++)
        for (int k = 0; k < count; k++) {
            const uint64_t s = sectors[n] + (uint64_t)from[k];
            if (c == NULL || s >> CHUNK_BITS != known) {
                c = chunk_of(s);
                known = s >> CHUNK_BITS;
            }
            if (read) set(&c->read[s % CHUNK]);
            if (written) set(&c->written[s % CHUNK]);
        }
}

void sectors_mark(uint64_t sector, const int64_t *from, int count, bool read, bool written) {
    sectors_mark_each(&sector, 1, from, count, read, written);
}

void sectors_mark_range(uint64_t address, uint64_t bytes, bool read, bool written) {
    const int64_t none = 0;
    if (bytes == 0) return;
    for (uint64_t s = address / SECTOR_BYTES; s <= (address + bytes - 1) / SECTOR_BYTES; s++)
        sectors_mark(s, &none, 1, read, written);
}

static int64_t take(uint8_t *bytes) {
    int64_t count = 0;
    for (unsigned k = 0; k < CHUNK; k++) count += bytes[k];
    memset(bytes, 0, CHUNK);
    return count;
}

void sectors_take(int64_t *read, int64_t *written) {
    *read = *written = 0;
    for (chunk *c = chunks; c != NULL; c = c->next) {
        *read += take(c->read);
        *written += take(c->written);
    }
}
