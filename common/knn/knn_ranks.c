#include "knn/knn_ranks.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/ranks.h"
#include "gpu/error.h"
#include "knn/knn_options.h"

enum { TIMES = 256, COUNTS = sizeof(knn_counts) / sizeof(uint64_t) };

/* DRAM moves words so many times as fast as they go from rank to rank. */
static const double AS_FAST = 300.0;

/* What rank 0 tells the others. */
typedef struct {
    enum { HOLD, SEARCH, NEARER, END } what;
    knn_case of;
    bool by_queries, of_file; /* queries are divided; the points are --train's */
    int method, rows;         /* rows: of queries that are checked */
    size_t limit;             /* of a workspace */
} order;

/* What a rank does of a problem. */
typedef struct {
    int first_query, queries, first_point, points;
} share;

static struct {
    session *s;
    const knn_method *methods;
    knn_file_rows *file_rows;
    int devices;
    order held;                      /* the last problem */
    float *points, *queries;         /* not rank 0's, which are the caller's */
    void *room;                      /* of all that follows, up to: */
    uint64_t *keys, *other, *merged; /* m x k each */
    int *index;                      /* of the share */
    float *distance;
    knn_counts *counts, sum;
    /* In pinned memory: queries, and an answer of COUNTS words and then keys, which are the same place, unless all
     * ranks are on one host. There they share both, an answer for each rank. */
    void *message;
    uint64_t *answer;
    char *shared; /* all of that; NULL: there is no such memory */
    size_t shared_bytes, answer_bytes;
    void *workspace;
    size_t workspace_bytes;
    double ms[TIMES]; /* of merging; a ring */
    int timed;
} r;

static int first_of(int rows, int rank) {
    const int ranks = ranks_count(), more = rows % ranks;
    return rows / ranks * rank + (rank < more ? rank : more);
}

static share share_of(const order *o, int rank) {
    const int m = o->of.m, n = o->of.n;
    if (!o->by_queries) return (share){0, m, first_of(n, rank), first_of(n, rank + 1) - first_of(n, rank)};
    return (share){first_of(m, rank), first_of(m, rank + 1) - first_of(m, rank), 0, n};
}

/* What is not divided is done by everybody. With the points divided, that is to get all queries and to give k
 * neighbours of each; with the queries divided, to read all points once. */
static order order_for(int what, const knn_case *c) {
    const char *how = ((const knn_options *)r.s->state)->divide;
    const double points = (double)c->n * c->d, messages = (double)c->m * (c->d + 2.0 * c->k) * ranks_count();
    const bool cheap = 2.0 * sizeof(float) * points <= r.s->memory && points < AS_FAST * messages;
    return (order){.what = what, .of = *c, .by_queries = ranks_count() > 1 && (*how == 'a' ? cheap : *how == 'q')};
}

static knn_problem own_of(const knn_problem *p, const share *mine) {
    knn_problem own = *p;
    own.m = mine->queries;
    own.n = mine->points;
    own.k = p->k < mine->points ? p->k : mine->points;
    return own;
}

int knn_ranks_held(const knn_case *c) {
    const order o = order_for(HOLD, c);
    return share_of(&o, 0).points;
}

double knn_ranks_bytes(const knn_case *c) {
    const double of_pair = 3 * sizeof *r.keys + sizeof *r.index + sizeof *r.distance;
    return ranks_count() == 1 ? 0.0 : sizeof *r.counts + of_pair * c->m * c->k;
}

const char *knn_ranks_refusal(const knn_method *method, const knn_case *c, const knn_problem *p, size_t limit,
                              size_t *workspace) {
    const order o = order_for(SEARCH, c);
    const share mine = share_of(&o, 0);
    const knn_problem own = own_of(p, &mine);
    r.timed = 0;
    r.held.limit = c->scarce ? knn_scarce(method, &own, limit) : limit;
    return knn_refusal(method, &own, r.held.limit, workspace);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void *device_memory(size_t bytes) {
    void *memory;
    CUDA_ALLOCATE(&memory, bytes + 1);
    return memory;
}

static void copy(void *to, const void *from, size_t bytes) {
    if (bytes > 0) CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, r.s->stream));
}

static void finish(void) {
    CUDA_CHECK(cudaStreamSynchronize(r.s->stream));
}

