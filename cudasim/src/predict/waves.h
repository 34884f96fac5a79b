/* From one SM's replay to a launch: waves of blocks, the GPU's rates divided by its SMs. */
#pragma once

#include "base/device_model.h"
#include "load/module.h"

typedef struct launch_time {
    double seconds;  /* negative: not known */
    double clocks;   /* of the busiest SM */
    char why[200];   /* it is not known */
    char parts[512]; /* CUDASIM_WHY: lines that say what bounds which part of a block */
} launch_time;

/* `soon`: it is not wanted yet; all such kernels are disassembled together. */
launch_time waves_time(sim_kernel *kernel, const sim_launch_config *config, const void *params, size_t params_size,
                       bool soon);
