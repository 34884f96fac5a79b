/* The report of a block that cannot go on. */
#pragma once

#include "machine/machine.h"

/* Says where each of its warps and of its cluster's stands, and stops the launch. */
_Noreturn void stuck(block *b, const char *why);
