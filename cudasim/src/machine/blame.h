/* Mistakes that show later than they are made. */
#ifndef SIM_BLAME_H
#define SIM_BLAME_H

#include "machine/machine.h"

/* Who is blamed for a mistake that shows: the lanes of the running warp's instruction, or those that issued a copy
 * which is carried out only now. */
void async_site(warp *w, const insn *i, const function *f, uint32_t lanes);
_Noreturn void async_fault(struct block *b, sim_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
