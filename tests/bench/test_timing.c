/* Measuring single launches and graphs of them, in rounds, and under continuous load. */
#include "timing_case.h"

/* ---- tests ---- */

static int launches_logged(void) {
    int count = 0;
    for (int i = 0; i < fake.logged; i++) count += fake.log[i].what == LAUNCH;
    return count;
}

TEST(times_and_ratio) {
    set_up(100, 130, 4);
    run();
    assert_string_equal(result.mode, "events");
    assert_all_near(result.ours_ms, 0.1);
    assert_all_near(result.baseline_ms, 0.13);
    assert_all_near(result.ratio, 1.3);

    set_up(10, 8, 4);
    run();
    assert_string_equal(result.mode, "graph");
    assert_int_equal(launches_a_sample(0), 66);                /* whole rounds of three sets */
    assert_true(fabs(result.ours_ms.median - 0.010) < 0.0001); /* a graph's own launch is in it at most */
    assert_true(fabs(result.ratio.median - 0.8) < 0.01);
}

/* The ratio is one of neighbours, in both orders, so clocks that change do not change it. */
TEST(clocks_that_drift) {
    set_up(100, 150, 3);
    fake.step = 1.001;
    run();
    assert_true(result.ours_ms.max > 1.1 * result.ours_ms.min);
    assert_true(fabs(result.ratio.median - 1.5) < 0.001); /* A B: 1.5; B A: 1.5 / 1.001 */
    assert_true(result.ratio.max - result.ratio.min < 0.002);
    const stats_summary s = result.ours_ms; /* the median's interval, of six parts of the time */
    assert_true(s.min < s.low && s.low < s.median && s.median < s.high && s.high < s.max);

    set_up(50, 25, 3);
    fake.drift = 20.0; /* a share of 0.0025 a pair, 3 times as slow in the end */
    task.budget_s = 0.1;
    run();
    assert_true(result.ours_ms.max > 1.3 * result.ours_ms.min);
    assert_true(fabs(result.ratio.median - 0.5) < 0.002);
    assert_true(result.ratio.max - result.ratio.min < 0.002);

    set_up(12, 18, 3); /* graphs */
    fake.step = 1.01;
    fake.overhead = 0.0;
    task.budget_s = 0.2;
    run();
    assert_string_equal(result.mode, "graph");
    assert_true(result.ours_ms.max > 1.1 * result.ours_ms.min);
    assert_true(fabs(result.ratio.median - 1.5) < 0.008);
}

/* A kernel whose time depends on where its operands lie: the interval is that of the places, each of which has its part
 * of the pairs, in both orders; without places it has no width. */
TEST(rounds_in_other_places) {
    static const double places[TIMING_ROUNDS] = {1.00, 1.04, 1.00, 1.01, 1.00, 0.98},
                        same[TIMING_ROUNDS] = {1, 1, 1, 1, 1, 1};
    const struct {
        double us, budget_s;
        int pairs;
        const char *mode;
    } cases[] = {
        {100, 0.05, 168, "events"}, {10, 0.05, 36, "graph"}, {300000, 1.0, 6, "events"}, {100, 60, 396, "events"}};
    for (int c = 0; c < ARRAY_SIZE(cases); c++)
        for (int way = 0; way < 4; way++) {
            set_up(cases[c].us, 2 * cases[c].us, 3);
            fake.overhead = 0.0;
            fake.places = way & 1 ? same : places;
            if (way & 2) task.restore = restore;
            task.move = move;
            task.budget_s = cases[c].budget_s;
            assert_int_equal(timing_run(&task, the_stream, &result), cudaSuccess);
            assert_nothing_left();
            assert_int_equal(fake.moves, TIMING_ROUNDS - 1);
            assert_string_equal(result.mode, cases[c].mode);
            if ((way & 2) == 0) assert_in_range(result.pairs + 12, cases[c].pairs, cases[c].pairs + 12);
            assert_int_equal(result.pairs % TIMING_ROUNDS, 0);
            for (int n = 0; n < 2 * result.pairs; n++) {
                const int at = fake.intervals[fake.interval_count - 2 * result.pairs + n].begin;
                assert_int_equal(fake.log[at].side, side_of(n));
            }
            const double ms = cases[c].us / 1e3;
            assert_near(result.ours_ms.median, ms);
            assert_near(result.ours_ms.low, way & 1 ? ms : 0.98 * ms);
            assert_near(result.ours_ms.high, way & 1 ? ms : 1.04 * ms);
            assert_all_near(result.baseline_ms, 2 * ms);
            assert_near(result.ratio.low, way & 1 ? 2.0 : 2.0 / 1.04);
            assert_near(result.ratio.high, way & 1 ? 2.0 : 2.0 / 0.98);
            assert_true(result.clock_mhz >= 1.0);
        }
    set_up(300000, 300000, 2); /* six pairs take no longer than they did: a pair in each place to warm up */
    task.move = move;
    task.budget_s = 0.3;
    assert_int_equal(timing_run(&task, the_stream, &result), cudaSuccess);
    assert_true(launches_logged() <= 25 + 10);
}

