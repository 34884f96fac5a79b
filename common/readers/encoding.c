#include "readers/encoding.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "readers/names.h"

typedef struct {
    bool label, symbolic;
    name_list categories; /* symbolic */
    int at;               /* its first coordinate */
    char *surprise;       /* a note about a column that is symbolic only because of a few words */
} column_plan;

/* What is known about the numbers of each column; meaningless for columns without numbers. */
typedef struct {
    double *min, *max, *mean, *deviation; /* deviation: first the sum of squares */
    double *low, *span;                   /* for minmax, after zscore */
    bool *constant;                       /* becomes 0 with any scaling */
} column_scales;

struct features {
    char *path; /* the training's */
    features_options options;
    int columns, dimension;
    int label;    /* the column of labels, or -1 */
    int symbolic; /* columns */
    column_plan *plan;
    column_scales scales;
};

enum { VALUES_PER_THREAD = 1 << 20 }; /* too few values to be worth a thread */
enum { STRETCH = 256 };               /* columns whose numbers are examined together */

bool features_parse_normalize(const char *text, features_options *o) {
    o->zscore = strcmp(text, "zscore") == 0 || strcmp(text, "zscore,minmax") == 0;
    o->minmax = strcmp(text, "minmax") == 0 || strcmp(text, "zscore,minmax") == 0;
    return o->zscore || o->minmax || strcmp(text, "none") == 0;
}

bool features_parse_labels(const char *text, labels_place *place) {
    static const char *const words[] = {[LABELS_LAST] = "last", [LABELS_FIRST] = "first", [LABELS_NONE] = "none"};
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
        if (strcmp(text, words[i]) == 0) {
            *place = (labels_place)i;
            return true;
        }
    return false;
}

int features_label_column(const table *t, labels_place place) {
    return place == LABELS_NONE ? -1 : place == LABELS_FIRST ? 0 : table_columns(t) - 1;
}

static int row_at(const int *rows, int i) {
    return rows != NULL ? rows[i] : i;
}

static int no_memory(const table *t, FILE *err) {
    return table_complain(t, -1, -1, err, "out of memory");
}

static int no_number(const table *t, int row, int column, FILE *err) {
    char room[TABLE_TEXT], shown[TABLE_SHOWN];
    const char *text = table_text(t, row, column, room);
    return table_complain(t, row, column, err, "'%s' is not a number", table_shown(text != NULL ? text : "", shown));
}

/* ---- learning ---- */

static int learn_categories(column_plan *p, const table *t, int column, const int *rows, int count, FILE *err) {
    char room[TABLE_TEXT];
    for (int i = 0; i < count; i++)
        if (names_add(&p->categories, table_text(t, row_at(rows, i), column, room)) < 0) return no_memory(t, err);
    names_sort(&p->categories, 0, false);
    return 0;
}

/* Most values are numbers, so the word may be a slip: says which. This is no error, so running out of memory is not one
 * either. */
static void note_surprise(column_plan *p, const table *t, int column, const int *rows, int count) {
    int numbers = 0, word = -1;
    for (int i = 0; i < count; i++) {
        const int row = row_at(rows, i);
        if (!isnan(table_number(t, row, column)))
            numbers++;
        else if (word < 0)
            word = row;
    }
    if (word < 0 || numbers <= count / 2) return;
    size_t length;
    char room[TABLE_TEXT], shown[TABLE_SHOWN];
    FILE *line = open_memstream(&p->surprise, &length);
    if (line == NULL) return;
    table_complain(t, word, column, line, "'%s' makes the column symbolic; %d of its %d values are numbers",
                   table_shown(table_text(t, word, column, room), shown), numbers, count);
    fclose(line);
}

/* Learning from numbers: threads divide the columns among them, so each column is always summed in the same order. */
typedef struct {
    features *f;
    const table *t;
    const int *rows;
    int count;
    bool deviations; /* the second pass */
    int wrong_row[PARALLEL_MAX],
        wrong_column[PARALLEL_MAX]; /* the first word each thread found: its place in rows; -1: none */
} learn_job;

