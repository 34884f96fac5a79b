#include "knn/knn_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "readers/classes.h"
#include "readers/encoding.h"
#include "gpu/error.h"
#include "tensor/inspect.h"
#include "knn/knn_reference.h"
#include "readers/results.h"
#include "readers/table.h"

enum { DEFAULT_K = 5 };
enum { READ, ENCODE, COPY_IN, SEARCH, COPY_OUT, VOTE, STAGES };
static const char *const stage_names[STAGES] = {"read", "encode", "copy in", "search", "copy out", "vote"};

/* Queries go to the device a tile at a time, each while the one before is searched, and neighbours come back while the
 * next is; there are only so many tiles, of so many bytes and queries at least, for a search of few is a slow one. */
enum { MOST_TILES = 8, TILE_BYTES = 1 << 20, TILE_QUERIES = 2048 };

/* Host memory: pinned, where there is enough of that, or copies to and from it would not run beside anything. */
typedef struct {
    void *at;
    bool pinned;
} host_memory;

typedef struct {
    cudaEvent_t begin, end;
} span;

/* One side's records: the table (both sides' where one file is split), the rows chosen, and what became of them. */
typedef struct {
    table *records;
    int *rows, count; /* rows NULL: all */
    host_memory room; /* of: */
    float *values;    /* count x d */
    int *codes;       /* labels; NULL: none */
} side;

typedef struct {
    session *s;
    const knn_options *o;
    const knn_method *methods;
    int method_count;
    double memory;
    side train, test;
    features *encoding;
    label_set *labels; /* NULL: --labels none */
    int label_column, d, k_first, k;
    struct {
        float *queries, *points, *distance;
        int *index, *labels, *predicted;
        knn_counts *counts;
    } device;
    cudaStream_t in, out; /* for copies to the device and from there; searches have the session's */
    span points, queries[MOST_TILES], searches[MOST_TILES], results[MOST_TILES];
    bool sent;                             /* the queries are on the device, or on the way */
    host_memory index_room, distance_room; /* of: */
    int *index, *first_index, *predicted;  /* of the last method, of the first, and its votes */
    float *distance, *first_distance;
    double seconds[STAGES], together; /* together: queries in, search, results out, which overlap */
} run;

/* Ends a stage: adds what has passed since `since`, and sets that to now. */
static void stage(run *r, int which, double *since) {
    const double now = inspect_now_s();
    r->seconds[which] += now - *since;
    *since = now;
}

