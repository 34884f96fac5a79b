/* A step of all types and layouts: correct variants, and variants with one fault each. */
#include <stdint.h>

#include "gemm/gemm.h"

GEMM_VARIANT(plain);
GEMM_VARIANT(reads_a);
GEMM_VARIANT(reads_c);
GEMM_VARIANT(drops_last);
GEMM_VARIANT(drops_round);
GEMM_VARIANT(short_sum);
GEMM_VARIANT(rounds_operands);
GEMM_VARIANT(drops_small);
GEMM_VARIANT(rounds_twice);
GEMM_VARIANT(other_layout);
GEMM_VARIANT(forgets_ldb);
GEMM_VARIANT(saturates);
GEMM_VARIANT(writes_past);
GEMM_VARIANT(writes_padding);
GEMM_VARIANT(writes_a);
GEMM_VARIANT(skips_corner);
GEMM_VARIANT(by_workspace);
GEMM_VARIANT(reads_workspace);
GEMM_VARIANT(writes_past_workspace);

static const char *nowhere(const device_facts *device) {
    (void)device;
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

static const gemm_variant variants[] = {
    {"plain", "a thread an element", launch_plain, kernel_plain, NULL, NULL, says_where, NULL},
    {"nowhere", "on no device", launch_plain, kernel_plain, nowhere, NULL, NULL, NULL},
    {"only_s8", "takes s8 and tn", launch_plain, kernel_plain, NULL, takes_s8, NULL, NULL},
    {"reads_a", "reads A where alpha is 0", launch_reads_a, kernel_reads_a, NULL, NULL, NULL, NULL},
    {"reads_c", "reads C where beta is 0", launch_reads_c, kernel_reads_c, NULL, NULL, NULL, NULL},
    {"drops_last", "leaves out the last product", launch_drops_last, kernel_drops_last, NULL, NULL, NULL, NULL},
    {"drops_round", "leaves out the last k % 16", launch_drops_round, kernel_drops_round, NULL, NULL, NULL, NULL},
    {"short_sum", "accumulates in too short a type", launch_short_sum, kernel_short_sum, NULL, NULL, NULL, NULL},
    {"rounds_operands", "rounds A and B to BF16", launch_rounds_operands, kernel_rounds_operands, NULL, NULL, NULL,
     NULL},
    {"drops_small", "TF32X3 of two products", launch_drops_small, kernel_drops_small, NULL, NULL, NULL, NULL},
    {"rounds_twice", "rounds C to BF16 first", launch_rounds_twice, kernel_rounds_twice, NULL, NULL, NULL, NULL},
    {"other_layout", "reads B in the other layout", launch_other_layout, kernel_other_layout, NULL, NULL, NULL, NULL},
    {"forgets_ldb", "takes B's rows for tight", launch_forgets_ldb, kernel_forgets_ldb, NULL, NULL, NULL, NULL},
    {"saturates", "sums of s8 end at 2^15", launch_saturates, kernel_saturates, NULL, NULL, NULL, NULL},
    {"writes_past", "writes behind C", launch_writes_past, kernel_writes_past, NULL, NULL, NULL, NULL},
    {"writes_padding", "writes between C's rows", launch_writes_padding, kernel_writes_padding, NULL, NULL, NULL, NULL},
    {"writes_a", "changes A", launch_writes_a, kernel_writes_a, NULL, NULL, NULL, NULL},
    {"skips_corner", "does not write C's last element", launch_skips_corner, kernel_skips_corner, NULL, NULL, NULL,
     NULL},
    {"by_workspace", "copies A first", launch_by_workspace, kernel_by_workspace, NULL, NULL, NULL, room_for_a},
    {"reads_workspace", "takes the workspace for empty", launch_reads_workspace, kernel_reads_workspace, NULL, NULL,
     NULL, room_for_a},
    {"writes_past_workspace", "copies more than all of A", launch_writes_past_workspace, kernel_writes_past_workspace,
     NULL, NULL, NULL, room_for_a},
};

static bool right(const device_facts *device, FILE *out) {
    fprintf(out, "as it should be on sm_%d\n", device->cc);
    return true;
}

static bool wrong(const device_facts *device, FILE *out) {
    (void)device;
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
