/* Step 9: convolutions, which are products of matrices with another loader. */
#include "best/best.h"
#include "conv/conv.h"

size_t workspace_im2col(const conv_problem *p);
const char *refuses_precomputed(const conv_problem *p);
const char *refuses_hopper(const conv_problem *p);

static const char *needs_cp_async(const device_facts *device) {
    return device->cc >= 80 ? NULL : "cp.async needs compute capability 8.0";
}

static const char *needs_hopper(const device_facts *device) {
    return device->cc == 90 ? NULL : "wgmma needs compute capability 9.0";
}

static const char *f32_nchw(const conv_problem *p) {
    return p->type == DTYPE_F32 && !p->nhwc ? NULL : "takes f32 in nchw";
}

static const char *few_taps(const conv_problem *p) {
    const char *reason = f32_nchw(p);
    return reason != NULL ? reason : refuses_precomputed(p);
}

/* clang-format off */
#define VARIANTS(VARIANT) \
    VARIANT(direct, "a thread an output: two loads a product", .refuses = f32_nchw) \
    VARIANT(im2col, "the windows written out as a matrix, and step 5's best", \
        .supports = needs_cp_async, .refuses = f32_nchw, .workspace = workspace_im2col) \
    VARIANT(implicit, "the matrix is never made: divisions find its elements", .refuses = f32_nchw) \
    VARIANT(precomputed, "offsets from the host in constant memory, padding as bits", .refuses = few_taps) \
    VARIANT(hopper, "TMA finds a tap's pixels (im2col mode), wgmma multiplies them", \
        .supports = needs_hopper, .refuses = refuses_hopper) \
    VARIANT(best, "any type, layout and shape, with a plan", .supports = needs_cp_async, \
        .workspace = workspace_conv_best)
/* clang-format on */
CONV_VARIANTS(VARIANTS)

int main(int argc, char **argv) {
    return conv_step_main(argc, argv, "step09_conv", variants, ARRAY_SIZE(variants));
}
