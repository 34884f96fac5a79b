#include "knn/knn_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gpu/error.h"
#include "gpu/simulator.h"
#include "knn/knn_operands.h"
#include "knn/knn_records.h"
#include "knn/knn_reference.h"
#include "readers/results.h"
#include "tensor/inspect.h"

enum { READ, ENCODE, COPY_IN, SEARCH, COPY_OUT, VOTE, STAGES };
static const char RATES_HEADER[] =
    "method,k,class,train_records,test_records,class_records,accuracy,detection,false_alarms,neighbours_unlike_cpu,"
    "device,cc,driver,cuda,date\n";
static const char *const stage_names[STAGES] = {"read", "encode", "copy in", "search", "copy out", "vote"};

/* Queries are copied to the device a tile at a time, while the tile before is searched, and neighbours are copied back
 * while the next tile is. The number of tiles is limited, and each has a minimum of bytes and queries, since searching
 * only a few queries is slow. */
enum { MOST_TILES = 8, TILE_BYTES = 1 << 20, TILE_QUERIES = 2048 };
enum { PART_BYTES = 8 << 20 }; /* for training records: one is encoded while the other is copied */

typedef struct {
    cudaEvent_t begin, end;
} span;

typedef struct {
    session *s;
    const knn_options *o;
    const knn_method *methods;
    int method_count;
    double memory;
    knn_records records;
    int k_first, k;
    struct {
        float *queries, *points, *distance;
        int *index, *labels, *predicted;
        knn_counts *counts;
    } device;
    cudaStream_t in, out; /* for copies to and from the device; searches use the session's */
    span points, queries[MOST_TILES], searches[MOST_TILES], results[MOST_TILES];
    bool sent;                                 /* the queries are on the device or on their way there */
    knn_host_memory index_room, distance_room; /* of: */
    int *index, *first_index, *predicted;      /* of the last method, of the first, and its votes */
    float *distance, *first_distance;
    uint64_t unlike_cpu;              /* --verify: neighbours of the last method that are not among the CPU's */
    double seconds[STAGES], together; /* together: queries in, search, results out, which overlap */
} run;

/* Ends a stage: adds the time that has passed since `since`, and resets `since`. */
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

/* ---- on the device --------------------------------------------------------------------------------------------- */

static size_t places(const run *r) {
    return (size_t)r->records.test.count * (size_t)r->k;
}

