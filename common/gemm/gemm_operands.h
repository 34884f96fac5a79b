/* The operands of a GEMM in device memory. */
#ifndef KL_GEMM_OPERANDS_H
#define KL_GEMM_OPERANDS_H

#include "gemm/gemm.h"
#include "tensor/operands.h"

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
    gemm_case what; /* leading dimensions filled in */
    operand_sets at;
} gemm_operands;

/* What is launched: a variant's launch, or a call of the baseline. */
typedef struct {
    cudaError_t (*launch)(const gemm_problem *p, cudaStream_t stream); /* NULL: the baseline */
    int call;
} gemm_launch;

/* How a type is multiplied. */
verify_arithmetic gemm_arithmetic(gemm_type type);

cudaError_t gemm_enqueue(const gemm_launch *l, const gemm_problem *p, cudaStream_t stream);

/* Device bytes of `sets` sets and the workspace. */
size_t gemm_operands_bytes(const gemm_case *what, int sets);

/* Bytes that one launch touches: C alone where there is no product. */
size_t gemm_operands_touched(const gemm_case *what);

/* Allocates and lays out; fills nothing. Without the device memory it ends the process. */
void gemm_operands_create(gemm_operands *o, const gemm_case *what, int sets);
void gemm_operands_place(gemm_operands *o, const gemm_case *what, void *memory); /* one set; operand_sets_place */
void gemm_operands_destroy(gemm_operands *o);

/* operand_sets_fill with the case's scalars and seed. */
cudaError_t gemm_operands_fill(gemm_operands *o, int s, values_kind kind, cudaStream_t stream);

gemm_problem gemm_operands_problem(const gemm_operands *o, int s);

/* The same before there is memory: addresses are made up, and aligned as they will be (for gemm_variant's refuses and
 * note). */
gemm_problem gemm_operands_outline(const gemm_case *what);

/* operand_sets_verify of this launch. */
cudaError_t gemm_verify(const gemm_launch *launch, const char *name, gemm_operands *o, cudaStream_t stream,
                        FILE *report, verdict *verdict);

#endif
