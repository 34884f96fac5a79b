/* The autotuner: looks for the fastest of a variant's candidates, and keeps what it found in a small text file. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* One result. `key` is all that it depends on but the shape, with tabs between: "best", "NVIDIA H200", the build
 * (gpu/program.h), driver, CUDA version, cache, mode and type, as in a record. */
typedef struct {
    char key[512];
    int n, k;
    char candidate[96];
    double us;
} tune_entry;

/* The file's contents, the latest last. */
typedef struct {
    char *path;
    tune_entry *entries;
    int count;
    bool unwritable; /* has been said */
} tune_table;

/* A variant's candidates, and what a search does with candidate `i`. */
typedef struct {
    int count;
    void *context;
    bool (*fits)(void *context, int i);                   /* it can run this problem, and its result is right */
    double (*measure)(void *context, int i, bool finals); /* microseconds; in the finals, with more care */
    const char *(*name)(void *context, int i);
} tune_candidates;

/* The file of that name in the cache folder, $XDG_CACHE_HOME/kernel-ladder or ~/.cache/kernel-ladder, to be given to
 * free(); NULL without a home. */
char *tune_path(const char *name);

/* Reads the file at `path`; NULL: gemv.tune in the cache folder, which is made.
 * One that does not exist is empty. One that cannot be written, is damaged or another program's stays as it is, after
 * one line on `err`, and only this process knows what it tunes beyond that. To be given to tune_close. */
void tune_open(tune_table *t, const char *path, FILE *err);
void tune_close(tune_table *t);

/* Appends the entry to the file, where it counts in the place of an earlier one with its key and shape. Where that
 * fails: one line on `err`, once. */
void tune_keep(tune_table *t, const tune_entry *entry, FILE *err);

/* The latest result for the key and, where `exact`, the shape of `wanted`, else for the nearest shape (by the distance
 * of log n and log k); of those that name a candidate. NULL: none. */
const tune_entry *tune_find(const tune_table *t, const tune_entry *wanted, bool exact, const tune_candidates *c);

/* The candidate of this name; -1: none. */
int tune_index(const tune_candidates *c, const char *name);

/* Measures every candidate that fits, then the fastest TUNE_FINALISTS of them again. times[i] becomes each one's latest
 * time, NAN where it does not fit. Shows its progress on `progress`. Returns the fastest, or -1: none fits. */
enum { TUNE_FINALISTS = 4 };
int tune_search(const tune_candidates *c, double *times, FILE *progress);
