/* Convolution on tensor cores by mma.sync, for GPUs from sm_80 on that are no Hopper, and wherever there is no product
 * to form: the same rows as half.cuh copies (half_rows.cuh), and the same filters, in a ring of stages.
 *
 *                    64 filters                 a warp: 64 x 32 results, and of each 16 weights four fragments of
 *              +---------+---------+            windows, two of filters by ldmatrix, for 16 products
 *   128 places | warp 0  | warp 1  |
 *              +---------+---------+
 *              | warp 2  | warp 3  |
 *              +---------+---------+
 *
 * It is complete, and simpler than step 6's multistage: one tile, no parts, results stored where they are. */
#include "../../step06_tensorcore/best/ampere.cuh"
#include "gemm/launch.cuh"
#include "half_rows.cuh"
#include "ptx/griddepcontrol.cuh"
#include "ptx/ldmatrix.cuh"

static const int BM = 128, BN = 64, BK = 64, STAGES = 3, THREADS = 128;
static const int A_BYTES = BM * 128, STAGE_BYTES = A_BYTES + BN * 128;
static const int BYTES = STAGES * STAGE_BYTES + BM * (int)sizeof(half_row);

static __device__ __forceinline__ void copy_filters(const half_filters &f, int k0, int64_t weight0, unsigned stage) {
    const int chunk = threadIdx.x % 8;
    const int64_t left = f.weights - weight0 - chunk * 8;
#pragma unroll
    for (int down = threadIdx.x / 8; down < BN; down += THREADS / 8) {
        const bool there = k0 + down < f.count && left > 0;
        const unsigned short *from =
            (const unsigned short *)f.at + (there ? (k0 + down) * f.pitch + weight0 + chunk * 8 : 0);
        cp_async_16_zfill(stage + A_BYTES + chunk_offset<ROWS, 128>(down, chunk), from,
                          there ? 2 * (int)min(left, (int64_t)8) : 0);
    }
}

template <gemm_type TYPE>
static __device__ __forceinline__ void multiply_stage(unsigned stage, int wm, int wn, float (*d)[4][4]) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int step = 0; step < 4; step++) {
        unsigned a[4][4], b[4][2];
#pragma unroll
        for (int i = 0; i < 4; i++)
            ldmatrix_x4(a[i], stage + chunk_offset<ROWS, 128>(wm + i * 16 + lane % 16, step * 2 + lane / 16));
#pragma unroll
        for (int j = 0; j < 4; j += 2)
            ldmatrix_x4(b[j],
                        stage + A_BYTES +
                            chunk_offset<ROWS, 128>(wn + j * 8 + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2));
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) multiply_32_bytes<TYPE>(d[i][j], a[i], b[j]);
    }
}

template <gemm_type TYPE, int PIECE>
static __device__ __forceinline__ void multiply(const half_view &v, const half_filters &f, int places, int place0,
                                                int k0, unsigned char *shared, float (*d)[4][4]) {
    half_row *rows = (half_row *)(shared + STAGES * STAGE_BYTES);
    const unsigned ring = shared_address(shared), offset = piece_offset<PIECE>();
    const int stages = (int)((f.weights + BK - 1) / BK), warp = threadIdx.x / 32;
    half_weight weight = weight_at(v, threadIdx.x % (128 / PIECE) * (PIECE / 2));
    find_rows<PIECE, BM>(v, places, place0, rows);
#pragma unroll 1
    for (int t = 1 - STAGES; t < stages; t++) {
        const int next = t + STAGES - 1;
        if (t >= 0) {
            cp_async_wait<STAGES - 2>();
            __syncthreads(); /* stage t is here, and that of t - 1 has been read */
        }
        if (next < stages) {
            copy_rows<PIECE, BM, half_share<PIECE, BM>::DOWN>(v, rows + piece_row<PIECE>(), weight,
                                                              ring + next % STAGES * STAGE_BYTES + offset);
            copy_filters(f, k0, (int64_t)next * BK, ring + next % STAGES * STAGE_BYTES);
            next_weight(v, &weight);
        }
        cp_async_commit();
        if (t >= 0) multiply_stage<TYPE>(ring + t % STAGES * STAGE_BYTES, warp / 2 * 64, warp % 2 * 32, d);
    }
}

template <gemm_type TYPE, typename T>
static __global__ void __launch_bounds__(THREADS)
    conv_half_mma(const __grid_constant__ half_view v, const half_filters f, int places, float beta, T *y) {
    extern __shared__ __align__(128) unsigned char shared[];
    const int tiles = (f.count + BN - 1) / BN, k0 = (int)(blockIdx.x % tiles) * BN,
              place0 = (int)(blockIdx.x / tiles) * BM;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float d[4][4][4] = {};
    griddepcontrol_wait();
    if (f.weights > 0 && v.piece == 16) multiply<TYPE, 16>(v, f, places, place0, k0, shared, d);
    if (f.weights > 0 && v.piece == 8) multiply<TYPE, 8>(v, f, places, place0, k0, shared, d);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int place = place0 + warp / 2 * 64 + i * 8 + lane / 4, k = k0 + warp % 2 * 32 + lane % 4 * 2;
        if (place >= places) continue;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const int at = k + j / 2 * 8 + j % 2;
            if (at >= f.count) continue;
            T *to = half_at(y, v, f.count, place, at);
            float result = v.alpha * d[i / 2][j / 2][i % 2 * 2 + j % 2];
            if (beta != 0.0f) result += beta * (float)*to;
            if (v.bias != NULL) result += (float)((const T *)v.bias)[at];
            *to = (T)result;
        }
    }
}

cudaError_t launch_half_mma(const conv_problem *p, const half_plan *plan, cudaStream_t stream) {
    const int places = conv_places(p);
    const unsigned blocks = conv_blocks(places, BM) * conv_blocks(p->k, BN);
    const half_filters *f = &plan->filters;
    if (p->type == DTYPE_F16)
        return gemm_launch(conv_half_mma<GEMM_F16, __half>, blocks, 1, THREADS, BYTES, stream, plan->view, *f, places,
                           p->beta, (__half *)p->y);
    return gemm_launch(conv_half_mma<GEMM_BF16, __nv_bfloat16>, blocks, 1, THREADS, BYTES, stream, plan->view, *f,
                       places, p->beta, (__nv_bfloat16 *)p->y);
}
