/* The records of --train and --test in host memory: read, labelled and encoded. */
#ifndef KL_KNN_RECORDS_H
#define KL_KNN_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "knn/knn_options.h"
#include "readers/classes.h"
#include "readers/encoding.h"
#include "readers/table.h"

/* Host memory, pinned where there is enough of that: copies to and from other memory do not overlap with anything. */
typedef struct {
    void *at;
    bool pinned;
} knn_host_memory;

/* `count` elements of `size` bytes; ends the program where there is no memory. */
knn_host_memory knn_host_memory_for(size_t count, size_t size);
void knn_host_memory_free(knn_host_memory m);

/* The training or the test records. */
typedef struct {
    table *records;   /* --split: both sides' */
    table *labels;    /* of a file of their own; NULL: a column of the records, or there are none */
    int label_column; /* of the labels, in `labels` or `records`; -1: there are none */
    int *rows, count; /* rows NULL: all */
    const float
        *values; /* count x d, in `room` or, where the file has them like that, in the records; NULL: not kept */
    knn_host_memory room;
    int *codes; /* each record's class; NULL: no labels */
} knn_side;

typedef struct {
    knn_side train, test;
    label_set *labels; /* NULL: the training records have none */
    bool mapped;       /* `map` is that of --classes-map or --positive */
    class_map map;
    features *encoding;
    int d;
} knn_records;

/* Reads the files that the options name; --split divides one by `seed`. Returns the exit status, as all do, other than
 * EXIT_OK after one line on stderr. `step` begins lines that are about no file. */
int knn_records_read(knn_records *r, const char *step, const knn_options *o, uint64_t seed);

/* Numbers the labels and groups them; a warning on stderr where they are all the same. */
int knn_records_label(knn_records *r, const char *step, const knn_options *o);

/* Learns the encoding from the training records: r->d. */
int knn_records_fit(knn_records *r, const knn_options *o);

/* Encodes `count` records from number `first` on. `unseen` is increased by the number of values of categories that
 * training lacks. */
int knn_records_encode(const knn_records *r, const knn_side *x, int first, int count, float *values, long long *unseen);

/* Encodes all of them, to memory that x->values is set to, unless it is set already. */
int knn_records_encode_all(const knn_records *r, knn_side *x, long long *unseen);

void knn_records_free(knn_records *r);

#endif
