/* The paper's second method: sort everything. Rows are padded to a power of two with the largest value and sorted by
 * the bitonic network in sort_rows.cuh, whose number of steps does not depend on k. Up to 2048 distances, a block sorts
 * a row in shared memory; longer rows go into the workspace as keys, which are twice as large, and padded. */
#include "../sort_rows.cuh"

static __global__ void knn_fill_keys(knn_rows r, uint64_t *keys, int64_t length) {
    int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= r.rows * length) return;
    int64_t row = at / length, i = at % length;
    keys[at] = i < r.n ? knn_key(r.distances[row * r.n + i], (int)i) : KNN_NO_KEY;
}

static cudaError_t select(const knn_rows *r, cudaStream_t stream) {
    int64_t length = padded_length(r->n);
    uint64_t *keys = length <= REACH ? NULL : (uint64_t *)r->scratch;
    if (keys != NULL) knn_fill_keys<<<sort_blocks(r->rows * length), SORT_THREADS, 0, stream>>>(*r, keys, length);
    cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : sort_rows(*r, keys, length, stream);
}

static size_t scratch(int n, int) {
    int64_t length = padded_length(n);
    return length <= REACH ? 0 : (size_t)length * sizeof(uint64_t);
}

extern "C" const knn_selector knn_select_bitonic = {select, scratch, NULL, NULL};