/* From the warm-up on the stream never waits for the host; nor does it where pairs are of a few microseconds. */
TEST(no_pause) {
    const double costs[][2] = {{100, 130}, {10, 8}, {60000, 70000}, {25, 30}};
    for (int i = 0; i < ARRAY_SIZE(costs); i++) {
        set_up(costs[i][0], costs[i][1], 3);
        fake.overhead = 1 * US;
        run();
        const double of_estimates = 4 * 40 * fake.overhead; /* two of 32 launches a side, and two single ones */
        assert_true(fake.idle <= of_estimates + 10 * fake.overhead);
    }
}

/* The host is interrupted between an event and a launch: a short kernel is none the longer for it. */
TEST(an_interruption) {
    for (int at = 1; at <= 6; at++) {
        set_up(7, 7, 3);
        fake.interrupted_at = at;
        run();
        assert_string_equal(result.mode, "graph");
    }
}

TEST(mode_is_the_kernels_own) {
    const struct {
        double ours_us, baseline_us, overhead_us;
        const char *mode;
    } cases[] = {{20.5, 20.5, 0, "events"}, {19.5, 30, 0, "graph"},   {30, 19.5, 0, "graph"},  {13, 13, 5, "graph"},
                 {17, 50, 5, "graph"},      {50, 17, 5, "graph"},     {17, 17, 8, "graph"},    {10, 10, 25, "graph"},
                 {2, 500, 150, "graph"},    {25, 25, 5, "events"},    {21, 21, 30, "events"},  {250, 250, 5, "events"},
                 {150, 150, 150, "events"}, {1, 100000, 5, "graph"},  {100000, 1, 5, "graph"}, {19, 2000, 100, "graph"},
                 {0.5, 0.5, 5, "graph"},    {1000, 1000, 5, "events"}};
    for (int i = 0; i < ARRAY_SIZE(cases); i++)
        for (int way = 0; way < 4; way++) {
            set_up(cases[i].ours_us, cases[i].baseline_us, 3);
            fake.overhead = cases[i].overhead_us * US;
            if (way & 1) task.restore = restore;
            if (way & 2) flush_too();
            task.budget_s = 0.01;
            run();
            assert_string_equal(result.mode, cases[i].mode);
            for (int side = 0; side < 2 && cases[i].mode[0] == 'e'; side++)
                assert_int_equal(launches_a_sample(side), 1);
        }
}

TEST(the_mode_that_is_asked_for) {
    set_up(100, 130, 4);
    task.mode = TIMING_GRAPH;
    run();
    assert_string_equal(result.mode, "graph");
    assert_all_near(result.ours_ms, 0.1);
    set_up(10, 8, 4);
    fake.overhead = 0.0;
    task.mode = TIMING_EVENTS;
    run();
    assert_string_equal(result.mode, "events");
    assert_all_near(result.ratio, 0.8);
    assert_false(fake.captured.live); /* never captured, not to estimate either */
}

TEST(a_graph_has_no_end_of_work) {
    set_up(5, 10000, 2);
    task.budget_s = 0.1;
    run();
    assert_int_equal(launches_a_sample(0), 64);
    assert_in_range(launches_a_sample(1), 2, 6); /* 50 ms, whole rounds */
    assert_all_near(result.baseline_ms, 10.0);
    assert_true(fabs(result.ratio.median - 2000.0) < 50.0);
    set_up(5, 10000, 64);
    task.budget_s = 0.1;
    run();
    assert_int_equal(launches_a_sample(1), 63); /* each set once: cold matters more */
}

TEST(cold_operands) {
    const int sets[] = {1, 2, 3, 41, 46, 64, 100, 512};
    const double costs[][2] = {{100, 120}, {4, 10}, {15, 3000}, {1000, 2}};
    for (int i = 0; i < ARRAY_SIZE(sets); i++)
        for (int c = 0; c < ARRAY_SIZE(costs); c++)
            for (int way = 0; way < 8; way++) {
                set_up(costs[c][0], costs[c][1], sets[i]);
                fake.overhead = 1 * US;
                if (way & 1) flush_too();
                if (way & 2) task.restore = restore;
                if (way & 4) task.baseline.launch = NULL;
                task.budget_s = 0.02;
                run();
            }
}

