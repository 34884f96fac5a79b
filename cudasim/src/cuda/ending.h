/* How a process ends (cuda/ending.c). */
#pragma once

/* From now on, before main: a process that _exit or a signal ends tells what has been found, counted and traced, too.
 */
void ending_begin(void);

/* At exit: tells it, and returns the status that the process is to end with instead of its own; 0: leave it. */
int ending_report(void);
