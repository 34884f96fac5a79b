/* Locks, the sticky error, handles, and what is refused. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_model.h"
#include "cudasim.h"
#include "cuda/runtime.h"
#include "cuda/unchecked.h"

static pthread_mutex_t state_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void runtime_lock(void) {
    pthread_mutex_lock(&state_mutex);
}

void runtime_unlock(void) {
    pthread_mutex_unlock(&state_mutex);
}

/* A fault, and what it does to later calls, is as measured on an H200 (driver 580): the launch itself succeeds and
 * leaves no error; each later call that needs the device returns the fault's code, and cudaGetLastError tells, and
 * forgets, what such a call returned. Calls that only ask about devices or pointers go on as before.
 *
 * Two things fault here that pass on a GPU, on purpose, since they are mistakes all the same: a kernel that writes a
 * __constant__ variable through a pointer, and one that touches freed memory. */
static _Atomic int sticky;
static _Thread_local cudaError_t last_error;

cudaError_t runtime_result_of(const char *call, cudaError_t error) {
    if (error == cudaSuccess) return error;
    last_error = error;
    unchecked_note(call, error);
    return error;
}

cudaError_t runtime_leave_of(const char *call, cudaError_t error) {
    runtime_unlock();
    return runtime_result_of(call, error);
}

cudaError_t runtime_sticky(void) {
    return (cudaError_t)atomic_load(&sticky);
}

void runtime_set_sticky(cudaError_t error) {
    atomic_store(&sticky, (int)error);
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    if (error != cudaSuccess) unchecked_asked();
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    if (last_error != cudaSuccess) unchecked_asked();
    return last_error;
}

void runtime_forget_error(void) {
    last_error = cudaSuccess;
}

/* Names already refused: what[] are string literals, so the list is of pointers, compared as text. */
typedef struct refusal {
    const char *what;
    struct refusal *next;
} refusal;
static refusal *refusals;

cudaError_t runtime_refuse(const char *what) {
    runtime_lock();
    refusal *r = refusals;
    while (r && strcmp(r->what, what) != 0) r = r->next;
    if (!r) {
        fprintf(stderr, "cudasim: %s is not supported by the simulator\n", what);
        r = malloc(sizeof(*r));
        if (r) {
            *r = (refusal){what, refusals};
            refusals = r;
        }
    }
    runtime_unlock();
    return runtime_result_of(what, cudaErrorNotSupported);
}

void refusals_forget(void) {
    while (refusals) {
        refusal *r = refusals;
        refusals = r->next;
        free(r);
    }
}

/* ---- handles ----------------------------------------------------------------------------------------------------- */

typedef struct handle {
    const void *key;
    void *object;
    handle_kind kind;
    struct handle *next;
} handle;

#define BUCKETS 4096
static handle *buckets[BUCKETS];

static handle **bucket_of(const void *key) {
    uint64_t bits = (uint64_t)(uintptr_t)key;
    return &buckets[bits * 0x9e3779b97f4a7c15ull >> 52];
}

bool handle_add(handle_kind kind, const void *key, void *object) {
    handle *h = malloc(sizeof(*h));
    if (!h) return false;
    handle **bucket = bucket_of(key);
    *h = (handle){key, object, kind, *bucket};
    *bucket = h;
    return true;
}

void *handle_find(handle_kind kind, const void *key) {
    for (handle *h = *bucket_of(key); h; h = h->next) {
        if (h->key == key && h->kind == kind) return h->object;
    }
    return NULL;
}

void handle_remove(handle_kind kind, const void *key) {
    for (handle **at = bucket_of(key); *at; at = &(*at)->next) {
        handle *h = *at;
        if (h->key == key && h->kind == kind) {
            *at = h->next;
            free(h);
            return;
        }
    }
}

void *handle_any(handle_kind kind, const void **key) {
    for (int i = 0; i < BUCKETS; i++) {
        for (handle *h = buckets[i]; h; h = h->next) {
            if (h->kind == kind) {
                *key = h->key;
                return h->object;
            }
        }
    }
    return NULL;
}

int cudasim_active(void) {
    return 1;
}

const char *cudasim_device(void) {
    return device_model_current()->arch;
}