TEST(pairs_fit_the_budget) {
    const struct {
        double ours_us, baseline_us, budget_s;
        int low, high;
    } cases[] = {{1000, 2000, 0.3, 98, 100}, {1000, 2000, 0.03, 10, 10}, {1000, 2000, 0.0, 6, 6},
                 {1000, 2000, 0.011, 6, 6},  {1000, 2000, 60, 400, 400}, {10, 10, 0.128, 96, 100},
                 {10, 10, 0.001, 6, 6},      {10, 10, 60, 400, 400},     {300000, 300000, 0.5, 6, 6},
                 {300000, 300000, 4.9, 8, 8}};
    for (int i = 0; i < ARRAY_SIZE(cases); i++) {
        set_up(cases[i].ours_us, cases[i].baseline_us, 2);
        task.budget_s = cases[i].budget_s;
        run();
        assert_in_range(result.pairs, cases[i].low, cases[i].high);
        assert_int_equal(result.pairs * 2, fake.interval_count - (cases[i].ours_us < 200 ? 8 : 4));
    }
    set_up(300000, 300000, 2);
    run();
    assert_true(launches_logged() <= 25); /* four estimates, two batches of two pairs, six pairs, one for the clock */
    assert_true(fake.host - 1000.0 < 25 * 0.301);

    set_up(1000, 2000, 2); /* warmed up for 0.1 s before the first that counts */
    task.budget_s = 0;
    run();
    double before = 0.0;
    for (int i = first_sample(2); i < fake.intervals[fake.interval_count - 12].begin; i++) before += fake.log[i].cost;
    assert_true(before >= 0.09 && before <= 0.12);
}

/* Launches with nothing between them, not even an event. */
TEST(chains) {
    const struct {
        double ours_us, baseline_us;
        int launches;
    } cases[] = {{100, 130, 64}, {10, 8, 64}, {2000, 3000, 25}, {300000, 200000, 4}};
    for (int c = 0; c < ARRAY_SIZE(cases); c++) {
        set_up(cases[c].ours_us, cases[c].baseline_us, 1);
        fake.overhead = 1 * US;
        task.mode = TIMING_CHAIN;
        run();
        assert_string_equal(result.mode, "chain");
        assert_true(fabs(result.ratio.median / (cases[c].baseline_us / cases[c].ours_us) - 1.0) < 0.001);
        const int n = fake.interval_count - 2 * result.pairs; /* the first of ours */
        assert_int_equal(fake.intervals[n].end - fake.intervals[n].begin, cases[c].launches);
    }
}

/* Of ours alone, which check_log asserts of every run; under load of both. */
TEST(the_clock_is_of_ours) {
    set_up(1000, 2000, 2); /* one of many short ones */
    task.hot = true;
    assert_int_equal(timing_run(&task, the_stream, &result), cudaSuccess);
    assert_true(isnan(result.clock_mhz));
    for (int i = 0; i < fake.logged; i++) assert_int_not_equal(fake.log[i].what, PROBE);
    set_up(100, 130, 2);
    sustain(1.0);
    assert_true(result.clock_mhz > 2000.0 && result.clock_mhz < 5000.0); /* both sides, most of half a second */
}

TEST(no_baseline) {
    const double costs[] = {100, 10};
    for (int i = 0; i < 2; i++) {
        set_up(costs[i], 1, 3);
        task.baseline.launch = NULL;
        run();
        assert_string_equal(result.mode, i == 0 ? "events" : "graph");
        assert_true(fabs(result.ours_ms.median - costs[i] / 1e3) < 1e-4);
        assert_true(result.pairs >= 3);
    }
}

/* Each call in turn fails: that error is what comes back, and nothing stays behind. */
TEST(every_call_that_can_fail) {
    static const struct {
        double ours_us, baseline_us;
        const char *mode;
    } cases[] = {{60000, 70000, "events"}, {15, 60000, "graph"}, {19, 18, "graph"}, {30000, 60000, "sustained"}};
    for (int c = 0; c < ARRAY_SIZE(cases); c++)
        for (int way = 0; way < (c == 3 ? 1 : 8); way += c == 0 ? 1 : 7) /* of graphs with none and with all */
            for (int n = 1;; n++) {
                set_up(cases[c].ours_us, cases[c].baseline_us, 2);
                if (way & 4) task.move = move;
                if (way & 1) task.restore = restore;
                if (way & 2) flush_too();
                task.budget_s = 0.0;
                fake.sustained = c == 3;
                fake.fail_at = n;
                const cudaError_t error = fake.sustained ? timing_sustained(&task, 0.1, the_stream, &result)
                                                         : timing_run(&task, the_stream, &result);
                assert_nothing_left();
                if (fake.calls < n) {
                    assert_int_equal(error, cudaSuccess);
                    assert_string_equal(result.mode, cases[c].mode);
                    assert_true(n > 60);
                    break;
                }
                assert_int_equal(error, failure);
            }
}

