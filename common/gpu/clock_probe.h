/* The clock that the SMs run at, measured: NVML's figure is a sample that lags behind and need not be of the moment. */
#pragma once

#include <cuda_runtime_api.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

typedef struct {
    void *readings; /* by SM, in device memory */
    int sms;
} clock_probe;

/* A probe for the current device; one that is all zeros may be destroyed, too. */
cudaError_t clock_probe_create(clock_probe *probe);
void clock_probe_destroy(clock_probe *probe);

/* Enqueues a warp for each SM that reads the SM's cycle counter (PTX ISA, %clock64) and the time in nanoseconds
 * (%globaltimer), before and after what is to be clocked; an SM that gets none of either's warps is left out. As often
 * as wanted: what lies between each begin and its end is added up, and should take a millisecond or more in all. */
cudaError_t clock_probe_begin(clock_probe *probe, cudaStream_t stream);
cudaError_t clock_probe_end(clock_probe *probe, cudaStream_t stream);

/* All cycles over all time of an SM, in MHz, the median of all SMs; NAN where none was read at both ends. After the
 * stream has been synchronised. */
cudaError_t clock_probe_mhz(const clock_probe *probe, double *mhz);

__END_DECLS
