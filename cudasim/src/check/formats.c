#include "check/formats.h"

#include <stdio.h>
#include <string.h>

#include "base/align.h"
#include "check/findings.h"
#include "check/message.h"
#include "isa/printf_arguments.h"

#define PRINTF "printf"

/* What a conversion takes. */
typedef struct conversion {
    const char *at; /* its % in the format */
    int length;     /* of its text */
    unsigned bytes; /* 0: it is none */
    bool is_float, is_integer;
    int stars; /* ints that it takes before that */
} conversion;

/* Reads the next conversion of the format; false at its end. */
static bool next_conversion(const char **format, conversion *c) {
    const char *at = strchr(*format, '%');
    if (at == NULL) return false;
    *c = (conversion){.at = at++};
    if (*at == '%') {
        *format = at + 1;
        return true;
    }
    for (; *at != '\0' && strchr("-+ #0123456789.*", *at) != NULL; at++) c->stars += *at == '*';
    bool is_long = false;
    for (; *at != '\0' && strchr("hljztL", *at) != NULL; at++) is_long |= strchr("ljzt", *at) != NULL;
    const bool any = *at != '\0';
    c->is_float = any && strchr("aAeEfFgG", *at) != NULL;
    c->is_integer = any && strchr("diuoxXc", *at) != NULL;
    if (c->is_integer) c->bytes = is_long && *at != 'c' ? 8 : 4;
    if (c->is_float || (any && strchr("ps", *at) != NULL)) c->bytes = 8;
    *format = at + any;
    c->length = (int)(*format - c->at);
    return true;
}

static const stored_argument *stored_at(const printf_arguments *a, int64_t offset) {
    for (int k = 0; k < a->count; k++)
        if (offset >= a->stored[k].offset && offset < a->stored[k].offset + a->stored[k].bytes) return &a->stored[k];
    return NULL;
}

static bool any_from(const printf_arguments *a, int64_t offset) {
    for (int k = 0; k < a->count; k++)
        if (a->stored[k].offset >= offset) return true;
    return false;
}

/* What is wrong with the value of `bytes` at the offset, which is a floating-point one or not; false: nothing.
 * Constants that lie beside each other may be stored as one value. */
static bool is_wrong(const printf_arguments *a, int64_t offset, const conversion *c, unsigned bytes, bool is_float,
                     bool shared, char *text, size_t size) {
    const stored_argument *s = stored_at(a, offset);
    if (s == NULL) {
        snprintf(text, size, "has no argument");
        return a->all && !any_from(a, offset);
    }
    const stored_argument *behind = s->bytes < bytes ? stored_at(a, offset + s->bytes) : NULL;
    snprintf(text, size, "takes %u bytes, and its argument has %u", bytes, s->bytes);
    if (s->bytes < bytes) return behind == NULL || behind->bytes != s->bytes;
    if (s->bytes > bytes) return s->is_float || (offset == s->offset && !shared);
    snprintf(text, size, "takes an integer, and its argument is a floating-point number");
    return s->is_float && !is_float && c->is_integer;
}

static void say(warp *w, const insn *i, uint32_t lane, const conversion *c, int number, const char *wrong) {
    const site at = {w->frame->function, i->pc};
    char who[96], what[600];
    if (finding_repeats(PRINTF, at, (site){0})) return;
    snprintf(what, sizeof what, "%s prints: conversion %d of the format, %.*s, %s", thread_name(w, lane, who), number,
             c->length < 40 ? c->length : 40, c->at, wrong);
    finding_add(&(finding){PRINTF, w->launch->entry->source->name, at, {0}, what, NULL});
}

static void compare(warp *w, const insn *i, uint32_t lane, const char *format, const printf_arguments *a) {
    conversion c, following;
    int64_t offset = 0;
    int number = 0;
    char wrong[160];
    while (next_conversion(&format, &c)) {
        if (c.bytes == 0) continue;
        number++;
        for (int k = 0; k < c.stars; k++, offset += 4) {
            offset = (int64_t)align_up((uint64_t)offset, 4);
            if (is_wrong(a, offset, &c, 4, false, c.bytes == 4, wrong, sizeof wrong)) {
                say(w, i, lane, &c, number, wrong);
                return;
            }
        }
        const char *rest = format;
        bool shared = false;
        while (next_conversion(&rest, &following))
            if (following.bytes != 0) {
                shared = following.bytes == 4 || following.stars > 0;
                break;
            }
        offset = (int64_t)align_up((uint64_t)offset, c.bytes);
        if (is_wrong(a, offset, &c, c.bytes, c.is_float, shared, wrong, sizeof wrong)) {
            say(w, i, lane, &c, number, wrong);
            return;
        }
        offset += c.bytes;
    }
}

void formats_printf(observer *o, warp *w, const insn *i, uint32_t lane, const char *format) {
    enum { KNOWN = 64 };
    static const insn *right[KNOWN]; /* calls that have been looked at */
    const insn **known = &right[(uintptr_t)i / sizeof *i % KNOWN];
    if (__atomic_load_n(known, __ATOMIC_RELAXED) == i) return;
    __atomic_store_n(known, i, __ATOMIC_RELAXED);
    printf_arguments arguments;
    printf_arguments_find(w->frame->function->source, (int)i->pc, &arguments);
    if (arguments.known) compare(w, i, lane, format, &arguments);
}
