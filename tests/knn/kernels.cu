/* A plain search, one thread per query, and the same with one mistake at a time: does the harness find it? */
#include <cuda_runtime.h>

#include "knn/knn.h"

enum fault {
    NONE,
    FUSES_NOTHING,  /* rounds the product: not the chain's bits */
    DESCENDS,       /* sums from the last coordinate on */
    LAST_OF_EQUALS, /* takes the largest index of equal distances */
    FORGETS_LAST,   /* never looks at the last point */
    TURNS_TWO,      /* right neighbours, two of them in the wrong order */
    WRITES_PAST,    /* a neighbour more than k */
    WRITES_BEFORE,  /* into what lies in front of the distances */
    SPOILS_POINTS,  /* changes a point */
    SPOILS_QUERIES, /* changes what follows the queries */
    LEAVES_A_ROW,   /* answers all queries but the last */
    OVERRUNS        /* writes behind its workspace */
};

template <int FAULT> static __device__ float distance(const float *x, const float *y, int d) {
    float sum = 0.0f;
    for (int i = 0; i < d; i++) {
        int j = FAULT == DESCENDS ? d - 1 - i : i;
        float difference = __fsub_rn(x[j], y[j]);
        sum = FAULT == FUSES_NOTHING ? __fadd_rn(sum, __fmul_rn(difference, difference))
                                     : __fmaf_rn(difference, difference, sum);
    }
    return sum;
}

/* Place after place: the smallest that comes after the last one. */
template <int FAULT> static __global__ void knn(knn_problem p) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= p.m || (FAULT == LEAVES_A_ROW && row == p.m - 1)) return;
    const float *x = p.queries + (long long)row * p.d;
    float *distances = p.distance + (long long)row * p.k;
    int *indices = p.index + (long long)row * p.k;
    int n = FAULT == FORGETS_LAST && p.n > p.k ? p.n - 1 : p.n;
    float last = -1.0f;
    int last_index = FAULT == LAST_OF_EQUALS ? n : -1;
    for (int place = 0; place < p.k; place++) {
        float best = 0.0f;
        int index = -1;
        for (int j = 0; j < n; j++) {
            float y = distance<FAULT>(x, p.points + (long long)j * p.d, p.d);
            bool after = y > last || (y == last && (FAULT == LAST_OF_EQUALS ? j < last_index : j > last_index));
            if (after && (index < 0 || y < best || (FAULT == LAST_OF_EQUALS && y == best))) {
                best = y;
                index = j;
            }
        }
        distances[place] = last = best;
        indices[place] = last_index = index;
    }
    if (FAULT == TURNS_TWO && p.k > 1) {
        int index = indices[0];
        float first = distances[0];
        indices[0] = indices[1], distances[0] = distances[1];
        indices[1] = index, distances[1] = first;
    }
    if (FAULT == WRITES_PAST && row == p.m - 1) indices[p.k] = 0;
    if (FAULT == WRITES_BEFORE && row == 0) distances[-1] = 0.0f;
    if (FAULT == SPOILS_POINTS && row == 0 && p.d > 0) ((float *)p.points)[p.d - 1] += 1.0f;
    if (FAULT == SPOILS_QUERIES && row == p.m - 1) ((float *)p.queries)[(long long)p.m * p.d] = 0.0f;
    if (FAULT == OVERRUNS && row == 0) ((float *)p.workspace)[(p.workspace_bytes + 255) / 256 * 64] = 0.0f;
}

#define METHOD(name, FAULT)                                                                                            \
    extern "C" cudaError_t search_##name(const knn_problem *p, cudaStream_t stream) {                                  \
        if (p->m > 0) knn<FAULT><<<(p->m + 31) / 32, 32, 0, stream>>>(*p);                                             \
        return cudaGetLastError();                                                                                     \
    }
METHOD(plain, NONE)
METHOD(fuses_nothing, FUSES_NOTHING)
METHOD(descends, DESCENDS)
METHOD(last_of_equals, LAST_OF_EQUALS)
METHOD(forgets_last, FORGETS_LAST)
METHOD(turns_two, TURNS_TWO)
METHOD(writes_past, WRITES_PAST)
METHOD(writes_before, WRITES_BEFORE)
METHOD(spoils_points, SPOILS_POINTS)
METHOD(spoils_queries, SPOILS_QUERIES)
METHOD(leaves_a_row, LEAVES_A_ROW)
METHOD(overruns, OVERRUNS)

extern "C" kernel_info kernel_plain(void) {
    return {(const void *)knn<NONE>, 32, 0};
}
