#ifndef KL_BENCH_MAIN_H
#define KL_BENCH_MAIN_H

#include "bench/family.h"

/* The program of a step: `variants` are `count` of the family's own structs, `context` is for the family. Returns the
 * exit status: 0, 1 a wrong result, 2 bad arguments, 3 a CUDA error or no usable device. */
int bench_main(int argc, char **argv, const char *step, const bench_family *family, const void *variants, int count,
               const void *context);

#endif
