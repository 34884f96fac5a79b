/* Step 6 beside CUTLASS's own kernels for Hopper, in f16 tn: `make cutlass CUTLASS_HOME=FOLDER` builds this program
 * from a copy of CUTLASS (include/ of it), and it takes a step's options. So CUTLASS is verified, and timed in turn
 * with cuBLAS's fastest call, as our kernels are. Its rows are recorded as step 6's.
 *
 * The kernels are made by its collective builders, as its examples 48 and 49 do: persistent, fed by TMA, with the tile
 * that step 6's `cooperative` and `tma_store` have, and with the one of `ping_pong`, in clusters of two. */
#include <cute/tensor.hpp>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

#include "gemm/gemm.h"

using namespace cute;
typedef cutlass::half_t f16;
enum { ALIGNED = 8 }; /* elements: 16 bytes */

/* All types of one kernel: a tile of BM x BN x 64, clusters of two blocks along M. */
template <int BM, int BN, typename MAIN, typename STORE> struct made {
    using tile = Shape<Int<BM>, Int<BN>, _64>;
    using cluster = Shape<_2, _1, _1>;
    using epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, tile, cluster,
        cutlass::epilogue::collective::EpilogueTileAuto, float, float, f16, cutlass::layout::RowMajor, ALIGNED, f16,
        cutlass::layout::RowMajor, ALIGNED, STORE>::CollectiveOp;
    using mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, f16, cutlass::layout::RowMajor, ALIGNED, f16,
        cutlass::layout::ColumnMajor, ALIGNED, float, tile, cluster,
        cutlass::gemm::collective::StageCountAutoCarveout<(int)sizeof(typename epilogue::SharedStorage)>,
        MAIN>::CollectiveOp;
    using kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, mainloop, epilogue,
                                                        cutlass::gemm::PersistentScheduler>;
};
typedef made<128, 256, cutlass::gemm::KernelTmaWarpSpecializedCooperative,
             cutlass::epilogue::TmaWarpSpecializedCooperative>::kernel cooperative;
typedef made<64, 256, cutlass::gemm::KernelTmaWarpSpecializedPingpong, cutlass::epilogue::TmaWarpSpecialized>::kernel
    ping_pong;

/* A row's stride, and 1 along it; there is one batch. */
template <typename STRIDE> static STRIDE rows(int ld) {
    STRIDE stride{};
    get<0>(stride) = ld;
    return stride;
}

template <typename KERNEL> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    typedef cutlass::gemm::device::GemmUniversalAdapter<KERNEL> adapter;
    if (p->m == 0 || p->n == 0) return cudaSuccess;
    cudaError_t error;
    cutlass::KernelHardwareInfo device;
    if ((error = cudaGetDevice(&device.device_id)) != cudaSuccess) return error;
    error = cudaDeviceGetAttribute(&device.sm_count, cudaDevAttrMultiProcessorCount, device.device_id);
    if (error != cudaSuccess) return error;
    const f16 *a = (const f16 *)p->A, *b = (const f16 *)p->B;
    f16 *c = (f16 *)p->C;
    typename adapter::Arguments arguments{
        cutlass::gemm::GemmUniversalMode::kGemm,
        {p->m, p->n, p->k, 1},
        {a, rows<typename KERNEL::StrideA>(p->lda), b, rows<typename KERNEL::StrideB>(p->ldb)},
        {{p->alpha, p->beta}, c, rows<typename KERNEL::StrideC>(p->ldc), c, rows<typename KERNEL::StrideD>(p->ldc)},
        device};
    adapter gemm;
    if (gemm.initialize(arguments, p->workspace, stream) != cutlass::Status::kSuccess ||
        gemm.run(stream) != cutlass::Status::kSuccess)
        return (error = cudaGetLastError()) != cudaSuccess ? error : cudaErrorUnknown;
    return cudaSuccess;
}

template <typename KERNEL> static kernel_info kernel() {
    return {(const void *)cutlass::device_kernel<KERNEL>, (int)KERNEL::MaxThreadsPerBlock,
            (int)KERNEL::SharedStorageSize};
}

static const char *supports(const device_facts *device) {
    return device->cc == 90 ? NULL : "these kernels need compute capability 9.0";
}

static const char *refuses(const gemm_problem *p) {
    if (p->type != GEMM_F16 || p->out != DTYPE_F16 || p->layout != GEMM_TN) return "takes f16 in tn, and C in f16";
    if (p->k == 0 || p->alpha == 0.0f) return "takes alpha and k other than 0";
    const size_t bits = (uintptr_t)p->A | (uintptr_t)p->B | (uintptr_t)p->C;
    const int lengths = p->lda | p->ldb | p->ldc | p->n | p->k;
    return bits % 16 == 0 && lengths % ALIGNED == 0 ? NULL : "takes rows that begin and end on 16 bytes";
}

int main(int argc, char **argv) {
    static const gemm_type type = GEMM_F16;
    static const gemm_layout tn = GEMM_TN;
    static const gemm_offer offer = {&type, 1, &tn, 1, NULL, 0};
    static const gemm_variant variants[] = {
        {"cutlass_cooperative", "CUTLASS, 128x256x64: two consumers share a tile", launch<cooperative>,
         kernel<cooperative>, supports, refuses, NULL, NULL},
        {"cutlass_ping_pong", "CUTLASS, 64x256x64: the consumers alternate tiles", launch<ping_pong>, kernel<ping_pong>,
         supports, refuses, NULL, NULL},
    };
    return gemm_step_main(argc, argv, "step06_tensorcore", variants, ARRAY_SIZE(variants), &offer);
}
