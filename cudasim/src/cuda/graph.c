/* Graphs as containers: nodes and what each waits for. A node's place in its graph's list is not its order: graph_sort
 * makes one. */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"
#include "cuda/stream.h"

static cudaGraph_t all_graphs;

/* ---- the memory of operations, child graphs among them ----------------------------------------------------------- */

cudaError_t operation_clone(operation *to, const operation *from) {
    *to = *from;
    if (from->type == cudaGraphNodeTypeGraph) {
        to->graph = graph_clone_child(from->graph);
        return to->graph ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (from->type != cudaGraphNodeTypeKernel) return cudaSuccess;
    const kernel_operation *k = &from->kernel;
    to->kernel.params = calloc(1, k->params_size + 16);
    to->kernel.args = calloc(k->arg_count + 1, sizeof(void *));
    if (!to->kernel.params || !to->kernel.args) {
        operation_free(to);
        return cudaErrorMemoryAllocation;
    }
    memcpy(to->kernel.params, k->params, k->params_size);
    for (unsigned i = 0; i < k->arg_count; i++) {
        to->kernel.args[i] = to->kernel.params + ((uint8_t *)k->args[i] - k->params);
    }
    return cudaSuccess;
}

void operation_free(operation *op) {
    if (op->type == cudaGraphNodeTypeKernel) {
        free(op->kernel.params);
        free(op->kernel.args);
    } else if (op->type == cudaGraphNodeTypeGraph) {
        graph_free(op->graph);
    }
    op->type = cudaGraphNodeTypeEmpty;
}

/* ---- nodes and graphs ---------------------------------------------------------------------------------------------
 */

void node_set_clear(node_set *set) {
    free(set->nodes);
    *set = (node_set){NULL, 0};
}

bool node_set_add(node_set *set, cudaGraphNode_t node) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->nodes[i] == node) return true;
    }
    cudaGraphNode_t *nodes = realloc(set->nodes, (set->count + 1) * sizeof(*nodes));
    if (!nodes) return false;
    nodes[set->count++] = node;
    set->nodes = nodes;
    return true;
}

bool node_set_assign(node_set *to, const node_set *from) {
    bool all = true;
    node_set_clear(to);
    for (size_t i = 0; i < from->count && all; i++) all = node_set_add(to, from->nodes[i]);
    return all;
}

cudaGraph_t graph_new(void) {
    cudaGraph_t graph = calloc(1, sizeof(*graph));
    if (!graph || !handle_add(HANDLE_GRAPH, graph, graph)) {
        free(graph);
        return NULL;
    }
    graph->next = all_graphs;
    all_graphs = graph;
    return graph;
}

void node_free(cudaGraphNode_t node) {
    handle_remove(HANDLE_NODE, node);
    operation_free(&node->op);
    free(node->deps);
    free(node);
}

void graph_free(cudaGraph_t graph) {
    if (!graph) return;
    handle_remove(HANDLE_GRAPH, graph);
    cudaGraph_t *at = &all_graphs;
    while (*at != graph) at = &(*at)->next;
    *at = graph->next;
    for (size_t i = 0; i < graph->count; i++) node_free(graph->nodes[i]);
    free(graph->nodes);
    free(graph);
}

bool node_depends(cudaGraphNode_t node, cudaGraphNode_t on) {
    for (size_t i = 0; i < node->dep_count; i++) {
        if (node->deps[i] == on) return true;
    }
    return false;
}

bool node_add_dependency(cudaGraphNode_t node, cudaGraphNode_t on) {
    cudaGraphNode_t *deps = realloc(node->deps, (node->dep_count + 1) * sizeof(*deps));
    if (!deps) return false;
    deps[node->dep_count++] = on;
    node->deps = deps;
    return true;
}

static cudaError_t check_dependencies(cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count) {
    if (!handle_find(HANDLE_GRAPH, graph) || (count > 0 && !deps)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (!handle_find(HANDLE_NODE, deps[i]) || deps[i]->graph != graph) return cudaErrorInvalidValue;
        for (size_t j = 0; j < i; j++) {
            if (deps[j] == deps[i]) return cudaErrorInvalidValue;
        }
    }
    return cudaSuccess;
}

