/* Problem shapes: the sweeps and arithmetic on sizes that may pass 2^32. */
#ifndef KL_SHAPES_H
#define KL_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/options.h"

typedef struct {
    int m, n, k;
} shape;

/* The shapes of a timed sweep (SQUARE, ARTICLE or ODD) in the order they are run, those with a side above max_size left
 * out. Returns how many; *shapes points to static storage that the next call overwrites. */
int shapes_sweep(sweep_kind kind, int max_size, const shape **shapes);

/* The same of the sizes that suit the simulator, where a multiply-add takes some thousand times as long: each sweep in
 * seconds. */
int shapes_sweep_simulated(sweep_kind kind, int max_size, const shape **shapes);

/* The shapes of a GEMV's sweep (m is 1): on a GPU, or those that suit the simulator. */
int shapes_sweep_gemv(sweep_kind kind, bool simulated, int max_size, const shape **shapes);

/* Floating-point operations of a GEMM, 2*m*n*k, exact in a double far beyond any size that fits. */
double shape_flops(shape s);

/* Compulsory bytes: A and B read once, C written once and, with beta != 0, read once; operand_bytes an element of A
 * and B, out_bytes one of C. */
double shape_bytes(shape s, float beta, size_t operand_bytes, size_t out_bytes);

/* Elements of a rows x cols matrix with leading dimension ld: the last row is counted in full (rows * ld). Returns
 * false and leaves *elements alone when its bytes pass SIZE_MAX / 4. */
bool shape_elements(int rows, int ld, size_t element_bytes, size_t *elements);

#endif