static bool is_numeric(const column_plan *p) {
    return !p->label && !p->symbolic;
}

/* True if one of the values is not a number. */
KL_VECTORISED static bool learn_range(const double *x, int count, double *min, double *max, double *mean) {
    int words = 0;
    for (int j = 0; j < count; j++) {
        words |= x[j] != x[j];
        min[j] = x[j] < min[j] ? x[j] : min[j];
        max[j] = x[j] > max[j] ? x[j] : max[j];
        mean[j] += x[j];
    }
    return words;
}

KL_VECTORISED static void learn_deviation(const double *x, int count, const double *mean, double *deviation) {
    for (int j = 0; j < count; j++) deviation[j] += (x[j] - mean[j]) * (x[j] - mean[j]);
}

static void learn_columns(void *context, int thread, int threads) {
    learn_job *l = context;
    const column_scales *s = &l->f->scales;
    const int first = (int)((int64_t)l->f->columns * thread / threads);
    const int end = (int)((int64_t)l->f->columns * (thread + 1) / threads);
    double x[STRETCH];
    l->wrong_row[thread] = -1;
    for (int i = 0; i < l->count; i++)
        for (int from = first; from < end; from += STRETCH) {
            const int count = end - from < STRETCH ? end - from : STRETCH;
            table_numbers(l->t, row_at(l->rows, i), from, count, x);
            if (l->deviations) {
                learn_deviation(x, count, s->mean + from, s->deviation + from);
                continue;
            }
            if (!learn_range(x, count, s->min + from, s->max + from, s->mean + from)) continue;
            for (int j = 0; j < count; j++)
                if (isnan(x[j]) && is_numeric(&l->f->plan[from + j])) {
                    l->wrong_row[thread] = i;
                    l->wrong_column[thread] = from + j;
                    return;
                }
        }
}

/* Range and mean, then the deviation. */
static int learn_numbers(features *f, const table *t, const int *rows, int count, FILE *err) {
    const bool scaled = f->options.zscore || f->options.minmax;
    if (!scaled && table_binary(t)) return 0; /* all are numbers, and nothing needs to be known about them */
    learn_job job = {.f = f, .t = t, .rows = rows, .count = count};
    int threads = parallel_threads((double)count * f->columns, VALUES_PER_THREAD), first = -1;
    if (threads > f->columns) threads = f->columns;
    parallel_run(threads, learn_columns, &job);
    for (int i = 0; i < threads; i++)
        if (job.wrong_row[i] >= 0 && (first < 0 || job.wrong_row[i] < job.wrong_row[first])) first = i;
    if (first >= 0) return no_number(t, row_at(rows, job.wrong_row[first]), job.wrong_column[first], err);
    for (int j = 0; j < f->columns; j++) f->scales.mean[j] /= count;
    job.deviations = true;
    if (f->options.zscore) parallel_run(threads, learn_columns, &job);
    return 0;
}

static double standardised(const column_scales *s, int column, double x) {
    return (x - s->mean[column]) / s->deviation[column];
}

/* What remains to be computed once all rows have been seen. */
static int learn_scale(features *f, const table *t, int count, FILE *err) {
    const column_scales *s = &f->scales;
    const bool zscore = f->options.zscore, minmax = f->options.minmax;
    for (int j = 0; j < f->columns && (zscore || minmax); j++) {
        if (!is_numeric(&f->plan[j])) continue;
        s->deviation[j] = zscore ? sqrt(s->deviation[j] / count) : 0;
        s->low[j] = s->min[j];
        s->span[j] = s->max[j] - s->min[j];
        if (s->deviation[j] > 0) {
            s->low[j] = standardised(s, j, s->min[j]);
            s->span[j] = standardised(s, j, s->max[j]) - s->low[j];
        }
        if ((zscore && !(isfinite(s->mean[j]) && isfinite(s->deviation[j]))) || (minmax && !isfinite(s->span[j])))
            return table_complain(t, -1, j, err, "values from %g to %g: too far apart for --normalize", s->min[j],
                                  s->max[j]);
        s->constant[j] = s->min[j] == s->max[j] || (zscore && s->deviation[j] == 0) || (minmax && s->span[j] == 0);
    }
    return 0;
}

