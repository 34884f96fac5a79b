/* What the fuzz targets of the reader share: any bytes as a file, and what must hold of a table or a refusal. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "readers/classes.h"
#include "readers/scaling.h"

static inline void require(bool condition) {
    if (!condition) abort();
}

/* Everything that is done with a table, on all of its values. */
static inline void table_fuzz_use(const table *t) {
    const size_t count = (size_t)t->rows * (size_t)t->columns;
    char said[4096];
    FILE *err = fmemopen(said, sizeof said, "w");
    static const char *const how[] = {"none", "minmax", "zscore", "zscore,minmax"};
    scaling s = {0};
    float *values = count < (size_t)1 << 24 ? malloc((count + 1) * sizeof *values) : NULL;
    require(err != NULL && t->rows > 0 && t->columns >= 0);
    if (values != NULL && scaling_fit(&s, t, how[t->rows % 4], err) == 0 && scaling_apply(&s, t, values, err) == 0)
        for (size_t i = 0; i < count; i++) require(isfinite(values[i]));
    scaling_free(&s);
    free(values);
    if (t->labels != NULL) {
        label_classes c = {0};
        int *codes = malloc((size_t)t->rows * sizeof *codes);
        require(classes_add(&c, t, codes, err) == 0 && c.count == c.trained && c.count > 0);
        for (int i = 0; i < t->rows; i++) require(codes[i] >= 0 && codes[i] < c.count);
        classes_free(&c);
        free(codes);
    }
    fclose(err);
}

/* Reads the bytes as a file: what comes of it is used, or refused in exactly one line that names the file. */
static inline void table_fuzz(const uint8_t *bytes, size_t size, labels_place labels, int coordinates) {
    static int file = -1;
    static char path[64], said[1 << 16];
    if (file < 0) {
        file = memfd_create("input", 0);
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), file);
    }
    require(file >= 0 && ftruncate(file, 0) == 0);
    require(size == 0 || pwrite(file, bytes, size, 0) == (ssize_t)size);
    memset(said, 0, sizeof said);
    FILE *err = fmemopen(said, sizeof said - 1, "w");
    require(err != NULL);
    table *t;
    const int status = table_read(path, &(table_options){labels, coordinates, "data.py", 0, 0}, &t, err);
    fclose(err);
    require(status == 0 ? t != NULL && said[0] == '\0' : status == 2 && t == NULL);
    if (status != 0) {
        require(strncmp(said, path, strlen(path)) == 0);
        require(strchr(said, '\n') == said + strlen(said) - 1);
    } else {
        table_fuzz_use(t);
    }
    table_free(t);
}
