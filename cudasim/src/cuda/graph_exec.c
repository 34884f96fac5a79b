/* Executable graphs: lists of operations, run one after the other. */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

typedef struct exec_node {
    cudaGraphNode_t node; /* the graph's own, by which the program names it; may be gone */
    operation op;
    bool enabled;
} exec_node;

struct CUgraphExec_st {
    exec_node *nodes; /* in order */
    size_t count;
    unsigned long long flags;
    size_t *deps; /* for cudaGraphExecUpdate: each node's dependencies as places in order, after their number */
};

static void exec_free(cudaGraphExec_t exec) {
    handle_remove(HANDLE_EXEC, exec);
    for (size_t i = 0; i < exec->count; i++) operation_free(&exec->nodes[i].op);
    free(exec->nodes);
    free(exec->deps);
    free(exec);
}

/* Every node's dependencies, as places in the graph's list, in one array: [number, place ...] a node. */
static size_t *edge_list(cudaGraph_t graph, size_t *length) {
    size_t n = graph->count;
    for (size_t i = 0; i < graph->count; i++) n += graph->nodes[i]->dep_count;
    size_t *list = calloc(n + 1, sizeof(*list));
    *length = n;
    for (size_t i = 0, at = 0; list && i < graph->count; i++) {
        list[at++] = graph->nodes[i]->dep_count;
        for (size_t d = 0; d < graph->nodes[i]->dep_count; d++)
            list[at++] = graph_place(graph, graph->nodes[i]->deps[d]);
    }
    return list;
}

/* Under the lock. */
static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                     cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
    if (!out || !graph_valid(graph) || (flags & ~known)) return cudaErrorInvalidValue;
    *out = NULL;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) return runtime_refuse("a graph launched by a kernel");
    for (size_t i = 0; i < graph->count; i++) {
        const operation *op = &graph->nodes[i]->op;
        if (op->type != cudaGraphNodeTypeGraph) continue;
        cudaGraphNode_t *inner;
        cudaError_t error = graph_sort(op->graph, &inner);
        free(inner);
        if (error) return error;
    }
    cudaGraphNode_t *order;
    cudaError_t error = graph_sort(graph, &order);
    if (error) return error;
    cudaGraphExec_t exec = calloc(1, sizeof(*exec));
    exec_node *nodes = calloc(graph->count + 1, sizeof(*nodes));
    size_t length;
    size_t *deps = edge_list(graph, &length);
    if (!exec || !nodes || !deps || !handle_add(HANDLE_EXEC, exec, exec)) {
        free(exec), free(nodes), free(deps), free(order);
        return cudaErrorMemoryAllocation;
    }
    exec->nodes = nodes;
    exec->deps = deps;
    exec->flags = flags;
    for (size_t i = 0; i < graph->count && !error; i++) {
        nodes[i].node = order[i];
        nodes[i].enabled = true;
        error = operation_clone(&nodes[i].op, &order[i]->op);
        if (!error) exec->count++;
    }
    free(order);
    if (error) {
        exec_free(exec);
    } else {
        *out = exec;
    }
    return error;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    TOUCH_DEVICE();
    runtime_lock();
    return runtime_leave(instantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *p) {
    TOUCH_DEVICE();
    if (!p) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    cudaError_t error = instantiate(exec, graph, p->flags);
    p->errNode_out = NULL;
    p->result_out = error ? cudaGraphInstantiateInvalidStructure : cudaGraphInstantiateSuccess;
    return runtime_leave(error);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
    runtime_lock();
    if (!flags || !handle_find(HANDLE_EXEC, exec)) return runtime_leave(cudaErrorInvalidValue);
    *flags = exec->flags;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    runtime_lock();
    bool valid = handle_find(HANDLE_EXEC, exec) != NULL;
    if (valid) exec_free(exec);
    return runtime_leave(valid ? cudaSuccess : cudaErrorInvalidValue);
}

