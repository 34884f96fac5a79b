/* The persistent kernel for bf16. */
#include "../persistent_tiles.cuh"

persistent_choice *persistent_bf16(gemm_layout layout) {
    return layout == GEMM_TN ? persistent_choices<GEMM_BF16, GEMM_TN>() : persistent_choices<GEMM_BF16, GEMM_NN>();
}
