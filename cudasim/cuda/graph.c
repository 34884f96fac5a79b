/* Graphs: operations and what each waits for. A node's place in its graph's list is not its order: instantiation sorts
 * them, and an executable graph is a list of operations, run one after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static cudaGraph_t all_graphs;

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

/* ---- graphs ---------------------------------------------------------------------------------------------------------
 */

cudaGraph_t graph_new(void) {
    cudaGraph_t graph = calloc(1, sizeof(*graph));
    if (!graph) return NULL;
    handle_add(HANDLE_GRAPH, graph, graph);
    graph->next = all_graphs;
    all_graphs = graph;
    return graph;
}

static void node_free(cudaGraphNode_t node) {
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

static bool depends_directly(cudaGraphNode_t node, cudaGraphNode_t on) {
    for (size_t i = 0; i < node->dep_count; i++) {
        if (node->deps[i] == on) return true;
    }
    return false;
}

static bool add_dependency(cudaGraphNode_t node, cudaGraphNode_t on) {
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

cudaError_t graph_add(cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count, operation *op,
                      cudaGraphNode_t *out) {
    cudaError_t error = check_dependencies(graph, deps, count);
    cudaGraphNode_t node = error ? NULL : calloc(1, sizeof(*node));
    cudaGraphNode_t *nodes = node ? realloc(graph->nodes, (graph->count + 1) * sizeof(*nodes)) : NULL;
    if (!nodes) {
        free(node);
        operation_free(op);
        return error ? error : cudaErrorMemoryAllocation;
    }
    graph->nodes = nodes;
    nodes[graph->count++] = node;
    node->graph = graph;
    node->op = *op;
    handle_add(HANDLE_NODE, node, node);
    for (size_t i = 0; i < count; i++) add_dependency(node, deps[i]);
    *out = node;
    return cudaSuccess;
}

static size_t place_of(cudaGraph_t graph, cudaGraphNode_t node) {
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
            add_dependency(to->nodes[i], to->nodes[place_of(from, from->nodes[i]->deps[d])]);
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
        for (size_t j = 0; j < graph->count && last; j++) last = !depends_directly(graph->nodes[j], graph->nodes[i]);
        for (size_t e = 0; e < count && last; e++) last = ends[e] != graph->nodes[i];
        if (last) return false;
    }
    return true;
}

/* The nodes so that each comes after what it waits for, the earliest added first; NULL if there is a cycle. */
static cudaGraphNode_t *sorted(cudaGraph_t graph) {
    cudaGraphNode_t *order = malloc((graph->count + 1) * sizeof(*order));
    if (!order) return NULL;
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
    if (done == graph->count) return order;
    free(order);
    return NULL;
}

cudaError_t graph_run(cudaGraph_t graph, uint64_t after, uint64_t *number) {
    runtime_lock();
    cudaGraphNode_t *order = sorted(graph);
    runtime_unlock();
    cudaError_t error = order ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; !error && i < graph->count; i++) {
        uint64_t own;
        error = queue_run(&order[i]->op, after, &own);
        if (own > after) after = *number = own;
    }
    free(order);
    return error;
}

static bool valid_graph(cudaGraph_t graph) {
    return handle_find(HANDLE_GRAPH, graph) != NULL;
}

static bool valid_node(cudaGraphNode_t node) {
    return handle_find(HANDLE_NODE, node) != NULL;
}

