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
    uint8_t read[CHUNK], written[CHUNK];
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

void sectors_mark(uint64_t sector, const int64_t *from, int count, bool read, bool written) {
    chunk *c = NULL;
    uint64_t known = 0;
    for (int k = 0; k < count; k++) {
        const uint64_t s = sector + (uint64_t)from[k];
        if (c == NULL || s >> CHUNK_BITS != known) {
            c = chunk_of(s);
            known = s >> CHUNK_BITS;
        }
        if (read) set(&c->read[s % CHUNK]);
        if (written) set(&c->written[s % CHUNK]);
    }
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