static int tile_queries(const run *r) {
    const size_t bytes = (size_t)r->records.test.count * (size_t)r->records.d * sizeof(float);
    const size_t tiles = bytes / TILE_BYTES < MOST_TILES ? bytes / TILE_BYTES : MOST_TILES;
    const int rows = tiles > 1 ? (int)(((size_t)r->records.test.count + tiles - 1) / tiles) : r->records.test.count;
    return rows > TILE_QUERIES ? rows : r->records.test.count < TILE_QUERIES ? r->records.test.count : TILE_QUERIES;
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

/* False, after a message, if there is not enough device memory. */
static bool allocate_device(run *r) {
    const size_t m = (size_t)r->records.test.count, n = (size_t)r->records.train.count, d = (size_t)r->records.d;
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
    if (r->records.labels != NULL) {
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

/* Sends labels (few bytes, from memory that is not pinned, so the host waits) and points. One part of the training
 * records after another is encoded into one of two buffers and copied from there while the next is encoded: allocating
 * pinned memory for all of them would take longer than encoding them. */
static int send_points(run *r) {
    const knn_side *x = &r->records.train;
    const size_t row = (size_t)r->records.d * sizeof(float);
    const int rows = row < PART_BYTES ? (int)(PART_BYTES / row) : 1;
    int status = EXIT_OK;
    long long unseen = 0;
    knn_host_memory parts[2];
    cudaEvent_t copied[2];
    for (int i = 0; i < 2; i++) {
        parts[i] = knn_host_memory_for((size_t)(x->count < rows ? x->count : rows), row);
        CUDA_CHECK(cudaEventCreate(&copied[i]));
    }
    CUDA_CHECK(cudaEventRecord(r->points.begin, r->in));
    if (r->records.labels != NULL)
        copy(r->device.labels, x->codes, (size_t)x->count * sizeof(int), cudaMemcpyHostToDevice, r->in);
    for (int first = 0, i = 0; first < x->count && status == EXIT_OK; first += rows, i = 1 - i) {
        const int count = x->count - first < rows ? x->count - first : rows;
        CUDA_CHECK(cudaEventSynchronize(copied[i]));
        status = knn_records_encode(&r->records, x, first, count, parts[i].at, &unseen);
        if (status != EXIT_OK) break;
        copy(r->device.points + (size_t)first * (size_t)r->records.d, parts[i].at, (size_t)count * row,
             cudaMemcpyHostToDevice, r->in);
        CUDA_CHECK(cudaEventRecord(copied[i], r->in));
    }
    CUDA_CHECK(cudaEventRecord(r->points.end, r->in));
    CUDA_CHECK(cudaStreamSynchronize(r->in));
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaEventDestroy(copied[i]));
        knn_host_memory_free(parts[i]);
    }
    return status;
}

/* Sends queries first ... first + rows - 1. */
typedef struct {
    int first, rows;
} tile;

static tile tile_of(const run *r, int i) {
    const int rows = tile_queries(r), first = i * rows;
    return (tile){first, r->records.test.count - first < rows ? r->records.test.count - first : rows};
}

static int tile_count(const run *r) {
    const int rows = tile_queries(r);
    return rows > 0 ? (r->records.test.count + rows - 1) / rows : 0;
}

static void send_queries(run *r) {
    for (int i = 0; i < tile_count(r); i++) {
        const tile t = tile_of(r, i);
        const size_t at = (size_t)t.first * (size_t)r->records.d, count = (size_t)t.rows * (size_t)r->records.d;
        CUDA_CHECK(cudaEventRecord(r->queries[i].begin, r->in));
        copy(r->device.queries + at, r->records.test.values + at, count * sizeof(float), cudaMemcpyHostToDevice, r->in);
        CUDA_CHECK(cudaEventRecord(r->queries[i].end, r->in));
    }
    r->sent = true;
}

/* In the simulator it is counted, and traced, as the method's. */
static cudaError_t search_counted(const knn_method *method, const knn_problem *p, cudaStream_t stream) {
    char said[96];
    snprintf(said, sizeof said, "m %d, n %d, d %d, k %d", p->m, p->n, p->d, p->k);
    simulator_count(method->name, said);
    const cudaError_t error = method->search(p, stream);
    simulator_count(NULL, NULL);
    return error;
}

/* Enqueues the search of a tile, to start when the tile has arrived, and then the copies of its neighbours. */
static void search_tile(run *r, const knn_method *method, const knn_problem *all, int i) {
    const cudaStream_t stream = r->s->stream;
    const tile t = tile_of(r, i);
    const size_t at = (size_t)t.first * (size_t)r->k, count = (size_t)t.rows * (size_t)r->k;
    knn_problem p = *all;
    p.m = t.rows;
    p.queries += (size_t)t.first * (size_t)r->records.d;
    p.index += at;
    p.distance += at;
    CUDA_CHECK(cudaStreamWaitEvent(stream, r->queries[i].end, 0)); /* and the points arrived before them */
    CUDA_CHECK(cudaEventRecord(r->searches[i].begin, stream));
    CUDA_CHECK(search_counted(method, &p, stream));
    CUDA_CHECK(cudaEventRecord(r->searches[i].end, stream));
    CUDA_CHECK(cudaStreamWaitEvent(r->out, r->searches[i].end, 0));
    CUDA_CHECK(cudaEventRecord(r->results[i].begin, r->out));
    copy(r->index + at, p.index, count * sizeof(int), cudaMemcpyDeviceToHost, r->out);
    copy(r->distance + at, p.distance, count * sizeof(float), cudaMemcpyDeviceToHost, r->out);
    CUDA_CHECK(cudaEventRecord(r->results[i].end, r->out));
}

/* The problem a method is given: complete, except for m, which is a tile's. */
static knn_problem problem_of(const run *r) {
    const knn_problem p = {.m = tile_queries(r),
                           .n = r->records.train.count,
                           .d = r->records.d,
                           .k = r->k,
                           .queries = r->device.queries,
                           .points = r->device.points,
                           .index = r->device.index,
                           .distance = r->device.distance,
                           .workspace_bytes = (size_t)r->memory,
                           .counts = r->device.counts};
    return p;
}

/* Why the method cannot solve it (NULL: it can), and the bytes of workspace it needs. */
static const char *refusal(const run *r, const knn_method *method, size_t *workspace) {
    const knn_problem p = problem_of(r);
    const char *reason = method->supports != NULL ? method->supports(&r->s->device) : NULL;
    return reason != NULL ? reason : knn_refusal(method, &p, (size_t)r->memory, workspace);
}

/* Searches and fetches the neighbours. EXIT_OK, or EXIT_USAGE if the method refuses. */
static int search(run *r, const knn_method *method) {
    const int tiles = tile_count(r);
    knn_problem p = problem_of(r);
    const char *reason = refusal(r, method, &p.workspace_bytes);
    if (reason != NULL) {
        fprintf(stderr, "%s: --method %s: %s\n", r->s->step, method->name, reason);
        return EXIT_USAGE;
    }
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

static void vote(run *r, int k) {
    double since = inspect_now_s();
    const size_t bytes = (size_t)r->records.test.count * sizeof(int);
    CUDA_CHECK(knn_vote(r->device.index, r->records.test.count, k, r->k, r->device.labels, r->records.labels->trained,
                        r->device.predicted, r->s->stream));
    CUDA_CHECK(cudaStreamSynchronize(r->s->stream));
    stage(r, VOTE, &since);
    if (bytes > 0) CUDA_CHECK(cudaMemcpy(r->predicted, r->device.predicted, bytes, cudaMemcpyDeviceToHost));
    stage(r, COPY_OUT, &since);
}

/* ---- what came out --------------------------------------------------------------------------------------------- */

/* Prints how the neighbours of `whom` differ from these. */
static knn_difference compare(const run *r, const knn_method *method, const char *whom, const int *index,
                              const float *distance) {
    const knn_difference d = knn_compare(r->records.test.count, r->k, 1, r->index, r->distance, index, distance);
    printf("%-22s ", method->name);
    if (d.wrong == 0)
        printf("the same neighbours and distances as %s\n", whom);
    else
        printf(
            "%llu of %zu neighbours are not among the %d nearest of %s; query %d, place %d is the first that differs\n",
            (unsigned long long)d.different, places(r), r->k, whom, d.row, d.place);
    return d;
}

/* Compares with the CPU's neighbours; false if they should be the same and are not. */
static bool verify(run *r, const knn_method *method) {
    knn_records *x = &r->records;
    long long unseen = 0;
    knn_records_encode_all(x, &x->train, &unseen); /* just as it fitted on the device */
    int *index = memory_for(places(r), sizeof *index);
    float *distance = memory_for(places(r), sizeof *distance);
    if (!knn_reference(x->test.values, x->train.values, x->test.count, x->train.count, x->d, r->k, 1, index, distance))
        CUDA_CHECK(cudaErrorMemoryAllocation);
    const knn_difference d = compare(r, method, "the CPU's", index, distance);
    r->unlike_cpu = d.different;
    free(index);
    free(distance);
    return d.wrong == 0 || !method->exact;
}

/* Compares with the first method's neighbours; false if they should be the same and are not. */
static bool compare_with_first(const run *r, const knn_method *method, const knn_method *first) {
    char whom[64];
    snprintf(whom, sizeof whom, "%s's", first->name);
    const knn_difference d = compare(r, method, whom, r->first_index, r->first_distance);
    return d.wrong == 0 || !method->exact || !first->exact;
}

/* What a method reports about its own work. */
static void print_counts(const run *r, const knn_method *method) {
    knn_counts counts;
    CUDA_CHECK(cudaMemcpy(&counts, r->device.counts, sizeof counts, cudaMemcpyDeviceToHost));
    for (size_t i = 0; !method->exact && i < places(r); i++) counts.negative += r->distance[i] < 0.0f;
    if (!method->exact) printf("%-22s %llu distances below 0\n", method->name, counts.negative);
    if (counts.candidates > 0 || counts.redone > 0)
        printf("%-22s %.1f candidates per query, %llu queries searched again\n", method->name,
               knn_candidates(&counts, r->records.test.count), counts.redone);
    const char *note = r->s->o.verbose && method->note != NULL ? method->note() : NULL;
    if (note != NULL) printf("%-22s %s\n", method->name, note);
}

static void print_percent(double share) {
    if (isnan(share))
        printf(" %8s", "-");
    else
        printf(" %7.2f%%", 100.0 * share);
}

/* The quality of the votes for one k, by label and by group. */
typedef struct {
    confusion labels, groups; /* groups: if there is a map */
} worth;

static int find_worth(const run *r, worth *w) {
    const knn_records *x = &r->records;
    *w = (worth){0};
    int status = confusion_make(&w->labels, x->labels->count, x->test.codes, r->predicted, x->test.count, NULL, stderr);
    if (status == EXIT_OK && x->mapped)
        status =
            confusion_make(&w->groups, x->map.groups, x->test.codes, r->predicted, x->test.count, x->map.group, stderr);
    return status;
}

static void free_worth(worth *w) {
    confusion_free(&w->labels);
    confusion_free(&w->groups);
}

/* The table for --k-sweep: accuracy and, with a map, each group's detection rate and the false alarms overall. */
static void print_sweep_line(const run *r, const worth *w, int k) {
    const class_map *map = &r->records.map;
    if (k == r->k_first) {
        printf("%4s %8s", "k", "accuracy");
        for (int g = 1; g < map->groups; g++) printf(" %8s", map->names[g]);
        printf("%s\n", r->records.mapped ? " false alarms" : "");
    }
    printf("%4d", k);
    print_percent(confusion_accuracy(&w->labels));
    for (int g = 1; g < map->groups; g++) print_percent(class_map_rates(&w->groups, g).detection);
    if (r->records.mapped) print_percent(class_map_rates(&w->groups, 0).false_alarms);
    printf("\n");
}

static void print_classes(const run *r, const worth *w) {
    confusion_print(&w->labels, r->records.labels, stdout);
    if (r->records.mapped) class_map_print(&r->records.map, &w->groups, stdout);
}

static void put_share(FILE *f, double share) {
    if (isnan(share))
        fputc(',', f);
    else
        fprintf(f, "%.6g,", share);
}

/* The rows for one k in --rates-csv: one for each group with records. */
static void put_rates(const run *r, const record *about, const worth *w, int k, FILE *f) {
    const knn_records *x = &r->records;
    for (int g = 1; g < x->map.groups; g++) {
        const class_rates rates = class_map_rates(&w->groups, g);
        if (rates.records == 0) continue;
        record_put_csv_text(f, about->variant);
        fprintf(f, ",%d,", k);
        record_put_csv_text(f, x->map.names[g]);
        fprintf(f, ",%d,%d,%lld,", x->train.count, x->test.count, rates.records);
        put_share(f, confusion_accuracy(&w->labels));
        put_share(f, rates.detection);
        put_share(f, class_map_rates(&w->groups, 0).false_alarms);
        if (r->o->verify) fprintf(f, "%llu", (unsigned long long)r->unlike_cpu);
        const char *const where[] = {about->device, about->cc, about->driver, about->cuda, about->date};
        for (int i = 0; i < ARRAY_SIZE(where); i++) {
            fputc(',', f);
            record_put_csv_text(f, where[i]);
        }
        fputc('\n', f);
    }
}

/* Votes and their quality; a method's rows of --rates-csv are written together. */
static int vote_and_print(run *r, const knn_method *method) {
    const knn_options *o = r->o;
    const record about = session_describe(r->s, method->name, "knn");
    int status = EXIT_OK;
    char *text = NULL;
    size_t length = 0;
    FILE *rates = o->rates_csv != NULL ? open_memstream(&text, &length) : NULL;
    if (rates != NULL) fputs(RATES_HEADER, rates);
    for (int k = r->k_first; k <= r->k && status == EXIT_OK; k++) {
        worth w;
        vote(r, k);
        if (r->records.test.codes == NULL) break;
        status = find_worth(r, &w);
        if (status == EXIT_OK && o->k_sweep[1] > 0) print_sweep_line(r, &w, k);
        if (status == EXIT_OK && o->k_sweep[1] == 0) print_classes(r, &w);
        if (status == EXIT_OK && rates != NULL) put_rates(r, &about, &w, k, rates);
        free_worth(&w);
    }
    if (o->rates_csv == NULL) return status;
    if (rates == NULL || fclose(rates) != 0) {
        free(text);
        text = NULL;
    }
    if (status == EXIT_OK) status = record_text_append(o->rates_csv, text, sizeof RATES_HEADER - 1, stderr);
    free(text);
    return status;
}

/* Writes the files for --out and the like, and prints a line about each. */
static int write_files(const run *r, const knn_method *method) {
    const knn_options *o = r->o;
    const int m = r->records.test.count;
    int status = EXIT_OK;
    if (o->out_labels != NULL) {
        status = results_write_labels(o->out_labels, r->records.labels, r->predicted, m, stderr);
        if (status == EXIT_OK) printf("%s: the labels that %s predicts\n", o->out_labels, method->name);
    }
    if (status == EXIT_OK && o->out_indices != NULL) {
        status = results_write_indices(o->out_indices, r->index, m, r->k, stderr);
        if (status == EXIT_OK) printf("%s: the neighbours that %s finds\n", o->out_indices, method->name);
    }
    if (status == EXIT_OK && o->out_distances != NULL) {
        status = results_write_distances(o->out_distances, r->distance, m, r->k, stderr);
        if (status == EXIT_OK) printf("%s: the distances that %s finds\n", o->out_distances, method->name);
    }
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
    if (o->rates_csv == NULL) return EXIT_OK;
    return record_text_prepare("--rates-csv", o->rates_csv, RATES_HEADER, stderr);
}

static int choose_k(run *r) {
    const knn_options *o = r->o;
    r->k = o->k_sweep[1] > 0 ? o->k_sweep[1] : o->k;
    r->k_first = o->k_sweep[1] > 0 ? o->k_sweep[0] : r->k;
    if (r->k <= r->records.train.count) return EXIT_OK;
    fprintf(stderr, "%s: %s: k = %d, and there are %d training records\n", r->s->step, o->train, r->k,
            r->records.train.count);
    return EXIT_USAGE;
}

static void print_data(const run *r, long long unseen) {
    const knn_options *o = r->o;
    const device_facts *d = &r->s->device;
    printf("%s on %s (sm_%d)%s\n", r->s->step, d->name, d->cc,
           d->simulated ? ": results are real, times are not a GPU's" : "");
    printf("%d training records of %s, %d test records%s%s\n", r->records.train.count, o->train, r->records.test.count,
           o->test != NULL ? " of " : "", o->test != NULL ? o->test : "");
    features_describe(r->records.encoding, stdout);
    if (unseen > 0) {
        printf("%lld values of categories that training lacks\n", unseen);
        features_report_unseen(r->records.encoding, r->records.test.records, r->records.test.rows,
                               r->records.test.count, stdout);
    }
    if (r->records.labels != NULL && r->records.test.codes == NULL)
        printf("the test records have no labels: predictions, and no accuracy\n");
}

/* If none is named: the last method that is exact and can run. */
static int best_method(const run *r) {
    int i = r->method_count - 1;
    size_t workspace;
    while (i > 0 && (!r->methods[i].exact || refusal(r, &r->methods[i], &workspace) != NULL)) i--;
    return i;
}

/* Searches and prints; `first` is the result of the first method (this one's, if it is the first). */
static int run_method(run *r, const knn_method *method, const knn_method *first, bool *wrong) {
    const knn_options *o = r->o;
    error_context("%s %s, m %d, n %d, d %d, k %d", r->s->step, method->name, r->records.test.count,
                  r->records.train.count, r->records.d, r->k);
    int status = search(r, method);
    if (status != EXIT_OK) return status;
    printf("\n%s, k %d\n", method->name, r->k);
    print_counts(r, method);
    if (o->verify) *wrong = !verify(r, method) || *wrong;
    if (method != first) *wrong = !compare_with_first(r, method, first) || *wrong;
    if (r->records.labels != NULL) status = vote_and_print(r, method);
    print_stages(r);
    if (method != first || status != EXIT_OK) return status;
    memcpy(r->first_index, r->index, places(r) * sizeof(int));
    memcpy(r->first_distance, r->distance, places(r) * sizeof(float));
    return write_files(r, method);
}

/* First the method that was named first, whose answer is written, then the others in the order of the table. */
static int run_methods(run *r) {
    const int first = r->s->o.variant_given ? r->s->o.first : best_method(r);
    bool wrong = false;
    int status = run_method(r, &r->methods[first], &r->methods[first], &wrong);
    for (int i = 0; i < r->method_count && status == EXIT_OK; i++)
        if (i != first && r->s->o.variant_given && r->s->o.chosen[i])
            status = run_method(r, &r->methods[i], &r->methods[first], &wrong);
    return status == EXIT_OK && wrong ? EXIT_WRONG : status;
}

int knn_files_run(session *s, const knn_options *o, const knn_method *methods, int count, double memory) {
    run r = {.s = s, .o = o, .methods = methods, .method_count = count, .memory = memory};
    long long unseen = 0;
    double since = inspect_now_s();
    int status = prepare_files(o);
    if (status == EXIT_OK) status = knn_records_read(&r.records, s->step, o, s->o.seed);
    stage(&r, READ, &since);
    if (status == EXIT_OK) status = choose_k(&r);
    if (status == EXIT_OK) status = knn_records_label(&r.records, s->step, o);
    if (status == EXIT_OK) status = knn_records_fit(&r.records, o);
    stage(&r, ENCODE, &since);
    if (status == EXIT_OK && !allocate_device(&r)) status = EXIT_USAGE;
    since = inspect_now_s();
    if (status == EXIT_OK) status = send_points(&r);
    if (status == EXIT_OK) status = knn_records_encode_all(&r.records, &r.records.test, &unseen);
    stage(&r, ENCODE, &since);
    if (status == EXIT_OK) {
        r.index_room = knn_host_memory_for(places(&r), sizeof *r.index);
        r.distance_room = knn_host_memory_for(places(&r), sizeof *r.distance);
        r.index = r.index_room.at;
        r.distance = r.distance_room.at;
        r.first_index = memory_for(places(&r), sizeof *r.first_index);
        r.first_distance = memory_for(places(&r), sizeof *r.first_distance);
        r.predicted = memory_for((size_t)r.records.test.count, sizeof *r.predicted);
        print_data(&r, unseen);
        status = run_methods(&r);
        free(r.first_index);
        free(r.first_distance);
        free(r.predicted);
    }
    free_device(&r);
    knn_host_memory_free(r.index_room);
    knn_host_memory_free(r.distance_room);
    knn_records_free(&r.records);
    return status;
}
