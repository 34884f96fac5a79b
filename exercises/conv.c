/* The harness of the exercises on convolutions: one variant, what the reader's exercise.cu defines. What it takes is
 * what its exercise.txt runs it with. */
#include "conv/conv.h"

CONV_VARIANT(exercise);
size_t workspace_exercise(const conv_problem *p) __attribute__((weak));

int main(int argc, char **argv) {
    const conv_variant variants[] = {{.name = "exercise",
                                      .idea = "what you edit",
                                      .launch = launch_conv_exercise,
                                      .kernel = kernel_conv_exercise,
                                      .workspace = workspace_exercise}};
    return conv_step_main(argc, argv, "exercise", variants, ARRAY_SIZE(variants));
}
