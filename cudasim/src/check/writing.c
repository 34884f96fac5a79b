#include "check/writing.h"

#include <sched.h>
#include <time.h>

/* A worker notes a write in the cells before it executes it. Another worker that finds the note may come before the
 * write itself, so each worker says when it is between the two: its number is odd then. */
static write_number *number_of(const warp *w) {
    return &checked(w->block)->cluster->launch->writing[w->worker - w->launch->workers];
}

void writing_begins(const warp *w) {
    write_number *mine = number_of(w);
    if ((mine->now & 1) == 0) __atomic_store_n(&mine->now, mine->now + 1, __ATOMIC_RELEASE);
}

/* Strong writes and atomic operations take turns from the note to the execution: the cells then know them in the order
 * in which they were executed, so that the last one noted has read what the one before it left. Nobody waits with the
 * turn. A launch that is stopped may never give it back. */
void writing_turn(const warp *w) {
    checked_launch *l = checked(w->block)->cluster->launch;
    const uint32_t mine = (uint32_t)(w->worker - w->launch->workers) + 1;
    uint32_t nobody = 0;
    while (!__atomic_compare_exchange_n(&l->turn, &nobody, mine, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) &&
           !__atomic_load_n(&w->launch->stop, __ATOMIC_ACQUIRE)) {
        nobody = 0;
        sched_yield();
    }
}
static void turn_ends(const warp *w) {
    checked_launch *l = checked(w->block)->cluster->launch;
    uint32_t mine = (uint32_t)(w->worker - w->launch->workers) + 1;
    __atomic_compare_exchange_n(&l->turn, &mine, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void writing_ends(const warp *w) {
    write_number *mine = number_of(w);
    turn_ends(w);
    if ((mine->now & 1) != 0) __atomic_store_n(&mine->now, mine->now + 1, __ATOMIC_RELEASE);
}

/* A worker is between the two for a few hundred instructions and waits for nobody there, but the host may have taken
 * its processor away for any time. */
bool writing_await(const warp *w) {
    const launch *la = w->launch;
    const write_number *all = checked(w->block)->cluster->launch->writing, *mine = number_of(w);
    for (const write_number *n = all; n < all + la->worker_count; n++) {
        const uint32_t then = n != mine ? __atomic_load_n(&n->now, __ATOMIC_ACQUIRE) : 0;
        for (int turn = 0; (then & 1) != 0 && __atomic_load_n(&n->now, __ATOMIC_ACQUIRE) == then; turn++) {
            if (__atomic_load_n(&la->stop, __ATOMIC_ACQUIRE)) return false;
            if (turn < 1000)
                sched_yield();
            else
                nanosleep(&(struct timespec){0, 100000}, NULL);
        }
    }
    return true;
}
