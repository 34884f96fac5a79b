/* The end: of the process, and what cudaDeviceReset leaves. */
#include <stdio.h>
#include <unistd.h>

#include "base/heap.h"
#include "cuda/ending.h"
#include "cuda/runtime.h"

/* All that the program has made but its modules. */
static void free_objects(void) {
    streams_close();
    events_close();
    graphs_close();
    pools_close();
}

cudaError_t cudaDeviceReset(void) {
    machine_lock();
    runtime_lock();
    sim_printf_flush();
    free_objects();
    modules_unload();
    memory_reset();
    heap_reset();
    limits_reset();
    runtime_set_sticky(cudaSuccess);
    runtime_unlock();
    machine_unlock();
    runtime_forget_error();
    return cudaSuccess;
}

__attribute__((destructor)) static void runtime_close(void) {
    machine_lock();
    const int status = ending_report(ending_status());
    runtime_lock();
    free_objects();
    modules_close();
    refusals_forget();
    runtime_unlock();
    machine_unlock();
    if (status == 0) return;
    fflush(NULL);
    _exit(status);
}
