/* ANN ("approximate nearest neighbour searching", Mount and Arya; Debian's libann-dev) in C: one thread, FP64. */
#pragma once

#include <sys/cdefs.h>

__BEGIN_DECLS

typedef struct ann_index ann_index;

/* Takes the n points of d coordinates in; tree: builds a kd-tree, else brute force. NULL where the program was built
 * without ANN. */
ann_index *ann_open(const float *points, int n, int d, int tree);

/* The k nearest of each of m queries, nearest first; each may be 1 + eps times as far away as the right one. */
void ann_search(ann_index *index, const double *queries, int m, int k, double eps, int *neighbours);
void ann_close(ann_index *index);

__END_DECLS