static bool make_scales(column_scales *s, int columns) {
    enum { ARRAYS = 6 };
    const size_t count = (size_t)columns;
    double *all = calloc(ARRAYS * count, sizeof *all);
    s->constant = calloc(count, sizeof *s->constant);
    s->min = all;
    if (all == NULL || s->constant == NULL) return false;
    s->max = s->min + count;
    s->mean = s->max + count;
    s->deviation = s->mean + count;
    s->low = s->deviation + count;
    s->span = s->low + count;
    for (size_t j = 0; j < count; j++) {
        s->min[j] = INFINITY;
        s->max[j] = -INFINITY;
    }
    return true;
}

static int learn(features *f, const table *t, const int *rows, int count, FILE *err) {
    const int labels = f->label = features_label_column(t, f->options.labels);
    if (labels >= 0 && table_symbolic(t, labels))
        return table_complain(t, -1, labels, err, "named by --symbolic, but it holds the labels");
    long long dimension = 0;
    for (int j = 0; j < f->columns; j++) {
        column_plan *p = &f->plan[j];
        p->label = j == labels;
        p->symbolic = !p->label && (table_symbolic_given(t) ? table_symbolic(t, j) : !table_numeric(t, j, rows, count));
        if (p->symbolic && learn_categories(p, t, j, rows, count, err) != 0) return 2;
        if (p->symbolic && !table_symbolic_given(t)) note_surprise(p, t, j, rows, count);
        p->at = (int)dimension;
        f->symbolic += p->symbolic;
        dimension += p->label ? 0 : p->symbolic ? p->categories.count : 1;
        if (dimension > INT_MAX) return table_complain(t, -1, j, err, "more than 2147483647 coordinates");
    }
    f->dimension = (int)dimension;
    if (dimension == 0) return table_complain(t, -1, -1, err, "no columns but the labels");
    if (learn_numbers(f, t, rows, count, err) != 0) return 2;
    return learn_scale(f, t, count, err);
}

int features_fit(const table *training, const int *rows, int count, const features_options *options, features **fitted,
                 FILE *err) {
    *fitted = NULL;
    if (rows == NULL) count = table_rows(training);
    if (count < 1) return table_complain(training, -1, -1, err, "no training rows");
    features *f = calloc(1, sizeof *f);
    if (f == NULL) return no_memory(training, err);
    f->options = *options;
    f->columns = table_columns(training);
    f->plan = calloc((size_t)f->columns, sizeof *f->plan);
    f->path = strdup(table_path(training));
    const bool room = f->plan != NULL && f->path != NULL && make_scales(&f->scales, f->columns);
    const int status = room ? learn(f, training, rows, count, err) : no_memory(training, err);
    if (status != 0) {
        features_free(f);
        return status;
    }
    *fitted = f;
    return 0;
}

void features_free(features *f) {
    if (f == NULL) return;
    for (int j = 0; f->plan != NULL && j < f->columns; j++) {
        names_free(&f->plan[j].categories);
        free(f->plan[j].surprise);
    }
    free(f->plan);
    free(f->scales.min);
    free(f->scales.constant);
    free(f->path);
    free(f);
}

int features_dimension(const features *f) {
    return f->dimension;
}

/* ---- encoding ---- */

