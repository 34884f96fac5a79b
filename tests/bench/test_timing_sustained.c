/* Measuring under continuous load. */
#include "timing_case.h"

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

TEST(every_call_under_load_that_can_fail) {
    for (int n = 1;; n++) {
        set_up(30000, 60000, 2);
        fake.sustained = true;
        fake.fail_at = n;
        const cudaError_t error = timing_sustained(&task, 0.1, the_stream, &result);
        assert_nothing_left();
        if (fake.calls < n) {
            assert_int_equal(error, cudaSuccess);
            assert_true(n > 60);
            break;
        }
        assert_int_equal(error, failure);
    }
}

int main(void) {
    return unit_run_group(NULL, free_log, NULL, NULL);
}
