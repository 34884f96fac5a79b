/* A run over problems: one, or those of a sweep. */
#pragma once

#include "bench/session.h"

/* All chosen variants at all problems of the command line, verified, timed, printed and recorded. In a sweep what
 * cannot run is skipped with the reason; a problem that was asked for by its size and does not fit ends the run with
 * status 2. Returns the exit status. */
int bench_sweep(session *s);

/* --sweep check: verifies all chosen variants over the family's list, a line per variant and, last, "N passed, N
 * failed, N skipped". Returns the exit status. */
int bench_check(session *s);

/* What a run over the problems begins with: the command line's problems, and the table's header. EXIT_OK, or EXIT_USAGE
 * after a line: there is none. */
int sweep_begin(session *s, case_list *problems);

/* And what it ends with: waits for the device, frees the list and returns the exit status, `status` unless that is
 * EXIT_OK. */
int sweep_end(session *s, case_list *problems, int status);

/* The problem needs so many bytes, and does not fit: says so in a sweep's table (EXIT_OK), or on stderr (EXIT_USAGE).
 */
int sweep_too_large(const session *s, const void *problem, double need);
