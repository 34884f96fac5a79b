/* Searches for nearest neighbours on the CPU, as others do it, for comparison with step 8:
 *   knn_cpu M N D K CSV METHOD...
 * METHOD: ann_brute, ann_kdtree (ANN, one thread), ann_eps1, ann_eps3 (its kd-tree, approximate: a neighbour may be 1 +
 * 1 or 1 + 3 times as far away as the right one), openblas (sgemm and a selection by insertion, all cores), serial (the
 * paper's Algorithm 1, one thread: the distances of a query to all points, sorted). The data are those of step 8's run.
 * A line a method is printed, and appended to CSV ("-": none); of ANN's kd-tree the time is the search's, without
 * building. Exit status: 0, 2 for wrong arguments, 3 without memory. */
#include <cblas.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ann.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/record.h"
#include "base/stats.h"
#include "base/version.h"
#include "knn/knn_key.h"
#include "knn/knn_reference.h"

enum { SEED = 1, CHECKED = 20, MOST_RUNS = 25 };
static const uint64_t OF_POINTS = 0x5bd1e995; /* as in knn_operands.c */
static const double BUDGET_S = 1.0;

typedef struct {
    int m, n, d, k;
    float *queries, *points;
    int *neighbours; /* m x k */
} search;

static void *memory_for(size_t count, size_t size) {
    void *p = malloc(count * size + 1);
    if (p != NULL) return p;
    fprintf(stderr, "knn_cpu: no memory for %zu bytes\n", count * size);
    exit(3);
}

static float *uniform(uint64_t seed, size_t count) {
    float *x = memory_for(count, sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = values_at(VALUES_UNIFORM, seed, i);
    return x;
}

/* ---- OpenBLAS: |y|^2 - 2xy for all pairs, |x|^2 where it is asked for; each thread selects of some rows ---- */

typedef struct {
    const search *s;
    const float *distance; /* m x n, without |x|^2, which does not change the order */
    int first, last;
    pthread_t thread;
} share_of_rows;

/* The k smallest of n, kept in order; ties: the first. */
static void select_row(const float *row, int n, int k, float *best, int *index) {
    int count = 0;
    for (int j = 0; j < n; j++) {
        if (count == k && !(row[j] < best[k - 1])) continue;
        int at = count < k ? count++ : k - 1;
        for (; at > 0 && row[j] < best[at - 1]; at--) {
            best[at] = best[at - 1];
            index[at] = index[at - 1];
        }
        best[at] = row[j];
        index[at] = j;
    }
}

static void *select_rows(void *argument) {
    const share_of_rows *w = argument;
    const search *s = w->s;
    float *best = memory_for((size_t)s->k, sizeof *best);
    for (int i = w->first; i < w->last; i++)
        select_row(w->distance + (size_t)i * (size_t)s->n, s->n, s->k, best, s->neighbours + (size_t)i * (size_t)s->k);
    free(best);
    return NULL;
}

static void search_openblas(const search *s, float *distance, float *norms) {
    const int threads = openblas_get_num_threads();
    share_of_rows *work = memory_for((size_t)threads, sizeof *work);
    for (int j = 0; j < s->n; j++) {
        const float *y = s->points + (size_t)j * (size_t)s->d;
        norms[j] = cblas_sdot(s->d, y, 1, y, 1);
    }
    for (int i = 0; i < s->m; i++) memcpy(distance + (size_t)i * (size_t)s->n, norms, (size_t)s->n * sizeof *norms);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, s->m, s->n, s->d, -2.0f, s->queries, s->d, s->points, s->d,
                1.0f, distance, s->n);
    for (int t = 0; t < threads; t++) {
        work[t] = (share_of_rows){.s = s,
                                  .distance = distance,
                                  .first = (int)((long long)s->m * t / threads),
                                  .last = (int)((long long)s->m * (t + 1) / threads)};
        if (pthread_create(&work[t].thread, NULL, select_rows, &work[t]) != 0) exit(3);
    }
    for (int t = 0; t < threads; t++) pthread_join(work[t].thread, NULL);
    free(work);
}

