#include "readers/classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "readers/names.h"
#include "readers/table_build.h"

/* ---- labels ---- */

/* A label_set and its private part. */
typedef struct {
    label_set set;
    name_list names;
    double *values;
} whole_set;

static int row_at(const int *rows, int i) {
    return rows != NULL ? rows[i] : i;
}

static int no_memory(const table *t, FILE *err) {
    return table_complain(t, -1, -1, err, "out of memory");
}

/* The label of a row as the set spells it: numbers of equal value are spelled the same. */
static const char *label_of(const label_set *set, const table *t, int row, int column, char *room) {
    const double value = table_number(t, row, column);
    const char *text = !set->numeric || isnan(value) ? table_text(t, row, column, room) : NULL;
    return text != NULL ? text : table_spell(value + 0.0, false, room); /* -0 is 0 */
}

static int add_labels(whole_set *w, const table *t, int column, const int *rows, int count, FILE *err) {
    char room[TABLE_TEXT];
    const int first = w->names.count;
    for (int i = 0; i < count; i++)
        if (names_add(&w->names, label_of(&w->set, t, row_at(rows, i), column, room)) < 0) return no_memory(t, err);
    names_sort(&w->names, first, w->set.numeric);
    double *values = realloc(w->values, ((size_t)w->names.count + 1) * sizeof *values);
    if (values == NULL) return no_memory(t, err);
    for (int i = first; i < w->names.count; i++) {
        const char *name = w->names.names[i];
        if (table_parse_number(name, strlen(name), &values[i]) != VALUE_NUMBER) values[i] = NAN;
    }
    w->values = values;
    w->set.values = values;
    w->set.names = (const char **)w->names.names;
    w->set.count = w->names.count;
    return 0;
}

int labels_fit(const table *training, int column, const int *rows, int count, label_set **labels, FILE *err) {
    *labels = NULL;
    if (rows == NULL) count = table_rows(training);
    whole_set *w = calloc(1, sizeof *w);
    if (w == NULL) return no_memory(training, err);
    w->set.numeric = table_numeric(training, column, rows, count);
    if (add_labels(w, training, column, rows, count, err) != 0) {
        labels_free(&w->set);
        return 2;
    }
    w->set.trained = w->set.count;
    *labels = &w->set;
    return 0;
}

void labels_free(label_set *labels) {
    if (labels == NULL) return;
    whole_set *w = (whole_set *)labels; /* its first member */
    names_free(&w->names);
    free(w->values);
    free(w);
}

int labels_encode(label_set *labels, const table *t, int column, const int *rows, int count, int *codes, FILE *err) {
    whole_set *w = (whole_set *)labels;
    char room[TABLE_TEXT];
    if (rows == NULL) count = table_rows(t);
    if (add_labels(w, t, column, rows, count, err) != 0) return 2;
    for (int i = 0; i < count; i++)
        codes[i] = names_find(&w->names, label_of(labels, t, row_at(rows, i), column, room));
    return 0;
}

int labels_find(const label_set *labels, const char *name) {
    const whole_set *w = (const whole_set *)labels;
    char room[TABLE_TEXT];
    double value;
    if (labels->numeric && table_parse_number(name, strlen(name), &value) == VALUE_NUMBER)
        name = table_spell(value + 0.0, false, room);
    return names_find(&w->names, name);
}

/* ---- confusion ---- */

int confusion_make(confusion *c, int classes, const int *truth, const int *predicted, int m, const int *group,
                   FILE *err) {
    const bool matrix = classes <= CONFUSION_MATRIX;
    *c = (confusion){.classes = classes, .total = m};
    c->records = calloc(3 * (size_t)classes + 1, sizeof *c->records);
    c->counts = matrix ? calloc((size_t)classes * (size_t)classes + 1, sizeof *c->counts) : NULL;
    if (c->records == NULL || (matrix && c->counts == NULL)) {
        fprintf(err, "counts of %d classes: out of memory\n", classes);
        confusion_free(c);
        return 2;
    }
    c->predictions = c->records + classes;
    c->hits = c->predictions + classes;
    for (int i = 0; i < m; i++) {
        const int true_class = group != NULL ? group[truth[i]] : truth[i];
        const int prediction = group != NULL ? group[predicted[i]] : predicted[i];
        c->records[true_class]++;
        c->predictions[prediction]++;
        c->hits[true_class] += true_class == prediction;
        c->right += true_class == prediction;
        if (matrix) c->counts[(size_t)true_class * (size_t)classes + (size_t)prediction]++;
    }
    return 0;
}

void confusion_free(confusion *c) {
    free(c->records);
    free(c->counts);
    *c = (confusion){0};
}

static long long count_at(const confusion *c, int truth, int predicted) {
    return c->counts[(size_t)truth * (size_t)c->classes + (size_t)predicted];
}

