/* Between the runtime's files: state, handles, operations. Entry points are in the other files; each locks for itself.
 */
#pragma once

/* What the CUDA headers declare is what the library exports. */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "load/module.h"

typedef struct operation operation;

/* ---- state (cuda/state.c) ---------------------------------------------------------------------------------------- */

/* The state's lock, held briefly. Recursive. */
void runtime_lock(void);
void runtime_unlock(void);

/* Notes an error of the call for cudaGetLastError of this thread, and returns it. */
cudaError_t runtime_result_of(const char *call, cudaError_t error);
#define runtime_result(error) runtime_result_of(__func__, error)
/* The same, and unlocks. */
cudaError_t runtime_leave_of(const char *call, cudaError_t error);
#define runtime_leave(error) runtime_leave_of(__func__, error)

/* A macro's argument in parentheses, without them: parameters that calls have in common. */
#define LIST(...) __VA_ARGS__

/* This thread's last error is none, without anybody's having asked. */
void runtime_forget_error(void);

/* The error a kernel left behind, which every call that needs the device returns until cudaDeviceReset. */
cudaError_t runtime_sticky(void);
void runtime_set_sticky(cudaError_t error);
#define TOUCH_DEVICE()                                                                                                 \
    do {                                                                                                               \
        if (runtime_sticky()) return runtime_result(runtime_sticky());                                                 \
    } while (0)

/* One line on stderr, once a call: what the simulator does not do. Returns cudaErrorNotSupported, noted. */
cudaError_t runtime_refuse(const char *what);

/* Handles given to the program. A key is found only with the kind that it was added with. */
typedef enum handle_kind {
    HANDLE_MODULE,
    HANDLE_FUNCTION,
    HANDLE_VARIABLE,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_GRAPH,
    HANDLE_NODE,
    HANDLE_EXEC,
    HANDLE_POOL,
    HANDLE_USER_OBJECT,
    HANDLE_LIBRARY
} handle_kind;
/* False where there is no memory. */
__attribute__((warn_unused_result)) bool handle_add(handle_kind kind, const void *key, void *object);
void *handle_find(handle_kind kind, const void *key);
void handle_remove(handle_kind kind, const void *key);
/* Any object of this kind, or NULL: to empty the table. */
void *handle_any(handle_kind kind, const void **key);

/* Frees all of a kind, at the end of the process and at cudaDeviceReset (cuda/ending.c). */
void modules_close(void);
void modules_unload(void);
void streams_close(void);
void events_close(void);
void graphs_close(void);
void pools_close(void);
void refusals_forget(void);
/* cudaDeviceSetLimit's go back to what they were. */
void limits_reset(void);
/* Whether it is the start of an allocation that the program may free, of the device or of pinned memory. (cuda/pool.c)
 */
bool memory_may_free(uint64_t address, bool host);
/* An allocation is freed that may have come from a pool. */
void pool_forget(uint64_t address);

/* ---- work that goes on while the host does (cuda/queue.c) -------------------------------------------------------- */

/* The machine's lock, held while a kernel runs; to take it is to wait for all work. Recursive; where the state's is
 * needed, too, this comes first. */
void machine_lock(void);
void machine_unlock(void);
/* Does not wait. */
bool machine_try_lock(void);

/* A kernel that has begun in the thread that launches it, and which has the machine for it. */
typedef struct launching {
    sim_running *running;
    double until;    /* the launch returns then at the latest, and the kernel goes on in the queue */
    uint64_t number; /* in the queue; 0 once it is done */
    cudaStream_t stream;
} launching;

/* Runs an operation at once where what it must follow is done, all work up to the number `after`; a kernel only where
 * nothing else is left to do. Else it is put in the queue. *number is 0 where it is done, else what it has there.
 * Errors are those of the call; a kernel's fault becomes the sticky error. */
cudaError_t queue_run(const operation *op, uint64_t after, uint64_t *number);
/* The same in two parts: a kernel that can run at once is only begun. Where l->running is not NULL, the caller works on
 * it until l->until (sim_launch_work) and then calls queue_end. */
cudaError_t queue_begin(const operation *op, uint64_t after, launching *l);
cudaError_t queue_end(launching *l);
/* All work up to this number is done. */
bool queue_done(uint64_t number);
/* Waits for it. Not with the state's lock. */
void queue_wait(uint64_t number);
void queue_wait_all(void);

/* ---- modules (cuda/module.c) ------------------------------------------------------------------------------------- */

typedef struct runtime_module {
    const void *container; /* the fat binary */
    void *owned;           /* the container, where it was read from a file */
    bool linked;           /* what -rdc=true makes: its PTX is elsewhere, and in pieces */
    bool tried;
    cudaError_t error;
    sim_module *loaded;
    struct runtime_function *functions;
    struct runtime_variable *variables;
    struct runtime_module *next;
} runtime_module;

typedef struct runtime_function {
    runtime_module *module;
    const void *host; /* NULL: a library's */
    char *name;
    bool tried;
    cudaError_t error;
    sim_kernel *kernel;
    int carveout, cache_config, nonportable_cluster, cluster_policy, cluster[3];
    struct runtime_function *next;
} runtime_function;

typedef struct runtime_variable {
    runtime_module *module;
    const void *host;
    void **managed; /* where the program keeps its address; NULL for others */
    void *managed_key;
    char *name;
    uint64_t size;
    struct runtime_variable *next;
} runtime_variable;

