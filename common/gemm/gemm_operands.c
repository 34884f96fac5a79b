#include "gemm/gemm_operands.h"

operand_spec gemm_operands(const gemm_case *c) {
    static const verify_arithmetic arithmetics[] = {
        [GEMM_F32] = VERIFY_FMA,   [GEMM_F16] = VERIFY_TENSOR, [GEMM_BF16] = VERIFY_TENSOR,
        [GEMM_TF32] = VERIFY_TF32, [GEMM_S8] = VERIFY_WHOLE,   [GEMM_TF32X3] = VERIFY_TF32X3};
    const dtype type = gemm_operand_dtype(c->type);
    const bool tn = c->layout == GEMM_TN;
    return (operand_spec){.like = {.a = operand_outline(type, c->m, c->k, c->lda, c->misalign),
                                   .b = operand_outline(type, tn ? c->n : c->k, tn ? c->k : c->n, c->ldb, c->misalign),
                                   .c = operand_outline(c->out, c->m, c->n, c->ldc, c->misalign)},
                          .names = "ABC",
                          .alpha = c->alpha,
                          .beta = c->beta,
                          .arithmetic = arithmetics[c->type],
                          .b_transposed = tn,
                          .seed = c->seed};
}

gemm_problem gemm_problem_on(const gemm_case *c, const operand_set *set) {
    return (gemm_problem){.type = c->type,
                          .out = c->out,
                          .layout = c->layout,
                          .m = c->m,
                          .n = c->n,
                          .k = c->k,
                          .lda = set->a.ld,
                          .ldb = set->b.ld,
                          .ldc = set->c.ld,
                          .alpha = c->alpha,
                          .beta = c->beta,
                          .A = set->a.elements,
                          .B = set->b.elements,
                          .C = set->c.elements,
                          .workspace = set->workspace.elements};
}
