#ifndef KL_GEMV_CHAIN_RUN_H
#define KL_GEMV_CHAIN_RUN_H

#include "gemv/gemv_state.h"

/* --graph: each chosen variant in a chain of launches, without and with programmatic dependent launch, at the command
 * line's problems. Returns the exit status. */
int gemv_chain_sweep(session *s);

#endif
