/* The multistage kernel for s8, which comes only as tn. */
#include "../multistage.cuh"

multistage_choice *multistage_s8(int *count) {
    return multistage_choices<GEMM_S8, GEMM_TN>(count);
}
