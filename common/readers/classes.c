#include "readers/classes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- classes ---- */

/* Numbers are spelled as table.c does; anything else that strtod would take is a word. */
static label_class class_of(const char *name) {
    char *end;
    const double value = strtod(name, &end);
    const bool number = end > name && *end == '\0' && strspn(name, "0123456789+-.e") == strlen(name);
    return (label_class){name, number ? value : (double)NAN};
}

static int by_value(const void *a, const void *b) {
    const label_class *x = a, *y = b;
    if (isnan(x->value) && isnan(y->value)) return strcmp(x->name, y->name);
    if (isnan(x->value) || isnan(y->value)) return isnan(x->value) ? 1 : -1;
    return (x->value > y->value) - (x->value < y->value);
}

/* The code of a label, or -1. */
static int find(const label_classes *c, const char *name) {
    const label_class wanted = class_of(name), *at = NULL;
    const size_t trained = (size_t)c->trained, others = (size_t)(c->count - c->trained);
    if (trained > 0) at = bsearch(&wanted, c->class, trained, sizeof wanted, by_value);
    if (at == NULL && others > 0) at = bsearch(&wanted, c->class + trained, others, sizeof wanted, by_value);
    return at != NULL ? (int)(at - c->class) : -1;
}

int classes_add(label_classes *c, const table *t, int *codes, FILE *err) {
    label_class *class = realloc(c->class, ((size_t)c->count + (size_t)t->rows) * sizeof *class);
    int all = c->count, kept = c->count;
    if (class == NULL) return table_complain(t, -1, -1, err, "out of memory");
    c->class = class;
    for (int i = 0; i < t->rows; i++)
        if (find(c, t->labels[i]) < 0) class[all++] = class_of(t->labels[i]);
    qsort(class + c->count, (size_t)(all - c->count), sizeof *class, by_value);
    for (int i = c->count; i < all; i++)
        if (kept == c->count || by_value(&class[i], &class[kept - 1]) != 0) class[kept++] = class[i];
    if (c->count == 0) c->trained = kept;
    c->count = kept;
    for (int i = 0; i < t->rows; i++) codes[i] = find(c, t->labels[i]);
    return 0;
}

void classes_free(label_classes *c) {
    free(c->class);
    *c = (label_classes){0};
}

/* ---- printing ---- */

/* Of the records of one class: how many there are, how many are predicted to be of it, and both. */
typedef struct {
    long long records, predicted, hits;
} tally;

/* Prints "97.89 %", or "-" where there is nothing to divide by. */
static void put_share(FILE *out, long long part, long long whole) {
    char text[32] = "-";
    if (whole > 0) snprintf(text, sizeof text, "%.2f %%", 100.0 * (double)part / (double)whole);
    fprintf(out, "  %9s", text);
}

int classes_print(const label_classes *c, const int *truth, const int *predicted, int m, FILE *out) {
    int width = 5, right = 0;
    tally *of = calloc((size_t)c->count + 1, sizeof *of);
    if (of == NULL) return 2;
    for (int i = 0; i < m; i++) {
        of[truth[i]].records++;
        of[predicted[i]].predicted++;
        of[truth[i]].hits += truth[i] == predicted[i];
        right += truth[i] == predicted[i];
    }
    for (int i = 0; i < c->count; i++) {
        const int length = (int)strlen(c->class[i].name);
        width = length > width ? length : width;
    }
    fprintf(out, "accuracy  %.2f %%: %d of %d\n", 100.0 * right / m, right, m);
    fprintf(out, "%-*s  %9s  %9s  %9s  %9s\n", width, "class", "records", "predicted", "precision", "recall");
    for (int i = 0; i < c->count; i++) {
        fprintf(out, "%-*s  %9lld  %9lld", width, c->class[i].name, of[i].records, of[i].predicted);
        put_share(out, of[i].hits, of[i].predicted);
        put_share(out, of[i].hits, of[i].records);
        fputs(i >= c->trained ? "  (not in training)\n" : "\n", out);
    }
    free(of);
    return 0;
}
