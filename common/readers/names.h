/* A list of distinct names with an index: numbers 0 ... count - 1 in the order in which they were added, or sorted. */
#ifndef KL_NAMES_H
#define KL_NAMES_H

#include <stdbool.h>

/* Zero-initialised: an empty list. */
typedef struct {
    char **names;
    int count, capacity;
    int *slots; /* hash table: number + 1, or 0 where free; slot_count, a power of two */
    unsigned slot_count;
} name_list;

/* Adds `name` unless it is there. Returns its number, or -1 without memory. */
int names_add(name_list *l, const char *name);

/* The number of `name`, or -1. */
int names_find(const name_list *l, const char *name);

/* Sorts the names from number `first` on and renumbers them: by value where `numeric` (names that are not numbers come
 * last), otherwise by their bytes. */
void names_sort(name_list *l, int first, bool numeric);

void names_free(name_list *l);

#endif
