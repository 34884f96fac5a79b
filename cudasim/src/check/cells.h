/* The history of a block's shared memory: every few bytes have a cell with the latest write and two reads since. Races
 * and reads of unwritten memory are found by it. */
#pragma once

#include "check/clocks.h"

/* A remembered access. If its stamp says MANY_LANES, `lanes` has them. */
typedef struct noted_access {
    stamp by;
    uint32_t site, lanes;
} noted_access;

typedef struct cell {
    stamp write;
    noted_access reads[2]; /* since the latest weak write; two are by different agents if possible */
    uint32_t write_site;
    uint32_t pending; /* the site + 1 of a copy to it that nobody has waited for yet; 0: none */
} cell;

/* For a cell that strong or atomic accesses write: earlier accesses that the latest one hides. Strong and atomic
 * accesses do not race with one another, but they race with earlier weak ones. */
typedef struct hidden_writes {
    stamp weak; /* the latest weak write */
    uint32_t weak_site;
    noted_access strong[2]; /* by different agents if possible */
} hidden_writes;

/* Reads of words of a line by one agent at one clock. They are noted here, and not in the cells, where the line had
 * been written before a barrier of the whole block, which is the usual case. Word w was read by lane (w + shift) /
 * each. `each` is MANY_LANES if all lanes have read every word, and 0 if neither is so; then the agent's lanes are not
 * distinguished. */
typedef struct line_reads {
    stamp by;
    uint32_t words, site;
    uint8_t each, shift;
} line_reads;

/* In which epoch a line was last read or written, by which agent (or by several), and when. */
#define AGENT_NONE UINT32_MAX
#define AGENT_MANY (UINT32_MAX - 1)
typedef struct line_touch {
    uint32_t epoch; /* LINE_MIXED: from now on only the cells tell */
    uint32_t agent, clock;
} line_touch;

/* 128 bytes. */
#define LINE_SHIFT 7
#define LINE_READS 4
#define LINE_MIXED UINT32_MAX
typedef struct line {
    line_touch written, read;
    uint32_t noted;   /* the epoch in which a cell last noted a read */
    uint32_t words;   /* written since everything before was ordered, a bit each (4-byte cells) */
    uint32_t blank;   /* words that this block has not written, or that a copy is on its way to, a bit each */
    uint32_t pending; /* words that a copy is on its way to */
    uint32_t begun;   /* all this is of the block whose clocks began then */
    line_reads reads[LINE_READS];
} line;

/* Which words of which lines the lanes of an access go to. Another access goes to the same ones if its addresses have
 * the same differences and its first lane is at the same place in its line. */
typedef struct access_lines {
    uint32_t mask, at, bytes;
    int count;
    uint64_t apart[CLOCK_LANES];                     /* offsets of all lanes minus that of the first active one */
    uint32_t lines[CLOCK_LANES], words[CLOCK_LANES]; /* lines, counted from the first lane's */
    bool row, many;                                  /* the lanes go one after another; they all go to one place */
} access_lines;
#define LINE_PATTERNS 256

typedef struct cells {
    access_lines *patterns; /* by place_of (cells.c) */
    uint32_t unit;          /* bytes of a cell: 1, 2 or 4 */
    uint32_t count;
    uint32_t epoch; /* how many barriers the whole block has passed */
    cell *of;
    line *lines;
    hidden_writes *hidden;          /* by cell; NULL: nothing has been written but by weak accesses */
    uint32_t readers, first_reader; /* the agents that read asynchronously: warpgroups */
    struct cells_use {              /* the latest read, by 16 bytes and such an agent; NULL: there was none */
        uint32_t clock, site;
    } * uses;
} cells;

/* False if there is no memory. */
bool cells_make(cells *s, uint32_t bytes, uint32_t unit);
void cells_free(cells *s);

typedef enum trouble {
    TROUBLE_NONE,
    TROUBLE_UNWRITTEN,   /* nothing has written it; with a stamp: a copy has brought unwritten memory there */
    TROUBLE_PENDING,     /* nobody has waited for a copy to it */
    TROUBLE_IN_USE,      /* an asynchronous read of it may not be over: no wait for that comes before */
    TROUBLE_AFTER_WRITE, /* nothing orders it with the write */
    TROUBLE_AFTER_READ   /* nothing orders it with a read */
} trouble;

typedef enum cell_action {
    CELL_READ,
    CELL_WRITE,
    CELL_UPDATE, /* an atomic operation: reads and writes */
    CELL_LOOK,   /* a read that is not noted and may be of unwritten memory */
    CELL_FETCH,  /* a read that may be of unwritten memory */
    CELL_USE     /* a read that only cells_use notes */
} cell_action;

/* Accesses of some lanes of an agent. */
typedef struct cell_access {
    const clocks *clocks;
    uint32_t agent, site;
    bool foreign; /* the agent is of another block, and barriers of this one do not order it */
    strength how;
    bool learns;   /* an update whose old value is used, so it comes after all earlier updates */
    bool replaces; /* an update whose result does not depend on the old value */
    cell_action action;
    /* Called for a lane's first trouble, with the cell's number, and the stamp and site of the other access. */
    void (*trouble)(void *context, trouble t, uint32_t lane, uint32_t number, stamp other, uint32_t other_site);
    void *context;
} cell_access;

/* An access of `bytes` bytes from each lane's offset on, all inside the block's memory. Lanes of one instruction that
 * write one place do not race: the value of one of them remains. */
void cells_access(cells *s, const cell_access *a, uint32_t mask, const uint64_t *offset, unsigned bytes);

/* Notes reads by all lanes, where lane l reads `bytes` bytes from first + l * step on and step is 0 or `bytes`. False,
 * with nothing noted, if the cells must be looked at. */
bool cells_read_row(cells *s, const cell_access *a, uint32_t first, uint32_t step, unsigned bytes);

/* An access of `bytes` bytes from `offset` on by one lane. */
void cells_range(cells *s, const cell_access *a, uint32_t lane, uint32_t offset, uint32_t bytes);

/* A bit for each unwritten byte among at most 16 from `offset` on. */
uint32_t cells_unwritten(const cells *s, const clocks *c, uint32_t offset, unsigned bytes);

/* A copy from `site` to this range is under way; the range has just been noted as written by it. */
void cells_pending(cells *s, uint32_t offset, uint32_t bytes, uint32_t site);
/* A copy from `site` has brought unwritten memory to this range, so the range counts as unwritten. */
void cells_blank(cells *s, const clocks *c, uint32_t offset, uint32_t bytes, uint32_t site);
/* The writes that an asynchronous read of many words has found. */
#define USE_WRITES 4
typedef struct use_writes {
    uint32_t count;
    bool more; /* there are more, or something other than a plain write that comes before the read */
    stamp list[USE_WRITES];
} use_writes;

/* Notes an asynchronous read (CELL_USE) of 16 bytes by number `reader` of the agents that read so. It lasts until that
 * agent's clock has passed `clock`. The writes to these bytes are added to `met`.
 * cells_use_follows: does the access come after all of these writes? */
void cells_use(cells *s, const cell_access *a, uint32_t offset, uint32_t reader, uint32_t clock, use_writes *met);
bool cells_use_follows(const cell_access *a, const use_writes *met);
/* A copy has arrived: the range is written by the agent. */
void cells_arrived(cells *s, const clocks *c, uint32_t agent, uint32_t lane, uint32_t offset, uint32_t bytes,
                   uint32_t site, bool foreign);
