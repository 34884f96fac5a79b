#include "gemm/gemm.h"

const char *gemm_type_name(gemm_type type) {
    static const char *const names[] = {[GEMM_F32] = "f32",   [GEMM_F16] = "f16", [GEMM_BF16] = "bf16",
                                        [GEMM_TF32] = "tf32", [GEMM_S8] = "s8",   [GEMM_TF32X3] = "tf32x3"};
    return names[type];
}

const char *gemm_layout_name(gemm_layout layout) {
    return layout == GEMM_TN ? "tn" : "nn";
}

dtype gemm_operand_dtype(gemm_type type) {
    static const dtype types[] = {[GEMM_F32] = DTYPE_F32,  [GEMM_F16] = DTYPE_F16, [GEMM_BF16] = DTYPE_BF16,
                                  [GEMM_TF32] = DTYPE_F32, [GEMM_S8] = DTYPE_S8,   [GEMM_TF32X3] = DTYPE_F32};
    return types[type];
}

int gemm_outs(gemm_type type, dtype outs[2]) {
    const dtype operands = gemm_operand_dtype(type);
    outs[0] = type == GEMM_S8 ? DTYPE_S32 : operands;
    outs[1] = DTYPE_F32;
    return type == GEMM_F16 || type == GEMM_BF16 ? 2 : 1;
}

size_t gemm_workspace(const gemm_variant *v, const gemm_problem *p) {
    if (v->workspace == NULL || (v->refuses != NULL && v->refuses(p) != NULL)) return 0;
    return v->workspace(p);
}
