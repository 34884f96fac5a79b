/* How long launches would take on an H200, by the model of time: --predict. docs/predict.md says what it knows. */
#pragma once

#include "load/module.h"

/* Reads CUDASIM_PREDICT: "only", kernels are not run; "run", they are, too; "request", those between predict_request
 * and predict_seconds are predicted and not run; else nothing is predicted. */
void predict_begin(void);
bool predict_wanted(void);
/* Are predicted kernels not run? */
bool predict_replaces(void);
/* Are launches from now on predicted (cudasim_count)? On request they are where they are requested. */
void predict_record(bool on);
/* A kernel is about to be launched. */
void predict_launch(sim_kernel *kernel, const sim_launch_config *config, const void *params, size_t params_size);
/* Launches from now on are predicted, or are to be predicted `soon`. */
void predict_request(bool soon);
/* Seconds of all launches since predict_request; negative: not known. */
double predict_seconds(void);
/* Of each kernel since predict_request: what bounds which part of a block, in lines. */
const char *predict_why(void);
/* On what: "H200"; "A100, not validated" where only its data sheet is known. */
const char *predict_gpu(void);
/* Prints what has been predicted, a line for each kernel and size. */
void predict_end(void);
