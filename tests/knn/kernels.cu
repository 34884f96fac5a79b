/* A plain search, one thread per query, and the same with one mistake at a time: does the harness find it? */
#include <cuda_runtime.h>

#include "knn/knn.h"

#include "faults.h"

#define FAULT_NAME(name) name,
enum fault { FAULTS(FAULT_NAME) };

template <int FAULT> static __device__ float distance(const float *x, const float *y, int d) {
    float sum = 0.0f;
    for (int i = 0; i < d; i++) {
        int j = FAULT == descends ? d - 1 - i : i;
        float difference = __fsub_rn(x[j], y[j]);
        sum = FAULT == fuses_nothing ? __fadd_rn(sum, __fmul_rn(difference, difference))
                                     : __fmaf_rn(difference, difference, sum);
    }
    return sum;
}

/* Place after place: the smallest that comes after the last one. */
template <int FAULT> static __global__ void knn(knn_problem p) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= p.m || (FAULT == leaves_a_row && row == p.m - 1)) return;
    const float *x = p.queries + (long long)row * p.d;
    float *distances = p.distance + (long long)row * p.k;
    int *indices = p.index + (long long)row * p.k;
    int n = FAULT == forgets_last && p.n > p.k ? p.n - 1 : p.n;
    float last = -1.0f;
    int last_index = FAULT == last_of_equals ? n : -1;
    for (int place = 0; place < p.k; place++) {
        float best = 0.0f;
        int index = -1;
        for (int j = 0; j < n; j++) {
            float y = distance<FAULT>(x, p.points + (long long)j * p.d, p.d);
            bool after = y > last || (y == last && (FAULT == last_of_equals ? j < last_index : j > last_index));
            if (after && (index < 0 || y < best || (FAULT == last_of_equals && y == best))) {
                best = y;
                index = j;
            }
        }
        distances[place] = last = best;
        indices[place] = last_index = index;
    }
    if (FAULT == turns_two && p.k > 1) {
        int index = indices[0];
        float first = distances[0];
        indices[0] = indices[1], distances[0] = distances[1];
        indices[1] = index, distances[1] = first;
    }
    if (FAULT == writes_past && row == p.m - 1) indices[p.k] = 0;
    if (FAULT == writes_before && row == 0) distances[-1] = 0.0f;
    if (FAULT == spoils_points && row == 0 && p.d > 0) ((float *)p.points)[p.d - 1] += 1.0f;
    if (FAULT == spoils_queries && row == p.m - 1) ((float *)p.queries)[(long long)p.m * p.d] = 0.0f;
    if (FAULT == overruns && row == 0) ((float *)p.workspace)[(p.workspace_bytes + 255) / 256 * 64] = 0.0f;
}

#define METHOD(name)                                                                                                   \
    extern "C" cudaError_t search_##name(const knn_problem *p, cudaStream_t stream) {                                  \
        if (p->m > 0) knn<name><<<(p->m + 31) / 32, 32, 0, stream>>>(*p);                                              \
        return cudaGetLastError();                                                                                     \
    }
FAULTS(METHOD)

extern "C" kernel_info kernel_plain(void) {
    return {(const void *)knn<plain>, 32, 0};
}
