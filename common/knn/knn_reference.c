#include "knn/knn_reference.h"

#include <stdlib.h>
#include <string.h>

#include "knn/knn_key.h"

/* Points are laid out in blocks of LANES, coordinate by coordinate, so that the compiler can vectorise over them: each
 * lane computes a chain of its own, in THE order. QUERIES queries use a block while it is in the cache. */
enum { LANES = 16, QUERIES = 8 };

#if defined __x86_64__ && defined __gnu_linux__
#define WITH_FMA __attribute__((target_clones("fma", "default"), optimize("O3")))
#else
#define WITH_FMA
#endif

WITH_FMA static void distances_of_group(const float *x, const float *group, int d, float *out) {
    float sum[LANES] = {0};
    for (int j = 0; j < d; j++)
        for (int i = 0; i < LANES; i++) {
            const float difference = x[j] - group[j * LANES + i];
            sum[i] = __builtin_fmaf(difference, difference, sum[i]);
        }
    memcpy(out, sum, sizeof sum);
}

static int by_key(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Moves the k smallest of the keys to the front. */
static void select_smallest(uint64_t *keys, int count, int k) {
    int low = 0, high = count - 1;
    while (low < high) { /* Hoare's: keys are distinct */
        const uint64_t pivot = keys[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (keys[i] < pivot) i++;
            while (keys[j] > pivot) j--;
            if (i > j) break;
            const uint64_t swapped = keys[i];
            keys[i++] = keys[j];
            keys[j--] = swapped;
        }
        if (k <= j)
            high = j;
        else if (k > i)
            low = i;
        else
            return;
    }
}

static float *group_points(const float *points, int n, int d) {
    const size_t groups = ((size_t)n + LANES - 1) / LANES;
    float *grouped = calloc(groups * LANES * (size_t)d + 1, sizeof *grouped);
    for (size_t i = 0; grouped != NULL && i < (size_t)n; i++)
        for (size_t j = 0; j < (size_t)d; j++)
            grouped[(i / LANES * (size_t)d + j) * LANES + i % LANES] = points[i * (size_t)d + j];
    return grouped;
}

int knn_reference_rows(int m, int stride) {
    return (int)(((int64_t)m + stride - 1) / stride);
}

bool knn_reference(const float *queries, const float *points, int m, int n, int d, int k, int stride, int *index,
                   float *distance) {
    const size_t padded = ((size_t)n + LANES - 1) / LANES * LANES;
    const int rows = knn_reference_rows(m, stride);
    float *grouped = group_points(points, n, d), *all = malloc(QUERIES * padded * sizeof *all);
    uint64_t *keys = malloc((size_t)n * sizeof *keys);
    const bool ok = grouped != NULL && all != NULL && keys != NULL;
    for (int row0 = 0; ok && row0 < rows; row0 += QUERIES) {
        const int count = rows - row0 < QUERIES ? rows - row0 : QUERIES;
        for (size_t g = 0; g < padded; g += LANES)
            for (int q = 0; q < count; q++)
                distances_of_group(queries + ((size_t)row0 + (size_t)q) * (size_t)stride * (size_t)d,
                                   grouped + g * (size_t)d, d, all + (size_t)q * padded + g);
        for (int q = 0; q < count; q++) {
            const size_t out = ((size_t)row0 + (size_t)q) * (size_t)k;
            for (int i = 0; i < n; i++) keys[i] = knn_key(all[(size_t)q * padded + (size_t)i], i);
            select_smallest(keys, n, k);
            qsort(keys, (size_t)k, sizeof *keys, by_key);
            for (int i = 0; i < k; i++) {
                index[out + (size_t)i] = knn_key_index(keys[i]);
                distance[out + (size_t)i] = knn_key_distance(keys[i]);
            }
        }
    }
    free(grouped);
    free(all);
    free(keys);
    return ok;
}

static int by_number(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

knn_difference knn_compare(int m, int k, int stride, const int *index, const float *distance, const int *want_index,
                           const float *want_distance) {
    knn_difference found = {0};
    const size_t count = (size_t)k;
    int *wanted = NULL;
    for (int row = 0; row < knn_reference_rows(m, stride); row++) {
        const size_t at = (size_t)row * (size_t)stride * count, want = (size_t)row * count;
        if (memcmp(index + at, want_index + want, count * sizeof *index) == 0 &&
            memcmp(distance + at, want_distance + want, count * sizeof *distance) == 0)
            continue;
        for (size_t i = 0; i < count; i++) {
            if (index[at + i] == want_index[want + i] &&
                memcmp(&distance[at + i], &want_distance[want + i], sizeof *distance) == 0)
                continue;
            if (found.wrong++ > 0) continue;
            found.row = row * stride;
            found.place = (int)i;
        }
        if (wanted == NULL) wanted = malloc(count * sizeof *wanted);
        if (wanted == NULL) abort();
        memcpy(wanted, want_index + want, count * sizeof *wanted);
        qsort(wanted, count, sizeof *wanted, by_number);
        for (size_t i = 0; i < count; i++)
            if (bsearch(&index[at + i], wanted, count, sizeof *wanted, by_number) == NULL) found.different++;
    }
    free(wanted);
    return found;
}

static float distance_of(const float *x, const float *y, int d) {
    float sum = 0.0f;
    for (int j = 0; j < d; j++) sum = __builtin_fmaf(x[j] - y[j], x[j] - y[j], sum);
    return sum;
}

static bool contains(const int *row, int k, int index) {
    for (int i = 0; i < k; i++)
        if (row[i] == index) return true;
    return false;
}

uint64_t knn_ties(const float *queries, const float *points, int m, int d, int k, const int *index,
                  const int *want_index, const float *want_distance) {
    uint64_t ties = 0;
    for (size_t i = 0; i < (size_t)m * (size_t)k; i++) {
        const size_t query = i / (size_t)k, row = query * (size_t)k;
        const float *point = points + (size_t)index[i] * (size_t)d;
        ties += distance_of(queries + query * (size_t)d, point, d) == want_distance[row + (size_t)k - 1] &&
                !contains(want_index + row, k, index[i]);
    }
    return ties;
}

bool knn_in_order(int m, int n, int k, const int *index, const float *distance, int *row, int *place) {
    for (size_t i = 0; i < (size_t)m * (size_t)k; i++) {
        *row = (int)(i / (size_t)k);
        *place = (int)(i % (size_t)k);
        if (index[i] < 0 || index[i] >= n) return false;
        if (*place > 0 && knn_key(distance[i - 1], index[i - 1]) >= knn_key(distance[i], index[i])) return false;
    }
    return true;
}
