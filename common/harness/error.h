/* CUDA errors: every call is checked, a failure is one line with call, file, line and what to do, exit status 3. */
#ifndef KL_ERROR_H
#define KL_ERROR_H

#include <cuda_runtime_api.h>

/* Exit statuses of a step. */
enum { EXIT_OK = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_CUDA = 3 };

/* Evaluates a CUDA runtime call; when it fails prints one line and ends the process with status 3. */
#define CUDA_CHECK(call) error_check((call), #call, __FILE__, __LINE__)

void error_check(cudaError_t error, const char *call, const char *file, int line);

/* What the user can do about it, or "" . */
const char *error_advice(cudaError_t error);

#endif
