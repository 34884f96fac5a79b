// What every program here shares: CHECK for runtime calls, expect for results, finish for the last line.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t check_status = (call);                                                                             \
        if (check_status != cudaSuccess) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(check_status));             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static int failures = 0;

// Counts a result that is not what the host computed.
inline void expect(bool ok, const char *what) {
    if (!ok) {
        printf("wrong: %s\n", what);
        failures++;
    }
}

// The summary line; returns the exit code.
inline int finish(const char *name) {
    printf("%s: %s\n", name, failures == 0 ? "OK" : "FAILED");
    return failures == 0 ? 0 : 1;
}
