/* Between the files of graphs (graph.c, graph_*.c): what a graph is. Everything here wants the state's lock. */
#pragma once

#include "cuda/runtime.h"

struct CUgraphNode_st {
    cudaGraph_t graph;
    operation op;
    cudaGraphNode_t *deps;
    size_t dep_count;
    cudaGraphNode_t original; /* in the graph that this one was cloned from */
    size_t mark;              /* while sorting: what it still waits for */
    cudaKernelNodeAttrValue attributes[20];
};

struct CUgraph_st {
    cudaGraphNode_t *nodes;
    size_t count;
    bool child; /* belongs to a node */
    struct CUgraph_st *next;
};

bool graph_valid(cudaGraph_t graph);
bool node_valid(cudaGraphNode_t node);

/* The nodes so that each comes after what it waits for, the earliest added first, in memory to be freed; NULL with an
 * error: cudaErrorInvalidValue if there is a cycle. */
cudaError_t graph_sort(cudaGraph_t graph, cudaGraphNode_t **order);
/* A node's place in its graph's list. */
size_t graph_place(cudaGraph_t graph, cudaGraphNode_t node);
void node_free(cudaGraphNode_t node);
bool node_depends(cudaGraphNode_t node, cudaGraphNode_t on);
bool node_add_dependency(cudaGraphNode_t node, cudaGraphNode_t on);
void graphs_free(void);

/* The operation that an executable graph has of a node; NULL: none. (graph_exec.c) */
operation *exec_operation(cudaGraphExec_t exec, cudaGraphNode_t node);