/* A copy of an executable graph's operations as a graph, for a capture. */
static cudaError_t capture_exec(cudaGraphExec_t exec, cudaStream_t stream) {
    operation op = {.type = cudaGraphNodeTypeGraph, .graph = graph_new()};
    if (!op.graph) return cudaErrorMemoryAllocation;
    op.graph->child = true;
    cudaGraphNode_t last = NULL;
    for (size_t i = 0; i < exec->count; i++) {
        operation copy;
        if (!exec->nodes[i].enabled) continue;
        cudaError_t error = operation_clone(&copy, &exec->nodes[i].op);
        if (!error) error = graph_add(op.graph, &last, last ? 1 : 0, &copy, &last);
        if (error) {
            operation_free(&op);
            return error;
        }
    }
    return stream_submit(stream, &op);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    TOUCH_DEVICE();
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaError_t error = stream_valid(stream);
    if (error) return runtime_result(error);
    runtime_lock();
    if (!handle_find(HANDLE_EXEC, exec)) return runtime_leave(cudaErrorInvalidValue);
    error = cudaStreamIsCapturing(stream, &status);
    if (error || status != cudaStreamCaptureStatusNone)
        return runtime_leave(error ? error : capture_exec(exec, stream));
    runtime_unlock();
    for (size_t i = 0; i < exec->count && !error; i++) {
        if (exec->nodes[i].enabled) error = stream_run(stream, &exec->nodes[i].op);
    }
    /* A later call returns the errors of its kernels, as after a launch. */
    return error == runtime_sticky() ? cudaSuccess : runtime_result(error);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    TOUCH_DEVICE();
    runtime_lock();
    bool valid = handle_find(HANDLE_EXEC, exec) != NULL;
    return runtime_leave(valid ? stream_check(stream) : cudaErrorInvalidValue);
}

/* Under the lock. */
static exec_node *exec_find(cudaGraphExec_t exec, cudaGraphNode_t node) {
    if (!handle_find(HANDLE_EXEC, exec)) return NULL;
    for (size_t i = 0; i < exec->count; i++) {
        if (exec->nodes[i].node == node) return &exec->nodes[i];
    }
    return NULL;
}

operation *exec_operation(cudaGraphExec_t exec, cudaGraphNode_t node) {
    exec_node *e = exec_find(exec, node);
    return e ? &e->op : NULL;
}

/* Only work can be switched off. */
static bool can_be_disabled(const exec_node *e) {
    return e && (e->op.type == cudaGraphNodeTypeKernel || e->op.type == cudaGraphNodeTypeMemcpy ||
                 e->op.type == cudaGraphNodeTypeMemset);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    runtime_lock();
    exec_node *e = exec_find(exec, node);
    if (!can_be_disabled(e)) return runtime_leave(cudaErrorInvalidValue);
    e->enabled = enabled != 0;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled) {
    runtime_lock();
    exec_node *e = exec_find(exec, node);
    if (!enabled || !can_be_disabled(e)) return runtime_leave(cudaErrorInvalidValue);
    *enabled = e->enabled;
    return runtime_leave(cudaSuccess);
}

/* Under the lock: what keeps the executable graph from taking this graph's operations. */
static enum cudaGraphExecUpdateResult compare(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *order,
                                              cudaGraphNode_t *different) {
    if (exec->count != graph->count) return cudaGraphExecUpdateErrorTopologyChanged;
    size_t length;
    size_t *deps = edge_list(graph, &length);
    if (!deps) return cudaGraphExecUpdateError;
    /* Numbers of dependencies come first a node, so equal prefixes mean equal lengths. */
    bool same = true;
    for (size_t i = 0, at = 0; same && i < graph->count; i++) {
        size_t n = deps[at];
        same = exec->deps[at] == n && memcmp(&exec->deps[at], &deps[at], (n + 1) * sizeof(*deps)) == 0;
        at += n + 1;
    }
    free(deps);
    if (!same) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < graph->count; i++) {
        *different = order[i];
        if (order[i]->op.type != exec->nodes[i].op.type) return cudaGraphExecUpdateErrorNodeTypeChanged;
    }
    *different = NULL;
    return cudaGraphExecUpdateSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    TOUCH_DEVICE();
    runtime_lock();
    if (!info || !handle_find(HANDLE_EXEC, exec) || !graph_valid(graph)) return runtime_leave(cudaErrorInvalidValue);
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    cudaGraphNode_t *order;
    if (graph_sort(graph, &order)) return runtime_leave(cudaErrorGraphExecUpdateFailure);
    info->result = compare(exec, graph, order, &info->errorNode);
    for (size_t i = 0; info->result == cudaGraphExecUpdateSuccess && i < graph->count; i++) {
        operation op;
        if (operation_clone(&op, &order[i]->op)) {
            info->result = cudaGraphExecUpdateError;
            break;
        }
        operation_free(&exec->nodes[i].op);
        exec->nodes[i].op = op;
    }
    free(order);
    return runtime_leave(info->result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

void graphs_close(void) {
    const void *key;
    cudaGraphExec_t exec;
    while ((exec = handle_any(HANDLE_EXEC, &key)) != NULL) exec_free(exec);
    graphs_free();
}
