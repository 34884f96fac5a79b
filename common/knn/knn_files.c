#include "knn/knn_files.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/output.h"
#include "base/ranks.h"
#include "gpu/error.h"
#include "knn/knn_operands.h"
#include "knn/knn_ranks.h"
#include "knn/knn_reference.h"
#include "readers/classes.h"
#include "readers/scaling.h"

enum { LABELS, INDICES, DISTANCES, RESULTS };

/* The training or the test records. */
typedef struct {
    table *records, *labels; /* labels: a file of their own, the records again, or NULL: there are none */
    const float *values;     /* scaled, in `room` or, if nothing has to be done to them, in the file */
    float *room;
    int *codes; /* the class of each record; NULL: no labels */
} side;

/* A file of results is in memory until it is complete, so that nothing of it is left whatever ends this process, such
 * as another rank's error; then it is written by another name, and takes its own. */
typedef struct {
    FILE *f;
    const char *path;
    char *part; /* the other name; NULL: it is written directly, as it is no regular file, or standard output */
    char *text;
    size_t size;
} result;

typedef struct {
    session *s;
    const knn_options *o;
    double memory;
    side train, test;
    label_classes classes;
    scaling scale;
    result results[RESULTS];
    knn_problem p; /* on the device */
    int *device_labels, *device_predicted;
    int k_first, *index, *predicted; /* predicted: m for each k from k_first on */
    float *distance;
} run;

