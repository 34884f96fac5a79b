#include "tensor/operands.h"

#include <math.h>
#include <stdlib.h>

#include "gpu/error.h"
#include "gpu/simulator.h"

enum { WORKSPACE_ROW = 64 };          /* words: 256 bytes */
static const uintptr_t MADE_UP = 256; /* an address that is never dereferenced */

matrix operand_outline(dtype type, int rows, int cols, int ld, int misalign) {
    return matrix_place((void *)MADE_UP, type, rows, cols, ld, misalign);
}

matrix operand_workspace(size_t bytes) {
    const size_t rows = (bytes + WORKSPACE_ROW * sizeof(float) - 1) / (WORKSPACE_ROW * sizeof(float));
    if (rows == 0) return (matrix){.memory = NULL};
    return operand_outline(DTYPE_F32, (int)rows, WORKSPACE_ROW, WORKSPACE_ROW, 0);
}

size_t operand_sets_bytes(const operand_set *outline, size_t workspace, int sets) {
    const matrix space = operand_workspace(workspace);
    return (matrix_bytes(&outline->a) + matrix_bytes(&outline->b) + matrix_bytes(&outline->c)) * (size_t)sets +
           matrix_bytes(&space);
}

static matrix take(const matrix *outline, char **memory) {
    const matrix x = matrix_moved(outline, *memory);
    *memory += matrix_bytes(&x);
    return x;
}

void operand_sets_place(operand_sets *o, const operand_set *outline, size_t workspace, int sets, void *memory) {
    char *at = memory;
    *o = (operand_sets){.sets = sets, .set = calloc((size_t)sets, sizeof *o->set)};
    if (o->set == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    for (int s = 0; s < sets; s++) {
        o->set[s].a = take(&outline->a, &at);
        o->set[s].b = take(&outline->b, &at);
        o->set[s].c = take(&outline->c, &at);
    }
    o->workspace = operand_workspace(workspace);
    if (workspace > 0) o->workspace = take(&o->workspace, &at);
}

void operand_sets_create(operand_sets *o, const operand_set *outline, size_t workspace, int sets) {
    void *memory;
    CUDA_ALLOCATE(&memory, operand_sets_bytes(outline, workspace, sets));
    operand_sets_place(o, outline, workspace, sets, memory);
    o->memory = memory;
}

void operand_sets_destroy(operand_sets *o) {
    if (o->memory != NULL) CUDA_CHECK(cudaFree(o->memory));
    free(o->set);
    *o = (operand_sets){0};
}

cudaError_t operand_sets_fill_c(operand_sets *o, int s, values_kind kind, float beta, uint64_t seed,
                                cudaStream_t stream) {
    return inspect_fill(&o->set[s].c, beta == 0.0f ? VALUES_NAN : kind, seed * 3 + 2, stream);
}

cudaError_t operand_sets_fill(operand_sets *o, int s, values_kind kind, float alpha, float beta, uint64_t seed,
                              cudaStream_t stream) {
    const values_kind read = alpha == 0.0f ? VALUES_NAN : kind;
    cudaError_t error = inspect_fill(&o->set[s].a, read, seed * 3, stream);
    if (error == cudaSuccess) error = operand_sets_fill_c(o, s, kind, beta, seed, stream);
    if (error == cudaSuccess) error = inspect_fill(&o->set[s].b, read, seed * 3 + 1, stream);
    return error;
}

static cudaError_t verify_pass(operand_sets *o, const operand_test *test, bool exact, cudaStream_t stream, FILE *report,
                               verdict *verdict) {
    const operand_set *set = &o->set[0];
    const float alpha = exact ? verify_exact_scalar(test->alpha) : test->alpha;
    const float beta = exact ? verify_exact_scalar(test->beta) : test->beta;
    const values_kind kind = exact ? VALUES_INTEGER : VALUES_UNIFORM;
    cudaError_t error = cudaSuccess;
    if (o->workspace.elements != NULL) error = inspect_fill(&o->workspace, VALUES_NAN, 0, stream);
    if (error == cudaSuccess) error = operand_sets_fill(o, 0, kind, test->alpha, test->beta, test->seed, stream);
    const double begin = inspect_now_s();
    for (int i = 0; i < test->launches && error == cudaSuccess; i++)
        error = test->launch(test->context, alpha, beta, stream);
    if (error == cudaSuccess && simulator_active()) {
        error = cudaStreamSynchronize(stream);
        verdict->seconds = (inspect_now_s() - begin) / test->launches;
    }
    if (error != cudaSuccess) return error;
    const verify_case v = {set->a, set->b, set->c, alpha, beta, exact, test->arithmetic, test->b_transposed};
    error = inspect(test->name, test->names, &v, stream, report, verdict);
    if (error != cudaSuccess || o->workspace.elements == NULL) return error;
    return inspect_around(test->name, "the workspace", &o->workspace, stream, report, verdict);
}

cudaError_t operand_sets_verify(operand_sets *o, const operand_test *test, cudaStream_t stream, FILE *report,
                                verdict *v) {
    *v = (verdict){.ok = true, .seconds = NAN};
    const cudaError_t error = verify_pass(o, test, true, stream, report, v);
    return error == cudaSuccess ? verify_pass(o, test, false, stream, report, v) : error;
}
