#include "tensor/operands.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "gpu/error.h"
#include "gpu/simulator.h"

enum { WORKSPACE_ROW = 64 };             /* words: 256 bytes */
static const uintptr_t MADE_UP = 256;    /* an address that is never dereferenced */
static const double MOST_BYTES = 0x1p62; /* of a matrix */

matrix operand_outline(dtype type, int rows, int cols, int ld, int misalign) {
    const int tight = cols > 0 ? cols : 1;
    return matrix_place((void *)MADE_UP, type, rows, cols, ld > 0 ? ld : tight, misalign);
}

matrix operand_workspace(size_t bytes) {
    const size_t rows = (bytes + WORKSPACE_ROW * sizeof(float) - 1) / (WORKSPACE_ROW * sizeof(float));
    if (rows == 0) return (matrix){.memory = NULL};
    return operand_outline(DTYPE_F32, (int)rows, WORKSPACE_ROW, WORKSPACE_ROW, 0);
}

verify_case operand_case(const operand_spec *spec, const operand_set *set, float alpha, float beta, bool exact) {
    return (verify_case){.a = set->a,
                         .b = set->b,
                         .c = set->c,
                         .alpha = alpha,
                         .beta = beta,
                         .exact = exact,
                         .arithmetic = spec->arithmetic,
                         .b_transposed = spec->b_transposed,
                         .d = set->d,
                         .seen = spec->seen};
}

size_t operand_touched(const operand_spec *spec) {
    const operand_set *like = &spec->like;
    const size_t of_c = matrix_element_bytes(&like->c);
    if (of_c == 0 || spec->alpha == 0.0f) return of_c;
    return of_c + matrix_element_bytes(&like->a) + matrix_element_bytes(&like->b) + matrix_element_bytes(&like->d);
}

double operand_sets_bytes(const operand_spec *spec, int sets) {
    const operand_set *like = &spec->like;
    const matrix *const all[] = {&like->a, &like->b, &like->c, &like->d};
    double bytes = (double)matrix_bytes(&like->workspace);
    for (int i = 0; i < ARRAY_SIZE(all); i++) {
        if ((double)all[i]->rows * all[i]->ld * (double)dtype_size(all[i]->type) >= MOST_BYTES) return INFINITY;
        bytes += (double)matrix_bytes(all[i]) * sets;
    }
    return bytes;
}

static matrix take(const matrix *outline, char **memory) {
    const matrix x = matrix_moved(outline, *memory);
    *memory += matrix_bytes(&x);
    return x;
}

