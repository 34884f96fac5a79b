/* setmaxnreg: the four warps of a warpgroup hand registers back, or take some (PTX ISA, "Miscellaneous Instructions:
 * setmaxnreg"; sm_90a).
 *
 * A kernel's registers are shared out evenly at its start, as many a thread as it was compiled for. Then a warpgroup
 * that only starts copies gives up most of its, and those that hold accumulators get them: with three warpgroups and
 * 168 a thread, 24 + 2 * 240 = 3 * 168. REGISTERS: 24 to 256, a multiple of 8; all warps of the warpgroup call it. */
#ifndef KL_PTX_SETMAXNREG_CUH
#define KL_PTX_SETMAXNREG_CUH

#include "ptx/sm90.cuh"

template <int REGISTERS> __device__ __forceinline__ void setmaxnreg_dec() {
    KL_SM90A("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

/* Waits until that many are free. */
template <int REGISTERS> __device__ __forceinline__ void setmaxnreg_inc() {
    KL_SM90A("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

#endif
