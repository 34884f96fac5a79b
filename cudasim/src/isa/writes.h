/* Which memory a function may write, followed from its parameters through what it computes with them. */
#pragma once

#include "isa/insn.h"

/* A set of places that pointers come from. Bit k, below the others: 8 bytes of an entry's parameters, from byte 8 * k
 * on. */
#define WRITES_PARAMS    59
#define WRITES_OWN       ((uint64_t)1 << 60) /* shared and local memory */
#define WRITES_VARIABLES ((uint64_t)1 << 61) /* of the module */
#define WRITES_WORKSPACE ((uint64_t)1 << 62) /* of cooperative groups */
#define WRITES_ANYWHERE  ((uint64_t)1 << 63)

/* Where the function's own stores, atomic operations and bulk copies (not those by tensor maps) to global memory may
 * go.
 */
uint64_t writes_of(const function *f);
