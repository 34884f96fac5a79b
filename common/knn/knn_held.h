/* Is an answer right whose points are on devices only? */
#ifndef KL_KNN_HELD_H
#define KL_KNN_HELD_H

#include "knn/knn_operands.h"

/* Of every o->stride-th query: each distance is THE distance of its point, bit for bit, and no other point is nearer than
 * the last neighbour. The latter in FP64 and of all points: those that are nearer by more than FP32's rounding can make
 * up for must be as many as there are among the neighbours. index and distance are in host memory, and in order. If not,
 * `text` says what is wrong. */
bool knn_held_right(const knn_operands *o, const int *index, const float *distance, char *text, size_t size);

#endif
