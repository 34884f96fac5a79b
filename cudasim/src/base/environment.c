#include "base/environment.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ceilings.h"
#include "base/device_model.h"

/* NULL where the variable is unset or empty. */
static const char *value_of(const char *name) {
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? text : NULL;
}

/* Not exit(): this may be inside a static constructor, and nothing of ours is worth its handlers. */
static void refuse_value(const char *name, const char *text, const char *wanted) {
    fprintf(stderr, "cudasim: %s=%s is not %s\n", name, text, wanted);
    _Exit(2);
}

/* Asked once: the C library reads a file for it, and every launch wants to know. */
static long processors;

static void count_processors(void) {
    processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1) processors = 1;
    if (processors > MAX_HOST_THREADS) processors = MAX_HOST_THREADS;
}

long environment_threads(void) {
    const char *text = value_of("CUDASIM_THREADS");
    if (text == NULL) {
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        pthread_once(&once, count_processors);
        return processors;
    }
    char *end;
    const long threads = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || threads < 1 || threads > MAX_HOST_THREADS)
        refuse_value("CUDASIM_THREADS", text, "a whole number of host threads from 1 to 1024");
    return threads;
}

double environment_watchdog(void) {
    const char *text = value_of("CUDASIM_WATCHDOG");
    if (text == NULL) return 60;
    char *end;
    const double seconds = strtod(text, &end);
    if (!(isdigit((unsigned char)*text) || *text == '.') || *end != '\0' || !isfinite(seconds))
        refuse_value("CUDASIM_WATCHDOG", text, "a number of seconds (0: never)");
    return seconds;
}

static void check(void) {
    device_model_current();
    environment_threads();
    environment_watchdog();
    if (value_of("CUDASIM_CEILINGS") != NULL) ceilings_current();
}

void environment_check(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, check);
}
