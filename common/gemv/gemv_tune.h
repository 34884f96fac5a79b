/* Which of a variant's candidates is launched. */
#ifndef KL_GEMV_TUNE_H
#define KL_GEMV_TUNE_H

#include "gemv/gemv_state.h"

/* The candidate for this problem: known, found now (and kept in the tuning file), or the nearest shape's; in the
 * simulator the first that fits. `launch` says for which variant and mode, and gets its number. False: none fits. */
bool gemv_tune(session *s, const timing_task *outline, bench_launch *launch);

/* Looks at --tune-csv's file. EXIT_OK, or EXIT_USAGE after a line. */
int gemv_tune_prepare(const session *s);

#endif
