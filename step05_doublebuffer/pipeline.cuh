/* The loop of cp_async, for the rungs with another multiply() or another place of a tile. */
#pragma once

/* The block's tile of C at (row0, col0), of which this thread's results begin at (row, col). */
static __device__ __forceinline__ void compute_tile(const sgemm_problem &p, stage *stages, int row0, int col0, int row,
                                                    int col) {
    source from = first_tile(p, row0, col0);
    for (int t = 0; t < STAGES - 1; t++) {
        copy_tile(p, &from, &stages[t]);
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    float a_reg[2][TM], b_reg[2][TN], c_reg[TM][TN] = {};
    shared_to_registers(&stages[0], 0, row, col, a_reg[0], b_reg[0]);

    int tiles = (p.k + BK - 1) / BK;
    for (int t = 0; t < tiles; t++) {
        if (t + STAGES - 1 <= tiles) /* one beyond the last: zeros, which are read but not multiplied */
            copy_tile(p, &from, &stages[(t + STAGES - 1) % STAGES]);
        cp_async_commit(); /* an empty group where there is no tile, so that counting groups counts tiles */
        const stage *now = &stages[t % STAGES];
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == BK - 1) {
                cp_async_wait<STAGES - 2>(); /* my copies of tile t + 1 have landed */
                __syncthreads();             /* so have everyone's, and no one reads tile t any more */
                now = &stages[(t + 1) % STAGES];
            }
            shared_to_registers(now, (k + 1) % BK, row, col, a_reg[(k + 1) % 2], b_reg[(k + 1) % 2]);
            multiply(a_reg[k % 2], b_reg[k % 2], c_reg);
        }
    }

#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            gemm_store4<true>(p, row0 + row + i / 4 * ROW_STEP + i % 4, col0 + col + j / 4 * COL_STEP,
                              make_float4(c_reg[i][j], c_reg[i][j + 1], c_reg[i][j + 2], c_reg[i][j + 3]));
}
