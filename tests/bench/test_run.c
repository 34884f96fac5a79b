/* One variant at one problem: verified, timed, verified again, recorded, printed. The family and the timing are made
 * up.
 */

#include "../folder.h"
#include "bench/measure.h"
#include "bench/print.h"
#include "bench/sweep.h"
#include "gpu/error.h"

static struct {
    int wrong_from;                  /* verifications from this one on find an error; 0: none does */
    bool differs_after, guard_after; /* several launches have another result, write where they must not */
    bool fingerprints;               /* the family has them */
    bool sustained;                  /* there is a second measurement */
    bool unsupported;                /* the device cannot run the variant */
    sweep_kind sweep;                /* which problem is next */
    double gflops;                   /* the variant's at the one before */
    char log[64]; /* v: verified; V: so, after several launches, F: by the fingerprint; t: timed; s: under load */
    record *rows;
    int count;
} fake;

static void note(char what) {
    const size_t length = strlen(fake.log);
    assert_true(length + 1 < sizeof fake.log);
    fake.log[length] = what;
}

/* ---- the timing ---- */

static cudaError_t time_it(char what, timing_result *r) {
    note(what);
    *r = (timing_result){.ours_ms = {2, 1, 4, 1.5, 3},
                         .baseline_ms = {NAN, NAN, NAN, NAN, NAN},
                         .ratio = {NAN, NAN, NAN, NAN, NAN},
                         .pairs = 50,
                         .sets = 7,
                         .mode = what == 't' ? "events" : "sustained",
                         .clock_mhz = 1755,
                         .power_w = 400};
    return cudaSuccess;
}

cudaError_t timing_run(const timing_task *task, cudaStream_t stream, timing_result *r) {
    assert_int_equal(task->sets, 1);
    return time_it('t', r);
}

cudaError_t timing_capture(const timing_side *side, int sets, int launches, cudaStream_t stream,
                           cudaGraphExec_t *exec) {
    return cudaSuccess;
}

cudaError_t timing_sustained(const timing_task *task, double seconds, cudaStream_t stream, timing_result *r) {
    assert_true(seconds == 3.0);
    return time_it('s', r);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    assert_null(stream);
    return cudaSuccess;
}

/* ---- the family ---- */

static void add_problems(const session *s, case_list *l) {
    static const int problem = 5;
    case_list_add(l, &problem);
}

static void header(const session *s) {
}

static void format(const session *s, const void *problem, bool details, char *text, size_t size) {
    snprintf(text, size, "problem %d", *(const int *)problem);
}

static void fill_record(const session *s, const void *problem, record *r) {
    r->m = r->n = r->k = *(const int *)problem;
    snprintf(r->dtype, sizeof r->dtype, "f32");
}

static void workload(const session *s, const void *problem, bench_workload *w) {
    *w = (bench_workload){.flops = 4e9,
                          .bytes = NAN,
                          .peak = 4000,
                          .touched = 1,
                          .second_mode = fake.sustained ? "sustained" : NULL,
                          .sustained_s = fake.sustained ? 3.0 : 0.0};
}

static double bytes(const session *s, const void *problem, int sets) {
    return sets;
}

static void *create(const session *s, const void *problem, int sets) {
    return &fake;
}

static void destroy(void *operands) {
    assert_ptr_equal(operands, &fake);
}

static cudaError_t verify(const bench_launch *launch, const char *name, FILE *report, verdict *v) {
    assert_ptr_equal(launch->operands, &fake);
    assert_string_equal(name, "one");
    assert_non_null(report);
    assert_true(launch->launches == 0 || launch->launches > 2);
    note(launch->launches == 0 ? 'v' : 'V');
    int verified = 0;
    for (const char *c = fake.log; *c != '\0'; c++) verified += *c == 'v' || *c == 'V';
    *v = (verdict){.ok = fake.wrong_from == 0 || verified < fake.wrong_from,
                   .worst_share = 0.25,
                   .fingerprint = fake.fingerprints ? 5 : 0,
                   .seconds = NAN};
    return cudaSuccess;
}

