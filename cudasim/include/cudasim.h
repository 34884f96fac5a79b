/* What a program can ask of cudasim when it runs there. It need not: every CUDA program runs without.
 *
 * A program for a GPU does not link these functions, since NVIDIA's runtime has none of them; it looks them up, and
 * where there is nothing it runs on a GPU:
 *
 *     cudasim_count_function *count;
 *     *(void **)&count = dlsym(RTLD_DEFAULT, "cudasim_count");
 *     if (count != NULL) count("my kernel", "n 1000");
 *
 * None of them fails or returns an error. All may be called from any thread. */
#ifndef CUDASIM_H
#define CUDASIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Returns 1. That it is there says that the program runs in the simulator. */
typedef int cudasim_active_function(void);
cudasim_active_function cudasim_active;

/* The simulated GPU, as CUDASIM_DEVICE names it: "sm_90". */
typedef const char *cudasim_device_function(void);
cudasim_device_function cudasim_device;

/* Launches from now on are counted and traced (--counters, --trace) as those of `what`, a variant's name, at `problem`,
 * its size in words; both are copied. NULL: they are not counted. A program that never calls this has all launches
 * counted. Waits for all kernels. */
typedef void cudasim_count_function(const char *what, const char *problem);
cudasim_count_function cudasim_count;

/* on == 0: launches from now on are not checked, until it is called with another number. For those that do what a
 * launch before has done in the same memory, with other values. Waits for all kernels. */
typedef void cudasim_check_function(int on);
cudasim_check_function cudasim_check;

/* Where CUDASIM_PREDICT=request: kernels are not run, from now on until cudasim_predicted. That returns the seconds
 * that they would take on the GPU by the model of time; negative: it does not reach one of them. `soon` other than 0:
 * they will be launched again to be predicted, and until then their machine code is only noted. Reading it takes less
 * time for several kernels together. */
typedef void cudasim_predict_function(int soon);
cudasim_predict_function cudasim_predict;
typedef double cudasim_predicted_function(void);
cudasim_predicted_function cudasim_predicted;

/* On which GPU: "H200"; "A100, not validated" where only its data sheet is known. */
typedef const char *cudasim_predicted_gpu_function(void);
cudasim_predicted_gpu_function cudasim_predicted_gpu;

/* Where CUDASIM_WHY is set: lines that say of each kernel since cudasim_predict which unit bounds which part of a
 * block. */
typedef const char *cudasim_why_function(void);
cudasim_why_function cudasim_why;

/* For programs that lay out several arrays in one piece of memory: from now on an access of a kernel to the allocation
 * that holds `elements` is a finding (out-of-bounds) where it lies beside this array and others that were named so. The
 * array has rows x cols elements of element_bytes bytes; its rows are ld elements apart, and what lies between them may
 * be read. `name`, of which 31 characters are kept, is what a finding calls it. No element_bytes: nothing is done.
 * Waits for all kernels. */
typedef void cudasim_operand_function(const char *name, const void *elements, size_t element_bytes, size_t rows,
                                      size_t cols, size_t ld);
cudasim_operand_function cudasim_operand;

/* Forgets all operands: kernels may touch the whole of every allocation again. Waits for all kernels. */
typedef void cudasim_operands_end_function(void);
cudasim_operands_end_function cudasim_operands_end;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
