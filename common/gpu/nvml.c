#include "gpu/nvml.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>

/* The few entry points needed, declared here so that NVML's header is not needed. */
typedef struct nvml_device *nvml_device;
enum { NVML_CLOCK_SM = 1 };

static struct {
    void *library;
    nvml_device device;
    int (*shutdown)(void);
    int (*driver_version)(char *, unsigned);
    int (*clock)(nvml_device, int, unsigned *);
    int (*power)(nvml_device, unsigned *);
} nvml;

/* ISO C cannot convert an object pointer to a function pointer; POSIX guarantees this one. */
static bool find(void *function, const char *name) {
    *(void **)function = dlsym(nvml.library, name);
    return *(void **)function != NULL;
}

bool nvml_open(int ordinal) {
    int (*init)(void);
    int (*by_address)(const char *, nvml_device *);
    char address[32];
    nvml.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (nvml.library == NULL) return false;
    if (find(&init, "nvmlInit_v2") && find(&by_address, "nvmlDeviceGetHandleByPciBusId_v2") &&
        find(&nvml.shutdown, "nvmlShutdown") && find(&nvml.driver_version, "nvmlSystemGetDriverVersion") &&
        find(&nvml.clock, "nvmlDeviceGetClockInfo") && find(&nvml.power, "nvmlDeviceGetPowerUsage") &&
        cudaDeviceGetPCIBusId(address, sizeof address, ordinal) == cudaSuccess && init() == 0) {
        if (by_address(address, &nvml.device) == 0) return true;
        nvml.shutdown();
    }
    cudaGetLastError(); /* cudaDeviceGetPCIBusId's: doing without NVML is not an error */
    dlclose(nvml.library);
    nvml.library = NULL;
    return false;
}

void nvml_close(void) {
    if (nvml.library == NULL) return;
    nvml.shutdown();
    dlclose(nvml.library);
    nvml.library = NULL;
}

bool nvml_driver_version(char *text, int size) {
    return nvml.library != NULL && nvml.driver_version(text, (unsigned)size) == 0;
}

double nvml_clock_mhz(void) {
    unsigned mhz;
    return nvml.library != NULL && nvml.clock(nvml.device, NVML_CLOCK_SM, &mhz) == 0 ? mhz : NAN;
}

double nvml_power_w(void) {
    unsigned mw;
    return nvml.library != NULL && nvml.power(nvml.device, &mw) == 0 ? mw / 1000.0 : NAN;
}
