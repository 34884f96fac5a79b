/* The GPUs the simulator can stand for: what a program can ask of a device, without one. */
#pragma once

#include <stdint.h>

/* What all of them have alike: 32-bit registers, which a warp is given in multiples; bytes of shared memory that a
 * block may have without asking. */
#define REGISTERS_PER_SM     65536u
#define REGISTER_GRANULARITY 256u
#define SHARED_PER_BLOCK     49152u

typedef struct device_model {
    const char *arch; /* "sm_90" */
    const char *gpu;  /* "H200": the GPU whose figures these are */
    unsigned cc_major, cc_minor;
    unsigned sms;
    unsigned max_threads_per_sm, max_blocks_per_sm;
    unsigned shared_per_sm, shared_per_block_optin; /* bytes */
    unsigned shared_reserved;    /* bytes per block that the system takes: 1024 from sm_80 on, else 0 */
    unsigned shared_granularity; /* bytes */
    unsigned l2_bytes;
    uint64_t memory_bytes;
    unsigned clock_khz, memory_clock_khz, memory_bus_bits;
    unsigned copy_engines;
    unsigned persisting_l2_16ths; /* of L2 that may be set aside for persisting accesses, in sixteenths; 0: none */
    unsigned access_window_bytes; /* the widest access policy window */
    unsigned pci_device, pci_subsystem; /* with the vendor's in the low half; 0: not known */
} device_model;

/* The device modelled in this process: CUDASIM_DEVICE (sm_75, sm_80, sm_86, sm_89, sm_90), default sm_90. An unknown
 * name ends the process with one line and exit status 2. */
const device_model *device_model_current(void);

/* By name; NULL if there is none. */
const device_model *device_model_named(const char *arch);

/* Blocks of `threads` threads (registers per thread, shared bytes per block, static and dynamic together, without the
 * reserved ones) that fit one SM; 0 if not even one does. CUDA's occupancy calculation: warps rounded up, registers
 * in multiples of REGISTER_GRANULARITY a warp and of 4 warps an SM partition, shared memory in shared_granularity. */
int device_model_blocks_per_sm(const device_model *model, unsigned threads, unsigned registers, uint64_t shared_bytes);

/* What only one of these allows: warps of so many registers a thread, blocks of so much shared memory. */
unsigned device_model_warps_by_registers(unsigned registers);
unsigned device_model_blocks_by_shared(const device_model *model, uint64_t shared_bytes);
