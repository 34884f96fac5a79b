/* A growing list of problems. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensor/shape.h"

/* Starts without cases. The family leaves out problems with a side above max_size; their seeds count up from `seed`. */
typedef struct {
    size_t size; /* bytes of one */
    int max_size;
    uint64_t seed;
    char *cases; /* to be freed */
    int count, capacity;
} case_list;

/* Appends a copy. Without memory it ends the process. */
void case_list_add(case_list *l, const void *a_case);

/* Appends `a_case` with each of the shapes, which go to its sides m, n and k, but those with a side above max_size. */
void case_list_add_shapes(case_list *l, shape_list shapes, const void *a_case, int *m, int *n, int *k);

/* Case number i. */
const void *case_list_at(const case_list *l, int i);

/* Keeps every `every`th (>= 1), beginning with the first. */
void case_list_thin(case_list *l, int every);