/* A node with its dependencies, and room for it in the graph. */
static cudaGraphNode_t node_new(cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count) {
    cudaGraphNode_t *nodes = realloc(graph->nodes, (graph->count + 1) * sizeof(*nodes));
    if (!nodes) return NULL;
    graph->nodes = nodes;
    cudaGraphNode_t node = calloc(1, sizeof(*node));
    if (!node) return NULL;
    node->graph = graph;
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) ok = node_add_dependency(node, deps[i]);
    if (ok && handle_add(HANDLE_NODE, node, node)) return node;
    free(node->deps);
    free(node);
    return NULL;
}

cudaError_t graph_add(cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count, operation *op,
                      cudaGraphNode_t *out) {
    cudaError_t error = check_dependencies(graph, deps, count);
    cudaGraphNode_t node = error ? NULL : node_new(graph, deps, count);
    if (!node) {
        operation_free(op);
        return error ? error : cudaErrorMemoryAllocation;
    }
    graph->nodes[graph->count++] = node;
    node->op = *op;
    *out = node;
    return cudaSuccess;
}

size_t graph_place(cudaGraph_t graph, cudaGraphNode_t node) {
    size_t i = 0;
    while (graph->nodes[i] != node) i++;
    return i;
}

cudaGraph_t graph_clone(cudaGraph_t from) {
    cudaGraph_t to = graph_new();
    if (!to) return NULL;
    for (size_t i = 0; i < from->count; i++) {
        operation op;
        cudaGraphNode_t node;
        if (operation_clone(&op, &from->nodes[i]->op) || graph_add(to, NULL, 0, &op, &node)) {
            graph_free(to);
            return NULL;
        }
        node->original = from->nodes[i];
        memcpy(node->attributes, from->nodes[i]->attributes, sizeof(node->attributes));
    }
    for (size_t i = 0; i < from->count; i++) {
        for (size_t d = 0; d < from->nodes[i]->dep_count; d++) {
            if (node_add_dependency(to->nodes[i], to->nodes[graph_place(from, from->nodes[i]->deps[d])])) continue;
            graph_free(to);
            return NULL;
        }
    }
    return to;
}

cudaGraph_t graph_clone_child(cudaGraph_t from) {
    runtime_lock();
    cudaGraph_t to = graph_clone(from);
    if (to) to->child = true;
    runtime_unlock();
    return to;
}

bool graph_joined(cudaGraph_t graph, const cudaGraphNode_t *ends, size_t count) {
    for (size_t i = 0; i < graph->count; i++) {
        bool last = true;
        for (size_t j = 0; j < graph->count && last; j++) last = !node_depends(graph->nodes[j], graph->nodes[i]);
        for (size_t e = 0; e < count && last; e++) last = ends[e] != graph->nodes[i];
        if (last) return false;
    }
    return true;
}

cudaError_t graph_sort(cudaGraph_t graph, cudaGraphNode_t **sorted) {
    cudaGraphNode_t *order = *sorted = malloc((graph->count + 1) * sizeof(*order));
    if (!order) return cudaErrorMemoryAllocation;
    size_t done = 0;
    for (size_t i = 0; i < graph->count; i++) graph->nodes[i]->mark = 0;
    for (bool progress = true; progress && done < graph->count;) {
        progress = false;
        for (size_t i = 0; i < graph->count; i++) {
            cudaGraphNode_t node = graph->nodes[i];
            bool ready = !node->mark;
            for (size_t d = 0; d < node->dep_count && ready; d++) ready = node->deps[d]->mark != 0;
            if (!ready) continue;
            node->mark = 1;
            order[done++] = node;
            progress = true;
        }
    }
    if (done == graph->count) return cudaSuccess;
    free(order);
    *sorted = NULL;
    return cudaErrorInvalidValue;
}

bool graph_valid(cudaGraph_t graph) {
    return handle_find(HANDLE_GRAPH, graph) != NULL;
}

bool node_valid(cudaGraphNode_t node) {
    return handle_find(HANDLE_NODE, node) != NULL;
}

/* Child graphs are freed by the nodes that own them, so only the others may be freed here. */
void graphs_free(void) {
    cudaGraph_t graph = all_graphs;
    while (graph) {
        if (graph->child) {
            graph = graph->next;
        } else {
            graph_free(graph);
            graph = all_graphs;
        }
    }
}
