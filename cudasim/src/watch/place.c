#include "watch/place.h"

#include <string.h>

const char *place_of(const function *f, uint32_t pc, int *line) {
    const ptx_function *s = f->source;
    const ptx_location *l = s->locations;
    const int innermost = (int)pc < s->instruction_count ? s->instructions[pc].location : -1;
    int outermost = innermost;
    if (innermost < 0) return NULL;
    while (l[outermost].inlined_at >= 0) outermost = l[outermost].inlined_at;
    const char *file = function_file(f, l[outermost].file);
    if (file == NULL) return NULL;
    for (int at = innermost; at >= 0; at = l[at].inlined_at) {
        const char *its = function_file(f, l[at].file);
        if (its == NULL || strcmp(its, file) != 0 || l[at].line == 0) continue;
        *line = l[at].line;
        return file;
    }
    return NULL;
}
