/* The harness of the exercises on convolutions: one variant in f32 and nchw, what the reader's exercise.cu defines. */
#include "conv/conv.h"

CONV_VARIANT(exercise);
size_t workspace_exercise(const conv_problem *p) __attribute__((weak));

static const char *f32_nchw(const conv_problem *p) {
    return p->type == DTYPE_F32 && !p->nhwc ? NULL : "takes f32 in nchw";
}

int main(int argc, char **argv) {
    const conv_variant variants[] = {{.name = "exercise",
                                      .idea = "what you edit",
                                      .launch = launch_conv_exercise,
                                      .kernel = kernel_conv_exercise,
                                      .refuses = f32_nchw,
                                      .workspace = workspace_exercise}};
    return conv_step_main(argc, argv, "exercise", variants, ARRAY_SIZE(variants));
}
