#include "gemm/tensor_map.h"

#include <stdint.h>

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* The driver's function, obtained through the runtime: the program does not link with libcuda. */
static encode_tiled find_encode(void) {
    static encode_tiled encode;
    if (encode == NULL) {
        void *found = NULL;
        enum cudaDriverEntryPointQueryResult result;
        if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result) !=
                cudaSuccess ||
            result != cudaDriverEntryPointSuccess)
            return NULL;
        encode = (encode_tiled)found;
    }
    return encode;
}

static CUtensorMapDataType map_type(dtype t) {
    switch (t) {
    case DTYPE_F16:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DTYPE_BF16:
        return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DTYPE_S8:
        return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case DTYPE_S32:
        return CU_TENSOR_MAP_DATA_TYPE_INT32;
    default:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    }
}

static cudaError_t encode(CUtensorMap *map, dtype type, const void *matrix, int rows, int cols, int ld, int box_rows) {
    const encode_tiled function = find_encode();
    if (function == NULL) return cudaErrorNotSupported;
    const size_t size = dtype_size(type);
    const cuuint64_t sides[2] = {(cuuint64_t)cols, (cuuint64_t)rows}, pitch[1] = {(cuuint64_t)ld * size};
    const cuuint32_t box[2] = {(cuuint32_t)(128 / size), (cuuint32_t)box_rows}, every[2] = {1, 1};
    const CUresult result =
        function(map, map_type(type), 2, (void *)matrix, sides, pitch, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                 CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t tensor_map_a(CUtensorMap *map, const gemm_problem *p, int box_rows) {
    return encode(map, gemm_operand_dtype(p->type), p->A, p->m, p->k, p->lda, box_rows);
}

cudaError_t tensor_map_b(CUtensorMap *map, const gemm_problem *p, int box_rows) {
    const int rows = p->layout == GEMM_TN ? p->n : p->k, cols = p->layout == GEMM_TN ? p->k : p->n;
    return encode(map, gemm_operand_dtype(p->type), p->B, rows, cols, p->ldb, box_rows);
}

cudaError_t tensor_map_c(CUtensorMap *map, const gemm_problem *p, int box_rows) {
    return encode(map, p->out, p->C, p->m, p->n, p->ldc, box_rows);
}

cudaError_t tensor_maps_of(tensor_maps *maps, const gemm_problem *p, int a_rows, int b_rows) {
    const cudaError_t error = tensor_map_a(&maps->a, p, a_rows);
    return error == cudaSuccess ? tensor_map_b(&maps->b, p, b_rows) : error;
}
