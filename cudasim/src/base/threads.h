/* Host threads that help with launches. They are started when they are first wanted and stay, since to start and join
 * threads for each launch takes longer than most launches do. */
#pragma once

#include <stdbool.h>

/* Work that several threads may join; all zeros but for the first three. One at a time. */
typedef struct pool_job {
    void (*work)(void *argument, int number); /* once a thread, numbers 1, 2, ... `wanted` */
    void *argument;
    int wanted;
    int joined, busy; /* threads that have, threads that still work */
} pool_job;

/* Offers the job. As many threads as it wants join it as they find the time, or fewer; it must not depend on them. */
void pool_begin(pool_job *job);

/* No thread joins any more; true once those that have are done. Waits for that until the given time (CLOCK_MONOTONIC,
 * seconds; 0: for as long as it takes). Must be called until it says true. */
bool pool_end(pool_job *job, double until);

/* A thread of this library's own: detached, and none of the program's signals end up in it. False if there is none. */
bool pool_thread(void *(*run)(void *), void *argument);

/* How many threads of this process are not this library's own; 1 where that cannot be found out. */
int pool_other_threads(void);

/* CLOCK_MONOTONIC in seconds. */
double pool_now(void);
