/* Plain loads that begin a loop of compare-and-swap. */
#pragma once

#include "ptx/ptx.h"

/* Is what the load at `pc` gives only ever compared by an atom.cas of the same place, and what is made of it only ever
 * that one's new value? Then a wrong value does no harm: the atom.cas finds it out. */
bool cas_guards_load(const ptx_function *s, int pc);

/* Has the function an atom.cas? */
bool cas_any(const ptx_function *s);
