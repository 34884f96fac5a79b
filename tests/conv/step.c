/* A step with one correct variant and wrong ones. */
#include "conv/conv.h"

#include "faults.h"

CONV_VARIANTS(FAULTS)

int main(int argc, char **argv) {
    return conv_step_main(argc, argv, "test_conv", variants, ARRAY_SIZE(variants));
}
