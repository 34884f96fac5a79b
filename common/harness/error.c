#include "error.h"

#include <stdio.h>
#include <stdlib.h>

const char *error_advice(cudaError_t error) {
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

void error_check(cudaError_t error, const char *call, const char *file, int line) {
    if (error == cudaSuccess) return;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s (%s)%s\n", file, line, call, cudaGetErrorString(error), cudaGetErrorName(error),
            error_advice(error));
    exit(EXIT_CUDA);
}
