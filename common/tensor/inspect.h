/* What one launch left behind: the result, compared with its reference, and everything that it must not write. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tensor/verify.h"

/* What the verification of one launch found. */
typedef struct {
    bool ok;
    double worst_share;   /* from the random pass: |c - ref| / bound */
    uint64_t fingerprint; /* of C's elements, from the exact pass (matrix.h) */
    double seconds;       /* the launch of that pass in the simulator, where nothing else is timed; NAN on a GPU */
} verdict;

/* matrix_fill_* for device memory: on the device, but from the host in the simulator, where that would take long. */
cudaError_t inspect_fill(matrix *x, values_kind kind, uint64_t seed, cudaStream_t stream);

/* In the simulator: kernels that read or write guard zones of the memory that holds `x`, or write its padding, are
 * found as they do it, until simulator_operands_end (gpu/simulator.h). `name` is its name in what is found. */
void inspect_outline(const char *name, const matrix *x);

/* Checks all of C, the guard zones and padding of all operands, and that A, B and d are unchanged; in the simulator
 * on the host. Without `reference` C's elements are not compared. On integers (v->exact) it takes their fingerprint,
 * too. `names` are letters for the report, of A, B, C and, if it is there, d: "ABC", or "Axy" for a GEMV. An error
 * makes verdict->ok false and is printed to `report` (NULL: nowhere), each line starting with `name`. Synchronises. */
cudaError_t inspect(const char *name, const char *names, const verify_case *v, bool reference, cudaStream_t stream,
                    FILE *report, verdict *verdict);

/* Checks the guard zones around memory whose elements may hold anything by now; `what` names it ("the workspace").
 * Otherwise as above. */
cudaError_t inspect_around(const char *name, const char *what, const matrix *x, cudaStream_t stream, FILE *report,
                           verdict *verdict);
