#include "tensor/tensor_map.h"

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef CUresult (*encode_im2col)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                  const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t,
                                  const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                  CUtensorMapFloatOOBfill);

/* The driver's function, obtained through the runtime: the program does not link with libcuda. *known is NULL, or it.
 */
static void *driver_function(const char *name, void **known) {
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult result;
    if (*known == NULL &&
        cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result) == cudaSuccess &&
        result == cudaDriverEntryPointSuccess)
        *known = found;
    return *known;
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

static CUtensorMapSwizzle swizzle_of(const tensor_outline *a) {
    return a->width == 32   ? CU_TENSOR_MAP_SWIZZLE_32B
           : a->width == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                            : CU_TENSOR_MAP_SWIZZLE_128B;
}

cudaError_t tensor_map_tiled(CUtensorMap *map, const tensor_outline *a, const cuuint32_t *box) {
    static void *known;
    static const cuuint32_t every[5] = {1, 1, 1, 1, 1};
    const encode_tiled encode = (encode_tiled)driver_function("cuTensorMapEncodeTiled", &known);
    if (encode == NULL) return cudaErrorNotSupported;
    const CUresult result = encode(map, map_type(a->type), (cuuint32_t)a->rank, (void *)a->address, a->sides,
                                   a->pitches, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(a),
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t tensor_map_im2col(CUtensorMap *map, const tensor_outline *a, const int lower[2], const int upper[2],
                              const cuuint32_t steps[2], int pixels) {
    static void *known;
    const cuuint32_t every[4] = {1, steps[0], steps[1], 1}, channels = (cuuint32_t)(128 / dtype_size(a->type));
    const encode_im2col encode = (encode_im2col)driver_function("cuTensorMapEncodeIm2col", &known);
    if (encode == NULL) return cudaErrorNotSupported;
    const CUresult result =
        encode(map, map_type(a->type), 4, (void *)a->address, a->sides, a->pitches, lower, upper, channels,
               (cuuint32_t)pixels, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
