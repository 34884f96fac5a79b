/* Turns what an access to shared memory has run into (check/cells.h) into findings. */
#pragma once

#include "check/checked.h"

typedef struct shared_report {
    warp *w;
    checked_block *at; /* whose shared memory */
    const function *function;
    uint32_t pc;
    unsigned bytes;
    const uint64_t *offset; /* of its lanes; NULL: not of an instruction's accesses by lanes */
    uint8_t array;
    const char *verb; /* "reads" */
    bool loads;       /* into registers */
    bool silent_same; /* a plain store: one of the value that is there is no race with another store */
} shared_report;

/* cell_access.trouble; its context is a shared_report. */
void shared_report_trouble(void *context, trouble t, uint32_t lane, uint32_t number, stamp other, uint32_t other_site);

/* Stores that left what was there were no race with other stores: the instructions before have been executed. And: what
 * is in doubt is of a block that has ended. */
void shared_settle_all(void);
static inline void shared_settle(void) {
    if (checked_doubts) shared_settle_all();
}
void shared_forget(void);
