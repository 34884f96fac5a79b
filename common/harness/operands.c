#include "operands.h"

#include <stdlib.h>
#include <time.h>

#include "error.h"
#include "progress.h"
#include "simulator.h"
#include "verify.h"

enum { MAX_COLD_SETS = 512 };

static gemm_case with_leading_dimensions(const gemm_case *what) {
    gemm_case c = *what;
    if (c.lda == 0) c.lda = c.k > 0 ? c.k : 1;
    if (c.ldb == 0) c.ldb = c.n > 0 ? c.n : 1;
    if (c.ldc == 0) c.ldc = c.n > 0 ? c.n : 1;
    return c;
}

static size_t set_floats(const gemm_case *c) {
    return matrix_floats(c->m, c->lda, c->misalign) + matrix_floats(c->k, c->ldb, c->misalign) +
           matrix_floats(c->m, c->ldc, c->misalign);
}

size_t operands_bytes(const gemm_case *what, int sets) {
    gemm_case c = with_leading_dimensions(what);
    return set_floats(&c) * sizeof(float) * (size_t)sets;
}

size_t operands_touched(const gemm_case *what) {
    size_t m = (size_t)what->m, n = (size_t)what->n, k = (size_t)what->k;
    if (what->alpha == 0.0f) k = 0;
    return (m * k + k * n + m * n) * sizeof(float);
}

int operands_cold_sets(const gemm_case *what, size_t l2_bytes) {
    size_t touched = operands_touched(what);
    if (touched == 0) return 1;
    size_t sets = 2 * l2_bytes / touched + 1;
    return sets > MAX_COLD_SETS ? MAX_COLD_SETS : (int)sets;
}

static cudaError_t lay_out(operands *o, const gemm_case *what, int sets, float *memory) {
    o->what = with_leading_dimensions(what);
    o->sets = sets;
    o->set = calloc((size_t)sets, sizeof *o->set);
    if (o->set == NULL) return cudaErrorMemoryAllocation;
    const gemm_case *c = &o->what;
    for (int s = 0; s < sets; s++) {
        operand_set *set = &o->set[s];
        set->a = matrix_place(memory, c->m, c->k, c->lda, c->misalign);
        memory += set->a.floats;
        set->b = matrix_place(memory, c->k, c->n, c->ldb, c->misalign);
        memory += set->b.floats;
        set->c = matrix_place(memory, c->m, c->n, c->ldc, c->misalign);
        memory += set->c.floats;
    }
    return cudaSuccess;
}

cudaError_t operands_create(operands *o, const gemm_case *what, int sets) {
    *o = (operands){0};
    float *memory;
    CUDA_ALLOCATE(&memory, operands_bytes(what, sets));
    cudaError_t error = lay_out(o, what, sets, memory);
    o->memory = memory;
    if (error != cudaSuccess) operands_destroy(o);
    return error;
}

cudaError_t operands_place(operands *o, const gemm_case *what, float *memory) {
    *o = (operands){0};
    return lay_out(o, what, 1, memory);
}

void operands_destroy(operands *o) {
    if (o->memory != NULL) cudaFree(o->memory);
    free(o->set);
    *o = (operands){0};
}

/* `x` in host memory, to be freed (base); not its contents. */
static bool host_copy(const matrix *x, matrix *copy) {
    *copy = *x;
    copy->base = malloc(x->floats * sizeof(float));
    if (copy->base == NULL) return false;
    copy->data = copy->base + (x->data - x->base);
    return true;
}

static cudaError_t fill(matrix *x, values_kind kind, uint64_t seed, cudaStream_t stream) {
    if (!simulator_active()) return matrix_fill_device(x, kind, seed, stream);
    matrix copy;
    if (!host_copy(x, &copy)) return cudaErrorMemoryAllocation;
    matrix_fill_host(&copy, kind, seed);
    cudaError_t error = cudaMemcpy(x->base, copy.base, x->floats * sizeof(float), cudaMemcpyHostToDevice);
    free(copy.base);
    x->kind = kind;
    x->seed = seed;
    return error;
}

cudaError_t operands_fill_c(operands *o, int s, values_kind kind, cudaStream_t stream) {
    return fill(&o->set[s].c, o->what.beta == 0.0f ? VALUES_NAN : kind, o->what.seed * 3 + 2, stream);
}

cudaError_t operands_fill(operands *o, int s, values_kind kind, cudaStream_t stream) {
    values_kind read = o->what.alpha == 0.0f ? VALUES_NAN : kind;
    cudaError_t error = fill(&o->set[s].a, read, o->what.seed * 3, stream);
    if (error == cudaSuccess) error = fill(&o->set[s].b, read, o->what.seed * 3 + 1, stream);
    if (error == cudaSuccess) error = operands_fill_c(o, s, kind, stream);
    return error;
}

gemm_problem operands_problem(const operands *o, int s) {
    const gemm_case *c = &o->what;
    const operand_set *set = &o->set[s];
    return (gemm_problem){c->m,     c->n,    c->k,        c->lda,      c->ldb,     c->ldc,
                          c->alpha, c->beta, set->a.data, set->b.data, set->c.data};
}

