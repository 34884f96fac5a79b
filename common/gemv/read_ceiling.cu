/* Reads memory and does nothing else: the best that a kernel which has to read as many bytes can hope for. */
#include <cuda_runtime.h>

#include "gemv/read_ceiling.h"
#include "ptx/griddepcontrol.cuh"

static const int THREADS = 256;
static const int RESIDENT = 2048 / THREADS; /* blocks per SM for a persistent grid */

/* LOADS 16-byte loads in flight per thread, neighbouring threads reading neighbouring addresses. What is read is folded
 * into one word so that the loads are not optimised away, and written in a case that does not occur with real data. */
template <int LOADS>
__global__ void __launch_bounds__(THREADS) read_kernel(const uint4 *data, size_t count, uint4 *out) {
    const size_t tile = (size_t)THREADS * LOADS;
    griddepcontrol_launch_dependents(); /* the data is constant, so launches may overlap freely */
    uint4 all = make_uint4(~0u, ~0u, ~0u, ~0u);
    for (size_t i0 = blockIdx.x * tile; i0 < count; i0 += gridDim.x * tile) {
        uint4 v[LOADS];
#pragma unroll
        for (int j = 0; j < LOADS; j++) {
            size_t i = i0 + (size_t)j * THREADS + threadIdx.x;
            v[j] = i < count ? __ldcs(data + i) : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (int j = 0; j < LOADS; j++) {
            all.x &= v[j].x;
            all.y &= v[j].y;
            all.z &= v[j].z;
            all.w &= v[j].w;
        }
    }
    griddepcontrol_wait();
    if (out != NULL && (all.x & all.y & all.z & all.w) == ~0u)
        *out = all; /* out is NULL, which the compiler does not
                     * know */
}

template <int LOADS>
static cudaError_t launch(const uint4 *data, size_t count, bool stay, int sms, bool pdl, cudaStream_t stream) {
    const size_t tile = (size_t)THREADS * LOADS, all = (count + tile - 1) / tile, resident = (size_t)sms * RESIDENT;
    const size_t limit = stay ? resident : 0x7fffffff;
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = (unsigned)(all < limit ? all : limit);
    config.blockDim = THREADS;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = pdl ? 1 : 0;
    return cudaLaunchKernelEx(&config, read_kernel<LOADS>, data, count, (uint4 *)NULL);
}

extern "C" cudaError_t read_ceiling(const void *data, size_t bytes, int way, bool pdl, cudaStream_t stream) {
    const size_t count = bytes / 16;
    int device, sms;
    if (count == 0) return cudaSuccess;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess) return error;
    const uint4 *from = (const uint4 *)data;
    const bool stay = way % 2 != 0;
    if (way / 2 == 0) return launch<2>(from, count, stay, sms, pdl, stream);
    if (way / 2 == 1) return launch<4>(from, count, stay, sms, pdl, stream);
    return launch<8>(from, count, stay, sms, pdl, stream);
}
