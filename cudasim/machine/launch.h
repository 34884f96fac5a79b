/* Between the CUDA runtime's entry points and the machine: modules, kernels, launches. */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/fatbin.h"
#include "ptx/ptx.h"

typedef struct sim_module sim_module;
typedef struct sim_kernel sim_kernel;

/* One fat binary, loaded: its PTX parsed, its cubin's resources read, its variables allocated and initialised.
 * `container` must stay. NULL and one line in `error` where it cannot be. */
sim_module *sim_module_load(const void *container, char *error, size_t error_size);
void sim_module_unload(sim_module *module);

/* Address and size of a __device__ or __constant__ variable; false if there is none of that name. */
bool sim_module_variable(const sim_module *module, const char *name, uint64_t *address, uint64_t *size);

/* A kernel by its PTX name, decoded on first use. NULL if there is none; also when it cannot be decoded (an unknown
 * instruction, ...): then `error` is not empty. */
sim_kernel *sim_module_kernel(sim_module *module, const char *name, char *error, size_t error_size);

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

void sim_kernel_describe(const sim_kernel *kernel, sim_kernel_info *info);
void sim_kernel_set_max_dynamic_shared(sim_kernel *kernel, unsigned bytes);

/* Offset and size of parameter `index` in the parameter buffer; false past the last. */
bool sim_kernel_param(const sim_kernel *kernel, unsigned index, size_t *offset, size_t *size);

typedef struct sim_launch_config {
    unsigned grid[3], block[3];
    unsigned cluster[3];     /* blocks of a cluster, a divisor of the grid; 1 (or 0) without clusters */
    bool explicit_cluster;   /* the launch or the kernel names the clusters' size */
    uint64_t dynamic_shared; /* bytes */
    bool cooperative;        /* all blocks resident at once */
} sim_launch_config;

typedef enum sim_status {
    SIM_OK,
    SIM_ILLEGAL_ADDRESS,       /* cudaErrorIllegalAddress 700 */
    SIM_MISALIGNED_ADDRESS,    /* cudaErrorMisalignedAddress 716 */
    SIM_INVALID_ADDRESS_SPACE, /* cudaErrorInvalidAddressSpace 717 */
    SIM_INVALID_PC,            /* cudaErrorInvalidPc 718 */
    SIM_ILLEGAL_INSTRUCTION,   /* cudaErrorIllegalInstruction 715 */
    SIM_STACK_ERROR,           /* cudaErrorIllegalAddress 700, as recursion too deep gives on hardware */
    SIM_TRAP,                  /* cudaErrorLaunchFailure 719 */
    SIM_LAUNCH_FAILURE,        /* cudaErrorLaunchFailure 719 */
    SIM_ASSERT,                /* cudaErrorAssert 710 */
    SIM_TIMEOUT,               /* cudaErrorLaunchTimeout 702 */
    SIM_NO_MEMORY,             /* the host has none left for it: cudaErrorMemoryAllocation 2 */
    SIM_UNSUPPORTED            /* what the simulator does not do: cudaErrorNotSupported 801 */
} sim_status;

/* Runs a kernel to its end. The configuration has been checked against the model by the caller. `params` is the
 * parameter buffer (sim_kernel_param's layout), and is copied. On a fault, a report (what, thread, block, address,
 * kernel, source line) has gone to stderr. One launch at a time. */
sim_status sim_launch(sim_kernel *kernel, const sim_launch_config *config, const void *params);

/* The same in two parts. Begins a launch and works on it for so many seconds at most. NULL and *status where it has
 * come to its end; else whoever is given it must end it: */
typedef struct launch sim_running;
sim_running *sim_launch_begin(sim_kernel *kernel, const sim_launch_config *config, const void *params, double seconds,
                              sim_status *status);

/* works on it until its end, and frees it. Any thread may. While it does, the host may do what the kernel waits for:
 * the watchdog counts only the time in which sim_host_waits(true) holds. */
sim_status sim_launch_end(sim_running *running);
void sim_host_waits(bool waits);

/* Device-side printf output waits in a buffer, as on a GPU; this writes it to stdout (synchronising calls do so). */
void sim_printf_flush(void);

/* Stack a thread: .local memory and call frames. */
void sim_set_stack_limit(uint64_t bytes);
uint64_t sim_stack_limit(void);

#endif
