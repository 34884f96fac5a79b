/* setmaxnreg: the four warps of a warpgroup release registers, or acquire more (PTX ISA, "Miscellaneous Instructions:
 * setmaxnreg"; sm_90a).
 *
 * At the start of a kernel every thread gets as many registers as the kernel was compiled for. Then a warpgroup that
 * only starts copies gives up most of its registers to those that hold accumulators: with three warpgroups and 168 per
 * thread, 24 + 2 * 240 = 3 * 168. REGISTERS: 24 to 256, a multiple of 8; all warps of the warpgroup call it. */
#pragma once

#include "ptx/sm90.cuh"

template <int REGISTERS> __device__ __forceinline__ void setmaxnreg_dec() {
    KL_SM90A("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

/* Waits until that many are available. */
template <int REGISTERS> __device__ __forceinline__ void setmaxnreg_inc() {
    KL_SM90A("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}
