/* griddepcontrol: programmatic dependent launch, seen from the kernel (PTX ISA, "Parallel Synchronization and
 * Communication Instructions: griddepcontrol"; sm_90 and newer, nothing at all on older GPUs).
 *
 * A kernel launched with programmatic stream serialization may start while the one in front of it in the stream still
 * runs: once all blocks of that one have called griddepcontrol_launch_dependents() or ended. So its blocks are set up
 * already when their input arrives. Both calls do nothing in a kernel that was launched the ordinary way. */
#ifndef KL_PTX_GRIDDEPCONTROL_CUH
#define KL_PTX_GRIDDEPCONTROL_CUH

/* This block does not mind if the next kernel starts now. It promises nothing about what this block has written. */
__device__ __forceinline__ void griddepcontrol_launch_dependents() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Waits until the kernel in front has ended and all it wrote can be seen. A kernel whose every thread waits thereby
 * ends after the one in front, so a chain of such kernels stays in order. */
__device__ __forceinline__ void griddepcontrol_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#endif
