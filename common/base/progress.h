/* A progress line on stderr, shown only on a terminal. */
#pragma once

#include <stdio.h>

/* Shows `done` of `total` steps with `label` (what is being done now), redrawn in place at most ten times a second, and
 * always for done == 0 and done == total. Does nothing if `f` is not a terminal. Fits in 80 columns. */
void progress_show(FILE *f, const char *label, long done, long total);

/* Erases the line, so that other output can follow. */
void progress_clear(FILE *f);