static void *memory_for(size_t count, size_t size) {
    void *p = calloc(count + 1, size);
    if (p == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    return p;
}

static host_memory host_memory_for(size_t count, size_t size) {
    host_memory m = {.pinned = true};
    if (cudaMallocHost(&m.at, count * size + 1) == cudaSuccess) return m;
    cudaGetLastError(); /* or the next launch would find it */
    return (host_memory){.at = memory_for(count, size)};
}

static void free_host(host_memory m) {
    if (m.pinned)
        CUDA_CHECK(cudaFreeHost(m.at));
    else
        free(m.at);
}

/* ---- reading and encoding -------------------------------------------------------------------------------------- */

static int read_tables(run *r) {
    const knn_options *o = r->o;
    const table_options how = {.header = strcmp(o->header, "yes") == 0  ? TABLE_HEADER_YES
                                         : strcmp(o->header, "no") == 0 ? TABLE_HEADER_NO
                                                                        : TABLE_HEADER_AUTO,
                               .symbolic = o->symbolic};
    int status = table_read(o->train, &how, &r->train.records, stderr);
    if (status != EXIT_OK) return status;
    r->train.count = table_rows(r->train.records);
    if (o->test != NULL) {
        status = table_read(o->test, &how, &r->test.records, stderr);
        if (status == EXIT_OK) r->test.count = table_rows(r->test.records);
        return status;
    }
    r->test.records = r->train.records;
    return rows_split(NULL, r->train.count, o->split, r->s->o.seed, &r->train.rows, &r->train.count, &r->test.rows,
                      &r->test.count, stderr);
}

static int encode_side(run *r, side *x, long long *unseen) {
    x->room = host_memory_for((size_t)x->count * (size_t)r->d, sizeof *x->values);
    x->values = x->room.at;
    const int status = features_encode(r->encoding, x->records, x->rows, x->count, x->values, unseen, stderr);
    if (status != EXIT_OK || r->labels == NULL) return status;
    x->codes = memory_for((size_t)x->count, sizeof *x->codes);
    return labels_encode(r->labels, x->records, r->label_column, x->rows, x->count, x->codes, stderr);
}

static int fit(run *r) {
    const knn_options *o = r->o;
    features_options how = {0};
    features_parse_labels(o->labels, &how.labels);
    features_parse_normalize(o->normalize, &how);
    int status = features_fit(r->train.records, r->train.rows, r->train.count, &how, &r->encoding, stderr);
    if (status != EXIT_OK) return status;
    r->d = features_dimension(r->encoding);
    r->label_column = features_label_column(r->train.records, how.labels);
    if (r->label_column >= 0)
        status = labels_fit(r->train.records, r->label_column, r->train.rows, r->train.count, &r->labels, stderr);
    return status;
}

/* ---- on the device --------------------------------------------------------------------------------------------- */

static size_t places(const run *r) {
    return (size_t)r->test.count * (size_t)r->k;
}

static int tile_queries(const run *r) {
    const size_t bytes = (size_t)r->test.count * (size_t)r->d * sizeof(float);
    const size_t tiles = bytes / TILE_BYTES < MOST_TILES ? bytes / TILE_BYTES : MOST_TILES;
    const int rows = tiles > 1 ? (int)(((size_t)r->test.count + tiles - 1) / tiles) : r->test.count;
    return rows > TILE_QUERIES ? rows : r->test.count < TILE_QUERIES ? r->test.count : TILE_QUERIES;
}

static void for_each_span(run *r, void (*what)(span *)) {
    what(&r->points);
    for (int i = 0; i < MOST_TILES; i++) {
        what(&r->queries[i]);
        what(&r->searches[i]);
        what(&r->results[i]);
    }
}

static void create_span(span *s) {
    CUDA_CHECK(cudaEventCreate(&s->begin));
    CUDA_CHECK(cudaEventCreate(&s->end));
}

static void destroy_span(span *s) {
    CUDA_CHECK(cudaEventDestroy(s->begin));
    CUDA_CHECK(cudaEventDestroy(s->end));
}

static double span_seconds(const span *s) {
    float ms;
    CUDA_CHECK(cudaEventElapsedTime(&ms, s->begin, s->end));
    return ms / 1e3;
}

static void copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    if (bytes > 0) CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream));
}

/* False (and said why) where the device memory is too small. */
static bool allocate_device(run *r) {
    const size_t m = (size_t)r->test.count, n = (size_t)r->train.count, d = (size_t)r->d;
    const double need =
        4.0 * ((double)m * (double)d + (double)n * (double)d + 2.0 * (double)places(r) + (double)m + (double)n);
    if (need > r->memory) {
        fprintf(stderr,
                "%s: %zu and %zu records of %zu coordinates: needs %.3f MB, may take %.3f MB (--memory-limit)\n",
                r->s->step, n, m, d, need / 1e6, r->memory / 1e6);
        return false;
    }
    r->memory -= need;
    CUDA_ALLOCATE(&r->device.queries, m * d * sizeof(float) + 1);
    CUDA_ALLOCATE(&r->device.points, n * d * sizeof(float) + 1);
    CUDA_ALLOCATE(&r->device.index, places(r) * sizeof(int) + 1);
    CUDA_ALLOCATE(&r->device.distance, places(r) * sizeof(float) + 1);
    CUDA_ALLOCATE(&r->device.counts, sizeof(knn_counts));
    if (r->labels != NULL) {
        CUDA_ALLOCATE(&r->device.labels, n * sizeof(int) + 1);
        CUDA_ALLOCATE(&r->device.predicted, m * sizeof(int) + 1);
    }
    CUDA_CHECK(cudaStreamCreateWithFlags(&r->in, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&r->out, cudaStreamNonBlocking));
    for_each_span(r, create_span);
    return true;
}

static void free_device(run *r) {
    void *const all[] = {r->device.queries, r->device.points, r->device.index,    r->device.distance,
                         r->device.counts,  r->device.labels, r->device.predicted};
    if (r->in == NULL) return;
    CUDA_CHECK(cudaStreamSynchronize(r->in));
    CUDA_CHECK(cudaStreamDestroy(r->in));
    CUDA_CHECK(cudaStreamDestroy(r->out));
    for_each_span(r, destroy_span);
    for (int i = 0; i < ARRAY_SIZE(all); i++) CUDA_CHECK(cudaFree(all[i]));
}

