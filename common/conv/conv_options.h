/* The options of a convolution program, besides those that every program has (bench/options.h). */
#pragma once

#include "bench/options.h"
#include "conv/conv_operands.h"

typedef struct {
    conv_case what;             /* complete, but for its seed */
    const char *layout, *dtype; /* "nchw", "nhwc"; "f32", "f16", "bf16" */
    bool layout_given, dtype_given;
    bool warm, no_baseline;
    const char *baseline; /* "direct", "transformed" */
} conv_options;

/* Sets *o to the defaults and fills in what a family contributes to *p (summary, noun, sweeps, simulated_max_size,
 * table, rules, values, complete). */
void conv_options_program(options_program *p, conv_options *o);