static void *memory_for(size_t count, size_t size) {
    void *p = calloc(count + 1, size);
    if (p == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    return p;
}

static size_t places(const run *r) {
    return (size_t)r->p.m * (size_t)r->p.k;
}

/* ---- records --------------------------------------------------------------------------------------------------- */

static int read_side(const run *r, side *x, const char *path, const char *labels, int coordinates) {
    const knn_options *o = r->o;
    const char *place = o->train_labels != NULL ? "none" : o->labels;
    char *convert[2];
    if (asprintf(&convert[0], "python3 scripts/data.py%s%s %s train.npy %s test.npy", *place == 'l' ? "" : " --labels ",
                 *place == 'l' ? "" : place, o->train, o->test) < 0 ||
        asprintf(&convert[1], "python3 scripts/data.py %s labels.csv", labels != NULL ? labels : "") < 0)
        CUDA_CHECK(cudaErrorMemoryAllocation);
    table_options how = {.labels = *place == 'n'   ? LABELS_NONE
                                   : *place == 'f' ? LABELS_FIRST
                                                   : LABELS_LAST,
                         .coordinates = coordinates,
                         .convert = convert[0]};
    if (x == &r->train && strcmp(o->normalize, "none") == 0) { /* every rank looks at its own rows */
        how.part = ranks_rank();
        how.parts = ranks_count();
    }
    int status = table_read(path, &how, &x->records, stderr);
    if (status == EXIT_OK && labels != NULL)
        status = table_read(labels, &(table_options){.labels = LABELS_ONLY, .convert = convert[1]}, &x->labels, stderr);
    else if (status == EXIT_OK && x->records->labels != NULL)
        x->labels = x->records;
    free(convert[0]);
    free(convert[1]);
    if (status != EXIT_OK || x->labels == NULL || x->labels->rows == x->records->rows) return status;
    return table_complain(x->labels, -1, -1, stderr,
                          "%d labels, but %s has %d records (a file of labels has no heading)", x->labels->rows, path,
                          x->records->rows);
}

static int read_records(run *r) {
    const knn_options *o = r->o;
    int status = read_side(r, &r->train, o->train, o->train_labels, 0);
    if (status != EXIT_OK) return status;
    const int columns = r->train.records->columns;
    status = read_side(r, &r->test, o->test, o->test_labels, columns);
    if (status != EXIT_OK) return status;
    if (r->test.records->columns != columns)
        return table_complain(r->test.records, -1, -1, stderr, "%d coordinates, but %s has %d",
                              r->test.records->columns, o->train, columns);
    r->p = (knn_problem){.m = r->test.records->rows, .n = r->train.records->rows, .d = columns};
    r->p.k = o->k_sweep[1] > 0 ? o->k_sweep[1] : o->k;
    r->k_first = o->k_sweep[1] > 0 ? o->k_sweep[0] : r->p.k;
    if (r->p.k > r->p.n)
        return table_complain(r->train.records, -1, -1, stderr, "k = %d, and there are %d training records", r->p.k,
                              r->p.n);
    if (r->train.labels == NULL && (o->out_labels != NULL || o->k_sweep[1] > 0))
        return table_complain(r->train.records, -1, -1, stderr, "no labels to predict (--train-labels)");
    return EXIT_OK;
}

static int label(run *r) {
    side *const sides[] = {&r->train, &r->test};
    for (int i = 0; i < 2 && r->train.labels != NULL; i++) {
        if (sides[i]->labels == NULL) continue;
        sides[i]->codes = memory_for((size_t)sides[i]->records->rows, sizeof(int));
        if (classes_add(&r->classes, sides[i]->labels, sides[i]->codes, stderr) != EXIT_OK) return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int encode(run *r, side *x, const table *records) {
    const bool scaled = r->scale.zscore || r->scale.minmax;
    x->values = scaled ? NULL : table_floats(records);
    if (x->values != NULL) return EXIT_OK;
    x->values = x->room = memory_for((size_t)records->rows * (size_t)records->columns, sizeof *x->room);
    return scaling_apply(&r->scale, records, x->room, stderr);
}

const float *knn_files_share(session *s, int first, int rows, float **room) {
    run r = {.s = s, .o = s->state};
    int status = read_side(&r, &r.train, r.o->train, NULL, 0);
    if (status == EXIT_OK) status = scaling_fit(&r.scale, r.train.records, r.o->normalize, stderr);
    if (status != EXIT_OK) exit(status);
    const table own = table_part(r.train.records, first, rows);
    if (encode(&r, &r.train, &own) != EXIT_OK) exit(EXIT_USAGE);
    scaling_free(&r.scale);
    *room = r.train.room;
    return r.train.values;
}

static void free_side(side *x) {
    if (x->labels != x->records) table_free(x->labels);
    table_free(x->records);
    free(x->room);
    free(x->codes);
}

/* ---- on the device --------------------------------------------------------------------------------------------- */

static knn_case case_of(const run *r) {
    return (knn_case){.m = r->p.m, .n = r->p.n, .d = r->p.d, .k = r->p.k};
}

/* Words of 4 bytes in new device memory. */
static void *send(run *r, const void *from, size_t count) {
    void *to;
    CUDA_ALLOCATE(&to, count * sizeof(float) + 1);
    if (from != NULL)
        CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyHostToDevice, r->s->stream));
    return to;
}

static void fetch(const run *r, void *to, const void *from, size_t count) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToHost, r->s->stream));
    CUDA_CHECK(cudaStreamSynchronize(r->s->stream));
}

/* Allocates everything but workspaces, and sends queries, points and their labels. */
static int send_all(run *r) {
    const knn_case c = case_of(r);
    const size_t m = (size_t)r->p.m, n = (size_t)r->p.n, d = (size_t)r->p.d, held = (size_t)knn_ranks_held(&c);
    const double need =
        4.0 * ((double)m * (double)d + (double)held * (double)d + 2.0 * (double)places(r) + (double)m + (double)n) +
        knn_ranks_bytes(&c);
    if (need > r->memory) {
        fprintf(stderr, "%s: these records: needs %.3f MB, may take %.3f MB\n", r->s->step, need / 1e6,
                r->memory / 1e6);
        return EXIT_USAGE;
    }
    r->memory -= need;
    knn_ranks_hold(&c, true);
    r->p.queries = send(r, r->test.values, m * d);
    r->p.points = send(r, r->train.values, held * d);
    r->p.index = send(r, NULL, places(r));
    r->p.distance = send(r, NULL, places(r));
    r->device_labels = send(r, r->train.codes, n);
    r->device_predicted = send(r, NULL, m);
    CUDA_ALLOCATE(&r->p.counts, sizeof *r->p.counts);
    r->p.workspace_bytes = (size_t)r->memory;
    return EXIT_OK;
}

