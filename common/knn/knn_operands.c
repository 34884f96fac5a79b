#include "knn/knn_operands.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/progress.h"
#include "gpu/error.h"
#include "gpu/simulator.h"
#include "knn/knn_held.h"
#include "knn/knn_key.h"
#include "knn/knn_rank_kernels.h"
#include "knn/knn_ranks.h"
#include "tensor/operands.h"

enum { WORKSPACE_ROW = 64 }; /* words: 256 bytes */
static const uint64_t OF_POINTS = 0x5bd1e995;

const char *knn_kind_name(knn_kind kind) {
    static const char *const names[] = {"uniform",      "whole numbers", "copies", "equal",
                                        "large offset", "near ties",     "huge",   "tiny"};
    return names[kind];
}

/* ---- data ---- */

static float whole_at(uint64_t seed, uint64_t i) {
    return (float)(values_hash(seed, i) >> 62);
}

static float up(float x, int steps) {
    for (int i = 0; i < steps; i++) x = nextafterf(x, 2.0f);
    return x;
}

/* Coordinate j of row `row`; points and queries of KNN_NEAR have a row in common that all are near to. */
static float value_at(const knn_case *c, bool is_point, size_t row, size_t j) {
    const size_t d = (size_t)c->d;
    const uint64_t seed = is_point ? knn_operands_seed(c) : c->seed;
    const float uniform = values_at(VALUES_UNIFORM, seed, row * d + j);
    switch (c->kind) {
    case KNN_WHOLE:
        return whole_at(seed, row * d + j);
    case KNN_COPIES:
        return whole_at(seed, (is_point ? row % ((size_t)c->n / 5 + 1) : row) * d + j);
    case KNN_EQUAL:
        return 0.75f;
    case KNN_OFFSET:
        return 4096.0f + uniform;
    case KNN_NEAR:
        if (!is_point && row % 2 == 0) return uniform;
        return up(values_at(VALUES_UNIFORM, c->seed + 1, j), is_point && j == row % d ? (int)(row / d % 4) : 0);
    case KNN_HUGE:
        return uniform * 2e19f;
    case KNN_TINY:
        return uniform * 1e-22f;
    default:
        return uniform;
    }
}

static float *make(const knn_case *c, bool is_point, size_t first, size_t rows) {
    const size_t d = (size_t)c->d;
    float *data = malloc((rows * d + 1) * sizeof *data);
    if (data == NULL) return NULL;
    for (size_t i = 0; i < rows * d; i++) data[i] = value_at(c, is_point, first + i / d, i % d);
    return data;
}

float *knn_operands_points(const knn_case *what, int first, int rows) {
    return make(what, true, (size_t)first, (size_t)rows);
}

uint64_t knn_operands_seed(const knn_case *what) {
    return what->seed ^ OF_POINTS;
}

/* ---- memory ---- */

static void outline(const knn_case *c, matrix at[KNN_MATRICES]) {
    const int rows[] = {c->m, c->held > 0 ? c->held : c->n, c->m, c->m}, cols[] = {c->d, c->d, c->k, c->k};
    for (int i = 0; i < KNN_MATRICES; i++) at[i] = operand_outline(DTYPE_F32, rows[i], cols[i], 0, c->off[i]);
}

double knn_operands_bytes(const knn_case *what) {
    matrix at[KNN_MATRICES];
    double bytes = sizeof(knn_counts);
    outline(what, at);
    for (int i = 0; i < KNN_MATRICES; i++) bytes += (double)matrix_bytes(&at[i]);
    return bytes;
}

static void allocate(matrix *x) {
    void *memory;
    CUDA_ALLOCATE(&memory, matrix_bytes(x));
    *x = matrix_moved(x, memory);
}

static void fill_inputs(knn_operands *o) {
    for (int i = 0; i < KNN_INPUTS; i++) {
        matrix *x = &o->at[i];
        const size_t bytes = matrix_element_bytes(x);
        CUDA_CHECK(inspect_fill(x, VALUES_NAN, 0, NULL));
        if (o->data[i] == NULL)
            CUDA_CHECK(knn_generate(x->elements, knn_operands_seed(&o->what), 0, bytes / sizeof(float), NULL));
        else if (bytes > 0)
            CUDA_CHECK(cudaMemcpy(x->elements, o->data[i], bytes, cudaMemcpyHostToDevice));
    }
}

bool knn_operands_create(knn_operands *o, const knn_case *what, double work) {
    *o = (knn_operands){.what = *what, .stride = 1};
    const double of_one = (double)what->n * (what->d + 1), all = of_one * what->m;
    if (what->held > 0) {
        o->stride = what->m <= KNN_HELD_CHECKED ? 1 : (what->m + KNN_HELD_CHECKED - 1) / KNN_HELD_CHECKED;
    } else if (work > 0.0 && all > work) {
        const double rows = work / of_one < 1.0 ? 1.0 : floor(work / of_one);
        o->stride = (int)ceil(what->m / rows);
    }
    const size_t places = (size_t)knn_reference_rows(what->m, o->stride) * (size_t)what->k;
    o->data[KNN_QUERIES] = make(what, false, 0, (size_t)what->m);
    if (what->held == 0) o->data[KNN_POINTS] = knn_operands_points(what, 0, what->n);
    o->want_index = malloc((places + 1) * sizeof *o->want_index);
    o->want_distance = malloc((places + 1) * sizeof *o->want_distance);
    const bool there = o->data[KNN_QUERIES] != NULL && o->want_index != NULL && o->want_distance != NULL;
    const bool ok =
        there && (what->held > 0 ||
                  (o->data[KNN_POINTS] != NULL &&
                   knn_reference(o->data[KNN_QUERIES], o->data[KNN_POINTS], what->m, what->n, what->d, what->k,
                                 o->stride, o->want_index, o->want_distance)));
    if (!ok) {
        knn_operands_destroy(o);
        return false;
    }
    outline(what, o->at);
    for (int i = 0; i < KNN_MATRICES; i++) allocate(&o->at[i]);
    CUDA_ALLOCATE(&o->counts, sizeof *o->counts);
    CUDA_CHECK(cudaMemset(o->counts, 0, sizeof *o->counts));
    fill_inputs(o);
    return true;
}

