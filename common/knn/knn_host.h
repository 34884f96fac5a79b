/* A search from host memory to host memory, copies included, as --transfers checks and times it: queries and points go
 * to the device, the answers come back. In several pieces (--pieces) the larger input is copied piece by piece on one
 * stream, while another searches the piece before:
 *
 *   more points    in      |queries|p0|p1|p2|p3|          every piece has its own k best for each query; two such lists
 *                  search             |p0|p1|p2|p3|       make one (knn_merge), and the last of them is the answer
 *                  out                            |all|
 *
 *   more queries   in      |points|q0|q1|q2|q3|           a query has its answer when its piece is searched; it goes
 *                  search            |q0|q1|q2|q3|        back on a third stream: a GPU copies both ways at once
 *                  out                  |q0|q1|q2|q3|
 */
#pragma once

#include "knn/knn_operands.h"

/* Host memory for the operands, pinned or pageable, with their queries and points in it. There is one at a time. */
void knn_host_open(const knn_operands *o, bool pageable, int pieces);
void knn_host_close(void);

/* Device bytes that it takes beside the operands. */
double knn_host_bytes(const knn_case *c);

/* As knn_refusal (knn_operands.h) of the largest piece of p; *workspace becomes at least what it wants. */
const char *knn_host_refusal(const knn_method *method, const knn_problem *p, int pieces, size_t limit, bool scarce,
                             size_t *workspace);

/* Enqueues all of it: method->search by pieces, with its copies. `stream` is done when they are. */
cudaError_t knn_host_search(const knn_method *method, const knn_problem *p, cudaStream_t stream);

/* The method for knn_verify: it searches so, on a device where no input is left but what the copies bring, and leaves
 * there what the host has got. Until the next call. */
const knn_method *knn_host_checked(const knn_method *method);
