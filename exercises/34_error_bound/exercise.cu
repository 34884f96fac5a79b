/* Exercise: points are rounded to FP16, rough distances drop those that are surely not among the k nearest, and THE
 * distance in FP32 decides about the rest. The bounds below allow for the rounding of FP32 arithmetic (g), but not for
 * how far the rounding to FP16 has moved a point: e of the query, moved[i] of point i. On most data nobody notices.
 * Four points in points.csv do. Widen the three bounds as steps 3, 5 and 6 of the proof say, and by no more.
 *
 *   step 3   bound[i]: how far the rounded query is from the rounded point i, at most. Bound the point itself.
 *   step 5   radius: k points are now within w of the rounded query, so within w + e of the query itself. How far from
 *            the rounded query, at most, is any point that is as near to the query as these?
 *   step 6   the test: it drops what lies beyond the radius, even a point that only its rounding has moved there.
 */
#include <cuda_fp16.h>
#include <stdint.h>

#include "knn/knn.h"
#include "knn/knn_key.h"

static const int THREADS = 256, MOST = 1024; /* points */

static __device__ __forceinline__ float rounded(float x) {
    return __half2float(__float2half_rn(x));
}

/* THE distance, which decides. */
static __device__ __forceinline__ float distance(const float *x, const float *y, int d) {
    float sum = 0.0f;
    for (int j = 0; j < d; j++) sum = fmaf(x[j] - y[j], x[j] - y[j], sum);
    return sum;
}

/* How many of all[0 ... count - 1] come before all[i]. */
template <typename T> static __device__ __forceinline__ int rank(const T *all, int count, int i) {
    int before = 0;
    for (int other = 0; other < count; other++)
        before += all[other] < all[i] || (all[other] == all[i] && other < i) ? 1 : 0;
    return before;
}

/* A block searches for one query. */
static __global__ void __launch_bounds__(THREADS) knn_exercise(knn_problem p) {
    __shared__ float rough[MOST], moved[MOST], bound[MOST], w;
    __shared__ uint64_t keys[MOST];
    __shared__ int count;
    const float *x = p.queries + (int64_t)blockIdx.x * p.d;
    const float g = (p.d + 4) * 0x1p-23f;
    float e = 0.0f;
    for (int j = 0; j < p.d; j++) e = fmaf(x[j] - rounded(x[j]), x[j] - rounded(x[j]), e);
    e = sqrtf(e) * (1.0f + g);

    for (int i = threadIdx.x; i < p.n; i += THREADS) {
        const float *y = p.points + (int64_t)i * p.d;
        float apart = 0.0f, left = 0.0f;
        for (int j = 0; j < p.d; j++) {
            const float h = rounded(y[j]), across = rounded(x[j]) - h;
            apart = fmaf(across, across, apart);
            left = fmaf(y[j] - h, y[j] - h, left);
        }
        rough[i] = sqrtf(apart);
        moved[i] = sqrtf(left) * (1.0f + g);
        bound[i] = rough[i] * (1.0f + g);
    }
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < p.n; i += THREADS)
        if (rank(bound, p.n, i) == p.k - 1) w = bound[i];
    __syncthreads();

    const float radius = w * (1.0f + g);
    for (int i = threadIdx.x; i < p.n; i += THREADS) {
        if (rough[i] * (1.0f - g) > radius) continue;
        keys[atomicAdd(&count, 1)] = knn_key(distance(x, p.points + (int64_t)i * p.d, p.d), i);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += THREADS) {
        const int place = rank(keys, count, i);
        if (place >= p.k) continue;
        p.index[(int64_t)blockIdx.x * p.k + place] = knn_key_index(keys[i]);
        p.distance[(int64_t)blockIdx.x * p.k + place] = knn_key_distance(keys[i]);
    }
}

extern "C" cudaError_t search_exercise(const knn_problem *p, cudaStream_t stream) {
    if (p->n > MOST) return cudaErrorInvalidValue;
    if (p->m > 0) knn_exercise<<<(unsigned)p->m, THREADS, 0, stream>>>(*p);
    return cudaGetLastError();
}
