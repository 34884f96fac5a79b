/* What is watched in this process, by the environment:
 *   CUDASIM_COUNTERS=table|lines   counters, printed to stdout when the process ends
 *   CUDASIM_COUNTERS_CSV=FILE      the same to a file
 *   CUDASIM_TRACE=FILE             a trace of what ran when, written when the process ends (watch/trace.h)
 *   CUDASIM_TRACE_BLOCKS=N         of so many blocks of each launch
 *   CUDASIM_CHECK=0                no checks (check/check.h)
 *   CUDASIM_LEAK_CHECK=1           they look for device memory that is not freed, too
 *   CUDASIM_STRICT=1               and for copies to the host of device memory that nothing has written
 *   CUDASIM_EXPLAIN=METRIC         says what the metric is, and ends the process
 * A wrong value ends the process with one line and exit status 2. */
#pragma once

#include <stdbool.h>

/* Reads the environment, once; what is wanted watches from the next launch on. */
void watch_begin(void);

/* Is anything counted or traced? Then: launches from now on are `what`'s, at `problem`, or (NULL) are neither counted
 * nor traced. No kernel may be running. */
bool watch_records(void);
void watch_record(const char *what, const char *problem);

/* Are launches from now on checked? They are where nothing says otherwise. No kernel may be running. */
void watch_check(bool on);

/* Writes what has been counted and traced, and says how much has been found. What a process that would end with 0 is to
 * end with: 1 where something has been found, 2 where a file could not be written; 0: leave it, as with another
 * `exit_status`. */
int watch_end(int exit_status);