static cudaError_t fingerprint(const bench_launch *launch, const char *name, FILE *report, verdict *v) {
    assert_true(launch->launches > 2);
    note('F');
    *v = (verdict){.ok = !fake.guard_after, .fingerprint = fake.differs_after ? 6 : 5};
    return cudaSuccess;
}

static const bench_column columns[] = {{"ms", 8, 3, COLUMN_NUMBER, offsetof(record, ms_median), 1.0, NULL}, {0}};
static const bench_column sizes[] = {{0}};

/* ---- a run ---- */

static const char *supports(const device_facts *device) {
    return fake.unsupported ? "it is another GPU" : NULL;
}

/* Runs the one variant, named on the command line; what the CSV then holds is in fake.rows. Returns the exit status. */
static int run(void) {
    memset(fake.log, 0, sizeof fake.log);
    bench_operand_functions operands, given = {.bytes = bytes,
                                               .create = create,
                                               .destroy = destroy,
                                               .verify = verify,
                                               .fingerprint = fake.fingerprints ? fingerprint : NULL};
    const bench_family made_up = {.op = "made_up",
                                  .noun = "variant",
                                  .problem_size = sizeof(int),
                                  .sizes = sizes,
                                  .columns = columns,
                                  .header = header,
                                  .problems = add_problems,
                                  .format = format,
                                  .record = fill_record,
                                  .workload = workload,
                                  .operands = &given};
    const bench_family family = bench_family_complete(&made_up, &operands);
    bench_variant one = {.name = "one", .supports = supports};
    bool chosen = true;
    double gflops = fake.gflops;
    session s = {.family = &family, .step = "step00", .variants = &one, .count = 1, .gflops = &gflops, .memory = 100};
    s.device.cc = 90;
    s.o.chosen = &chosen;
    s.o.variant_given = true;
    s.o.time_s = 0.1;
    s.o.sweep = fake.sweep;
    s.o.csv = path;
    const int status = bench_sweep(&s);
    free(fake.rows);
    assert_int_equal(record_csv_load(path, &fake.rows, &fake.count, stderr), 0);
    return status;
}

static void assert_run(int status, const char *log, int count) {
    assert_int_equal(run(), status);
    assert_string_equal(fake.log, log);
    assert_int_equal(fake.count, count);
}

static int set_up(void **state) {
    memset(&fake, 0, sizeof fake);
    return make_folder(state);
}

static int tear_down(void **state) {
    free(fake.rows);
    return remove_folder(state);
}

TEST(what_was_timed_is_recorded) {
    assert_run(0, "vtV", 1);
    const record *r = fake.rows;
    assert_true(r->ms_median == 2 && r->ms_min == 1 && r->ms_max == 4 && r->ms_low == 1.5 && r->ms_high == 3);
    assert_true(r->gflops == 2000 && r->peak_share == 0.5 && r->pairs == 50 && r->sets == 7);
    assert_true(r->clock_mhz == 1755 && r->power_w == 400 && r->max_err_bound_share == 0.25);
    assert_true(isnan(r->ratio) && isnan(r->ratio_low) && r->calls_tried == -1);
}

/* What comes out of the cache is no share of what DRAM can do. */
TEST(a_share_of_bandwidth_is_of_cold_caches) {
    const bench_workload work = {.bytes = 4e9, .flops = NAN, .peak = 4000, .peak_of_bytes = true};
    const timing_result t = {.ours_ms = {2, 2, 2, 2, 2}};
    record cold = {.cache = "cold"}, warm = {.cache = "warm"};
    measure_record(&cold, &work, &t);
    measure_record(&warm, &work, &t);
    assert_true(cold.peak_share == 0.5 && isnan(warm.peak_share) && warm.gbps == cold.gbps);
}

TEST(wrong_before_it_is_timed) {
    fake.wrong_from = 1;
    assert_run(1, "v", 0);
}

