#include "readers/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What remains to be computed of a column once all rows have been seen. */
static void learn_scale(const scaling *s, scaling_column *c, int rows) {
    c->deviation = s->zscore ? sqrt(c->deviation / rows) : 0;
    c->low = c->min;
    c->span = c->max - c->min;
    if (c->deviation > 0) {
        c->low = (c->min - c->mean) / c->deviation;
        c->span = (c->max - c->mean) / c->deviation - c->low;
    }
    c->constant = c->min == c->max || (s->zscore && c->deviation == 0) || (s->minmax && c->span == 0);
}

/* `x` has room for a row. */
static void learn(const scaling *s, const table *t, double *x) {
    scaling_column *c = s->column;
    for (int j = 0; j < t->columns; j++) c[j] = (scaling_column){.min = INFINITY, .max = -INFINITY};
    for (int i = 0; i < t->rows; i++) {
        table_row(t, i, x);
        for (int j = 0; j < t->columns; j++) {
            c[j].min = x[j] < c[j].min ? x[j] : c[j].min;
            c[j].max = x[j] > c[j].max ? x[j] : c[j].max;
            c[j].mean += x[j];
        }
    }
    for (int j = 0; j < t->columns; j++) c[j].mean /= t->rows;
    for (int i = 0; s->zscore && i < t->rows; i++) {
        table_row(t, i, x);
        for (int j = 0; j < t->columns; j++) c[j].deviation += (x[j] - c[j].mean) * (x[j] - c[j].mean);
    }
    for (int j = 0; j < t->columns; j++) learn_scale(s, &c[j], t->rows);
}

int scaling_fit(scaling *s, const table *t, const char *how, FILE *err) {
    *s = (scaling){.zscore = strstr(how, "zscore") != NULL, .minmax = strstr(how, "minmax") != NULL};
    s->column = calloc((size_t)t->columns + 1, sizeof *s->column);
    double *x = malloc(((size_t)t->columns + 1) * sizeof *x);
    const bool room = s->column != NULL && x != NULL;
    if (room && (s->zscore || s->minmax)) learn(s, t, x);
    free(x);
    if (!room) return table_complain(t, -1, -1, err, "out of memory");
    for (int j = 0; j < t->columns; j++) {
        const scaling_column *c = &s->column[j];
        if (!isfinite(c->deviation) || (s->minmax && !isfinite(c->span)))
            return table_complain(t, -1, j, err, "values from %g to %g: too far apart to scale", c->min, c->max);
    }
    return 0;
}

void scaling_free(scaling *s) {
    free(s->column);
    *s = (scaling){0};
}

static float scale(const scaling *s, const scaling_column *c, double x) {
    if (c->constant) return 0.0f;
    if (s->zscore) x = (x - c->mean) / c->deviation;
    if (s->minmax) x = (x - c->low) / c->span;
    return (float)x;
}

int scaling_apply(const scaling *s, const table *t, float *to, FILE *err) {
    int status = 0;
    double *x = malloc(((size_t)t->columns + 1) * sizeof *x);
    if (x == NULL) return table_complain(t, -1, -1, err, "out of memory");
    for (int i = 0; i < t->rows && status == 0; i++) {
        table_row(t, i, x);
        for (int j = 0; j < t->columns && status == 0; j++, to++) {
            *to = scale(s, &s->column[j], x[j]);
            if (!isfinite(*to)) status = table_complain(t, i, j, err, "%g, scaled, is beyond FP32", x[j]);
        }
    }
    free(x);
    return status;
}
