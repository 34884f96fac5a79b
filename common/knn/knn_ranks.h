/* A search by several ranks (base/ranks.h), each on a GPU of its own. Rank 0 runs the program; the others serve: they
 * hold their share of the points and wait for its orders. What travels: the queries to the ranks, and of every query k
 * (distance, index) pairs back. Points do not.
 *
 *   points divided    everybody searches all queries among its own points; the answers are merged, pair by pair of
 *                     ranks along a tree, and the k smallest of each two lists go on
 *   queries divided   everybody has all points and searches its own queries; rank 0 collects the answers
 *
 * A share is a row of consecutive rows; the first rows % ranks ranks have one more. */
#ifndef KL_KNN_RANKS_H
#define KL_KNN_RANKS_H

#include "bench/session.h"
#include "knn/knn_operands.h"

/* Where the others' points come from: from what the case says, on the host or, if case.held is set, on the device; or
 * from the file that --train names. */
typedef enum { RANKS_OF_CASE, RANKS_OF_FILE } ranks_origin;

/* The first row of a rank's share, or of the one behind the last. */
int knn_ranks_first(int rows, int ranks, int rank);

/* Starts MPI where there are several ranks, and divides the memory of a GPU that several use. To be called when the
 * device is open. Returns EXIT_OK or, after one line, EXIT_USAGE. */
int knn_ranks_open(session *s, const knn_method *methods);
void knn_ranks_close(void);

/* What all ranks but 0 do until rank 0 is done. */
int knn_ranks_serve(void);

/* How many points of the problem rank 0 has to have on its device: all, unless points are divided. */
int knn_ranks_held(const knn_case *c);

/* Device bytes beside operands and workspace. */
double knn_ranks_bytes(const knn_case *c);

/* The others get their points. */
void knn_ranks_hold(const knn_case *c, ranks_origin origin);

/* As knn_refusal (knn_operands.h), of the first rank that refuses its share; `limit` is rank 0's. */
const char *knn_ranks_refusal(const knn_method *method, const knn_case *c, const knn_problem *p, size_t limit,
                              size_t *workspace);

/* method->search by all ranks, of the problem that was held last. On rank 0's device p->points are all or its share of
 * the points, p->queries all queries; p->counts becomes the sum over the ranks, and it
 * synchronises. Alone it is method->search. */
cudaError_t knn_ranks_search(const knn_method *method, const knn_problem *p, cudaStream_t stream);

/* knn_count_nearer (knn_rank_kernels.h) by all ranks, among the points that were held last: rank 0's on its device, all
 * else in host memory. */
void knn_ranks_count_nearer(const float *points, int m, const float *queries, const double *limits,
                            unsigned long long *counts);

/* "; points divided over 4 ranks on 2 GPUs, merged in 0.123 ms": the median of the searches since a method was last
 * asked whether it refuses; "" alone. */
const char *knn_ranks_remark(void);

/* The ranks and the GPUs that they use, together. */
int knn_ranks_devices(void);

#endif
