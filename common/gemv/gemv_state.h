/* What the parts of a GEMV run share. */
#pragma once

#include "bench/session.h"
#include "bench/tune.h"
#include "gemv/gemv_baseline.h"
#include "gemv/gemv_operands.h"
#include "gemv/gemv_options.h"

/* Modes, as recorded. */
#define GEMV_GRAPH "graph"
#define GEMV_PDL   "pdl"

typedef struct {
    gemv_options o;
    dtype type;
    tune_table tuned;
    gemv_baseline baseline;
    int ceiling_way;     /* of reading A and nothing else, the fastest at this problem */
    double ceiling_gbps; /* NAN: not measured */
} gemv_state;

static inline gemv_state *gemv_state_of(const session *s) {
    return s->state;
}

/* The launcher of a variant, or of one of its candidates. */
typedef cudaError_t gemv_launcher(const gemv_problem *p, cudaStream_t stream);
static inline gemv_launcher *gemv_launcher_of(const bench_launch *l) {
    const gemv_variant *v = l->variant->self;
    return v->candidates != NULL ? v->candidates[l->number].launch : v->launch;
}

/* Bytes that are enough to drive everything else out of the L2 cache: four times as many. Of matrices of 33 MB in turn,
 * together twice the L2 cache, an H200 still finds a tenth there. */
static inline size_t gemv_cold_bytes(const session *s) {
    return 4 * s->device.l2_bytes;
}

/* The candidate for this problem: known, found now (and kept in the tuning file), or the nearest shape's; in the
 * simulator the first that fits. `launch` says for which variant and mode, and gets its number. False: none fits. */
bool gemv_tune(session *s, const timing_task *outline, bench_launch *launch);

/* A variant's candidate of this name; -1: it has none. */
int gemv_candidate_index(const gemv_variant *v, const char *name);

/* Looks at --tune-csv's file. EXIT_OK, or EXIT_USAGE after a line. */
int gemv_tune_prepare(const session *s);

/* --graph: each chosen variant in a chain of launches, without and with programmatic dependent launch, at the command
 * line's problems. Returns the exit status. */
int gemv_chain_sweep(session *s);

/* Does this GPU have programmatic dependent launch? */
enum { GEMV_PDL_CC = 90 };
