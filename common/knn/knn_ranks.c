#include "knn/knn_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/ranks.h"
#include "base/stats.h"
#include "gpu/error.h"
#include "knn/knn_files.h"
#include "knn/knn_key.h"
#include "knn/knn_options.h"
#include "knn/knn_rank_kernels.h"

enum { TIMES = 256, REASON = 160, COUNTS = sizeof(knn_counts) / sizeof(uint64_t) };

/* DRAM moves words so many times as fast as they go from rank to rank. */
static const double AS_FAST = 300.0;

/* What rank 0 tells the others. */
typedef struct {
    enum { HOLD, ASK, SEARCH, NEARER, END } what;
    int method;
    bool by_queries; /* these are divided */
    ranks_origin origin;
    knn_case of;
} order;

/* What a rank does of a problem. */
typedef struct {
    int first_query, queries, first_point, points;
} share;

static struct {
    session *s;
    const knn_method *methods;
    bool open;
    int devices;
    double least; /* memory of the rank that has the least */
    order held;   /* the last problem */
    float *points, *queries, *sent; /* the first two not on rank 0; `sent`: queries, pinned */
    int *index;                     /* of the share */
    float *distance;
    uint64_t *keys, *other, *merged, *message; /* the last is pinned: COUNTS words and then keys */
    knn_counts *counts, sum;
    void *workspace;
    size_t workspace_bytes;
    double ms[TIMES]; /* of merging; a ring */
    int timed;
} r;

int knn_ranks_first(int rows, int ranks, int rank) {
    const int more = rows % ranks;
    return rows / ranks * rank + (rank < more ? rank : more);
}

static int rows_of(int rows, int rank) {
    return knn_ranks_first(rows, ranks_count(), rank + 1) - knn_ranks_first(rows, ranks_count(), rank);
}

static share share_of(const order *o, int rank) {
    const knn_case *c = &o->of;
    if (!o->by_queries) return (share){0, c->m, knn_ranks_first(c->n, ranks_count(), rank), rows_of(c->n, rank)};
    return (share){knn_ranks_first(c->m, ranks_count(), rank), rows_of(c->m, rank), 0, c->n};
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* ---- the plan -------------------------------------------------------------------------------------------------- */

/* What is not divided is done by everybody. With the points divided, that is to get all queries and to give k
 * neighbours of each; with the queries divided, to read all points once. */
static bool by_queries(const knn_case *c) {
    const char *how = ((const knn_options *)r.s->state)->divide;
    const double points = (double)c->n * c->d, messages = (double)c->m * (c->d + 2.0 * c->k) * ranks_count();
    if (ranks_count() == 1 || *how != 'a') return *how == 'q';
    return 2.0 * sizeof(float) * points <= r.least && points < AS_FAST * messages;
}

static order order_for(int what, const knn_case *c) {
    return (order){.what = what, .of = *c, .by_queries = by_queries(c)};
}

int knn_ranks_held(const knn_case *c) {
    const order o = order_for(HOLD, c);
    return share_of(&o, 0).points;
}

double knn_ranks_bytes(const knn_case *c) {
    return ranks_count() == 1 ? 0.0 : (double)c->m * c->k * (3 * sizeof(uint64_t) + 2 * sizeof(float));
}

static knn_problem own_of(const knn_problem *p, const share *mine) {
    knn_problem own = *p;
    own.m = mine->queries;
    own.n = mine->points;
    own.k = least(p->k, mine->points);
    return own;
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void *device_memory(size_t count, size_t size) {
    void *memory;
    CUDA_ALLOCATE(&memory, count * size + 1);
    return memory;
}

static void *pinned_memory(size_t count, size_t size) {
    void *memory;
    CUDA_CHECK(cudaMallocHost(&memory, count * size + 1));
    return memory;
}

static void copy(void *to, const void *from, size_t bytes) {
    if (bytes > 0) CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, r.s->stream));
}

static void finish(void) {
    CUDA_CHECK(cudaStreamSynchronize(r.s->stream));
}

static void release(void) {
    void *const device[] = {r.points, r.queries, r.index, r.distance, r.keys, r.other, r.merged, r.counts, r.workspace};
    for (size_t i = 0; i < sizeof device / sizeof *device; i++) CUDA_CHECK(cudaFree(device[i]));
    CUDA_CHECK(cudaFreeHost(r.sent));
    CUDA_CHECK(cudaFreeHost(r.message));
    r.points = r.queries = r.distance = r.sent = NULL;
    r.index = NULL;
    r.keys = r.other = r.merged = r.message = NULL;
    r.counts = NULL;
    r.workspace = NULL;
    r.workspace_bytes = 0;
}

