/* Launches: a kernel's blocks are run, on host threads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct observer;

/* What a launch must know. The configuration has been checked against the model. */
typedef struct launch_spec {
    const struct function *entry; /* the kernel, decoded, and all that it may call */
    sim_launch_config config;
    uint32_t shared_end;    /* first address past a block's shared memory */
    unsigned registers;     /* a thread: with the next, how many blocks the device holds */
    unsigned static_shared; /* bytes */
    unsigned own_registers; /* a thread, which setmaxnreg counts from; 0: it has no effect */
    struct observer
        *observer;    /* who watches it (machine/observe.h); NULL: nobody. Else entry is the watched function */
    bool async_proxy; /* something that it may call uses the asynchronous proxy: bulk copies, wgmma */
} launch_spec;

/* Begins a launch, with which other threads then help. `params` is the parameter buffer, and is copied. The caller
 * works on the launch and ends it; NULL, and a line on stderr, where the host lacks memory. One launch at a time. */
typedef struct launch sim_running;
sim_running *launch_begin(const launch_spec *spec, const void *params);

/* A thread's share of the work: runs blocks until none are left, or until the given time (CLOCK_MONOTONIC in seconds;
 * 0: without a limit). The launching thread is number 0, its helpers number themselves from 1. On a fault, a report
 * (what, thread, block, address, kernel, source line) has gone to stderr. */
void sim_launch_work(sim_running *running, int number, double until);

/* Frees a launch that number 0's work has ended, once its helpers have finished, too. False where that does not happen
 * until the given time: then any thread goes on with number 0's work, and ends the launch. Meanwhile the host may do
 * what the kernel waits for: the watchdog counts only the time in which the host waits, and lets a kernel that polls
 * memory wait as long as not all of the process's threads but the simulator's own do. */
bool sim_launch_end(sim_running *running, double until, sim_status *status);
void sim_host_waits(int threads); /* so many of them; 0: none */

/* The process is about to end: stops the kernel that runs, and waits so many seconds at most until what it did has been
 * counted. Threads that begin or end a launch from then on do not come back. */
void sim_launch_interrupt(double seconds);

/* Device-side printf output waits in a buffer, as on a GPU; this writes it to stdout (synchronising calls do so). */
void sim_printf_flush(void);

/* Stack a thread: .local memory and call frames. */
void sim_set_stack_limit(uint64_t bytes);
uint64_t sim_stack_limit(void);