/* Scales the numbers of `count` columns, starting at `column`. True if one is not a number, or FP32 cannot hold it. */
KL_VECTORISED static bool scale(const features *f, int column, int count, double *x, float *to) {
    const column_scales *s = &f->scales;
    const double *mean = s->mean + column, *deviation = s->deviation + column;
    const double *low = s->low + column, *span = s->span + column;
    int wrong = 0;
    for (int j = 0; j < count; j++) wrong |= x[j] != x[j];
    for (int j = 0; f->options.zscore && j < count; j++) x[j] = (x[j] - mean[j]) / deviation[j];
    for (int j = 0; f->options.minmax && j < count; j++) x[j] = (x[j] - low[j]) / span[j];
    for (int j = 0; j < count; j++) {
        to[j] = s->constant[column + j] ? 0.0f : (float)x[j];
        wrong |= !(fabsf(to[j]) <= FLT_MAX);
    }
    return wrong;
}

/* The column of a table that corresponds to a training column; the table may lack the labels. */
static int column_in(const features *f, const table *t, int column) {
    return f->label >= 0 && table_columns(t) < f->columns && column > f->label ? column - 1 : column;
}

/* Checks that every symbolic column still has its spellings, and that every table has as many columns (or one fewer: no
 * labels). */
static int check_table(const features *f, const table *t, FILE *err) {
    if (table_columns(t) != f->columns && !(f->label >= 0 && table_columns(t) == f->columns - 1))
        return table_complain(t, -1, -1, err, "%d column%s, but %s has %d", table_columns(t),
                              table_columns(t) == 1 ? "" : "s", f->path, f->columns);
    for (int j = 0; j < f->columns; j++)
        if (f->plan[j].symbolic && !table_has_text(t, column_in(f, t, j)))
            return table_complain(t, -1, column_in(f, t, j), err,
                                  "more than 4096 different numbers where %s has categories; name it with --symbolic",
                                  f->path);
    return 0;
}

/* Encodes one row. Returns the column of the first value that is a word or that FP32 cannot hold; -1: none. */
static int encode_row(const features *f, const table *t, int row, float *to, long long *unseen) {
    double x[STRETCH];
    for (int j = 0, count; j < f->columns; j += count) {
        const column_plan *p = &f->plan[j];
        count = 1;
        if (p->label) continue;
        const int column = column_in(f, t, j);
        if (p->symbolic) {
            char room[TABLE_TEXT];
            const int category = names_find(&p->categories, table_text(t, row, column, room));
            memset(to + p->at, 0, (size_t)p->categories.count * sizeof *to);
            if (category >= 0)
                to[p->at + category] = 1;
            else
                ++*unseen;
            continue;
        }
        while (count < STRETCH && j + count < f->columns && is_numeric(&f->plan[j + count])) count++;
        table_numbers(t, row, column, count, x);
        if (!scale(f, j, count, x, to + p->at)) continue;
        for (int i = 0; i < count; i++)
            if (isnan(table_number(t, row, column + i)) || !isfinite(to[p->at + i])) return column + i;
    }
    return -1;
}

static int cannot_encode(const table *t, int row, int column, FILE *err) {
    const double x = table_number(t, row, column);
    if (isnan(x)) return no_number(t, row, column, err);
    return table_complain(t, row, column, err, "%.17g: beyond FP32", x);
}

typedef struct {
    const features *f;
    const table *t;
    const int *rows;
    int first, count;
    float *values;
    long long unseen[PARALLEL_MAX];
    int wrong_row[PARALLEL_MAX], wrong_column[PARALLEL_MAX]; /* in each thread's share; -1: none */
} encode_job;

static void encode_rows(void *context, int thread, int threads) {
    encode_job *e = context;
    const int end = (int)((int64_t)e->count * (thread + 1) / threads);
    e->wrong_row[thread] = -1;
    for (int i = (int)((int64_t)e->count * thread / threads); i < end; i++) {
        const int row = row_at(e->rows, e->first + i);
        const int wrong =
            encode_row(e->f, e->t, row, e->values + (size_t)i * (size_t)e->f->dimension, &e->unseen[thread]);
        if (wrong < 0) continue;
        e->wrong_row[thread] = row;
        e->wrong_column[thread] = wrong;
        return;
    }
}

