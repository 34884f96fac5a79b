/* Modules and kernels, and how kernels are launched. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/launch.h"

typedef struct sim_module sim_module;
typedef struct sim_kernel sim_kernel;

/* One fat binary, loaded: its PTX parsed, its cubin's resources read, its variables allocated and initialised.
 * `container` must stay. NULL and one line in `error` where it cannot be. */
sim_module *sim_module_load(const void *container, char *error, size_t error_size);
void sim_module_unload(sim_module *module);

/* Address and size of a __device__ or __constant__ variable; false if there is none of that name. */
bool sim_module_variable(const sim_module *module, const char *name, uint64_t *address, uint64_t *size);

/* A kernel by its PTX name. NULL if there is none; also when it has no machine code that says what it needs and cannot
 * be decoded: then `error` is not empty. */
sim_kernel *sim_module_kernel(sim_module *module, const char *name, char *error, size_t error_size);

/* Decodes a kernel, which is demanded before it is launched or asked for its parameters: a program may ask many kernels
 * what they need, and launch one of them. False and a line in `error` where that cannot be (an unknown instruction,
 * ...). */
bool sim_kernel_decode(sim_kernel *kernel, char *error, size_t error_size);

typedef struct sim_kernel_info {
    const char *name;
    unsigned registers; /* from the cubin; where there is none, an estimate from the PTX's live registers */
    unsigned static_shared, local_bytes, const_bytes;
    unsigned max_threads;                 /* a block: .maxntid / .reqntid and registers taken into account; 1024 else */
    unsigned ptx_version, binary_version; /* 10 * major + minor: of the PTX's target; of the modelled GPU */
    unsigned param_count;
    unsigned max_dynamic_shared; /* as set; starts at 48 KB - static */
    unsigned reqntid[3];         /* 0 0 0 where not given */
    unsigned reqcluster[3];      /* .reqnctapercluster, likewise */
    unsigned max_cluster_rank;   /* .maxclusterrank; 0: not given */
    bool explicit_cluster;       /* .explicitcluster */
    bool has_cubin;
} sim_kernel_info;

/* The machine code of a kernel, and for which architecture it is (90); false where there is none. */
bool sim_kernel_code(const sim_kernel *kernel, const uint8_t **code, size_t *bytes, unsigned *arch);

void sim_kernel_describe(const sim_kernel *kernel, sim_kernel_info *info);
void sim_kernel_set_max_dynamic_shared(sim_kernel *kernel, unsigned bytes);

/* Offset and size of parameter `index` in the parameter buffer; false past the last. */
bool sim_kernel_param(const sim_kernel *kernel, unsigned index, size_t *offset, size_t *size);
/* Its alignment in bytes; `index` must be below param_count. */
unsigned sim_kernel_param_align(const sim_kernel *kernel, unsigned index);

/* Runs a kernel to its end. The configuration has been checked against the model by the caller. `params` is the
 * parameter buffer (sim_kernel_param's layout). On a fault, a report has gone to stderr. */
sim_status sim_launch(sim_kernel *kernel, const sim_launch_config *config, const void *params);

/* Its first part, before sim_launch_work and sim_launch_end (machine/launch.h). NULL where the host lacks memory. */
sim_running *sim_launch_begin(sim_kernel *kernel, const sim_launch_config *config, const void *params);
