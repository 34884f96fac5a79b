/* Step 9: convolutions, which are products of matrices with another loader. */
#include "best/best.h"
#include "conv/conv.h"

size_t workspace_im2col(const conv_problem *p), workspace_winograd(const conv_problem *p);
const char *refuses_precomputed(const conv_problem *p);
const char *refuses_hopper(const conv_problem *p), *refuses_winograd(const conv_problem *p);

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

static bool off_16_bytes(const conv_problem *p) {
    return ((uintptr_t)p->x | (uintptr_t)p->f | (uintptr_t)p->y) % 16 != 0;
}

static const char *f32_nhwc(const conv_problem *p) {
    if (p->type != DTYPE_F32 || !p->nhwc) return "takes f32 in nhwc";
    return p->c % 4 == 0 && !off_16_bytes(p) ? NULL : "takes c a multiple of 4 and operands aligned to 16 bytes";
}

static const char *f16_nhwc(const conv_problem *p) {
    if (p->type == DTYPE_F32 || !p->nhwc) return "takes f16 and bf16 in nhwc";
    return p->c % 8 == 0 && !off_16_bytes(p) ? NULL : "takes c a multiple of 8 and operands aligned to 16 bytes";
}

static const char *small_filters(const conv_problem *p) {
    const char *reason = f32_nchw(p);
    return reason != NULL ? reason : refuses_winograd(p);
}

/* clang-format off */
#define VARIANTS(VARIANT) \
    VARIANT(direct, "a thread an output: two loads a product", .refuses = f32_nchw) \
    VARIANT(im2col, "the windows written out as a matrix, and step 5's best", \
        .supports = needs_cp_async, .refuses = f32_nchw, .workspace = workspace_im2col) \
    VARIANT(implicit, "the matrix is never made: divisions find its elements", .refuses = f32_nchw) \
    VARIANT(precomputed, "offsets from the host in constant memory, padding as bits", .refuses = few_taps) \
    VARIANT(nhwc, "16 bytes a load, an address a tap", .refuses = f32_nhwc) \
    VARIANT(tensorcore, "mma.sync, fed by a ring of cp.async that fills in the padding", \
        .supports = needs_cp_async, .refuses = f16_nhwc) \
    VARIANT(hopper, "TMA finds a tap's pixels (im2col mode), wgmma multiplies them", \
        .supports = needs_hopper, .refuses = refuses_hopper) \
    VARIANT(winograd, "3x3 filters: 16 products for 36, in matrices that are written out", \
        .refuses = small_filters, .workspace = workspace_winograd, .bound = VERIFY_WINOGRAD) \
    VARIANT(best, "any type, layout and shape, with a plan", .supports = needs_cp_async, \
        .workspace = workspace_conv_best)
/* clang-format on */
CONV_VARIANTS(VARIANTS)

int main(int argc, char **argv) {
    return conv_step_main(argc, argv, "step09_conv", variants, ARRAY_SIZE(variants));
}
