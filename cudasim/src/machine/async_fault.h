/* Faults of asynchronous operations, which show later than the instruction that caused them. */
#pragma once

#include "machine/machine.h"

/* The fault is reported for the instruction and lanes that async_site has named: those that issued a copy which is
 * carried out only now. Where none has been named, it is reported for the instruction that the running warp executes.
 */
void async_site(warp *w, const insn *i, const function *f, uint32_t lanes);
_Noreturn void async_fault(struct block *b, sim_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
