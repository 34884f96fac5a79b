/* The operands of C = alpha*A*B + beta*C in device memory: one or several sets of A, B and C between guard zones, and a
 * workspace, in one allocation. A GEMV's x is a B of one column and its y a C of one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tensor/inspect.h"
#include "tensor/matrix.h"

typedef struct {
    matrix a, b, c;
    matrix d;         /* what is added to each column (verify_case). None: its elements are NULL */
    matrix workspace; /* words; all sets have the same one. None: its elements are NULL */
} operand_set;

/* What is computed, and on what kind of operands. */
typedef struct {
    operand_set like;  /* outlines, as operand_outline and operand_workspace make them */
    const char *names; /* of A, B, C and d in reports: "ABC" or "Axy" */
    float alpha, beta;
    verify_arithmetic arithmetic;
    bool b_transposed;
    windows seen; /* of A */
    uint64_t seed;
    int launches; /* that verifying enqueues one behind the other; 0 is 1 */
} operand_spec;

typedef struct {
    operand_spec spec;
    int sets;
    operand_set *set;
    void *memory; /* NULL: the caller's */
} operand_sets;

/* What a launch on a set has to compute. */
verify_case operand_case(const operand_spec *spec, const operand_set *set, float alpha, float beta, bool exact);

/* A matrix without memory yet: its addresses are made up, but aligned as the real ones will be. ld 0: as tight as
 * possible. */
matrix operand_outline(dtype type, int rows, int cols, int ld, int misalign);

/* `bytes` of workspace, rounded up, likewise. */
matrix operand_workspace(size_t bytes);

/* Bytes that one launch touches: C's alone if there is no product, and none if C is empty. */
size_t operand_touched(const operand_spec *spec);

/* Device bytes needed for that many sets and the workspace; INFINITY: more than can be addressed. */
double operand_sets_bytes(const operand_spec *spec, int sets);

/* Lays out the sets and the workspace in `memory` (operand_sets_bytes of it, aligned to 256 bytes), which the caller
 * still owns; fills nothing. */
void operand_sets_place(operand_sets *o, const operand_spec *spec, int sets, void *memory);

/* The same in newly allocated device memory; ends the process if there is not enough. */
void operand_sets_create(operand_sets *o, const operand_spec *spec, int sets);
void operand_sets_destroy(operand_sets *o);

/* Fills set `s`: A and B with `kind` (NaN if alpha == 0, for then they must not be read), and C (NaN if beta == 0). B
 * comes last, so that a kernel that starts early and does not wait for it is caught. */
cudaError_t operand_sets_fill(operand_sets *o, int s, values_kind kind, cudaStream_t stream);
cudaError_t operand_sets_fill_c(operand_sets *o, int s, values_kind kind, cudaStream_t stream);

/* Enqueues one launch on a set, with these scalars. */
typedef cudaError_t operand_launch(void *context, const operand_set *set, float alpha, float beta, cudaStream_t stream);

/* Launches on set 0, once on integers (every bit must match) and once on uniform values (within the bound), and checks
 * all of C, the guard zones and padding of all operands, those of the workspace (which holds NaN before the
 * launch), and that A, B and d are unchanged; in the simulator on the host, where the harness's own kernels would take
 * long. Leaves the set with the uniform values. Errors are described in `report` (NULL: nowhere), each line starting
 * with `name`. Returns the error of the launch or the first one of the checks. */
cudaError_t operand_sets_verify(operand_sets *o, const char *name, operand_launch *launch, void *context,
                                cudaStream_t stream, FILE *report, verdict *verdict);

/* The first of the two launches alone, and without a reference: verdict->fingerprint is what every right launch has in
 * common. Checks everything around C as above; verdict->ok says only that. */
cudaError_t operand_sets_fingerprint(operand_sets *o, const char *name, operand_launch *launch, void *context,
                                     cudaStream_t stream, FILE *report, verdict *verdict);
