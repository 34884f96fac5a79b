#include "gemm/operands.h"

#include <stdlib.h>

#include "gpu/error.h"
#include "gpu/simulator.h"
#include "tensor/verify.h"

enum { MAX_COLD_SETS = 512 };
enum { WORKSPACE_ROW = 64 };          /* words: 256 bytes */
static const uintptr_t MADE_UP = 256; /* an address that nobody follows */

static gemm_case with_leading_dimensions(const gemm_case *what) {
    gemm_case c = *what;
    if (c.lda == 0) c.lda = c.k > 0 ? c.k : 1;
    const int row_of_b = c.layout == GEMM_TN ? c.k : c.n;
    if (c.ldb == 0) c.ldb = row_of_b > 0 ? row_of_b : 1;
    if (c.ldc == 0) c.ldc = c.n > 0 ? c.n : 1;
    return c;
}

/* One set from `memory` on. */
static operand_set place_set(const gemm_case *c, void *memory) {
    const dtype type = gemm_operand_dtype(c->type);
    const bool tn = c->layout == GEMM_TN;
    operand_set set;
    set.a = matrix_place(memory, type, c->m, c->k, c->lda, c->misalign);
    memory = (char *)memory + matrix_bytes(&set.a);
    set.b = matrix_place(memory, type, tn ? c->n : c->k, tn ? c->k : c->n, c->ldb, c->misalign);
    memory = (char *)memory + matrix_bytes(&set.b);
    set.c = matrix_place(memory, c->out, c->m, c->n, c->ldc, c->misalign);
    return set;
}

/* The workspace in `memory`; guards alone would do for none, but nobody needs them. */
static matrix place_workspace(const gemm_case *c, void *memory) {
    const size_t rows = (c->workspace + WORKSPACE_ROW * sizeof(float) - 1) / (WORKSPACE_ROW * sizeof(float));
    if (rows == 0) return (matrix){.memory = NULL};
    return matrix_place(memory, DTYPE_F32, (int)rows, WORKSPACE_ROW, WORKSPACE_ROW, 0);
}

static size_t set_bytes(const operand_set *set) {
    return matrix_bytes(&set->a) + matrix_bytes(&set->b) + matrix_bytes(&set->c);
}

size_t operands_bytes(const gemm_case *what, int sets) {
    gemm_case c = with_leading_dimensions(what);
    const operand_set set = place_set(&c, (void *)MADE_UP);
    const matrix workspace = place_workspace(&c, (void *)MADE_UP);
    return set_bytes(&set) * (size_t)sets + matrix_bytes(&workspace);
}

size_t operands_touched(const gemm_case *what) {
    size_t m = (size_t)what->m, n = (size_t)what->n, k = (size_t)what->k;
    if (what->alpha == 0.0f) k = 0;
    return (m * k + k * n) * dtype_size(gemm_operand_dtype(what->type)) + m * n * dtype_size(what->out);
}

int operands_cold_sets(const gemm_case *what, size_t l2_bytes) {
    size_t touched = operands_touched(what);
    if (touched == 0) return 1;
    size_t sets = 2 * l2_bytes / touched + 1;
    return sets > MAX_COLD_SETS ? MAX_COLD_SETS : (int)sets;
}

static cudaError_t lay_out(operands *o, const gemm_case *what, int sets, void *memory) {
    o->what = with_leading_dimensions(what);
    o->sets = sets;
    o->set = calloc((size_t)sets, sizeof *o->set);
    if (o->set == NULL) return cudaErrorMemoryAllocation;
    for (int s = 0; s < sets; s++) {
        o->set[s] = place_set(&o->what, memory);
        memory = (char *)memory + set_bytes(&o->set[s]);
    }
    o->workspace = place_workspace(&o->what, memory);
    return cudaSuccess;
}

