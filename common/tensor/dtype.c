#include "tensor/dtype.h"

static const char *const names[] = {
    [DTYPE_F32] = "f32", [DTYPE_F16] = "f16", [DTYPE_BF16] = "bf16", [DTYPE_S8] = "s8", [DTYPE_S32] = "s32"};

const char *dtype_name(dtype t) {
    return names[t];
}

int dtype_named(const char *name, dtype *t) {
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *t = (dtype)i;
        return 1;
    }
    return 0;
}

int dtype_cuda(dtype t) {
    static const int numbers[] = {
        [DTYPE_F32] = 0, [DTYPE_F16] = 2, [DTYPE_S8] = 3, [DTYPE_S32] = 10, [DTYPE_BF16] = 14};
    return numbers[t];
}
