/* A run over chains of launches. */
#include <math.h>
#include <string.h>

#include "base/progress.h"
#include "bench/measure.h"
#include "bench/print.h"
#include "bench/sweep.h"
#include "gemv/gemv_chain.h"
#include "gemv/gemv_state.h"
#include "gpu/error.h"

enum { LINKS = 65, SIMULATED_LINKS = 4 }; /* no multiple of four, of which timing would leave one out */
enum { PLAIN, PDL, WAYS };
static const char *const modes[WAYS] = {GEMV_GRAPH, GEMV_PDL};

/* A chain both ways, each with the launch that is the fastest for it. */
typedef struct {
    const gemv_case *problem;
    gemv_chain chain;
    gemv_launcher *launch[WAYS];
    int links, sets;
    int ways;            /* 1 where the GPU has no programmatic dependent launch */
    void *tuning;        /* candidates are compared on these */
    timing_task outline; /* as a search has it */
    bool small;          /* some of the chain stays in the L2 */
} chain_pair;

static void take_way(chain_pair *c, int way) {
    c->chain.launch = c->launch[way];
    c->chain.pdl = way == PDL;
}

static cudaError_t link_plain(void *context, int set, cudaStream_t stream) {
    take_way(context, PLAIN);
    return gemv_chain_link(&((chain_pair *)context)->chain, set, stream);
}

static cudaError_t link_pdl(void *context, int set, cudaStream_t stream) {
    take_way(context, PDL);
    return gemv_chain_link(&((chain_pair *)context)->chain, set, stream);
}

static void make(const session *s, chain_pair *c) {
    CUDA_CHECK(gemv_chain_create(&c->chain, c->problem, c->links, c->sets, s->stream));
    c->tuning = s->family->operands->create(s, c->problem, c->sets);
    if (c->outline.flush_bytes > 0) CUDA_ALLOCATE(&c->outline.flush, c->outline.flush_bytes);
}

/* Takes what to launch this way and verifies it. Returns NULL, or the reason not to go on. */
static const char *prepare(session *s, chain_pair *c, const bench_variant *v, int way, record *r, double *seconds) {
    bench_launch launch = {
        .session = s, .problem = c->problem, .operands = c->tuning, .variant = v, .mode = modes[way]};
    verdict verdict;
    if (v->candidates > 0 && !gemv_tune(s, &c->outline, &launch)) return "no candidate fits";
    c->launch[way] = gemv_launcher_of(&launch);
    take_way(c, way);
    CUDA_CHECK(gemv_chain_verify(&c->chain, v->name, s->stream, stderr, &verdict));
    r->max_err_bound_share = verdict.worst_share;
    *seconds = verdict.seconds;
    if (!verdict.ok) s->wrong++;
    return verdict.ok ? NULL : "WRONG RESULT, not timed";
}

static void measure(session *s, chain_pair *c, record rows[WAYS]) {
    const bool pdl = c->ways == WAYS;
    const timing_task task = {.sets = c->chain.links,
                              .ours = {pdl ? link_pdl : link_plain, c},
                              .baseline = {pdl ? link_plain : NULL, c},
                              .budget_s = s->o.time_s,
                              .mode = TIMING_GRAPH};
    bench_workload work;
    timing_result t, of_plain;
    s->family->workload(s, &c->chain.what, &work);
    CUDA_CHECK(timing_run(&task, s->stream, &t));
    of_plain = t;
    of_plain.ratio = of_plain.baseline_ms = (stats_summary){NAN, NAN, NAN, NAN, NAN, NAN};
    if (pdl) of_plain.ours_ms = t.baseline_ms;
    of_plain.clock_mhz = pdl ? NAN : t.clock_mhz; /* it is the other one's */
    measure_record(&rows[PLAIN], &work, &of_plain);
    measure_record(&rows[PDL], &work, &t);
    if (pdl) snprintf(rows[PDL].baseline, sizeof rows[PDL].baseline, GEMV_GRAPH);
    for (int way = 0; way < c->ways; way++) { /* once more after timing, as all kernels are */
        verdict after;
        take_way(c, way);
        CUDA_CHECK(gemv_chain_verify(&c->chain, rows[way].variant, s->stream, stderr, &after));
        if (after.ok) continue;
        print_skipped(s, rows[way].variant, &rows[way], "WRONG RESULT after it was timed, not recorded");
        s->wrong++;
        return;
    }
    for (int way = 0; way < c->ways; way++) {
        print_row(s, way == PDL ? "  with PDL" : rows[way].variant, &rows[way], NAN, NAN, "");
        session_keep(s, &rows[way]);
    }
    if (!pdl) printf("    programmatic dependent launch needs sm_%d\n", GEMV_PDL_CC);
}

