#include "machine/printf.h"

#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/access.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *printf_text;
static size_t printf_length, printf_room;

/* Room for so many bytes more; false where there is no memory: then they are left out, as from a GPU's full buffer. */
static bool printf_reserve(size_t bytes) {
    if (bytes <= printf_room - printf_length) return true;
    const size_t room = 2 * (printf_length + bytes) + 4096;
    char *text = realloc(printf_text, room);
    if (text == NULL) return false;
    printf_text = text;
    printf_room = room;
    return true;
}

static void printf_append(const char *text, size_t length) {
    if (length == 0 || !printf_reserve(length)) return;
    memcpy(printf_text + printf_length, text, length);
    printf_length += length;
}

/* A conversion and its value; false where its width or precision is more than a GPU's whole buffer. */
__attribute__((format(printf, 1, 2))) static bool printf_convert(const char *spec, ...) {
    enum { LONGEST = 1 << 20 };
    for (const char *at = spec; *at != '\0'; at++)
        if (isdigit((unsigned char)*at) && strtoul(at, NULL, 10) > LONGEST) return false;
    va_list values, again;
    va_start(values, spec);
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, spec, values);
    if (length >= 0 && printf_reserve((size_t)length + 1)) {
        vsnprintf(printf_text + printf_length, (size_t)length + 1, spec, again);
        printf_length += (size_t)length;
    }
    va_end(again);
    va_end(values);
    return length >= 0;
}

void printf_begin(void) {
    pthread_mutex_lock(&lock);
}
void printf_end(void) {
    pthread_mutex_unlock(&lock);
}

void sim_printf_flush(void) {
    pthread_mutex_lock(&lock);
    if (printf_length > 0) {
        fwrite(printf_text, 1, printf_length, stdout);
        fflush(stdout);
    }
    free(printf_text);
    printf_text = NULL;
    printf_length = printf_room = 0;
    pthread_mutex_unlock(&lock);
}

bool printf_string(warp *w, int lane, uint64_t address, char *text, size_t room) {
    for (size_t k = 0; k + 1 < room; k++) {
        const uint8_t *p = access_peek(w, lane, address + k, 1);
        if (p == NULL) return false;
        text[k] = (char)*p;
        if (text[k] == '\0') return true;
    }
    text[room - 1] = '\0';
    return true;
}

/* Arguments lie one after another, each aligned to its size. */
typedef struct arguments {
    warp *w;
    int lane;
    uint64_t at;
    bool bad;
} arguments;

static uint64_t next_argument(arguments *a, unsigned bytes) {
    uint64_t value = 0;
    a->at = (a->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    const uint8_t *p = access_peek(a->w, a->lane, a->at, bytes);
    if (p == NULL)
        a->bad = true;
    else
        memcpy(&value, p, bytes);
    a->at += bytes;
    return value;
}

int printf_lane(warp *w, int lane, uint64_t format_address, uint64_t argument_address) {
    char format[4096], spec[64];
    int count = 0;
    if (!printf_string(w, lane, format_address, format, sizeof format)) return -1;
    arguments a = {w, lane, argument_address, false};
    for (const char *at = format; *at != '\0';) {
        size_t plain = strcspn(at, "%");
        printf_append(at, plain);
        at += plain;
        if (*at == '\0') break;
        if (at[1] == '%') {
            printf_append("%", 1);
            at += 2;
            continue;
        }
        /* %[flags][width][.precision][length]conversion */
        size_t used = 0;
        const char *start = at++;
        spec[used++] = '%';
        while (*at != '\0' && strchr("-+ #0123456789.*", *at) != NULL && used < 40) {
            if (*at == '*') {
                used += (size_t)snprintf(spec + used, 16, "%d", (int)next_argument(&a, 4));
                count++;
            } else {
                spec[used++] = *at;
            }
            at++;
        }
        bool is_long = false;
        int halves = 0;
        while (*at != '\0' && strchr("hljztL", *at) != NULL) {
            if (strchr("ljzt", *at) != NULL) is_long = true;
            halves += *at == 'h';
            at++;
        }
        const char conversion = *at;
        bool fits;
        if (conversion != '\0' && strchr("di", conversion) != NULL) {
            snprintf(spec + used, sizeof spec - used, "ll%c", conversion);
            long long value = is_long ? (long long)next_argument(&a, 8) : (int32_t)next_argument(&a, 4);
            if (halves > 0) value = halves > 1 ? (signed char)value : (short)value;
            fits = printf_convert(spec, value);
        } else if (conversion != '\0' && strchr("uoxX", conversion) != NULL) {
            snprintf(spec + used, sizeof spec - used, "ll%c", conversion);
            unsigned long long value = next_argument(&a, is_long ? 8 : 4);
            if (halves > 0) value &= halves > 1 ? 0xff : 0xffff;
            fits = printf_convert(spec, value);
        } else if (conversion == 'c') {
            snprintf(spec + used, sizeof spec - used, "c");
            fits = printf_convert(spec, (int)next_argument(&a, 4));
        } else if (conversion != '\0' && strchr("aAeEfFgG", conversion) != NULL) {
            uint64_t bits = next_argument(&a, 8);
            double value;
            memcpy(&value, &bits, sizeof value);
            snprintf(spec + used, sizeof spec - used, "%c", conversion);
            fits = printf_convert(spec, value);
        } else if (conversion == 'p') {
            snprintf(spec + used, sizeof spec - used, "p");
            fits = printf_convert(spec, (void *)next_argument(&a, 8));
        } else if (conversion == 's') {
            char text[4096];
            uint64_t address = next_argument(&a, 8);
            if (address == 0)
                strcpy(text, "(null)");
            else if (!printf_string(w, lane, address, text, sizeof text))
                return -1;
            snprintf(spec + used, sizeof spec - used, "s");
            fits = printf_convert(spec, text);
        } else { /* not a conversion: as it stands */
            printf_append(start, (size_t)(at - start) + (conversion != '\0'));
            at += conversion != '\0';
            continue;
        }
        at++;
        count++;
        if (a.bad) return -1;
        if (!fits) printf_append(start, (size_t)(at - start));
    }
    return count;
}
