/* A file that is there as a whole or not at all (unless it is a device or a pipe): traces and counts. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Where a file's text goes: into a new file beside it, which then takes its place. What is no regular file, and what
 * this process has open as its standard output or standard error (/dev/stdout), is written to as it is. */
typedef struct sink {
    FILE *to;
    char *target, *beside; /* beside NULL: it is written to as it is */
} sink;

/* Can the file be written? Nothing is left there. False, and a line on stderr, where not. */
bool sink_try(const char *path);

/* Opens it. False, a line on stderr and nothing to close, where it cannot be written. */
bool sink_open(sink *s, const char *path);

/* Puts the file in its place. False, and a line on stderr, where something of it could not be written; what was there
 * before is there then. */
bool sink_close(sink *s, const char *path);
