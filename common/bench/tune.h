/* The autotuner: looks for the fastest of a variant's candidates, and keeps what it found in a small text file. */
#ifndef KL_TUNE_H
#define KL_TUNE_H

#include <stdbool.h>
#include <stdio.h>

#include "tensor/dtype.h"

enum { TUNE_TEXT = 96 };

/* One result. What comes before `candidate` is its key. */
typedef struct {
    char variant[TUNE_TEXT], device[TUNE_TEXT]; /* "best", "NVIDIA H200" */
    char build[TUNE_TEXT];                      /* of the program that was timed (gpu/program.h) */
    char driver[TUNE_TEXT], cuda[TUNE_TEXT];    /* as in a record: "580.159.04", "13.0" */
    char cache[TUNE_TEXT], mode[TUNE_TEXT];     /* "cold", "graph" */
    dtype type;
    int n, k;
    char candidate[TUNE_TEXT];
    double us;
} tune_entry;

/* The file's contents. `path` NULL: nowhere to keep anything. */
typedef struct {
    char *path;
    tune_entry *entries;
    int count;
    bool unwritable; /* has been said */
} tune_table;

/* $XDG_CACHE_HOME/kernel-ladder/gemv.tune, or ~/.cache/kernel-ladder/gemv.tune; malloc'ed, NULL without a home. */
char *tune_default_path(void);

/* Reads the file at `path` (NULL: the default one). One that does not exist is empty, and so is one of version 0.9,
 * whose entries do not say which build they are of. One that is damaged or another program's is ignored after one line
 * on `err`; the next tune_keep puts it aside as PATH.old and writes it anew. To be given to tune_close. */
void tune_open(tune_table *t, const char *path, FILE *err);
void tune_close(tune_table *t);

/* The result of exactly this shape, or of the nearest one (by the distance of log n and log k) of the same variant,
 * device, build, driver, CUDA version, cache, mode and type; of those whose candidate is one of `names`. NULL: none. */
const tune_entry *tune_find(const tune_table *t, const tune_entry *key, const char *const *names, int count);
const tune_entry *tune_nearest(const tune_table *t, const tune_entry *key, const char *const *names, int count);

/* Puts the entry in the place of the one with its key and writes the file, with what others have put there meanwhile,
 * atomically; makes its folder. The file keeps the latest 2000. Where that fails: one line on `err`, once, and only
 * this process knows the result. */
void tune_keep(tune_table *t, const tune_entry *entry, FILE *err);

/* A search: what to do with candidate `i`. */
typedef struct {
    int count;
    void *context;
    bool (*fits)(void *context, int i);                   /* it can run this problem, and its result is right */
    double (*measure)(void *context, int i, bool finals); /* microseconds; in the finals, with more care */
    const char *(*name)(void *context, int i);
} tune_candidates;

/* Measures every candidate that fits, then the fastest TUNE_FINALISTS of them again. times[i] becomes each one's latest
 * time, NAN where it does not fit. Shows its progress on `progress`. Returns the fastest, or -1: none fits. */
enum { TUNE_FINALISTS = 4 };
int tune_search(const tune_candidates *c, double *times, FILE *progress);

#endif
