/* Any bytes as CSV, its header as the first byte says; what was read is written with every field in quotes and read
 * again. scripts/fuzz.sh builds and runs it. */
#include "table_fuzz.h"

static void write_quoted(FILE *f, const char *text, char end) {
    fputc('"', f);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
    fputc(end, f);
}

static void read_again(const table *t) {
    char *text, room[TABLE_TEXT];
    size_t length;
    FILE *f = open_memstream(&text, &length);
    require(f != NULL);
    for (int i = 0; i < table_rows(t); i++)
        for (int j = 0; j < table_columns(t); j++) {
            const char *value = table_text(t, i, j, room);
            if (value == NULL) value = table_spell(table_number(t, i, j), false, room);
            write_quoted(f, value, j + 1 < table_columns(t) ? ',' : '\n');
        }
    fclose(f);
    table *again = table_fuzz_read("x", text, length, TABLE_HEADER_NO, NULL);
    require(again != NULL && table_rows(again) == table_rows(t) && table_columns(again) == table_columns(t));
    for (int i = 0; i < table_rows(t); i++)
        for (int j = 0; j < table_columns(t); j++) {
            char other_room[TABLE_TEXT];
            const char *value = table_text(t, i, j, room), *other = table_text(again, i, j, other_room);
            require(value == NULL || (other != NULL && strcmp(value, other) == 0));
            const double x = table_number(t, i, j), y = table_number(again, i, j);
            require(isnan(x) ? isnan(y) : x == y);
        }
    table_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const table_header header = (table_header)(data[0] % 3);
    const bool named = data[0] & 64;
    if (size > 1 && data[1] == 0) return 0; /* idx */
    table *t = table_fuzz_read("x", data + 1, size - 1, header, named ? "1" : NULL);
    if (t == NULL) return 0;
    table_fuzz_use(t);
    if (!named) read_again(t);
    table_free(t);
    return 0;
}
