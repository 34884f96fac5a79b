/* ldmatrix: a warp reads 8 x 8 matrices of 16-bit elements from shared memory into the layout that mma.sync wants (PTX
 * ISA, "Warp-level Matrix Instructions: ldmatrix"; sm_75 and newer, SASS: LDSM).
 *
 * A matrix is eight rows of 16 bytes, each anywhere in shared memory on a multiple of 16. Lanes 8i ... 8i + 7 give the
 * addresses of the rows 0 ... 7 of matrix i (x1 uses only lanes 0-7, x2 lanes 0-15, x4 all). Then lane (g, t) = (lane /
 * 4, lane % 4) holds in r[i], of matrix i,
 *
 *   normal:      row g, the 4 bytes from 4t on: elements (g, 2t) and (g, 2t + 1), the first in the lower half
 *   .trans:      elements (2t, g) and (2t + 1, g): the transposed matrix
 *
 * Without .trans the elements need not be 16 bits wide: four s8 or one tf32 work as well. All 32 lanes must take part.
 * A matrix takes one wavefront if its eight rows lie in different 16 bytes of 128, that is, banks. */
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
#define KL_LDMATRIX(...) asm volatile(__VA_ARGS__)
#else
#define KL_LDMATRIX(...) __trap()
#endif

/* `row`: the shared-space address (shared_address of cp_async.cuh) of this lane's row. */
__device__ __forceinline__ void ldmatrix_x1(unsigned r[1], unsigned row) {
    KL_LDMATRIX("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(row) : "memory");
}

__device__ __forceinline__ void ldmatrix_x2(unsigned r[2], unsigned row) {
    KL_LDMATRIX("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                : "=r"(r[0]), "=r"(r[1])
                : "r"(row)
                : "memory");
}

__device__ __forceinline__ void ldmatrix_x4(unsigned r[4], unsigned row) {
    KL_LDMATRIX("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                : "r"(row)
                : "memory");
}

/* The same, each matrix transposed. */
__device__ __forceinline__ void ldmatrix_x1_trans(unsigned r[1], unsigned row) {
    KL_LDMATRIX("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(row) : "memory");
}

__device__ __forceinline__ void ldmatrix_x2_trans(unsigned r[2], unsigned row) {
    KL_LDMATRIX("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                : "=r"(r[0]), "=r"(r[1])
                : "r"(row)
                : "memory");
}

__device__ __forceinline__ void ldmatrix_x4_trans(unsigned r[4], unsigned row) {
    KL_LDMATRIX("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                : "r"(row)
                : "memory");
}
