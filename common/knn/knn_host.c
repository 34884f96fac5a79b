#include "knn/knn_host.h"

#include <stdlib.h>

#include "gpu/error.h"

enum { LISTS = 3 }; /* m x k keys each: the best so far, a piece's, the two merged */

static struct {
    const knn_operands *o;
    bool pageable;
    int pieces;
    void *host[KNN_MATRICES];
    uint64_t *keys[LISTS];
    cudaStream_t in, out;
    cudaEvent_t event;
    const knn_method *method; /* that is checked */
} h;

static bool divides_points(const knn_problem *p) {
    return p->n > p->m;
}

/* A piece of a search, and the first of its points or queries. The last piece is no smaller than the others. */
static knn_problem piece_of(const knn_problem *p, int pieces, int i, int *first) {
    const int64_t rows = divides_points(p) ? p->n : p->m;
    const size_t at = (size_t)(rows * i / pieces);
    const int count = (int)(rows * (i + 1) / pieces - rows * i / pieces);
    knn_problem own = *p;
    *first = (int)at;
    if (divides_points(p)) {
        own.points += at * (size_t)p->d;
        own.n = count;
        own.k = p->k < count ? p->k : count;
    } else {
        own.queries += at * (size_t)p->d;
        own.index += at * (size_t)p->k;
        own.distance += at * (size_t)p->k;
        own.m = count;
    }
    return own;
}

double knn_host_bytes(const knn_case *c) {
    return (double)LISTS * sizeof **h.keys * c->m * c->k;
}

