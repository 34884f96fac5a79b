/* The operands of a GEMV in device memory: A, x as a B of one column, y as a C of one. */
#ifndef KL_GEMV_OPERANDS_H
#define KL_GEMV_OPERANDS_H

#include "gemv/gemv.h"
#include "tensor/operands.h"

typedef enum { PLANT_NONE, PLANT_A, PLANT_X, PLANT_Y } gemv_plant;

typedef struct {
    dtype type;
    int n, k;
    int lda; /* 0: as tight as the matrix */
    float alpha, beta;
    int off_a, off_x, off_y; /* elements by which each misses a 256-byte boundary, 0 ... 63 */
    gemv_plant plant;        /* where `planted` stands in the place of element number `plant_at` */
    uint64_t plant_at;
    float planted;
    uint64_t seed;
} gemv_case;

typedef struct {
    gemv_case what; /* leading dimension filled in */
    operand_sets at;
} gemv_operands;

/* What is launched: a variant's or a candidate's launch, or a call of cuBLAS. */
typedef struct {
    cudaError_t (*launch)(const gemv_problem *p, cudaStream_t stream); /* NULL: cuBLAS */
    int cublas_call;
    bool pdl; /* with programmatic dependent launch (not cuBLAS) */
} gemv_launch;

cudaError_t gemv_enqueue(const gemv_launch *l, const gemv_problem *p, cudaStream_t stream);

/* Name of a call of cuBLAS for the type; NULL where there is none. */
const char *gemv_baseline_name(dtype type, int call);

/* Device bytes of `sets` sets. */
size_t gemv_operands_bytes(const gemv_case *what, int sets);

/* Bytes that one launch touches: y alone where there is no product. */
size_t gemv_operands_touched(const gemv_case *what);

/* Bytes that are enough to drive everything else out of an L2 cache of that size: four times as many. Of matrices of
 * 33 MB in turn, together twice the L2 cache, an H200 still finds a tenth there. */
size_t gemv_operands_cold_bytes(size_t l2_bytes);

/* Allocates and lays out; fills nothing. Without the device memory it ends the process. */
void gemv_operands_create(gemv_operands *o, const gemv_case *what, int sets);
void gemv_operands_place(gemv_operands *o, const gemv_case *what, void *memory); /* one set; operand_sets_place */
void gemv_operands_destroy(gemv_operands *o);

/* operand_sets_fill with the case's scalars and seed; and plants. */
cudaError_t gemv_operands_fill(gemv_operands *o, int s, values_kind kind, cudaStream_t stream);

gemv_problem gemv_operands_problem(const gemv_operands *o, int s);

/* operand_sets_verify of this launch. With programmatic dependent launch and beta == 0 it is launched three times, one
 * behind the other, for what overlapping launches may do to one another. */
cudaError_t gemv_verify(const gemv_launch *l, const char *name, gemv_operands *o, cudaStream_t stream, FILE *report,
                        verdict *verdict);

#endif
