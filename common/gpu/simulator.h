/* The PTX simulator: a library, cudasim/build/libcudart.so.13, that replaces the CUDA runtime under the same program
 * and runs its kernels on this machine's CPU. It is loaded through LD_PRELOAD, so a program that wants it restarts
 * itself. It reads CUDASIM_DEVICE, CUDASIM_THREADS, CUDASIM_WATCHDOG, CUDASIM_CHECK, CUDASIM_LEAK_CHECK,
 * CUDASIM_COUNTERS, CUDASIM_COUNTERS_CSV, CUDASIM_TRACE, CUDASIM_TRACE_BLOCKS, CUDASIM_PREDICT, CUDASIM_WHY,
 * CUDASIM_PREDICT_TRACE, CUDASIM_NVDISASM and CUDASIM_EXPLAIN from the environment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* The GPUs it can simulate, as named by --sim-device and CUDASIM_DEVICE; NULL-terminated. */
extern const char *const simulator_devices[];

/* What --counters takes; NULL-terminated. */
extern const char *const simulator_counters[];

/* True if this process runs on the simulator. */
bool simulator_active(void);

/* True if it does, and the simulator stands for `device` (NULL: any). */
bool simulator_is(const char *device);

/* What the simulator is to watch, or not. */
typedef struct {
    bool unchecked;           /* it does not look for mistakes of the kernels */
    bool leak_check;          /* device memory that is not freed in the end is a mistake, too */
    const char *counters;     /* it counts what kernels do, and prints it at its end in this form; NULL: not */
    const char *counters_csv; /* writes it to this file; NULL: not */
    bool predict;             /* it can say how long kernels would take on an H200 */
    bool predict_only;        /* and is asked for nothing else */
    bool why;                 /* and which unit bounds which part of a block */
    const char *trace;        /* writes a trace to this file; NULL: not */
    int trace_blocks;         /* of so many blocks of each launch; 0: as many as it does unless told otherwise */
    const char *explain;      /* instead of anything else it says what this metric is; NULL: not */
} simulator_watched;

/* Has the simulator that is started next do so. False where this process's environment said so already. */
bool simulator_watch(const simulator_watched *watched);

/* In the simulator: launches from now on are counted and traced as those of `what`, at `problem`; NULL: they are not.
 */
void simulator_count(const char *what, const char *problem);

/* In the simulator: launches from now on are checked, or are not, as they repeat those before with other values. */
void simulator_check(bool on);

/* In the simulator that predicts: kernels that are launched until simulator_predicted_ms are not run. That returns how
 * long they would take, in milliseconds; NAN: not known. `soon`: they will be launched again for that. */
bool simulator_predicts(void);
void simulator_predict(bool soon);
double simulator_predicted_ms(void);
/* On which GPU: "H200"; "A100, not validated" where only its data sheet is known. */
const char *simulator_predicted_gpu(void);
/* Of the last of these kernels: which unit bounds which part of a block, in lines; "" unless that is asked for. */
const char *simulator_why(void);

/* In the simulator: until simulator_operands_end, kernels that touch what lies around an operand make a mistake, which
 * is found where they do it. The operand has rows x cols elements of so many bytes, the rows ld elements apart (what
 * lies between them may be read); the memory that holds it holds nothing for kernels but this and other such operands.
 * `name`, of at most 31 characters, is what it is called where something is found. Both wait for all kernels. */
void simulator_operand(const char *name, const void *elements, size_t element_bytes, size_t rows, size_t cols,
                       size_t ld);
void simulator_operands_end(void);

/* Must be called first in main. In a process that simulator_start made, restores LD_PRELOAD. Returns 0, or 3 after one
 * line on `err` if the simulator should be loaded and is not (so that it is not started again and again). */
int simulator_arrive(FILE *err);

/* Restarts this program with these arguments on the simulator (CUDASIM_LIB, or ../cudasim/build/libcudart.so.13
 * relative to the program's folder), simulating `device` unless that is NULL. `reason` ("no NVIDIA driver here"; NULL:
 * it was requested) begins the sentence on `err` that says so. If the library is missing, it is built first with `make
 * sim`. Returns only on failure: 3, after one line on `err`. */
int simulator_start(char *const *argv, const char *device, const char *reason, FILE *err);

__END_DECLS
