/* The harness of the exercises on a matrix times a vector: one variant, what the reader's exercise.cu defines. */
#include "gemv/gemv.h"

GEMV_VARIANT(exercise);

int main(int argc, char **argv) {
    static const gemv_variant variants[] = {
        {"exercise", "what you edit", launch_exercise, kernel_exercise, NULL, NULL, 0},
    };
    return gemv_step_main(argc, argv, "exercise", variants, ARRAY_SIZE(variants));
}