/* Labels (few bytes, of memory that is not pinned: the host waits for them) and, while the host goes on, points. */
static void send_points(run *r) {
    const size_t n = (size_t)r->train.count;
    CUDA_CHECK(cudaEventRecord(r->points.begin, r->in));
    if (r->labels != NULL) copy(r->device.labels, r->train.codes, n * sizeof(int), cudaMemcpyHostToDevice, r->in);
    copy(r->device.points, r->train.values, n * (size_t)r->d * sizeof(float), cudaMemcpyHostToDevice, r->in);
    CUDA_CHECK(cudaEventRecord(r->points.end, r->in));
}

/* Encodes both sides, test records while the training ones are copied. */
static int encode_and_send(run *r, long long *unseen) {
    long long unused;
    int status = encode_side(r, &r->train, &unused);
    if (status != EXIT_OK) return status;
    send_points(r);
    return encode_side(r, &r->test, unseen);
}

/* Queries first ... first + rows - 1. */
typedef struct {
    int first, rows;
} tile;

static tile tile_of(const run *r, int i) {
    const int rows = tile_queries(r), first = i * rows;
    return (tile){first, r->test.count - first < rows ? r->test.count - first : rows};
}

static int tile_count(const run *r) {
    const int rows = tile_queries(r);
    return rows > 0 ? (r->test.count + rows - 1) / rows : 0;
}

static void send_queries(run *r) {
    for (int i = 0; i < tile_count(r); i++) {
        const tile t = tile_of(r, i);
        const size_t at = (size_t)t.first * (size_t)r->d, count = (size_t)t.rows * (size_t)r->d;
        CUDA_CHECK(cudaEventRecord(r->queries[i].begin, r->in));
        copy(r->device.queries + at, r->test.values + at, count * sizeof(float), cudaMemcpyHostToDevice, r->in);
        CUDA_CHECK(cudaEventRecord(r->queries[i].end, r->in));
    }
    r->sent = true;
}

/* Enqueues the search of a tile when it has come, and after it the copies of its neighbours. */
static void search_tile(run *r, const knn_method *method, const knn_problem *all, int i) {
    const cudaStream_t stream = r->s->stream;
    const tile t = tile_of(r, i);
    const size_t at = (size_t)t.first * (size_t)r->k, count = (size_t)t.rows * (size_t)r->k;
    knn_problem p = *all;
    p.m = t.rows;
    p.queries += (size_t)t.first * (size_t)r->d;
    p.index += at;
    p.distance += at;
    CUDA_CHECK(cudaStreamWaitEvent(stream, r->queries[i].end, 0)); /* and the points came before them */
    CUDA_CHECK(cudaEventRecord(r->searches[i].begin, stream));
    CUDA_CHECK(method->search(&p, stream));
    CUDA_CHECK(cudaEventRecord(r->searches[i].end, stream));
    CUDA_CHECK(cudaStreamWaitEvent(r->out, r->searches[i].end, 0));
    CUDA_CHECK(cudaEventRecord(r->results[i].begin, r->out));
    copy(r->index + at, p.index, count * sizeof(int), cudaMemcpyDeviceToHost, r->out);
    copy(r->distance + at, p.distance, count * sizeof(float), cudaMemcpyDeviceToHost, r->out);
    CUDA_CHECK(cudaEventRecord(r->results[i].end, r->out));
}

/* What a method is asked: all of it, but for m, which is a tile's. */
static knn_problem problem_of(const run *r) {
    const knn_problem p = {.m = tile_queries(r),
                           .n = r->train.count,
                           .d = r->d,
                           .k = r->k,
                           .queries = r->device.queries,
                           .points = r->device.points,
                           .index = r->device.index,
                           .distance = r->device.distance,
                           .workspace_bytes = (size_t)r->memory,
                           .counts = r->device.counts};
    return p;
}

/* Why the method cannot do it; NULL: it can. */
static const char *refusal(const run *r, const knn_method *method) {
    const knn_problem p = problem_of(r);
    const char *reason = method->supports != NULL ? method->supports(&r->s->device) : NULL;
    return reason == NULL && method->refuses != NULL ? method->refuses(&p) : reason;
}

