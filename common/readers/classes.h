/* Labels, and how well they are predicted. */
#pragma once

#include <stdio.h>

#include "readers/table.h"

typedef struct {
    const char *name;
    double value; /* NAN: a word */
} label_class;

/* Classes 0 ... count - 1: first those of the training records in order (numbers by value, then words by their bytes),
 * then those that occur only in test records, in the same order. */
typedef struct {
    int count, trained; /* trained: the first of them, seen in training, which a vote can choose */
    label_class *class;
} label_classes;

/* Adds the labels of a table (which has some, and outlives the classes) and writes the class of each row to `codes`.
 * The first table is the training's. Returns 0, or 2 after one line on `err`. Zero-initialise *c, and free it. */
int classes_add(label_classes *c, const table *t, int *codes, FILE *err);
void classes_free(label_classes *c);

/* Prints accuracy, and records, precision and recall of each class, for m
 * records of which `truth` and `predicted` are the classes. Returns 0, or 2: out of memory. */
int classes_print(const label_classes *c, const int *truth, const int *predicted, int m, FILE *out);
