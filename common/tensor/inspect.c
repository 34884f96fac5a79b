#include "tensor/inspect.h"

#include <stdlib.h>

#include "base/progress.h"
#include "gpu/simulator.h"

/* A copy of the layout of `x` in host memory, to be freed (memory); the contents are not copied. */
static bool host_copy(const matrix *x, matrix *copy) {
    void *memory = malloc(matrix_bytes(x));
    *copy = matrix_moved(x, memory);
    return memory != NULL;
}

cudaError_t inspect_fill(matrix *x, values_kind kind, uint64_t seed, cudaStream_t stream) {
    if (!simulator_active()) return matrix_fill_device(x, kind, seed, stream);
    matrix copy;
    if (!host_copy(x, &copy)) return cudaErrorMemoryAllocation;
    matrix_fill_host(&copy, kind, seed);
    cudaError_t error = cudaMemcpy(x->memory, copy.memory, matrix_bytes(x), cudaMemcpyHostToDevice);
    free(copy.memory);
    x->kind = kind;
    x->seed = seed;
    return error;
}

void inspect_outline(const char *name, const matrix *x) {
    simulator_operand(name, x->elements, dtype_size(x->type), (size_t)x->rows, (size_t)x->cols, (size_t)x->ld);
}

/* Where, in words from the first element: before, after, or at a row and column. */
static void print_place(FILE *report, const char *which, const matrix *x, int64_t at) {
    const char *words = x->type == DTYPE_F32 ? "floats" : "elements";
    const int64_t end = (int64_t)x->rows * x->ld;
    if (at < 0)
        fprintf(report, "%lld %s before %s\n", (long long)-at, words, which);
    else if (at >= end)
        fprintf(report, "%lld %s after the end of %s\n", (long long)(at - end), words, which);
    else
        fprintf(report, "at row %lld, column %lld of %s (%d x %d, leading dimension %d)\n", (long long)(at / x->ld),
                (long long)(at % x->ld), which, x->rows, x->cols, x->ld);
}

/* Checks one operand, on the device or the host: do guards and padding (and the elements, if nothing may change them)
 * still hold what they were filled with? */
static cudaError_t check_untouched(const char *name, const char *which, const matrix *x, bool elements, bool on_host,
                                   cudaStream_t stream, FILE *report, verdict *verdict) {
    uint64_t changed;
    int64_t first;
    cudaError_t error = cudaSuccess;
    if (on_host)
        matrix_changed_host(x, elements, &changed, &first);
    else
        error = matrix_changed_device(x, elements, stream, &changed, &first);
    if (error != cudaSuccess || changed == 0) return error;
    verdict->ok = false;
    if (report == NULL) return cudaSuccess;
    progress_clear(report);
    fprintf(report, "%s: %llu words changed that must not be written, the first ", name, (unsigned long long)changed);
    print_place(report, which, x, first);
    return cudaSuccess;
}

/* Compares C's elements with their reference. */
static cudaError_t check_result(const char *name, const char *names, const verify_case *v, bool on_host,
                                cudaStream_t stream, FILE *report, verdict *verdict) {
    verify_result r;
    cudaError_t error = cudaSuccess;
    if (on_host)
        verify_host(v, &r);
    else
        error = verify_device(v, stream, &r);
    if (error != cudaSuccess) return error;
    if (!v->exact) verdict->worst_share = r.worst_share;
    if (r.wrong == 0) return cudaSuccess;
    verdict->ok = false;
    if (report == NULL) return cudaSuccess;
    progress_clear(report);
    (names[1] == 'x' ? verify_report_vector : verify_report)(report, name, v, &r);
    return cudaSuccess;
}

/* Checks what the launch left in the set. */
static cudaError_t check(const char *name, const char *names, const verify_case *v, bool reference, bool on_host,
                         cudaStream_t stream, FILE *report, verdict *verdict) {
    const char a[] = {names[0], 0}, b[] = {names[1], 0}, c[] = {names[2], 0};
    const bool bias = v->d.elements != NULL;
    cudaError_t error = check_untouched(name, a, &v->a, true, on_host, stream, report, verdict);
    if (error == cudaSuccess) error = check_untouched(name, b, &v->b, !v->b.computed, on_host, stream, report, verdict);
    if (error == cudaSuccess) error = check_untouched(name, c, &v->c, false, on_host, stream, report, verdict);
    if (error == cudaSuccess && bias)
        error = check_untouched(name, &names[3], &v->d, true, on_host, stream, report, verdict);
    if (error == cudaSuccess && v->exact && on_host)
        verdict->fingerprint = matrix_fingerprint_host(&v->c);
    else if (error == cudaSuccess && v->exact)
        error = matrix_fingerprint_device(&v->c, stream, &verdict->fingerprint);
    if (error != cudaSuccess || !reference) return error;
    return check_result(name, names, v, on_host, stream, report, verdict);
}

static cudaError_t fetch(matrix *x) {
    matrix copy;
    if (!host_copy(x, &copy)) return cudaErrorMemoryAllocation;
    cudaError_t error = cudaMemcpy(copy.memory, x->memory, matrix_bytes(x), cudaMemcpyDeviceToHost);
    if (error == cudaSuccess)
        *x = copy;
    else
        free(copy.memory);
    return error;
}

/* The same on copies in host memory. */
static cudaError_t check_from_host(const char *name, const char *names, const verify_case *v, bool reference,
                                   cudaStream_t stream, FILE *report, verdict *verdict) {
    verify_case copy = *v;
    matrix *const all[] = {&copy.a, &copy.b, &copy.c, &copy.d};
    const int count = v->d.elements != NULL ? 4 : 3;
    int fetched = 0;
    cudaError_t error = cudaSuccess;
    while (fetched < count && error == cudaSuccess) {
        error = fetch(all[fetched]);
        if (error == cudaSuccess) fetched++;
    }
    if (error == cudaSuccess) error = check(name, names, &copy, reference, true, stream, report, verdict);
    while (fetched > 0) free(all[--fetched]->memory);
    return error;
}

cudaError_t inspect(const char *name, const char *names, const verify_case *v, bool reference, cudaStream_t stream,
                    FILE *report, verdict *verdict) {
    if (simulator_active()) return check_from_host(name, names, v, reference, stream, report, verdict);
    return check(name, names, v, reference, false, stream, report, verdict);
}

cudaError_t inspect_around(const char *name, const char *what, const matrix *x, cudaStream_t stream, FILE *report,
                           verdict *verdict) {
    matrix copy = *x;
    if (!simulator_active()) return check_untouched(name, what, x, false, false, stream, report, verdict);
    cudaError_t error = fetch(&copy);
    if (error != cudaSuccess) return error;
    error = check_untouched(name, what, &copy, false, true, stream, report, verdict);
    free(copy.memory);
    return error;
}
