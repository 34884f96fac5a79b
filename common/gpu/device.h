/* The device that a run uses and what is known about it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* FP32 on the CUDA cores; the others on tensor cores, dense: TF32, FP16 or BF16 with FP32 accumulation, INT8. */
typedef enum { DEVICE_FP32, DEVICE_TF32, DEVICE_F16, DEVICE_S8, DEVICE_ARITHMETICS } device_arithmetic;

typedef struct {
    int ordinal;
    bool simulated;   /* its kernels run on the host's CPU (simulator.h); the figures below still describe a GPU */
    char name[256];   /* "NVIDIA H200"; "H200 (simulated)" */
    int cc;           /* compute capability: 90 for 9.0 */
    int sms;          /* streaming multiprocessors */
    double clock_mhz; /* highest SM clock */
    double memory_clock_mhz; /* highest memory clock */
    int bus_bits;            /* width of the memory bus */
    size_t l2_bytes, memory_bytes;
    size_t shared_per_sm, shared_per_block; /* bytes; the second with the opt-in attribute */
    int registers_per_sm, threads_per_sm;
    bool sheet; /* true: the peaks below are from devices.csv */
    /* The data sheet's, or what its multiprocessors do at clock_mhz; 0: unknown. */
    double peak_gflops[DEVICE_ARITHMETICS];
    double peak_gbps; /* DRAM: the data sheet's, or 2 * memory clock * bus */
    char driver[64];  /* NVML's driver version ("580.159.04"), or the CUDA version it supports; "none" */
    char cuda[16];    /* the runtime's version: "13.0" */
} device_facts;

/* FP32 lanes (FMA per clock) and dense FP16 tensor FLOP per clock of one SM; 0 if unknown. */
int device_fp32_lanes(int cc);
int device_tensor_flops(int cc);

/* What all multiprocessors together do at that clock, in 1e9 operations a second: the peak of a launch whose clock was
 * measured. 0 if unknown. A data sheet's peak belongs to a clock of its own, between the base and the highest. */
double device_peak_at(const device_facts *d, device_arithmetic what, double clock_mhz);

/* Fills in `sheet` and the peaks, from the other facts. */
void device_peaks(device_facts *d);

/* Which device is wanted. */
typedef struct {
    int ordinal;
    int local_rank;         /* added to it, modulo how many there are (base/ranks.h) */
    bool simulate;          /* use the simulator even if there is a GPU */
    const char *sim_device; /* the GPU to simulate; NULL: the simulator's default */
    bool again;             /* restart it even if it runs there already: its environment has changed */
    char *const *arguments; /* main's argv, to restart the program on the simulator; NULL: never do that */
    const char *program;    /* the step's name, for messages about its arguments */
    bool (*has_code)(void); /* does this program contain code for the current device? NULL: not checked */
} device_choice;

/* The one place where a device is chosen. Makes the device current and fills in `facts`. If the simulator was
 * requested, or there is no driver or no GPU at all, it restarts the program on the simulator and does not return.
 * Returns 0; 2 if there is no such device; or 3, after one line on `err` that names the cause (no driver, driver too
 * old, no device, devices hidden by CUDA_VISIBLE_DEVICES, a device this program has no code for, no simulator) and says
 * what to do. */
int device_open(const device_choice *choice, device_facts *facts, FILE *err);

__END_DECLS
