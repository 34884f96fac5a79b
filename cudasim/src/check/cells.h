/* The history of a block's shared memory: for every few bytes the latest write and two reads since. It shows races,
 * and reads of memory that nothing has written. */
#ifndef SIM_CELLS_H
#define SIM_CELLS_H

#include "check/clocks.h"

/* An access that is remembered. `lanes` are those that a stamp with MANY_LANES is of. */
typedef struct noted_access {
    stamp by;
    uint32_t site, lanes;
} noted_access;

typedef struct cell {
    stamp write;
    noted_access reads[2]; /* since the latest weak write: of different agents, where there are two */
    uint32_t write_site;
    uint32_t pending; /* the site + 1 of a copy into it that has not yet been waited for; 0: none */
} cell;

/* For a cell that strong or atomic accesses write: what the latest of them hides from later ones. Such accesses do
 * not race with one another, but they do with earlier weak ones. */
typedef struct hidden_writes {
    stamp weak; /* the latest weak one */
    uint32_t weak_site;
    noted_access strong[2]; /* of different agents, where there are two */
} hidden_writes;

/* Reads of words of a line by one agent at one clock, where the line had been written before a barrier of the whole
 * block: as a rule it has, and no cell need be looked at. Lane (word + shift) / each has read a word; each is
 * MANY_LANES where all lanes have read each of the words, and 0 where neither holds: then the agent's lanes are not
 * told apart. */
typedef struct line_reads {
    stamp by;
    uint32_t words, site;
    uint8_t each, shift;
} line_reads;

/* Who has touched a line in an epoch, and when last: a single agent, or several. */
#define AGENT_NONE UINT32_MAX
#define AGENT_MANY (UINT32_MAX - 1)
typedef struct line_touch {
    uint32_t epoch; /* in which last; LINE_MIXED: the cells must be looked at, from now on */
    uint32_t agent, clock;
} line_touch;

/* 128 bytes. */
#define LINE_SHIFT 7
#define LINE_READS 4
#define LINE_MIXED UINT32_MAX
typedef struct line {
    line_touch written, read;
    uint32_t noted;   /* in which epoch cells last noted a read */
    uint32_t words;   /* that have been written since all that is before, a bit each (4-byte cells) */
    uint32_t blank;   /* words that nothing has written in this block, or a copy is on its way to, a bit each */
    uint32_t pending; /* those that a copy is on its way to */
    uint32_t begun;   /* the members are of the block whose clocks began then */
    line_reads reads[LINE_READS];
} line;

/* Which words of which lines the lanes of a read went to: any other one goes there, too, whose lanes are as far apart
 * and whose first is at the same place of its line. */
typedef struct access_lines {
    uint32_t mask, at, bytes;
    int count;
    uint64_t apart[CLOCK_LANES];                     /* from the first active lane's offset; of all lanes */
    uint32_t lines[CLOCK_LANES], words[CLOCK_LANES]; /* lines from the first lane's on */
    bool row, many;                                  /* one lane after the other; all the same place */
} access_lines;
#define LINE_PATTERNS 256

typedef struct cells {
    access_lines *patterns; /* by place_of (cells.c) */
    uint32_t unit;          /* bytes of a cell: 1, 2 or 4 */
    uint32_t count;
    uint32_t epoch; /* barriers of the whole block so far */
    cell *of;
    line *lines;
    hidden_writes *hidden;          /* by cell; NULL: nothing has been written but by weak accesses */
    uint32_t readers, first_reader; /* agents that read asynchronously: warpgroups */
    struct cells_use {              /* by 16 bytes and such agent, its latest read; NULL: none ever has */
        uint32_t clock, site;
    } * uses;
} cells;

/* False if there is no memory. */
bool cells_make(cells *s, uint32_t bytes, uint32_t unit);
void cells_free(cells *s);

typedef enum trouble {
    TROUBLE_NONE,
    TROUBLE_UNWRITTEN,   /* nothing has written it; a stamp: nor what a copy has brought there */
    TROUBLE_PENDING,     /* a copy into it has not been waited for */
    TROUBLE_IN_USE,      /* what reads it asynchronously may not be done: not ordered after a wait for it */
    TROUBLE_AFTER_WRITE, /* unordered with the write */
    TROUBLE_AFTER_READ   /* unordered with a read */
} trouble;

typedef enum cell_action {
    CELL_READ,
    CELL_WRITE,
    CELL_UPDATE, /* an atomic operation: reads and writes */
    CELL_LOOK,   /* as a read that leaves no trace, nor minds what nothing has written */
    CELL_FETCH,  /* as a read that does not mind that */
    CELL_USE     /* as a read that leaves no trace but that of cells_use */
} cell_action;

/* Accesses of some lanes of an agent. */
typedef struct cell_access {
    const clocks *clocks;
    uint32_t agent, site;
    bool foreign; /* an agent that barriers of this block do not order */
    strength how;
    bool learns;   /* an update of which the agent looks at what had been there: it comes after all updates before */
    bool replaces; /* an update that writes what does not depend on what had been there */
    cell_action action;
    /* Called for a lane's first trouble: with the cell, its number, the stamp that the access is unordered with and
     * that one's site. */
    void (*trouble)(void *context, trouble t, uint32_t lane, uint32_t number, stamp other, uint32_t other_site);
    void *context;
} cell_access;

/* `bytes` from each lane's offset on; offsets are inside. Lanes of one instruction that write one place are no race:
 * one of them remains. */
void cells_access(cells *s, const cell_access *a, uint32_t mask, const uint64_t *offset, unsigned bytes);

/* Reads by all lanes, lane l `bytes` bytes from first + l * step on, step 0 or `bytes`. False where cells must be
 * looked at: then nothing is done. */
bool cells_read_row(cells *s, const cell_access *a, uint32_t first, uint32_t step, unsigned bytes);

/* `bytes` from `offset` on, by one lane. */
void cells_range(cells *s, const cell_access *a, uint32_t lane, uint32_t offset, uint32_t bytes);

/* A bit for each of at most 16 bytes from `offset` on that nothing has written. */
uint32_t cells_unwritten(const cells *s, const clocks *c, uint32_t offset, unsigned bytes);

/* A copy to this range, which has just been written so, is under way, from `site`; it has come: written by the agent.
 */
void cells_pending(cells *s, uint32_t offset, uint32_t bytes, uint32_t site);
/* A copy has come, from `site`, of what nothing has written: nor has anything what lies there. */
void cells_blank(cells *s, const clocks *c, uint32_t offset, uint32_t bytes, uint32_t site);
/* The writes that an asynchronous read of many words met. */
#define USE_WRITES 4
typedef struct use_writes {
    uint32_t count;
    bool more; /* others, too, or what is more than a plain write that comes before */
    stamp list[USE_WRITES];
} use_writes;

/* 16 bytes are read asynchronously (CELL_USE), by an agent of those (by its number among them), until its clock has
 * passed `clock`. What has written them is added to the list. And: does all that is in the list come before the access?
 */
void cells_use(cells *s, const cell_access *a, uint32_t offset, uint32_t reader, uint32_t clock, use_writes *met);
bool cells_use_follows(const cell_access *a, const use_writes *met);
void cells_arrived(cells *s, const clocks *c, uint32_t agent, uint32_t lane, uint32_t offset, uint32_t bytes,
                   uint32_t site, bool foreign);

#endif
