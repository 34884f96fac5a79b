/* The CUDASIM_* variables of the environment that are numbers, and a check of them. A value that is refused ends
 * the process with one line on stderr that names it, and exit status 2. */
#pragma once

/* CUDASIM_THREADS, host threads that run blocks: a whole number from 1 to MAX_HOST_THREADS; unset or empty: the number
 * of processors. Read at each call, as is the other. */
#define MAX_HOST_THREADS 1024
long environment_threads(void);

/* CUDASIM_WATCHDOG: seconds without progress after which a kernel is stopped, 0: never; unset or empty: 60. */
double environment_watchdog(void);

/* Checks them, CUDASIM_DEVICE and CUDASIM_CEILINGS before the program has done anything, once. */
void environment_check(void);
