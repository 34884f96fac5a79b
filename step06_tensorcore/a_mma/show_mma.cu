/* --show mma_s8, --show mma_f16: the article's programs, and which lane holds which element of A, B, C and D. The
 * instruction itself gives the answer: if all of A is 0 except for a single 1, and every element of B is its own
 * number, a non-zero element of D is the number of the one element of B that the 1 met. Repeated for every element of
 * A, that is all there is to know about an mma.
 *
 *   A: T0's a1 is 1             B: T0's b0 ... b3 are 1 ... 4,             D: T1's d0 comes out as 34:
 *      all else is 0               T1's b0 ... b3 are 5 ... 8, ...            a1 of T0 meets b1 of T8 on its way there
 */
#include <cuda_fp16.h>

#include "fragment.h"
#include "gemm/gemm.h"
#include "gpu/error.h"
#include "ptx/mma.cuh"

/* What a lane holds: its elements in the order of its registers; d is C before and D after. */
template <typename IN, typename SUM, int A, int B, int D> struct lane_holds {
    union {
        IN e[A];
        unsigned r[A * sizeof(IN) / 4];
    } a;
    union {
        IN e[B];
        unsigned r[B * sizeof(IN) / 4];
    } b;
    union {
        SUM e[D];
        unsigned r[D * sizeof(SUM) / 4];
    } d;
};

typedef lane_holds<signed char, int, 4, 4, 2> m8n8k16_s8;
typedef lane_holds<__half, float, 4, 2, 4> m16n8k8_f16;
typedef lane_holds<__half, __half, 4, 2, 4> m16n8k8_f16_f16;
typedef lane_holds<__half, float, 8, 4, 4> m16n8k16_f16;
typedef lane_holds<__half, __half, 8, 4, 4> m16n8k16_f16_f16;

__device__ void multiply(m8n8k16_s8 &x) {
    mma_m8n8k16_s8(x.d.e, x.a.r[0], x.b.r[0]);
}
__device__ void multiply(m16n8k8_f16 &x) {
    mma_m16n8k8_f16(x.d.e, x.a.r, x.b.r[0]);
}
__device__ void multiply(m16n8k8_f16_f16 &x) {
    mma_m16n8k8_f16_f16(x.d.r, x.a.r, x.b.r[0]);
}
__device__ void multiply(m16n8k16_f16 &x) {
    mma_m16n8k16_f16(x.d.e, x.a.r, x.b.r);
}
__device__ void multiply(m16n8k16_f16_f16 &x) {
    mma_m16n8k16_f16_f16(x.d.r, x.a.r, x.b.r);
}

/* Each element's own number, 1 ... 128, and back; 0 is -1. (In eight bits 128 is -128, so all types can hold it.) */
template <typename T> __device__ void number(T *e, int count, int lane) {
    for (int i = 0; i < count; i++) e[i] = (T)(float)(signed char)(lane * count + i + 1);
}
template <typename T> __device__ short slot_of(T value) {
    return (short)(((int)(float)value & 255) - 1);
}

template <typename IN, typename SUM, int A, int B, int D>
__global__ void ask_mma(lane_holds<IN, SUM, A, B, D> x, fragment_mma *seen) {
    const int lane = threadIdx.x;
    number(x.b.e, B, lane);
    for (int one = 0; one < 32 * A; one++) {
        for (int i = 0; i < A; i++) x.a.e[i] = (IN)(float)(lane * A + i == one);
        for (int i = 0; i < D; i++) x.d.e[i] = (SUM)0.0f;
        multiply(x);
        for (int i = 0; i < D; i++) seen->met[one][lane * D + i] = slot_of(x.d.e[i]);
    }
    for (int i = 0; i < A; i++) x.a.e[i] = (IN)0.0f;
    number(x.d.e, D, lane);
    multiply(x);
    for (int i = 0; i < D; i++) seen->added[lane * D + i] = slot_of(x.d.e[i]);
}

/* ---- what is documented: common/ptx/mma.cuh ---- */

/* `pack` elements of A or B make up a register. */
static void document(fragment *a, fragment *b, fragment *d, int pack) {
    for (int lane = 0; lane < FRAGMENT_LANES; lane++) {
        const int g = lane / 4, t = lane % 4;
        for (int e = 0; e < a->elements; e++) {
            const int r = e / pack, i = e % pack;
            a->at[lane][e] = {g + 8 * (r % 2), pack * t + i + 4 * pack * (r / 2)};
        }
        for (int e = 0; e < b->elements; e++) b->at[lane][e] = {pack * t + e % pack + 4 * pack * (e / pack), g};
        for (int e = 0; e < d->elements; e++) d->at[lane][e] = {g + 8 * (e / 2), 2 * t + e % 2};
    }
}

