/* What a launch needs of a kernel, beyond machine/launch.h. (load/module.c) */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H

#include "machine/machine.h"

const function *sim_kernel_entry(const sim_kernel *kernel);

/* First address past a block's shared memory with `dynamic` bytes of dynamic shared memory. */
uint32_t sim_kernel_shared_end(const sim_kernel *kernel, uint64_t dynamic);

/* Does its module contain instructions of the asynchronous proxy: bulk copies, wgmma? */
bool sim_kernel_uses_async_proxy(const sim_kernel *kernel);

#endif
