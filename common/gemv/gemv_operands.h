/* The operands of a GEMV in device memory: one or several sets of A, x and y between guard zones, in one allocation. */
#ifndef KL_GEMV_OPERANDS_H
#define KL_GEMV_OPERANDS_H

#include "gemv/gemv.h"
#include "tensor/inspect.h"

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
    matrix a, x, y; /* n x k, k x 1, n x 1 */
} gemv_set;

typedef struct {
    gemv_case what; /* leading dimension filled in */
    int sets;
    gemv_set *set;
    void *memory; /* NULL: in somebody else's memory */
} gemv_operands;

/* What is launched: a variant's or a candidate's launch, or a call of cuBLAS. */
typedef struct {
    cudaError_t (*launch)(const gemv_problem *p, cudaStream_t stream); /* NULL: cuBLAS */
    int cublas_call;
    bool pdl; /* with programmatic dependent launch (not cuBLAS) */
} gemv_launch;

cudaError_t gemv_enqueue(const gemv_launch *l, const gemv_problem *p, cudaStream_t stream);

/* Device bytes of `sets` sets. */
size_t gemv_operands_bytes(const gemv_case *what, int sets);

/* Bytes that one launch touches: y alone where there is no product. */
size_t gemv_operands_touched(const gemv_case *what);

/* Bytes that are enough to drive everything else out of an L2 cache of that size: four times as many. Of matrices of
 * 33 MB in turn, together twice the L2 cache, an H200 still finds a tenth there. */
size_t gemv_operands_cold_bytes(size_t l2_bytes);

/* How many sets together exceed these, but at most 512 (which may be too few: then flush). */
int gemv_operands_cold_sets(const gemv_case *what, size_t l2_bytes);

/* As operands.h has them. */
cudaError_t gemv_operands_create(gemv_operands *o, const gemv_case *what, int sets);
cudaError_t gemv_operands_place(gemv_operands *o, const gemv_case *what, void *memory);
void gemv_operands_destroy(gemv_operands *o);

/* Fills set `s`, x last: A and x with `kind` (NaN where alpha == 0, for then nobody may read them), y likewise, or NaN where
 * beta == 0; and plants. */
cudaError_t gemv_operands_fill(gemv_operands *o, int s, values_kind kind, cudaStream_t stream);
cudaError_t gemv_operands_fill_y(gemv_operands *o, int s, values_kind kind, cudaStream_t stream);

gemv_problem gemv_operands_problem(const gemv_operands *o, int s);

/* gemm_verify for a GEMV: on set 0, integers (every bit must match) and uniform values (within the bound); y, what lies
 * around the operands, and that A and x are as they were. Leaves the set with the uniform values. */
cudaError_t gemv_verify(const gemv_launch *l, const char *name, gemv_operands *o, cudaStream_t stream, FILE *report,
                        gemm_verdict *verdict);

/* True where `error` says that the device, or a kernel of this configuration, cannot do this problem (no fault). Takes
 * the error out of the runtime. */
bool gemv_refused(cudaError_t error);

#endif
