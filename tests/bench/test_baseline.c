/* Which call becomes the baseline: the choosing and the calls are the real ones, cuBLAS and cublasLt are made up
 * (fake_blas.h), and a launch takes as long as the test says. */

#include "../gpu/fake_blas.h"
#include "bench/baseline.h"
#include "bench/session.h"
#include "gemm/gemm_baseline.h"
#include "gemm/gemm_operands.h"

/* Heuristics by the numbers that people read: the first one is 1. */
#define HEURISTIC(number) (FAKE_HEURISTIC + (number)-1)

enum { HEURISTICS = 8 };

/* ---- what launches do and take ---- */

typedef enum { RIGHT, AN_ELEMENT_OFF, BEHIND_C } fault;

static struct {
    double now_ms, ms[FAKE_CALLS], in_pairs_ms[FAKE_CALLS]; /* 0: as ms */
    fault fault[FAKE_CALLS];
    int launches[FAKE_CALLS];
    int timed[FAKE_CALLS]; /* measurements that it took part in */
    int flushed, restored;
    bool in_pairs, inexact;
    int uncapturable; /* call number ... - 1 fails in a graph */
    timing_mode mode; /* of the last measurement */
} run;

static void after(int call, const fake_layout *c, void *out) {
    const size_t last = (size_t)(c->ld * (int64_t)(c->cols - 1)) + c->rows - 1;
    run.now_ms += run.in_pairs && run.in_pairs_ms[call] > 0.0 ? run.in_pairs_ms[call] : run.ms[call];
    run.launches[call]++;
    if (run.fault[call] == AN_ELEMENT_OFF) ((float *)out)[last] += 1.0f;
    if (run.fault[call] == BEHIND_C) ((float *)out)[last + 1] = 0.0f;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
    memcpy(to, from, size);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t size, cudaStream_t stream) {
    assert_null(stream);
    memset(memory, value, size);
    run.flushed++;
    run.now_ms += 7.0; /* outside the events */
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    assert_null(stream);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    *event = create(sizeof(double));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    destroy(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    assert_null(stream);
    *(double *)event = run.now_ms;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end) {
    *ms = (float)(*(double *)end - *(double *)begin);
    return cudaSuccess;
}

/* In the place of timing.c. */
static double timed_ms(const timing_side *side, cudaStream_t stream) {
    const double begin = run.now_ms;
    if (side->launch == NULL) return NAN;
    assert_int_equal(side->launch(side->context, 0, stream), cudaSuccess);
    run.timed[fake.last]++;
    return run.now_ms - begin;
}

cudaError_t timing_run(const timing_task *task, cudaStream_t stream, timing_result *r) {
    *r = (timing_result){.pairs = 3, .sets = 2, .mode = "events"};
    assert_true(task->budget_s > 0.0 && task->sets == 2);
    run.mode = task->mode;
    run.in_pairs = task->baseline.launch != NULL;
    r->ours_ms.median = timed_ms(&task->ours, stream);
    r->baseline_ms.median = timed_ms(&task->baseline, stream);
    r->ratio.median = r->baseline_ms.median / r->ours_ms.median;
    run.in_pairs = false;
    return cudaSuccess;
}

cudaError_t timing_capture(const timing_side *side, int sets, int launches, cudaStream_t stream,
                           cudaGraphExec_t *exec) {
    const bench_launch *l = side->context;
    return run.uncapturable == l->number + 1 ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    return cudaSuccess;
}

cudaError_t timing_sustained(const timing_task *task, double seconds, cudaStream_t stream, timing_result *r) {
    fail_msg("nothing is sustained");
    return cudaErrorUnknown;
}

/* ---- a family: GEMM, as gemm_family.c has it ---- */

static gemm_baseline calls;

static void format(const session *s, const void *problem, bool details, char *text, size_t size) {
    const gemm_case *c = problem;
    snprintf(text, size, "m %d, n %d, k %d", c->m, c->n, c->k);
}

static operand_spec spec_of(const session *s, const void *problem) {
    return gemm_operands(problem);
}

static cudaError_t enqueue(void *launch, const operand_set *set, float alpha, float beta, cudaStream_t stream) {
    const bench_launch *l = launch;
    gemm_problem p = gemm_problem_on(l->problem, set);
    assert_null(l->variant);
    p.alpha = alpha;
    p.beta = beta;
    return gemm_baseline_launch(&calls, &p, l->number, stream);
}

static int count_calls(const session *s, const void *problem) {
    const operand_spec spec = gemm_operands(problem);
    const gemm_problem p = gemm_problem_on(problem, &spec.like);
    return gemm_baseline_ask(&calls, &p);
}

static void describe_call(const session *s, int number, bench_call *c) {
    gemm_baseline_call(&calls, number, c);
    c->inexact = run.inexact;
}

static cudaError_t restore(void *launch, int set, cudaStream_t stream) {
    assert_in_range(set, 0, 1);
    run.restored++;
    return cudaSuccess;
}

/* ---- a choice ---- */

static const bench_family made_up = {
    .format = format, .matrices = {spec_of, enqueue}, .baseline = {count_calls, describe_call}};
static gemm_case problem;
static timing_task timing;
static bench_baseline chosen;
static char said[1000], printed[1000]; /* on stderr; on stdout, with --verbose */

/* All calls are right. cublasSgemm and the others of cuBLAS take 1 ms, cublasLt's heuristics 0.9; the third 0.5. */
static int set_up(void **state) {
    memset(&fake, 0, sizeof fake);
    memset(&fakes, 0, sizeof fakes);
    memset(&run, 0, sizeof run);
    fake.answers = HEURISTICS;
    fake.after = after;
    for (int i = 0; i < FAKE_CALLS; i++) run.ms[i] = i < FAKE_HEURISTIC ? 1.0 : 0.9;
    run.ms[HEURISTIC(3)] = 0.5;
    problem = (gemm_case){.m = 20, .n = 24, .k = 16, .alpha = 1.0f, .seed = 1};
    timing = (timing_task){.sets = 2, .mode = TIMING_GRAPH};
    return 0;
}

static int tear_down(void **state) {
    gemm_baseline_forget(&calls);
    blas_close();
    return fakes.live;
}

static void choose(bool verbose) {
    bench_operand_functions operands;
    const bench_family family = bench_family_complete(&made_up, &operands);
    session s = {.family = &family, .step = "test", .o = {.time_s = 0.5, .verbose = verbose}, .baseline = true};
    FILE *const out = stdout, *const err = stderr;
    said[0] = printed[0] = '\0';
    stdout = fmemopen(printed, sizeof printed, "w");
    stderr = fmemopen(said, sizeof said, "w");
    assert_true(blas_open(stdout));
    const bench_launch launch = {.session = &s, .problem = &problem, .operands = operands.create(&s, &problem, 2)};
    baseline_choose(&launch, &timing, &chosen);
    operands.destroy(launch.operands);
    fclose(stdout);
    fclose(stderr);
    stdout = out;
    stderr = err;
}

static void assert_counts(int tried, int refused, int wrong) {
    assert_int_equal(chosen.tried, tried);
    assert_int_equal(chosen.refused, refused);
    assert_int_equal(chosen.wrong, wrong);
}

static void assert_chosen(const char *name) {
    assert_true(chosen.there);
    assert_string_equal(chosen.call.name, name);
    assert_null(chosen.launch.variant);
}

/* What is chosen without --verbose, of how many calls. */
static void assert_choice(const char *name, int tried, int refused, int wrong) {
    choose(false);
    assert_chosen(name);
    assert_counts(tried, refused, wrong);
}

/* ---- tests ---- */

TEST(the_fastest_that_is_right) {
    run.ms[HEURISTIC(4)] = 0.2;
    run.fault[HEURISTIC(4)] = AN_ELEMENT_OFF;
    fake.status[HEURISTIC(5)] = 15;
    choose(false);
    assert_chosen("cublasLt heuristic 3");
    assert_int_equal(chosen.launch.number, 3 + 2);
    assert_counts(3 + HEURISTICS, 1, 1);
    assert_string_equal(printed, "");
    assert_string_equal(said, "cublasLt heuristic 4: wrong at m 20, n 24, k 16, left out as a baseline\n");
    assert_int_equal(run.timed[HEURISTIC(4)], 0);
    assert_int_equal(run.mode, TIMING_GRAPH);

    record r = record_empty();
    baseline_record(&chosen, &r);
    assert_string_equal(r.baseline, "cublasLt");
    assert_string_equal(r.baseline_call, "cublasLt heuristic 3");
    assert_string_equal(r.cublas, "13.1.2");
    assert_int_equal(r.calls_tried, 11);
    assert_int_equal(r.calls_failed, 1);
    assert_int_equal(r.calls_wrong, 1);
}

/* A wrong plain call, too, must not become what others are compared with. */
TEST(no_wrong_call_is_the_reference) {
    run.fault[FAKE_SGEMM] = AN_ELEMENT_OFF;
    run.fault[FAKE_PEDANTIC] = AN_ELEMENT_OFF;
    assert_choice("cublasLt heuristic 3", 3 + HEURISTICS, 0, 2);
    assert_string_equal(said,
                        "cublasSgemm, cublasSgemm (pedantic): wrong at m 20, n 24, k 16, left out as a baseline\n");
}

/* TF32 computes with small integers exactly: only the error bound tells it from FP32. */
TEST(right_on_integers_is_not_enough) {
    run.ms[HEURISTIC(4)] = run.ms[HEURISTIC(7)] = 0.2;
    fake.tf32[HEURISTIC(4)] = fake.tf32[HEURISTIC(7)] = true;
    assert_choice("cublasLt heuristic 3", 3 + HEURISTICS, 0, 2);
    assert_true(run.timed[HEURISTIC(4)] > 0 && run.timed[HEURISTIC(7)] > 0);
    assert_string_equal(said, "cublasLt heuristic 4, cublasLt heuristic 7: wrong at m 20, n 24, k 16, left out as a "
                              "baseline\n");
}

/* Calls whose fingerprints say nothing are held to the bound before they are timed. */
TEST(calls_that_are_not_exact_are_verified_first) {
    run.inexact = true;
    run.ms[HEURISTIC(4)] = 0.2;
    fake.tf32[HEURISTIC(4)] = true;
    assert_choice("cublasLt heuristic 3", 3 + HEURISTICS, 0, 1);
    assert_int_equal(run.timed[HEURISTIC(4)], 0);
}

TEST(what_no_graph_takes_is_refused) {
    run.ms[HEURISTIC(4)] = 0.2;
    run.uncapturable = 3 + 3 + 1;
    assert_choice("cublasLt heuristic 3", 3 + HEURISTICS, 1, 0);
    timing.mode = TIMING_EVENTS;
    assert_choice("cublasLt heuristic 4", 3 + HEURISTICS, 0, 0);
}

/* What is slow beside a wrong call may be the fastest that is right. */
TEST(a_fast_wrong_call_hides_no_other) {
    run.ms[HEURISTIC(1)] = 0.1;
    fake.tf32[HEURISTIC(1)] = true;
    assert_choice("cublasLt heuristic 3", 3 + HEURISTICS, 0, 1);
    assert_true(run.timed[HEURISTIC(3)] > 0); /* it was slow beside that one, and is measured now */
}

TEST(writing_elsewhere_is_wrong) {
    run.ms[HEURISTIC(4)] = 0.2;
    run.fault[HEURISTIC(4)] = BEHIND_C;
    assert_choice("cublasLt heuristic 3", 3 + HEURISTICS, 0, 1);
    assert_int_equal(run.timed[HEURISTIC(4)], 0);
}

TEST(a_plain_call_may_win) {
    run.ms[FAKE_GEMM_EX] = 0.4;
    assert_choice("cublasGemmEx", 3 + HEURISTICS, 0, 0);
    assert_string_equal(said, "");
    record r = record_empty();
    baseline_record(&chosen, &r);
    assert_string_equal(r.baseline, "cublas");
    assert_string_equal(r.cublas, "13.1.0");
}

/* Only those are timed in pairs that came close; what they say counts. */
TEST(pairs_decide) {
    run.ms[HEURISTIC(6)] = 0.52;
    run.ms[HEURISTIC(8)] = 0.51;
    run.in_pairs_ms[HEURISTIC(6)] = 0.4;
    run.ms[HEURISTIC(5)] = 1.5;
    choose(false);
    assert_chosen("cublasLt heuristic 6");
    assert_int_equal(run.timed[HEURISTIC(3)], 1 + 2);
    assert_int_equal(run.timed[HEURISTIC(8)], 1 + 1);
    assert_int_equal(run.timed[HEURISTIC(6)], 1 + 1);
    assert_int_equal(run.timed[HEURISTIC(1)], 1);
    assert_int_equal(run.timed[HEURISTIC(5)], 0); /* a single launch was enough */
}

TEST(verbose_tells_of_the_choice) {
    run.ms[HEURISTIC(3)] = 0.7;
    run.ms[HEURISTIC(2)] = 0.8;
    run.ms[HEURISTIC(7)] = 70.0;
    fake.refused = 1 << 4;
    choose(true);
    assert_non_null(strstr(printed,
                           "    baseline: cublasLt heuristic 3 (13.1.2), 11 calls tried, 1 refused, 0 wrong, 1 "
                           "slow after one launch; chosen in "));
    assert_non_null(strstr(printed, "    quick timing, ms: cublasLt heuristic 3 0.7000, cublasLt heuristic 2 0.8000, "
                                    "cublasLt heuristic 1 0.9000, cublasLt heuristic 4 0.9000, cublasLt heuristic 6 "
                                    "0.9000\n"));
    assert_string_equal(said, "");
}

/* One launch of a slow call to verify it and one to time it; the one that comes first is verified twice more. */
TEST(slow_calls_are_cheap) {
    for (int i = 0; i < FAKE_CALLS; i++) run.ms[i] = 200.0;
    run.ms[FAKE_PEDANTIC] = 100.0;
    run.ms[HEURISTIC(3)] = 98.0;
    run.ms[HEURISTIC(6)] = 99.0;
    timing.mode = TIMING_AUTO;
    choose(false);
    assert_chosen("cublasLt heuristic 3");
    assert_int_equal(run.launches[FAKE_SGEMM], 1 + 2);
    assert_int_equal(run.launches[HEURISTIC(4)], 2);
    assert_int_equal(run.timed[HEURISTIC(4)], 0);
    assert_int_equal(run.launches[HEURISTIC(3)], 2 + 2 + 2); /* two pairs, and the complete verification */
    assert_int_equal(run.launches[HEURISTIC(6)], 2 + 1);
    assert_int_equal(run.timed[FAKE_PEDANTIC], 1); /* it is the third */
}

TEST(none_is_right) {
    for (int i = 0; i < FAKE_CALLS; i++) run.fault[i] = AN_ELEMENT_OFF;
    fake.refused = 1 << 1;
    fake.status[FAKE_PEDANTIC] = 15;
    choose(false);
    assert_false(chosen.there);
    assert_counts(3 + HEURISTICS, 2, 1 + HEURISTICS);
    assert_string_equal(said, "no baseline at m 20, n 24, k 16: 11 calls tried, 2 refused, 9 wrong\n");
    record r = record_empty();
    baseline_record(&chosen, &r);
    assert_string_equal(r.baseline, "");
    assert_int_equal(r.calls_wrong, 9);
}

TEST(none_that_was_right_stays_so) {
    fake.no_cublas = true;
    for (int i = 0; i < FAKE_CALLS; i++) fake.tf32[i] = true;
    choose(false);
    assert_false(chosen.there);
    assert_counts(HEURISTICS, 0, HEURISTICS);
    assert_string_equal(said, "no baseline at m 20, n 24, k 16: 8 calls tried, 0 refused, 8 wrong\n");
}

TEST(without_cublas) {
    fake.no_cublas = true;
    choose(false);
    assert_chosen("cublasLt heuristic 3");
    assert_int_equal(chosen.launch.number, 2);
    assert_counts(HEURISTICS, 0, 0);
}

/* Then a row without a ratio is complete, and --resume leaves it. */
TEST(no_call_to_try) {
    fake.no_cublas = true, fake.answers = 0;
    choose(false);
    assert_false(chosen.there);
    assert_counts(0, 0, 0);
    assert_string_equal(said, "");
    record rows[1] = {record_empty()};
    const session s = {.recorded = rows, .recorded_count = 1};
    const record asked = record_empty();
    baseline_record(&(bench_baseline){.there = false}, rows);
    assert_int_equal(rows->calls_tried, -1);
    assert_null(session_find(&s, &asked, true));
    baseline_record(&chosen, rows);
    assert_int_equal(rows->calls_tried, 0);
    assert_ptr_equal(session_find(&s, &asked, true), rows);
    rows->calls_tried = 3; /* none of which was right */
    assert_null(session_find(&s, &asked, true));
    assert_ptr_equal(session_find(&s, &asked, false), rows);
}

TEST(without_cublaslt) {
    fake.no_lt = true;
    run.ms[FAKE_PEDANTIC] = 0.9;
    assert_choice("cublasSgemm (pedantic)", 3, 0, 0);
}

/* What is long enough to be timed by itself is so a few times. */
TEST(long_calls_are_timed_by_themselves) {
    for (int i = 0; i < FAKE_CALLS; i++) run.ms[i] = 12.0;
    run.ms[HEURISTIC(3)] = 7.0;
    choose(false);
    assert_chosen("cublasLt heuristic 3");
    assert_int_equal(run.launches[HEURISTIC(2)], 1 + 4);
    assert_int_equal(run.launches[HEURISTIC(3)], 1 + 5 + 2);
    assert_int_equal(run.timed[HEURISTIC(2)], 0);
    for (int i = 0; i < FAKE_CALLS; i++) run.ms[i] = 1.0;
    run.ms[HEURISTIC(2)] = 0.8;
    choose(false);
    assert_chosen("cublasLt heuristic 2");
    assert_true(run.timed[HEURISTIC(3)] > 0);
}

/* A launch changes C, and caches are flushed: neither is part of a time. */
TEST(cold_and_restored) {
    char memory[64];
    problem.beta = 2.0f;
    timing.flush = memory;
    timing.flush_bytes = sizeof memory;
    timing.restore = restore;
    for (int i = 0; i < FAKE_CALLS; i++) run.ms[i] = 5.0;
    run.ms[HEURISTIC(3)] = 4.0;
    assert_choice("cublasLt heuristic 3", 3 + HEURISTICS, 0, 0);
    assert_int_equal(run.flushed, 5 * (3 + HEURISTICS));
    assert_int_equal(run.restored, 5 * (3 + HEURISTICS));
}

static const struct fixtures fixtures = {.before = set_up, .after = tear_down};