/* ---- verification ---------------------------------------------------------------------------------------------- */

/* One of A, B, C, on the device or the host: are guards and padding (and the elements, of A and B) as they were filled?
 */
static cudaError_t check_untouched(const char *name, char which, const matrix *x, bool on_host, cudaStream_t stream,
                                   FILE *report, gemm_verdict *verdict) {
    uint64_t changed;
    int64_t first;
    cudaError_t error = cudaSuccess;
    if (on_host)
        matrix_changed_host(x, which != 'C', &changed, &first);
    else
        error = matrix_changed_device(x, which != 'C', stream, &changed, &first);
    if (error != cudaSuccess || changed == 0) return error;
    verdict->ok = false;
    if (report == NULL) return cudaSuccess;
    progress_clear(report);
    fprintf(report, "%s: %llu words changed that nobody may write, the first ", name, (unsigned long long)changed);
    if (first < 0)
        fprintf(report, "%lld floats before %c\n", (long long)-first, which);
    else if (first >= (int64_t)x->rows * x->ld)
        fprintf(report, "%lld floats after the end of %c\n", (long long)(first - (int64_t)x->rows * x->ld), which);
    else
        fprintf(report, "at row %lld, column %lld of %c (%d x %d, leading dimension %d)\n", (long long)(first / x->ld),
                (long long)(first % x->ld), which, x->rows, x->cols, x->ld);
    return cudaSuccess;
}

/* Is what the launch left of the set right? */
static cudaError_t check(const char *name, const verify_case *v, bool on_host, cudaStream_t stream, FILE *report,
                         gemm_verdict *verdict) {
    verify_result r;
    cudaError_t error = check_untouched(name, 'A', &v->a, on_host, stream, report, verdict);
    if (error == cudaSuccess) error = check_untouched(name, 'B', &v->b, on_host, stream, report, verdict);
    if (error == cudaSuccess) error = check_untouched(name, 'C', &v->c, on_host, stream, report, verdict);
    if (error == cudaSuccess) {
        if (on_host)
            verify_host(v, &r);
        else
            error = verify_device(v, stream, &r);
    }
    if (error != cudaSuccess) return error;
    if (!v->exact) verdict->worst_share = r.worst_share;
    if (r.wrong > 0) {
        verdict->ok = false;
        if (report != NULL) {
            progress_clear(report);
            verify_report(report, name, v, &r);
        }
    }
    return cudaSuccess;
}

static cudaError_t fetch(matrix *x) {
    matrix copy;
    if (!host_copy(x, &copy)) return cudaErrorMemoryAllocation;
    cudaError_t error = cudaMemcpy(copy.base, x->base, x->floats * sizeof(float), cudaMemcpyDeviceToHost);
    if (error == cudaSuccess)
        *x = copy;
    else
        free(copy.base);
    return error;
}

/* The same on copies in host memory. */
static cudaError_t check_from_host(const char *name, const verify_case *v, cudaStream_t stream, FILE *report,
                                   gemm_verdict *verdict) {
    verify_case copy = *v;
    matrix *const all[] = {&copy.a, &copy.b, &copy.c};
    int fetched = 0;
    cudaError_t error = cudaSuccess;
    while (fetched < GEMM_COUNT(all) && error == cudaSuccess) {
        error = fetch(all[fetched]);
        if (error == cudaSuccess) fetched++;
    }
    if (error == cudaSuccess) error = check(name, &copy, true, stream, report, verdict);
    while (fetched > 0) free(all[--fetched]->base);
    return error;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cudaError_t verify_pass(cudaError_t (*launch)(const gemm_problem *, cudaStream_t), const char *name, bool exact,
                               operands *o, cudaStream_t stream, FILE *report, gemm_verdict *verdict) {
    operand_set *set = &o->set[0];
    float alpha = o->what.alpha, beta = o->what.beta;
    gemm_problem p = operands_problem(o, 0);
    if (exact) {
        p.alpha = verify_exact_scalar(alpha);
        p.beta = verify_exact_scalar(beta);
    }
    cudaError_t error = operands_fill(o, 0, exact ? VALUES_INTEGER : VALUES_UNIFORM, stream);
    double begin = now_s();
    if (error == cudaSuccess) error = launch(&p, stream);
    if (error == cudaSuccess && simulator_active()) {
        error = cudaStreamSynchronize(stream);
        verdict->seconds = now_s() - begin;
    }
    if (error != cudaSuccess) return error;
    verify_case v = {set->a, set->b, set->c, p.alpha, p.beta, exact};
    if (simulator_active()) return check_from_host(name, &v, stream, report, verdict);
    return check(name, &v, false, stream, report, verdict);
}

cudaError_t gemm_verify(cudaError_t (*launch)(const gemm_problem *p, cudaStream_t stream), const char *name,
                        operands *o, cudaStream_t stream, FILE *report, gemm_verdict *verdict) {
    *verdict = (gemm_verdict){.ok = true, .seconds = NAN};
    cudaError_t error = verify_pass(launch, name, true, o, stream, report, verdict);
    if (error == cudaSuccess) error = verify_pass(launch, name, false, o, stream, report, verdict);
    return error;
}