void operand_sets_place(operand_sets *o, const operand_spec *spec, int sets, void *memory) {
    const operand_set *like = &spec->like;
    char *at = memory;
    *o = (operand_sets){.spec = *spec, .sets = sets, .set = calloc((size_t)sets, sizeof *o->set)};
    if (o->set == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    for (int s = 0; s < sets; s++) {
        o->set[s].a = take(&like->a, &at);
        o->set[s].b = take(&like->b, &at);
        o->set[s].c = take(&like->c, &at);
        if (like->d.elements != NULL) o->set[s].d = take(&like->d, &at);
    }
    for (int s = 0; s < sets && like->workspace.elements != NULL; s++)
        o->set[s].workspace = matrix_moved(&like->workspace, at);
}

void operand_sets_create(operand_sets *o, const operand_spec *spec, int sets) {
    void *memory;
    CUDA_ALLOCATE(&memory, (size_t)operand_sets_bytes(spec, sets));
    operand_sets_place(o, spec, sets, memory);
    o->memory = memory;
}

void operand_sets_destroy(operand_sets *o) {
    if (o->memory != NULL) CUDA_CHECK(cudaFree(o->memory));
    free(o->set);
    *o = (operand_sets){0};
}

cudaError_t operand_sets_fill_c(operand_sets *o, int s, values_kind kind, cudaStream_t stream) {
    return inspect_fill(&o->set[s].c, o->spec.beta == 0.0f ? VALUES_NAN : kind, o->spec.seed * 3 + 2, stream);
}

cudaError_t operand_sets_fill(operand_sets *o, int s, values_kind kind, cudaStream_t stream) {
    const values_kind read = o->spec.alpha == 0.0f ? VALUES_NAN : kind;
    cudaError_t error = inspect_fill(&o->set[s].a, read, o->spec.seed * 3, stream);
    if (error == cudaSuccess) error = operand_sets_fill_c(o, s, kind, stream);
    if (error == cudaSuccess && o->set[s].d.elements != NULL)
        error = inspect_fill(&o->set[s].d, kind, o->spec.seed * 3 + 3, stream);
    if (error == cudaSuccess) error = inspect_fill(&o->set[s].b, read, o->spec.seed * 3 + 1, stream);
    return error;
}

/* What kernels may touch of the sets' memory: this set. */
static void outline_set(const char *names, const operand_set *set) {
    const matrix *const all[] = {&set->a, &set->b, &set->c, &set->d};
    for (int i = 0; i < ARRAY_SIZE(all); i++)
        if (all[i]->elements != NULL) inspect_outline((const char[]){names[i], '\0'}, all[i]);
    const matrix *space = &set->workspace;
    if (space->elements == NULL) return;
    simulator_operand("workspace", space->elements, sizeof(float), (size_t)space->rows * WORKSPACE_ROW, 1, 1);
}

/* One pass: fills set 0 and launches on it, then checks, with a reference or without. */
static cudaError_t pass(operand_sets *o, bool exact, bool reference, const char *name, operand_launch *launch,
                        void *context, cudaStream_t stream, FILE *report, verdict *verdict) {
    const operand_spec *spec = &o->spec;
    operand_set *set = &o->set[0];
    const int launches = spec->launches > 0 ? spec->launches : 1;
    const float alpha = exact ? verify_exact_scalar(spec->alpha) : spec->alpha;
    const float beta = exact ? verify_exact_scalar(spec->beta) : spec->beta;
    cudaError_t error = cudaSuccess;
    verdict->seconds = NAN;
    if (set->workspace.elements != NULL) error = inspect_fill(&set->workspace, VALUES_NAN, 0, stream);
    if (error == cudaSuccess) error = operand_sets_fill(o, 0, exact ? VALUES_INTEGER : VALUES_UNIFORM, stream);
    outline_set(spec->names, set);
    const double begin = clock_now_s();
    for (int i = 0; i < launches && error == cudaSuccess; i++) error = launch(context, set, alpha, beta, stream);
    if (error == cudaSuccess && simulator_active()) {
        error = cudaStreamSynchronize(stream);
        verdict->seconds = (clock_now_s() - begin) / launches;
    }
    simulator_operands_end();
    const verify_case v = operand_case(spec, set, alpha, beta, exact);
    if (error == cudaSuccess) error = inspect(name, spec->names, &v, reference, stream, report, verdict);
    if (error == cudaSuccess && set->workspace.elements != NULL)
        error = inspect_around(name, "the workspace", &set->workspace, stream, report, verdict);
    return error;
}

cudaError_t operand_sets_verify(operand_sets *o, const char *name, operand_launch *launch, void *context,
                                cudaStream_t stream, FILE *report, verdict *verdict) {
    verdict->ok = true;
    cudaError_t error = pass(o, true, true, name, launch, context, stream, report, verdict);
    if (error != cudaSuccess) return error;
    /* The second pass has other values, but touches the same memory in the same order. */
    simulator_check(false);
    error = pass(o, false, true, name, launch, context, stream, report, verdict);
    simulator_check(true);
    return error;
}

cudaError_t operand_sets_fingerprint(operand_sets *o, const char *name, operand_launch *launch, void *context,
                                     cudaStream_t stream, FILE *report, verdict *verdict) {
    verdict->ok = true;
    const cudaError_t error = pass(o, true, false, name, launch, context, stream, report, verdict);
    return error == cudaSuccess ? operand_sets_fill(o, 0, VALUES_UNIFORM, stream) : error;
}
