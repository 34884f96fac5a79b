/* A step of all types and layouts: correct variants, and variants with one fault each. */

#include "gemm/gemm.h"

#include "faults.h"

static const char *nowhere(const device_facts *device) {
    return "needs what no device has";
}

static const char *takes_s8(const gemm_problem *p) {
    return p->type == GEMM_S8 && p->layout == GEMM_TN ? NULL : "takes s8 and tn";
}

static const char *says_where(const gemm_problem *p) {
    const uintptr_t row = (uintptr_t)p->ldc * dtype_size(p->out);
    return (uintptr_t)p->C % 16 != 0 || row % 16 != 0 ? "rows of C do not begin on 16 bytes" : NULL;
}

/* A once more, its rows tight. */
static size_t room_for_a(const gemm_problem *p) {
    return (size_t)p->m * (size_t)p->k * dtype_size(gemm_operand_dtype(p->type));
}

FAULTS(GEMM_VARIANT_DECLARED)

/* Writes where there is no memory. */
static cudaError_t launch_faulty(const gemm_problem *p, cudaStream_t stream) {
    gemm_problem nowhere = *p;
    nowhere.C = (void *)16;
    return launch_plain(&nowhere, stream);
}

static const gemm_variant variants[] = {
    FAULTS(GEMM_VARIANT_ROW){
        .name = "nowhere", .idea = "on no device", .launch = launch_plain, .kernel = kernel_plain, .supports = nowhere},
    {.name = "only_s8", .idea = "takes s8 and tn", .launch = launch_plain, .kernel = kernel_plain, .refuses = takes_s8},
    {.name = "faulty", .idea = "an illegal address", .launch = launch_faulty, .kernel = kernel_plain},
};

static bool right(const device_facts *device, FILE *out) {
    fprintf(out, "as it should be on sm_%d\n", device->cc);
    return true;
}

static bool wrong(const device_facts *device, FILE *out) {
    fprintf(out, "not as it should be\n");
    return false;
}

static const gemm_show shows[] = {
    {"right", "shows what is right", right, NULL},
    {"wrong", "shows what is wrong", wrong, NULL},
    {"nowhere", "shows nothing", wrong, nowhere},
};

int main(int argc, char **argv) {
    static const gemm_type types[] = {GEMM_F16, GEMM_BF16, GEMM_TF32, GEMM_S8, GEMM_F32, GEMM_TF32X3};
    static const gemm_layout layouts[] = {GEMM_TN, GEMM_NN};
    static const gemm_offer offer = {types, ARRAY_SIZE(types), layouts, ARRAY_SIZE(layouts), shows, ARRAY_SIZE(shows)};
    return gemm_step_main(argc, argv, "test_gemm", variants, ARRAY_SIZE(variants), &offer);
}
