/* Machines for tests/gpu/test_simulator.sh: FAKE_MACHINE says which the program finds itself on; in the simulator, and
 * without it, the CUDA runtime answers. With SAY_LEFT the last line says what the run left of the way there. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/simulator.h"

static bool machine_is(const char *what) {
    const char *machine = getenv("FAKE_MACHINE");
    return machine != NULL && !simulator_active() && strcmp(machine, what) == 0;
}

cudaError_t cudaGetDeviceCount(int *count) {
    cudaError_t (*real)(int *);
    *(void **)&real = dlsym(RTLD_NEXT, "cudaGetDeviceCount");
    if (machine_is("no driver") || machine_is("old driver")) return cudaErrorInsufficientDriver;
    return machine_is("no gpu") ? cudaErrorNoDevice : real(count);
}

cudaError_t cudaDriverGetVersion(int *version) {
    cudaError_t (*real)(int *);
    *(void **)&real = dlsym(RTLD_NEXT, "cudaDriverGetVersion");
    if (!machine_is("no driver") && !machine_is("old driver")) return real(version);
    *version = machine_is("no driver") ? 0 : 12020;
    return cudaSuccess;
}

__attribute__((destructor)) static void say_left(void) {
    const char *preload = getenv("LD_PRELOAD"), *device = getenv("CUDASIM_DEVICE");
    if (getenv("SAY_LEFT") == NULL) return;
    printf("left: %s, preload %s, device %s, marker %s\n", simulator_active() ? "simulated" : "not simulated",
           preload != NULL ? preload : "unset", device != NULL ? device : "unset",
           getenv("CUDASIM_STARTED_AGAIN") != NULL ? "set" : "unset");
    fflush(stdout);
}