/* ---- the paper's Algorithm 1 ---- */

static int by_key(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void search_serial(const search *s, uint64_t *keys) {
    for (int i = 0; i < s->m; i++) {
        const float *x = s->queries + (size_t)i * (size_t)s->d, *y = s->points;
        for (int j = 0; j < s->n; j++, y += s->d) {
            float sum = 0.0f;
            for (int c = 0; c < s->d; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
            keys[j] = knn_key(sum, j);
        }
        qsort(keys, (size_t)s->n, sizeof *keys, by_key);
        for (int j = 0; j < s->k; j++) s->neighbours[(size_t)i * (size_t)s->k + (size_t)j] = knn_key_index(keys[j]);
    }
}

/* ---- any of them ---- */

typedef struct {
    ann_index *ann;
    double eps;
    uint64_t *keys;          /* Algorithm 1's */
    double *queries;         /* ANN's */
    float *distance, *norms; /* OpenBLAS's */
} prepared;

static void search_once(const search *s, const prepared *p) {
    if (p->ann != NULL)
        ann_search(p->ann, p->queries, s->m, s->k, p->eps, s->neighbours);
    else if (p->keys != NULL)
        search_serial(s, p->keys);
    else
        search_openblas(s, p->distance, p->norms);
}

static stats_summary repeat(const search *s, const prepared *p) {
    double ms[MOST_RUNS];
    const double begin = clock_now_s();
    int runs = 0;
    for (double from = begin; runs < MOST_RUNS && (runs == 0 || from - begin < BUDGET_S); runs++) {
        const double then = clock_now_s();
        search_once(s, p);
        from = clock_now_s();
        ms[runs] = 1e3 * (from - then);
    }
    return stats_summarise(ms, runs);
}

/* How many neighbours of every stride-th query are not the nearest. */
static unsigned long long wrong(const search *s, int stride) {
    const size_t places = (size_t)knn_reference_rows(s->m, stride) * (size_t)s->k;
    int *index = memory_for(places, sizeof *index);
    float *distance = memory_for(places, sizeof *distance);
    float *unknown = memory_for((size_t)s->m * (size_t)s->k, sizeof *unknown);
    memset(unknown, 0, (size_t)s->m * (size_t)s->k * sizeof *unknown);
    if (!knn_reference(s->queries, s->points, s->m, s->n, s->d, s->k, stride, index, distance)) exit(3);
    const knn_difference d = knn_compare(s->m, s->k, stride, s->neighbours, unknown, index, distance);
    free(index);
    free(distance);
    free(unknown);
    return d.different;
}

/* "AMD EPYC 9654 96-Core Processor": the CPU's name. */
static void cpu_name(char *name, size_t size) {
    char line[256];
    snprintf(name, size, "CPU");
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, "model name", 10) != 0) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, size, "%.*s", (int)size - 1, line + strcspn(line, ":") + 2);
        break;
    }
    if (f != NULL) fclose(f);
}

static record describe(const search *s, const char *method, int threads, stats_summary t) {
    record r = record_empty();
    r.m = s->m;
    r.n = s->n;
    r.k = s->k;
    r.d = s->d;
    r.alpha = 1.0;
    r.beta = 0.0;
    r.ms_median = t.median;
    r.ms_min = t.min;
    r.ms_max = t.max;
    r.ms_low = t.low;
    r.ms_high = t.high;
    r.gflops = 3.0 * s->m * (double)s->n * s->d / t.median / 1e6;
    const char *const texts[] = {"cpu_knn", method, "knn", "f32", "n", "warm", "cpu"};
    char *const fields[] = {r.step, r.variant, r.op, r.dtype, r.layout, r.cache, r.mode};
    for (int i = 0; i < 7; i++) snprintf(fields[i], RECORD_TEXT, "%s", texts[i]);
    char name[RECORD_TEXT - 16];
    cpu_name(name, sizeof name);
    snprintf(r.device, sizeof r.device, "%s, %d thread%s", name, threads, threads > 1 ? "s" : "");
    snprintf(r.version, sizeof r.version, "%s", version_text());
    const time_t now = time(NULL);
    struct tm utc;
    strftime(r.date, sizeof r.date, "%Y-%m-%d", gmtime_r(&now, &utc));
    return r;
}