/* Why the method cannot do it (NULL: it can), and the bytes of workspace it needs. */
static const char *refusal(const run *r, const knn_method *method, size_t *workspace) {
    const char *reason = method->supports != NULL ? method->supports(&r->s->device) : NULL;
    const knn_case c = case_of(r);
    return reason != NULL ? reason : knn_ranks_refusal(method, &c, &r->p, (size_t)r->memory, workspace);
}

/* Searches, and fetches the neighbours. In the simulator it is counted, and traced, as the method's. */
static int search(run *r, const knn_method *method) {
    char said[96];
    knn_problem p = r->p;
    const char *reason = refusal(r, method, &p.workspace_bytes);
    if (reason != NULL) {
        fprintf(stderr, "%s: --method %s: %s\n", r->s->step, method->name, reason);
        return EXIT_USAGE;
    }
    CUDA_ALLOCATE(&p.workspace, p.workspace_bytes + 1);
    CUDA_CHECK(cudaMemsetAsync(p.counts, 0, sizeof *p.counts, r->s->stream));
    snprintf(said, sizeof said, "m %d, n %d, d %d, k %d", p.m, p.n, p.d, p.k);
    simulator_count(method->name, said);
    CUDA_CHECK(knn_ranks_search(method, &p, r->s->stream));
    simulator_count(NULL, NULL);
    fetch(r, r->index, p.index, places(r));
    fetch(r, r->distance, p.distance, places(r));
    CUDA_CHECK(cudaFree(p.workspace));
    return EXIT_OK;
}

/* ---- what came out --------------------------------------------------------------------------------------------- */

/* Compares with the CPU's neighbours; false if they should be the same and are not. */
static bool verify(const run *r, const knn_method *method) {
    int *index = memory_for(places(r), sizeof *index);
    float *distance = memory_for(places(r), sizeof *distance);
    if (!knn_reference(r->test.values, r->train.values, r->p.m, r->p.n, r->p.d, r->p.k, 1, index, distance))
        CUDA_CHECK(cudaErrorMemoryAllocation);
    const knn_difference d = knn_compare(r->p.m, r->p.k, 1, r->index, r->distance, index, distance);
    printf("%-22s ", method->name);
    if (d.wrong == 0) printf("the same neighbours and distances as the CPU's\n");
    if (d.wrong > 0)
        printf("%llu of %zu neighbours are not among the CPU's; %llu of them are as near as its last, the others are "
               "wrong by rounding; query %d, place %d is the first that differs\n",
               (unsigned long long)d.different, places(r),
               (unsigned long long)knn_ties(r->test.values, r->train.values, r->p.m, r->p.d, r->p.k, r->index, index,
                                            distance),
               d.row, d.place);
    free(index);
    free(distance);
    return d.wrong == 0 || !method->exact;
}

/* What a method reports about its own work. */
static void print_counts(const run *r, const knn_method *method) {
    knn_counts counts;
    CUDA_CHECK(cudaMemcpy(&counts, r->p.counts, sizeof counts, cudaMemcpyDeviceToHost));
    for (size_t i = 0; !method->exact && i < places(r); i++) counts.negative += r->distance[i] < 0.0f;
    if (!method->exact) printf("%-22s %llu distances below 0\n", method->name, counts.negative);
    if (counts.candidates > 0 || counts.redone > 0)
        printf("%-22s %.1f candidates per query, %llu queries searched again\n", method->name,
               knn_candidates(&counts, r->p.m), counts.redone);
    const char *note = r->s->o.verbose && method->note != NULL ? method->note() : NULL;
    if (note != NULL) printf("%-22s %s\n", method->name, note);
}

