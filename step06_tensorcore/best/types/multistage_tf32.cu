/* The multistage kernel for tf32. */
#include "../multistage.cuh"

multistage_choice *multistage_tf32(gemm_layout layout, int *count) {
    return layout == GEMM_TN ? multistage_choices<GEMM_TF32, GEMM_TN>(count)
                             : multistage_choices<GEMM_TF32, GEMM_NN>(count);
}
