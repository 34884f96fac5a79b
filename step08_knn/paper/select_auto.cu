/* The paper's choice: k passes cost k times as much as one, the bitonic sort costs the same for any k, and where they
 * cross depends on the GPU. So the distances of one random query are selected from both ways, and the faster one is
 * used for all others. Measuring waits for the GPU (once per search), as in the paper; the results are the same either
 * way. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

#include "../search.h"
#include "base/values.h"

static struct {
    float ms[2];
    int chosen;
    bool known;
} last;

static const knn_selector *const ways[] = {&knn_select_kpass, &knn_select_bitonic};

/* The time to select from `r` (the second of two runs: the first one loads the code). */
static cudaError_t time_way(const knn_selector *way, const knn_rows *r, cudaStream_t stream, float *ms) {
    cudaEvent_t begin, end;
    cudaError_t error = cudaEventCreate(&begin);
    if (error != cudaSuccess) return error;
    error = cudaEventCreate(&end);
    if (error == cudaSuccess) {
        error = way->select(r, stream);
        if (error == cudaSuccess) error = cudaEventRecord(begin, stream);
        if (error == cudaSuccess) error = way->select(r, stream);
        if (error == cudaSuccess) error = cudaEventRecord(end, stream);
        if (error == cudaSuccess) error = cudaEventSynchronize(end);
        if (error == cudaSuccess) error = cudaEventElapsedTime(ms, begin, end);
        cudaEventDestroy(end);
    }
    cudaEventDestroy(begin);
    return error;
}

static cudaError_t select(const knn_rows *r, cudaStream_t stream) {
    if (r->first_tile) {
        int64_t row = (int64_t)(values_hash(r->n, r->k) % (unsigned)r->rows);
        knn_rows one = *r;
        one.rows = 1;
        one.distances += row * r->n;
        one.index += row * r->k;
        one.distance += row * r->k;
        cudaError_t error = cudaSuccess;
        for (int way = 0; way < 2 && error == cudaSuccess; way++)
            error = time_way(ways[way], &one, stream, &last.ms[way]);
        if (error != cudaSuccess) return error;
        last.chosen = last.ms[1] < last.ms[0];
        last.known = true;
    }
    return ways[last.chosen]->select(r, stream);
}

static size_t scratch(int n, int k) {
    size_t kpass = knn_select_kpass.scratch(n, k), bitonic = knn_select_bitonic.scratch(n, k);
    return kpass > bitonic ? kpass : bitonic;
}

static const char *note() {
    static char text[120];
    if (!last.known) return NULL;
    snprintf(text, sizeof text, "of one query: T1 = %.4f ms by k passes, T2 = %.4f ms by bitonic sort; chosen: %s",
             last.ms[0], last.ms[1], last.chosen ? "bitonic" : "kpass");
    return text;
}

extern "C" const knn_selector knn_select_auto = {select, scratch, NULL, note};
