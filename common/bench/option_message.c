/* What is said about bad arguments. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "bench/option_parse.h"

bool options_fail(const option_parse *p, const char *format, ...) {
    char *message = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&message, format, arguments);
    va_end(arguments);
    if (length < 0) {
        fprintf(p->err, "%s: bad arguments (and no memory to say which)\n", p->program->program);
        return false;
    }
    for (char *c = message; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F) *c = '?';
    fprintf(p->err, "%s: %s\n", p->program->program, message);
    free(message);
    return false;
}

char *option_join(const char *const *choices, const char *initial) {
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (f == NULL) return NULL;
    for (int i = 0; choices[i] != NULL; i++)
        fprintf(f, "%s%s%s", i > 0 ? ", " : "", choices[i],
                initial != NULL && strcmp(initial, choices[i]) == 0 ? " (default)" : "");
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

const char *options_choice(const option_parse *p, const char *option, const char *text, const char *const *choices) {
    for (int i = 0; choices[i] != NULL; i++)
        if (strcmp(text, choices[i]) == 0) return choices[i];
    const char *nearest = suggest(text, choices);
    char *known = option_join(choices, NULL);
    if (nearest != NULL)
        options_fail(p, "--%s: '%s' is unknown: did you mean '%s'? (known: %s)", option, text, nearest,
                     known != NULL ? known : "see --help");
    else
        options_fail(p, "--%s: '%s' is unknown (known: %s)", option, text, known != NULL ? known : "see --help");
    free(known);
    return NULL;
}
