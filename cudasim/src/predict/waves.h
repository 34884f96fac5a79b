/* From one SM's replay to a launch: waves of blocks, the GPU's rates divided by its SMs. */
#ifndef SIM_PREDICT_WAVES_H
#define SIM_PREDICT_WAVES_H

#include "base/device_model.h"
#include "load/module.h"

typedef struct launch_time {
    double seconds; /* negative: not known */
    double clocks;  /* of the busiest SM */
    char why[200];  /* it is not known */
} launch_time;

launch_time waves_time(sim_kernel *kernel, const sim_launch_config *config, const void *params, size_t params_size);
/* Its code will be wanted: many kernels' are disassembled sooner together. */
void waves_note(const sim_kernel *kernel, const sim_launch_config *config);

#endif