/* Searches and brings the neighbours here. EXIT_OK, or EXIT_USAGE where the method refuses. */
static int search(run *r, const knn_method *method) {
    const int tiles = tile_count(r);
    const char *reason = refusal(r, method);
    if (reason != NULL) {
        fprintf(stderr, "%s: --method %s: %s\n", r->s->step, method->name, reason);
        return EXIT_USAGE;
    }
    knn_problem p = problem_of(r);
    p.workspace_bytes = method->workspace != NULL ? method->workspace(&p, (size_t)r->memory) : 0;
    CUDA_ALLOCATE(&p.workspace, p.workspace_bytes + 1);
    CUDA_CHECK(cudaMemsetAsync(p.counts, 0, sizeof *p.counts, r->s->stream));
    CUDA_CHECK(cudaStreamSynchronize(r->s->stream));
    const double begin = inspect_now_s();
    if (!r->sent) send_queries(r);
    for (int i = 0; i < tiles; i++) search_tile(r, method, &p, i);
    CUDA_CHECK(cudaStreamSynchronize(r->s->stream));
    CUDA_CHECK(cudaStreamSynchronize(r->out));
    r->together = inspect_now_s() - begin;
    r->seconds[COPY_IN] = span_seconds(&r->points);
    r->seconds[SEARCH] = r->seconds[COPY_OUT] = r->seconds[VOTE] = 0.0;
    for (int i = 0; i < tiles; i++) {
        r->seconds[COPY_IN] += span_seconds(&r->queries[i]);
        r->seconds[SEARCH] += span_seconds(&r->searches[i]);
        r->seconds[COPY_OUT] += span_seconds(&r->results[i]);
    }
    CUDA_CHECK(cudaFree(p.workspace));
    return EXIT_OK;
}

static void vote(run *r, int k, double *since) {
    const size_t bytes = (size_t)r->test.count * sizeof(int);
    CUDA_CHECK(knn_vote(r->device.index, r->test.count, k, r->k, r->device.labels, r->labels->trained,
                        r->device.predicted, r->s->stream));
    CUDA_CHECK(cudaStreamSynchronize(r->s->stream));
    stage(r, VOTE, since);
    if (bytes > 0) CUDA_CHECK(cudaMemcpy(r->predicted, r->device.predicted, bytes, cudaMemcpyDeviceToHost));
    stage(r, COPY_OUT, since);
}

/* ---- what came out --------------------------------------------------------------------------------------------- */

/* The neighbours of the CPU, or of the first method, beside these. True where they are the same, or need not be. */
static bool compare(run *r, const knn_method *method, const char *with, const int *index, const float *distance) {
    const knn_difference d = knn_compare(r->test.count, r->k, 1, r->index, r->distance, index, distance);
    printf("%-22s ", method->name);
    if (d.wrong == 0)
        printf("the same neighbours and distances as %s\n", with);
    else
        printf(
            "%llu of %zu neighbours are not among the %d nearest of %s; query %d, place %d is the first that differs\n",
            (unsigned long long)d.different, places(r), r->k, with, d.row, d.place);
    return d.wrong == 0;
}

static bool verify(run *r, const knn_method *method) {
    int *index = memory_for(places(r), sizeof *index);
    float *distance = memory_for(places(r), sizeof *distance);
    if (!knn_reference(r->test.values, r->train.values, r->test.count, r->train.count, r->d, r->k, 1, index, distance))
        CUDA_CHECK(cudaErrorMemoryAllocation);
    const bool same = compare(r, method, "the CPU's", index, distance);
    free(index);
    free(distance);
    return same || !method->exact;
}

/* What a method says of its own work. */
static void print_counts(const run *r, const knn_method *method) {
    knn_counts counts;
    CUDA_CHECK(cudaMemcpy(&counts, r->device.counts, sizeof counts, cudaMemcpyDeviceToHost));
    for (size_t i = 0; !method->exact && i < places(r); i++) counts.negative += r->distance[i] < 0.0f;
    if (!method->exact) printf("%-22s %llu distances below 0\n", method->name, counts.negative);
    if (counts.candidates > 0 || counts.redone > 0)
        printf("%-22s %.1f candidates a query, %llu queries searched again\n", method->name,
               knn_candidates(&counts, r->test.count), counts.redone);
    const char *note = r->s->o.verbose && method->note != NULL ? method->note() : NULL;
    if (note != NULL) printf("%-22s %s\n", method->name, note);
}

