/* A step with one correct variant, wrong ones, and one with candidates. */
#include "gemv/gemv.h"

GEMV_VARIANT(plain);
GEMV_VARIANT(reads_y);
GEMV_VARIANT(reads_a);
GEMV_VARIANT(drops_last);
GEMV_VARIANT(writes_past);
GEMV_VARIANT(rounds_products);
cudaError_t launch_refuses(const gemv_problem *p, cudaStream_t stream);

static const char *nowhere(const device_facts *device) {
    (void)device;
    return "needs what no device has";
}

static const gemv_candidate candidates[] = {
    {"n1 r1 u1 v1", 1, 1, 1, 1, launch_refuses, kernel_plain},
    {"n64 r1 u1 v1", 64, 1, 1, 1, launch_plain, kernel_plain},
};

static const gemv_variant variants[] = {
    {"plain", "a thread a row", launch_plain, kernel_plain, NULL, NULL, 0},
    {"tuned", "the same, of two candidates", NULL, NULL, NULL, candidates, ARRAY_SIZE(candidates)},
    {"nowhere", "on no device", launch_plain, kernel_plain, nowhere, NULL, 0},
    {"reads_y", "reads y where beta is 0", launch_reads_y, kernel_reads_y, NULL, NULL, 0},
    {"reads_a", "reads A where alpha is 0", launch_reads_a, kernel_reads_a, NULL, NULL, 0},
    {"drops_last", "leaves out the last product", launch_drops_last, kernel_drops_last, NULL, NULL, 0},
    {"writes_past", "writes behind y", launch_writes_past, kernel_writes_past, NULL, NULL, 0},
    {"rounds_products", "rounds each product", launch_rounds_products, kernel_rounds_products, NULL, NULL, 0},
};

int main(int argc, char **argv) {
    return gemv_step_main(argc, argv, "test_gemv", variants, ARRAY_SIZE(variants));
}