static void prepare(const order *o) {
    const knn_case *c = &o->of;
    const size_t m = (size_t)c->m, k = (size_t)c->k, queries = m * (size_t)c->d;
    r.held = *o;
    if (ranks_count() == 1) return;
    release();
    r.index = device_memory(m * k, sizeof *r.index);
    r.distance = device_memory(m * k, sizeof *r.distance);
    r.keys = device_memory(m * k, sizeof *r.keys);
    r.other = device_memory(m * k, sizeof *r.other);
    r.merged = device_memory(m * k, sizeof *r.merged);
    r.message = pinned_memory(m * k + COUNTS, sizeof *r.message);
    r.sent = pinned_memory(queries, sizeof *r.sent);
    if (ranks_rank() == 0) return;
    r.queries = device_memory(queries, sizeof *r.queries);
    r.counts = device_memory(1, sizeof *r.counts);
}

/* The points of a rank that serves. */
static void get_points(const order *o) {
    const share mine = share_of(o, ranks_rank());
    const size_t d = (size_t)o->of.d, count = (size_t)mine.points * d;
    float *room = NULL;
    const float *from = NULL;
    r.points = device_memory(count, sizeof *r.points);
    if (o->of.held > 0)
        CUDA_CHECK(knn_generate(r.points, knn_operands_seed(&o->of), (uint64_t)mine.first_point * d, count, r.s->stream));
    else if (o->origin == RANKS_OF_CASE)
        from = room = knn_operands_points(&o->of, mine.first_point, mine.points);
    else
        from = knn_files_share(r.s, mine.first_point, mine.points, &room);
    if (from != NULL) copy(r.points, from, count * sizeof *from);
    finish();
    free(room);
}

/* ---- asking ---------------------------------------------------------------------------------------------------- */

static const char *ask(const knn_method *method, const order *o, const knn_problem *p, size_t limit,
                       size_t *workspace) {
    const share mine = share_of(o, ranks_rank());
    const knn_problem own = own_of(p, &mine);
    *workspace = 0;
    r.timed = 0;
    if (own.m == 0 || own.n == 0) return NULL;
    if (o->of.scarce) limit = knn_scarce(method, &own, limit);
    return knn_refusal(method, &own, limit, workspace);
}

/* Of a rank that serves. */
static void answer(const knn_method *method, const order *o) {
    const share mine = share_of(o, ranks_rank());
    knn_case own = o->of;
    char reason[REASON] = "";
    size_t workspace = 0;
    own.held = mine.points;
    const knn_problem p = knn_operands_outline(&own);
    const double left = r.s->memory - knn_operands_bytes(&own) - knn_ranks_bytes(&o->of);
    const char *why = method->supports != NULL ? method->supports(&r.s->device) : NULL;
    if (why == NULL) why = ask(method, o, &p, left > 0.0 ? (size_t)left : 0, &workspace);
    if (why != NULL) snprintf(reason, sizeof reason, "%s", why);
    ranks_send(0, reason, sizeof reason);
    if (why != NULL || workspace <= r.workspace_bytes) return;
    CUDA_CHECK(cudaFree(r.workspace));
    r.workspace = device_memory(workspace, 1);
    r.workspace_bytes = workspace;
}

const char *knn_ranks_refusal(const knn_method *method, const knn_case *c, const knn_problem *p, size_t limit,
                              size_t *workspace) {
    static char text[REASON];
    order o = order_for(ASK, c);
    o.method = (int)(method - r.methods);
    const char *reason = ask(method, &o, p, limit, workspace);
    if (ranks_count() == 1) return reason;
    ranks_broadcast(&o, sizeof o);
    for (int rank = 1; rank < ranks_count(); rank++) {
        char other[REASON];
        ranks_receive(rank, other, sizeof other);
        if (reason == NULL && *other != '\0') reason = strcpy(text, other);
    }
    return reason;
}

/* ---- searching ------------------------------------------------------------------------------------------------- */

/* Enqueues the search of this rank's share, and makes keys of its answer. */
static cudaError_t search_share(const knn_method *method, const knn_problem *p, const share *mine) {
    knn_problem own = own_of(p, mine);
    own.index = r.index;
    own.distance = r.distance;
    cudaError_t error = own.m > 0 && own.n > 0 ? method->search(&own, r.s->stream) : cudaSuccess;
    if (error == cudaSuccess)
        error = knn_pack(r.index, r.distance, own.m, own.k, p->k, mine->first_point, r.keys, r.s->stream);
    return error;
}