static void print_percent(double share) {
    if (isnan(share))
        printf(" %8s", "-");
    else
        printf(" %7.2f%%", 100.0 * share);
}

/* The table of --k-sweep: accuracy, and of a map each group's detection rate and the false alarms of all. */
static int print_sweep_line(const run *r, const class_map *map, int k, bool first) {
    confusion c;
    const int status = confusion_make(&c, r->labels->count, r->test.codes, r->predicted, r->test.count, stderr);
    if (status != EXIT_OK) return status;
    if (first) {
        printf("%4s %8s", "k", "accuracy");
        for (int g = 1; map != NULL && g < map->groups; g++) printf(" %8s", map->names[g]);
        printf("%s\n", map != NULL ? " false alarms" : "");
    }
    printf("%4d", k);
    print_percent(confusion_accuracy(&c));
    for (int g = 1; map != NULL && g < map->groups; g++) print_percent(class_map_rates(map, &c, g).detection);
    if (map != NULL) print_percent(class_map_rates(map, &c, 0).false_alarms);
    printf("\n");
    confusion_free(&c);
    return EXIT_OK;
}

static int print_classes(const run *r, const class_map *map) {
    confusion c;
    const int status = confusion_make(&c, r->labels->count, r->test.codes, r->predicted, r->test.count, stderr);
    if (status != EXIT_OK) return status;
    confusion_print(&c, r->labels, stdout);
    if (map != NULL) class_map_print(map, &c, stdout);
    confusion_free(&c);
    return EXIT_OK;
}

static int vote_and_print(run *r, double *since) {
    const knn_options *o = r->o;
    class_map groups, *map = NULL;
    int status = EXIT_OK;
    if (o->classes_map != NULL || o->positive != NULL) {
        status = class_map_make(o->classes_map, o->positive, r->labels, &groups, stderr);
        if (status != EXIT_OK) return status;
        map = &groups;
    }
    *since = inspect_now_s();
    for (int k = r->k_first; k <= r->k && status == EXIT_OK; k++) {
        vote(r, k, since);
        status = o->k_sweep[1] > 0 ? print_sweep_line(r, map, k, k == r->k_first) : print_classes(r, map);
        *since = inspect_now_s();
    }
    if (map != NULL) class_map_free(map);
    return status;
}

static int write_files(const run *r) {
    const knn_options *o = r->o;
    const int m = r->test.count;
    int status = EXIT_OK;
    if (o->out_labels != NULL) status = results_write_labels(o->out_labels, r->labels, r->predicted, m, stderr);
    if (status == EXIT_OK && o->out_indices != NULL)
        status = results_write_indices(o->out_indices, r->index, m, r->k, stderr);
    if (status == EXIT_OK && o->out_distances != NULL)
        status = results_write_distances(o->out_distances, r->distance, m, r->k, stderr);
    return status;
}

