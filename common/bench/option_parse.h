/* What the parts of parsing a command line share. */
#pragma once

#include <getopt.h>

#include "bench/options.h"

enum { OPTION_HELP_TEXT = 128 };

/* An option of this program. */
typedef struct {
    option option;
    char *values;        /* the struct that its field lies in */
    const char *initial; /* OPTION_CHOICE: the field before parsing */
    bool given;
} option_row;

struct option_parse {
    const options_program *program;
    options *o;
    FILE *err;
    option_row *rows; /* the family's, then the common ones */
    int count;
    struct option *long_options;
    const char **variants; /* NULL-terminated */
    char variant_help[OPTION_HELP_TEXT], max_size_help[OPTION_HELP_TEXT];
};

/* "first (default), second", to be freed; `initial` is the default, NULL: none. NULL when memory is short. */
char *option_join(const char *const *choices, const char *initial);

/* Reads `text` (NULL where the option takes no argument) into *value, of the type that option_kind names. False after
 * options_fail, with *value undefined. Not for OPTION_SWEEP, OPTION_VARIANT, OPTION_HELP and OPTION_VERSION. */
bool option_value_read(const option_parse *p, const option *what, const char *text, void *value);
