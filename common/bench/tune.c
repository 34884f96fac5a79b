#include "bench/tune.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/progress.h"
#include "base/record.h"
#include "gpu/error.h"

/* The whole file is text: these two lines, then a line an entry, the latest last. */
#define FIRST_LINE "kernel-ladder tune file 3\n"
static const char header[] =
    FIRST_LINE "# variant, device, build, driver, CUDA, cache, mode, dtype, n, k, the fastest candidate, its "
               "microseconds (tabs between)\n";

/* ---- the file ---- */

static bool put(tune_table *t, const tune_entry *entry) {
    tune_entry *grown = realloc(t->entries, (size_t)(t->count + 1) * sizeof *grown);
    if (grown == NULL) return false;
    t->entries = grown;
    t->entries[t->count++] = *entry;
    return true;
}

/* Takes the line apart, in place. */
static bool read_entry(char *line, tune_entry *e) {
    char *field[4]; /* behind the key: n, k, candidate, time */
    for (int i = 3; i >= 0; i--) {
        char *tab = strrchr(line, '\t');
        if (tab == NULL) return false;
        *tab = '\0';
        field[i] = tab + 1;
    }
    return snprintf(e->key, sizeof e->key, "%s", line) < (int)sizeof e->key &&
           snprintf(e->candidate, sizeof e->candidate, "%s", field[2]) < (int)sizeof e->candidate &&
           sscanf(field[0], "%d", &e->n) == 1 && sscanf(field[1], "%d", &e->k) == 1 &&
           sscanf(field[3], "%lf", &e->us) == 1;
}

static bool read_entries(tune_table *t) {
    FILE *f = fopen(t->path, "re");
    char *line = NULL;
    size_t room = 0;
    bool ok = f != NULL || errno == ENOENT;
    while (ok && f != NULL && getline(&line, &room, f) >= 0) {
        tune_entry e;
        if (*line != '#' && strcmp(line, FIRST_LINE) != 0) ok = read_entry(line, &e) && put(t, &e);
    }
    ok = ok && (f == NULL || !ferror(f));
    free(line);
    if (f != NULL) fclose(f);
    return ok;
}

char *tune_path(const char *name) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (cache != NULL && *cache == '/') /* the specification: a relative one is ignored */
        length = asprintf(&path, "%s/kernel-ladder/%s", cache, name);
    else if (home != NULL && *home != '\0')
        length = asprintf(&path, "%s/.cache/kernel-ladder/%s", home, name);
    return length < 0 ? NULL : path;
}

/* Makes the folders that `path` lies in. What fails shows when the file is opened. */
static void make_folders(char *path) {
    for (char *c = strchr(path + 1, '/'); c != NULL; c = strchr(c + 1, '/')) {
        *c = '\0';
        mkdir(path, 0777);
        *c = '/';
    }
}

void tune_open(tune_table *t, const char *path, FILE *err) {
    *t = (tune_table){.path = path != NULL ? strdup(path) : tune_path("gemv.tune")};
    t->unwritable = true;
    if (t->path == NULL) {
        fprintf(err, "there is no home folder to keep tuned candidates in (--tune-file FILE names a place)\n");
        return;
    }
    make_folders(t->path);
    const bool writable =
        record_text_prepare("what is tuned is not kept: --tune-file", t->path, FIRST_LINE, err) == EXIT_OK;
    const bool sensible = read_entries(t); /* what can only be read counts, too */
    t->unwritable = !writable || !sensible;
    if (writable && !sensible) fprintf(err, "%s: has a line that makes no sense: what is tuned is not kept\n", t->path);
}

void tune_close(tune_table *t) {
    free(t->path);
    free(t->entries);
    *t = (tune_table){0};
}

void tune_keep(tune_table *t, const tune_entry *entry, FILE *err) {
    char *text = NULL;
    put(t, entry);
    if (t->unwritable) return;
    if (asprintf(&text, "%s%s\t%d\t%d\t%s\t%.4g\n", header, entry->key, entry->n, entry->k, entry->candidate,
                 entry->us) < 0)
        text = NULL;
    t->unwritable = record_text_append(t->path, text, sizeof header - 1, err) != EXIT_OK;
    free(text);
}

/* ---- looking up ---- */

int tune_index(const tune_candidates *c, const char *name) {
    for (int i = 0; i < c->count; i++)
        if (strcmp(name, c->name(c->context, i)) == 0) return i;
    return -1;
}

static double log_side(int side) {
    return log(side > 0 ? side : 1);
}

const tune_entry *tune_find(const tune_table *t, const tune_entry *wanted, bool exact, const tune_candidates *c) {
    const tune_entry *nearest = NULL;
    double least = INFINITY;
    for (int i = t->count - 1; i >= 0; i--) {
        const tune_entry *e = &t->entries[i];
        if (strcmp(e->key, wanted->key) != 0 || tune_index(c, e->candidate) < 0) continue;
        if (exact && (e->n != wanted->n || e->k != wanted->k)) continue;
        const double distance = hypot(log_side(e->n) - log_side(wanted->n), log_side(e->k) - log_side(wanted->k));
        if (distance >= least) continue;
        least = distance;
        nearest = e;
    }
    return nearest;
}

/* ---- searching ---- */

static int fastest(const double *times, const bool *out, int count) {
    int best = -1;
    for (int i = 0; i < count; i++)
        if (!isnan(times[i]) && (out == NULL || !out[i]) && (best < 0 || times[i] < times[best])) best = i;
    return best;
}

int tune_search(const tune_candidates *c, double *times, FILE *progress) {
    const long total = c->count + TUNE_FINALISTS;
    bool *measured = calloc((size_t)c->count + 1, sizeof *measured);
    if (measured == NULL) return -1;
    for (int i = 0; i < c->count; i++) {
        progress_show(progress, c->name(c->context, i), i, total);
        times[i] = c->fits(c->context, i) ? c->measure(c->context, i, false) : NAN;
    }
    int best = -1;
    for (int round = 0; round < TUNE_FINALISTS; round++) {
        const int i = fastest(times, measured, c->count);
        if (i < 0) break;
        progress_show(progress, c->name(c->context, i), c->count + round, total);
        measured[i] = true;
        times[i] = c->measure(c->context, i, true);
        if (!isnan(times[i]) && (best < 0 || times[i] < times[best])) best = i;
    }
    progress_clear(progress);
    free(measured);
    return best;
}
