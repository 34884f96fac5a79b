/* A growing list of problems for --sweep check. */
#ifndef KL_CASE_LIST_H
#define KL_CASE_LIST_H

#include <stddef.h>

/* Starts with all zero but `size`. */
typedef struct {
    size_t size; /* bytes of one */
    char *cases;
    int count, capacity;
    int out_of_memory;
} case_list;

/* Appends a copy. */
void case_list_add(case_list *l, const void *a_case);

/* Keeps every `every`th from the first on and hands them over: `cases` is the address of a pointer to the problems'
 * type, which is to be freed. Returns how many, or -1 without memory. */
int case_list_take(case_list *l, int every, void *cases);

#endif
