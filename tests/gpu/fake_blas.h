/* cuBLAS and cublasLt made up: what cublas_v2.h and cublasLt.h say, for column-major matrices in host memory. What
 * comes out of the code that calls them must be the row-major product. */
#pragma once

#include "fake_library.h"
#include "tensor/matrix.h"

typedef struct {
    int type;
    uint64_t rows, cols;
    int64_t ld;
} fake_layout;

typedef struct {
    int compute, scale;
    int32_t trans[2];
} fake_desc;

typedef struct {
    uint64_t workspace;
    uint32_t alignment[4];
} fake_preference;

/* As cublasLt.h has it. */
typedef struct {
    uint64_t algo[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} fake_result;

/* What computes: cuBLAS's calls, and cublasLt's heuristics by their number, the first one 0. */
enum { FAKE_SGEMM, FAKE_PEDANTIC, FAKE_GEMM_EX, FAKE_SGEMV, FAKE_HSH_GEMV, FAKE_TST_GEMV, FAKE_HEURISTIC };
enum { FAKE_CALLS = FAKE_HEURISTIC + 64 };

static struct {
    bool no_cublas, no_lt;
    uint64_t refused; /* bit i: heuristic i has a status of its own */
    int answers;
    bool splits; /* a heuristic divides k by its number, from 0 on */
    int last;    /* what computed last */
    int math;    /* of cuBLAS */
    size_t workspace;
    fake_preference preferences; /* the last asked with */
    fake_desc desc;
    /* By what computes: */
    int status[FAKE_CALLS];
    bool tf32[FAKE_CALLS];                                    /* it multiplies in TF32 */
    void (*after)(int call, const fake_layout *c, void *out); /* NULL: nothing more happens */
} fake;

/* ---- products ---- */

static dtype of_r(int type) {
    static const struct {
        int r;
        dtype type;
    } known[] = {{0, DTYPE_F32}, {2, DTYPE_F16}, {3, DTYPE_S8}, {10, DTYPE_S32}, {14, DTYPE_BF16}};
    for (int i = 0; i < ARRAY_SIZE(known); i++)
        if (known[i].r == type) return known[i].type;
    fail_msg("type %d", type);
    return DTYPE_F32;
}

/* Element (i, j) of op(X), column-major. */
static double at(const void *x, const fake_layout *l, bool transposed, uint64_t i, uint64_t j, bool tf32) {
    const uint64_t row = transposed ? j : i, col = transposed ? i : j;
    assert_true(row < l->rows && col < l->cols && l->ld >= (int64_t)l->rows);
    const double value = dtype_load(of_r(l->type), x, row + col * (uint64_t)l->ld);
    return tf32 ? values_from_bits(values_to_bits((float)value) & 0xffffe000u) : value;
}

static int product(int call, const fake_desc *d, const void *alpha, const void *a, const fake_layout *la, const void *b,
                   const fake_layout *lb, const void *beta, void *out, const fake_layout *lc) {
    const bool whole = d->scale == 10;
    const double x = whole ? *(const int32_t *)alpha : *(const float *)alpha;
    const double y = whole ? *(const int32_t *)beta : *(const float *)beta;
    const uint64_t k = d->trans[0] ? la->rows : la->cols;
    const bool tf32 = fake.tf32[call];
    fake.last = call;
    if (fake.status[call] != 0) return fake.status[call];
    assert_int_equal(k, d->trans[1] ? lb->cols : lb->rows);
    assert_int_equal(lc->rows, d->trans[0] ? la->cols : la->rows);
    assert_int_equal(lc->cols, d->trans[1] ? lb->rows : lb->cols);
    const matrix words = {.memory = out, .elements = out, .type = of_r(lc->type)};
    for (uint64_t j = 0; j < lc->cols; j++)
        for (uint64_t i = 0; i < lc->rows; i++) {
            double sum = 0.0;
            for (uint64_t l = 0; l < k; l++)
                sum += at(a, la, d->trans[0], i, l, tf32) * at(b, lb, d->trans[1], l, j, tf32);
            const double result = x * sum + (y != 0.0 ? y * at(out, lc, false, i, j, false) : 0.0);
            matrix_set_word(&words, i + j * (uint64_t)lc->ld, dtype_to_bits(words.type, result));
        }
    if (fake.after != NULL) fake.after(call, lc, out);
    return 0;
}

/* ---- cublasLt ---- */

static size_t get_lt_version(void) {
    return 130102;
}

static int desc_create(fake_desc **d, int compute, int scale) {
    *d = create(sizeof **d);
    (*d)->compute = compute;
    (*d)->scale = scale;
    return 0;
}

static int desc_set(fake_desc *d, int which, const void *value, size_t size) {
    assert_int_equal(size, 4);
    assert_in_range(which, 3, 4);
    memcpy(&d->trans[which - 3], value, size);
    return 0;
}

static int layout_create(fake_layout **x, int type, uint64_t rows, uint64_t cols, int64_t ld) {
    if (rows == 0 || cols == 0) return 7;
    *x = create(sizeof **x);
    **x = (fake_layout){type, rows, cols, ld};
    return 0;
}

static int preference_create(fake_preference **x) {
    *x = create(sizeof **x);
    return 0;
}

static int preference_set(fake_preference *x, int which, const void *value, size_t size) {
    assert_int_equal(size, which == 1 ? 8 : 4);
    memcpy(which == 1 ? (void *)&x->workspace : &x->alignment[which - 5], value, size);
    return 0;
}

static int get_heuristic(void *handle, fake_desc *d, fake_layout *a, fake_layout *b, fake_layout *c, fake_layout *out,
                         fake_preference *x, int wanted, fake_result *results, int *count) {
    assert_non_null(handle);
    assert_true(a != NULL && b != NULL && c == out);
    fake.preferences = *x;
    fake.desc = *d;
    assert_int_equal(wanted, 32);
    *count = fake.answers;
    for (int i = 0; i < fake.answers; i++)
        results[i] = (fake_result){.algo = {(uint64_t)i}, .workspace = 64, .state = fake.refused >> i & 1 ? 15 : 0};
    return fake.answers > 0 ? 0 : 15;
}

static int config_get(const uint64_t *algo, int attribute, int *parts, size_t size, size_t *written) {
    assert_true(attribute == 2 && size == sizeof *parts && written != NULL);
    *parts = fake.splits ? (int)algo[0] : 0;
    return 0;
}

static int matmul(void *handle, fake_desc *d, const void *alpha, const void *a, fake_layout *la, const void *b,
                  fake_layout *lb, const void *beta, const void *c, fake_layout *lc, void *out, fake_layout *lout,
                  const uint64_t *algo, void *workspace, size_t bytes, cudaStream_t stream) {
    assert_true(handle != NULL && workspace != NULL && c == out && lc == lout && stream == NULL);
    assert_false(fake.refused >> algo[0] & 1);
    fake.workspace = bytes;
    fake.desc = *d;
    return product(FAKE_HEURISTIC + (int)algo[0], d, alpha, a, la, b, lb, beta, out, lc);
}

/* ---- cuBLAS ---- */

static int get_version(void *handle, int *version) {
    assert_non_null(handle);
    *version = 130100;
    return 0;
}

static int set_math(void *handle, int math) {
    assert_non_null(handle);
    fake.math = math;
    return 0;
}

static int set_workspace(void *handle, void *workspace, size_t bytes) {
    assert_true(handle != NULL && workspace != NULL && bytes == 32 << 20);
    return 0;
}

static fake_layout layout_of(int type, bool transposed, int rows, int cols, int ld) {
    return (fake_layout){type, (uint64_t)(transposed ? cols : rows), (uint64_t)(transposed ? rows : cols), ld};
}

static int gemm_call(int call, int compute, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
                     int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c,
                     int ldc) {
    const fake_desc d = {compute, compute == 72 ? 10 : 0, {ta, tb}};
    const fake_layout la = layout_of(type_a, ta, m, k, lda), lb = layout_of(type_b, tb, k, n, ldb);
    const fake_layout lc = layout_of(type_c, false, m, n, ldc);
    fake.desc = d;
    return product(call, &d, alpha, a, &la, b, &lb, beta, c, &lc);
}

static int sgemm(void *handle, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                 const float *b, int ldb, const float *beta, float *c, int ldc) {
    assert_non_null(handle);
    return gemm_call(fake.math == 2 ? FAKE_PEDANTIC : FAKE_SGEMM, 68, ta, tb, m, n, k, alpha, a, 0, lda, b, 0, ldb,
                     beta, c, 0, ldc);
}

static int gemm_ex(void *handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int type_a,
                   int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c, int ldc,
                   int compute, int algo) {
    assert_true(handle != NULL && algo == -1 && fake.math == 0);
    return gemm_call(FAKE_GEMM_EX, compute, ta, tb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c,
                     ldc);
}

static int gemv(int call, int type, int trans, int m, int n, const float *alpha, const void *a, int lda, const void *x,
                int incx, const float *beta, void *y, int incy) {
    assert_true(trans == 1 && incx == 1 && incy == 1 && fake.math == 0);
    return gemm_call(call, 68, 1, 0, n, 1, m, alpha, a, type, lda, x, type, m, beta, y, type, n);
}

static int sgemv(void *handle, int trans, int m, int n, const float *alpha, const float *a, int lda, const float *x,
                 int incx, const float *beta, float *y, int incy) {
    assert_non_null(handle);
    return gemv(FAKE_SGEMV, 0, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

#define STRIDED_GEMV(name, call, type)                                                                                 \
    static int name(void *handle, int trans, int m, int n, const float *alpha, const void *a, int lda, long long sa,   \
                    const void *x, int incx, long long sx, const float *beta, void *y, int incy, long long sy,         \
                    int count) {                                                                                       \
        assert_true(handle != NULL && sa == 0 && sx == 0 && sy == 0 && count == 1);                                    \
        return gemv(call, type, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);                                   \
    }
STRIDED_GEMV(hsh_gemv, FAKE_HSH_GEMV, 2)
STRIDED_GEMV(tst_gemv, FAKE_TST_GEMV, 14)

/* ---- the loader ---- */

static const fake_entry lt_entries[] = {
    ENTRY("cublasLtCreate", handle_create),
    ENTRY("cublasLtDestroy", destroy),
    ENTRY("cublasLtGetVersion", get_lt_version),
    ENTRY("cublasLtMatmulDescCreate", desc_create),
    ENTRY("cublasLtMatmulDescDestroy", destroy),
    ENTRY("cublasLtMatmulDescSetAttribute", desc_set),
    ENTRY("cublasLtMatrixLayoutCreate", layout_create),
    ENTRY("cublasLtMatrixLayoutDestroy", destroy),
    ENTRY("cublasLtMatmulPreferenceCreate", preference_create),
    ENTRY("cublasLtMatmulPreferenceDestroy", destroy),
    ENTRY("cublasLtMatmulPreferenceSetAttribute", preference_set),
    ENTRY("cublasLtMatmulAlgoGetHeuristic", get_heuristic),
    ENTRY("cublasLtMatmulAlgoConfigGetAttribute", config_get),
    ENTRY("cublasLtMatmul", matmul),
    {0},
};
static const fake_entry cublas_entries[] = {
    ENTRY("cublasCreate_v2", handle_create),
    ENTRY("cublasDestroy_v2", destroy),
    ENTRY("cublasGetVersion_v2", get_version),
    ENTRY("cublasSetStream_v2", set_stream),
    ENTRY("cublasSetMathMode", set_math),
    ENTRY("cublasSetWorkspace_v2", set_workspace),
    ENTRY("cublasSgemm_v2", sgemm),
    ENTRY("cublasGemmEx", gemm_ex),
    ENTRY("cublasSgemv_v2", sgemv),
    ENTRY("cublasHSHgemvStridedBatched", hsh_gemv),
    ENTRY("cublasTSTgemvStridedBatched", tst_gemv),
    {0},
};

/* The last four entries of cuBLAS are missing in old versions, which have the rest. */
enum { CUBLAS_NEEDED = ARRAY_SIZE(cublas_entries) - 5 };

void *dlopen(const char *name, int flags) {
    assert_null(getenv("NVIDIA_TF32_OVERRIDE"));
    if (name == NULL || strstr(name, "cublas") == NULL) return NULL;
    const bool lt = strstr(name, "cublasLt") != NULL;
    return (lt ? fake.no_lt : fake.no_cublas) ? NULL : (void *)(lt ? lt_entries : cublas_entries);
}
