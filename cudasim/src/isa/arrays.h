/* Which shared array an access means: followed from where its address is taken through what the function computes with
 * it. */
#pragma once

#include "isa/insn.h"

#define ARRAY_UNKNOWN 0
#define ARRAY_MANY    255 /* of more than one */

/* By instruction: the number + 1 in function->arrays of the array that the address of its access to memory comes from,
 * or one of the above. The caller frees it; NULL: no memory. */
uint8_t *arrays_of(const function *f);

/* The same from the parsed function alone, with the arrays' names. */
uint8_t *arrays_follow(const ptx_function *s, const char *const *names, int count);
