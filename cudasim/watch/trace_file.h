/* Traces as text, and the file that they go to. */
#ifndef SIM_TRACE_FILE_H
#define SIM_TRACE_FILE_H

#include <stdio.h>

#include "watch/traced.h"

/* Adds a launch's events to the text, each but the text's first after a comma. *processes: blocks written so far.
 * Returns how many events that were. */
uint64_t trace_write_launch(const traced_launch *l, FILE *text, int *processes);

/* Can the file be written? Nothing is left there. False, and a line on stderr, where not. */
bool trace_try_file(const char *path);

/* Puts the file there, with these events in it; `notes`: what has been left out. It is there as a whole or not at all
 * (unless it is a device or a pipe). False, and a line on stderr, where that fails. */
bool trace_put_file(const char *path, const char *events, const char *notes);

#endif