static double share(long long part, long long whole) {
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

double confusion_accuracy(const confusion *c) {
    return share(c->right, c->total);
}

double confusion_precision(const confusion *c, int class) {
    return share(c->hits[class], c->predictions[class]);
}

double confusion_recall(const confusion *c, int class) {
    return share(c->hits[class], c->records[class]);
}

/* ---- printing ---- */

enum { SHOWN_MATRIX = 64 };

/* The characters of a name that are shown: the beginning, cut at a UTF-8 character. */
static int width_of(const char *shown) {
    int width = 0;
    for (; *shown != '\0'; shown++) width += ((unsigned char)*shown & 0xc0) != 0x80;
    return width;
}

/* Prints a name in `width` columns, left-aligned or (`right`) right-aligned. */
static void put_name(FILE *out, const char *name, int width, bool right) {
    char shown[TABLE_SHOWN];
    table_shown(name, shown);
    const int blanks = width - width_of(shown) > 0 ? width - width_of(shown) : 0;
    if (right)
        fprintf(out, "%*s%s", blanks, "", shown);
    else
        fprintf(out, "%s%*s", shown, blanks, "");
}

static int wider(int width, const char *name) {
    char shown[TABLE_SHOWN];
    const int of_name = width_of(table_shown(name, shown));
    return of_name > width ? of_name : width;
}

/* Prints "97.89 %", or "-" if there is no value, right-aligned in `width`. */
static void put_share(FILE *out, int width, double value) {
    char text[32] = "-";
    if (!isnan(value)) snprintf(text, sizeof text, "%.2f %%", 100 * value);
    fprintf(out, "  %*s", width, text);
}

static int digits(long long number) {
    return snprintf(NULL, 0, "%lld", number);
}

static void print_matrix(const confusion *c, const label_set *labels, int width, FILE *out) {
    int columns[SHOWN_MATRIX];
    fprintf(out, "confusion matrix: rows are true classes, columns predictions\n%*s", width, "");
    for (int j = 0; j < c->classes; j++) {
        columns[j] = wider(digits(c->predictions[j]), labels->names[j]);
        fputs("  ", out);
        put_name(out, labels->names[j], columns[j], true);
    }
    fputc('\n', out);
    for (int i = 0; i < c->classes; i++) {
        put_name(out, labels->names[i], width, false);
        for (int j = 0; j < c->classes; j++) fprintf(out, "  %*lld", columns[j], count_at(c, i, j));
        fputc('\n', out);
    }
}

void confusion_print(const confusion *c, const label_set *labels, FILE *out) {
    int width = 5;
    for (int i = 0; i < c->classes; i++) width = wider(width, labels->names[i]);
    fprintf(out, "accuracy");
    put_share(out, 0, confusion_accuracy(c));
    fprintf(out, ": %lld of %lld\n", c->right, c->total);
    if (c->classes <= SHOWN_MATRIX)
        print_matrix(c, labels, width, out);
    else
        fprintf(out, "confusion matrix: left out, with %d classes\n", c->classes);
    fprintf(out, "%-*s  %9s  %9s  %9s  %9s\n", width, "class", "records", "predicted", "precision", "recall");
    for (int i = 0; i < c->classes; i++) {
        put_name(out, labels->names[i], width, false);
        fprintf(out, "  %9lld  %9lld", c->records[i], c->predictions[i]);
        put_share(out, 9, confusion_precision(c, i));
        put_share(out, 9, confusion_recall(c, i));
        fprintf(out, "%s\n", i >= labels->trained ? "  (not in training)" : "");
    }
}

/* ---- groups ---- */

static int map_no_memory(FILE *err) {
    fprintf(err, "--classes-map: out of memory\n");
    return 2;
}

static bool add_group(class_map *m, const char *name) {
    char(*more)[CLASS_MAP_NAME] = realloc(m->names, ((size_t)m->groups + 1) * sizeof *more);
    if (more == NULL) return false;
    m->names = more;
    snprintf(m->names[m->groups++], CLASS_MAP_NAME, "%s", name);
    return true;
}

static int group_named(const class_map *m, const char *name) {
    for (int i = 0; i < m->groups; i++)
        if (strcmp(m->names[i], name) == 0) return i;
    return -1;
}

/* A value in a class map's table, as spelled there. */
static const char *spelling(const table *t, int row, int column, char *room) {
    const char *text = table_text(t, row, column, room);
    return text != NULL ? text : table_spell(table_number(t, row, column), false, room);
}

static int map_table(const table *t, const label_set *labels, class_map *m, FILE *err) {
    if (table_columns(t) != 2)
        return table_complain(t, 0, -1, err, "%d columns: a class map has a label and its class a line",
                              table_columns(t));
    char shown[TABLE_SHOWN];
    for (int i = 0; i < labels->count; i++) m->group[i] = -1;
    for (int row = 0; row < table_rows(t); row++) {
        char room[TABLE_TEXT];
        const char *class = spelling(t, row, 1, room);
        if (*class == '\0' || strlen(class) >= CLASS_MAP_NAME)
            return table_complain(t, row, 1, err, "a class is 1 to %d characters long", CLASS_MAP_NAME - 1);
        int group = group_named(m, class);
        if (group < 0 && m->groups == CONFUSION_MATRIX)
            return table_complain(t, row, 1, err, "a class map has up to %d classes", CONFUSION_MATRIX);
        if (group < 0) {
            if (!add_group(m, class)) return map_no_memory(err);
            group = m->groups - 1;
        }
        const int label = labels_find(labels, spelling(t, row, 0, room));
        if (label < 0) continue;
        if (m->group[label] >= 0 && m->group[label] != group)
            return table_complain(t, row, 0, err, "'%s' has another class above",
                                  table_shown(labels->names[label], shown));
        m->group[label] = group;
    }
    for (int i = 0; i < labels->count; i++)
        if (m->group[i] < 0)
            return table_complain(t, -1, -1, err, "it has no class for the label '%s'",
                                  table_shown(labels->names[i], shown));
    return 0;
}

static int map_file(const char *path, const label_set *labels, class_map *m, FILE *err) {
    table *t;
    if (table_read(path, &(table_options){.header = TABLE_HEADER_NO}, &t, err) != 0) return 2;
    const int status = map_table(t, labels, m, err);
    table_free(t);
    return status;
}

/* The one label (or class of the map) that is to be detected among all others. */
static int map_positive(const char *positive, const label_set *labels, class_map *m, FILE *err) {
    const bool mapped = m->groups > 0;
    const int wanted = mapped ? group_named(m, positive) : labels_find(labels, positive);
    if (wanted < 0) {
        fprintf(err, "--positive %s: no such %s\n", positive, mapped ? "class in the map" : "label");
        return 2;
    }
    for (int i = 0; i < labels->count; i++) m->group[i] = (mapped ? m->group[i] : i) == wanted;
    m->groups = 0;
    return add_group(m, "others") && add_group(m, positive) ? 0 : map_no_memory(err);
}

int class_map_make(const char *map, const char *positive, const label_set *labels, class_map *groups, FILE *err) {
    *groups = (class_map){.classes = labels->count};
    groups->group = calloc((size_t)labels->count + 1, sizeof *groups->group);
    int status = groups->group != NULL ? 0 : map_no_memory(err);
    if (status == 0 && map != NULL) status = map_file(map, labels, groups, err);
    if (status == 0 && positive != NULL) status = map_positive(positive, labels, groups, err);
    if (status != 0) class_map_free(groups);
    return status;
}

void class_map_free(class_map *groups) {
    free(groups->names);
    free(groups->group);
    *groups = (class_map){0};
}

class_rates class_map_rates(const confusion *groups, int group) {
    class_rates r = {0};
    long long alarms = 0;
    for (int truth = 0; truth < groups->classes; truth++)
        for (int predicted = 0; predicted < groups->classes; predicted++) {
            const long long count = count_at(groups, truth, predicted);
            if (truth == 0) {
                if (group > 0 ? predicted == group : predicted > 0) alarms += count;
            } else if (group == 0 || truth == group) {
                r.records += count;
                if (predicted == truth) r.own += count;
                if (predicted > 0) r.attack += count;
            }
        }
    r.detection = share(r.own, r.records);
    r.any = share(r.attack, r.records);
    r.false_alarms = share(alarms, groups->records[0]);
    return r;
}

void class_map_print(const class_map *names, const confusion *groups, FILE *out) {
    int width = 5;
    char none[TABLE_SHOWN];
    table_shown(names->names[0], none);
    for (int i = 0; i < names->groups; i++) width = wider(width, names->names[i]);
    fprintf(out,
            "detection: predicted as this class; as any: as any but %s; false alarms: records of %s predicted as "
            "this class\n",
            none, none);
    fprintf(out, "%-*s  %9s  %9s  %9s  %12s\n", width, "class", "records", "detection", "as any", "false alarms");
    for (int i = 1; i <= names->groups; i++) {
        const int group = i < names->groups ? i : 0;
        if (group == 0 && names->groups < 3) break; /* all: the same as the only one */
        const class_rates r = class_map_rates(groups, group);
        put_name(out, group == 0 ? "all" : names->names[group], width, false);
        fprintf(out, "  %9lld", r.records);
        put_share(out, 9, r.detection);
        put_share(out, 9, r.any);
        put_share(out, 12, r.false_alarms);
        fputc('\n', out);
    }
}
