/* "Did you mean": the known name that a mistyped one is closest to. */
#pragma once

/* Of `known` (NULL-terminated) the first with the fewest insertions, deletions, replacements and exchanges of
 * neighbours between it and `text`. NULL where the fewest are more than a quarter of the longer one's length, or more
 * than 3. */
const char *suggest(const char *text, const char *const *known);
