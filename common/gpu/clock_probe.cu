#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "gpu/clock_probe.h"

struct reading {
    unsigned long long cycles_begin, ns_begin; /* ns 0: nothing was read since the last end */
    unsigned long long cycles, ns;             /* of all that lay between */
};

/* A SM may get two warps or none: what one has taken, or nobody has read, is not taken. */
static __global__ void read_clocks(reading *readings, int sms, bool at_end) {
    unsigned sm;
    unsigned long long ns, cycles;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;\n\tmov.u64 %1, %%clock64;" : "=l"(ns), "=l"(cycles));
    if (threadIdx.x != 0 || sm >= sms) return;
    reading *r = &readings[sm];
    if (!at_end) {
        r->cycles_begin = cycles;
        atomicExch(&r->ns_begin, ns);
        return;
    }
    const unsigned long long cycles_begin = r->cycles_begin, ns_begin = atomicExch(&r->ns_begin, 0);
    if (ns_begin == 0 || ns <= ns_begin) return;
    atomicAdd(&r->cycles, cycles - cycles_begin);
    atomicAdd(&r->ns, ns - ns_begin);
}

static cudaError_t read(clock_probe *probe, bool at_end, cudaStream_t stream) {
    read_clocks<<<probe->sms, 32, 0, stream>>>((reading *)probe->readings, probe->sms, at_end);
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
    if (error == cudaSuccess) error = cudaMalloc(&probe->readings, probe->sms * sizeof(reading));
    return error != cudaSuccess ? error : cudaMemset(probe->readings, 0, probe->sms * sizeof(reading));
}

void clock_probe_destroy(clock_probe *probe) {
    if (probe->readings != NULL) cudaFree(probe->readings);
    *probe = clock_probe{NULL, 0};
}

cudaError_t clock_probe_begin(clock_probe *probe, cudaStream_t stream) {
    return read(probe, false, stream);
}

cudaError_t clock_probe_end(clock_probe *probe, cudaStream_t stream) {
    return read(probe, true, stream);
}

cudaError_t clock_probe_mhz(const clock_probe *probe, double *mhz) {
    const size_t count = (size_t)probe->sms;
    reading *readings = (reading *)malloc(count * sizeof *readings);
    double *of_sm = (double *)malloc(count * sizeof *of_sm);
    cudaError_t error = cudaErrorMemoryAllocation;
    int read = 0;
    if (readings != NULL && of_sm != NULL)
        error = cudaMemcpy(readings, probe->readings, count * sizeof *readings, cudaMemcpyDeviceToHost);
    for (size_t sm = 0; sm < count && error == cudaSuccess; sm++)
        if (readings[sm].ns > 0) of_sm[read++] = (double)readings[sm].cycles / (double)readings[sm].ns * 1e3;
    *mhz = error == cudaSuccess ? stats_summarise(of_sm, read).median : NAN;
    free(readings);
    free(of_sm);
    return error;
}
