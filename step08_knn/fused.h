/* The fused search, for whoever wants the exact answer for some of the queries only (exact_tc). */
#ifndef KL_FUSED_H
#define KL_FUSED_H

#include "knn/knn.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FUSED_MAX_K = 1024 };

/* Bytes of workspace that a search for `m` queries wants, at most limit; 0 where limit is too small. */
size_t fused_bytes(int m, int k, size_t limit);

/* The k nearest points for the queries that `rows` names (NULL: for all), *count of them (NULL: p->m), at most `most`.
 * Both lie on the device: the host need not know how many there are. workspace is aligned to 256 bytes. */
cudaError_t fused_search(const knn_problem *p, const int *rows, const unsigned *count, int most, void *workspace,
                         size_t bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
