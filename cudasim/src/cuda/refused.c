/* What the real library exports and the simulator does not do: each says so once and returns cudaErrorNotSupported.
 * The list completes the entry points to the real library's (tests/test_abi.sh compares them). No CUDA header here:
 * the prototypes do not matter to a function that reads no argument. */

int runtime_refuse(const char *what);

#define REFUSED_NAMES(X)                                                                                               \
    X(__cudaGetProcAddress)                                                                                            \
    X(cudaArrayGetInfo)                                                                                                \
    X(cudaArrayGetMemoryRequirements)                                                                                  \
    X(cudaArrayGetPlane)                                                                                               \
    X(cudaArrayGetSparseProperties)                                                                                    \
    X(cudaCreateSurfaceObject)                                                                                         \
    X(cudaCreateTextureObject)                                                                                         \
    X(cudaDestroyExternalMemory)                                                                                       \
    X(cudaDestroyExternalSemaphore)                                                                                    \
    X(cudaDestroySurfaceObject)                                                                                        \
    X(cudaDestroyTextureObject)                                                                                        \
    X(cudaDeviceGetGraphMemAttribute)                                                                                  \
    X(cudaDeviceGetHostAtomicCapabilities)                                                                             \
    X(cudaDeviceGetNvSciSyncAttributes)                                                                                \
    X(cudaDeviceGetP2PAtomicCapabilities)                                                                              \
    X(cudaDeviceGetTexture1DLinearMaxWidth)                                                                            \
    X(cudaDeviceGraphMemTrim)                                                                                          \
    X(cudaDeviceRegisterAsyncNotification)                                                                             \
    X(cudaDeviceSetGraphMemAttribute)                                                                                  \
    X(cudaDeviceUnregisterAsyncNotification)                                                                           \
    X(cudaEGLStreamConsumerAcquireFrame)                                                                               \
    X(cudaEGLStreamConsumerConnect)                                                                                    \
    X(cudaEGLStreamConsumerConnectWithFlags)                                                                           \
    X(cudaEGLStreamConsumerDisconnect)                                                                                 \
    X(cudaEGLStreamConsumerReleaseFrame)                                                                               \
    X(cudaEGLStreamProducerConnect)                                                                                    \
    X(cudaEGLStreamProducerDisconnect)                                                                                 \
    X(cudaEGLStreamProducerPresentFrame)                                                                               \
    X(cudaEGLStreamProducerReturnFrame)                                                                                \
    X(cudaEventCreateFromEGLSync)                                                                                      \
    X(cudaExternalMemoryGetMappedBuffer)                                                                               \
    X(cudaExternalMemoryGetMappedMipmappedArray)                                                                       \
    X(cudaFreeArray)                                                                                                   \
    X(cudaFreeMipmappedArray)                                                                                          \
    X(cudaGLGetDevices)                                                                                                \
    X(cudaGLMapBufferObject)                                                                                           \
    X(cudaGLMapBufferObjectAsync)                                                                                      \
    X(cudaGLRegisterBufferObject)                                                                                      \
    X(cudaGLSetBufferObjectMapFlags)                                                                                   \
    X(cudaGLSetGLDevice)                                                                                               \
    X(cudaGLUnmapBufferObject)                                                                                         \
    X(cudaGLUnmapBufferObjectAsync)                                                                                    \
    X(cudaGLUnregisterBufferObject)                                                                                    \
    X(cudaGetChannelDesc)                                                                                              \
    X(cudaGetExportTable)                                                                                              \
    X(cudaGetMipmappedArrayLevel)                                                                                      \
    X(cudaGetSurfaceObjectResourceDesc)                                                                                \
    X(cudaGetTextureObjectResourceDesc)                                                                                \
    X(cudaGetTextureObjectResourceViewDesc)                                                                            \
    X(cudaGetTextureObjectTextureDesc)                                                                                 \
    X(cudaGraphAddExternalSemaphoresSignalNode)                                                                        \
    X(cudaGraphAddExternalSemaphoresWaitNode)                                                                          \
    X(cudaGraphAddMemAllocNode)                                                                                        \
    X(cudaGraphAddMemFreeNode)                                                                                         \
    X(cudaGraphConditionalHandleCreate)                                                                                \
    X(cudaGraphExecExternalSemaphoresSignalNodeSetParams)                                                              \
    X(cudaGraphExecExternalSemaphoresWaitNodeSetParams)                                                                \
    X(cudaGraphExternalSemaphoresSignalNodeGetParams)                                                                  \
    X(cudaGraphExternalSemaphoresSignalNodeSetParams)                                                                  \
    X(cudaGraphExternalSemaphoresWaitNodeGetParams)                                                                    \
    X(cudaGraphExternalSemaphoresWaitNodeSetParams)                                                                    \
    X(cudaGraphMemAllocNodeGetParams)                                                                                  \
    X(cudaGraphMemFreeNodeGetParams)                                                                                   \
    X(cudaGraphReleaseUserObject)                                                                                      \
    X(cudaGraphRetainUserObject)                                                                                       \
    X(cudaGraphicsEGLRegisterImage)                                                                                    \
    X(cudaGraphicsGLRegisterBuffer)                                                                                    \
    X(cudaGraphicsGLRegisterImage)                                                                                     \
    X(cudaGraphicsMapResources)                                                                                        \
    X(cudaGraphicsResourceGetMappedEglFrame)                                                                           \
    X(cudaGraphicsResourceGetMappedMipmappedArray)                                                                     \
    X(cudaGraphicsResourceGetMappedPointer)                                                                            \
    X(cudaGraphicsResourceSetMapFlags)                                                                                 \
    X(cudaGraphicsSubResourceGetMappedArray)                                                                           \
    X(cudaGraphicsUnmapResources)                                                                                      \
    X(cudaGraphicsUnregisterResource)                                                                                  \
    X(cudaGraphicsVDPAURegisterOutputSurface)                                                                          \
    X(cudaGraphicsVDPAURegisterVideoSurface)                                                                           \
    X(cudaImportExternalMemory)                                                                                        \
    X(cudaImportExternalSemaphore)                                                                                     \
    X(cudaIpcCloseMemHandle)                                                                                           \
    X(cudaIpcGetEventHandle)                                                                                           \
    X(cudaIpcGetMemHandle)                                                                                             \
    X(cudaIpcOpenEventHandle)                                                                                          \
    X(cudaIpcOpenMemHandle)                                                                                            \
    X(cudaLibraryEnumerateKernels)                                                                                     \
    X(cudaLibraryGetKernelCount)                                                                                       \
    X(cudaLibraryGetManaged)                                                                                           \
    X(cudaLibraryGetUnifiedFunction)                                                                                   \
    X(cudaLibraryLoadFromFile)                                                                                         \
    X(cudaLogsCurrent)                                                                                                 \
    X(cudaLogsDumpToFile)                                                                                              \
    X(cudaLogsDumpToMemory)                                                                                            \
    X(cudaLogsRegisterCallback)                                                                                        \
    X(cudaLogsUnregisterCallback)                                                                                      \
    X(cudaMalloc3DArray)                                                                                               \
    X(cudaMallocArray)                                                                                                 \
    X(cudaMallocMipmappedArray)                                                                                        \
    X(cudaMemDiscardAndPrefetchBatchAsync)                                                                             \
    X(cudaMemDiscardAndPrefetchBatchAsync_ptsz)                                                                        \
    X(cudaMemDiscardBatchAsync)                                                                                        \
    X(cudaMemDiscardBatchAsync_ptsz)                                                                                   \
    X(cudaMemGetDefaultMemPool)                                                                                        \
    X(cudaMemGetMemPool)                                                                                               \
    X(cudaMemPoolExportPointer)                                                                                        \
    X(cudaMemPoolExportToShareableHandle)                                                                              \
    X(cudaMemPoolImportFromShareableHandle)                                                                            \
    X(cudaMemPoolImportPointer)                                                                                        \
    X(cudaMemPrefetchBatchAsync)                                                                                       \
    X(cudaMemPrefetchBatchAsync_ptsz)                                                                                  \
    X(cudaMemSetMemPool)                                                                                               \
    X(cudaMemcpy2DArrayToArray)                                                                                        \
    X(cudaMemcpy2DArrayToArray_ptds)                                                                                   \
    X(cudaMemcpy2DFromArray)                                                                                           \
    X(cudaMemcpy2DFromArrayAsync)                                                                                      \
    X(cudaMemcpy2DFromArrayAsync_ptsz)                                                                                 \
    X(cudaMemcpy2DFromArray_ptds)                                                                                      \
    X(cudaMemcpy2DToArray)                                                                                             \
    X(cudaMemcpy2DToArrayAsync)                                                                                        \
    X(cudaMemcpy2DToArrayAsync_ptsz)                                                                                   \
    X(cudaMemcpy2DToArray_ptds)                                                                                        \
    X(cudaMemcpy3DBatchAsync)                                                                                          \
    X(cudaMemcpy3DBatchAsync_ptsz)                                                                                     \
    X(cudaMemcpyArrayToArray)                                                                                          \
    X(cudaMemcpyArrayToArray_ptds)                                                                                     \
    X(cudaMemcpyFromArray)                                                                                             \
    X(cudaMemcpyFromArrayAsync)                                                                                        \
    X(cudaMemcpyFromArrayAsync_ptsz)                                                                                   \
    X(cudaMemcpyFromArray_ptds)                                                                                        \
    X(cudaMemcpyToArray)                                                                                               \
    X(cudaMemcpyToArrayAsync)                                                                                          \
    X(cudaMemcpyToArrayAsync_ptsz)                                                                                     \
    X(cudaMemcpyToArray_ptds)                                                                                          \
    X(cudaMipmappedArrayGetMemoryRequirements)                                                                         \
    X(cudaMipmappedArrayGetSparseProperties)                                                                           \
    X(cudaSignalExternalSemaphoresAsync)                                                                               \
    X(cudaSignalExternalSemaphoresAsync_ptsz)                                                                          \
    X(cudaUserObjectCreate)                                                                                            \
    X(cudaUserObjectRelease)                                                                                           \
    X(cudaUserObjectRetain)                                                                                            \
    X(cudaVDPAUGetDevice)                                                                                              \
    X(cudaVDPAUSetVDPAUDevice)                                                                                         \
    X(cudaWaitExternalSemaphoresAsync)                                                                                 \
    X(cudaWaitExternalSemaphoresAsync_ptsz)

#define REFUSED(name)                                                                                                  \
    __attribute__((visibility("default"))) int name(void);                                                             \
    int name(void) {                                                                                                   \
        return runtime_refuse(#name);                                                                                  \
    }

REFUSED_NAMES(REFUSED)
