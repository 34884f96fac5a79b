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

const void *case_list_at(const case_list *l, int i) {
    return l->cases + (size_t)i * l->size;
}

void case_list_thin(case_list *l, int every) {
    int kept = 0;
    for (int i = 0; i < l->count; i++)
        if (i % every == 0) memmove(l->cases + (size_t)kept++ * l->size, l->cases + (size_t)i * l->size, l->size);
    l->count = kept;
}
