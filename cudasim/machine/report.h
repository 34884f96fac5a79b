/* What the user is told when a kernel is stopped. */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "machine/machine.h"

/* The block cannot go on: says where each of its warps stands, and stops the launch. */
_Noreturn void report_stuck(block *b, const char *why);

/* The host has no such memory for the worker's warps: says so, and stops the launch. */
_Noreturn void report_no_memory(worker *k, uint64_t bytes, const char *what);

#endif
