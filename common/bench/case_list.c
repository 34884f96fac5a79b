#include "bench/case_list.h"

#include <stdlib.h>
#include <string.h>

void case_list_add(case_list *l, const void *a_case) {
    if (l->count == l->capacity) {
        const int capacity = l->capacity == 0 ? 256 : l->capacity * 2;
        char *grown = realloc(l->cases, (size_t)capacity * l->size);
        if (grown == NULL) {
            l->out_of_memory = 1;
            return;
        }
        l->cases = grown;
        l->capacity = capacity;
    }
    memcpy(l->cases + (size_t)l->count++ * l->size, a_case, l->size);
}

int case_list_take(case_list *l, int every, void *cases) {
    int taken = 0;
    if (l->out_of_memory) {
        free(l->cases);
        l->cases = NULL;
        taken = -1;
    }
    for (int i = 0; i < l->count && taken >= 0; i += every)
        memmove(l->cases + (size_t)taken++ * l->size, l->cases + (size_t)i * l->size, l->size);
    memcpy(cases, &l->cases, sizeof l->cases);
    return taken;
}
