#pragma GCC visibility push(default)
#include "knn_prepared.h"
#pragma GCC visibility pop

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../methods.h"

struct knn_points {
    knn_problem problem; /* its points, n, d, what was prepared, counts */
    int device;
    size_t limit;       /* bytes of a search's workspace at most */
    cudaMemPool_t pool; /* of the workspaces: what one search gives back the next one takes */
};

static _Thread_local char reason[160];
/* What the methods' host code finds out about the device it keeps in variables of its own. */
static pthread_mutex_t enqueueing = PTHREAD_MUTEX_INITIALIZER;

const char *knn_error(void) {
    return reason;
}

static int refuse(int status, const char *what) {
    snprintf(reason, sizeof reason, "%s", what);
    return status;
}

static int answer(cudaError_t error) {
    if (error == cudaSuccess) return KNN_OK;
    cudaGetLastError(); /* this call's error is nobody else's */
    return refuse(error == cudaErrorMemoryAllocation ? KNN_MEMORY : KNN_CUDA, cudaGetErrorString(error));
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if (error == cudaSuccess) error = (call);                                                                      \
    } while (0)

static cudaError_t create_pool(knn_points *p) {
    const struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                           .location = {.type = cudaMemLocationTypeDevice, .id = p->device}};
    uint64_t keep = UINT64_MAX;
    cudaError_t error = cudaMemPoolCreate(&p->pool, &props);
    TRY(cudaMemPoolSetAttribute(p->pool, cudaMemPoolAttrReleaseThreshold, &keep));
    return error;
}

static cudaError_t fill(knn_points *p, cudaStream_t stream) {
    size_t free_bytes = 0, total_bytes;
    void *prepared = NULL;
    cudaError_t error = cudaGetDevice(&p->device);
    TRY(cudaMalloc((void **)&p->problem.counts, sizeof *p->problem.counts));
    TRY(cudaMemsetAsync(p->problem.counts, 0, sizeof *p->problem.counts, stream));
    if (error == cudaSuccess) {
        pthread_mutex_lock(&enqueueing);
        const size_t bytes = prepared_best(&p->problem);
        if (bytes > 0) error = cudaMalloc(&prepared, bytes);
        p->problem.prepared = prepared;
        if (bytes > 0) TRY(prepare_best(&p->problem, prepared, stream));
        pthread_mutex_unlock(&enqueueing);
    }
    TRY(create_pool(p));
    TRY(cudaStreamSynchronize(stream));
    TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
    p->limit = free_bytes / 2;
    return error;
}

int knn_prepare(const float *points, int n, int d, void *stream, knn_points **prepared) {
    if (prepared == NULL) return refuse(KNN_ARGUMENT, "there is no place for the handle");
    *prepared = NULL;
    if (n < 1 || d < 0) return refuse(KNN_ARGUMENT, "n is below 1, or d below 0");
    if (points == NULL && d > 0) return refuse(KNN_ARGUMENT, "there are no points");
    knn_points *p = calloc(1, sizeof *p);
    if (p == NULL) return refuse(KNN_MEMORY, "no host memory");
    p->problem = (knn_problem){.n = n, .d = d, .points = points};
    const int status = answer(fill(p, stream));
    if (status == KNN_OK)
        *prepared = p;
    else
        knn_free(p);
    return status;
}

static cudaError_t enqueue(const knn_points *points, knn_problem *p, cudaStream_t stream) {
    p->workspace_bytes = workspace_best(p, points->limit);
    cudaError_t error = cudaMallocFromPoolAsync(&p->workspace, p->workspace_bytes + 256, points->pool, stream);
    if (error != cudaSuccess) return error;
    error = search_best(p, stream);
    const cudaError_t freed = cudaFreeAsync(p->workspace, stream);
    return error != cudaSuccess ? error : freed;
}

int knn_search(const knn_points *points, const float *queries, int m, int k, int *index, float *distance,
               void *stream) {
    int device;
    if (points == NULL) return refuse(KNN_ARGUMENT, "there are no prepared points");
    knn_problem p = points->problem;
    if (m < 0) return refuse(KNN_ARGUMENT, "m is below 0");
    if (k < 1 || k > p.n) return refuse(KNN_ARGUMENT, "k is below 1 or above n");
    if (m > 0 && ((queries == NULL && p.d > 0) || index == NULL || distance == NULL))
        return refuse(KNN_ARGUMENT, "there are no queries, or no place for the results");
    if (m == 0) return KNN_OK;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess) return answer(error);
    if (device != points->device) return refuse(KNN_ARGUMENT, "the points were prepared on another device");
    p.m = m, p.k = k, p.queries = queries, p.index = index, p.distance = distance;
    p.workspace_bytes = points->limit;
    pthread_mutex_lock(&enqueueing);
    const char *why = refuses_best(&p); /* only where memory is short */
    const int status = why == NULL ? answer(enqueue(points, &p, stream)) : refuse(KNN_MEMORY, why);
    pthread_mutex_unlock(&enqueueing);
    return status;
}

void knn_free(knn_points *points) {
    if (points == NULL) return;
    cudaDeviceSynchronize();
    if (points->pool != NULL) cudaMemPoolDestroy(points->pool);
    cudaFree((void *)(uintptr_t)points->problem.prepared);
    cudaFree(points->problem.counts);
    free(points);
}
