/* Launching kernels and host functions. */
#include <stdio.h>
#include <string.h>

#include "base/device_model.h"
#include "base/parts.h"
#include "cuda/runtime.h"
#include "cudasim.h"
#include "predict/predict.h"
#include "watch/watch.h"

#pragma GCC visibility push(default)
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream);
#pragma GCC visibility pop

/* What stands between <<< and >>>, until the stub of the kernel takes it: arguments may launch kernels themselves. */
#define MAX_CONFIGURATIONS 16
static _Thread_local struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configurations[MAX_CONFIGURATIONS];
static _Thread_local int configuration_count;
static _Thread_local bool by_chevrons; /* the thread's next launch is one by <<<>>> */

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
    if (configuration_count == MAX_CONFIGURATIONS) return (unsigned)cudaErrorInvalidConfiguration;
    int i = configuration_count++;
    configurations[i].grid = grid;
    configurations[i].block = block;
    configurations[i].shared = shared;
    configurations[i].stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (configuration_count == 0) return runtime_result(cudaErrorMissingConfiguration);
    int i = --configuration_count;
    by_chevrons = true;
    *grid = configurations[i].grid;
    *block = configurations[i].block;
    *shared = configurations[i].shared;
    *(void **)stream = configurations[i].stream;
    return cudaSuccess;
}

/* A launch has three parts, one after the other, so that the kernel's work lies just below the call: call_begin,
 * sim_launch_work where the kernel runs at once, call_end. */
typedef struct launch_call {
    const char *name; /* NULL: by <<<>>> */
    cudaError_t error;
    launching kernel;
} launch_call;

static launch_call call_begin(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream,
                              bool cooperative, const dim3 *cluster) {
    launch_call c = {.name = by_chevrons ? NULL : cooperative ? "cudaLaunchCooperativeKernel" : "cudaLaunchKernel"};
    operation op;
    by_chevrons = false;
    c.error = runtime_sticky();
    if (!c.error) c.error = operation_kernel(&op, func, grid, block, args, NULL, shared, cooperative, cluster);
    if (!c.error) c.error = stream_begin(stream, &op, &c.kernel);
    return c;
}

static cudaError_t call_end(launch_call *c) {
    if (c->kernel.running != NULL) c->error = stream_end(&c->kernel);
    return runtime_result_of(c->name, c->error);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream) {
    launch_call c = call_begin(kernel, grid, block, args, shared, stream, false, NULL);
    if (c.kernel.running != NULL) sim_launch_work(c.kernel.running, 0, c.kernel.until);
    return call_end(&c);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream) {
    return __cudaLaunchKernel(kernel, grid, block, args, shared, stream ? stream : cudaStreamPerThread);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
    return __cudaLaunchKernel((cudaKernel_t)(uintptr_t)func, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream) {
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val = {.cooperative = 1}};
    const cudaLaunchConfig_t config = {grid, block, shared, stream, &cooperative, 1};
    return cudaLaunchKernelExC(&config, func, args);
}

/* What the attributes of a launch ask for; most are hints on scheduling, which change nothing here. */
static cudaError_t read_attributes(const cudaLaunchConfig_t *config, bool *cooperative, const dim3 **cluster,
                                   dim3 *cluster_size, cudaEvent_t *event) {
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttributeValue *v = &config->attrs[i].val;
        switch (config->attrs[i].id) {
        case cudaLaunchAttributeIgnore:
        case cudaLaunchAttributeAccessPolicyWindow:
        case cudaLaunchAttributeSynchronizationPolicy:
        case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        case cudaLaunchAttributeProgrammaticStreamSerialization:
        case cudaLaunchAttributePriority:
        case cudaLaunchAttributeMemSyncDomainMap:
        case cudaLaunchAttributeMemSyncDomain:
        case cudaLaunchAttributePreferredSharedMemoryCarveout:
        case cudaLaunchAttributeNvlinkUtilCentricScheduling:
        case cudaLaunchAttributePreferredClusterDimension: /* larger ones, where there is room: never, here */
            break;
        case cudaLaunchAttributeCooperative:
            *cooperative = v->cooperative != 0;
            break;
        case cudaLaunchAttributeProgrammaticEvent:
            *event = v->programmaticEvent.event;
            break;
        case cudaLaunchAttributeLaunchCompletionEvent:
            *event = v->launchCompletionEvent.event;
            break;
        case cudaLaunchAttributeClusterDimension:
            *cluster_size = (dim3){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
            *cluster = cluster_size;
            break;
        case cudaLaunchAttributeDeviceUpdatableKernelNode:
            if (v->deviceUpdatableKernelNode.deviceUpdatable) return runtime_refuse("a device-updatable kernel node");
            break;
        default:
            return cudaErrorInvalidValue;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
    if (!config || (config->numAttrs > 0 && !config->attrs)) return runtime_result(cudaErrorInvalidValue);
    bool cooperative = false;
    cudaEvent_t event = NULL;
    dim3 size;
    const dim3 *cluster = NULL;
    cudaError_t error = read_attributes(config, &cooperative, &cluster, &size, &event);
    if (error) return runtime_result(error);
    launch_call c = call_begin(func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream,
                               cooperative, cluster);
    if (c.kernel.running != NULL) sim_launch_work(c.kernel.running, 0, c.kernel.until);
    error = call_end(&c);
    return error || !event ? error : cudaEventRecord(event, config->stream);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    TOUCH_DEVICE();
    if (!function) return runtime_result(cudaErrorInvalidValue);
    operation op = {.type = cudaGraphNodeTypeHost, .host = {.function = function, .data = data}};
    return runtime_result(stream_submit(stream, &op));
}

void cudasim_count(const char *what, const char *problem) {
    watch_begin();
    if (!watch_records() && !predict_wanted()) return;
    cudaDeviceSynchronize();
    watch_record(what, problem);
    predict_record(what != NULL);
}

void cudasim_check(int on) {
    watch_begin();
    cudaDeviceSynchronize();
    watch_check(on != 0);
}

const char *cudasim_why(void) {
    return predict_why();
}

const char *cudasim_predicted_gpu(void) {
    return predict_gpu();
}

void cudasim_predict(int soon) {
    cudaDeviceSynchronize();
    predict_request(soon != 0);
}

double cudasim_predicted(void) {
    cudaDeviceSynchronize();
    return predict_seconds();
}

void cudasim_operand(const char *name, const void *elements, size_t element_bytes, size_t rows, size_t cols,
                     size_t ld) {
    memory_part part = {
        .first = (uint64_t)(uintptr_t)elements, .element = element_bytes, .rows = rows, .cols = cols, .ld = ld};
    if (!memory_tracks() || element_bytes == 0) return;
    cudaDeviceSynchronize();
    snprintf(part.name, sizeof part.name, "%s", name);
    parts_add(&part);
}

void cudasim_operands_end(void) {
    if (!memory_tracks()) return;
    cudaDeviceSynchronize();
    parts_end();
}
