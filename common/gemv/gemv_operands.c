#include "gemv/gemv_operands.h"

operand_spec gemv_operands(const gemv_case *c) {
    operand_spec spec = {.like = {.a = operand_outline(c->type, c->n, c->k, c->lda, c->off_a),
                                  .b = operand_outline(c->type, c->k, 1, 1, c->off_x),
                                  .c = operand_outline(c->type, c->n, 1, 1, c->off_y)},
                         .names = "Axy",
                         .alpha = c->alpha,
                         .beta = c->beta,
                         .arithmetic = VERIFY_FMA,
                         .seed = c->seed};
    matrix *const places[] = {NULL, &spec.like.a, &spec.like.b, &spec.like.c};
    if (c->plant == PLANT_NONE) return spec;
    places[c->plant]->planted = c->plant_at + 1;
    places[c->plant]->plant = c->planted;
    return spec;
}

gemv_problem gemv_problem_on(const gemv_case *c, const operand_set *set) {
    return (gemv_problem){.type = c->type,
                          .n = c->n,
                          .k = c->k,
                          .lda = set->a.ld,
                          .alpha = c->alpha,
                          .beta = c->beta,
                          .A = set->a.elements,
                          .x = set->b.elements,
                          .y = set->c.elements};
}
