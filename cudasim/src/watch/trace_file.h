/* Writes traces as text to their file. */
#pragma once

#include <stdio.h>

#include "watch/traced.h"

/* Adds a launch's events to the text, each but the text's first after a comma. *processes: blocks written so far.
 * Returns how many events that were. */
uint64_t trace_write_launch(const traced_launch *l, FILE *text, int *processes);

/* Puts the file there (sink.h), with these events in it; `notes`: what has been left out. False, and a line on stderr,
 * where that fails. */
bool trace_put_file(const char *path, const char *events, const char *notes);
