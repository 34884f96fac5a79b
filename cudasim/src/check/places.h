/* Where the checks keep what has been done to global memory. Every 4-byte word of an allocation that the kernel may
 * write has a cell beside the allocation. It holds the latest write and the first and the latest read since; where
 * strong or atomic accesses write, it also holds what they hide. A store to a part of a word is remembered with its
 * bytes, but only the latest such store. */
#pragma once

#include <string.h>

#include "check/checked.h"

/* how */
#define HOW_STRENGTH 3u /* strength */
#define HOW_BLOCK    4u /* strong only for threads of the same cluster */
#define HOW_BYTES(b) ((uint8_t)((b) << 4))

typedef struct trace {
    uint32_t cluster; /* its number in the grid + 1; 0: none */
    uint32_t clock, site;
    uint16_t agent;
    uint8_t lane, how;
    uint32_t lanes; /* where lane is MANY_LANES */
} trace;

typedef struct word {
    trace write, reads[2];
} word;

/* Strong and atomic writes do not race with one another, but they race with earlier weak writes, which they hide. */
typedef struct hidden_word {
    trace weak;      /* the latest weak write, if strong ones have come since */
    trace strong[2]; /* as reads */
} hidden_word;

/* 1024 bytes, whose cells all belong to one launch. One host thread at a time uses them. */
#define PART_SHIFT 10
typedef struct part {
    uint32_t launch, lock;
    uint32_t hides; /* the launch that the hidden words belong to */
} part;

typedef struct shadow {
    const memory_allocation *m;
    part *parts;
    word *words;
    hidden_word *hidden; /* by word; touched only where strong accesses write */
} shadow;

/* False: there is no address space. */
bool shadow_of(const memory_allocation *m, shadow *s);

/* The holder of a part may be waiting for other threads' writes (writing.h). */
void lock_part(part *p);
void unlock_part(part *p);

/* The part, locked by the caller, that holds the cells of this place; and the word's hidden cell. */
static inline part *part_at(const shadow *s, uint64_t offset, uint32_t launch) {
    part *p = &s->parts[offset >> PART_SHIFT];
    if (p->launch != launch) {
        memset(s->words + (offset >> PART_SHIFT << (PART_SHIFT - 2)), 0, sizeof(word) << (PART_SHIFT - 2));
        p->launch = launch;
    }
    return p;
}
hidden_word *hidden_at(const shadow *s, part *p, uint64_t offset, uint32_t launch);

/* Where a warp's access goes: the lanes whose words have cells, and the parts that hold those, by address. */
typedef struct places {
    uint32_t mask;
    shadow of[LANES];
    int part_count;
    part *parts[2 * LANES];
} places;

void find_places(const observed_access *a, places *p);

/* All host threads lock parts in the same order, so that no two wait for each other. */
void lock_places(const places *p);
void unlock_places(const places *p);
