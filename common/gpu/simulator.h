/* The PTX simulator: a library, build/sim/libcudart.so.13, that takes the CUDA runtime's place under the same program
 * and runs its kernels on this machine's CPU. It gets there by LD_PRELOAD, so a program that wants it starts itself
 * again. From the environment it reads CUDASIM_DEVICE, CUDASIM_THREADS and CUDASIM_WATCHDOG. */
#ifndef KL_SIMULATOR_H
#define KL_SIMULATOR_H

#include <stdbool.h>
#include <stdio.h>

/* The GPUs it can stand for, as --sim-device and CUDASIM_DEVICE name them; NULL-terminated. */
extern const char *const simulator_devices[];

/* True where the simulator is underneath this process. */
bool simulator_active(void);

/* True where it is, and stands for `device` (NULL: any). */
bool simulator_is(const char *device);

/* To be called first in main. In a process that simulator_start made it puts LD_PRELOAD back as it was. Returns 0, or 3
 * after one line on `err` where the simulator was to be here and is not (so that nobody starts it again and again). */
int simulator_arrive(FILE *err);

/* Starts this program again, with these arguments, on the simulator (CUDASIM_LIB, or ../build/sim/libcudart.so.13 from
 * the program's folder), for `device` where that is not NULL. `reason` ("no NVIDIA driver here"; NULL: it was asked
 * for) begins the sentence that says so on `err`. Where the library is missing it is built first, by `make sim`.
 * Returns only on failure: 3, after one line on `err`. */
int simulator_start(char *const *argv, const char *device, const char *reason, FILE *err);

#endif