static int run(const search *s, const char *csv, const char *method) {
    prepared p = {0};
    const bool ann = strncmp(method, "ann_", 4) == 0;
    const double begin = clock_now_s();
    if (ann) {
        p.ann = ann_open(s->points, s->n, s->d, strcmp(method, "ann_brute") != 0);
        if (strncmp(method, "ann_eps", 7) == 0) p.eps = method[7] - '0';
        if (p.ann == NULL) {
            printf("%-22s skipped: built without ANN (libann-dev)\n", method);
            return 0;
        }
        p.queries = memory_for((size_t)s->m * (size_t)s->d, sizeof *p.queries);
        for (size_t i = 0; i < (size_t)s->m * (size_t)s->d; i++) p.queries[i] = s->queries[i];
    } else if (strcmp(method, "serial") == 0) {
        p.keys = memory_for((size_t)s->n, sizeof *p.keys);
    } else {
        p.distance = memory_for((size_t)s->m * (size_t)s->n, sizeof *p.distance);
        p.norms = memory_for((size_t)s->n, sizeof *p.norms);
        search_once(s, &p); /* OpenBLAS makes its threads, and memory its pages */
    }
    const double built = clock_now_s() - begin;
    const stats_summary t = repeat(s, &p);
    const int threads = ann || p.keys != NULL ? 1 : openblas_get_num_threads();
    const int stride = p.eps > 0.0 ? 1 : (s->m + CHECKED - 1) / CHECKED;
    printf("%-22s %10.3f ms, %d thread%s, %llu of %lld neighbours are not the nearest", method, t.median, threads,
           threads > 1 ? "s" : "", wrong(s, stride), (long long)knn_reference_rows(s->m, stride) * s->k);
    if (strcmp(method, "ann_kdtree") == 0) printf(", built in %.3f ms", 1e3 * built);
    printf("\n");
    fflush(stdout);
    if (ann) ann_close(p.ann);
    free(p.queries);
    free(p.distance);
    free(p.norms);
    free(p.keys);
    const record r = describe(s, method, threads, t);
    return strcmp(csv, "-") == 0 ? 0 : record_csv_append(csv, &r, stderr);
}

int main(int argc, char **argv) {
    static const char *const known[] = {"ann_brute", "ann_kdtree", "ann_eps1", "ann_eps3", "openblas", "serial"};
    search s = {0};
    int *const sizes[] = {&s.m, &s.n, &s.d, &s.k};
    bool ok = argc >= 7;
    for (int i = 0; i < 4 && ok; i++) ok = (*sizes[i] = atoi(argv[i + 1])) > 0;
    for (int i = 6; i < argc && ok; i++) {
        ok = false;
        for (int j = 0; j < ARRAY_SIZE(known); j++) ok = ok || strcmp(argv[i], known[j]) == 0;
    }
    if (!ok || s.k > s.n) {
        fprintf(stderr, "usage: knn_cpu M N D K CSV|- METHOD... (ann_brute, ann_kdtree, ann_eps1, ann_eps3, openblas, "
                        "serial; K at most N)\n");
        return 2;
    }
    s.queries = uniform(SEED, (size_t)s.m * (size_t)s.d);
    s.points = uniform(SEED ^ OF_POINTS, (size_t)s.n * (size_t)s.d);
    s.neighbours = memory_for((size_t)s.m * (size_t)s.k, sizeof *s.neighbours);
    int status = strcmp(argv[5], "-") == 0 ? 0 : record_csv_prepare(argv[5], stderr);
    for (int i = 6; i < argc && status == 0; i++) status = run(&s, argv[5], argv[i]);
    free(s.queries);
    free(s.points);
    free(s.neighbours);
    return status;
}
