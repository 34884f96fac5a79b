/* What made-up libraries (fake_blas.h, tests/conv/fake_cudnn.h) share: the loader that finds their entry points, what
 * is alive, and device memory on the host. */
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "../unit.h"

/* What dlopen returns is an array of these that ends without a name. */
typedef struct {
    const char *name;
    void (*function)(void);
} fake_entry;

#define ENTRY(name, function)                                                                                          \
    { name, (void (*)(void))(function) }

static struct {
    bool no_memory;
    const char *missing; /* this entry point */
    int live;            /* handles, descriptors and memory */
} fakes;

static void *create(size_t size) {
    void *x = calloc(1, size);
    assert_non_null(x);
    fakes.live++;
    return x;
}

static int destroy(void *x) {
    assert_non_null(x);
    fakes.live--;
    free(x);
    return 0;
}

static int handle_create(void **handle) {
    *handle = create(1);
    return 0;
}

static int set_stream(void *handle, cudaStream_t stream) {
    assert_true(handle != NULL && stream == NULL);
    return 0;
}

int dlclose(void *library) {
    assert_non_null(((const fake_entry *)library)->name);
    return 0;
}

/* For the whole program (RTLD_DEFAULT) the simulator is active: the harness then looks at results on the host. */
void *dlsym(void *library, const char *name) {
    const fake_entry *entry = library;
    void *function = NULL;
    if (library == RTLD_DEFAULT) return strcmp(name, "cudasim_active") == 0 ? &fakes : NULL;
    if (fakes.missing != NULL && strcmp(name, fakes.missing) == 0) return NULL;
    while (entry->name != NULL && strcmp(name, entry->name) != 0) entry++;
    memcpy(&function, &entry->function, sizeof function);
    return function;
}

cudaError_t cudaMalloc(void **x, size_t size) {
    if (fakes.no_memory) return cudaErrorMemoryAllocation;
    *x = aligned_alloc(256, (size + 255) / 256 * 256);
    assert_non_null(*x);
    fakes.live++;
    return cudaSuccess;
}

cudaError_t cudaFree(void *x) {
    destroy(x);
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    return cudaSuccess;
}
