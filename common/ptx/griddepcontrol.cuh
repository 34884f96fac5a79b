/* griddepcontrol: programmatic dependent launch, seen from the kernel (PTX ISA, "Parallel Synchronization and
 * Communication Instructions: griddepcontrol"; sm_90 and newer, nothing at all on older GPUs).
 *
 * A kernel launched with programmatic stream serialization may start while the preceding kernel in the stream is still
 * running, once all blocks of that kernel have called griddepcontrol_launch_dependents() or exited. So its blocks are
 * already set up when their input arrives. Both calls do nothing in a kernel that was launched normally. */
#pragma once

/* Lets the next kernel start as far as this block is concerned. It promises nothing about what this block has written.
 */
__device__ __forceinline__ void griddepcontrol_launch_dependents() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Waits until the preceding kernel has ended and everything it wrote is visible. A kernel in which every thread waits
 * ends after the preceding one, so a chain of such kernels stays in order. */
__device__ __forceinline__ void griddepcontrol_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
