/* Errors that the program never asks for. A launch by <<<>>> returns nothing, so only cudaGetLastError and
 * cudaPeekAtLastError can tell of its error: one that has not been told at the process's end is a finding. What another
 * call returned cannot be seen from here. It counts as looked at where the thread asks for its last error afterwards,
 * or the process ends with a status that is not 0. Calls that only ask, and errors that programs provoke on purpose,
 * are never findings; what a kernel's fault makes later calls return is none either, since the fault is one. */
#include "cuda/unchecked.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "check/findings.h"

typedef struct note {
    const void *thread;
    const char *call; /* NULL: a launch by <<<>>> */
    cudaError_t error;
    char kernel[256], why[256];
    struct note *next;
} note;

static note *first, **last = &first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of the call that the thread is in. */
static _Thread_local struct { char kernel[256], why[256]; } now;

void unchecked_because(const char *kernel, const char *why) {
    if (kernel != NULL) snprintf(now.kernel, sizeof now.kernel, "%s", READABLE(kernel));
    snprintf(now.why, sizeof now.why, "%s", why);
}

static bool is_expected(cudaError_t error) {
    switch (error) {
    case cudaErrorNotReady:
    case cudaErrorMemoryAllocation: /* a program tries how much it can have */
    case cudaErrorPeerAccessAlreadyEnabled:
    case cudaErrorPeerAccessNotEnabled:
    case cudaErrorHostMemoryAlreadyRegistered:
    case cudaErrorGraphExecUpdateFailure:
        return true;
    default:
        return false;
    }
}

static bool only_asks(const char *call) {
    static const char *const words[] = {"Get", "Query", "Occupancy", "CanAccess", "IsCapturing"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strstr(call, words[k]) != NULL) return true;
    return false;
}

static bool is_noted(const note *n) {
    for (const note *m = first; m != NULL; m = m->next)
        if (m->thread == n->thread && m->error == n->error && (m->call == NULL) == (n->call == NULL) &&
            strcmp(m->kernel, n->kernel) == 0)
            return true;
    return false;
}

void unchecked_note(const char *call, cudaError_t error) {
    if (!memory_tracks() || error == cudaSuccess || runtime_sticky() != cudaSuccess) return;
    if (call != NULL && (is_expected(error) || only_asks(call))) return;
    note *n = calloc(1, sizeof *n);
    if (n == NULL) return;
    *n = (note){.thread = &now, .call = call, .error = error};
    memcpy(n->kernel, now.kernel, sizeof n->kernel);
    memcpy(n->why, now.why, sizeof n->why);
    now.kernel[0] = now.why[0] = '\0';
    pthread_mutex_lock(&lock);
    if (is_noted(n)) {
        free(n);
    } else {
        *last = n;
        last = &n->next;
    }
    pthread_mutex_unlock(&lock);
}

void unchecked_asked(void) {
    pthread_mutex_lock(&lock);
    for (note **at = &first; *at != NULL;) {
        note *n = *at;
        if (n->thread == &now) {
            *at = n->next;
            free(n);
        } else {
            at = &n->next;
        }
    }
    for (last = &first; *last != NULL; last = &(*last)->next) {}
    pthread_mutex_unlock(&lock);
}

static void say(const note *n) {
    char text[1024];
    const char *kernel = n->kernel[0] != '\0' ? n->kernel : "(unknown)";
    const char *colon = n->why[0] != '\0' ? ": " : "", *error = cudaGetErrorName(n->error);
    if (n->call == NULL)
        snprintf(text, sizeof text,
                 "the launch of kernel %s failed with %s (%s%s%s), and nobody asked cudaGetLastError", kernel, error,
                 cudaGetErrorString(n->error), colon, n->why);
    else
        snprintf(text, sizeof text, "%s returned %s (%s%s%s), and the program ends with 0 without cudaGetLastError",
                 n->call, error, cudaGetErrorString(n->error), colon, n->why);
    finding_say("unchecked error", text);
}

void unchecked_end(int status) {
    pthread_mutex_lock(&lock);
    while (first != NULL) {
        note *n = first;
        first = n->next;
        if (n->call == NULL || status == 0) say(n);
        free(n);
    }
    last = &first;
    pthread_mutex_unlock(&lock);
}
