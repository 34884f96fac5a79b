/* What accesses to shared memory meet, said as findings. */
#ifndef SIM_PLACES_H
#define SIM_PLACES_H

#include "check/checked.h"

typedef struct place_access {
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
} place_access;

/* cell_access.trouble; its context is a place_access. */
void place_trouble(void *context, trouble t, uint32_t lane, uint32_t number, stamp other, uint32_t other_site);

/* Stores that left what was there were no race with other stores: the instructions before have been executed. And: what
 * is in doubt is of a block that has ended. */
void places_settle_all(void);
static inline void places_settle(void) {
    if (checked_doubts) places_settle_all();
}
void places_forget(void);

#endif
