/* The checks of running kernels: what is found goes to stderr, and the program that would have ended with 0 ends
 * with 1. */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "machine/observe.h"

/* Once, before any kernel. `leaks`: device memory that the program has not freed in the end is a finding. */
void checks_begin(bool leaks);

/* No kernel runs any more: says how much has been found. True where that is anything. */
bool checks_end(void);

/* The observer that checks, with another one after it (NULL: none). */
observer *checks_before(observer *next);

#endif
