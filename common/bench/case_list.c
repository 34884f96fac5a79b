#include "bench/case_list.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"

void case_list_add(case_list *l, const void *a_case) {
    if (l->count == l->capacity) {
        l->capacity = l->capacity == 0 ? 256 : l->capacity * 2;
        l->cases = realloc(l->cases, (size_t)l->capacity * l->size);
        if (l->cases == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    }
    memcpy(l->cases + (size_t)l->count++ * l->size, a_case, l->size);
}

void case_list_add_shapes(case_list *l, shape_list list, const void *a_case, int *m, int *n, int *k) {
    for (int i = 0; i < list.count; i++) {
        const shape s = list.shapes[i];
        if (s.m > l->max_size || s.n > l->max_size || s.k > l->max_size) continue;
        *m = s.m;
        *n = s.n;
        *k = s.k;
        case_list_add(l, a_case);
    }
}

const void *case_list_at(const case_list *l, int i) {
    return l->cases + (size_t)i * l->size;
}

void case_list_thin(case_list *l, int every) {
    int kept = 0;
    for (int i = 0; i < l->count; i++)
        if (i % every == 0) memmove(l->cases + (size_t)kept++ * l->size, l->cases + (size_t)i * l->size, l->size);
    l->count = kept;
}