void knn_host_open(const knn_operands *o, bool pageable, int pieces) {
    h.o = o;
    h.pageable = pageable;
    h.pieces = pieces;
    for (int i = 0; i < KNN_MATRICES; i++) {
        const size_t bytes = matrix_element_bytes(&o->at[i]);
        if (!pageable) CUDA_CHECK(cudaMallocHost(&h.host[i], bytes + 1));
        if (pageable && (h.host[i] = malloc(bytes + 1)) == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
        if (i < KNN_INPUTS) memcpy(h.host[i], o->data[i], bytes);
    }
    for (int i = 0; i < LISTS; i++)
        CUDA_ALLOCATE(&h.keys[i], (size_t)o->what.m * (size_t)o->what.k * sizeof *h.keys[i] + 1);
    CUDA_CHECK(cudaStreamCreateWithFlags(&h.in, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&h.out, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&h.event, cudaEventDisableTiming));
}

void knn_host_close(void) {
    if (h.o == NULL) return;
    for (int i = 0; i < KNN_MATRICES; i++) {
        if (h.pageable) free(h.host[i]);
        if (!h.pageable) CUDA_CHECK(cudaFreeHost(h.host[i]));
    }
    for (int i = 0; i < LISTS; i++) CUDA_CHECK(cudaFree(h.keys[i]));
    CUDA_CHECK(cudaStreamDestroy(h.in));
    CUDA_CHECK(cudaStreamDestroy(h.out));
    CUDA_CHECK(cudaEventDestroy(h.event));
    h.o = NULL;
}

const char *knn_host_refusal(const knn_method *method, const knn_problem *p, int pieces, size_t limit, bool scarce,
                             size_t *workspace) {
    int first;
    size_t bytes;
    const knn_problem own = piece_of(p, pieces, pieces - 1, &first);
    const char *why = knn_refusal(method, &own, scarce ? knn_scarce(method, &own, limit) : limit, &bytes);
    if (bytes > *workspace) *workspace = bytes;
    return why;
}

/* What comes next on `stream` waits for what has come on `before`. */
static void after(cudaStream_t stream, cudaStream_t before) {
    if (stream == before) return;
    CUDA_CHECK(cudaEventRecord(h.event, before));
    CUDA_CHECK(cudaStreamWaitEvent(stream, h.event, 0)); /* for that record, though the event is used again */
}

/* Rows of an operand, to the device or, of an answer, from it. */
static void copy(int which, int first, int count, cudaStream_t stream) {
    const matrix *x = &h.o->at[which];
    if (count == 0 || matrix_element_bytes(x) == 0) return;
    const size_t row = matrix_element_bytes(x) / (size_t)x->rows, from = (size_t)first * row;
    char *const device = (char *)x->elements + from, *const host = (char *)h.host[which] + from;
    const bool in = which < KNN_INPUTS;
    CUDA_CHECK(cudaMemcpyAsync(in ? device : host, in ? host : device, (size_t)count * row,
                               in ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream));
}

static void copy_answers(int first, int count, cudaStream_t stream) {
    copy(KNN_INDEX, first, count, stream);
    copy(KNN_DISTANCE, first, count, stream);
}

/* The best of this piece's points, from `first` on, and of those before it. */
static cudaError_t keep_best(const knn_problem *p, int first, int found, cudaStream_t stream) {
    uint64_t *const best = h.keys[0], *const merged = h.keys[2];
    cudaError_t error =
        knn_pack(p->index, p->distance, p->m, found, p->k, first, first == 0 ? best : h.keys[1], stream);
    if (first == 0 || error != cudaSuccess) return error;
    error = knn_merge(best, h.keys[1], p->m, p->k, merged, stream);
    h.keys[2] = best;
    h.keys[0] = merged;
    return error;
}

cudaError_t knn_host_search(const knn_method *method, const knn_problem *p, cudaStream_t stream) {
    const bool by_points = divides_points(p), alone = h.pieces == 1;
    const cudaStream_t in = alone ? stream : h.in, out = alone ? stream : h.out;
    int first = 0, waiting = 0, from = 0; /* answers that wait for being copied, and the first of them */
    cudaError_t error = cudaSuccess;
    after(in, stream);
    after(out, stream);
    copy(by_points ? KNN_QUERIES : KNN_POINTS, 0, by_points ? p->m : p->n, in);
    for (int i = 0; i < h.pieces && error == cudaSuccess; i++) {
        const knn_problem own = piece_of(p, h.pieces, i, &first);
        if (own.n == 0) continue;
        copy(by_points ? KNN_POINTS : KNN_QUERIES, first, by_points ? own.n : own.m, in);
        after(stream, in);
        error = method->search(&own, stream);
        if (by_points && !alone && error == cudaSuccess) error = keep_best(p, first, own.k, stream);
        /* A copy to pageable memory has this thread wait. So the answers of the piece before are copied now, when the
         * search of this one is under way. */
        copy_answers(from, waiting, out);
        after(out, stream);
        from = first;
        waiting = by_points ? 0 : own.m;
    }
    if (by_points && !alone && error == cudaSuccess)
        error = knn_unpack(h.keys[0], p->m, p->k, p->index, p->distance, stream);
    after(out, stream);
    copy_answers(by_points ? 0 : from, by_points ? p->m : waiting, out);
    after(stream, out);
    return error;
}

/* No input is left on the device but what the copies bring; and the host's answers go where they are looked at. */
static cudaError_t checked_search(const knn_problem *p, cudaStream_t stream) {
    for (int i = 0; i < KNN_INPUTS; i++)
        CUDA_CHECK(cudaMemsetAsync(h.o->at[i].elements, 0xff, matrix_element_bytes(&h.o->at[i]), stream));
    const cudaError_t error = knn_host_search(h.method, p, stream);
    for (int i = KNN_INPUTS; i < KNN_MATRICES; i++)
        CUDA_CHECK(cudaMemcpyAsync(h.o->at[i].elements, h.host[i], matrix_element_bytes(&h.o->at[i]),
                                   cudaMemcpyHostToDevice, stream));
    return error;
}

const knn_method *knn_host_checked(const knn_method *method) {
    static knn_method checked;
    h.method = method;
    checked = *method;
    checked.search = checked_search;
    return &checked;
}
