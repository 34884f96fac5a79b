#include "gpu/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/progress.h"
#include "gpu/simulator.h"

static char context[256];

static const char AT_FAULT[] = "; the kernel is at fault: run it under compute-sanitizer (the context is lost)";
/* The simulator has already printed on stderr what it found. */
static const char FOUND[] = "; the kernel is at fault: the simulator's report says where (the context is lost)";

/* What the user can do about it: begins with "; ". */
static const struct {
    cudaError_t error;
    const char *advice;
    const char *simulated; /* NULL: the same in the simulator */
} advices[] = {
    {cudaErrorMemoryAllocation, "; choose a smaller size, or close what else uses the GPU (nvidia-smi)",
     "; choose a smaller size"},
    {cudaErrorNoKernelImageForDevice, "; build for this GPU: make clean && make ARCHS=...", NULL},
    {cudaErrorIllegalAddress, AT_FAULT, FOUND},
    {cudaErrorMisalignedAddress, AT_FAULT, FOUND},
    {cudaErrorInvalidAddressSpace, "", FOUND},
    {cudaErrorIllegalInstruction, AT_FAULT, FOUND},
    {cudaErrorHardwareStackError, AT_FAULT, FOUND},
    {cudaErrorInvalidPc, AT_FAULT, FOUND},
    {cudaErrorLaunchFailure, "", FOUND},
    {cudaErrorLaunchOutOfResources, "; the block asks for more registers or shared memory than the device has", NULL},
    {cudaErrorInvalidConfiguration, "; the grid or block dimensions are not valid", NULL},
    {cudaErrorLaunchTimeout, "; the display's watchdog ended the kernel: choose a smaller size",
     "; the kernel made no progress: CUDASIM_WATCHDOG sets how many seconds the simulator waits, 0 for ever"},
    {cudaErrorNotSupported, "", "; the simulator cannot do this: it needs a GPU"},
};

static const char *advice_for(cudaError_t error) {
    for (int i = 0; i < ARRAY_SIZE(advices); i++)
        if (advices[i].error == error)
            return simulator_active() && advices[i].simulated != NULL ? advices[i].simulated : advices[i].advice;
    return "";
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
    fprintf(stderr, "%s: %s (%s)%s\n", call, cudaGetErrorString(error), cudaGetErrorName(error), advice_for(error));
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
            advice_for(error));
    exit(EXIT_CUDA);
}