static void release(void) {
    void *const device[] = {r.points, r.queries, r.room, r.workspace};
    for (int i = 0; i < 4; i++) CUDA_CHECK(cudaFree(device[i]));
    if (r.shared == NULL) CUDA_CHECK(cudaFreeHost(r.message));
    if (r.shared != NULL && cudaHostUnregister(r.shared) != cudaSuccess) cudaGetLastError();
    if (r.shared != NULL) munmap(r.shared, r.shared_bytes);
    r.points = r.queries = NULL;
    r.room = r.workspace = r.message = r.shared = NULL;
    r.workspace_bytes = 0;
}

static uint64_t *answer_of(int rank) {
    if (r.shared == NULL) return r.message;
    return (uint64_t *)(void *)(r.shared + r.shared_bytes - (size_t)(ranks_count() - rank) * r.answer_bytes);
}

/* Everything for a new problem but workspaces and, on a rank that serves, its points. */
static void prepare(const order *o) {
    const size_t pairs = (size_t)o->of.m * (size_t)o->of.k, bytes = (size_t)o->of.m * (size_t)o->of.d * sizeof(float);
    const size_t answer = (pairs + COUNTS) * sizeof *r.keys, most = answer > bytes ? answer : bytes;
    r.held = *o;
    if (ranks_count() == 1) return;
    release();
    r.room = r.counts = device_memory((size_t)knn_ranks_bytes(&o->of));
    r.keys = (uint64_t *)(r.counts + 1);
    r.other = r.keys + pairs;
    r.merged = r.other + pairs;
    r.index = (int *)(r.merged + pairs);
    r.distance = (float *)(r.index + pairs);
    r.answer_bytes = answer;
    r.shared_bytes = (bytes + 7) / 8 * 8 + (size_t)ranks_count() * answer;
    r.shared = r.message = ranks_share(r.shared_bytes);
    /* Where it cannot be pinned, copies take longer. */
    if (r.shared != NULL && cudaHostRegister(r.shared, r.shared_bytes, cudaHostRegisterDefault) != cudaSuccess)
        cudaGetLastError();
    if (r.shared == NULL) CUDA_CHECK(cudaMallocHost(&r.message, most));
    r.answer = answer_of(ranks_rank());
    if (ranks_rank() > 0) r.queries = device_memory(bytes);
}

static void get_points(const order *o) {
    const share mine = share_of(o, ranks_rank());
    const size_t d = (size_t)o->of.d, count = (size_t)mine.points * d;
    float *room = NULL;
    const float *from = NULL;
    r.points = device_memory(count * sizeof *r.points);
    if (o->of.held > 0)
        CUDA_CHECK(
            knn_generate(r.points, knn_operands_seed(&o->of), (uint64_t)mine.first_point * d, count, r.s->stream));
    else if (o->of_file)
        from = r.file_rows(r.s, mine.first_point, mine.points, &room);
    else
        from = room = knn_operands_points(&o->of, mine.first_point, mine.points);
    if (from != NULL) copy(r.points, from, count * sizeof *from);
    finish();
    free(room);
}

void knn_ranks_hold(const knn_case *c, bool of_file) {
    order o = order_for(HOLD, c);
    o.of_file = of_file;
    if (ranks_count() > 1) ranks_mpi->broadcast(&o, sizeof o);
    prepare(&o);
}

/* ---- searching ------------------------------------------------------------------------------------------------- */

static void send_answer(int to, int rows) {
    const size_t bytes = (size_t)rows * (size_t)r.held.of.k * sizeof *r.keys;
    copy(r.answer + COUNTS, r.keys, bytes);
    finish();
    memcpy(r.answer, &r.sum, sizeof r.sum);
    ranks_mpi->send(to, r.answer, r.shared != NULL ? 1 : sizeof r.sum + bytes); /* 1: that it is there */
}

static void receive_answer(int from, int rows, uint64_t *to) {
    const size_t bytes = (size_t)rows * (size_t)r.held.of.k * sizeof *r.keys;
    const uint64_t *const answer = answer_of(from);
    knn_counts counts;
    finish(); /* the one before has left the message */
    ranks_mpi->receive(from, r.answer, r.shared != NULL ? 1 : sizeof counts + bytes);
    memcpy(&counts, answer, sizeof counts);
    r.sum.redone += counts.redone;
    r.sum.negative += counts.negative;
    r.sum.candidates += counts.candidates;
    copy(to, answer + COUNTS, bytes);
}

