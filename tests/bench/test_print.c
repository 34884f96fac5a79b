/* What is printed beside the table. */
#include <math.h>

#include "../unit.h"
#include "bench/measure.h"
#include "bench/print.h"

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

int main(void) {
    return unit_run(NULL, NULL);
}
