#include "gemm/gemm_operands.h"

#include "gemm/gemm_baseline.h"

verify_arithmetic gemm_arithmetic(gemm_type type) {
    static const verify_arithmetic arithmetics[] = {
        [GEMM_F32] = VERIFY_FMA,   [GEMM_F16] = VERIFY_TENSOR, [GEMM_BF16] = VERIFY_TENSOR,
        [GEMM_TF32] = VERIFY_TF32, [GEMM_S8] = VERIFY_WHOLE,   [GEMM_TF32X3] = VERIFY_TF32X3};
    return arithmetics[type];
}

static gemm_case with_leading_dimensions(const gemm_case *what) {
    gemm_case c = *what;
    const int row_of_b = c.layout == GEMM_TN ? c.k : c.n;
    if (c.lda == 0) c.lda = c.k > 0 ? c.k : 1;
    if (c.ldb == 0) c.ldb = row_of_b > 0 ? row_of_b : 1;
    if (c.ldc == 0) c.ldc = c.n > 0 ? c.n : 1;
    return c;
}

static operand_set outline_of(const gemm_case *c) {
    const dtype type = gemm_operand_dtype(c->type);
    const bool tn = c->layout == GEMM_TN;
    return (operand_set){
        operand_outline(type, c->m, c->k, c->lda, c->misalign),
        operand_outline(type, tn ? c->n : c->k, tn ? c->k : c->n, c->ldb, c->misalign),
        operand_outline(c->out, c->m, c->n, c->ldc, c->misalign),
    };
}

size_t gemm_operands_bytes(const gemm_case *what, int sets) {
    const gemm_case c = with_leading_dimensions(what);
    const operand_set outline = outline_of(&c);
    return operand_sets_bytes(&outline, c.workspace, sets);
}

size_t gemm_operands_touched(const gemm_case *what) {
    const size_t m = (size_t)what->m, n = (size_t)what->n, k = what->alpha == 0.0f ? 0 : (size_t)what->k;
    return (m * k + k * n) * dtype_size(gemm_operand_dtype(what->type)) + m * n * dtype_size(what->out);
}

void gemm_operands_create(gemm_operands *o, const gemm_case *what, int sets) {
    o->what = with_leading_dimensions(what);
    const operand_set outline = outline_of(&o->what);
    operand_sets_create(&o->at, &outline, o->what.workspace, sets);
}

void gemm_operands_place(gemm_operands *o, const gemm_case *what, void *memory) {
    o->what = with_leading_dimensions(what);
    const operand_set outline = outline_of(&o->what);
    operand_sets_place(&o->at, &outline, o->what.workspace, 1, memory);
}

void gemm_operands_destroy(gemm_operands *o) {
    operand_sets_destroy(&o->at);
}

cudaError_t gemm_operands_fill(gemm_operands *o, int s, values_kind kind, cudaStream_t stream) {
    return operand_sets_fill(&o->at, s, kind, o->what.alpha, o->what.beta, o->what.seed, stream);
}

static gemm_problem problem(const gemm_case *c, const operand_set *set, const matrix *workspace) {
    return (gemm_problem){.type = c->type,
                          .out = c->out,
                          .layout = c->layout,
                          .m = c->m,
                          .n = c->n,
                          .k = c->k,
                          .lda = c->lda,
                          .ldb = c->ldb,
                          .ldc = c->ldc,
                          .alpha = c->alpha,
                          .beta = c->beta,
                          .A = set->a.elements,
                          .B = set->b.elements,
                          .C = set->c.elements,
                          .workspace = workspace->elements};
}

gemm_problem gemm_operands_problem(const gemm_operands *o, int s) {
    return problem(&o->what, &o->at.set[s], &o->at.workspace);
}

gemm_problem gemm_operands_outline(const gemm_case *what) {
    const gemm_case c = with_leading_dimensions(what);
    const operand_set set = outline_of(&c);
    const matrix workspace = operand_workspace(c.workspace);
    return problem(&c, &set, &workspace);
}

cudaError_t gemm_enqueue(const gemm_launch *l, const gemm_problem *p, cudaStream_t stream) {
    return l->launch != NULL ? l->launch(p, stream) : gemm_baseline_call(p, l->call, stream);
}

typedef struct {
    const gemm_launch *launch;
    gemm_problem problem;
} verified;

static cudaError_t launch_verified(void *context, float alpha, float beta, cudaStream_t stream) {
    verified *v = context;
    v->problem.alpha = alpha;
    v->problem.beta = beta;
    return gemm_enqueue(v->launch, &v->problem, stream);
}

cudaError_t gemm_verify(const gemm_launch *launch, const char *name, gemm_operands *o, cudaStream_t stream,
                        FILE *report, verdict *verdict) {
    verified context = {launch, gemm_operands_problem(o, 0)};
    const operand_test test = {.name = name,
                               .names = "ABC",
                               .alpha = o->what.alpha,
                               .beta = o->what.beta,
                               .arithmetic = gemm_arithmetic(o->what.type),
                               .b_transposed = o->what.layout == GEMM_TN,
                               .seed = o->what.seed,
                               .launches = 1,
                               .launch = launch_verified,
                               .context = &context};
    return operand_sets_verify(&o->at, &test, stream, report, verdict);
}
