/* What bulk copies cannot take. */
#include <stdint.h>

#include "best.h"

static int on_16_bytes(const void *matrix, int ld, dtype type) {
    return (uintptr_t)matrix % 16 == 0 && (size_t)ld * dtype_size(type) % 16 == 0;
}

const char *tensor_map_refuses(const gemm_problem *p) {
    const dtype operands = gemm_operand_dtype(p->type);
    if (p->m == 0 || p->n == 0) return NULL;
    if (p->k == 0 || p->alpha == 0.0f) return "by multistage: there is no product";
    if (!on_16_bytes(p->A, p->lda, operands)) return "by multistage: rows of A do not begin on 16 bytes";
    const int transposed = p->type == GEMM_TF32 && p->layout == GEMM_NN; /* into rows that are aligned */
    if (!transposed && !on_16_bytes(p->B, p->ldb, operands))
        return p->layout == GEMM_TN ? "by multistage: columns of B do not begin on 16 bytes"
                                    : "by multistage: rows of B do not begin on 16 bytes";
    if (!on_16_bytes(p->C, p->ldc, p->out)) return "by multistage: rows of C do not begin on 16 bytes";
    /* Loads stop at the edge of the matrix. But a bulk store writes whole chunks of 16 bytes, including those in which
     * rows end, and so overwrites whatever follows the row. */
    if ((size_t)p->n * dtype_size(p->out) % 16 != 0) return "by multistage: rows of C do not end on 16 bytes";
    return NULL;
}
