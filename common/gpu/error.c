#include "gpu/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/progress.h"
#include "gpu/simulator.h"

static char context[256];

/* In the simulator, which has already printed on stderr what it found, if anything. */
static const char *simulator_advice(cudaError_t error) {
    switch (error) {
    case cudaErrorMemoryAllocation:
        return "; choose a smaller size";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
        return "; the kernel is at fault: the simulator's report says where (the context is lost)";
    case cudaErrorLaunchTimeout:
        return "; the kernel made no progress: CUDASIM_WATCHDOG sets how many seconds the simulator waits, 0 for ever";
    case cudaErrorNotSupported:
        return "; the simulator cannot do this: it needs a GPU";
    default:
        return "";
    }
}

const char *error_advice(cudaError_t error) {
    const char *advice = simulator_active() ? simulator_advice(error) : "";
    if (*advice != '\0') return advice;
    switch (error) {
    case cudaErrorMemoryAllocation:
        return "; choose a smaller size, or close what else uses the GPU (nvidia-smi)";
    case cudaErrorNoKernelImageForDevice:
        return "; build for this GPU: make clean && make ARCHS=...";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorInvalidPc:
        return "; the kernel is at fault: run it under compute-sanitizer (the context is lost)";
    case cudaErrorLaunchOutOfResources:
        return "; the block asks for more registers or shared memory than the device has";
    case cudaErrorInvalidConfiguration:
        return "; the grid or block dimensions are not valid";
    case cudaErrorLaunchTimeout:
        return "; the display's watchdog ended the kernel: choose a smaller size";
    default:
        return "";
    }
}

void error_context(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context, sizeof context, format, arguments);
    va_end(arguments);
}

/* Before every message: erases the progress line and says what was being done. */
static void begin_message(const char *file, int line) {
    fflush(stdout);
    progress_clear(stderr);
    if (context[0] != '\0') fprintf(stderr, "%s: ", context);
    fprintf(stderr, "%s:%d: ", file, line);
}

void error_check(cudaError_t error, const char *call, const char *file, int line) {
    if (error == cudaSuccess) return;
    begin_message(file, line);
    fprintf(stderr, "%s: %s (%s)%s\n", call, cudaGetErrorString(error), cudaGetErrorName(error), error_advice(error));
    exit(EXIT_CUDA);
}

void error_allocate(void **pointer, size_t bytes, const char *file, int line) {
    cudaError_t error = cudaMalloc(pointer, bytes);
    if (error == cudaSuccess) return;
    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    begin_message(file, line);
    fprintf(stderr, "cudaMalloc of %.3f GB, with %.3f GB of %.3f GB free: %s (%s)%s\n", (double)bytes / 1e9,
            (double)free_bytes / 1e9, (double)total_bytes / 1e9, cudaGetErrorString(error), cudaGetErrorName(error),
            error_advice(error));
    exit(EXIT_CUDA);
}
