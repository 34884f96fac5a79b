#include "knn/knn_records.h"

#include <cuda_runtime_api.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/error.h"

/* ---- memory ---- */

knn_host_memory knn_host_memory_for(size_t count, size_t size) {
    knn_host_memory m = {.pinned = true};
    if (cudaMallocHost(&m.at, count * size + 1) == cudaSuccess) return m;
    cudaGetLastError(); /* otherwise the next launch would return it */
    m = (knn_host_memory){.at = malloc(count * size + 1)};
    if (m.at == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    return m;
}

void knn_host_memory_free(knn_host_memory m) {
    if (m.pinned)
        CUDA_CHECK(cudaFreeHost(m.at));
    else
        free(m.at);
}

/* ---- reading ---- */

static table_options reading(const knn_options *o) {
    return (table_options){.header = strcmp(o->header, "yes") == 0  ? TABLE_HEADER_YES
                                     : strcmp(o->header, "no") == 0 ? TABLE_HEADER_NO
                                                                    : TABLE_HEADER_AUTO,
                           .symbolic = o->symbolic};
}

/* Reads the file with the labels of `x`. */
static int read_labels(knn_side *x, const char *path, const knn_options *o) {
    table_options how = reading(o);
    how.symbolic = NULL;
    const int status = table_read(path, &how, &x->labels, stderr);
    if (status != EXIT_OK) return status;
    const int labels = table_rows(x->labels), records = table_rows(x->records);
    x->label_column = 0;
    if (table_columns(x->labels) != 1)
        return table_complain(x->labels, -1, -1, stderr, "%d columns: a file of labels has one",
                              table_columns(x->labels));
    if (labels == records) return EXIT_OK;
    return table_complain(x->labels, -1, -1, stderr, "%d labels, but %s has %d records%s", labels,
                          table_path(x->records), records,
                          labels == records + 1 ? " (if the first line is a heading: --header yes)" : "");
}

/* Images come without labels: what would be taken for one is a pixel. */
static int refuse_pixels(const table *t, const char *option) {
    return table_complain(t, -1, -1, stderr,
                          "an idx file of images holds no labels: name their file with %s, or say "
                          "--labels none",
                          option);
}

static int find_label_columns(knn_records *r, const knn_options *o) {
    labels_place place;
    features_parse_labels(o->labels, &place);
    r->train.label_column = r->test.label_column = -1;
    if (o->train_labels != NULL || place == LABELS_NONE) return EXIT_OK;
    if (table_holds_images(r->train.records)) return refuse_pixels(r->train.records, "--train-labels");
    r->train.label_column = features_label_column(r->train.records, place);
    if (table_columns(r->test.records) != table_columns(r->train.records)) return EXIT_OK;
    if (table_holds_images(r->test.records)) return refuse_pixels(r->test.records, "--train-labels and --test-labels");
    r->test.label_column = r->train.label_column;
    return EXIT_OK;
}

/* For options that compare predictions with the labels of the test records. */
static int check_truth(const knn_records *r, const char *step, const knn_options *o) {
    if (r->test.label_column >= 0) return EXIT_OK;
    const char *wanting = o->k_sweep[1] > 0            ? "--k-sweep"
                          : o->classes_map != NULL ? "--classes-map"
                          : o->positive != NULL    ? "--positive"
                                                   : NULL;
    if (wanting == NULL) return EXIT_OK;
    fprintf(stderr, "%s: %s: the test records have no labels to compare predictions with (--test-labels)\n", step,
            wanting);
    return EXIT_USAGE;
}

int knn_records_read(knn_records *r, const char *step, const knn_options *o, uint64_t seed) {
    const table_options how = reading(o);
    int status = table_read(o->train, &how, &r->train.records, stderr);
    if (status != EXIT_OK) return status;
    r->train.count = table_rows(r->train.records);
    if (o->test != NULL) {
        status = table_read(o->test, &how, &r->test.records, stderr);
        if (status != EXIT_OK) return status;
        r->test.count = table_rows(r->test.records);
    } else {
        r->test.records = r->train.records;
    }
    status = find_label_columns(r, o);
    if (status == EXIT_OK && o->train_labels != NULL) status = read_labels(&r->train, o->train_labels, o);
    if (status == EXIT_OK && o->test_labels != NULL) status = read_labels(&r->test, o->test_labels, o);
    if (status == EXIT_OK && o->test == NULL) {
        r->test.labels = r->train.labels;
        r->test.label_column = r->train.label_column;
        status = rows_split(NULL, r->train.count, o->split, seed, &r->train.rows, &r->train.count, &r->test.rows,
                            &r->test.count, stderr);
    }
    return status == EXIT_OK ? check_truth(r, step, o) : status;
}

/* ---- labels ---- */

/* The file that --classes-map kdd stands for, in the nearest folder above the executable that has it. */
static int find_kdd_classes(char path[PATH_MAX]) {
    static const char name[] = "/step08_knn/kdd_classes.csv";
    char folder[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = '\0';
    for (char *end = strrchr(folder, '/'); end != NULL; end = strrchr(folder, '/')) {
        *end = '\0';
        if (strlen(folder) + sizeof name > PATH_MAX) continue;
        strcpy(path, folder);
        strcat(path, name);
        if (access(path, R_OK) == 0) return EXIT_OK;
    }
    fprintf(stderr, "--classes-map kdd: %s is in no folder above this program; give the file's path instead\n", name + 1);
    return EXIT_USAGE;
}

static int encode_labels(label_set *labels, knn_side *x) {
    if (x->label_column < 0) return EXIT_OK;
    x->codes = malloc((size_t)x->count * sizeof *x->codes + 1);
    if (x->codes == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    return labels_encode(labels, x->labels != NULL ? x->labels : x->records, x->label_column, x->rows, x->count,
                         x->codes, stderr);
}

static int make_map(knn_records *r, const knn_options *o) {
    char kdd[PATH_MAX];
    const char *file = o->classes_map;
    int status = EXIT_OK;
    if (file == NULL && o->positive == NULL) return EXIT_OK;
    if (file != NULL && strcmp(file, "kdd") == 0) {
        status = find_kdd_classes(kdd);
        file = kdd;
    }
    if (status == EXIT_OK) status = class_map_make(file, o->positive, r->labels, &r->map, stderr);
    r->mapped = status == EXIT_OK;
    return status;
}

int knn_records_label(knn_records *r, const char *step, const knn_options *o) {
    const knn_side *x = &r->train;
    if (x->label_column < 0) return EXIT_OK;
    const table *in = x->labels != NULL ? x->labels : x->records;
    int status = labels_fit(in, x->label_column, x->rows, x->count, &r->labels, stderr);
    if (status == EXIT_OK) status = encode_labels(r->labels, &r->train);
    if (status == EXIT_OK) status = encode_labels(r->labels, &r->test);
    if (status == EXIT_OK && r->labels->trained == 1) {
        char shown[TABLE_SHOWN];
        fprintf(stderr, "%s: warning: %s: only one class: every training record has the label '%s'\n", step,
                table_path(in), table_shown(r->labels->names[0], shown));
    }
    return status == EXIT_OK ? make_map(r, o) : status;
}

/* ---- values ---- */

int knn_records_fit(knn_records *r, const knn_options *o) {
    features_options how = {.labels = LABELS_NONE};
    if (o->train_labels == NULL) features_parse_labels(o->labels, &how.labels);
    features_parse_normalize(o->normalize, &how);
    const int status = features_fit(r->train.records, r->train.rows, r->train.count, &how, &r->encoding, stderr);
    if (status == EXIT_OK) r->d = features_dimension(r->encoding);
    return status;
}

int knn_records_encode(const knn_records *r, const knn_side *x, int first, int count, float *values,
                       long long *unseen) {
    long long more;
    const int status = features_encode(r->encoding, x->records, x->rows, first, count, values, &more, stderr);
    *unseen += more;
    return status;
}

int knn_records_encode_all(const knn_records *r, knn_side *x, long long *unseen) {
    if (x->values != NULL) return EXIT_OK;
    x->room = knn_host_memory_for((size_t)x->count * (size_t)r->d, sizeof *x->values);
    x->values = x->room.at;
    return knn_records_encode(r, x, 0, x->count, x->room.at, unseen);
}

static void free_side(knn_side *x) {
    free(x->rows);
    free(x->codes);
    knn_host_memory_free(x->room);
}

void knn_records_free(knn_records *r) {
    free_side(&r->train);
    free_side(&r->test);
    if (r->test.labels != r->train.labels) table_free(r->test.labels);
    if (r->test.records != r->train.records) table_free(r->test.records);
    table_free(r->train.labels);
    table_free(r->train.records);
    features_free(r->encoding);
    if (r->mapped) class_map_free(&r->map);
    labels_free(r->labels);
}
