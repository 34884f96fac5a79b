/* stmatrix: a warp stores four 8x8 matrices of 16-bit elements from registers to shared memory (PTX ISA, "Warp Level
 * Matrix Store Instruction: stmatrix"; sm_90 and newer).
 *
 * Lane l gives the address of row l % 8 of matrix l / 8: 16 bytes, aligned to 16. Register r of lane l holds row l / 4,
 * columns 2 * (l % 4) and one more, of matrix r: just as mma and wgmma leave their results, once rounded to 16 bits. */
#pragma once

#include <stdint.h>

#include "ptx/sm90.cuh"

__device__ __forceinline__ void stmatrix_x4(uint32_t row, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
    KL_SM90("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(r0), "r"(r1), "r"(r2),
            "r"(r3)
            : "memory");
}

/* The same, each matrix transposed: register r of lane l holds rows 2 * (l % 4) and one more, column l / 4. */
__device__ __forceinline__ void stmatrix_x4_trans(uint32_t row, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
    KL_SM90("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(r0), "r"(r1),
            "r"(r2), "r"(r3)
            : "memory");
}
