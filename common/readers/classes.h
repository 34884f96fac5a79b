/* Labels, and how well they are predicted. */
#ifndef KL_CLASSES_H
#define KL_CLASSES_H

#include <stdbool.h>
#include <stdio.h>

#include "readers/table.h"

/* Classes 0 ... count - 1: first those of the training records in order (by value if all are numbers, else by bytes),
 * then those that occur only in test records, in the same order. Numbers of equal value are one class, however they are
 * spelled. */
typedef struct {
    int count;
    int trained; /* the first of them: those seen in training, which a vote can choose */
    bool numeric;
    const char **names;   /* numbers in the fewest digits that read back as the same value */
    const double *values; /* numeric: the value of a class (NAN if a test label is a word) */
} label_set;

/* Learns the labels of `count` rows (NULL: all) of `column`. Returns 0 and *labels (free it), or 2 after one line. */
int labels_fit(const table *training, int column, const int *rows, int count, label_set **labels, FILE *err);
void labels_free(label_set *labels);

/* Writes the class of each row to `codes` (room for count); labels that do not occur in training are added to the set.
 * Returns 0 or 2. */
int labels_encode(label_set *labels, const table *t, int column, const int *rows, int count, int *codes, FILE *err);

/* The class with that name, or -1. */
int labels_find(const label_set *labels, const char *name);

/* ---- how good predictions are: `truth` and `predicted` are the classes of m records ---- */

/* With more classes than this there is no matrix (8 MB). */
enum { CONFUSION_MATRIX = 1024 };

typedef struct {
    int classes;
    long long total, right;
    long long *records, *predictions; /* for each class: the records that belong to it, and that are predicted to */
    long long *hits;                  /* both */
    long long *counts;                /* cell [truth * classes + predicted]; NULL above CONFUSION_MATRIX classes */
} confusion;

/* Counts m records. `group` (may be NULL) maps each class in `truth` and `predicted` to one of `classes` groups, which
 * are then counted instead. Returns 0, or 2 after one line on `err`: out of memory. Free with confusion_free. */
int confusion_make(confusion *c, int classes, const int *truth, const int *predicted, int m, const int *group,
                   FILE *err);
void confusion_free(confusion *c);

double confusion_accuracy(const confusion *c);             /* NAN: no records */
double confusion_precision(const confusion *c, int class); /* NAN: never predicted */
double confusion_recall(const confusion *c, int class);    /* NAN: no such record */

/* Prints accuracy, the matrix (up to 64 classes), and records, precision and recall for each class as aligned tables.
 */
void confusion_print(const confusion *c, const label_set *labels, FILE *out);

/* ---- groups of classes: attacks and normal records ---- */

enum { CLASS_MAP_NAME = 64 };

/* Group 0 is normal, all others are attacks. group[class] for every class of a label_set. At most CONFUSION_MATRIX
 * groups. */
typedef struct {
    int groups;
    char (*names)[CLASS_MAP_NAME];
    int *group;
    int classes;
} class_map;

/* Assigns each class of `labels` (complete only after labels_encode of the test) to a group.
 *   map       NULL, or a CSV file of lines label,class; the class in the first line is group 0
 *   positive  NULL, or the one label (with `map`: class) to detect: group 1; all others are group 0
 * At least one of the two is not NULL. Returns 0, or 2 after one line on `err`: what is wrong with the file, or a label
 * missing from it. */
int class_map_make(const char *map, const char *positive, const label_set *labels, class_map *groups, FILE *err);
void class_map_free(class_map *groups);

/* The rates of a group; NAN where there is nothing to divide by. */
typedef struct {
    long long records;   /* of this group */
    long long own;       /* records of it predicted as this group */
    long long attack;    /* records of it predicted as any group but 0 */
    double detection;    /* own / records */
    double any;          /* attack / records */
    double false_alarms; /* share of group 0's records predicted as this group */
} class_rates;

/* The rates of one group, from a confusion matrix of groups. For group 0: those of all attacks together (own: predicted
 * as their own group; false_alarms: records of group 0 predicted as any attack). */
class_rates class_map_rates(const confusion *groups, int group);

/* Prints the rates as a table. */
void class_map_print(const class_map *names, const confusion *groups, FILE *out);

#endif
