/* The name that somebody who mistyped it meant. */
#pragma once

/* How many characters differ between two names but for case: inserted, left out, replaced, or two swapped. Names longer
 * than SUGGEST_LONGEST are as far apart as can be. */
#define SUGGEST_LONGEST 127
int suggest_distance(const char *a, const char *b);

/* The most by which what somebody typed may differ from the name that is suggested. */
int suggest_limit(const char *typed, const char *name);
