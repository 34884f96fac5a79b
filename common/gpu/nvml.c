#include "gpu/nvml.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stddef.h>

#include "base/array.h"
#include "gpu/library.h"

/* The few entry points needed, declared here so that NVML's header is not needed. */
typedef struct nvml_device *nvml_device;

static struct {
    void *library;
    nvml_device device;
    int (*shutdown)(void);
    int (*driver_version)(char *, unsigned);
    int (*power)(nvml_device, unsigned *);
} nvml;

bool nvml_open(int ordinal) {
    int (*init)(void);
    int (*by_address)(const char *, nvml_device *);
    char address[32];
    const library_entry entries[] = {{"nvmlInit_v2", &init},
                                     {"nvmlDeviceGetHandleByPciBusId_v2", &by_address},
                                     {"nvmlShutdown", &nvml.shutdown},
                                     {"nvmlSystemGetDriverVersion", &nvml.driver_version},
                                     {"nvmlDeviceGetPowerUsage", &nvml.power}};
    nvml.library = library_open((const char *const[]){"libnvidia-ml.so.1", NULL});
    if (nvml.library == NULL) return false;
    if (library_find(nvml.library, entries, ARRAY_SIZE(entries)) &&
        cudaDeviceGetPCIBusId(address, sizeof address, ordinal) == cudaSuccess && init() == 0) {
        if (by_address(address, &nvml.device) == 0) return true;
        nvml.shutdown();
    }
    cudaGetLastError(); /* cudaDeviceGetPCIBusId's: doing without NVML is not an error */
    library_close(nvml.library);
    nvml.library = NULL;
    return false;
}

void nvml_close(void) {
    if (nvml.library == NULL) return;
    nvml.shutdown();
    library_close(nvml.library);
    nvml.library = NULL;
}

bool nvml_driver_version(char *text, int size) {
    return nvml.library != NULL && nvml.driver_version(text, (unsigned)size) == 0;
}

double nvml_power_w(void) {
    unsigned mw;
    return nvml.library != NULL && nvml.power(nvml.device, &mw) == 0 ? mw / 1000.0 : NAN;
}
