#include "readers/scaling.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

KL_VECTORISED static void learn_range(const scaling *s, const double *x, int count) {
    for (int j = 0; j < count; j++) {
        s->min[j] = x[j] < s->min[j] ? x[j] : s->min[j];
        s->max[j] = x[j] > s->max[j] ? x[j] : s->max[j];
        s->mean[j] += x[j];
    }
}

KL_VECTORISED static void learn_deviation(const scaling *s, const double *x, int count) {
    for (int j = 0; j < count; j++) s->deviation[j] += (x[j] - s->mean[j]) * (x[j] - s->mean[j]);
}

/* What remains to be computed of a column once all rows have been seen. */
static void learn_scale(const scaling *s, int j, int rows) {
    s->deviation[j] = s->zscore ? sqrt(s->deviation[j] / rows) : 0;
    s->low[j] = s->min[j];
    s->span[j] = s->max[j] - s->min[j];
    if (s->deviation[j] > 0) {
        s->low[j] = (s->min[j] - s->mean[j]) / s->deviation[j];
        s->span[j] = (s->max[j] - s->mean[j]) / s->deviation[j] - s->low[j];
    }
    s->constant[j] = s->min[j] == s->max[j] || (s->zscore && s->deviation[j] == 0) || (s->minmax && s->span[j] == 0);
}

int scaling_fit(scaling *s, const table *t, const char *how, FILE *err) {
    enum { ARRAYS = 7 };
    const size_t count = (size_t)t->columns;
    double *all = calloc(ARRAYS * count + 1, sizeof *all), *x = all;
    *s = (scaling){.zscore = strstr(how, "zscore") != NULL, .minmax = strstr(how, "minmax") != NULL, .min = all};
    s->constant = calloc(count + 1, sizeof *s->constant);
    if (all == NULL || s->constant == NULL) return table_complain(t, -1, -1, err, "out of memory");
    double **const arrays[ARRAYS] = {&s->min, &s->max, &s->mean, &s->deviation, &s->low, &s->span, &x};
    for (int i = 0; i < ARRAYS; i++) *arrays[i] = all + (size_t)i * count;
    if (!s->zscore && !s->minmax) return 0;
    for (size_t j = 0; j < count; j++) {
        s->min[j] = INFINITY;
        s->max[j] = -INFINITY;
    }
    for (int i = 0; i < t->rows; i++) {
        table_row(t, i, x);
        learn_range(s, x, t->columns);
    }
    for (size_t j = 0; j < count; j++) s->mean[j] /= t->rows;
    for (int i = 0; s->zscore && i < t->rows; i++) {
        table_row(t, i, x);
        learn_deviation(s, x, t->columns);
    }
    for (int j = 0; j < t->columns; j++) {
        learn_scale(s, j, t->rows);
        if (!isfinite(s->deviation[j]) || (s->minmax && !isfinite(s->span[j])))
            return table_complain(t, -1, j, err, "values from %g to %g: too far apart to scale", s->min[j], s->max[j]);
    }
    return 0;
}

void scaling_free(scaling *s) {
    free(s->min);
    free(s->constant);
    *s = (scaling){0};
}

/* True if FP32 cannot hold one of them. */
KL_VECTORISED static bool scale(const scaling *s, int count, double *x, float *to) {
    int wrong = 0;
    for (int j = 0; s->zscore && j < count; j++) x[j] = (x[j] - s->mean[j]) / s->deviation[j];
    for (int j = 0; s->minmax && j < count; j++) x[j] = (x[j] - s->low[j]) / s->span[j];
    for (int j = 0; j < count; j++) {
        to[j] = s->constant[j] ? 0.0f : (float)x[j];
        wrong |= !(fabsf(to[j]) <= FLT_MAX);
    }
    return wrong;
}

int scaling_apply(const scaling *s, const table *t, float *to, FILE *err) {
    int status = 0;
    double *x = malloc(((size_t)t->columns + 1) * sizeof *x);
    if (x == NULL) return table_complain(t, -1, -1, err, "out of memory");
    for (int i = 0; i < t->rows && status == 0; i++, to += t->columns) {
        int j = 0;
        table_row(t, i, x);
        if (!scale(s, t->columns, x, to)) continue;
        while (isfinite(to[j])) j++;
        table_row(t, i, x);
        status = table_complain(t, i, j, err, "%g, scaled, is beyond FP32", x[j]);
    }
    free(x);
    return status;
}
