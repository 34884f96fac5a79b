/* The operands of a GEMM in device memory: one or several sets of A, B and C between guard zones, in one allocation. */
#ifndef KL_OPERANDS_H
#define KL_OPERANDS_H

#include <stdbool.h>
#include <stdio.h>

#include "gemm/gemm.h"
#include "tensor/inspect.h"
#include "tensor/matrix.h"

typedef struct {
    int m, n, k;
    int lda, ldb, ldc; /* 0: as tight as the matrix */
    float alpha, beta;
    int misalign; /* elements by which A, B and C miss a 256-byte boundary, 0 ... 63 */
    uint64_t seed;
    gemm_type type; /* FP32 and nn where nothing is said */
    dtype out;
    gemm_layout layout;
    size_t workspace; /* bytes, for the launches on all sets together; 0: none */
} gemm_case;

typedef struct {
    matrix a, b, c;
} operand_set;

typedef struct {
    gemm_case what; /* leading dimensions filled in */
    int sets;
    operand_set *set;
    matrix workspace; /* rows of WORKSPACE_ROW words, as many as it takes; none: elements is NULL */
    void *memory;     /* NULL: in somebody else's memory */
} operands;

/* Device bytes of `sets` sets and the workspace. */
size_t operands_bytes(const gemm_case *what, int sets);

/* How many sets together exceed twice the L2 cache, but at most 512 (which may be too few: then flush). */
int operands_cold_sets(const gemm_case *what, size_t l2_bytes);

/* Bytes that one launch touches: C alone where there is no product. */
size_t operands_touched(const gemm_case *what);

/* Allocates and lays out; fills nothing. Without the device memory it ends the process (CUDA_ALLOCATE). */
cudaError_t operands_create(operands *o, const gemm_case *what, int sets);

/* Lays one set out in `memory` (operands_bytes(what, 1) bytes, aligned to 256), which stays the caller's;
 * operands_destroy frees the rest. */
cudaError_t operands_place(operands *o, const gemm_case *what, void *memory);

/* Frees what operands_create or operands_place allocated. */
void operands_destroy(operands *o);

/* Fills set `s`: A and B with `kind` (NaN where alpha == 0, for then nobody may read them), C likewise, or NaN where
 * beta
 * == 0. */
cudaError_t operands_fill(operands *o, int s, values_kind kind, cudaStream_t stream);
cudaError_t operands_fill_c(operands *o, int s, values_kind kind, cudaStream_t stream);

gemm_problem operands_problem(const operands *o, int s);

/* The same before there is memory: addresses are made up, and aligned as they will be (for gemm_variant's refuses and
 * note). */
gemm_problem operands_outline(const gemm_case *what);

/* Launches `launch` on set 0, on integers (every bit must match) and on uniform values (within the bound), and checks
 * all of C, the guard zones and padding of all three, those of the workspace (which holds NaN before the launch), and
 * that A and B are as they were; in the simulator, where the harness's own kernels would take long, from the host.
 * Leaves the set with the uniform values. What is wrong is printed to `report` (NULL: nowhere), each line starting with
 * `name`. */
cudaError_t gemm_verify(cudaError_t (*launch)(const gemm_problem *p, cudaStream_t stream), const char *name,
                        operands *o, cudaStream_t stream, FILE *report, gemm_verdict *verdict);

#endif
