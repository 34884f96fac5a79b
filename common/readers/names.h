/* A list of distinct names with an index. Names are numbered 0 ... count - 1, in the order in which they were added, or
 * sorted. */
#ifndef KL_NAMES_H
#define KL_NAMES_H

#include <stdbool.h>

/* Zero-initialise it for an empty list. */
typedef struct {
    char **names;
    int count, capacity;
    int *slots; /* a hash table of slot_count slots, a power of two: 1 + the number of a name, or 0 if free */
    unsigned slot_count;
} name_list;

/* Adds `name` if it is new. Returns its number, or -1 if out of memory. */
int names_add(name_list *l, const char *name);

/* The number of `name`, or -1 if it is not in the list. */
int names_find(const name_list *l, const char *name);

/* Sorts the names from number `first` on, and renumbers them: by value if `numeric` (names that are not numbers come
 * last), otherwise by bytes. */
void names_sort(name_list *l, int first, bool numeric);

void names_free(name_list *l);

#endif
