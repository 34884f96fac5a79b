/* CUDA errors: every call is checked, a failure prints one line with the call, file, line and what to do, and exits
 * with status 3. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* Exit statuses of a step. */
enum { EXIT_OK = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_CUDA = 3 };

/* Evaluates a CUDA runtime call; if it fails, prints one line and ends the process with status 3. */
#define CUDA_CHECK(call) error_check((call), #call, __FILE__, __LINE__)

/* Allocates `bytes` with cudaMalloc; on failure the message also says how much was requested and how much is free. */
#define CUDA_ALLOCATE(pointer, bytes) error_allocate((void **)(pointer), (bytes), __FILE__, __LINE__)

/* Says what is being done, for error messages: printf's arguments ("step05 serpentine, m 1, n 2, k 3"). Valid until the
 * next call. */
void error_context(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What the macros call: `call`, `file` and `line` say where. Do nothing on success. */
void error_check(cudaError_t error, const char *call, const char *file, int line);
void error_allocate(void **pointer, size_t bytes, const char *file, int line);

__END_DECLS
