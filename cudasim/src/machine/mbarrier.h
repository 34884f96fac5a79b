/* mbarriers: 64-bit words of shared memory that count arrivals and bytes (PTX ISA 9.7.13.15). The count of a phase is
 * its pending arrivals and its transaction count, the bytes expected less those that have come; a phase ends when both
 * are 0, and the next begins with the expected number of arrivals.
 *
 * The state lives beside the block; the word in shared memory is an encoding of it, so that an ordinary store over an
 * mbarrier is noticed at the next operation on it. */
#pragma once

#include <stdio.h>

#include "machine/machine.h"

#define MBARRIER_MOST ((1 << 20) - 1) /* arrivals, and bytes either way */

/* `offset` is that of the mbarrier in the target's shared memory. A mistake stops the launch (false: never seen). The
 * state, where wanted, is that before the arrival. */
bool mbarrier_arrive_at(struct block *target, uint32_t offset, uint32_t count, uint32_t expect_tx, uint64_t *state);
bool mbarrier_complete_tx(struct block *target, uint32_t offset, uint32_t bytes);

void mbarrier_init(struct block *b, uint32_t offset, uint32_t count);
void mbarrier_inval(struct block *b, uint32_t offset);
void mbarrier_expect_tx(struct block *target, uint32_t offset, uint32_t bytes);
/* arrive_drop: this phase and all later ones expect `count` less. */
void mbarrier_drop(struct block *target, uint32_t offset, uint32_t count);
/* arrive.noComplete: it must not end the phase. */
void mbarrier_no_complete(struct block *b, uint32_t offset, uint32_t count);
/* cp.async.mbarrier.arrive without .noinc: one more arrival is awaited in this phase. */
void mbarrier_await_more(struct block *b, uint32_t offset, uint32_t count);
/* Stops the launch unless there is an mbarrier. */
void mbarrier_check(struct block *b, uint32_t offset);
uint32_t mbarrier_pending(uint64_t state);

/* A copy or an arrival has been sent that will report to it. */
void mbarrier_in_flight(struct block *b, uint32_t offset);

/* All that was in flight has come, so many bytes and arrivals: the phase ends, if it does, after the last. */
void mbarrier_land(struct block *b, uint32_t offset, uint64_t bytes, uint32_t arrivals);

/* test_wait, try_wait: has the phase ended that the lanes' states or parities (0, 1) mean? */
typedef struct mbarrier_wait {
    const uint32_t *offsets; /* in the warp's own block; a lane array */
    const uint64_t *states;  /* or NULL: */
    const uint32_t *parities;
    bool blocking;
} mbarrier_wait;

/* The lanes for which it has; *blocked those that wait on (they are to be parked with warp_park), the others go on with
 * false. */
uint32_t mbarrier_wait_lanes(warp *w, uint32_t mask, const mbarrier_wait *wait, uint32_t *blocked);

/* The first mbarrier from number *at on that somebody has tested in vain since this last gave it; false: none. */
bool mbarrier_tested(struct block *b, int *at, uint32_t *offset);

/* For machine/stuck.c: " phase 3 of the mbarrier at 0x410 (1 of 2 arrivals pending, 512 bytes pending)". */
void mbarrier_describe(const struct block *b, uint32_t offset, char *text, size_t size);
void mbarrier_list(const struct block *b, FILE *to);

void mbarriers_clear(struct block *b);
void mbarriers_free(struct block *b);
