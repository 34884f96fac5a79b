/* Output files that this process already has open, as its standard output, say. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* The descriptor `path` refers to: 1 for "-", else the first from 1 on that is open on this file (/dev/stdout,
 * /dev/fd/N, or f in `--out f >f`); -1 if none. Opening such a path again would start at the beginning of the file, or
 * truncate it, and destroy what has already been written. */
enum { OUTPUT_DESCRIPTORS = 64 };
int output_descriptor(const char *path);

/* A duplicate of it (to be closed), after flushing what stdout and stderr have buffered; -1 with errno set. */
int output_duplicate(int descriptor);

/* Where standard input, output or error is closed, puts something in its place that cannot be used either: or the next
 * file that is opened would get its number, and what is printed. To be called before any file is opened. */
void output_reserve(void);

/* Writes what `f` has buffered. Returns whether all that was printed has arrived; if not, errno says why (0: unknown).
 */
bool output_flush(FILE *f);