/* The coordinates are a contiguous range of the table's columns, unchanged. */
static bool is_plain(const features *f, const table *t) {
    return table_binary(t) && f->symbolic == 0 && !f->options.zscore && !f->options.minmax;
}

int features_encode(const features *f, const table *t, const int *rows, int first, int count, float *values,
                    long long *unseen, FILE *err) {
    if (unseen != NULL) *unseen = 0;
    if (check_table(f, t, err) != 0) return 2;
    if (is_plain(f, t)) {
        const int column = f->label == 0 && table_columns(t) == f->columns ? 1 : 0;
        const size_t beyond = table_copy(t, rows, first, count, column, f->dimension, values);
        if (beyond == SIZE_MAX) return 0;
        return cannot_encode(t, row_at(rows, first + (int)(beyond / (size_t)f->dimension)),
                             column + (int)(beyond % (size_t)f->dimension), err);
    }
    encode_job job = {.f = f, .t = t, .rows = rows, .first = first, .count = count, .values = values};
    const int threads = parallel_threads((double)count * f->dimension, VALUES_PER_THREAD);
    parallel_run(threads, encode_rows, &job);
    for (int i = 0; i < threads; i++) {
        if (job.wrong_row[i] >= 0) return cannot_encode(t, job.wrong_row[i], job.wrong_column[i], err);
        if (unseen != NULL) *unseen += job.unseen[i];
    }
    return 0;
}

/* ---- reports ---- */

void features_report_unseen(const features *f, const table *t, const int *rows, int count, FILE *out) {
    enum { SHOWN = 5 };
    if (rows == NULL) count = table_rows(t);
    for (int j = 0; j < f->columns; j++) {
        const column_plan *p = &f->plan[j];
        const int column = column_in(f, t, j);
        if (!p->symbolic || !table_has_text(t, column)) continue;
        name_list unknown = {0};
        long long values = 0;
        for (int i = 0; i < count; i++) {
            char room[TABLE_TEXT];
            const char *text = table_text(t, row_at(rows, i), column, room);
            if (names_find(&p->categories, text) >= 0) continue;
            names_add(&unknown, text);
            values++;
        }
        if (values > 0) {
            names_sort(&unknown, 0, false);
            fprintf(out, "%s: column %d: %lld value%s of %d categor%s that training lacks:", table_path(t), column + 1,
                    values, values == 1 ? "" : "s", unknown.count, unknown.count == 1 ? "y" : "ies");
            for (int i = 0; i < unknown.count && i < SHOWN; i++) {
                char shown[TABLE_SHOWN];
                fprintf(out, " %s", table_shown(unknown.names[i], shown));
            }
            fprintf(out, "%s\n", unknown.count > SHOWN ? " ..." : "");
        }
        names_free(&unknown);
    }
}

void features_describe(const features *f, FILE *out) {
    int numeric = 0, symbolic = 0, constant = 0;
    long long categories = 0;
    for (int j = 0; j < f->columns; j++) {
        const column_plan *p = &f->plan[j];
        if (p->label) continue;
        numeric += !p->symbolic;
        symbolic += p->symbolic;
        categories += p->categories.count;
        constant += is_numeric(p) && f->scales.constant[j];
    }
    fprintf(out, "%d coordinates: %d numeric column%s", f->dimension, numeric, numeric == 1 ? "" : "s");
    if (constant > 0) fprintf(out, " (%d constant)", constant);
    if (symbolic > 0) fprintf(out, ", %d symbolic of %lld categories", symbolic, categories);
    fputc('\n', out);
    for (int j = 0; j < f->columns; j++)
        if (f->plan[j].surprise != NULL) fputs(f->plan[j].surprise, out);
}
