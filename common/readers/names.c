#include "readers/names.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "readers/table_build.h"

static unsigned slot_of(const name_list *l, const char *name) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *p = name; *p != '\0'; p++) hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    unsigned at = (unsigned)(hash ^ hash >> 32) & (l->slot_count - 1);
    while (l->slots[at] != 0 && strcmp(l->names[l->slots[at] - 1], name) != 0) at = (at + 1) & (l->slot_count - 1);
    return at;
}

static void fill_slots(name_list *l) {
    memset(l->slots, 0, l->slot_count * sizeof *l->slots);
    for (int i = 0; i < l->count; i++) l->slots[slot_of(l, l->names[i])] = i + 1;
}

static bool make_room(name_list *l) {
    if (l->count < l->capacity) return true;
    if (l->capacity > INT_MAX / 4) return false;
    const int twice = l->capacity == 0 ? 16 : l->capacity * 2;
    char **names = realloc(l->names, (size_t)twice * sizeof *names);
    if (names != NULL) l->names = names;
    int *slots = names != NULL ? realloc(l->slots, (size_t)twice * 2 * sizeof *slots) : NULL;
    if (slots == NULL) return false;
    l->slots = slots;
    l->slot_count = (unsigned)twice * 2;
    l->capacity = twice;
    fill_slots(l);
    return true;
}

int names_find(const name_list *l, const char *name) {
    return l->count == 0 ? -1 : l->slots[slot_of(l, name)] - 1;
}

int names_add(name_list *l, const char *name) {
    const int known = names_find(l, name);
    if (known >= 0) return known;
    if (!make_room(l)) return -1;
    char *copy = strdup(name);
    if (copy == NULL) return -1;
    const unsigned at = slot_of(l, name);
    l->names[l->count] = copy;
    l->slots[at] = ++l->count;
    return l->count - 1;
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_value(const void *a, const void *b) {
    const char *const x = *(char *const *)a, *const y = *(char *const *)b;
    double of_x, of_y;
    const bool x_is = table_parse_number(x, strlen(x), &of_x) == VALUE_NUMBER;
    const bool y_is = table_parse_number(y, strlen(y), &of_y) == VALUE_NUMBER;
    if (x_is != y_is) return x_is ? -1 : 1;
    if (x_is && of_x != of_y) return of_x < of_y ? -1 : 1;
    return strcmp(x, y);
}

void names_sort(name_list *l, int first, bool numeric) {
    if (l->count - first < 2) return;
    qsort(l->names + first, (size_t)(l->count - first), sizeof *l->names, numeric ? by_value : by_bytes);
    fill_slots(l);
}

void names_free(name_list *l) {
    for (int i = 0; i < l->count; i++) free(l->names[i]);
    free(l->names);
    free(l->slots);
    *l = (name_list){0};
}
