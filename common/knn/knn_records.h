/* The records given by --train and --test in host memory: read, labelled and encoded. */
#ifndef KL_KNN_RECORDS_H
#define KL_KNN_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "knn/knn_options.h"
#include "readers/classes.h"
#include "readers/encoding.h"
#include "readers/table.h"

/* Host memory, pinned if enough of it is available: copies to and from pageable memory overlap with nothing. */
typedef struct {
    void *at;
    bool pinned;
} knn_host_memory;

/* Allocates `count` elements of `size` bytes; ends the program if there is not enough memory. */
knn_host_memory knn_host_memory_for(size_t count, size_t size);
void knn_host_memory_free(knn_host_memory m);

/* The training or the test records. */
typedef struct {
    table *records;   /* with --split, shared by both sides */
    table *labels;    /* a separate file of labels; NULL: the labels are a column of the records, or there are none */
    int label_column; /* the column of labels in `labels` or `records`; -1: there are none */
    int *rows, count; /* rows NULL: all */
    const float
        *values; /* count x d, in `room` or, if the file stores them that way, in the records; NULL: not kept */
    knn_host_memory room;
    int *codes; /* the class of each record; NULL: no labels */
} knn_side;

typedef struct {
    knn_side train, test;
    label_set *labels; /* NULL: the training records have none */
    bool mapped;       /* `map` comes from --classes-map or --positive */
    class_map map;
    features *encoding;
    int d;
} knn_records;

/* Reads the files that the options name; --split divides one of them by `seed`. Like all functions here, returns the
 * exit status, after one line on stderr if it is not EXIT_OK. `step` begins lines that are not about a file. */
int knn_records_read(knn_records *r, const char *step, const knn_options *o, uint64_t seed);

/* Numbers the labels and groups them; warns on stderr if they are all the same. */
int knn_records_label(knn_records *r, const char *step, const knn_options *o);

/* Learns the encoding from the training records and sets r->d. */
int knn_records_fit(knn_records *r, const knn_options *o);

/* Encodes `count` records, starting at number `first`. Adds to `unseen` the number of values whose category does not
 * occur in training. */
int knn_records_encode(const knn_records *r, const knn_side *x, int first, int count, float *values, long long *unseen);

/* Encodes all of them into memory that x->values is set to, unless it is set already. */
int knn_records_encode_all(const knn_records *r, knn_side *x, long long *unseen);

void knn_records_free(knn_records *r);

#endif
