/* A step with one correct variant, wrong ones, and one with candidates. */
#include "gemv/gemv.h"

#include "faults.h"

FAULTS(GEMV_VARIANT_DECLARED)
cudaError_t launch_refuses(const gemv_problem *p, cudaStream_t stream);

static const char *nowhere(const device_facts *device) {
    return "needs what no device has";
}

static const gemv_candidate candidates[] = {
    {"n1 r1 u1 v1", 1, 1, 1, 1, launch_refuses, kernel_plain},
    {"n64 r1 u1 v1", 64, 1, 1, 1, launch_plain, kernel_plain},
};

static const gemv_variant variants[] = {
    FAULTS(GEMV_VARIANT_ROW){.name = "tuned",
                             .idea = "the same, of two candidates",
                             .candidates = candidates,
                             .candidate_count = ARRAY_SIZE(candidates)},
    {.name = "nowhere", .idea = "on no device", .launch = launch_plain, .kernel = kernel_plain, .supports = nowhere},
};

int main(int argc, char **argv) {
    return gemv_step_main(argc, argv, "test_gemv", variants, ARRAY_SIZE(variants));
}
