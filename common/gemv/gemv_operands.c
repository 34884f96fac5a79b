#include "gemv/gemv_operands.h"

#include <stdlib.h>

#include "gpu/cublas.h"
#include "gpu/error.h"
#include "gpu/simulator.h"

enum { MAX_COLD_SETS = 512 };

cudaError_t gemv_enqueue(const gemv_launch *l, const gemv_problem *p, cudaStream_t stream) {
    gemv_problem copy = *p;
    copy.pdl = copy.pdl || l->pdl;
    return l->launch != NULL ? l->launch(&copy, stream) : cublas_gemv(p, l->cublas_call, stream);
}

static gemv_case complete(const gemv_case *what) {
    gemv_case c = *what;
    if (c.lda == 0) c.lda = c.k > 0 ? c.k : 1;
    return c;
}

size_t gemv_operands_bytes(const gemv_case *what, int sets) {
    gemv_case c = complete(what);
    return (matrix_words(c.type, c.n, c.lda, c.off_a) + matrix_words(c.type, c.k, 1, c.off_x) +
            matrix_words(c.type, c.n, 1, c.off_y)) *
           dtype_size(c.type) * (size_t)sets;
}

size_t gemv_operands_touched(const gemv_case *what) {
    size_t n = (size_t)what->n, k = what->alpha == 0.0f ? 0 : (size_t)what->k;
    return (n * k + (n > 0 ? k : 0) + n) * dtype_size(what->type);
}

size_t gemv_operands_cold_bytes(size_t l2_bytes) {
    return 4 * l2_bytes;
}

int gemv_operands_cold_sets(const gemv_case *what, size_t l2_bytes) {
    size_t touched = gemv_operands_touched(what);
    if (touched == 0) return 1;
    size_t sets = gemv_operands_cold_bytes(l2_bytes) / touched + 1;
    return sets > MAX_COLD_SETS ? MAX_COLD_SETS : (int)sets;
}

static matrix take(char **memory, dtype type, int rows, int cols, int ld, int off) {
    matrix x = matrix_place(*memory, type, rows, cols, ld, off);
    *memory += matrix_bytes(&x);
    return x;
}

static void plant(matrix *x, const gemv_case *c) {
    x->planted = c->plant_at + 1;
    x->plant = c->planted;
}

static cudaError_t lay_out(gemv_operands *o, const gemv_case *what, int sets, char *memory) {
    o->what = complete(what);
    o->sets = sets;
    o->set = calloc((size_t)sets, sizeof *o->set);
    if (o->set == NULL) return cudaErrorMemoryAllocation;
    const gemv_case *c = &o->what;
    for (int s = 0; s < sets; s++) {
        gemv_set *set = &o->set[s];
        set->a = take(&memory, c->type, c->n, c->k, c->lda, c->off_a);
        set->x = take(&memory, c->type, c->k, 1, 1, c->off_x);
        set->y = take(&memory, c->type, c->n, 1, 1, c->off_y);
        if (c->plant == PLANT_A) plant(&set->a, c);
        if (c->plant == PLANT_X) plant(&set->x, c);
        if (c->plant == PLANT_Y) plant(&set->y, c);
    }
    return cudaSuccess;
}

cudaError_t gemv_operands_create(gemv_operands *o, const gemv_case *what, int sets) {
    *o = (gemv_operands){0};
    void *memory;
    CUDA_ALLOCATE(&memory, gemv_operands_bytes(what, sets));
    cudaError_t error = lay_out(o, what, sets, memory);
    o->memory = memory;
    if (error != cudaSuccess) gemv_operands_destroy(o);
    return error;
}

cudaError_t gemv_operands_place(gemv_operands *o, const gemv_case *what, void *memory) {
    *o = (gemv_operands){0};
    return lay_out(o, what, 1, memory);
}

void gemv_operands_destroy(gemv_operands *o) {
    if (o->memory != NULL) cudaFree(o->memory);
    free(o->set);
    *o = (gemv_operands){0};
}

cudaError_t gemv_operands_fill_y(gemv_operands *o, int s, values_kind kind, cudaStream_t stream) {
    return inspect_fill(&o->set[s].y, o->what.beta == 0.0f ? VALUES_NAN : kind, o->what.seed * 3 + 2, stream);
}

cudaError_t gemv_operands_fill(gemv_operands *o, int s, values_kind kind, cudaStream_t stream) {
    values_kind read = o->what.alpha == 0.0f ? VALUES_NAN : kind;
    cudaError_t error = inspect_fill(&o->set[s].a, read, o->what.seed * 3, stream);
    if (error == cudaSuccess) error = gemv_operands_fill_y(o, s, kind, stream);
    if (error == cudaSuccess) error = inspect_fill(&o->set[s].x, read, o->what.seed * 3 + 1, stream);
    return error;
}

gemv_problem gemv_operands_problem(const gemv_operands *o, int s) {
    const gemv_case *c = &o->what;
    const gemv_set *set = &o->set[s];
    return (gemv_problem){.type = c->type,
                          .n = c->n,
                          .k = c->k,
                          .lda = c->lda,
                          .alpha = c->alpha,
                          .beta = c->beta,
                          .A = set->a.elements,
                          .x = set->x.elements,
                          .y = set->y.elements};
}

static cudaError_t verify_pass(const gemv_launch *l, const char *name, bool exact, gemv_operands *o,
                               cudaStream_t stream, FILE *report, gemm_verdict *verdict) {
    gemv_set *set = &o->set[0];
    gemv_problem p = gemv_operands_problem(o, 0);
    if (exact) {
        p.alpha = verify_exact_scalar(p.alpha);
        p.beta = verify_exact_scalar(p.beta);
    }
    /* x is filled last, by a kernel that lets the next one start at once: one that overlaps with it and does not wait
     * for x is found out. Then more of the same, for what overlapping launches may do to one another. */
    const int launches = l->pdl && p.beta == 0.0f ? 3 : 1;
    cudaError_t error = gemv_operands_fill(o, 0, exact ? VALUES_INTEGER : VALUES_UNIFORM, stream);
    double begin = inspect_now_s();
    for (int i = 0; i < launches && error == cudaSuccess; i++) error = gemv_enqueue(l, &p, stream);
    if (error == cudaSuccess && simulator_active()) {
        error = cudaStreamSynchronize(stream);
        verdict->seconds = (inspect_now_s() - begin) / launches;
    }
    if (error != cudaSuccess) return error;
    verify_case v = {set->a, set->x, set->y, p.alpha, p.beta, exact, VERIFY_FMA, GEMM_NN};
    return inspect(name, "Axy", &v, stream, report, verdict);
}

cudaError_t gemv_verify(const gemv_launch *l, const char *name, gemv_operands *o, cudaStream_t stream, FILE *report,
                        gemm_verdict *verdict) {
    *verdict = (gemm_verdict){.ok = true, .seconds = NAN};
    cudaError_t error = verify_pass(l, name, true, o, stream, report, verdict);
    if (error == cudaSuccess) error = verify_pass(l, name, false, o, stream, report, verdict);
    return error;
}

bool gemv_refused(cudaError_t error) {
    if (error != cudaErrorNotSupported && error != cudaErrorInvalidConfiguration &&
        error != cudaErrorLaunchOutOfResources)
        return false;
    cudaGetLastError();
    return true;
}
