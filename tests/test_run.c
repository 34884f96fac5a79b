/* One variant at one problem: verified, timed, verified again, recorded. The family and the timing are made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/session.h"
#include "gpu/error.h"

static struct {
    int wrong_from;                  /* verifications from this one on find an error; 0: none does */
    bool differs_after, guard_after; /* several launches have another result, write where they must not */
    bool sustained;                  /* there is a second measurement */
    char log[64]; /* v: verified; V: so, after several launches; t: timed; s: under continuous load */
    char csv[32];
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
    (void)stream;
    assert_int_equal(task->sets, 1);
    return time_it('t', r);
}

cudaError_t timing_sustained(const timing_task *task, double seconds, cudaStream_t stream, timing_result *r) {
    (void)task;
    (void)stream;
    assert_true(seconds == 3.0);
    return time_it('s', r);
}

/* ---- the family ---- */

static void say(const void *problem, char *text, size_t size) {
    snprintf(text, size, "problem %d", *(const int *)problem);
}

static void describe(const session *s, const void *problem, record *r) {
    (void)s;
    r->m = r->n = r->k = *(const int *)problem;
    snprintf(r->dtype, sizeof r->dtype, "f32");
}

static void plan(const session *s, const void *problem, bench_plan *p) {
    (void)s;
    (void)problem;
    *p = (bench_plan){.flops = 4e9,
                      .bytes = NAN,
                      .peak = 4000,
                      .touched = 1,
                      .again = fake.sustained ? "sustained" : NULL,
                      .sustained_s = fake.sustained ? 3.0 : 0.0};
}

static double bytes(const session *s, const void *problem, int sets) {
    (void)s;
    (void)problem;
    return sets;
}

static double memory(const session *s) {
    (void)s;
    return 100.0;
}

static void *create(const session *s, const void *problem, int sets) {
    (void)s;
    (void)problem;
    (void)sets;
    return &fake;
}

static void destroy(void *operands) {
    assert_ptr_equal(operands, &fake);
}

static cudaError_t verify(const session *s, void *operands, const bench_launch *launch, const char *name, FILE *report,
                          verdict *v) {
    (void)s;
    assert_ptr_equal(operands, &fake);
    assert_string_equal(name, "one");
    assert_non_null(report);
    assert_true(launch->launches == 0 || launch->launches > 2);
    note(launch->launches == 0 ? 'v' : 'V');
    int verified = 0;
    for (const char *c = fake.log; *c != '\0'; c++) verified += *c == 'v' || *c == 'V';
    *v = (verdict){.ok = fake.wrong_from == 0 || verified < fake.wrong_from, .worst_share = 0.25, .seconds = NAN};
    return cudaSuccess;
}

/* Of a family with a fingerprint: e, or E after several launches. */
static cudaError_t exact(const session *s, void *operands, const bench_launch *launch, const char *name, FILE *report,
                         verdict *v, uint64_t *fingerprint) {
    (void)s;
    (void)operands;
    (void)name;
    (void)report;
    note(launch->launches == 0 ? 'e' : 'E');
    *v = (verdict){.ok = !fake.guard_after || launch->launches == 0};
    *fingerprint = launch->launches > 0 && fake.differs_after ? 6 : 5;
    return cudaSuccess;
}

static const bench_column columns[] = {{"ms", 8, 3, COLUMN_NUMBER, offsetof(record, ms_median), 1.0, NULL}, {0}};
static const bench_column sizes[] = {{0}};
static bench_family family = {.op = "made_up",
                              .noun = "variant",
                              .problem_size = sizeof(int),
                              .sizes = sizes,
                              .columns = columns,
                              .say = say,
                              .describe = describe,
                              .plan = plan,
                              .bytes = bytes,
                              .memory = memory,
                              .create = create,
                              .destroy = destroy,
                              .verify = verify};

/* ---- a run ---- */

/* Runs the one variant; what the CSV then holds is in fake.rows. Returns how many results were wrong. */
static int run(void) {
    static const int problem = 5;
    bench_variant one = {.name = "one"};
    bool chosen = true;
    double gflops = 0.0;
    session s = {.family = &family, .step = "step00", .variants = &one, .count = 1, .gflops = &gflops};
    s.o.chosen = &chosen;
    s.o.time_s = 0.1;
    s.o.csv = fake.csv;
    assert_int_equal(bench_run(&s, &problem), EXIT_OK);
    free(fake.rows);
    assert_int_equal(record_csv_load(fake.csv, &fake.rows, &fake.count, stderr), 0);
    return s.wrong;
}

static int set_up(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    family.exact = NULL;
    snprintf(fake.csv, sizeof fake.csv, "/tmp/test_run.XXXXXX");
    const int fd = mkstemp(fake.csv);
    return fd < 0 || close(fd) != 0;
}

static int tear_down(void **state) {
    (void)state;
    free(fake.rows);
    return unlink(fake.csv);
}

static void what_was_timed_is_recorded(void **state) {
    (void)state;
    assert_int_equal(run(), 0);
    assert_string_equal(fake.log, "vtV");
    assert_int_equal(fake.count, 1);
    const record *r = fake.rows;
    assert_true(r->ms_median == 2 && r->ms_min == 1 && r->ms_max == 4 && r->ms_low == 1.5 && r->ms_high == 3);
    assert_true(r->gflops == 2000 && r->peak_share == 0.5 && r->pairs == 50 && r->sets == 7);
    assert_true(r->clock_mhz == 1755 && r->power_w == 400 && r->max_err_bound_share == 0.25);
    assert_true(isnan(r->ratio) && isnan(r->ratio_low) && r->calls_tried == -1);
}

static void wrong_before_it_is_timed(void **state) {
    (void)state;
    fake.wrong_from = 1;
    assert_int_equal(run(), 1);
    assert_string_equal(fake.log, "v");
    assert_int_equal(fake.count, 0);
}

/* What launches do to one another when nothing waits between them. */
static void wrong_after_it_was_timed(void **state) {
    (void)state;
    fake.wrong_from = 2;
    assert_int_equal(run(), 1);
    assert_string_equal(fake.log, "vtV");
    assert_int_equal(fake.count, 0);
}

/* The same by the fingerprint of the exact pass, which needs no reference. */
static void differs_after_it_was_timed(void **state) {
    (void)state;
    family.exact = exact;
    assert_int_equal(run(), 0);
    assert_string_equal(fake.log, "vetE");
    assert_int_equal(fake.count, 1);
    for (int way = 0; way < 2; way++) {
        memset(fake.log, 0, sizeof fake.log);
        fake.differs_after = way == 0;
        fake.guard_after = way == 1;
        assert_int_equal(run(), 1);
        assert_string_equal(fake.log, "vetE");
        assert_int_equal(fake.count, 1);
    }
}

static void wrong_after_continuous_load(void **state) {
    (void)state;
    fake.sustained = true;
    assert_int_equal(run(), 0);
    assert_string_equal(fake.log, "vtVsV");
    assert_int_equal(fake.count, 2);
    assert_string_equal(fake.rows[1].mode, "sustained");

    memset(fake.log, 0, sizeof fake.log);
    fake.wrong_from = 3;
    assert_int_equal(truncate(fake.csv, 0), 0);
    assert_int_equal(run(), 1);
    assert_string_equal(fake.log, "vtVsV");
    assert_int_equal(fake.count, 1); /* what was measured before it stands */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_timed_is_recorded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_before_it_is_timed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_after_it_was_timed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(differs_after_it_was_timed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_after_continuous_load, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