/* In step 1, 2, 4 ... every second of the ranks that are left gives its answer to the one before it:
 *
 *   0 <- 1   2 <- 3   4        then  0 <- 2   4        then  0 <- 4
 */
static void merge(int m, int k) {
    const int rank = ranks_rank();
    for (int step = 1; step < ranks_count(); step *= 2) {
        if (rank % (2 * step) != 0) {
            send_answer(rank - step, m);
            return;
        }
        if (rank + step >= ranks_count()) continue;
        receive_answer(rank + step, m, r.other);
        CUDA_CHECK(knn_merge(r.keys, r.other, m, k, r.merged, r.s->stream));
        uint64_t *const old = r.keys;
        r.keys = r.merged;
        r.merged = old;
    }
}

static void collect(const order *o) {
    if (ranks_rank() > 0) send_answer(0, share_of(o, ranks_rank()).queries);
    for (int rank = 1; rank < ranks_count() && ranks_rank() == 0; rank++) {
        const share from = share_of(o, rank);
        receive_answer(rank, from.queries, r.keys + (size_t)from.first_query * (size_t)o->of.k);
    }
}

/* On all ranks; p has the queries and points that are on this one's device. Returns the seconds that it took after
 * everybody had searched, or where the search fails a number below 0 and its error. */
static double search(const knn_method *method, const order *o, const knn_problem *p, cudaError_t *error) {
    const share mine = share_of(o, ranks_rank());
    const size_t row = (size_t)p->d * sizeof(float);
    knn_problem own = own_of(p, &mine);
    own.index = r.index;
    own.distance = r.distance;
    if (ranks_rank() == 0) copy(r.message, p->queries, (size_t)p->m * row);
    finish();
    if (r.shared != NULL)
        ranks_mpi->wait(); /* until they are there */
    else
        ranks_mpi->broadcast(r.message, (size_t)p->m * row);
    if (ranks_rank() > 0)
        copy(r.queries, (char *)r.message + (size_t)mine.first_query * row, (size_t)mine.queries * row);
    *error = own.m > 0 && own.n > 0 ? method->search(&own, r.s->stream) : cudaSuccess;
    if (*error == cudaSuccess)
        *error = knn_pack(r.index, r.distance, own.m, own.k, p->k, mine.first_point, r.keys, r.s->stream);
    if (*error == cudaSuccess) *error = cudaStreamSynchronize(r.s->stream);
    if (*error != cudaSuccess) return -1.0;
    copy(&r.sum, p->counts, sizeof r.sum);
    finish();
    ranks_mpi->wait();
    const double begin = clock_now_s();
    if (o->by_queries)
        collect(o);
    else
        merge(p->m, p->k);
    finish();
    return clock_now_s() - begin;
}

