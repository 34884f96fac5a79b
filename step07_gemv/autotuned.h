/* The candidates of `autotuned`: autotuned.cu fills the table, step.c hands it to the harness. */
#ifndef KL_AUTOTUNED_H
#define KL_AUTOTUNED_H

#include "gemv/gemv.h"

enum { AUTOTUNED_CANDIDATES = 49 };

#ifdef __cplusplus
extern "C" {
#endif

extern const gemv_candidate autotuned_candidates[AUTOTUNED_CANDIDATES];

#ifdef __cplusplus
}
#endif

#endif
