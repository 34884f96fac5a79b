/* The fused search, for callers that need the exact answer for only some of the queries (exact_tc). */
#pragma once

#include "knn/knn.h"

__BEGIN_DECLS

enum { FUSED_MAX_K = 1024 };

/* Bytes of workspace to allocate for a search of `m` queries, at most limit; 0 if limit is too small. */
size_t fused_bytes(int m, int k, size_t limit);

/* The k nearest points for the queries listed in `rows` (NULL: for all), *count of them (NULL: p->m), at most `most`.
 * Both are on the device: the host need not know how many there are. workspace is aligned to 256 bytes. */
cudaError_t fused_search(const knn_problem *p, const int *rows, const unsigned *count, int most, void *workspace,
                         size_t bytes, cudaStream_t stream);

__END_DECLS
