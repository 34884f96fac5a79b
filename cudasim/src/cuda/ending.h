/* How a process ends (cuda/ending.c). */
#ifndef CUDA_ENDING_H
#define CUDA_ENDING_H

/* From now on, before main: a process that _exit or a signal ends tells what has been found, counted and traced, too. */
void ending_begin(void);

/* Tells it, once, in the process that called ending_begin. `status` is what it would end with; what it is to end with
 * instead, 0: leave it. */
int ending_report(int status);

/* What the process ends with, once it has called exit; -1 before. */
int ending_status(void);

#endif