cudaError_t knn_ranks_search(const knn_method *method, const knn_problem *p, cudaStream_t stream) {
    order o = r.held;
    cudaError_t error;
    if (ranks_count() == 1) return method->search(p, stream);
    o.what = SEARCH;
    o.method = (int)(method - r.methods);
    ranks_mpi->broadcast(&o, sizeof o);
    const double seconds = search(method, &o, p, &error);
    if (error != cudaSuccess) return error;
    r.ms[r.timed++ % TIMES] = 1e3 * seconds;
    copy(p->counts, &r.sum, sizeof r.sum);
    error = knn_unpack(r.keys, p->m, p->k, p->index, p->distance, stream);
    return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

/* Of a rank that serves. */
static void help_to_search(const knn_method *method, const order *o) {
    const share mine = share_of(o, ranks_rank());
    const knn_case *c = &o->of;
    cudaError_t error;
    knn_problem p = {.m = c->m, .n = c->n, .d = c->d, .k = c->k, .queries = r.queries, .points = r.points};
    const knn_problem own = own_of(&p, &mine);
    const bool works = method->workspace != NULL && own.m > 0 && own.n > 0;
    const size_t bytes = works ? method->workspace(&own, o->limit) : 0;
    if (bytes > r.workspace_bytes) {
        CUDA_CHECK(cudaFree(r.workspace));
        r.workspace = device_memory(bytes);
        r.workspace_bytes = bytes;
    }
    p.workspace = r.workspace;
    p.workspace_bytes = bytes;
    p.counts = r.counts;
    CUDA_CHECK(cudaMemsetAsync(r.counts, 0, sizeof *r.counts, r.s->stream));
    /* Asking a method whether it runs here is what loads cuBLAS. */
    if (method->supports != NULL && method->supports(&r.s->device) != NULL) CUDA_CHECK(cudaErrorNotSupported);
    search(method, o, &p, &error);
    CUDA_CHECK(error);
}

void knn_ranks_count_nearer(const float *points, const float *queries, int rows, double *limits,
                            unsigned long long *counts) {
    order o = r.held;
    const share mine = share_of(&o, ranks_rank());
    const int left = rows - mine.first_query, own = left < 0 ? 0 : left < mine.queries ? left : mine.queries;
    const size_t bytes = (size_t)rows * sizeof *counts;
    o.what = NEARER;
    o.rows = rows;
    if (ranks_rank() == 0 && ranks_count() > 1) ranks_mpi->broadcast(&o, sizeof o);
    if (ranks_count() > 1) ranks_mpi->broadcast(limits, bytes);
    double *on = device_memory(bytes);
    unsigned long long *found = device_memory(bytes), *other = malloc(bytes + 1);
    if (other == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    copy(on, limits, bytes);
    CUDA_CHECK(cudaMemsetAsync(found, 0, bytes, r.s->stream));
    CUDA_CHECK(knn_count_nearer(points, mine.points, o.of.d, queries, own, on + mine.first_query,
                                found + mine.first_query, r.s->stream));
    copy(counts, found, bytes);
    finish();
    if (ranks_rank() > 0) ranks_mpi->send(0, counts, bytes);
    for (int rank = 1; rank < ranks_count() && ranks_rank() == 0; rank++) {
        ranks_mpi->receive(rank, other, bytes);
        for (int i = 0; i < rows; i++) counts[i] += other[i];
    }
    CUDA_CHECK(cudaFree(on));
    CUDA_CHECK(cudaFree(found));
    free(other);
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

int knn_ranks_open(session *s, const knn_method *methods, knn_file_rows *rows) {
    int count;
    r.s = s;
    r.methods = methods;
    r.file_rows = rows;
    if (ranks_count() == 1) return EXIT_OK;
    if (!ranks_start(stderr)) return EXIT_USAGE;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    s->memory /= (ranks_local_count() - 1 - ranks_local() % count) / count + 1; /* so many ranks use this device */
    double known[] = {s->memory, ranks_local() < count}, all[] = {INFINITY, 0.0};
    if (ranks_rank() > 0) ranks_mpi->send(0, known, sizeof known);
    for (int rank = 0; rank < ranks_count() && ranks_rank() == 0; rank++) {
        if (rank > 0) ranks_mpi->receive(rank, known, sizeof known);
        all[0] = fmin(all[0], known[0]);
        all[1] += known[1];
    }
    if (ranks_rank() == 0) s->memory = all[0];
    r.devices = (int)all[1];
    return EXIT_OK;
}

int knn_ranks_serve(void) {
    for (order o;;) {
        ranks_mpi->broadcast(&o, sizeof o);
        error_context("rank %d, m %d, n %d, d %d, k %d", ranks_rank(), o.of.m, o.of.n, o.of.d, o.of.k);
        if (o.what == END) return EXIT_OK;
        if (o.what == HOLD) {
            prepare(&o);
            get_points(&o);
        } else if (o.what == SEARCH) {
            help_to_search(&r.methods[o.method], &o);
        } else {
            double limits[KNN_HELD_CHECKED];
            unsigned long long counts[KNN_HELD_CHECKED];
            knn_ranks_count_nearer(r.points, r.queries, o.rows, limits, counts);
        }
    }
}

void knn_ranks_close(void) {
    order o = {.what = END};
    if (ranks_mpi == NULL) return;
    if (ranks_rank() == 0) ranks_mpi->broadcast(&o, sizeof o);
    release();
    ranks_stop();
}

int knn_ranks_devices(void) {
    return r.devices;
}

const char *knn_ranks_remark(void) {
    static char text[96];
    const bool queries = r.held.by_queries;
    if (ranks_count() == 1) return "";
    snprintf(text, sizeof text, "; %s divided over %d ranks on %d GPU%s, %s in %.3f ms", queries ? "queries" : "points",
             ranks_count(), r.devices, r.devices == 1 ? "" : "s", queries ? "collected" : "merged",
             stats_summarise(r.ms, r.timed < TIMES ? r.timed : TIMES).median);
    return text;
}
