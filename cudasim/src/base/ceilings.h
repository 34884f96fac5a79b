/* What the units of a GPU do at most: the ceilings that a launch's floors (watch/floor.h) are reckoned from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/device_model.h"

#define MOST_CEILINGS 128

/* Rates are per clock and SM, whatever the file says them in: instructions' FLOP, bytes ("B"), additions. Latencies are
 * in clocks, launches in microseconds. */
typedef struct ceilings {
    char device[64]; /* "NVIDIA H200" */
    bool measured;   /* by a program, on such a GPU; otherwise it is the data sheet's */
    double clock_mhz, sms;
    int count;
    struct ceiling {
        char name[32]; /* as in the files of devices/: "ffma_8x8_rows", "l2_read", "latency_l1", "launch_graph" */
        double rate;
    } all[MOST_CEILINGS];
} ceilings;

/* Those of the GPU that is modelled (device_model.h): measured ones where cudasim has them, or its data sheet's; or
 * what CUDASIM_CEILINGS names, one of cudasim's files (nvidia-h100) or any other. A file that cannot be read ends the
 * process with one line and exit status 2. */
const ceilings *ceilings_current(void);

/* The same for predicted times. What a data sheet does not say, latencies in clocks and what an SM gets of L2 in a
 * clock, is an H200's. */
const ceilings *ceilings_for_times(void);

/* The ceiling of this name; 0: it is not known. */
double ceiling_of(const ceilings *c, const char *name);

/* The highest one whose name begins so. */
double ceiling_best(const ceilings *c, const char *prefix);

/* The text of a file of ceilings. False where it is none: `why` then says so, with the line's number first. */
bool ceilings_parse(ceilings *c, const char *text, char *why, size_t size);

/* What the data sheet says of a GPU: FP32, tensor cores, shared memory, L1, DRAM. */
void ceilings_of_data_sheet(ceilings *c, const device_model *model);
