/* The harness of the exercises on matrix products: one variant, what the reader's exercise.cu defines. */
#include "gemm/gemm.h"

GEMM_VARIANT(exercise);
/* Only some exercises need a workspace. */
size_t workspace_exercise(const gemm_problem *p) __attribute__((weak));

int main(int argc, char **argv) {
    static const gemm_type types[] = {GEMM_F32, GEMM_F16};
    static const gemm_layout layouts[] = {GEMM_NN, GEMM_TN};
    static const gemm_offer offer = {types, ARRAY_SIZE(types), layouts, ARRAY_SIZE(layouts), NULL, 0};
    const gemm_variant variants[] = {
        {"exercise", "what you edit", launch_exercise, kernel_exercise, NULL, NULL, NULL, workspace_exercise},
    };
    return gemm_step_main(argc, argv, "exercise", variants, ARRAY_SIZE(variants), &offer);
}