/* Votes for each k. Accuracy alone for --k-sweep, else all that is known of the predictions' quality. */
static void vote_and_print(run *r) {
    for (int k = r->k_first; k <= r->p.k; k++) {
        int *predicted = r->predicted + (size_t)(k - r->k_first) * (size_t)r->p.m, right = 0;
        CUDA_CHECK(knn_vote(r->p.index, r->p.m, k, r->p.k, r->device_labels, r->classes.trained, r->device_predicted,
                            r->s->stream));
        fetch(r, predicted, r->device_predicted, (size_t)r->p.m);
        if (r->test.codes == NULL) continue;
        for (int i = 0; i < r->p.m; i++) right += predicted[i] == r->test.codes[i];
        if (r->o->k_sweep[1] > 0)
            printf("%s%4d %7.2f%%\n", k == r->k_first ? "   k accuracy\n" : "", k, 100.0 * right / r->p.m);
        else if (classes_print(&r->classes, r->test.codes, predicted, r->p.m, stdout) != EXIT_OK)
            CUDA_CHECK(cudaErrorMemoryAllocation);
    }
}

/* Before anything is computed. */
static int open_result(result *x, const char *path) {
    struct stat there;
    if (path == NULL) return EXIT_OK;
    const int descriptor = output_descriptor(path);
    const bool direct = descriptor >= 0 || (stat(path, &there) == 0 && !S_ISREG(there.st_mode));
    x->path = path;
    if (!direct && asprintf(&x->part, "%s.part", path) < 0) CUDA_CHECK(cudaErrorMemoryAllocation);
    x->f = descriptor >= 0 ? fdopen(output_duplicate(descriptor), "w") : fopen(direct ? path : x->part, "we");
    if (x->f != NULL && x->part != NULL) { /* it can be written */
        fclose(x->f);
        remove(x->part);
        x->f = open_memstream(&x->text, &x->size);
    }
    if (x->f != NULL) return EXIT_OK;
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return EXIT_USAGE;
}

static void write_results(const run *r) {
    FILE *const labels = r->results[LABELS].f, *const indices = r->results[INDICES].f;
    FILE *const distances = r->results[DISTANCES].f;
    const int votes = r->p.k - r->k_first + 1;
    for (int i = 0; i < r->p.m && labels != NULL; i++)
        for (int j = 0; j < votes; j++)
            fprintf(labels, "%s%c", r->classes.class[r->predicted[(size_t)j * (size_t)r->p.m + (size_t)i]].name,
                    j + 1 == votes ? '\n' : ',');
    for (size_t i = 0; i < places(r); i++) {
        const char end = (i + 1) % (size_t)r->p.k == 0 ? '\n' : ',';
        if (indices != NULL) fprintf(indices, "%d%c", r->index[i], end);
        if (distances != NULL) fprintf(distances, "%.9g%c", (double)r->distance[i], end);
    }
}

