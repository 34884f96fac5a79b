#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "gpu/clock_probe.h"

enum { BEGIN, END, ENDS };

struct reading {
    long long cycles;
    unsigned long long ns; /* 0: nothing was read */
};

static __global__ void read_clocks(reading *readings, int sms) {
    unsigned sm;
    unsigned long long ns;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    if (threadIdx.x == 0 && sm < sms) readings[sm] = reading{clock64(), ns};
}

static cudaError_t read(clock_probe *probe, int end, cudaStream_t stream) {
    reading *readings = (reading *)probe->readings + end * probe->sms;
    read_clocks<<<probe->sms, 32, 0, stream>>>(readings, probe->sms);
    return cudaGetLastError();
}

cudaError_t clock_probe_create(clock_probe *probe) {
    int device;
    *probe = clock_probe{NULL, 0};
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&probe->sms, cudaDevAttrMultiProcessorCount, device);
    /* Now, for a kernel that is loaded at its first launch would keep the host waiting for what is being measured. */
    cudaFuncAttributes unused;
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&unused, read_clocks);
    if (error == cudaSuccess) error = cudaMalloc(&probe->readings, ENDS * probe->sms * sizeof(reading));
    return error != cudaSuccess ? error : cudaMemset(probe->readings, 0, ENDS * probe->sms * sizeof(reading));
}

void clock_probe_destroy(clock_probe *probe) {
    if (probe->readings != NULL) cudaFree(probe->readings);
    *probe = clock_probe{NULL, 0};
}

cudaError_t clock_probe_begin(clock_probe *probe, cudaStream_t stream) {
    return read(probe, BEGIN, stream);
}

cudaError_t clock_probe_end(clock_probe *probe, cudaStream_t stream) {
    return read(probe, END, stream);
}

cudaError_t clock_probe_mhz(const clock_probe *probe, double *mhz) {
    const size_t count = (size_t)probe->sms;
    reading *readings = (reading *)malloc(ENDS * count * sizeof *readings);
    double *of_sm = (double *)malloc(count * sizeof *of_sm);
    cudaError_t error = cudaErrorMemoryAllocation;
    int read = 0;
    if (readings != NULL && of_sm != NULL)
        error = cudaMemcpy(readings, probe->readings, ENDS * count * sizeof *readings, cudaMemcpyDeviceToHost);
    for (size_t sm = 0; sm < count && error == cudaSuccess; sm++) {
        const reading begin = readings[sm], end = readings[count + sm];
        if (begin.ns != 0 && end.ns > begin.ns)
            of_sm[read++] = (double)(end.cycles - begin.cycles) / (double)(end.ns - begin.ns) * 1e3;
    }
    *mhz = error == cudaSuccess ? stats_summarise(of_sm, read).median : NAN;
    free(readings);
    free(of_sm);
    return error;
}
