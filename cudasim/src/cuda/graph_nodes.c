/* Graphs and their nodes: made, asked and changed. */
#include <string.h>

#include "cuda/graph.h"

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    TOUCH_DEVICE();
    if (!graph || flags != 0) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    *graph = graph_new();
    return runtime_leave(*graph ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    runtime_lock();
    bool ours = graph_valid(graph) && !graph->child;
    if (ours) graph_free(graph);
    return runtime_leave(ours ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
    TOUCH_DEVICE();
    runtime_lock();
    if (!clone || !graph_valid(graph)) return runtime_leave(cudaErrorInvalidValue);
    *clone = graph_clone(graph);
    return runtime_leave(*clone ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t original, cudaGraph_t clone) {
    runtime_lock();
    if (!found || !graph_valid(clone)) return runtime_leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < clone->count; i++) {
        if (clone->nodes[i]->original == original) {
            *found = clone->nodes[i];
            return runtime_leave(cudaSuccess);
        }
    }
    return runtime_leave(cudaErrorInvalidValue);
}

/* ---- the operations that nodes' parameters describe -------------------------------------------------------------- */

static cudaError_t node_kernel(operation *op, const struct cudaKernelNodeParams *p) {
    if (!p) return cudaErrorInvalidValue;
    return operation_kernel(op, p->func, p->gridDim, p->blockDim, p->kernelParams, p->extra, p->sharedMemBytes, false,
                            NULL);
}

static cudaError_t node_host(operation *op, const struct cudaHostNodeParams *params) {
    if (!params || !params->fn) return cudaErrorInvalidValue;
    *op = (operation){.type = cudaGraphNodeTypeHost, .host = {.function = params->fn, .data = params->userData}};
    return cudaSuccess;
}

static cudaError_t node_child(operation *op, cudaGraph_t child) {
    runtime_lock();
    const bool valid = graph_valid(child);
    *op = (operation){.type = cudaGraphNodeTypeGraph, .graph = valid ? graph_clone_child(child) : NULL};
    runtime_unlock();
    return op->graph ? cudaSuccess : valid ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
}

static cudaError_t node_event(operation *op, enum cudaGraphNodeType type, cudaEvent_t event) {
    *op = (operation){.type = type, .event = event};
    return event_valid(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t node_any(operation *op, const struct cudaGraphNodeParams *p) {
    if (!p) return cudaErrorInvalidValue;
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return operation_kernel(op, p->kernel.func, p->kernel.gridDim, p->kernel.blockDim, p->kernel.kernelParams,
                                p->kernel.extra, p->kernel.sharedMemBytes, false, NULL);
    case cudaGraphNodeTypeMemcpy:
        return operation_copy(op, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
        struct cudaMemsetParams set = {.dst = p->memset.dst,
                                       .pitch = p->memset.pitch,
                                       .value = p->memset.value,
                                       .elementSize = p->memset.elementSize,
                                       .width = p->memset.width,
                                       .height = p->memset.height};
        return operation_set(op, &set);
    }
    case cudaGraphNodeTypeHost: {
        struct cudaHostNodeParams host = {p->host.fn, p->host.userData};
        return node_host(op, &host);
    }
    case cudaGraphNodeTypeGraph:
        return node_child(op, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        *op = (operation){.type = cudaGraphNodeTypeEmpty};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return node_event(op, p->type, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return node_event(op, p->type, p->eventRecord.event);
    default:
        return runtime_refuse("a graph node that allocates, frees, is conditional or uses external semaphores");
    }
}

/* ---- adding nodes, and setting what they do ---------------------------------------------------------------------- */

/* `error` is what making the operation gave. */
static cudaError_t add_node(const char *call, cudaError_t error, cudaGraphNode_t *node, cudaGraph_t graph,
                            const cudaGraphNode_t *deps, size_t count, operation *op) {
    if (error) return runtime_result_of(call, error);
    if (!node) {
        operation_free(op);
        return runtime_result_of(call, cudaErrorInvalidValue);
    }
    runtime_lock();
    return runtime_leave_of(call, graph_add(graph, deps, count, op, node));
}

/* A launch's attributes stay with the node when the rest is set anew. */
static cudaError_t node_keep_attributes(sim_launch_config *to, const sim_launch_config *from) {
    to->cooperative = from->cooperative;
    if (!from->explicit_cluster) return cudaSuccess;
    for (int k = 0; k < 3; k++)
        if (to->grid[k] % from->cluster[k]) return cudaErrorInvalidClusterSize;
    memcpy(to->cluster, from->cluster, sizeof to->cluster);
    to->explicit_cluster = true;
    return cudaSuccess;
}

/* Under the lock: replaces an operation (NULL: there is none) by one of the same type. */
static cudaError_t replace(operation *old, operation *op) {
    if (!old || old->type != op->type) return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    if (op->type == cudaGraphNodeTypeKernel) error = node_keep_attributes(&op->kernel.config, &old->kernel.config);
    if (error) return error;
    operation_free(old);
    *old = *op;
    return cudaSuccess;
}

/* Sets a node's operation, or what an executable graph has of it. Takes `op` over. */
static cudaError_t set_node(const char *call, cudaError_t error, bool executable, cudaGraphExec_t exec,
                            cudaGraphNode_t node, operation *op) {
    if (error) return runtime_result_of(call, error);
    runtime_lock();
    error = replace(executable ? exec_operation(exec, node) : node_valid(node) ? &node->op : NULL, op);
    if (error) operation_free(op);
    return runtime_leave_of(call, error);
}

/* The calls of a kind of nodes: their parameters besides the node, and what makes its operation of them. */
#define SET_EXEC(name, parameters, made)                                                                               \
    cudaError_t cudaGraphExec##name(cudaGraphExec_t exec, cudaGraphNode_t node, LIST parameters) {                     \
        operation op;                                                                                                  \
        return set_node(__func__, made, true, exec, node, &op);                                                        \
    }
#define SET(name, parameters, made)                                                                                    \
    cudaError_t cudaGraph##name(cudaGraphNode_t node, LIST parameters) {                                               \
        operation op;                                                                                                  \
        return set_node(__func__, made, false, NULL, node, &op);                                                       \
    }                                                                                                                  \
    SET_EXEC(name, parameters, made)
#define ADD(name, parameters, made)                                                                                    \
    cudaError_t cudaGraphAdd##name(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,              \
                                   size_t count, LIST parameters) {                                                    \
        operation op;                                                                                                  \
        return add_node(__func__, made, node, graph, deps, count, &op);                                                \
    }
/* The calls of nodes of the device, `kind`Node: one that adds a node, and two that set what it does. */
#define ADD_AND_SET(kind, which, parameters, made)                                                                     \
    ADD(kind##which, parameters, runtime_sticky() ? runtime_sticky() : made)                                           \
    SET(kind##SetParams##which, parameters, made)

ADD_AND_SET(KernelNode, , (const struct cudaKernelNodeParams *params), node_kernel(&op, params))
ADD_AND_SET(MemcpyNode, , (const struct cudaMemcpy3DParms *params),
            params ? operation_copy(&op, params) : cudaErrorInvalidValue)
ADD_AND_SET(MemcpyNode, 1D, (void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind),
            operation_copy_1d(&op, dst, src, bytes, kind))
ADD_AND_SET(MemcpyNode, ToSymbol,
            (const void *symbol, const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
            symbol_copy_operation(&op, symbol, (void *)(uintptr_t)src, bytes, offset, kind, true))
ADD_AND_SET(MemcpyNode, FromSymbol,
            (void *dst, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
            symbol_copy_operation(&op, symbol, dst, bytes, offset, kind, false))
ADD_AND_SET(MemsetNode, , (const struct cudaMemsetParams *params),
            params ? operation_set(&op, params) : cudaErrorInvalidValue)
ADD(HostNode, (const struct cudaHostNodeParams *params), node_host(&op, params))
SET(HostNodeSetParams, (const struct cudaHostNodeParams *params), node_host(&op, params))
ADD(ChildGraphNode, (cudaGraph_t child), node_child(&op, child))
SET_EXEC(ChildGraphNodeSetParams, (cudaGraph_t child), node_child(&op, child))
ADD(EventRecordNode, (cudaEvent_t event), node_event(&op, cudaGraphNodeTypeEventRecord, event))
SET(EventRecordNodeSetEvent, (cudaEvent_t event), node_event(&op, cudaGraphNodeTypeEventRecord, event))
ADD(EventWaitNode, (cudaEvent_t event), node_event(&op, cudaGraphNodeTypeWaitEvent, event))
SET(EventWaitNodeSetEvent, (cudaEvent_t event), node_event(&op, cudaGraphNodeTypeWaitEvent, event))
SET(NodeSetParams, (struct cudaGraphNodeParams * params), node_any(&op, params))

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count) {
    operation op = {.type = cudaGraphNodeTypeEmpty};
    return add_node(__func__, cudaSuccess, node, graph, deps, count, &op);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params) {
    TOUCH_DEVICE();
    operation op;
    return add_node(__func__, node_any(&op, params), node, graph, deps, count, &op);
}

/* ---- asking nodes, and a kernel's attributes --------------------------------------------------------------------- */

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    runtime_lock();
    if (!type || !node_valid(node)) return runtime_leave(cudaErrorInvalidValue);
    *type = node->op.type;
    return runtime_leave(cudaSuccess);
}

/* Under the lock: the node, if it is one of this type. */
static bool is_node(cudaGraphNode_t node, enum cudaGraphNodeType type) {
    return node_valid(node) && node->op.type == type;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
    runtime_lock();
    if (!p || !is_node(node, cudaGraphNodeTypeKernel)) return runtime_leave(cudaErrorInvalidValue);
    const kernel_operation *k = &node->op.kernel;
    const sim_launch_config *c = &k->config;
    *p = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)(k->function->host ? k->function->host : k->function),
                                       .gridDim = {c->grid[0], c->grid[1], c->grid[2]},
                                       .blockDim = {c->block[0], c->block[1], c->block[2]},
                                       .sharedMemBytes = (unsigned)c->dynamic_shared,
                                       .kernelParams = k->args};
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p) {
    runtime_lock();
    if (!p || !is_node(node, cudaGraphNodeTypeMemcpy)) return runtime_leave(cudaErrorInvalidValue);
    *p = node->op.copy.params;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p) {
    runtime_lock();
    if (!p || !is_node(node, cudaGraphNodeTypeMemset)) return runtime_leave(cudaErrorInvalidValue);
    *p = node->op.set.params;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p) {
    runtime_lock();
    if (!p || !is_node(node, cudaGraphNodeTypeHost)) return runtime_leave(cudaErrorInvalidValue);
    *p = (struct cudaHostNodeParams){node->op.host.function, node->op.host.data};
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
    runtime_lock();
    if (!graph || !is_node(node, cudaGraphNodeTypeGraph)) return runtime_leave(cudaErrorInvalidValue);
    *graph = node->op.graph;
    return runtime_leave(cudaSuccess);
}

static cudaError_t get_event(cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t *event) {
    runtime_lock();
    if (!event || !is_node(node, type)) return runtime_leave(cudaErrorInvalidValue);
    *event = node->op.event;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    return get_event(node, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    return get_event(node, cudaGraphNodeTypeWaitEvent, event);
}

static bool known_attribute(cudaKernelNodeAttrID id) {
    return id >= cudaLaunchAttributeAccessPolicyWindow && id <= cudaLaunchAttributeNvlinkUtilCentricScheduling;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
                                            cudaKernelNodeAttrValue *value) {
    runtime_lock();
    if (!value || !known_attribute(id) || !is_node(node, cudaGraphNodeTypeKernel))
        return runtime_leave(cudaErrorInvalidValue);
    *value = node->attributes[id];
    const sim_launch_config *config = &node->op.kernel.config;
    if (id == cudaLaunchAttributeCooperative) value->cooperative = config->cooperative;
    if (id == cudaLaunchAttributeClusterDimension && config->explicit_cluster) {
        value->clusterDim.x = config->cluster[0];
        value->clusterDim.y = config->cluster[1];
        value->clusterDim.z = config->cluster[2];
    }
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
                                            const cudaKernelNodeAttrValue *value) {
    runtime_lock();
    if (!value || !known_attribute(id) || !is_node(node, cudaGraphNodeTypeKernel))
        return runtime_leave(cudaErrorInvalidValue);
    if (id == cudaLaunchAttributeClusterDimension) {
        const dim3 size = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
        sim_launch_config config = node->op.kernel.config;
        runtime_function *f = node->op.kernel.function;
        runtime_unlock();
        cudaError_t error = cluster_configure(f, &config, &size);
        if (error) return runtime_result(error);
        runtime_lock();
        node->op.kernel.config = config;
    }
    node->attributes[id] = *value;
    if (id == cudaLaunchAttributeCooperative) node->op.kernel.config.cooperative = value->cooperative != 0;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    runtime_lock();
    if (!is_node(to, cudaGraphNodeTypeKernel) || !is_node(from, cudaGraphNodeTypeKernel)) {
        return runtime_leave(cudaErrorInvalidValue);
    }
    memmove(to->attributes, from->attributes, sizeof(to->attributes));
    return runtime_leave(node_keep_attributes(&to->op.kernel.config, &from->op.kernel.config));
}
