/* How fast can bytes be read at all? The ceiling for everything that is bound by memory. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* Ways of reading (16-byte loads in flight per thread; one block per piece or a persistent grid); which is fastest
 * depends on the size. */
enum { READ_CEILING_WAYS = 6 };

/* Reads `bytes` from `data` (aligned to 16 bytes; a remainder of less than 16 bytes is skipped), each once, and writes
 * nothing; with `pdl`, launched with programmatic dependent launch. Returns the error of the launch. */
cudaError_t read_ceiling(const void *data, size_t bytes, int way, bool pdl, cudaStream_t stream);

__END_DECLS
