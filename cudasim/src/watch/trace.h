/* A trace: what ran when, by warp, in the Chrome trace event format, which Perfetto opens. Its time is an order
 * (watch/traced.h). Of launches of a kernel that are alike the first is traced, and of its grid the first blocks. */
#pragma once

#include "machine/observe.h"

#define TRACE_BLOCKS 2 /* unless told otherwise */

extern observer trace_observer;

/* Once, before any launch: so many blocks of each launch, in whole clusters; the trace is to go to that file. False,
 * and a line on stderr, where it cannot be written. */
bool trace_begin(const char *path, uint64_t blocks);

/* Labels launches from now on with `what` and `problem`. */
void trace_of(const char *what, const char *problem);

/* Writes the file, and says on stderr what has been left out. False, and a line on stderr, where that fails: then no
 * file is there, or the one that was. */
bool trace_end(void);