/* The queries from rank 0's `sent` to the others'. */
static void send_queries(const order *o) {
    const size_t row = (size_t)o->of.d * sizeof *r.sent;
    if (!o->by_queries) {
        ranks_broadcast(r.sent, (size_t)o->of.m * row);
        return;
    }
    const share mine = share_of(o, ranks_rank());
    if (ranks_rank() > 0) ranks_receive(0, r.sent, (size_t)mine.queries * row);
    for (int rank = 1; rank < ranks_count() && ranks_rank() == 0; rank++) {
        const share to = share_of(o, rank);
        ranks_send(rank, (char *)r.sent + (size_t)to.first_query * row, (size_t)to.queries * row);
    }
}

static void send_answer(int to, int rows) {
    const size_t bytes = (size_t)rows * (size_t)r.held.of.k * sizeof *r.keys;
    copy(r.message + COUNTS, r.keys, bytes);
    finish();
    memcpy(r.message, &r.sum, sizeof r.sum);
    ranks_send(to, r.message, sizeof r.sum + bytes);
}

static void receive_answer(int from, int rows, uint64_t *to) {
    const size_t bytes = (size_t)rows * (size_t)r.held.of.k * sizeof *r.keys;
    finish(); /* the copy of the one before has left the message */
    ranks_receive(from, r.message, sizeof r.sum + bytes);
    knn_counts counts;
    memcpy(&counts, r.message, sizeof counts);
    r.sum.redone += counts.redone;
    r.sum.negative += counts.negative;
    r.sum.candidates += counts.candidates;
    copy(to, r.message + COUNTS, bytes);
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

/* What all ranks do when they have searched; `counts` are this one's, on the device. Returns when it began. */
static double combine(const order *o, const knn_counts *counts) {
    copy(&r.sum, counts, sizeof r.sum);
    finish();
    ranks_wait();
    const double begin = clock_now_s();
    if (o->by_queries)
        collect(o);
    else
        merge(o->of.m, o->of.k);
    return begin;
}

cudaError_t knn_ranks_search(const knn_method *method, const knn_problem *p, cudaStream_t stream) {
    if (ranks_count() == 1) return method->search(p, stream);
    order o = r.held;
    const share mine = share_of(&o, 0);
    o.what = SEARCH;
    o.method = (int)(method - r.methods);
    ranks_broadcast(&o, sizeof o);
    copy(r.sent, p->queries, (size_t)p->m * (size_t)p->d * sizeof *r.sent);
    finish();
    cudaError_t error = search_share(method, p, &mine); /* while the queries are on their way to the others */
    if (error != cudaSuccess) return error;
    send_queries(&o);
    error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess) return error;
    const double begin = combine(&o, p->counts);
    copy(p->counts, &r.sum, sizeof r.sum);
    error = knn_unpack(r.keys, p->m, p->k, p->index, p->distance, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    r.ms[r.timed++ % TIMES] = 1e3 * (clock_now_s() - begin);
    return error;
}

/* Of a rank that serves. */
static void search(const knn_method *method, const order *o) {
    const share mine = share_of(o, ranks_rank());
    const knn_problem p = {.m = o->of.m,
                           .n = o->of.n,
                           .d = o->of.d,
                           .k = o->of.k,
                           .queries = r.queries,
                           .points = r.points,
                           .workspace = r.workspace,
                           .workspace_bytes = r.workspace_bytes,
                           .counts = r.counts};
    send_queries(o);
    copy(r.queries, r.sent, (size_t)mine.queries * (size_t)p.d * sizeof *r.sent);
    CUDA_CHECK(cudaMemsetAsync(r.counts, 0, sizeof *r.counts, r.s->stream));
    CUDA_CHECK(search_share(method, &p, &mine));
    finish();
    combine(o, r.counts);
}

/* ---- counting -------------------------------------------------------------------------------------------------- */

/* Everybody among its share of the points, also where it has all of them. */
static void count_nearer(const float *points, int m, const float *queries, const double *limits,
                         unsigned long long *counts) {
    const knn_case *c = &r.held.of;
    const int n = rows_of(c->n, ranks_rank()), first = knn_ranks_first(c->n, ranks_count(), ranks_rank());
    const size_t rows = (size_t)m, d = (size_t)c->d;
    float *x = device_memory(rows * d, sizeof *x);
    double *on = device_memory(rows, sizeof *on);
    unsigned long long *found = device_memory(rows, sizeof *found);
    copy(x, queries, rows * d * sizeof *x);
    copy(on, limits, rows * sizeof *on);
    copy(found, counts, rows * sizeof *found);
    const float *own = points + (r.held.by_queries ? (size_t)first * d : 0);
    CUDA_CHECK(knn_count_nearer(own, n, c->d, x, m, on, found, r.s->stream));
    copy(counts, found, rows * sizeof *found);
    finish();
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(on));
    CUDA_CHECK(cudaFree(found));
}