void knn_operands_destroy(knn_operands *o) {
    for (int i = 0; i < KNN_MATRICES; i++)
        if (o->at[i].memory != NULL) CUDA_CHECK(cudaFree(o->at[i].memory));
    if (o->counts != NULL) CUDA_CHECK(cudaFree(o->counts));
    for (int i = 0; i < KNN_INPUTS; i++) free(o->data[i]);
    free(o->want_index);
    free(o->want_distance);
    *o = (knn_operands){0};
}

void knn_describe(const knn_case *what, record *r) {
    r->m = what->m;
    r->n = what->n;
    r->d = what->d;
    r->k = what->k;
    snprintf(r->dtype, sizeof r->dtype, "f32");
    snprintf(r->layout, sizeof r->layout, "n");
    snprintf(r->cache, sizeof r->cache, "warm"); /* searches follow one another on the same data */
}

static knn_problem problem_on(const knn_case *c, const matrix at[KNN_MATRICES]) {
    return (knn_problem){.m = c->m,
                         .n = c->n,
                         .d = c->d,
                         .k = c->k,
                         .queries = at[KNN_QUERIES].elements,
                         .points = at[KNN_POINTS].elements,
                         .index = at[KNN_INDEX].elements,
                         .distance = at[KNN_DISTANCE].elements};
}

knn_problem knn_operands_outline(const knn_case *what) {
    matrix at[KNN_MATRICES];
    outline(what, at);
    return problem_on(what, at);
}

knn_problem knn_operands_problem(const knn_operands *o) {
    knn_problem p = problem_on(&o->what, o->at);
    p.counts = o->counts;
    return p;
}

const char *knn_refusal(const knn_method *method, const knn_problem *p, size_t limit, size_t *workspace) {
    knn_problem asked = *p;
    asked.workspace_bytes = limit;
    *workspace = 0;
    const char *reason = method->refuses != NULL ? method->refuses(&asked) : NULL;
    if (reason == NULL && method->workspace != NULL) *workspace = method->workspace(p, limit);
    return reason;
}

size_t knn_scarce(const knn_method *method, const knn_problem *p, size_t limit) {
    size_t unused;
    for (size_t less = 256; less < limit; less *= 2)
        if (knn_refusal(method, p, less, &unused) == NULL) return less;
    return limit;
}

/* ---- verifying ---- */

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

static void check_results(const verifier *v) {
    const knn_case *c = &v->o->what;
    int *index = fetch(&v->o->at[KNN_INDEX]), row, place;
    float *distance = fetch(&v->o->at[KNN_DISTANCE]);
    const size_t places = (size_t)c->m * (size_t)c->k;
    v->verdict->rows = knn_reference_rows(c->m, v->o->stride);
    if (!knn_in_order(c->m, c->n, c->k, index, distance, &row, &place)) {
        wrong_place(v, row, place, index, distance);
    } else if (c->held > 0) {
        char text[160];
        if (!knn_held_right(v->o, index, distance, text, sizeof text)) wrong(v, "%s", text);
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

cudaError_t knn_verify(const knn_method *method, const char *name, knn_operands *o, size_t workspace,
                       cudaStream_t stream, FILE *report, knn_verdict *found) {
    static const char *const names[] = {"the queries", "the points", "the indices", "the distances", "the workspace"};
    static const char *const fields[KNN_MATRICES] = {"queries", "points", "index", "distance"}; /* of a knn_problem */
    const verifier v = {method, name, o, report, found};
    const size_t rows = (workspace + WORKSPACE_ROW * sizeof(float) - 1) / (WORKSPACE_ROW * sizeof(float));
    matrix space = operand_outline(DTYPE_F32, (int)rows, WORKSPACE_ROW, 0, 0);
    matrix *const all[] = {&o->at[KNN_QUERIES], &o->at[KNN_POINTS], &o->at[KNN_INDEX], &o->at[KNN_DISTANCE], &space};
    cudaError_t error = cudaMemsetAsync(o->counts, 0, sizeof *o->counts, stream);
    *found = (knn_verdict){.ok = true, .seconds = NAN};
    allocate(&space);
    for (int i = KNN_INPUTS; i < ARRAY_SIZE(all) && error == cudaSuccess; i++)
        error = inspect_fill(all[i], VALUES_NAN, 0, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    knn_problem p = knn_operands_problem(o);
    p.workspace = space.elements;
    p.workspace_bytes = workspace;
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
    if (error == cudaSuccess && !found->ok) fill_inputs(o); /* whoever is next finds them as they were */
    const cudaError_t freed = cudaFree(space.memory);
    return error != cudaSuccess ? error : freed;
}