TEST(not_ready_is_no_error) {
    set_up(1000, 2000, 2);
    sustain(0.5);
    assert_true(fake.not_ready > 3);
    assert_int_equal(cudaGetLastError(), cudaSuccess);

    set_up(1000, 2000, 2); /* but others are */
    fake.query_fails = fake.sustained = true;
    assert_int_equal(timing_sustained(&task, 0.5, the_stream, &result), failure);
    assert_nothing_left();
}

/* ---- continuous load ---- */

/* The launches from `first` on: slices of 50 ms of either side in turn, the sets in turn, and no pause. */
static void check_slices(int first, double idle) {
    double length = 0.0, busy = 0.0;
    int side = fake.log[first].side;
    for (int i = first; i < fake.logged; i++) {
        busy += fake.log[i].cost;
        if (fake.log[i].what == PROBE) continue;
        if (i > first && fake.log[i].operation != fake.log[i - 1].operation && task.sets > 1 && fake.log[i].cost > 2e-5)
            assert_int_equal(fake.log[i].set, (fake.log[i - 1].set + 1) % sets_taken());
        assert_int_equal(fake.log[i].what, LAUNCH);
        if (fake.log[i].side != side) { /* after the first, two slices of a side follow one another */
            assert_true((length > 0.044 && length < 0.056) || (length > 0.088 && length < 0.112));
            side = fake.log[i].side;
            length = 0.0;
        }
        length += fake.log[i].cost;
    }
    assert_true(busy > idle * (fake.stream - 1000.0));
}

TEST(sustained_load) {
    set_up(100, 130, 4);
    sustain(2.0);
    assert_all_near(result.ours_ms, 0.1);
    assert_all_near(result.baseline_ms, 0.13);
    assert_all_near(result.ratio, 1.3);
    assert_in_range(result.pairs, 9, 13); /* of 20, the second half */
    assert_true(fake.host - 1000.0 > 1.9 && fake.host - 1000.0 < 2.5);
    check_slices(fake.intervals[7].end, 0.95); /* behind four estimates a side */

    set_up(10, 8, 4); /* graphs */
    sustain(1.0);
    assert_true(fabs(result.ratio.median - 0.8) < 0.01);
    check_slices(fake.intervals[7].end, 0.9);

    set_up(70000, 130000, 2); /* a launch a slice */
    sustain(0.5);
    assert_all_near(result.ours_ms, 70);
    assert_true(result.pairs >= 3);

    set_up(100, 1, 3);
    task.baseline.launch = NULL;
    sustain(1.0);
    assert_all_near(result.ours_ms, 0.1);
    assert_true(isnan(result.ratio.median) && isnan(result.baseline_ms.median));
    for (int k = 0; k < fake.logged; k++) assert_int_not_equal(fake.log[k].side, 1);
}

/* What counts is how it runs in the end. */
TEST(sustained_load_settles) {
    set_up(100, 150, 3);
    fake.drift = 0.5;
    sustain(4.0);
    assert_true(result.ours_ms.min >= 0.1 * 1.9);
    assert_true(result.ours_ms.max <= 0.1 * 3.3);
    assert_true(fabs(result.ratio.median - 1.5) < 0.05);
}

/* The power is read over all of the half that counts, however long that is. */
TEST(sustained_load_is_metered_to_its_end) {
    set_up(30000, 60000, 2);
    fake.metered = true;
    sustain(30.0);
    assert_true(fabs(result.power_w - 22.5) < 0.5);
}

/* NVML's power is an average over a second: of a shorter measurement none is told. */
TEST(short_measurements_have_no_power) {
    set_up(1000, 2000, 2);
    fake.metered = true;
    assert_int_equal(timing_run(&task, the_stream, &result), cudaSuccess);
    assert_true(isnan(result.power_w));
}

/* Where launches wait for the stream all has ended when the last is enqueued. */
TEST(launches_that_wait_are_metered) {
    set_up(1000, 2000, 2);
    fake.metered = fake.waits = true;
    sustain(1.0);
    assert_true(result.power_w > 0.5 && result.power_w < 1.1);
}

static const struct fixtures fixtures = {.last = free_log};
