/* Work on the CPU, in several threads. */
#pragma once

enum { PARALLEL_MAX = 64 };

/* How many threads are worth starting for `work` when each should get at least `least` of it: 1 ... PARALLEL_MAX, and
 * no more than the CPUs this process may use. */
int parallel_threads(double work, double least);

/* Calls part(context, i, threads) for i = 0 ... threads - 1, each in a thread of its own except the last, which runs in
 * the caller's, and returns when all have returned. If a thread cannot be started, the caller does its part. */
void parallel_run(int threads, void (*part)(void *context, int i, int threads), void *context);
