/* How many registers a function needs: what is live at once. */
#pragma once

#include "ptx/ptx.h"

/* The most 32-bit words that registers of the function, and of what it calls by name, hold at one time. Predicates
 * count nothing. 0: no memory. */
unsigned live_words(const ptx_module *p, const ptx_function *s);
