/* The multistage kernel for bf16. */
#include "../multistage.cuh"

multistage_choice *multistage_bf16(gemm_layout layout, int *count) {
    return layout == GEMM_TN ? multistage_choices<GEMM_BF16, GEMM_TN>(count)
                             : multistage_choices<GEMM_BF16, GEMM_NN>(count);
}
