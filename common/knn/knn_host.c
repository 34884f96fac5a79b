#include "knn/knn_host.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/error.h"

static struct {
    const knn_operands *o;
    bool pageable;
    int pieces;
    void *host[KNN_MATRICES];
    uint64_t *keys[3]; /* m x k each: the best so far, a piece's, the two merged */
    cudaStream_t in, out;
    cudaEvent_t event;
    const knn_method *method; /* that is checked */
} h;

/* Part of a search: some of its points, or of its queries. */
typedef struct {
    bool of_points;
    int first, count;
} piece;

static piece piece_of(const knn_problem *p, int pieces, int i) {
    const bool of_points = p->n > p->m;
    const int64_t rows = of_points ? p->n : p->m;
    const int first = (int)(rows * i / pieces);
    return (piece){of_points, first, (int)(rows * (i + 1) / pieces) - first};
}

static knn_problem problem_of(const knn_problem *p, const piece *part) {
    knn_problem own = *p;
    if (part->of_points) {
        own.points += (size_t)part->first * (size_t)p->d;
        own.n = part->count;
        own.k = p->k < own.n ? p->k : own.n;
    } else {
        const size_t place = (size_t)part->first * (size_t)p->k;
        own.queries += (size_t)part->first * (size_t)p->d;
        own.m = part->count;
        own.index += place;
        own.distance += place;
    }
    return own;
}

double knn_host_bytes(const knn_case *c) {
    return (double)sizeof h.keys / sizeof *h.keys * sizeof **h.keys * c->m * c->k;
}

void knn_host_open(const knn_operands *o, bool pageable, int pieces) {
    h.o = o;
    h.pageable = pageable;
    h.pieces = pieces;
    for (int i = 0; i < KNN_MATRICES; i++) {
        const size_t bytes = matrix_element_bytes(&o->at[i]);
        if (pageable)
            h.host[i] = malloc(bytes + 1);
        else
            CUDA_CHECK(cudaMallocHost(&h.host[i], bytes + 1));
        if (h.host[i] == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
        if (i < KNN_INPUTS) memcpy(h.host[i], o->data[i], bytes);
    }
    for (int i = 0; i < 3; i++)
        CUDA_ALLOCATE(&h.keys[i], (size_t)o->what.m * (size_t)o->what.k * sizeof *h.keys[i] + 1);
    CUDA_CHECK(cudaStreamCreateWithFlags(&h.in, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&h.out, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&h.event, cudaEventDisableTiming));
}

void knn_host_close(void) {
    if (h.o == NULL) return;
    for (int i = 0; i < KNN_MATRICES; i++) {
        if (h.pageable)
            free(h.host[i]);
        else
            CUDA_CHECK(cudaFreeHost(h.host[i]));
    }
    for (int i = 0; i < 3; i++) CUDA_CHECK(cudaFree(h.keys[i]));
    CUDA_CHECK(cudaStreamDestroy(h.in));
    CUDA_CHECK(cudaStreamDestroy(h.out));
    CUDA_CHECK(cudaEventDestroy(h.event));
    h.o = NULL;
}

const char *knn_host_refusal(const knn_method *method, const knn_problem *p, int pieces, size_t limit, bool scarce,
                             size_t *workspace) {
    for (int i = 0; i < pieces; i++) {
        const piece part = piece_of(p, pieces, i);
        const knn_problem own = problem_of(p, &part);
        size_t bytes;
        if (part.count == 0) continue;
        const char *why = knn_refusal(method, &own, scarce ? knn_scarce(method, &own, limit) : limit, &bytes);
        if (why != NULL) return why;
        if (bytes > *workspace) *workspace = bytes;
    }
    return NULL;
}

/* What comes next on `stream` waits for what has come on `before`. */
static void after(cudaStream_t stream, cudaStream_t before) {
    if (stream == before) return;
    CUDA_CHECK(cudaEventRecord(h.event, before));
    CUDA_CHECK(cudaStreamWaitEvent(stream, h.event, 0)); /* for that record, though the event is used again */
}

/* Rows of an operand, to the device or from it. */
static void copy(int which, int first, int count, cudaStream_t stream) {
    const matrix *x = &h.o->at[which];
    const size_t row = matrix_element_bytes(x) / (size_t)(x->rows > 0 ? x->rows : 1), from = (size_t)first * row;
    char *device = (char *)x->elements + from, *host = (char *)h.host[which] + from;
    if (row == 0 || count == 0) return;
    if (which < KNN_INPUTS)
        CUDA_CHECK(cudaMemcpyAsync(device, host, (size_t)count * row, cudaMemcpyHostToDevice, stream));
    else
        CUDA_CHECK(cudaMemcpyAsync(host, device, (size_t)count * row, cudaMemcpyDeviceToHost, stream));
}

static void copy_answers(int first, int count, cudaStream_t stream) {
    copy(KNN_INDEX, first, count, stream);
    copy(KNN_DISTANCE, first, count, stream);
}

/* The best of this piece's points and of those before it. */
static cudaError_t keep_best(const knn_problem *p, const piece *part, int found, cudaStream_t stream) {
    uint64_t *const merged = h.keys[2];
    const bool begins = part->first == 0;
    cudaError_t error = knn_pack(p->index, p->distance, p->m, found, p->k, part->first, h.keys[begins ? 0 : 1], stream);
    if (begins || error != cudaSuccess) return error;
    error = knn_merge(h.keys[0], h.keys[1], p->m, p->k, merged, stream);
    h.keys[2] = h.keys[0];
    h.keys[0] = merged;
    return error;
}

cudaError_t knn_host_search(const knn_method *method, const knn_problem *p, cudaStream_t stream) {
    const cudaStream_t in = h.pieces > 1 ? h.in : stream, out = h.pieces > 1 ? h.out : stream;
    const bool of_points = p->n > p->m, merges = of_points && h.pieces > 1;
    cudaError_t error = cudaSuccess;
    piece last = {.count = 0};
    after(in, stream);
    after(out, stream);
    copy(of_points ? KNN_QUERIES : KNN_POINTS, 0, of_points ? p->m : p->n, in);
    for (int i = 0; i < h.pieces && error == cudaSuccess; i++) {
        const piece part = piece_of(p, h.pieces, i);
        const knn_problem own = problem_of(p, &part);
        if (part.count == 0) continue;
        copy(of_points ? KNN_POINTS : KNN_QUERIES, part.first, part.count, in);
        after(stream, in);
        error = method->search(&own, stream);
        if (merges && error == cudaSuccess) error = keep_best(p, &part, own.k, stream);
        /* From pageable memory a copy keeps this thread busy, and one to it waits here until it is done: so the answers
         * before are copied when the search of this piece is under way. */
        if (!of_points) copy_answers(last.first, last.count, out);
        after(out, stream);
        last = part;
    }
    if (merges && error == cudaSuccess) error = knn_unpack(h.keys[0], p->m, p->k, p->index, p->distance, stream);
    after(out, stream);
    copy_answers(of_points ? 0 : last.first, of_points ? p->m : last.count, out);
    after(stream, out);
    return error;
}

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
