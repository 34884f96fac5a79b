/* What one launch left behind: the result against its reference, and everything that it may not have written. */
#ifndef KL_INSPECT_H
#define KL_INSPECT_H

#include <stdbool.h>
#include <stdio.h>

#include "tensor/verify.h"

/* What the verification of one launch found. */
typedef struct {
    bool ok;
    double worst_share; /* of the random pass: |c - ref| / bound */
    double seconds;     /* that pass's launch in the simulator, where nothing else is timed; NAN on a GPU */
} verdict;

/* Seconds of a clock that only goes forward. */
double inspect_now_s(void);

/* matrix_fill_* of device memory: on the device; in the simulator, where that would take long, from the host. */
cudaError_t inspect_fill(matrix *x, values_kind kind, uint64_t seed, cudaStream_t stream);

/* Checks all of C, the guard zones and padding of all three operands, and that A and B are as they were filled; in the
 * simulator from the host. `names` are the three letters for the report: "ABC", or "Axy", a GEMV's. What is wrong makes
 * verdict->ok false and is printed to `report` (NULL: nowhere), each line starting with `name`. Synchronises. */
cudaError_t inspect(const char *name, const char *names, const verify_case *v, cudaStream_t stream, FILE *report,
                    verdict *verdict);

/* Checks the guard zones of memory whose elements may hold anything now, and which `what` names ("the workspace"); the
 * rest as above. */
cudaError_t inspect_around(const char *name, const char *what, const matrix *x, cudaStream_t stream, FILE *report,
                           verdict *verdict);

#endif
