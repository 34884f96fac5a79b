/* A search by several ranks (base/ranks.h), each on a GPU of its own. Rank 0 runs the program; the others serve: they
 * hold their share of the points and wait for its orders. What travels: the queries to the ranks, and of every query k
 * (distance, index) pairs back. Points do not.
 *
 *   points divided    everybody searches all queries among its own points; the answers are merged, pair by pair of
 *                     ranks along a tree, and the k smallest of each two lists go on
 *   queries divided   everybody has all points and searches its own queries; rank 0 collects the answers
 *
 * A share are consecutive rows; the first rows % ranks ranks have one more. Alone, a rank does all of it. */
#pragma once

#include "bench/session.h"
#include "knn/knn_operands.h"

/* Some rows of --train, as they are searched: in *room, to be freed, or in memory that stays as it is. */
typedef const float *knn_file_rows(session *s, int first, int rows, float **room);

/* Starts MPI where there are several ranks; s->memory becomes what the rank with the least may take. Returns EXIT_OK
 * or, after one line, EXIT_USAGE. */
int knn_ranks_open(session *s, const knn_method *methods, knn_file_rows *rows);
void knn_ranks_close(void);

/* What all ranks but 0 do until rank 0 is done. */
int knn_ranks_serve(void);

/* How many points of the problem rank 0 has to have on its device: all, unless points are divided. */
int knn_ranks_held(const knn_case *c);

/* Device bytes beside operands and workspace. */
double knn_ranks_bytes(const knn_case *c);

/* The others get their points: those of the case, made on the host or, where case.held is set, on the device; or those
 * of the file that --train names. */
void knn_ranks_hold(const knn_case *c, bool of_file);

/* As knn_refusal (knn_operands.h), of rank 0's share, which no other exceeds. */
const char *knn_ranks_refusal(const knn_method *method, const knn_case *c, const knn_problem *p, size_t limit,
                              size_t *workspace);

/* method->search by all ranks, of the problem that was held last and as it was last asked for. On rank 0's device
 * p->points are all or its share of the points, p->queries all queries; p->counts becomes the sum over the ranks, and
 * it synchronises. Alone it is method->search. */
cudaError_t knn_ranks_search(const knn_method *method, const knn_problem *p, cudaStream_t stream);

/* knn_count_nearer by all ranks, of the first `rows` queries; limits and counts are in host memory. */
void knn_ranks_count_nearer(const float *points, const float *queries, int rows, double *limits,
                            unsigned long long *counts);

/* "; points divided over 4 ranks on 2 GPUs, merged in 0.123 ms": the median of the searches since a method was last
 * asked whether it refuses; "" alone. The GPUs of all ranks together. */
const char *knn_ranks_remark(void);
int knn_ranks_devices(void);