/* Runs one mma, compares its answer with the documentation, and draws it. */
template <typename IN, typename SUM, int A, int B, int D>
static bool show(const char *name, lane_holds<IN, SUM, A, B, D> x, bool draw, FILE *out) {
    const int pack = 4 / sizeof(IN), m = D * 32 / 8, k = B * 32 / 8;
    fragment a = {"A", "row", 'a', m, k, A, pack, {}}, documented_a = a;
    fragment b = {"B", "k", 'b', k, 8, B, pack, {}}, documented_b = b;
    fragment d = {"C, D", "row", 'c', m, 8, D, 2, {}}, documented_d = d;
    static fragment_mma answer, *const seen = &answer;
    fragment_mma *on_device;
    CUDA_ALLOCATE(&on_device, sizeof *seen);
    ask_mma<<<1, FRAGMENT_LANES>>>(x, on_device);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(seen, on_device, sizeof *seen, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(on_device));

    fragment_find(seen, &a, &b, &d);
    document(&documented_a, &documented_b, &documented_d, pack);
    if (draw) {
        fprintf(out, "\n%s: A is %d x %d, B %d x 8, C and D %d x 8.\n", name, m, k, k, m);
        fprintf(out, "T5 a0 is the first element of A that lane 5 holds; %d of A, or of B, are a register.\n\n", pack);
        fragment_draw(&a, out);
        fprintf(out, "\n");
        fragment_draw(&b, out);
        fprintf(out, "\n");
        fragment_draw(&d, out);
    } else
        fprintf(out, "\n%s: the same, but c0 and c1 share a register, and c2 and c3.\n", name);
    const bool ok = fragment_agrees(seen, &documented_a, &documented_b, &documented_d, out) &&
                    fragment_same(&a, &documented_a, out) && fragment_same(&b, &documented_b, out) &&
                    fragment_same(&d, &documented_d, out);
    if (ok) fprintf(out, "So the device says, and so it is documented.\n");
    return ok;
}

/* ---- the article's programs ---- */

extern "C" cudaError_t launch_mma_s8_tile(const gemm_problem *p, cudaStream_t stream);
extern "C" cudaError_t launch_mma_k8(const gemm_problem *p, cudaStream_t stream);

/* D = A*B + C by a step's kernel, each element number i of its matrix i % 8. IN and SUM: the types of A, B and of C. */
template <typename IN, typename SUM, int M, int N, int K>
static bool program(gemm_problem p, cudaError_t (*launch)(const gemm_problem *, cudaStream_t), FILE *out) {
    struct {
        IN a[M][K], b[N][K]; /* B column by column */
        SUM c[M][N];
    } x, *device;
    for (int i = 0; i < M * K; i++) x.a[i / K][i % K] = (IN)(float)(i % 8);
    for (int i = 0; i < N * K; i++) x.b[i / K][i % K] = (IN)(float)(i % 8);
    for (int i = 0; i < M * N; i++) x.c[i / N][i % N] = (SUM)(float)(i % 8);
    CUDA_ALLOCATE(&device, sizeof x);
    CUDA_CHECK(cudaMemcpy(device, &x, sizeof x, cudaMemcpyHostToDevice));
    p.m = M, p.n = p.ldc = N, p.k = p.lda = p.ldb = K;
    p.alpha = p.beta = 1.0f;
    p.A = device->a, p.B = device->b, p.C = device->c;
    CUDA_CHECK(launch(&p, 0));
    SUM d[M][N];
    int wrong = 0;
    CUDA_CHECK(cudaMemcpy(d, device->c, sizeof d, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(device));

    fprintf(out, "\nD = A*B + C, element number i of A, B (column by column) and C being i %% 8:\n\n");
    for (int row = 0; row < M; row++) {
        fprintf(out, "   ");
        for (int col = 0; col < N; col++) {
            float sum = (float)x.c[row][col];
            for (int k = 0; k < K; k++) sum += (float)x.a[row][k] * (float)x.b[col][k];
            wrong += (float)d[row][col] != sum;
            fprintf(out, "%5.0f", (float)d[row][col]);
        }
        fprintf(out, "\n");
    }
    if (wrong > 0) fprintf(out, "WRONG: %d of these are not what the host computes\n", wrong);
    return wrong == 0;
}

extern "C" bool show_mma_s8(const device_facts *device, FILE *out) {
    (void)device;
    gemm_problem p = {};
    p.type = GEMM_S8, p.out = DTYPE_S32, p.layout = GEMM_TN;
    const bool ok = program<signed char, int, 8, 8, 16>(p, launch_mma_s8_tile, out);
    return show("m8n8k16, s8 x s8 + s32", m8n8k16_s8{}, true, out) && ok;
}

extern "C" bool show_mma_f16(const device_facts *device, FILE *out) {
    gemm_problem p = {};
    p.type = GEMM_F16, p.out = DTYPE_F16, p.layout = GEMM_TN;
    bool ok = program<__half, __half, 16, 8, 8>(p, launch_mma_k8, out);
    ok = show("m16n8k8, f16 x f16 + f32", m16n8k8_f16{}, true, out) && ok;
    ok = show("m16n8k8, f16 x f16 + f16", m16n8k8_f16_f16{}, false, out) && ok;
    if (device->cc < 80) {
        fprintf(out, "\nm16n8k16 needs compute capability 8.0.\n");
        return ok;
    }
    ok = show("m16n8k16, f16 x f16 + f32", m16n8k16_f16{}, true, out) && ok;
    return show("m16n8k16, f16 x f16 + f16", m16n8k16_f16_f16{}, false, out) && ok;
}
