/* One search, and whether its answer is right (knn_operands.h). */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/progress.h"
#include "gpu/error.h"
#include "gpu/simulator.h"
#include "knn/knn_operands.h"
#include "knn/knn_ranks.h"
#include "tensor/operands.h"

enum { WORKSPACE_ROW = 64 }; /* words: 256 bytes */

typedef struct {
    const knn_method *method;
    const char *name;
    knn_operands *o;
    FILE *report;
    knn_verdict *verdict;
} verifier;

__attribute__((format(printf, 2, 3))) static void wrong(const verifier *v, const char *format, ...) {
    v->verdict->ok = false;
    if (v->report == NULL) return;
    va_list arguments;
    va_start(arguments, format);
    progress_clear(v->report);
    fprintf(v->report, "%s: ", v->name);
    vfprintf(v->report, format, arguments);
    fputc('\n', v->report);
    va_end(arguments);
}

/* The elements of a matrix in host memory, to be freed. */
static void *fetch(const matrix *x) {
    void *data = malloc(matrix_element_bytes(x) + 1);
    if (data == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    if (matrix_element_bytes(x) > 0)
        CUDA_CHECK(cudaMemcpy(data, x->elements, matrix_element_bytes(x), cudaMemcpyDeviceToHost));
    return data;
}

static double norm(const float *x, int d) {
    double sum = 0.0;
    for (int j = 0; j < d; j++) sum += (double)x[j] * x[j];
    return sqrt(sum);
}

/* |x|^2 + |y|^2 - 2xy: each of its three sums has d products and as many additions, and is no larger than a = (|x| +
 * |y|)^2 in all its parts together; two more additions bring them together. With u = 2^-24 the error is below
 * (d + 4) u a, twice that with room for the higher orders; the reference's own is below that, too. The distance at a
 * place of the sorted row moves by no more than the largest of its distances does. */
static void check_own(const verifier *v, const int *index, const float *distance) {
    const knn_case *c = &v->o->what;
    double largest = 0.0;
    if (c->kind == KNN_HUGE) return; /* infinite norms: there is nothing to say */
    for (int i = 0; i < c->n; i++) {
        const double of_point = norm(v->o->data[KNN_POINTS] + (size_t)i * (size_t)c->d, c->d);
        if (of_point > largest) largest = of_point;
    }
    for (int row = 0; row < v->verdict->rows; row++) {
        const size_t query = (size_t)row * (size_t)v->o->stride;
        const double a = norm(v->o->data[KNN_QUERIES] + query * (size_t)c->d, c->d) + largest;
        const double bound = 4.0 * (c->d + 4.0) * 0x1p-24 * a * a + 0x1p-140;
        for (int i = 0; i < c->k; i++) {
            const double got = distance[query * (size_t)c->k + (size_t)i],
                         want = v->o->want_distance[(size_t)row * (size_t)c->k + (size_t)i];
            if (fabs(got - want) <= bound) continue;
            wrong(v, "query %zu, place %d: distance %.9g of point %d, expected %.9g within %.3g", query, i, got,
                  index[query * (size_t)c->k + (size_t)i], want, bound);
            return;
        }
    }
}

/* A place whose point is none, is the one before it again, or should stand before that one. */
static void wrong_place(const verifier *v, int row, int place, const int *index, const float *distance) {
    const size_t at = (size_t)row * (size_t)v->o->what.k + (size_t)place;
    if (index[at] < 0 || index[at] >= v->o->what.n)
        wrong(v, "query %d, place %d: %d is no point", row, place, index[at]);
    else if (index[at] == index[at - 1])
        wrong(v, "query %d, place %d: point %d again", row, place, index[at]);
    else
        wrong(v, "query %d, place %d: out of order: point %d at %.9g after point %d at %.9g", row, place, index[at],
              (double)distance[at], index[at - 1], (double)distance[at - 1]);
}

/* THE distance of one of the points, which is made again, and the true one in FP64. */
static float distance_to(const knn_case *c, const float *x, int point, double *true_distance) {
    float sum = 0.0f;
    *true_distance = 0.0;
    for (int j = 0; j < c->d; j++) {
        const float y = knn_operands_value(c, true, (size_t)point, (size_t)j);
        sum = fmaf(x[j] - y, x[j] - y, sum);
        *true_distance = fma((double)x[j] - y, (double)x[j] - y, *true_distance);
    }
    return sum;
}

/* Points that are on devices only. Of the first queries each distance is THE distance of its point, bit for bit, and no
 * other point is nearer than the last neighbour: in FP64, and of all points, those that are nearer by more than FP32's
 * rounding can make up for are as many as there are among the neighbours. */
static void check_held(const verifier *v, const int *index, const float *distance) {
    const knn_case *c = &v->o->what;
    const int rows = c->m < KNN_HELD_CHECKED ? c->m : KNN_HELD_CHECKED;
    double limits[KNN_HELD_CHECKED], wide;
    unsigned long long nearer[KNN_HELD_CHECKED], known[KNN_HELD_CHECKED] = {0};
    for (int i = 0; i < rows; i++) {
        const size_t at = (size_t)i * (size_t)c->k;
        /* Rounded d + 2 times, THE distance is off by less than this factor. */
        limits[i] = (double)distance[at + (size_t)c->k - 1] * (1.0 - 1.125 * (c->d + 4) * 0x1p-24);
        for (size_t j = at; j < at + (size_t)c->k; j++) {
            const float want = distance_to(c, v->o->data[KNN_QUERIES] + (size_t)i * (size_t)c->d, index[j], &wide);
            known[i] += wide < limits[i];
            if (v->verdict->ok && memcmp(&want, &distance[j], sizeof want) != 0)
                wrong(v, "query %d: point %d at %.9g, expected %.9g", i, index[j], (double)distance[j], (double)want);
        }
    }
    knn_ranks_count_nearer(v->o->at[KNN_POINTS].elements, v->o->at[KNN_QUERIES].elements, rows, limits, nearer);
    for (int i = 0; i < rows && v->verdict->ok; i++)
        if (nearer[i] != known[i])
            wrong(v, "query %d: %llu points are nearer than its last neighbour, and %llu of the neighbours are", i,
                  nearer[i], known[i]);
}

static void check_results(const verifier *v) {
    const knn_case *c = &v->o->what;
    int *index = fetch(&v->o->at[KNN_INDEX]), row, place;
    float *distance = fetch(&v->o->at[KNN_DISTANCE]);
    const size_t places = (size_t)c->m * (size_t)c->k;
    v->verdict->rows = knn_reference_rows(c->m, v->o->stride);
    if (!knn_in_order(c->m, c->n, c->k, index, distance, &row, &place)) {
        wrong_place(v, row, place, index, distance);
    } else if (c->held > 0) {
        check_held(v, index, distance);
    } else {
        const knn_difference d =
            knn_compare(c->m, c->k, v->o->stride, index, distance, v->o->want_index, v->o->want_distance);
        const size_t at = (size_t)d.row * (size_t)c->k + (size_t)d.place;
        const size_t want = (size_t)(d.row / v->o->stride) * (size_t)c->k + (size_t)d.place;
        const bool exact = v->method->exact || c->kind == KNN_WHOLE || c->kind == KNN_COPIES;
        v->verdict->different = d.different;
        if (exact && d.wrong > 0)
            wrong(v, "%llu of %llu neighbours are wrong; query %d, place %d: point %d at %.9g, expected %d at %.9g",
                  (unsigned long long)d.wrong, (unsigned long long)v->verdict->rows * (unsigned)c->k, d.row, d.place,
                  index[at], (double)distance[at], v->o->want_index[want], (double)v->o->want_distance[want]);
        else if (!exact)
            check_own(v, index, distance);
        for (size_t i = 0; !v->method->exact && i < places; i++) v->verdict->counts.negative += distance[i] < 0.0f;
    }
    free(index);
    free(distance);
}

/* A matrix that holds so many bytes, with memory of its own. */
static matrix allocate_bytes(size_t bytes) {
    void *memory;
    const size_t rows = (bytes + WORKSPACE_ROW * sizeof(float) - 1) / (WORKSPACE_ROW * sizeof(float));
    const matrix x = operand_outline(DTYPE_F32, (int)rows, WORKSPACE_ROW, 0, 0);
    CUDA_ALLOCATE(&memory, matrix_bytes(&x));
    return matrix_moved(&x, memory);
}

cudaError_t knn_verify(const knn_method *method, const char *name, knn_operands *o, size_t workspace,
                       cudaStream_t stream, FILE *report, knn_verdict *found) {
    static const char *const names[] = {"the queries",   "the points",    "the indices",
                                        "the distances", "the workspace", "what was prepared"};
    static const char *const fields[KNN_MATRICES] = {"queries", "points", "index", "distance"}; /* of a knn_problem */
    const verifier v = {method, name, o, report, found};
    const size_t kept = o->what.prepared ? method->prepared(&(knn_problem){.n = o->what.n, .d = o->what.d}) : 0;
    matrix space = allocate_bytes(workspace), made = allocate_bytes(kept);
    matrix *const all[] = {
        &o->at[KNN_QUERIES], &o->at[KNN_POINTS], &o->at[KNN_INDEX], &o->at[KNN_DISTANCE], &space, &made};
    cudaError_t error = cudaMemsetAsync(o->counts, 0, sizeof *o->counts, stream);
    *found = (knn_verdict){.ok = true, .seconds = NAN};
    for (int i = KNN_INPUTS; i < ARRAY_SIZE(all) && error == cudaSuccess; i++)
        error = inspect_fill(all[i], VALUES_NAN, 0, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    knn_problem p = knn_operands_problem(o);
    p.workspace = space.elements;
    p.workspace_bytes = workspace;
    if (error == cudaSuccess && o->what.prepared) {
        error = method->prepare(&p, made.elements, stream);
        p.prepared = made.elements;
    }
    for (int i = 0; i < KNN_MATRICES; i++) inspect_outline(fields[i], &o->at[i]);
    simulator_operand("workspace", space.elements, 1, workspace, 1, 1);
    const double begin = clock_now_s();
    if (error == cudaSuccess) error = knn_ranks_search(method, &p, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    simulator_operands_end();
    if (simulator_active()) found->seconds = clock_now_s() - begin;
    if (error == cudaSuccess)
        error = cudaMemcpy(&found->counts, o->counts, sizeof found->counts, cudaMemcpyDeviceToHost);
    verdict around = {.ok = true};
    for (int i = 0; i < ARRAY_SIZE(all) && error == cudaSuccess; i++)
        error = inspect_around(name, names[i], all[i], stream, report, &around);
    found->ok = around.ok;
    for (int i = 0; i < KNN_INPUTS && error == cudaSuccess; i++) {
        if (o->data[i] == NULL) continue;
        void *now = fetch(all[i]);
        if (memcmp(now, o->data[i], matrix_element_bytes(all[i])) != 0) wrong(&v, "%s were changed", names[i]);
        free(now);
    }
    if (error == cudaSuccess) check_results(&v);
    if (error == cudaSuccess && !found->ok) knn_operands_fill(o); /* whoever is next finds them as they were */
    const cudaError_t freed = cudaFree(space.memory);
    if (error == cudaSuccess) error = cudaFree(made.memory);
    return error != cudaSuccess ? error : freed;
}
