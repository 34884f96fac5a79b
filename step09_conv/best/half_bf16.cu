/* The instances of half.cuh for bf16. */
#include "half.cuh"

half_choice *half_choices_bf16(void) {
    return half_choices<GEMM_BF16>();
}
