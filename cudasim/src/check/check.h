/* The checks of running kernels: what is found goes to stderr, and the program that would have ended with 0 ends
 * with 1. */
#pragma once

#include "machine/observe.h"

/* Once, before any kernel. `leaks`: device memory that the program has not freed in the end is a finding; `strict`: so
 * is what the host copies of device memory that nothing has written. */
void checks_begin(bool leaks, bool strict);

/* The host is about to copy these bytes of device memory. */
void checks_host_copy(const void *from, uint64_t bytes);

/* Prints how many findings there are, after the last kernel. True if there are any. */
bool checks_end(void);

/* The observer that checks, with another one after it (NULL: none). */
observer *checks_before(observer *next);
