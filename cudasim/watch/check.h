/* The checks of running kernels: what is found goes to stderr, and the program that would have ended with 0 ends
 * with 1. */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "machine/observe.h"

/* From now on the process ends with a count of the findings, if there are any. Once.
 * `leaks`: device memory that the program has not freed by then is one. */
void checks_begin(bool leaks);

/* The observer that checks, with another one behind it (NULL: none). */
observer *checks_before(observer *next);

#endif
