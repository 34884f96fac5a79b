#include "knn/knn_held.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "knn/knn_ranks.h"

/* THE distance of one of the points, which is made again, and the true one in FP64. */
static float distance_to(const knn_case *c, const float *x, int point, double *true_distance) {
    float sum = 0.0f;
    double wide = 0.0;
    for (int j = 0; j < c->d; j++) {
        const uint64_t at = (uint64_t)point * (uint64_t)c->d + (uint64_t)j;
        const float y = values_at(VALUES_UNIFORM, knn_operands_seed(c), at), apart = x[j] - y;
        const double wide_apart = (double)x[j] - (double)y;
        sum = fmaf(apart, apart, sum);
        wide = fma(wide_apart, wide_apart, wide);
    }
    *true_distance = wide;
    return sum;
}

bool knn_held_right(const knn_operands *o, const int *index, const float *distance, char *text, size_t size) {
    const knn_case *c = &o->what;
    const int rows = knn_reference_rows(c->m, o->stride);
    const size_t d = (size_t)c->d, k = (size_t)c->k;
    float *queries = malloc(((size_t)rows * d + 1) * sizeof *queries);
    double *limits = calloc((size_t)rows + 1, sizeof *limits);
    unsigned long long *nearer = calloc((size_t)rows + 1, sizeof *nearer), *known = calloc((size_t)rows + 1, sizeof *known);
    bool right = true;
    if (queries == NULL || limits == NULL || nearer == NULL || known == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    for (int i = 0; i < rows; i++) {
        const size_t query = (size_t)i * (size_t)o->stride, at = query * k;
        const float *x = memcpy(queries + (size_t)i * d, o->data[KNN_QUERIES] + query * d, d * sizeof *x);
        /* Rounded d + 2 times, THE distance is off by less than this factor. */
        limits[i] = (double)distance[at + k - 1] * (1.0 - 1.125 * (c->d + 4) * 0x1p-24);
        for (size_t j = 0; j < k; j++) {
            double wide;
            const float want = distance_to(c, x, index[at + j], &wide);
            known[i] += wide < limits[i];
            if (right && memcmp(&want, &distance[at + j], sizeof want) != 0) {
                snprintf(text, size, "query %zu, place %zu: point %d at %.9g, expected %.9g", query, j, index[at + j],
                         (double)distance[at + j], (double)want);
                right = false;
            }
        }
    }
    knn_ranks_count_nearer(o->at[KNN_POINTS].elements, rows, queries, limits, nearer);
    for (int i = 0; i < rows && right; i++) {
        right = nearer[i] == known[i];
        if (!right)
            snprintf(text, size, "query %d: %llu points are nearer than its last neighbour, and %llu of the neighbours",
                     i * o->stride, nearer[i], known[i]);
    }
    free(queries);
    free(limits);
    free(nearer);
    free(known);
    return right;
}
