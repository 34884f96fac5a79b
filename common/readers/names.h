/* Different words, numbered in the order they came or were sorted into. */
#ifndef KL_NAMES_H
#define KL_NAMES_H

#include <stdbool.h>

/* All zero: none. */
typedef struct {
    char **names;
    int count, capacity;
    int *slots; /* 1 + number, 0: free; a power of two of them */
    unsigned slot_count;
} name_list;

/* The number of `name`, which is added where it is new. -1: no memory. */
int names_add(name_list *l, const char *name);

/* The number of `name`, or -1. */
int names_find(const name_list *l, const char *name);

/* Sorts the names from number `first` on, by value where `numeric` (what is no number behind them, by its bytes), else
 * by their bytes. */
void names_sort(name_list *l, int first, bool numeric);

void names_free(name_list *l);

#endif