/* Gives it its name or, unless `keep`, drops it. */
static int close_result(result *x, bool keep) {
    if (x->f == NULL) return EXIT_OK;
    bool failed = fflush(x->f) != 0 || ferror(x->f);
    failed = fclose(x->f) != 0 || failed;
    if (x->part != NULL && keep && !failed) {
        FILE *f = fopen(x->part, "we");
        failed = f == NULL || fwrite(x->text, 1, x->size, f) != x->size;
        failed = (f != NULL && fclose(f) != 0) || failed || rename(x->part, x->path) != 0;
    }
    if (keep && failed) fprintf(stderr, "%s: %s\n", x->path, strerror(errno));
    if (x->part != NULL && failed) remove(x->part);
    free(x->part);
    free(x->text);
    return keep && failed ? EXIT_CUDA : EXIT_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

static void print_data(const run *r) {
    const device_facts *d = &r->s->device;
    printf("%s on %s (sm_%d)%s\n", r->s->step, d->name, d->cc,
           d->simulated ? ": results are real, times are not a GPU's" : "");
    printf("%d training records of %s, %d test records of %s, %d coordinates\n", r->p.n, r->o->train, r->p.m,
           r->o->test, r->p.d);
    if (r->train.codes != NULL && r->test.codes == NULL)
        printf("the test records have no labels: predictions, and no accuracy\n");
}

static int run_method(run *r, const knn_method *method, bool first, bool *wrong) {
    error_context("%s %s, m %d, n %d, d %d, k %d", r->s->step, method->name, r->p.m, r->p.n, r->p.d, r->p.k);
    const int status = search(r, method);
    if (status != EXIT_OK) return status;
    printf("\n%s, k %d\n", method->name, r->p.k);
    print_counts(r, method);
    if (r->o->verify) *wrong = !verify(r, method) || *wrong;
    if (r->train.codes != NULL) vote_and_print(r);
    fflush(stdout);
    if (first) write_results(r);
    return EXIT_OK;
}

/* First the method that was named first or, if none was, the last that is exact and can run; its answer is written.
 * Then the others in the order of the table. */
static int run_methods(run *r, const knn_method *methods, int count) {
    const options *o = &r->s->o;
    int first = o->variant_given ? o->first : count - 1;
    size_t workspace;
    bool wrong = false;
    while (!o->variant_given && first > 0 && (!methods[first].exact || refusal(r, &methods[first], &workspace) != NULL))
        first--;
    int status = run_method(r, &methods[first], true, &wrong);
    for (int i = 0; i < count && status == EXIT_OK && o->variant_given; i++)
        if (i != first && o->chosen[i]) status = run_method(r, &methods[i], false, &wrong);
    return status == EXIT_OK && wrong ? EXIT_WRONG : status;
}

int knn_files_run(session *s, const knn_options *o, const knn_method *methods, int count) {
    run r = {.s = s, .o = o, .memory = s->memory};
    const char *const paths[RESULTS] = {o->out_labels, o->out_indices, o->out_distances};
    int status = EXIT_OK;
    for (int i = 0; i < RESULTS && status == EXIT_OK; i++) status = open_result(&r.results[i], paths[i]);
    if (status == EXIT_OK) status = read_records(&r);
    if (status == EXIT_OK) status = label(&r);
    if (status == EXIT_OK) status = scaling_fit(&r.scale, r.train.records, o->normalize, stderr);
    if (status == EXIT_OK) status = encode(&r, &r.train, r.train.records);
    if (status == EXIT_OK) status = encode(&r, &r.test, r.test.records);
    if (status == EXIT_OK) status = send_all(&r);
    if (status == EXIT_OK) {
        r.index = memory_for(places(&r), sizeof *r.index);
        r.distance = memory_for(places(&r), sizeof *r.distance);
        r.predicted = memory_for((size_t)r.p.m * (size_t)(r.p.k - r.k_first + 1), sizeof *r.predicted);
        print_data(&r);
        status = run_methods(&r, methods, count);
    }
    for (int i = 0; i < RESULTS; i++) {
        const int closed = close_result(&r.results[i], status == EXIT_OK || status == EXIT_WRONG);
        if (status == EXIT_OK) status = closed;
    }
    const void *const device[] = {r.p.queries,     r.p.points,         r.p.index, r.p.distance,
                                  r.device_labels, r.device_predicted, r.p.counts};
    for (int i = 0; i < ARRAY_SIZE(device); i++) CUDA_CHECK(cudaFree((void *)device[i]));
    free(r.index);
    free(r.distance);
    free(r.predicted);
    free_side(&r.train);
    free_side(&r.test);
    scaling_free(&r.scale);
    classes_free(&r.classes);
    return status;
}
