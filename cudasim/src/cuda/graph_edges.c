/* What a graph's nodes wait for, and a graph as a drawing. */
#include <stdio.h>
#include <string.h>

#include "cuda/graph.h"

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* Gives out up to *room pointers; *room becomes how many there are, or were written. */
typedef struct output {
    cudaGraphNode_t *a, *b;
    cudaGraphEdgeData *edges;
    size_t room, count;
} output;

static void put(output *o, cudaGraphNode_t a, cudaGraphNode_t b) {
    if (o->count < o->room) {
        if (o->a) o->a[o->count] = a;
        if (o->b) o->b[o->count] = b;
        if (o->edges) memset(&o->edges[o->count], 0, sizeof(*o->edges));
    }
    o->count++;
}

static cudaError_t finish(output *o, size_t *count) {
    /* The places left over are emptied, as documented. */
    for (size_t i = o->count; o->a && i < o->room; i++) {
        o->a[i] = NULL;
        if (o->b) o->b[i] = NULL;
    }
    *count = o->a && o->count > o->room ? o->room : o->count;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    runtime_lock();
    if (!count || !graph_valid(graph)) return runtime_leave(cudaErrorInvalidValue);
    output o = {.a = nodes, .room = nodes ? *count : 0};
    for (size_t i = 0; i < graph->count; i++) put(&o, graph->nodes[i], NULL);
    return finish(&o, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    runtime_lock();
    if (!count || !graph_valid(graph)) return runtime_leave(cudaErrorInvalidValue);
    output o = {.a = nodes, .room = nodes ? *count : 0};
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->dep_count == 0) put(&o, graph->nodes[i], NULL);
    }
    return finish(&o, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count) {
    runtime_lock();
    if (!count || !graph_valid(graph) || !from != !to) return runtime_leave(cudaErrorInvalidValue);
    output o = {from, to, edges, from ? *count : 0, 0};
    for (size_t i = 0; i < graph->count; i++) {
        for (size_t d = 0; d < graph->nodes[i]->dep_count; d++) put(&o, graph->nodes[i]->deps[d], graph->nodes[i]);
    }
    return finish(&o, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *edges,
                                         size_t *count) {
    runtime_lock();
    if (!count || !node_valid(node)) return runtime_leave(cudaErrorInvalidValue);
    output o = {deps, NULL, edges, deps ? *count : 0, 0};
    for (size_t d = 0; d < node->dep_count; d++) put(&o, node->deps[d], NULL);
    return finish(&o, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                           size_t *count) {
    runtime_lock();
    if (!count || !node_valid(node)) return runtime_leave(cudaErrorInvalidValue);
    output o = {nodes, NULL, edges, nodes ? *count : 0, 0};
    for (size_t i = 0; i < node->graph->count; i++) {
        if (node_depends(node->graph->nodes[i], node)) put(&o, node->graph->nodes[i], NULL);
    }
    return finish(&o, count);
}

static bool pair_in(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
    return node_valid(from) && node_valid(to) && from != to && from->graph == graph && to->graph == graph;
}

static void remove_dependency(cudaGraphNode_t node, cudaGraphNode_t on) {
    for (size_t d = 0; d < node->dep_count; d++) {
        if (node->deps[d] != on) continue;
        memmove(&node->deps[d], &node->deps[d + 1], (node->dep_count - d - 1) * sizeof(*node->deps));
        node->dep_count--;
        return;
    }
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count) {
    runtime_lock();
    if (!graph_valid(graph) || (count > 0 && (!from || !to))) return runtime_leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        if (!pair_in(graph, from[i], to[i]) || node_depends(to[i], from[i]))
            return runtime_leave(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; i++) {
        if (node_add_dependency(to[i], from[i])) continue;
        while (i-- > 0) remove_dependency(to[i], from[i]);
        return runtime_leave(cudaErrorMemoryAllocation);
    }
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count) {
    runtime_lock();
    if (!graph_valid(graph) || (count > 0 && (!from || !to))) return runtime_leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        if (!pair_in(graph, from[i], to[i]) || !node_depends(to[i], from[i]))
            return runtime_leave(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; i++) remove_dependency(to[i], from[i]);
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    runtime_lock();
    if (!node_valid(node)) return runtime_leave(cudaErrorInvalidValue);
    cudaGraph_t graph = node->graph;
    for (size_t i = 0; i < graph->count; i++) remove_dependency(graph->nodes[i], node);
    size_t at = graph_place(graph, node);
    memmove(&graph->nodes[at], &graph->nodes[at + 1], (graph->count - at - 1) * sizeof(*graph->nodes));
    graph->count--;
    node_free(node);
    return runtime_leave(cudaSuccess);
}

/* ---- dot --------------------------------------------------------------------------------------------------------- */

static const char *type_name(const operation *op) {
    static const char *const names[] = {"KERNEL", "MEMCPY", "MEMSET", "HOST", "GRAPH", "EMPTY", "WAIT", "RECORD"};
    return (unsigned)op->type < sizeof(names) / sizeof(names[0]) ? names[op->type] : "OTHER";
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
    runtime_lock();
    if (!path || !graph_valid(graph)) return runtime_leave(cudaErrorInvalidValue);
    FILE *file = fopen(path, "w");
    if (!file) return runtime_leave(cudaErrorOperatingSystem);
    fprintf(file, "digraph graph_1 {\n");
    for (size_t i = 0; i < graph->count; i++) {
        const operation *op = &graph->nodes[i]->op;
        fprintf(file, "    node_%zu [label=\"%zu\\n%s%s%s\"];\n", i, i, type_name(op),
                op->type == cudaGraphNodeTypeKernel ? "\\n" : "",
                op->type == cudaGraphNodeTypeKernel ? op->kernel.function->name : "");
    }
    for (size_t i = 0; i < graph->count; i++) {
        for (size_t d = 0; d < graph->nodes[i]->dep_count; d++) {
            fprintf(file, "    node_%zu -> node_%zu;\n", graph_place(graph, graph->nodes[i]->deps[d]), i);
        }
    }
    fprintf(file, "}\n");
    return runtime_leave(fclose(file) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}
