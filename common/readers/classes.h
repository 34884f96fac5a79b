/* Labels, and how good predictions of them are. */
#ifndef KL_CLASSES_H
#define KL_CLASSES_H

#include <stdbool.h>
#include <stdio.h>

#include "readers/table.h"

/* Classes 0 ... count - 1: first those of training, in order (by value where all are numbers, else by bytes), then
 * those seen in tests alone, in order likewise. Numbers of equal value are one class, however spelled. */
typedef struct {
    int count;
    int trained; /* the first of them: what a vote can choose from */
    bool numeric;
    const char **names;   /* numbers in as few digits as bring them back */
    const double *values; /* numeric: a class's value (NAN where a test has a word) */
} label_set;

/* Learns the labels of `count` rows (NULL: all) of `column`. Returns 0 and *labels (free it), or 2 after one line. */
int labels_fit(const table *training, int column, const int *rows, int count, label_set **labels, FILE *err);
void labels_free(label_set *labels);

/* Writes each row's class to `codes` (room for count); labels that training lacks are added to the set. Returns 0 or 2.
 */
int labels_encode(label_set *labels, const table *t, int column, const int *rows, int count, int *codes, FILE *err);

/* The class of that name, or -1. */
int labels_find(const label_set *labels, const char *name);

/* ---- what predictions are worth: truth and predicted are classes of m records ---- */

/* With more classes there is no matrix (8 MB). */
enum { CONFUSION_MATRIX = 1024 };

typedef struct {
    int classes;
    long long total, right;
    long long *records, *predictions; /* of each class: records that are of it, and that are predicted as it */
    long long *hits;                  /* and that are both */
    long long *counts;                /* cell [truth * classes + predicted]; NULL with more than CONFUSION_MATRIX */
} confusion;

/* Counts m records. `group` (may be NULL) says which of `classes` groups each class that truth and predicted name
 * belongs to: then groups are counted. Returns 0, or 2 after one line on `err`: out of memory. Free with
 * confusion_free. */
int confusion_make(confusion *c, int classes, const int *truth, const int *predicted, int m, const int *group,
                   FILE *err);
void confusion_free(confusion *c);

double confusion_accuracy(const confusion *c);             /* NAN: no records */
double confusion_precision(const confusion *c, int class); /* NAN: never predicted */
double confusion_recall(const confusion *c, int class);    /* NAN: no such record */

/* Accuracy, the matrix (up to 64 classes), and each class's records, precision and recall, as aligned tables. */
void confusion_print(const confusion *c, const label_set *labels, FILE *out);

/* ---- groups of classes: attacks and what is none ---- */

enum { CLASS_MAP_NAME = 64 };

/* Group 0 is what is not an attack. group[class] for every class of a label_set. At most CONFUSION_MATRIX groups. */
typedef struct {
    int groups;
    char (*names)[CLASS_MAP_NAME];
    int *group;
    int classes;
} class_map;

/* Which group each class of `labels` (all of them: after labels_encode of the test) belongs to.
 *   map       NULL, or a CSV file of lines label,class; the first line's class is group 0
 *   positive  NULL, or the one label (with `map`: class) that is looked for: group 1; all others are group 0
 * One of the two is not NULL. Returns 0, or 2 after one line on `err`: what is wrong with the file, a label it lacks.
 */
int class_map_make(const char *map, const char *positive, const label_set *labels, class_map *groups, FILE *err);
void class_map_free(class_map *groups);

/* A group's rates. Rates are NAN where there is nothing to divide by. */
typedef struct {
    long long records;   /* of this group */
    long long own;       /* of these, predicted as this group */
    long long attack;    /* of these, predicted as any group but 0 */
    double detection;    /* own / records */
    double any;          /* attack / records */
    double false_alarms; /* of group 0's records those predicted as this group */
} class_rates;

/* The rates of one group, from a confusion of groups; group 0: of all attacks together (own: predicted as their own
 * group; false_alarms: group 0 predicted as any attack). */
class_rates class_map_rates(const confusion *groups, int group);

/* The same as a table. */
void class_map_print(const class_map *names, const confusion *groups, FILE *out);

#endif
