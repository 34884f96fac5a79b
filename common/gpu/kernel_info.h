/* What `--list --verbose` asks the runtime about a kernel. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

typedef struct {
    const void *function;  /* the __global__ function */
    int threads;           /* threads per block */
    size_t dynamic_shared; /* bytes of dynamic shared memory per block */
} kernel_info;

/* How many of its blocks a multiprocessor can hold at once, and the kernel's attributes. A CUDA error ends the process.
 */
int kernel_info_occupancy(kernel_info kernel, struct cudaFuncAttributes *attributes);

__END_DECLS
