/* What a PTX instruction gives on real hardware, recorded once and compared with ever after.
 *
 * A case is one instruction in one form ("add.rn.ftz.f32"): a kernel that executes it on inputs made by
 * values.c from the case's name alone (so that they need not be stored), and a rule for comparing the output with
 * the recorded one. The tables of cases stand in integer.cu, float.cu, half.cu, convert.cu, memory.cu, warp.cu,
 * control.cu and matrix.cu. conformance.c runs them all: on a GPU with --record, anywhere with --check.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element types of a case's inputs and output. The type picks the special values: zeros, denormals, infinities, NaNs
 * and rounding boundaries for floating point; 0, 1, -1, extremes, powers of two and their neighbours for integers. */
typedef enum value_type {
    V_NONE,   /* this input is not used */
    V_U8, V_S8, V_U16, V_S16, V_U32, V_S32, V_U64, V_S64,
    V_F16, V_BF16, V_F32, V_F64,
    V_F16X2, V_BF16X2, V_U16X2, V_S16X2,
    V_SHIFT,  /* uint32_t: 0..70, 255, 256, 2^31, 2^32 - 1 */
    V_SMALL,  /* uint32_t: 0..31 */
    V_ANGLE   /* float in -pi..pi, and infinities and NaNs: where sin.approx and cos.approx promise something */
} value_type;

/* d[i] = instruction(a[i], b[i], c[i]) for i in 0..n-1 with thread i (guarded: i < n). Custom cases (grid > 0) do what
 * they like with the same arguments. */
typedef void (*conformance_kernel)(const void *a, const void *b, const void *c, void *d, int n);

typedef struct conformance_case {
    const char *name;           /* the instruction as written in PTX; unique; "name/variant" where one is not enough */
    conformance_kernel kernel;
    value_type a, b, c, d;
    int n;                      /* inputs and outputs; 0: the default (conformance.c) */
    int grid, block;            /* custom launch; 0: enough blocks of 128 threads for n */
    int shared_bytes;           /* dynamic shared memory of a custom launch */
    int ulps;                   /* 0: bit for bit; > 0: an .approx instruction: at most so many units in the last place
                                   between this result and the recorded one (signs of zero, NaN and Inf must agree);
                                   < 0: an absolute error of 2^ulps, times the recorded result where that is above 1
                                   (NaN and Inf must agree) */
} conformance_case;

typedef struct conformance_table {
    const char *family;
    const conformance_case *cases;
    int count;
} conformance_table;

extern const conformance_table conformance_integer, conformance_float, conformance_half, conformance_convert,
    conformance_memory, conformance_warp, conformance_control, conformance_cluster, conformance_async,
    conformance_matrix, conformance_wgmma;

/* Makes the tensor maps of async.cu; NULL, or what went wrong. */
const char *conformance_async_prepare(void);

#ifdef __cplusplus
}
#endif
