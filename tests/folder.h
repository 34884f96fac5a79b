/* A folder of each test's own, and files in it. */
#pragma once

#include <unistd.h>

#include "unit.h"

static char folder[64], path[160]; /* path: of the file that the test is about */

static inline void name_file(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
}

static inline int make_folder(void **state) {
    strcpy(folder, "/tmp/kl_test_XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    name_file("file");
    return 0;
}

static inline int remove_folder(void **state) {
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static inline void write_bytes(const void *bytes, size_t length) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static inline void write_text(const char *text) {
    write_bytes(text, strlen(text));
}

static inline const char *file_text(void) {
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}
