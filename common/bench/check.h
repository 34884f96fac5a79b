#ifndef KL_CHECK_H
#define KL_CHECK_H

#include "bench/session.h"

/* --sweep check: verifies all chosen variants over the family's list, a line per variant and, last, "N passed, N
 * failed, N skipped". Returns the exit status. */
int bench_check(session *s);

#endif