/* A function by host pointer or handle, its module loaded. */
cudaError_t function_resolve(const void *func, runtime_function **function);
/* Decodes its kernel, which may then be launched. */
cudaError_t function_decode(runtime_function *function);
/* The same, and what the kernel is. */
cudaError_t function_describe(const void *func, runtime_function **function, sim_kernel_info *info);
/* The same without loading anything; NULL if there is none. */
runtime_function *function_find(const void *func);
cudaError_t symbol_resolve(const void *symbol, uint64_t *address, uint64_t *size);

/* ---- operations (cuda/operation.c): what a stream runs and a graph holds -------------------------------------- */

typedef struct kernel_operation {
    runtime_function *function;
    sim_launch_config config;
    uint8_t *params; /* the parameter buffer */
    size_t params_size;
    void **args; /* into it */
    unsigned arg_count;
    int priority;
} kernel_operation;

struct operation {
    enum cudaGraphNodeType type;
    union {
        kernel_operation kernel;
        struct {
            struct cudaMemcpy3DParms params;
        } copy;
        struct {
            struct cudaMemsetParams params;
            size_t depth, slice_rows; /* 1 and 0 but for cudaMemset3D */
        } set;
        struct {
            cudaHostFn_t function;
            void *data;
            cudaStreamCallback_t callback; /* in place of the function; called after errors, too */
            cudaStream_t stream;
        } host;
        cudaGraph_t graph; /* owned */
        cudaEvent_t event;
    };
};

/* Checks a kernel's configuration (cuda/kernel.c) and copies its arguments. `cluster`: what the launch asks for, or
 * NULL. */
cudaError_t operation_kernel(operation *op, const void *func, dim3 grid, dim3 block, void **args, void **extra,
                             size_t shared, bool cooperative, const dim3 *cluster);
/* Fills in the clusters of a launch whose grid is known. */
cudaError_t cluster_configure(runtime_function *f, sim_launch_config *config, const dim3 *asked);
/* How many clusters of so many blocks the device holds. */
unsigned cluster_capacity(unsigned blocks_per_sm, unsigned blocks);
cudaError_t operation_copy(operation *op, const struct cudaMemcpy3DParms *params);
cudaError_t operation_copy_1d(operation *op, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind);
cudaError_t symbol_copy_operation(operation *op, const void *symbol, void *other, size_t count, size_t offset,
                                  enum cudaMemcpyKind kind, bool to_symbol);
cudaError_t operation_set(operation *op, const struct cudaMemsetParams *params);
cudaError_t operation_set_3d(operation *op, struct cudaPitchedPtr to, int value, struct cudaExtent extent);
cudaError_t operation_clone(operation *to, const operation *from);
void operation_free(operation *op);
/* Does what it says here and now, without the state's lock; not for kernels and graphs (queue_run). */
cudaError_t operation_run(const operation *op);
/* Whether a copy or fill reads or writes the host's memory: then calls that are not asynchronous wait for it. */
bool operation_of_host(const operation *op);
/* Whether a copy reads or writes memory of the host that is not pinned: then asynchronous calls wait for it, too. */
bool operation_of_pageable(const operation *op);
/* What a kernel that ended so leaves behind. */
cudaError_t operation_error(sim_status status);

/* ---- streams (cuda/stream.c) ---------------------------------------------------------------------------------- */

/* Runs an operation in a stream, or adds it to the graph that the stream is capturing. Takes the operation over. */
cudaError_t stream_submit(cudaStream_t stream, operation *op);
/* The same of a kernel in two parts, as queue_begin and queue_end. */
cudaError_t stream_begin(cudaStream_t stream, operation *op, launching *l);
cudaError_t stream_end(launching *l);
/* Runs one in a stream that is not capturing, and leaves it to the caller. */
cudaError_t stream_run(cudaStream_t stream, const operation *op);
/* For calls without an operation of their own (cudaMallocAsync, ...): the stream is valid and not capturing. */
cudaError_t stream_check(cudaStream_t stream);
/* Calls that may not be made while a capture is going on; they invalidate it. */
cudaError_t capture_forbids(void);
/* Calls that use the legacy stream. */
cudaError_t capture_forbids_legacy(void);
/* It will be recorded by the work of this number; 0: it has been. */
void event_recorded(cudaEvent_t event, uint64_t number);
/* Of the work that records it. */
uint64_t event_number(cudaEvent_t event);
/* Waits for what the legacy stream has to wait for. */
void stream_wait_legacy(void);
bool event_valid(cudaEvent_t event);
cudaError_t stream_valid(cudaStream_t stream);

/* ---- graphs (cuda/graph.c) ------------------------------------------------------------------------------------ */

cudaGraph_t graph_new(void);
void graph_free(cudaGraph_t graph);
cudaGraph_t graph_clone(cudaGraph_t graph);
/* A clone that a node will own. */
cudaGraph_t graph_clone_child(cudaGraph_t graph);
/* Takes the operation over, also when it fails. */
cudaError_t graph_add(cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count, operation *op,
                      cudaGraphNode_t *node);
/* Whether every node without dependents is among these. */
bool graph_joined(cudaGraph_t graph, const cudaGraphNode_t *ends, size_t count);