static void *host_memory(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (memory == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    return memory;
}

void knn_ranks_count_nearer(const float *points, int m, const float *queries, const double *limits,
                            unsigned long long *counts) {
    order o = r.held;
    const bool serves = ranks_rank() > 0;
    const size_t rows = (size_t)m, bytes = rows * (size_t)o.of.d * sizeof *queries;
    float *x = host_memory(bytes, 1);
    double *on = host_memory(rows, sizeof *on);
    unsigned long long *other = host_memory(rows, sizeof *other);
    o.what = NEARER;
    o.method = m;
    if (!serves) memcpy(x, queries, bytes);
    if (!serves) memcpy(on, limits, rows * sizeof *on);
    if (ranks_count() > 1 && !serves) ranks_broadcast(&o, sizeof o);
    if (ranks_count() > 1) ranks_broadcast(x, bytes);
    if (ranks_count() > 1) ranks_broadcast(on, rows * sizeof *on);
    count_nearer(points, m, x, on, serves ? other : counts);
    if (serves) ranks_send(0, other, rows * sizeof *other);
    for (int rank = 1; rank < ranks_count() && !serves; rank++) {
        ranks_receive(rank, other, rows * sizeof *other);
        for (size_t i = 0; i < rows; i++) counts[i] += other[i];
    }
    free(x);
    free(on);
    free(other);
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

int knn_ranks_open(session *s, const knn_method *methods) {
    typedef struct {
        double memory;
        cudaUUID_t device;
    } hello;
    struct cudaDeviceProp properties;
    const int ranks = ranks_count(), here = ranks_local_count();
    int count;
    r.s = s;
    r.methods = methods;
    r.devices = 1;
    r.least = s->memory;
    if (ranks == 1) return EXIT_OK;
    if (!ranks_start(stderr)) return EXIT_USAGE;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    s->memory /= (here - 1 - ranks_local() % count) / count + 1; /* so many of this host's ranks use the device */
    CUDA_CHECK(cudaGetDeviceProperties(&properties, s->device.ordinal));
    hello *all = host_memory((size_t)ranks, sizeof *all);
    all[0] = (hello){s->memory, properties.uuid};
    if (ranks_rank() > 0) ranks_send(0, all, sizeof *all);
    for (int i = 1; i < ranks && ranks_rank() == 0; i++) {
        int j = 0;
        ranks_receive(i, &all[i], sizeof *all);
        r.least = fmin(r.least, all[i].memory);
        while (memcmp(&all[j].device, &all[i].device, sizeof all[i].device) != 0) j++;
        r.devices += j == i;
    }
    free(all);
    r.open = true;
    return EXIT_OK;
}

void knn_ranks_hold(const knn_case *c, ranks_origin origin) {
    order o = order_for(HOLD, c);
    o.origin = origin;
    if (ranks_count() > 1) ranks_broadcast(&o, sizeof o);
    prepare(&o);
}

int knn_ranks_serve(void) {
    for (;;) {
        order o;
        ranks_broadcast(&o, sizeof o);
        const knn_method *method = &r.methods[o.method];
        error_context("rank %d: m %d, n %d, d %d, k %d", ranks_rank(), o.of.m, o.of.n, o.of.d, o.of.k);
        switch (o.what) {
        case HOLD:
            prepare(&o);
            get_points(&o);
            break;
        case ASK:
            answer(method, &o);
            break;
        case SEARCH:
            search(method, &o);
            break;
        case NEARER:
            knn_ranks_count_nearer(r.points, o.method, NULL, NULL, NULL);
            break;
        default:
            return EXIT_OK;
        }
    }
}

void knn_ranks_close(void) {
    order o = {.what = END};
    if (!r.open) return;
    if (ranks_rank() == 0) ranks_broadcast(&o, sizeof o);
    release();
    ranks_stop();
}

int knn_ranks_devices(void) {
    return r.devices;
}

const char *knn_ranks_remark(void) {
    static char text[96];
    if (ranks_count() == 1) return "";
    const double ms = stats_summarise(r.ms, least(r.timed, TIMES)).median;
    snprintf(text, sizeof text, "; %s divided over %d ranks on %d GPU%s, %s in %.3f ms",
             r.held.by_queries ? "queries" : "points", ranks_count(), r.devices, r.devices == 1 ? "" : "s",
             r.held.by_queries ? "collected" : "merged", ms);
    return text;
}
