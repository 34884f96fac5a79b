/* Functions by the addresses that kernels have of them. */
#pragma once

#include "isa/insn.h"

/* So many have an address at one time. */
#define MOST_FUNCTIONS 65536

/* Gives the function an address; false where there is none left. Kernels may run meanwhile. */
bool function_add(function *f);
void function_remove(function *f);

/* The function at an address; NULL if there is none. */
const function *function_at(uint64_t address);
