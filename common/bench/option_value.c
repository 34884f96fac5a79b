/* The argument of one option, from text to the type of its field. */
#include "bench/option_parse.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* strtod alone would take blanks, "nan", "inf" and hexadecimal. */
static bool is_decimal(const char *text) {
    char *end;
    strtod(text, &end);
    return *text != '\0' && *end == '\0' && strspn(text, "0123456789+-.eE") == strlen(text);
}

static bool read_whole(const option_parse *p, const char *name, const char *text, uint64_t most, uint64_t *value) {
    const char *digits = text + (*text == '-' || *text == '+');
    const size_t length = strlen(digits);
    if (length == 0 || strspn(digits, "0123456789") != length)
        return options_fail(p, "--%s: '%s' is not a %snumber", name, text, is_decimal(text) ? "whole " : "");
    if (*text == '-' && strspn(digits, "0") != length) return options_fail(p, "--%s: '%s' is negative", name, text);
    errno = 0;
    *value = strtoull(digits, NULL, 10);
    return (errno == 0 && *value <= most) ||
           options_fail(p, "--%s: '%s' is out of range (at most %llu)", name, text, (unsigned long long)most);
}

static bool read_int(const option_parse *p, const option *what, const char *text, int *value) {
    const bool size = what->kind == OPTION_SIZE, positive = what->kind == OPTION_POSITIVE;
    uint64_t whole;
    if (!read_whole(p, what->name, text, size ? OPTIONS_MAX_SIZE : INT_MAX, &whole)) return false;
    *value = (int)whole;
    return *value > 0 || !positive || options_fail(p, "--%s: '%s' is not above 0", what->name, text);
}

/* A scalar too small for a float is refused like one too large: as 0 it would change what the kernel may read. */
static bool read_scalar(const option_parse *p, const char *name, const char *text, float *value) {
    errno = 0;
    *value = strtof(text, NULL);
    return (!isinf(*value) && (*value != 0.0f || errno != ERANGE)) ||
           options_fail(p, "--%s: '%s' is out of a float's range", name, text);
}

static bool read_seconds(const option_parse *p, const char *name, const char *text, double *value) {
    *value = strtod(text, NULL);
    return (*value > 0.0 && *value <= 86400.0) ||
           options_fail(p, "--%s: '%s' is out of range (above 0, at most 86400)", name, text);
}

static bool read_range(const option_parse *p, const char *name, const char *text, int *range) {
    const bool plain = strspn(text, "0123456789:") == strlen(text);
    char *end;
    errno = 0;
    const unsigned long long first = strtoull(text, &end, 10);
    const unsigned long long last = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
    if (!plain || *end != '\0' || errno != 0 || first < 1 || last < first || last > INT_MAX)
        return options_fail(p, "--%s: '%s' is not a range A:B with 1 <= A <= B", name, text);
    range[0] = (int)first;
    range[1] = (int)last;
    return true;
}

bool option_value_read(const option_parse *p, const option *what, const char *text, void *value) {
    const char *name = what->name;
    switch (what->kind) {
    case OPTION_FLAG:
    case OPTION_OFF:
        *(bool *)value = what->kind == OPTION_FLAG;
        return true;
    case OPTION_SIZE:
    case OPTION_INT:
    case OPTION_POSITIVE:
        return read_int(p, what, text, value);
    case OPTION_SEED:
        return read_whole(p, name, text, UINT64_MAX, value);
    case OPTION_SCALAR:
    case OPTION_SECONDS:
        if (!is_decimal(text)) return options_fail(p, "--%s: '%s' is not a finite number", name, text);
        return what->kind == OPTION_SCALAR ? read_scalar(p, name, text, value) : read_seconds(p, name, text, value);
    case OPTION_RANGE:
        return read_range(p, name, text, value);
    case OPTION_FORM:
        if (text == NULL) text = what->choices[0];
        /* fall through */
    case OPTION_CHOICE:
        *(const char **)value = options_choice(p, name, text, what->choices);
        return *(const char **)value != NULL;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_OUTPUT:
        *(const char **)value = text;
        return *text != '\0' || options_fail(p, "--%s: its argument is empty", name);
    case OPTION_SWEEP:
    case OPTION_VARIANT:
    case OPTION_HELP:
    case OPTION_VERSION:
        break;
    }
    return options_fail(p, "--%s: takes no value", name);
}
