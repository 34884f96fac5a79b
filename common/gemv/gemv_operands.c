#include "gemv/gemv_operands.h"

#include "gpu/cublas.h"

static cublas_type cublas_type_of(dtype type) {
    return type == DTYPE_F32 ? CUBLAS_F32 : type == DTYPE_F16 ? CUBLAS_F16 : CUBLAS_BF16;
}

const char *gemv_baseline_name(dtype type, int call) {
    return cublas_gemv_name(cublas_type_of(type), call);
}

cudaError_t gemv_enqueue(const gemv_launch *l, const gemv_problem *p, cudaStream_t stream) {
    if (l->launch == NULL)
        return cublas_gemv(cublas_type_of(p->type), l->cublas_call, p->n, p->k, p->alpha, p->A, p->lda, p->x, p->beta,
                           p->y, stream);
    gemv_problem copy = *p;
    copy.pdl = copy.pdl || l->pdl;
    return l->launch(&copy, stream);
}

static gemv_case with_leading_dimension(const gemv_case *what) {
    gemv_case c = *what;
    if (c.lda == 0) c.lda = c.k > 0 ? c.k : 1;
    return c;
}

static void plant(matrix *x, const gemv_case *c) {
    x->planted = c->plant_at + 1;
    x->plant = c->planted;
}

static operand_set outline_of(const gemv_case *c) {
    operand_set set = {operand_outline(c->type, c->n, c->k, c->lda, c->off_a),
                       operand_outline(c->type, c->k, 1, 1, c->off_x), operand_outline(c->type, c->n, 1, 1, c->off_y)};
    if (c->plant == PLANT_A) plant(&set.a, c);
    if (c->plant == PLANT_X) plant(&set.b, c);
    if (c->plant == PLANT_Y) plant(&set.c, c);
    return set;
}

size_t gemv_operands_bytes(const gemv_case *what, int sets) {
    const gemv_case c = with_leading_dimension(what);
    const operand_set outline = outline_of(&c);
    return operand_sets_bytes(&outline, 0, sets);
}

size_t gemv_operands_touched(const gemv_case *what) {
    const size_t n = (size_t)what->n, k = what->alpha == 0.0f ? 0 : (size_t)what->k;
    return (n * k + (n > 0 ? k : 0) + n) * dtype_size(what->type);
}

size_t gemv_operands_cold_bytes(size_t l2_bytes) {
    return 4 * l2_bytes;
}

void gemv_operands_create(gemv_operands *o, const gemv_case *what, int sets) {
    o->what = with_leading_dimension(what);
    const operand_set outline = outline_of(&o->what);
    operand_sets_create(&o->at, &outline, 0, sets);
}

void gemv_operands_place(gemv_operands *o, const gemv_case *what, void *memory) {
    o->what = with_leading_dimension(what);
    const operand_set outline = outline_of(&o->what);
    operand_sets_place(&o->at, &outline, 0, 1, memory);
}

void gemv_operands_destroy(gemv_operands *o) {
    operand_sets_destroy(&o->at);
}

cudaError_t gemv_operands_fill(gemv_operands *o, int s, values_kind kind, cudaStream_t stream) {
    return operand_sets_fill(&o->at, s, kind, o->what.alpha, o->what.beta, o->what.seed, stream);
}

gemv_problem gemv_operands_problem(const gemv_operands *o, int s) {
    const gemv_case *c = &o->what;
    const operand_set *set = &o->at.set[s];
    return (gemv_problem){.type = c->type,
                          .n = c->n,
                          .k = c->k,
                          .lda = c->lda,
                          .alpha = c->alpha,
                          .beta = c->beta,
                          .A = set->a.elements,
                          .x = set->b.elements,
                          .y = set->c.elements};
}

typedef struct {
    const gemv_launch *launch;
    gemv_problem problem;
} verified;

static cudaError_t launch_verified(void *context, float alpha, float beta, cudaStream_t stream) {
    verified *v = context;
    v->problem.alpha = alpha;
    v->problem.beta = beta;
    return gemv_enqueue(v->launch, &v->problem, stream);
}

cudaError_t gemv_verify(const gemv_launch *l, const char *name, gemv_operands *o, cudaStream_t stream, FILE *report,
                        verdict *verdict) {
    verified context = {l, gemv_operands_problem(o, 0)};
    const operand_test test = {.name = name,
                               .names = "Axy",
                               .alpha = o->what.alpha,
                               .beta = o->what.beta,
                               .arithmetic = VERIFY_FMA,
                               .seed = o->what.seed,
                               .launches = l->pdl && o->what.beta == 0.0f ? 3 : 1,
                               .launch = launch_verified,
                               .context = &context};
    return operand_sets_verify(&o->at, &test, stream, report, verdict);
}
