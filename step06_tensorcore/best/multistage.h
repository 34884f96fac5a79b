/* What best.cu asks of multistage.cu before it launches. */
#pragma once

#include "costs.h"
#include "gemm/gemm.h"

__BEGIN_DECLS

/* A way to compute a problem. */
typedef struct {
    double clocks; /* of a multiprocessor; infinite: there is no such plan */
    int tile;      /* its number in multistage.cuh, or MULTISTAGE_THIN: thin.cu, _LITTLE: little.cu */
    int parts;     /* of each tile of C behind */
    int64_t whole; /* those that are not divided */
    size_t bytes;  /* of workspace */
} multistage_plan;

enum { MULTISTAGE_ANY = -1, MULTISTAGE_TILES_MOST = 8, MULTISTAGE_THIN = MULTISTAGE_TILES_MOST, MULTISTAGE_LITTLE };

/* The plan that is estimated to be the fastest on the current device: of all, or of those with the tile `only`. Without
 * a workspace it divides no tile. */
multistage_plan plan_multistage(const gemm_problem *p, bool workspace, int only, const plan_costs *costs);

/* What `plan`, made with these or other constants, is estimated to take; infinite: not on this device. */
double multistage_clocks(const gemm_problem *p, const multistage_plan *plan, const plan_costs *costs);

/* Launches it. */
cudaError_t launch_multistage_plan(const gemm_problem *p, const multistage_plan *plan, cudaStream_t stream);

/* The bytes of workspace that launch_multistage needs to divide tiles along K. Without a workspace it divides none. */
size_t workspace_multistage(const gemm_problem *p);

__END_DECLS