/* What launches do to one another when nothing waits between them. */
TEST(wrong_after_it_was_timed) {
    fake.wrong_from = 2;
    assert_run(1, "vtV", 0);
}

/* The same by the fingerprint of the exact pass, which needs no reference. */
TEST(differs_after_it_was_timed) {
    fake.fingerprints = true;
    assert_run(0, "vtF", 1);
    for (int way = 0; way < 2; way++) {
        fake.differs_after = way == 0;
        fake.guard_after = way == 1;
        assert_run(1, "vtF", 1);
    }
}

TEST(wrong_after_continuous_load) {
    fake.sustained = true;
    assert_run(0, "vtVsV", 2);
    assert_string_equal(fake.rows[1].mode, "sustained");

    fake.wrong_from = 3;
    assert_int_equal(truncate(path, 0), 0);
    assert_run(1, "vtVsV", 1); /* what was measured before it stands */
}

TEST(named_and_skipped) {
    fake.unsupported = true;
    assert_run(EXIT_USAGE, "", 0);
}

/* A small shape drawn before a large one says nothing of the large one's time; in other sweeps what came before does.
 */
TEST(too_slow_at_the_problem_before) {
    fake.gflops = 3.0; /* 1.3 s */
    fake.sweep = SWEEP_SQUARE;
    assert_run(EXIT_USAGE, "", 0);
    fake.sweep = SWEEP_RANDOM;
    assert_run(0, "vtV", 1);
}

/* ---- what is printed beside the table ---- */

static char text[128];

TEST(shares_of_the_peak_and_of_the_clock) {
    device_facts d = {.name = "NVIDIA H200", .cc = 90, .sms = 132, .clock_mhz = 1980};
    device_peaks(&d);
    record r = record_empty();
    bench_workload work = {.peak = d.peak_gflops[DEVICE_F16], .peak_per_mhz = device_peak_at(&d, DEVICE_F16, 1.0)};
    timing_result t = {.ours_ms = {1, 1, 1, 1, 1}, .clock_mhz = 1410};
    work.flops = 0.62 * 989.4e9;
    measure_record(&r, &work, &t);
    assert_string_equal(print_shares(&d, &work, &r, text, sizeof text),
                        "; 62 % of the data sheet's 989 TFLOP/s, 80 % of what 1410 MHz can do"); /* of 762.4 */
    r.clock_mhz = NAN;
    assert_string_equal(print_shares(&d, &work, &r, text, sizeof text), "; 62 % of the data sheet's 989 TFLOP/s");
    r.clock_mhz = 1410;
    work.peak_per_mhz = 0;
    assert_string_equal(print_shares(&d, &work, &r, text, sizeof text), "; 62 % of the data sheet's 989 TFLOP/s");
    r.peak_share = NAN;
    assert_string_equal(print_shares(&d, &work, &r, text, sizeof text), "");
}

TEST(shares_of_a_bandwidth_and_of_an_unknown_gpu) {
    device_facts d = {
        .name = "made up", .cc = 90, .sms = 10, .clock_mhz = 1000, .memory_clock_mhz = 1000, .bus_bits = 64};
    device_peaks(&d);
    record r = record_empty();
    r.peak_share = 0.5;
    r.clock_mhz = 500;
    bench_workload work = {.peak = d.peak_gbps, .peak_of_bytes = true};
    assert_string_equal(print_shares(&d, &work, &r, text, sizeof text), "; 50 % of its clocks' 16.0 GB/s");
    work = (bench_workload){.peak = d.peak_gflops[DEVICE_FP32], .peak_per_mhz = device_peak_at(&d, DEVICE_FP32, 1.0)};
    r.gflops = 640;
    assert_string_equal(print_shares(&d, &work, &r, text, sizeof text),
                        "; 50 % of its clocks' 2.6 TFLOP/s, 50 % of what 500 MHz can do");
}

static const struct fixtures fixtures = {.before = set_up, .after = tear_down};
