#include "knn/knn_operands.h"

#include <stdlib.h>

#include "gpu/error.h"
#include "tensor/operands.h"

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
float knn_operands_value(const knn_case *c, bool is_point, size_t row, size_t j) {
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
    for (size_t i = 0; i < rows * d; i++) data[i] = knn_operands_value(c, is_point, first + i / d, i % d);
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

void knn_operands_fill(knn_operands *o) {
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
    if (work > 0.0 && all > work && what->held == 0) {
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
        there && (what->held > 0 || (o->data[KNN_POINTS] != NULL &&
                                     knn_reference(o->data[KNN_QUERIES], o->data[KNN_POINTS], what->m, what->n, what->d,
                                                   what->k, o->stride, o->want_index, o->want_distance)));
    if (!ok) {
        knn_operands_destroy(o);
        return false;
    }
    outline(what, o->at);
    for (int i = 0; i < KNN_MATRICES; i++) allocate(&o->at[i]);
    CUDA_ALLOCATE(&o->counts, sizeof *o->counts);
    CUDA_CHECK(cudaMemset(o->counts, 0, sizeof *o->counts));
    knn_operands_fill(o);
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
    snprintf(r->layout, sizeof r->layout, what->prepared ? "prepared" : "n");
    /* Searches follow one another on the same data; those of prepared points come one at a time. */
    snprintf(r->cache, sizeof r->cache, what->prepared ? "cold" : "warm");
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
    knn_problem p = problem_on(what, at);
    if (what->prepared) p.prepared = at[KNN_POINTS].elements;
    return p;
}

knn_problem knn_operands_problem(const knn_operands *o) {
    knn_problem p = problem_on(&o->what, o->at);
    p.counts = o->counts;
    return p;
}

const char *knn_needs(double bytes) {
    static char text[64];
    snprintf(text, sizeof text, "needs %.3f MB", bytes / 1e6);
    return text;
}

const char *knn_refusal(const knn_method *method, const knn_problem *p, size_t limit, size_t *workspace) {
    knn_problem asked = *p;
    asked.workspace_bytes = limit;
    *workspace = 0;
    if (p->prepared != NULL) {
        if (method->prepare == NULL) return "prepares nothing";
        const size_t kept = method->prepared(p);
        if (kept > limit) return knn_needs((double)kept);
        asked.workspace_bytes = limit -= kept;
    }
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
