/* The operands of C = alpha*A*B + beta*C in device memory: one or several sets of A, B and C between guard zones, and a
 * workspace, in one allocation. A GEMV's x is a B of one column and its y a C of one. */
#ifndef KL_OPERANDS_H
#define KL_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tensor/inspect.h"
#include "tensor/matrix.h"

typedef struct {
    matrix a, b, c;
} operand_set;

typedef struct {
    int sets;
    operand_set *set;
    matrix workspace; /* words, shared by the launches on all sets; if there is none, elements is NULL */
    void *memory;
} operand_sets;

/* A matrix without memory yet: its addresses are made up, but aligned as the real ones will be. */
matrix operand_outline(dtype type, int rows, int cols, int ld, int misalign);

/* `bytes` of workspace, rounded up, likewise. */
matrix operand_workspace(size_t bytes);

/* Device bytes needed for that many sets and the workspace. */
size_t operand_sets_bytes(const operand_set *outline, size_t workspace, int sets);

/* Lays out the sets and the workspace in `memory` (operand_sets_bytes of it, aligned to 256 bytes), which the caller
 * still owns; fills nothing. */
void operand_sets_place(operand_sets *o, const operand_set *outline, size_t workspace, int sets, void *memory);

/* The same in newly allocated device memory; ends the process if there is not enough. */
void operand_sets_create(operand_sets *o, const operand_set *outline, size_t workspace, int sets);
void operand_sets_destroy(operand_sets *o);

/* Fills set `s`: A and B with `kind` (NaN if alpha == 0, for then they must not be read), and C (NaN if beta == 0). B
 * comes last, so that a kernel that starts early and does not wait for it is caught. */
cudaError_t operand_sets_fill(operand_sets *o, int s, values_kind kind, float alpha, float beta, uint64_t seed,
                              cudaStream_t stream);
cudaError_t operand_sets_fill_c(operand_sets *o, int s, values_kind kind, float beta, uint64_t seed,
                                cudaStream_t stream);

/* What to verify: `launch` enqueues one launch on set 0 with these scalars. */
typedef struct {
    const char *name;  /* begins each line of the report */
    const char *names; /* "ABC" or "Axy" */
    float alpha, beta;
    verify_arithmetic arithmetic;
    bool b_transposed;
    uint64_t seed;
    int launches; /* one after the other */
    cudaError_t (*launch)(void *context, float alpha, float beta, cudaStream_t stream);
    void *context;
} operand_test;

/* Launches on set 0, once on integers (every bit must match) and once on uniform values (within the bound), and checks
 * all of C, the guard zones and padding of all three operands, those of the workspace (which holds NaN before the
 * launch), and that A and B are unchanged; in the simulator on the host, where the harness's own kernels would take
 * long. Leaves the set with the uniform values. Errors are described in `report` (NULL: nowhere). Returns the error of
 * the launch or the first one of the checks. */
cudaError_t operand_sets_verify(operand_sets *o, const operand_test *test, cudaStream_t stream, FILE *report,
                                verdict *verdict);

#endif
