/* What is watched in this process, by the environment:
 *   CUDASIM_COUNTERS=table|lines   counters, printed to stdout when the process ends
 *   CUDASIM_COUNTERS_CSV=FILE      the same to a file
 *   CUDASIM_CHECK=0                no checks (check/check.h)
 *   CUDASIM_LEAK_CHECK=1           they look for device memory that is not freed, too
 *   CUDASIM_EXPLAIN=METRIC         says what the metric is, and ends the process
 * A wrong value ends the process with one line and exit status 2. */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include <stdbool.h>

/* Reads the environment, once; what is wanted watches from the next launch on. */
void watch_begin(void);

/* Is anything counted? Then: launches from now on are `what`'s, at `problem`, or (NULL) are not counted. No kernel may
 * be running. */
bool watch_counts(void);
void watch_count(const char *what, const char *problem);

/* Writes what has been counted, and says how much has been found. True where the process is to end with 1 for that. */
bool watch_end(void);

#endif
