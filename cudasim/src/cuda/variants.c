/* The entry points of programs built with --default-stream per-thread: stream 0 is the calling thread's own. Those of
 * blocking calls (_ptds) are the plain ones, as these are done when they return. */
#include "cuda/runtime.h"

#define PER_THREAD(stream) ((stream) ? (stream) : cudaStreamPerThread)

/* The variant of an entry point: its parameters, and what the plain one gets for them. */
#define VARIANT(base, suffix, parameters, arguments)                                                                   \
    __attribute__((visibility("default"))) cudaError_t base##suffix parameters;                                        \
    cudaError_t base##suffix parameters {                                                                              \
        return base arguments;                                                                                         \
    }

VARIANT(cudaEventRecordWithFlags, _ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
        (event, PER_THREAD(stream), flags))
VARIANT(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), (event, PER_THREAD(stream)))
VARIANT(cudaFreeAsync, _ptsz, (void *devPtr, cudaStream_t hStream), (devPtr, PER_THREAD(hStream)))
VARIANT(cudaGraphInstantiateWithParams, _ptsz,
        (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, cudaGraphInstantiateParams *instantiateParams),
        (pGraphExec, graph, instantiateParams))
VARIANT(cudaGraphLaunch, _ptsz, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, PER_THREAD(stream)))
VARIANT(cudaGraphUpload, _ptsz, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, PER_THREAD(stream)))
VARIANT(cudaLaunchCooperativeKernel, _ptsz,
        (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
        (func, gridDim, blockDim, args, sharedMem, PER_THREAD(stream)))
VARIANT(cudaLaunchHostFunc, _ptsz, (cudaStream_t stream, cudaHostFn_t fn, void *userData),
        (PER_THREAD(stream), fn, userData))
VARIANT(cudaLaunchKernel, _ptsz,
        (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
        (func, gridDim, blockDim, args, sharedMem, PER_THREAD(stream)))
VARIANT(cudaMallocAsync, _ptsz, (void **devPtr, size_t size, cudaStream_t hStream), (devPtr, size, PER_THREAD(hStream)))
VARIANT(cudaMallocFromPoolAsync, _ptsz, (void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream),
        (ptr, size, memPool, PER_THREAD(stream)))
VARIANT(cudaMemPrefetchAsync, _ptsz,
        (const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream),
        (devPtr, count, location, flags, PER_THREAD(stream)))
VARIANT(cudaMemcpy2DAsync, _ptsz,
        (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
         enum cudaMemcpyKind kind, cudaStream_t stream),
        (dst, dpitch, src, spitch, width, height, kind, PER_THREAD(stream)))
VARIANT(cudaMemcpy2D, _ptds,
        (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
         enum cudaMemcpyKind kind),
        (dst, dpitch, src, spitch, width, height, kind))
VARIANT(cudaMemcpy3DAsync, _ptsz, (const struct cudaMemcpy3DParms *p, cudaStream_t stream), (p, PER_THREAD(stream)))
VARIANT(cudaMemcpy3DPeerAsync, _ptsz, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream),
        (p, PER_THREAD(stream)))
VARIANT(cudaMemcpy3DPeer, _ptds, (const struct cudaMemcpy3DPeerParms *p), (p))
VARIANT(cudaMemcpy3D, _ptds, (const struct cudaMemcpy3DParms *p), (p))
VARIANT(cudaMemcpyAsync, _ptsz,
        (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream),
        (dst, src, count, kind, PER_THREAD(stream)))
VARIANT(cudaMemcpyBatchAsync, _ptsz,
        (void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
         struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream),
        (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, PER_THREAD(stream)))
VARIANT(cudaMemcpyFromSymbolAsync, _ptsz,
        (void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream),
        (dst, symbol, count, offset, kind, PER_THREAD(stream)))
VARIANT(cudaMemcpyFromSymbol, _ptds,
        (void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
        (dst, symbol, count, offset, kind))
VARIANT(cudaMemcpyToSymbolAsync, _ptsz,
        (const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind,
         cudaStream_t stream),
        (symbol, src, count, offset, kind, PER_THREAD(stream)))
VARIANT(cudaMemcpyToSymbol, _ptds,
        (const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind),
        (symbol, src, count, offset, kind))
VARIANT(cudaMemcpy, _ptds, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind),
        (dst, src, count, kind))
VARIANT(cudaMemset2DAsync, _ptsz,
        (void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
        (devPtr, pitch, value, width, height, PER_THREAD(stream)))
VARIANT(cudaMemset2D, _ptds, (void *devPtr, size_t pitch, int value, size_t width, size_t height),
        (devPtr, pitch, value, width, height))
VARIANT(cudaMemset3DAsync, _ptsz,
        (struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent, cudaStream_t stream),
        (pitchedDevPtr, value, extent, PER_THREAD(stream)))
VARIANT(cudaMemset3D, _ptds, (struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent),
        (pitchedDevPtr, value, extent))
VARIANT(cudaMemsetAsync, _ptsz, (void *devPtr, int value, size_t count, cudaStream_t stream),
        (devPtr, value, count, PER_THREAD(stream)))
VARIANT(cudaMemset, _ptds, (void *devPtr, int value, size_t count), (devPtr, value, count))
VARIANT(cudaStreamAddCallback, _ptsz,
        (cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags),
        (PER_THREAD(stream), callback, userData, flags))
VARIANT(cudaStreamAttachMemAsync, _ptsz, (cudaStream_t stream, void *devPtr, size_t length, unsigned int flags),
        (PER_THREAD(stream), devPtr, length, flags))
VARIANT(cudaStreamBeginCaptureToGraph, _ptsz,
        (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
         const cudaGraphEdgeData *dependencyData, size_t numDependencies, enum cudaStreamCaptureMode mode),
        (PER_THREAD(stream), graph, dependencies, dependencyData, numDependencies, mode))
VARIANT(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
        (PER_THREAD(stream), mode))
VARIANT(cudaStreamCopyAttributes, _ptsz, (cudaStream_t dst, cudaStream_t src), (PER_THREAD(dst), PER_THREAD(src)))
VARIANT(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t *pGraph), (PER_THREAD(stream), pGraph))
VARIANT(cudaStreamGetAttribute, _ptsz, (cudaStream_t hStream, cudaStreamAttrID attr, cudaStreamAttrValue *value_out),
        (PER_THREAD(hStream), attr, value_out))
VARIANT(cudaStreamGetCaptureInfo, _ptsz,
        (cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out, unsigned long long *id_out,
         cudaGraph_t *graph_out, const cudaGraphNode_t **dependencies_out, const cudaGraphEdgeData **edgeData_out,
         size_t *numDependencies_out),
        (PER_THREAD(stream), captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out))
VARIANT(cudaStreamGetDevice, _ptsz, (cudaStream_t hStream, int *device), (PER_THREAD(hStream), device))
VARIANT(cudaStreamGetFlags, _ptsz, (cudaStream_t hStream, unsigned int *flags), (PER_THREAD(hStream), flags))
VARIANT(cudaStreamGetId, _ptsz, (cudaStream_t hStream, unsigned long long *streamId), (PER_THREAD(hStream), streamId))
VARIANT(cudaStreamGetPriority, _ptsz, (cudaStream_t hStream, int *priority), (PER_THREAD(hStream), priority))
VARIANT(cudaStreamIsCapturing, _ptsz, (cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus),
        (PER_THREAD(stream), pCaptureStatus))
VARIANT(cudaStreamQuery, _ptsz, (cudaStream_t stream), (PER_THREAD(stream)))
VARIANT(cudaStreamSetAttribute, _ptsz, (cudaStream_t hStream, cudaStreamAttrID attr, const cudaStreamAttrValue *value),
        (PER_THREAD(hStream), attr, value))
VARIANT(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (PER_THREAD(stream)))
VARIANT(cudaStreamUpdateCaptureDependencies, _ptsz,
        (cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *dependencyData,
         size_t numDependencies, unsigned int flags),
        (PER_THREAD(stream), dependencies, dependencyData, numDependencies, flags))
VARIANT(cudaStreamWaitEvent, _ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
        (PER_THREAD(stream), event, flags))

__attribute__((visibility("default"))) cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config,
                                                                            const void *func, void **args);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func, void **args) {
    if (!config) return cudaLaunchKernelExC(config, func, args);
    cudaLaunchConfig_t own = *config;
    own.stream = PER_THREAD(own.stream);
    return cudaLaunchKernelExC(&own, func, args);
}
