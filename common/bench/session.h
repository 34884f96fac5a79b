/* What the main programs of all steps share: one run of a step's command line. */
#ifndef KL_SESSION_H
#define KL_SESSION_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "gpu/device.h"
#include "gemm/gemm.h"
#include "bench/options.h"
#include "base/record.h"

typedef struct {
    const char *step; /* "step04_vectorized" */
    char **arguments; /* main's */
    options o;
    device_facts device;
    cudaStream_t stream;
    bool baseline;    /* cuBLAS is there and wanted */
    record *recorded; /* rows that the CSV held at the start (--resume) */
    int recorded_count;
    int wrong;        /* results that were */
    long done, total; /* variants times shapes, for the progress line */
} session;

/* Reads the command line. False: that was all (--help, a mistake), or the simulator cannot be had; the program ends
 * with *status. */
bool session_start(session *s, const options_step *facts, int argc, char **argv, int *status);

/* The exit status after closing all that is open: `status`, or EXIT_USAGE where standard output cannot be written. */
int session_end(session *s, int status);

/* Looks at the files that the results go to, and reads what --resume needs. EXIT_OK, or EXIT_USAGE after a line. */
int session_prepare_files(session *s);

/* Opens the device that was asked for. EXIT_OK, or the exit status after a line on stderr. */
int session_open_device(const session *s, device_facts *device);

/* Attributes of a kernel, and how many of its blocks a multiprocessor holds at once. */
int session_occupancy(gemm_kernel kernel, struct cudaFuncAttributes *attributes);

/* A row of what is known before measuring: numbers that are not known are NAN; mode is empty on a GPU, in the simulator
 * "sim". The caller puts in sizes and scalars. */
record session_describe(const session *s, const char *variant, const char *op);

/* The recorded row of the same case (and mode, where r names one; any but "sustained" where it does not) that makes
 * measuring again unnecessary; one without a ratio does not where `needs_ratio`. NULL: none. */
const record *session_find(const session *s, const record *r, bool needs_ratio);

/* Appends the row to the files that were asked for; ends the program where that fails. */
void session_keep(const session *s, const record *r);

/* Is there device memory for `need` bytes? If not, the reason. */
bool session_fits(double need, char *reason, size_t size);

#endif
