/* The types of PTX: their names and sizes. */
#include <string.h>

#include "ptx/ptx.h"

static const struct {
    const char *name;
    ptx_type type;
    unsigned size;
} types[] = {{"pred", PTX_PRED, 1}, {"b8", PTX_B8, 1},         {"b16", PTX_B16, 2}, {"b32", PTX_B32, 4},
             {"b64", PTX_B64, 8},   {"b128", PTX_B128, 16},    {"u8", PTX_U8, 1},   {"u16", PTX_U16, 2},
             {"u32", PTX_U32, 4},   {"u64", PTX_U64, 8},       {"s8", PTX_S8, 1},   {"s16", PTX_S16, 2},
             {"s32", PTX_S32, 4},   {"s64", PTX_S64, 8},       {"f16", PTX_F16, 2}, {"f16x2", PTX_F16X2, 4},
             {"bf16", PTX_BF16, 2}, {"bf16x2", PTX_BF16X2, 4}, {"f32", PTX_F32, 4}, {"f64", PTX_F64, 8}};

unsigned ptx_type_size(ptx_type type) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) return types[i].size;
    return 0;
}

ptx_type ptx_type_named(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0) return types[i].type;
    return PTX_NO_TYPE;
}
