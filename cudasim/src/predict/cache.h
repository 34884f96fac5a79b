/* Global memory as one SM sees it: its L1 (sectored, least recently used goes), and its share of L2 and DRAM. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LINE_BYTES   128u
#define SECTOR_BYTES 32u

static inline double later(double x, double y) {
    return x > y ? x : y;
}

typedef struct cache_line {
    uint64_t line;
    uint64_t used;
    double ready[4]; /* when each sector is there; 0: it is not */
} cache_line;

typedef struct seen_line {
    uint64_t line; /* 0: free; else the line's number and one */
    uint8_t sectors;
} seen_line;

typedef struct cache {
    cache_line *lines;
    int sets;
    uint64_t uses;
    double l2_free, dram_free; /* when they take the SM's next sector */
    struct cache_clocks {
        double l1, l2, dram;            /* until a word is there */
        double l2_sector;               /* between two sectors of this SM */
        double dram_read, dram_written; /* the same, of DRAM */
    } clocks;
    seen_line *seen;      /* what this SM has asked of L2 */
    uint64_t room, count; /* of `seen` */
    uint64_t l1_sectors, l2_sectors, dram_sectors,
        written_sectors; /* asked for, that L1 lacked, of those the first time */
    bool warm;           /* L2 holds what other SMs' blocks have read before */
} cache;

/* What an SM has asked of L2: the sectors of lines, by a hash. */
typedef struct cache_seen {
    seen_line *lines;
    uint64_t room;
} cache_seen;

bool cache_begin(cache *c, unsigned l1_kib, const struct cache_clocks *clocks);
void cache_end(cache *c);
/* When the sectors (a bit each) of a line are there for a load that L1 takes up at `now`; `past_l1`: which L1 does not
 * keep. 0: no memory. */
double cache_read(cache *c, uint64_t line, unsigned sectors, bool past_l1, double now);
void cache_write(cache *c, uint64_t line, unsigned sectors, double now);
/* What it has asked for, now the caller's: to be freed. */
cache_seen cache_take_seen(cache *c);
/* The share of it that another SM has asked for, too. */
double cache_common(const cache_seen *one, const cache_seen *other);