/* Unlocks and returns. */
static cudaError_t leave(cudaError_t error) {
    runtime_unlock();
    return runtime_result(error);
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    TOUCH_DEVICE();
    if (!graph || flags != 0) return runtime_result(cudaErrorInvalidValue);
    runtime_lock();
    *graph = graph_new();
    return leave(*graph ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    runtime_lock();
    bool ours = valid_graph(graph) && !graph->child;
    if (ours) graph_free(graph);
    return leave(ours ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
    TOUCH_DEVICE();
    runtime_lock();
    if (!clone || !valid_graph(graph)) return leave(cudaErrorInvalidValue);
    *clone = graph_clone(graph);
    return leave(*clone ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t original, cudaGraph_t clone) {
    runtime_lock();
    if (!found || !valid_graph(clone)) return leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < clone->count; i++) {
        if (clone->nodes[i]->original == original) {
            *found = clone->nodes[i];
            return leave(cudaSuccess);
        }
    }
    return leave(cudaErrorInvalidValue);
}

/* ---- adding nodes ---------------------------------------------------------------------------------------------------
 */

/* `error` is what making the operation gave. */
static cudaError_t add_node(cudaError_t error, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                            size_t count, operation *op) {
    if (error) return runtime_result(error);
    if (!node) {
        operation_free(op);
        return runtime_result(cudaErrorInvalidValue);
    }
    runtime_lock();
    return leave(graph_add(graph, deps, count, op, node));
}

static cudaError_t kernel_of(operation *op, const struct cudaKernelNodeParams *p) {
    if (!p) return cudaErrorInvalidValue;
    return operation_kernel(op, p->func, p->gridDim, p->blockDim, p->kernelParams, p->extra, p->sharedMemBytes, false,
                            NULL);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
                                   const struct cudaKernelNodeParams *params) {
    TOUCH_DEVICE();
    operation op;
    return add_node(kernel_of(&op, params), node, graph, deps, count, &op);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
                                   const struct cudaMemcpy3DParms *params) {
    TOUCH_DEVICE();
    operation op;
    return add_node(params ? operation_copy(&op, params) : cudaErrorInvalidValue, node, graph, deps, count, &op);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                     size_t count, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
    TOUCH_DEVICE();
    operation op;
    return add_node(operation_copy_1d(&op, dst, src, bytes, kind), node, graph, deps, count, &op);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                           size_t count, const void *symbol, const void *src, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind) {
    TOUCH_DEVICE();
    operation op;
    cudaError_t error = symbol_copy_operation(&op, symbol, (void *)(uintptr_t)src, bytes, offset, kind, true);
    return add_node(error, node, graph, deps, count, &op);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                             size_t count, void *dst, const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind) {
    TOUCH_DEVICE();
    operation op;
    cudaError_t error = symbol_copy_operation(&op, symbol, dst, bytes, offset, kind, false);
    return add_node(error, node, graph, deps, count, &op);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
                                   const struct cudaMemsetParams *params) {
    TOUCH_DEVICE();
    operation op;
    return add_node(params ? operation_set(&op, params) : cudaErrorInvalidValue, node, graph, deps, count, &op);
}

static cudaError_t host_of(operation *op, const struct cudaHostNodeParams *params) {
    if (!params || !params->fn) return cudaErrorInvalidValue;
    *op = (operation){.type = cudaGraphNodeTypeHost, .host = {.function = params->fn, .data = params->userData}};
    return cudaSuccess;
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
                                 const struct cudaHostNodeParams *params) {
    operation op;
    return add_node(host_of(&op, params), node, graph, deps, count, &op);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count) {
    operation op = {.type = cudaGraphNodeTypeEmpty};
    return add_node(cudaSuccess, node, graph, deps, count, &op);
}

static cudaError_t child_of(operation *op, cudaGraph_t child) {
    runtime_lock();
    *op = (operation){.type = cudaGraphNodeTypeGraph};
    op->graph = valid_graph(child) ? graph_clone_child(child) : NULL;
    runtime_unlock();
    return op->graph ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                       size_t count, cudaGraph_t child) {
    operation op;
    return add_node(child_of(&op, child), node, graph, deps, count, &op);
}

static cudaError_t event_of(operation *op, enum cudaGraphNodeType type, cudaEvent_t event) {
    *op = (operation){.type = type, .event = event};
    return event_valid(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                        size_t count, cudaEvent_t event) {
    operation op;
    return add_node(event_of(&op, cudaGraphNodeTypeEventRecord, event), node, graph, deps, count, &op);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                                      size_t count, cudaEvent_t event) {
    operation op;
    return add_node(event_of(&op, cudaGraphNodeTypeWaitEvent, event), node, graph, deps, count, &op);
}

/* The operation that a cudaGraphNodeParams describes. */
static cudaError_t any_of(operation *op, const struct cudaGraphNodeParams *p) {
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
        return host_of(op, &host);
    }
    case cudaGraphNodeTypeGraph:
        return child_of(op, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        *op = (operation){.type = cudaGraphNodeTypeEmpty};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return event_of(op, p->type, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return event_of(op, p->type, p->eventRecord.event);
    default:
        return runtime_refuse("a graph node that allocates, frees, is conditional or uses external semaphores");
    }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params) {
    TOUCH_DEVICE();
    (void)edges;
    operation op;
    return add_node(any_of(&op, params), node, graph, deps, count, &op);
}

/* ---- asking and changing nodes --------------------------------------------------------------------------------------
 */

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    runtime_lock();
    if (!type || !valid_node(node)) return leave(cudaErrorInvalidValue);
    *type = node->op.type;
    return leave(cudaSuccess);
}

/* Under the lock: the node, if it is one of this type. */
static bool is_node(cudaGraphNode_t node, enum cudaGraphNodeType type) {
    return valid_node(node) && node->op.type == type;
}

/* A launch's attributes stay with the node when the rest is set anew. */
static cudaError_t keep_attributes(sim_launch_config *to, const sim_launch_config *from) {
    to->cooperative = from->cooperative;
    if (!from->explicit_cluster) return cudaSuccess;
    for (int k = 0; k < 3; k++)
        if (to->grid[k] % from->cluster[k]) return cudaErrorInvalidClusterSize;
    memcpy(to->cluster, from->cluster, sizeof to->cluster);
    to->explicit_cluster = true;
    return cudaSuccess;
}

/* Replaces a node's operation by one of the same type. Takes `op` over. */
static cudaError_t set_node(cudaError_t error, cudaGraphNode_t node, operation *op) {
    if (error) return runtime_result(error);
    runtime_lock();
    if (!is_node(node, op->type)) {
        operation_free(op);
        return leave(cudaErrorInvalidValue);
    }
    if (op->type == cudaGraphNodeTypeKernel) error = keep_attributes(&op->kernel.config, &node->op.kernel.config);
    if (error) {
        operation_free(op);
        return leave(error);
    }
    operation_free(&node->op);
    node->op = *op;
    return leave(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
    runtime_lock();
    if (!p || !is_node(node, cudaGraphNodeTypeKernel)) return leave(cudaErrorInvalidValue);
    const kernel_operation *k = &node->op.kernel;
    const sim_launch_config *c = &k->config;
    *p = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)(k->function->host ? k->function->host : k->function),
                                       .gridDim = {c->grid[0], c->grid[1], c->grid[2]},
                                       .blockDim = {c->block[0], c->block[1], c->block[2]},
                                       .sharedMemBytes = (unsigned)c->dynamic_shared,
                                       .kernelParams = k->args};
    return leave(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
    operation op;
    return set_node(kernel_of(&op, params), node, &op);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p) {
    runtime_lock();
    if (!p || !is_node(node, cudaGraphNodeTypeMemcpy)) return leave(cudaErrorInvalidValue);
    *p = node->op.copy.params;
    return leave(cudaSuccess);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params) {
    operation op;
    return set_node(params ? operation_copy(&op, params) : cudaErrorInvalidValue, node, &op);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t bytes,
                                           enum cudaMemcpyKind kind) {
    operation op;
    return set_node(operation_copy_1d(&op, dst, src, bytes, kind), node, &op);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
                                                 size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    operation op;
    return set_node(symbol_copy_operation(&op, symbol, (void *)(uintptr_t)src, bytes, offset, kind, true), node, &op);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t bytes,
                                                   size_t offset, enum cudaMemcpyKind kind) {
    operation op;
    return set_node(symbol_copy_operation(&op, symbol, dst, bytes, offset, kind, false), node, &op);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p) {
    runtime_lock();
    if (!p || !is_node(node, cudaGraphNodeTypeMemset)) return leave(cudaErrorInvalidValue);
    *p = node->op.set.params;
    return leave(cudaSuccess);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params) {
    operation op;
    return set_node(params ? operation_set(&op, params) : cudaErrorInvalidValue, node, &op);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p) {
    runtime_lock();
    if (!p || !is_node(node, cudaGraphNodeTypeHost)) return leave(cudaErrorInvalidValue);
    *p = (struct cudaHostNodeParams){node->op.host.function, node->op.host.data};
    return leave(cudaSuccess);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
    operation op;
    return set_node(host_of(&op, params), node, &op);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
    runtime_lock();
    if (!graph || !is_node(node, cudaGraphNodeTypeGraph)) return leave(cudaErrorInvalidValue);
    *graph = node->op.graph;
    return leave(cudaSuccess);
}

static cudaError_t get_event(cudaGraphNode_t node, enum cudaGraphNodeType type, cudaEvent_t *event) {
    runtime_lock();
    if (!event || !is_node(node, type)) return leave(cudaErrorInvalidValue);
    *event = node->op.event;
    return leave(cudaSuccess);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    return get_event(node, cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    return get_event(node, cudaGraphNodeTypeWaitEvent, event);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    operation op;
    return set_node(event_of(&op, cudaGraphNodeTypeEventRecord, event), node, &op);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    operation op;
    return set_node(event_of(&op, cudaGraphNodeTypeWaitEvent, event), node, &op);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
    operation op;
    return set_node(any_of(&op, params), node, &op);
}

static bool known_attribute(cudaKernelNodeAttrID id) {
    return id >= cudaLaunchAttributeAccessPolicyWindow && id <= cudaLaunchAttributeNvlinkUtilCentricScheduling;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
                                            cudaKernelNodeAttrValue *value) {
    runtime_lock();
    if (!value || !known_attribute(id) || !is_node(node, cudaGraphNodeTypeKernel)) return leave(cudaErrorInvalidValue);
    *value = node->attributes[id];
    const sim_launch_config *config = &node->op.kernel.config;
    if (id == cudaLaunchAttributeCooperative) value->cooperative = config->cooperative;
    if (id == cudaLaunchAttributeClusterDimension && config->explicit_cluster) {
        value->clusterDim.x = config->cluster[0];
        value->clusterDim.y = config->cluster[1];
        value->clusterDim.z = config->cluster[2];
    }
    return leave(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID id,
                                            const cudaKernelNodeAttrValue *value) {
    runtime_lock();
    if (!value || !known_attribute(id) || !is_node(node, cudaGraphNodeTypeKernel)) return leave(cudaErrorInvalidValue);
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
    return leave(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    runtime_lock();
    if (!is_node(to, cudaGraphNodeTypeKernel) || !is_node(from, cudaGraphNodeTypeKernel)) {
        return leave(cudaErrorInvalidValue);
    }
    memmove(to->attributes, from->attributes, sizeof(to->attributes));
    return leave(keep_attributes(&to->op.kernel.config, &from->op.kernel.config));
}

/* ---- edges ----------------------------------------------------------------------------------------------------------
 */

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
    return leave(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    runtime_lock();
    if (!count || !valid_graph(graph)) return leave(cudaErrorInvalidValue);
    output o = {.a = nodes, .room = nodes ? *count : 0};
    for (size_t i = 0; i < graph->count; i++) put(&o, graph->nodes[i], NULL);
    return finish(&o, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    runtime_lock();
    if (!count || !valid_graph(graph)) return leave(cudaErrorInvalidValue);
    output o = {.a = nodes, .room = nodes ? *count : 0};
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->dep_count == 0) put(&o, graph->nodes[i], NULL);
    }
    return finish(&o, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count) {
    runtime_lock();
    if (!count || !valid_graph(graph) || !from != !to) return leave(cudaErrorInvalidValue);
    output o = {from, to, edges, from ? *count : 0, 0};
    for (size_t i = 0; i < graph->count; i++) {
        for (size_t d = 0; d < graph->nodes[i]->dep_count; d++) put(&o, graph->nodes[i]->deps[d], graph->nodes[i]);
    }
    return finish(&o, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *edges,
                                         size_t *count) {
    runtime_lock();
    if (!count || !valid_node(node)) return leave(cudaErrorInvalidValue);
    output o = {deps, NULL, edges, deps ? *count : 0, 0};
    for (size_t d = 0; d < node->dep_count; d++) put(&o, node->deps[d], NULL);
    return finish(&o, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                           size_t *count) {
    runtime_lock();
    if (!count || !valid_node(node)) return leave(cudaErrorInvalidValue);
    output o = {nodes, NULL, edges, nodes ? *count : 0, 0};
    for (size_t i = 0; i < node->graph->count; i++) {
        if (depends_directly(node->graph->nodes[i], node)) put(&o, node->graph->nodes[i], NULL);
    }
    return finish(&o, count);
}

static bool pair_in(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
    return valid_node(from) && valid_node(to) && from != to && from->graph == graph && to->graph == graph;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count) {
    (void)edges;
    runtime_lock();
    if (!valid_graph(graph) || (count > 0 && (!from || !to))) return leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        if (!pair_in(graph, from[i], to[i]) || depends_directly(to[i], from[i])) return leave(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; i++) add_dependency(to[i], from[i]);
    return leave(cudaSuccess);
}

static void remove_dependency(cudaGraphNode_t node, cudaGraphNode_t on) {
    for (size_t d = 0; d < node->dep_count; d++) {
        if (node->deps[d] != on) continue;
        memmove(&node->deps[d], &node->deps[d + 1], (node->dep_count - d - 1) * sizeof(*node->deps));
        node->dep_count--;
        return;
    }
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count) {
    (void)edges;
    runtime_lock();
    if (!valid_graph(graph) || (count > 0 && (!from || !to))) return leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        if (!pair_in(graph, from[i], to[i]) || !depends_directly(to[i], from[i])) return leave(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; i++) remove_dependency(to[i], from[i]);
    return leave(cudaSuccess);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    runtime_lock();
    if (!valid_node(node)) return leave(cudaErrorInvalidValue);
    cudaGraph_t graph = node->graph;
    for (size_t i = 0; i < graph->count; i++) remove_dependency(graph->nodes[i], node);
    size_t at = place_of(graph, node);
    memmove(&graph->nodes[at], &graph->nodes[at + 1], (graph->count - at - 1) * sizeof(*graph->nodes));
    graph->count--;
    node_free(node);
    return leave(cudaSuccess);
}

/* ---- executable graphs ----------------------------------------------------------------------------------------------
 */

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
        for (size_t d = 0; d < graph->nodes[i]->dep_count; d++) list[at++] = place_of(graph, graph->nodes[i]->deps[d]);
    }
    return list;
}

/* Under the lock. */
static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
                                     cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
    if (!out || !valid_graph(graph) || (flags & ~known)) return cudaErrorInvalidValue;
    *out = NULL;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) return runtime_refuse("a graph launched by a kernel");
    for (size_t i = 0; i < graph->count; i++) {
        operation *op = &graph->nodes[i]->op;
        cudaGraphNode_t *inner = op->type == cudaGraphNodeTypeGraph ? sorted(op->graph) : NULL;
        bool cyclic = op->type == cudaGraphNodeTypeGraph && !inner;
        free(inner);
        if (cyclic) return cudaErrorInvalidValue;
    }
    cudaGraphNode_t *order = sorted(graph);
    if (!order) return cudaErrorInvalidValue;
    cudaGraphExec_t exec = calloc(1, sizeof(*exec));
    exec_node *nodes = calloc(graph->count + 1, sizeof(*nodes));
    size_t length;
    size_t *deps = edge_list(graph, &length);
    if (!exec || !nodes || !deps) {
        free(exec), free(nodes), free(deps), free(order);
        return cudaErrorMemoryAllocation;
    }
    exec->nodes = nodes;
    exec->deps = deps;
    exec->flags = flags;
    handle_add(HANDLE_EXEC, exec, exec);
    cudaError_t error = cudaSuccess;
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
    return leave(instantiate(exec, graph, flags));
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
    return leave(error);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
    runtime_lock();
    if (!flags || !handle_find(HANDLE_EXEC, exec)) return leave(cudaErrorInvalidValue);
    *flags = exec->flags;
    return leave(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    runtime_lock();
    bool valid = handle_find(HANDLE_EXEC, exec) != NULL;
    if (valid) exec_free(exec);
    return leave(valid ? cudaSuccess : cudaErrorInvalidValue);
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
    if (!handle_find(HANDLE_EXEC, exec)) return leave(cudaErrorInvalidValue);
    error = cudaStreamIsCapturing(stream, &status);
    if (error || status != cudaStreamCaptureStatusNone) return leave(error ? error : capture_exec(exec, stream));
    runtime_unlock();
    for (size_t i = 0; i < exec->count && !error; i++) {
        if (exec->nodes[i].enabled) error = stream_run(stream, &exec->nodes[i].op);
    }
    /* What its kernels did wrong is told by a later call, as after a launch. */
    return error == runtime_sticky() ? cudaSuccess : runtime_result(error);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    TOUCH_DEVICE();
    runtime_lock();
    bool valid = handle_find(HANDLE_EXEC, exec) != NULL;
    runtime_unlock();
    return runtime_result(valid ? stream_check(stream) : cudaErrorInvalidValue);
}

/* Under the lock. */
static exec_node *exec_find(cudaGraphExec_t exec, cudaGraphNode_t node) {
    if (!handle_find(HANDLE_EXEC, exec)) return NULL;
    for (size_t i = 0; i < exec->count; i++) {
        if (exec->nodes[i].node == node) return &exec->nodes[i];
    }
    return NULL;
}

static cudaError_t set_exec(cudaError_t error, cudaGraphExec_t exec, cudaGraphNode_t node, operation *op) {
    if (error) return runtime_result(error);
    runtime_lock();
    exec_node *e = exec_find(exec, node);
    if (!e || e->op.type != op->type) {
        operation_free(op);
        return leave(cudaErrorInvalidValue);
    }
    if (op->type == cudaGraphNodeTypeKernel) error = keep_attributes(&op->kernel.config, &e->op.kernel.config);
    if (error) {
        operation_free(op);
        return leave(error);
    }
    operation_free(&e->op);
    e->op = *op;
    return leave(cudaSuccess);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params) {
    operation op;
    return set_exec(kernel_of(&op, params), exec, node, &op);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *params) {
    operation op;
    return set_exec(params ? operation_copy(&op, params) : cudaErrorInvalidValue, exec, node, &op);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src,
                                               size_t bytes, enum cudaMemcpyKind kind) {
    operation op;
    return set_exec(operation_copy_1d(&op, dst, src, bytes, kind), exec, node, &op);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
                                                     const void *src, size_t bytes, size_t offset,
                                                     enum cudaMemcpyKind kind) {
    operation op;
    cudaError_t error = symbol_copy_operation(&op, symbol, (void *)(uintptr_t)src, bytes, offset, kind, true);
    return set_exec(error, exec, node, &op);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                       const void *symbol, size_t bytes, size_t offset,
                                                       enum cudaMemcpyKind kind) {
    operation op;
    return set_exec(symbol_copy_operation(&op, symbol, dst, bytes, offset, kind, false), exec, node, &op);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *params) {
    operation op;
    return set_exec(params ? operation_set(&op, params) : cudaErrorInvalidValue, exec, node, &op);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *params) {
    operation op;
    return set_exec(host_of(&op, params), exec, node, &op);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child) {
    operation op;
    return set_exec(child_of(&op, child), exec, node, &op);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
    operation op;
    return set_exec(event_of(&op, cudaGraphNodeTypeEventRecord, event), exec, node, &op);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
    operation op;
    return set_exec(event_of(&op, cudaGraphNodeTypeWaitEvent, event), exec, node, &op);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
    operation op;
    return set_exec(any_of(&op, params), exec, node, &op);
}

/* Only work can be switched off. */
static bool can_be_disabled(const exec_node *e) {
    return e && (e->op.type == cudaGraphNodeTypeKernel || e->op.type == cudaGraphNodeTypeMemcpy ||
                 e->op.type == cudaGraphNodeTypeMemset);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    runtime_lock();
    exec_node *e = exec_find(exec, node);
    if (!can_be_disabled(e)) return leave(cudaErrorInvalidValue);
    e->enabled = enabled != 0;
    return leave(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled) {
    runtime_lock();
    exec_node *e = exec_find(exec, node);
    if (!enabled || !can_be_disabled(e)) return leave(cudaErrorInvalidValue);
    *enabled = e->enabled;
    return leave(cudaSuccess);
}

/* Under the lock: what keeps the executable graph from taking this graph's operations. */
static enum cudaGraphExecUpdateResult compare(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *order,
                                              cudaGraphNode_t *different) {
    if (exec->count != graph->count) return cudaGraphExecUpdateErrorTopologyChanged;
    size_t length;
    size_t *deps = edge_list(graph, &length);
    /* Numbers of dependencies come first a node, so equal prefixes mean equal lengths. */
    bool same = deps != NULL;
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
    if (!info || !handle_find(HANDLE_EXEC, exec) || !valid_graph(graph)) return leave(cudaErrorInvalidValue);
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    cudaGraphNode_t *order = sorted(graph);
    if (!order) return leave(cudaErrorGraphExecUpdateFailure);
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
    return leave(info->result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

/* ---- dot ------------------------------------------------------------------------------------------------------------
 */

static const char *type_name(const operation *op) {
    static const char *const names[] = {"KERNEL", "MEMCPY", "MEMSET", "HOST", "GRAPH", "EMPTY", "WAIT", "RECORD"};
    return (unsigned)op->type < sizeof(names) / sizeof(names[0]) ? names[op->type] : "OTHER";
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
    (void)flags;
    runtime_lock();
    if (!path || !valid_graph(graph)) return leave(cudaErrorInvalidValue);
    FILE *file = fopen(path, "w");
    if (!file) return leave(cudaErrorOperatingSystem);
    fprintf(file, "digraph graph_1 {\n");
    for (size_t i = 0; i < graph->count; i++) {
        const operation *op = &graph->nodes[i]->op;
        fprintf(file, "    node_%zu [label=\"%zu\\n%s%s%s\"];\n", i, i, type_name(op),
                op->type == cudaGraphNodeTypeKernel ? "\\n" : "",
                op->type == cudaGraphNodeTypeKernel ? op->kernel.function->name : "");
    }
    for (size_t i = 0; i < graph->count; i++) {
        for (size_t d = 0; d < graph->nodes[i]->dep_count; d++) {
            fprintf(file, "    node_%zu -> node_%zu;\n", place_of(graph, graph->nodes[i]->deps[d]), i);
        }
    }
    fprintf(file, "}\n");
    return leave(fclose(file) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}

void graphs_close(void) {
    const void *key;
    cudaGraphExec_t exec;
    while ((exec = handle_any(HANDLE_EXEC, &key)) != NULL) exec_free(exec);
    /* Child graphs are freed by the nodes that own them, so only the others may be freed here. */
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
