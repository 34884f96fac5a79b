/* How fast can bytes be read at all? The ceiling of everything that is bound by memory. */
#ifndef KL_READ_CEILING_H
#define KL_READ_CEILING_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ways of reading (16-byte loads in flight a thread, blocks that end or stay); which is fastest depends on the size. */
enum { READ_CEILING_WAYS = 6 };

/* Reads `bytes` from `data` (aligned to 16 bytes; a rest of less than 16 bytes is left out), each once, and writes
 * nothing; with `pdl` launched with programmatic dependent launch. Returns the launch's error. */
cudaError_t read_ceiling(const void *data, size_t bytes, int way, bool pdl, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