cudaError_t operands_create(operands *o, const gemm_case *what, int sets) {
    *o = (operands){0};
    void *memory;
    CUDA_ALLOCATE(&memory, operands_bytes(what, sets));
    cudaError_t error = lay_out(o, what, sets, memory);
    o->memory = memory;
    if (error != cudaSuccess) operands_destroy(o);
    return error;
}

cudaError_t operands_place(operands *o, const gemm_case *what, void *memory) {
    *o = (operands){0};
    return lay_out(o, what, 1, memory);
}

void operands_destroy(operands *o) {
    if (o->memory != NULL) cudaFree(o->memory);
    free(o->set);
    *o = (operands){0};
}

cudaError_t operands_fill_c(operands *o, int s, values_kind kind, cudaStream_t stream) {
    return inspect_fill(&o->set[s].c, o->what.beta == 0.0f ? VALUES_NAN : kind, o->what.seed * 3 + 2, stream);
}

cudaError_t operands_fill(operands *o, int s, values_kind kind, cudaStream_t stream) {
    values_kind read = o->what.alpha == 0.0f ? VALUES_NAN : kind;
    cudaError_t error = inspect_fill(&o->set[s].a, read, o->what.seed * 3, stream);
    if (error == cudaSuccess) error = inspect_fill(&o->set[s].b, read, o->what.seed * 3 + 1, stream);
    if (error == cudaSuccess) error = operands_fill_c(o, s, kind, stream);
    return error;
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

gemm_problem operands_problem(const operands *o, int s) {
    return problem(&o->what, &o->set[s], &o->workspace);
}

gemm_problem operands_outline(const gemm_case *what) {
    const gemm_case c = with_leading_dimensions(what);
    const operand_set set = place_set(&c, (void *)MADE_UP);
    const matrix workspace = place_workspace(&c, (void *)MADE_UP);
    return problem(&c, &set, &workspace);
}

/* ---- verification ---------------------------------------------------------------------------------------------- */

static cudaError_t verify_pass(cudaError_t (*launch)(const gemm_problem *, cudaStream_t), const char *name, bool exact,
                               operands *o, cudaStream_t stream, FILE *report, gemm_verdict *verdict) {
    operand_set *set = &o->set[0];
    float alpha = o->what.alpha, beta = o->what.beta;
    gemm_problem p = operands_problem(o, 0);
    if (exact) { /* whole scalars stay whole */
        p.alpha = verify_exact_scalar(alpha);
        p.beta = verify_exact_scalar(beta);
    }
    cudaError_t error = operands_fill(o, 0, exact ? VALUES_INTEGER : VALUES_UNIFORM, stream);
    if (error == cudaSuccess && p.workspace != NULL) error = inspect_fill(&o->workspace, VALUES_NAN, 0, stream);
    double begin = inspect_now_s();
    if (error == cudaSuccess) error = launch(&p, stream);
    if (error == cudaSuccess && simulator_active()) {
        error = cudaStreamSynchronize(stream);
        verdict->seconds = inspect_now_s() - begin;
    }
    if (error != cudaSuccess) return error;
    verify_case v = {
        set->a, set->b, set->c, p.alpha, p.beta, exact, .arithmetic = verify_arithmetic_of(p.type), .layout = p.layout};
    error = inspect(name, "ABC", &v, stream, report, verdict);
    if (error != cudaSuccess || p.workspace == NULL) return error;
    return inspect_around(name, "the workspace", &o->workspace, stream, report, verdict);
}

cudaError_t gemm_verify(cudaError_t (*launch)(const gemm_problem *p, cudaStream_t stream), const char *name,
                        operands *o, cudaStream_t stream, FILE *report, gemm_verdict *verdict) {
    *verdict = (gemm_verdict){.ok = true, .seconds = NAN};
    cudaError_t error = verify_pass(launch, name, true, o, stream, report, verdict);
    if (error == cudaSuccess) error = verify_pass(launch, name, false, o, stream, report, verdict);
    return error;
}
