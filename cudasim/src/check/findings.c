#include "check/findings.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"

/* A place by its source lines, the kernel's own and the innermost one that was inlined there; without them by the
 * instruction. Strings of modules that are gone are only compared. */
typedef struct place {
    const void *file; /* NULL: no place */
    int line, inner;
} place;

typedef struct said {
    const char *kind;
    place at, other; /* in order: the two sides of a race are the same whichever comes second */
    unsigned long count;
    struct said *next;
} said;

#define BUCKETS 1024
static said *buckets[BUCKETS];
static unsigned long different, all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static place place_of(site s) {
    if (s.function == NULL) return (place){0};
    const ptx_function *f = s.function->source;
    place p = {f, -1, (int)s.pc};
    const int innermost = (int)s.pc < f->instruction_count ? f->instructions[s.pc].location : -1;
    for (int at = innermost; at >= 0; at = f->locations[at].inlined_at) {
        const ptx_location *l = &f->locations[at];
        const char *name = function_file(s.function, l->file);
        if (name == NULL || l->line == 0) continue;
        if (p.line < 0) p.inner = l->line;
        p.file = name;
        p.line = l->line;
    }
    return p;
}

static bool same(place a, place b) {
    return a.file == b.file && a.line == b.line && a.inner == b.inner;
}

static said key_of(const char *kind, site at, site other) {
    const place a = place_of(at), b = place_of(other);
    const bool turn =
        b.file != NULL &&
        (b.file < a.file || (b.file == a.file && (b.line < a.line || (b.line == a.line && b.inner < a.inner))));
    return (said){.kind = kind, .at = turn ? b : a, .other = turn ? a : b, .count = 1};
}

static said **find(const said *key) {
    const uint64_t hash =
        ((uint64_t)(uintptr_t)key->at.file ^ (uint64_t)key->at.line * 0x9e3779b97f4a7c15u) + (uint64_t)key->other.line;
    said **p = &buckets[(hash ^ hash >> 32) % BUCKETS];
    while (*p != NULL && !((*p)->kind == key->kind && same((*p)->at, key->at) && same((*p)->other, key->other)))
        p = &(*p)->next;
    return p;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Line `line` of a file without the blanks around it; false where there is no such file or line. */
static bool source_line(const char *path, int line, char *text, size_t size) {
    FILE *f = fopen(path, "r");
    if (f == NULL) return false;
    bool found = false;
    for (int n = 1; n <= line && (found = fgets(text, (int)size, f) != NULL); n++) {
        const bool whole = strchr(text, '\n') != NULL;
        for (int c = 0; !whole && c != '\n' && c != EOF;) c = fgetc(f);
    }
    fclose(f);
    if (!found) return false;
    const size_t blanks = strspn(text, " \t");
    memmove(text, text + blanks, strlen(text + blanks) + 1);
    for (size_t n = strlen(text); n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL; n--) text[n - 1] = '\0';
    return true;
}

/* The line of the kernel's or function's own, then those that were inlined there. */
static void print_site(FILE *to, site s) {
    const ptx_function *f = s.function->source;
    const char *file = NULL;
    int line = 0;
    char text[400] = "";
    const bool inside = (int)s.pc < f->instruction_count;
    const int innermost = inside ? f->instructions[s.pc].location : -1;
    int own = -1;
    for (int at = innermost; at >= 0; at = f->locations[at].inlined_at) {
        const ptx_location *l = &f->locations[at];
        const char *name = function_file(s.function, l->file);
        if (name == NULL || l->line == 0) continue;
        file = name;
        line = l->line;
        own = at;
    }
    if (file == NULL) {
        fprintf(to, "PTX line %d of %s: %s\n", inside ? f->instructions[s.pc].line : f->line, READABLE(f->name),
                inside ? ptx_format_instruction(f, (int)s.pc, text, sizeof text) : "");
        return;
    }
    fprintf(to, "%s:%d:%s%s\n", file, line, source_line(file, line, text, sizeof text) ? " " : "", text);
    for (int at = innermost; at >= 0 && at != own; at = f->locations[at].inlined_at) {
        const ptx_location *l = &f->locations[at];
        const char *name = function_file(s.function, l->file);
        if (name == NULL || l->line == 0) continue;
        const bool known = source_line(name, l->line, text, sizeof text);
        fprintf(to, "        inlined from %s:%d%s%s\n", name, l->line, known ? ": " : "", known ? text : "");
    }
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

bool finding_repeats(const char *kind, site at, site other) {
    const said key = key_of(kind, at, other);
    pthread_mutex_lock(&lock);
    said *s = *find(&key);
    if (s != NULL) {
        s->count++;
        all++;
    }
    pthread_mutex_unlock(&lock);
    return s != NULL;
}

void finding_add(const finding *f) {
    const said key = key_of(f->kind, f->at, f->other);
    pthread_mutex_lock(&lock);
    said **slot = find(&key);
    all++;
    if (*slot != NULL) {
        (*slot)->count++;
    } else if ((*slot = malloc(sizeof **slot)) != NULL) {
        different++;
        **slot = key;
        flockfile(stderr);
        fprintf(stderr, "cudasim: %s: ", f->kind);
        print_site(stderr, f->at);
        fprintf(stderr, "    %s, in kernel %s\n", f->what, READABLE(f->entry));
        if (f->other.function != NULL) {
            fprintf(stderr, "    %s", f->other_what);
            print_site(stderr, f->other);
        }
        funlockfile(stderr);
    }
    pthread_mutex_unlock(&lock);
}

void finding_say(const char *kind, const char *text) {
    fprintf(stderr, "cudasim: %s: %s\n", kind, text);
    finding_fault();
}

void finding_fault(void) {
    pthread_mutex_lock(&lock);
    different++;
    all++;
    pthread_mutex_unlock(&lock);
}

unsigned long finding_count(unsigned long *with_repeats) {
    pthread_mutex_lock(&lock);
    const unsigned long n = different;
    *with_repeats = all;
    pthread_mutex_unlock(&lock);
    return n;
}

__attribute__((destructor)) static void free_all(void) {
    for (int k = 0; k < BUCKETS; k++)
        while (buckets[k] != NULL) {
            said *next = buckets[k]->next;
            free(buckets[k]);
            buckets[k] = next;
        }
}
