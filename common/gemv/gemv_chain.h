/* A chain of GEMVs: y of one is x of the next where A is square; else one x and many y, in the same order. What a layer
 * after a layer does, and the place for programmatic dependent launch. */
#pragma once

#include "gemv/gemv_operands.h"

typedef struct {
    gemv_case what; /* alpha keeps the vectors' size from link to link; beta is 0 */
    int links, sets;
    matrix *a;   /* sets of them, rotated */
    matrix *vec; /* vec[0] is the first x; vec[1 + i] the y of link i */
    void *memory;
    cudaError_t (*launch)(const gemv_problem *p, cudaStream_t stream);
    bool pdl; /* launches all links but the first with programmatic dependent launch */
} gemv_chain;

/* The scalars that it is computed with. */
void gemv_chain_scalars(const gemv_case *what, double *alpha, double *beta);

/* Device bytes. */
size_t gemv_chain_bytes(const gemv_case *what, int links, int sets);

/* Allocates (or ends the process, CUDA_ALLOCATE) and fills A and the first x. */
cudaError_t gemv_chain_create(gemv_chain *c, const gemv_case *what, int links, int sets, cudaStream_t stream);
void gemv_chain_destroy(gemv_chain *c);

/* Enqueues link `link`. */
cudaError_t gemv_chain_link(gemv_chain *c, int link, cudaStream_t stream);

/* Poisons every y, runs the whole chain (in a CUDA graph; in the simulator, in the stream) and checks each link against
 * the x that it got: a link that started too early has another's leftovers, or the poison. */
cudaError_t gemv_chain_verify(gemv_chain *c, const char *name, cudaStream_t stream, FILE *report, verdict *verdict);