static void print_stages(const run *r) {
    printf("seconds:");
    for (int i = 0; i < STAGES; i++) printf("%s %s %.4f", i > 0 ? "," : "", stage_names[i], r->seconds[i]);
    printf("; queries in, search and results out took %.4f together%s\n", r->together,
           r->s->device.simulated ? " (search and vote simulated)" : "");
    fflush(stdout);
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

static int prepare_files(const knn_options *o) {
    const char *const files[] = {o->out_labels, o->out_indices, o->out_distances};
    for (int i = 0; i < ARRAY_SIZE(files); i++)
        if (files[i] != NULL && results_prepare(files[i], stderr) != EXIT_OK) return EXIT_USAGE;
    return EXIT_OK;
}

static int choose_k(run *r) {
    const knn_options *o = r->o;
    r->k = o->k_sweep[1] > 0 ? o->k_sweep[1] : o->k_given ? o->k : DEFAULT_K;
    r->k_first = o->k_sweep[1] > 0 ? o->k_sweep[0] : r->k;
    if (r->k <= r->train.count) return EXIT_OK;
    fprintf(stderr, "%s: %s: k = %d, and there are %d training records\n", r->s->step, o->train, r->k, r->train.count);
    return EXIT_USAGE;
}

static void print_data(const run *r, long long unseen) {
    const knn_options *o = r->o;
    const device_facts *d = &r->s->device;
    printf("%s on %s (sm_%d)%s\n", r->s->step, d->name, d->cc,
           d->simulated ? ": results are real, times are not a GPU's" : "");
    printf("%d training records of %s, %d test records%s%s\n", r->train.count, o->train, r->test.count,
           o->test != NULL ? " of " : "", o->test != NULL ? o->test : "");
    features_describe(r->encoding, stdout);
    if (unseen > 0) {
        printf("%lld values of categories that training lacks\n", unseen);
        features_report_unseen(r->encoding, r->test.records, r->test.rows, r->test.count, stdout);
    }
}

/* Where none is named: the last method that gives the right answer and can. */
static int best_method(const run *r) {
    int i = r->method_count - 1;
    while (i > 0 && (!r->methods[i].exact || refusal(r, &r->methods[i]) != NULL)) i--;
    return i;
}

static int run_methods(run *r) {
    const knn_options *o = r->o;
    const int best = r->s->o.variant_given ? -1 : best_method(r);
    int status = EXIT_OK;
    bool wrong = false, first = true, first_exact = false;
    for (int i = 0; i < r->method_count && status == EXIT_OK; i++) {
        if (r->s->o.variant_given ? !r->s->o.chosen[i] : i != best) continue;
        const knn_method *method = &r->methods[i];
        double since;
        error_context("%s %s, m %d, n %d, d %d, k %d", r->s->step, method->name, r->test.count, r->train.count, r->d,
                      r->k);
        status = search(r, method);
        if (status != EXIT_OK) break;
        printf("\n%s, k %d\n", method->name, r->k);
        print_counts(r, method);
        if (o->verify) wrong = !verify(r, method) || wrong;
        if (first)
            first_exact = method->exact;
        else {
            const bool same = compare(r, method, "the first method's", r->first_index, r->first_distance);
            wrong = wrong || (!same && method->exact && first_exact);
        }
        if (r->labels != NULL) status = vote_and_print(r, &since);
        print_stages(r);
        if (status == EXIT_OK && first) status = write_files(r);
        if (first) {
            memcpy(r->first_index, r->index, places(r) * sizeof(int));
            memcpy(r->first_distance, r->distance, places(r) * sizeof(float));
        }
        first = false;
    }
    return status == EXIT_OK && wrong ? EXIT_WRONG : status;
}

static void free_side(side *x) {
    free(x->rows);
    free_host(x->room);
    free(x->codes);
}

int knn_files_run(session *s, const knn_options *o, const knn_method *methods, int count, double memory) {
    run r = {.s = s, .o = o, .methods = methods, .method_count = count, .memory = memory};
    long long unseen = 0;
    double since = inspect_now_s();
    int status = prepare_files(o);
    if (status == EXIT_OK) status = read_tables(&r);
    stage(&r, READ, &since);
    if (status == EXIT_OK) status = choose_k(&r);
    if (status == EXIT_OK) status = fit(&r);
    if (status == EXIT_OK && !allocate_device(&r)) status = EXIT_USAGE;
    if (status == EXIT_OK) status = encode_and_send(&r, &unseen);
    stage(&r, ENCODE, &since);
    if (status == EXIT_OK) {
        r.index_room = host_memory_for(places(&r), sizeof *r.index);
        r.distance_room = host_memory_for(places(&r), sizeof *r.distance);
        r.index = r.index_room.at;
        r.distance = r.distance_room.at;
        r.first_index = memory_for(places(&r), sizeof *r.first_index);
        r.first_distance = memory_for(places(&r), sizeof *r.first_distance);
        r.predicted = memory_for((size_t)r.test.count, sizeof *r.predicted);
        print_data(&r, unseen);
        status = run_methods(&r);
        free(r.first_index);
        free(r.first_distance);
        free(r.predicted);
    }
    free_device(&r);
    free_host(r.index_room);
    free_host(r.distance_room);
    free_side(&r.train);
    free_side(&r.test);
    if (r.test.records != r.train.records) table_free(r.test.records);
    table_free(r.train.records);
    features_free(r.encoding);
    labels_free(r.labels);
    return status;
}