static void run_variant(session *s, chain_pair *c, const bench_variant *v) {
    record rows[WAYS];
    double seconds = NAN;
    bool known = true;
    for (int way = 0; way < WAYS; way++) {
        record *r = &rows[way];
        *r = session_describe(s, v->name, "gemv_chain");
        s->family->record(s, c->problem, r);
        gemv_chain_scalars(c->problem, &r->alpha, &r->beta);
        if (!s->device.simulated) snprintf(r->mode, sizeof r->mode, "%s", modes[way]);
        if (c->small) snprintf(r->cache, sizeof r->cache, "warm");
        known = known && (way >= c->ways || session_find(s, r, false) != NULL);
    }
    const char *reason = session_unsupported(s, v);
    s->skipped += reason != NULL;
    if (reason == NULL) {
        s->ran++;
        if (known) return;
        error_context("%s %s, %s, a chain, n %d, k %d", s->step, v->name, dtype_name(c->problem->type), c->problem->n,
                      c->problem->k);
        progress_show(stderr, v->name, s->done - 1, s->total);
        if (c->chain.memory == NULL) make(s, c);
    }
    for (int way = 0; way < c->ways && reason == NULL; way++) reason = prepare(s, c, v, way, &rows[way], &seconds);
    progress_clear(stderr);
    if (reason == NULL && c->problem->n == 0) reason = "nothing to time; verified";
    if (reason != NULL)
        print_skipped(s, v->name, &rows[PLAIN], reason);
    else if (s->device.simulated) {
        print_row(s, v->name, &rows[c->ways - 1], seconds, NAN, "");
        session_keep(s, &rows[c->ways - 1]);
    } else
        measure(s, c, rows);
}

/* EXIT_OK, or the status with which the run ends. */
static int run_problem(session *s, const void *problem) {
    bench_workload work;
    chain_pair c = {.problem = problem, .ways = s->device.cc >= GEMV_PDL_CC ? WAYS : 1};
    s->family->workload(s, problem, &work);
    const bool simulated = s->device.simulated;
    const int least = simulated ? SIMULATED_LINKS : LINKS;
    c.sets = simulated ? 1 : measure_cold_sets(&work);
    c.links = c.sets > least ? c.sets : least;
    const double need =
        s->family->operands->bytes(s, problem, c.sets) + (double)gemv_chain_bytes(problem, c.links, c.sets);
    if (need > session_memory(s)) return sweep_too_large(s, problem, need);
    c.small = (size_t)c.sets * work.touched < gemv_cold_bytes(s);
    c.outline = (timing_task){.sets = c.sets, .mode = TIMING_GRAPH};
    if (c.small && !simulated) c.outline.flush_bytes = work.cold_bytes;
    for (int i = 0; i < s->count; i++) {
        if (!s->o.chosen[i]) continue;
        s->done++;
        run_variant(s, &c, &s->variants[i]);
    }
    if (c.outline.flush != NULL) CUDA_CHECK(cudaFree(c.outline.flush));
    gemv_chain_destroy(&c.chain);
    if (c.tuning != NULL) s->family->operands->destroy(c.tuning);
    return EXIT_OK;
}

int gemv_chain_sweep(session *s) {
    case_list problems;
    int status = sweep_begin(s, &problems);
    for (int i = 0; i < problems.count && status == EXIT_OK; i++) status = run_problem(s, case_list_at(&problems, i));
    return sweep_end(s, &problems, status);
}
