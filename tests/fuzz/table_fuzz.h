/* What the fuzz targets of the data readers share: any bytes as a file, and what must hold of a table or a refusal. */
#ifndef TABLE_FUZZ_H
#define TABLE_FUZZ_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "readers/classes.h"
#include "readers/encoding.h"
#include "readers/table.h"

static inline void require(bool condition) {
    if (!condition) abort();
}

/* A file in memory, below names with an extension. */
static char table_fuzz_folder[64];
static int table_fuzz_file = -1;

static inline void table_fuzz_remove(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -r '%s'", table_fuzz_folder);
    if (system(command) != 0) perror(table_fuzz_folder);
}

static inline const char *table_fuzz_path(const char *name, const void *bytes, size_t size) {
    static char path[128];
    if (table_fuzz_file < 0) {
        char target[64];
        table_fuzz_file = memfd_create("input", 0);
        snprintf(target, sizeof target, "/proc/%d/fd/%d", (int)getpid(), table_fuzz_file);
        strcpy(table_fuzz_folder, "/tmp/table_fuzz_XXXXXX");
        require(table_fuzz_file >= 0 && mkdtemp(table_fuzz_folder) != NULL);
        static const char *const names[] = {"x", "x.npy", "x.fvecs", "x.bvecs", "x.ivecs"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(path, sizeof path, "%s/%s", table_fuzz_folder, names[i]);
            require(symlink(target, path) == 0);
        }
        atexit(table_fuzz_remove);
    }
    require(ftruncate(table_fuzz_file, 0) == 0);
    require(size == 0 || pwrite(table_fuzz_file, bytes, size, 0) == (ssize_t)size);
    snprintf(path, sizeof path, "%s/%s", table_fuzz_folder, name);
    return path;
}

/* The table, or NULL after exactly one line that names the file (or --symbolic). */
static inline table *table_fuzz_read(const char *name, const void *bytes, size_t size, table_header header,
                                     const char *symbolic) {
    const char *path = table_fuzz_path(name, bytes, size);
    static char said[4096];
    memset(said, 0, sizeof said);
    FILE *err = fmemopen(said, sizeof said, "w");
    require(err != NULL);
    table *t;
    const int status = table_read(path, &(table_options){header, symbolic}, &t, err);
    fclose(err);
    require(status == 0 ? t != NULL && said[0] == '\0' : status == 2 && t == NULL);
    if (status != 0) {
        require(strncmp(said, path, strlen(path)) == 0);
        require(strchr(said, '\n') == said + strlen(said) - 1);
    }
    return t;
}

/* Everything that is done with a table, on all of its values. */
static inline void table_fuzz_use(const table *t) {
    const int rows = table_rows(t), columns = table_columns(t);
    require(rows > 0 && columns > 0);
    char room[TABLE_TEXT], said[4096];
    for (int j = 0; j < columns; j++) {
        const bool numeric = table_numeric(t, j, NULL, 0);
        for (int i = 0; i < rows; i++) {
            const double number = table_number(t, i, j);
            const char *text = table_text(t, i, j, room);
            require(!isinf(number) && (text != NULL) == table_has_text(t, j));
            require(isnan(number) ? text != NULL && !numeric : text == NULL || isfinite(strtod(text, NULL)));
        }
    }
    FILE *err = fmemopen(said, sizeof said, "w");
    require(err != NULL);
    features *f = NULL;
    const features_options options = {.zscore = rows % 2, .minmax = columns % 2, .labels = (labels_place)(rows % 3)};
    if (features_fit(t, NULL, 0, &options, &f, err) == 0) {
        const size_t count = (size_t)rows * (size_t)features_dimension(f);
        float *values = count < (size_t)1 << 24 ? malloc(count * sizeof *values) : NULL;
        long long unseen;
        if (values != NULL && features_encode(f, t, NULL, 0, rows, values, &unseen, err) == 0) {
            require(unseen == 0);
            for (size_t i = 0; i < count; i++) require(isfinite(values[i]));
        }
        free(values);
        features_free(f);
    }
    label_set *labels;
    int *codes = malloc((size_t)rows * sizeof *codes);
    require(labels_fit(t, columns - 1, NULL, 0, &labels, err) == 0);
    require(labels_encode(labels, t, columns - 1, NULL, 0, codes, err) == 0);
    require(labels->count == labels->trained && labels->count > 0);
    for (int i = 0; i < rows; i++) require(codes[i] >= 0 && codes[i] < labels->count);
    labels_free(labels);
    free(codes);
    fclose(err);
}

#endif
