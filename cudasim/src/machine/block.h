/* Blocks and clusters are made, begun and freed. */
#pragma once

#include "machine/cluster.h"

/* A cluster of the worker's launch, and all that its blocks need; where there is no memory the launch is over. */
cluster *cluster_new(worker *k);

/* Its blocks are those of the grid from `index` on. */
void cluster_begin(cluster *c, uint64_t index);

/* This cluster and those made before it. */
void clusters_free(cluster *c);
