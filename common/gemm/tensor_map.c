#include "gemm/tensor_map.h"

#include "tensor/tensor_map.h"

static cudaError_t encode(CUtensorMap *map, dtype type, const void *matrix, int rows, int cols, int ld, int box_rows,
                          int box_cols) {
    const size_t size = dtype_size(type);
    const tensor_outline outline = {type, matrix, 2, {(cuuint64_t)cols, (cuuint64_t)rows}, {(cuuint64_t)ld * size},
                                    128};
    return tensor_map_tiled(map, &outline, (const cuuint32_t[2]){(cuuint32_t)box_cols, (cuuint32_t)box_rows});
}

/* Elements in 128 bytes. */
static int row_of(dtype type) {
    return 128 / (int)dtype_size(type);
}

cudaError_t tensor_map_a(CUtensorMap *map, const gemm_problem *p, int box_rows) {
    return encode(map, gemm_operand_dtype(p->type), p->A, p->m, p->k, p->lda, box_rows,
                  row_of(gemm_operand_dtype(p->type)));
}

cudaError_t tensor_map_b(CUtensorMap *map, const gemm_problem *p, int box_rows) {
    const int rows = p->layout == GEMM_TN ? p->n : p->k, cols = p->layout == GEMM_TN ? p->k : p->n;
    return encode(map, gemm_operand_dtype(p->type), p->B, rows, cols, p->ldb, box_rows,
                  row_of(gemm_operand_dtype(p->type)));
}

cudaError_t tensor_map_c(CUtensorMap *map, const gemm_problem *p, int box_rows) {
    return tensor_map_c_part(map, p, box_rows, row_of(p->out));
}

cudaError_t tensor_map_c_part(CUtensorMap *map, const gemm_problem *p, int box_rows, int box_cols) {
    return encode(map, p->out, p->C, p->m, p->n, p->ldc, box_rows, box_cols);
}

cudaError_t tensor_maps_of(tensor_maps *maps, const gemm_problem *p, int a_rows, int b_rows) {
    const cudaError_t error = tensor_map_a(&maps->a, p, a_rows);
    return error == cudaSuccess ? tensor_map_b(&maps->b, p, b_rows) : error;
}
