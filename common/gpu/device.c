#include "gpu/device.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"
#include "gpu/nvml.h"
#include "gpu/simulator.h"

static int attribute(enum cudaDeviceAttr which, int ordinal) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, ordinal));
    return value;
}

/* What to try if the GPU cannot be used, for a program that can be restarted. */
static const char *offer(const device_choice *choice) {
    return choice->arguments != NULL ? "; --sim runs it without a GPU" : "";
}

/* cudaGetDeviceCount failed: use the simulator if there is nothing to repair, else say why in one sentence. */
static int without_device(cudaError_t error, const device_choice *choice, FILE *err) {
    int driver = 0;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    cudaDriverGetVersion(&driver); /* 0 where no driver is installed */
    const bool no_driver = error == cudaErrorInsufficientDriver && driver == 0;
    const bool no_gpu = error == cudaErrorNoDevice && visible == NULL;
    if ((no_driver || no_gpu) && choice->arguments != NULL && !simulator_active())
        return simulator_start(choice->arguments, choice->sim_device,
                               no_driver ? "no NVIDIA driver here" : "no NVIDIA GPU here", err);

    if (no_driver)
        fprintf(err, "no NVIDIA driver is installed on this machine: run this on one with a GPU and its driver\n");
    else if (error == cudaErrorInsufficientDriver)
        fprintf(err,
                "the NVIDIA driver is too old: it supports CUDA %d.%d, this program needs %d.%d: update the driver%s\n",
                driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, offer(choice));
    else if (no_gpu)
        fprintf(err, "the NVIDIA driver finds no GPU on this machine\n");
    else if (error == cudaErrorNoDevice)
        fprintf(err, "CUDA_VISIBLE_DEVICES=\"%s\" hides every GPU: unset it or name one that exists%s\n", visible,
                offer(choice));
    else
        fprintf(err, "no usable GPU: %s (%s)%s\n", cudaGetErrorString(error), cudaGetErrorName(error), offer(choice));
    return EXIT_CUDA;
}

int device_open(const device_choice *choice, device_facts *d, FILE *err) {
    const bool simulate = choice->simulate || choice->sim_device != NULL;
    if (simulate && choice->arguments != NULL && (choice->again || !simulator_is(choice->sim_device)))
        return simulator_start(choice->arguments, choice->sim_device, NULL, err);

    int count = 0, ordinal = choice->ordinal;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0)
        return without_device(error == cudaSuccess ? cudaErrorNoDevice : error, choice, err);
    if (ordinal >= count) {
        fprintf(err, "%s: --device %d: there %s %d GPU%s here, numbered from 0\n", choice->program, ordinal,
                count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
        return EXIT_USAGE;
    }
    ordinal = (ordinal + choice->local_rank) % count;
    error = cudaSetDevice(ordinal);
    if (error != cudaSuccess) {
        fprintf(err, "GPU %d cannot be used: %s (%s)%s\n", ordinal, cudaGetErrorString(error), cudaGetErrorName(error),
                offer(choice));
        return EXIT_CUDA;
    }

    struct cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
    *d = (device_facts){.ordinal = ordinal, .simulated = simulator_active()};
    const bool say_so = d->simulated && strstr(properties.name, "(simulated)") == NULL;
    snprintf(d->name, sizeof d->name, "%.200s%s", properties.name, say_so ? " (simulated)" : "");
    d->cc = properties.major * 10 + properties.minor;
    if (!d->simulated && choice->has_code != NULL && !choice->has_code()) {
        fprintf(err,
                "%s has compute capability %d.%d, for which this program has no code: make clean && make "
                "ARCHS=%d%s%s\n",
                d->name, properties.major, properties.minor, d->cc, d->cc == 90 || d->cc == 100 ? "a" : "",
                offer(choice));
        return EXIT_CUDA;
    }
    d->sms = properties.multiProcessorCount;
    d->clock_mhz = attribute(cudaDevAttrClockRate, ordinal) / 1e3;
    d->memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, ordinal) / 1e3;
    d->bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal);
    d->l2_bytes = (size_t)attribute(cudaDevAttrL2CacheSize, ordinal);
    d->memory_bytes = properties.totalGlobalMem;
    d->shared_per_sm = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, ordinal);
    d->shared_per_block = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
    d->registers_per_sm = attribute(cudaDevAttrMaxRegistersPerMultiprocessor, ordinal);
    d->threads_per_sm = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, ordinal);
    device_peaks(d);

    int runtime = 0, driver = 0;
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    snprintf(d->cuda, sizeof d->cuda, "%d.%d", runtime / 1000, runtime % 1000 / 10);
    if (d->simulated)
        snprintf(d->driver, sizeof d->driver, "none");
    else if (!nvml_open(ordinal) || !nvml_driver_version(d->driver, sizeof d->driver))
        snprintf(d->driver, sizeof d->driver, "for CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    return EXIT_OK;
}
