/* cublasLt as the baseline, against a library made up here that does what cublasLt.h says: column-major matrices of the
 * layouts that it is given. What comes out must be the row-major product. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gemm/cublaslt.h"
#include "gemm/gemm_operands.h"
#include "tensor/verify.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

static struct {
    bool absent, no_memory;
    const char *missing; /* this entry point */
    int refused;         /* bit i: heuristic i has a status of its own */
    int answers;
    int status;                  /* of the matrix multiplication */
    int live;                    /* handles and descriptors */
    int last;                    /* number of the heuristic that computed */
    size_t workspace;            /* that it was given */
    fake_preference preferences; /* the last asked with */
    fake_desc desc;
} fake;

/* ---- the library ---- */

static void *create(size_t size) {
    void *x = calloc(1, size);
    assert_non_null(x);
    fake.live++;
    return x;
}

static int destroy(void *x) {
    assert_non_null(x);
    fake.live--;
    free(x);
    return 0;
}

static int handle_create(void **handle) {
    *handle = create(1);
    return 0;
}

static size_t get_version(void) {
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
    assert_int_equal(wanted, 8);
    *count = fake.answers;
    for (int i = 0; i < fake.answers; i++)
        results[i] = (fake_result){.algo = {(uint64_t)i}, .workspace = 64, .state = fake.refused >> i & 1 ? 15 : 0};
    return fake.answers > 0 ? 0 : 15;
}

static dtype of_r(int type) {
    switch (type) {
    case 0:
        return DTYPE_F32;
    case 2:
        return DTYPE_F16;
    case 3:
        return DTYPE_S8;
    case 10:
        return DTYPE_S32;
    case 14:
        return DTYPE_BF16;
    }
    fail_msg("type %d", type);
    return DTYPE_F32;
}

/* Element (i, j) of op(X), column-major. */
static double at(const void *x, const fake_layout *l, bool transposed, uint64_t i, uint64_t j) {
    const uint64_t row = transposed ? j : i, col = transposed ? i : j;
    assert_true(row < l->rows && col < l->cols && l->ld >= (int64_t)l->rows);
    return dtype_load(of_r(l->type), x, row + col * (uint64_t)l->ld);
}

static int matmul(void *handle, fake_desc *d, const void *alpha, const void *a, fake_layout *la, const void *b,
                  fake_layout *lb, const void *beta, const void *c, fake_layout *lc, void *out, fake_layout *lout,
                  const uint64_t *algo, void *workspace, size_t bytes, cudaStream_t stream) {
    assert_true(handle != NULL && workspace != NULL && c == out && lc == lout && stream == NULL);
    fake.last = (int)algo[0];
    fake.workspace = bytes;
    if (fake.status != 0) return fake.status;
    const bool whole = d->scale == 10;
    const double x = whole ? *(const int32_t *)alpha : *(const float *)alpha;
    const double y = whole ? *(const int32_t *)beta : *(const float *)beta;
    const uint64_t k = d->trans[0] ? la->rows : la->cols;
    assert_int_equal(k, d->trans[1] ? lb->cols : lb->rows);
    assert_int_equal(lout->rows, d->trans[0] ? la->cols : la->rows);
    assert_int_equal(lout->cols, d->trans[1] ? lb->rows : lb->cols);
    const matrix words = {.memory = out, .elements = out, .type = of_r(lout->type)};
    for (uint64_t j = 0; j < lout->cols; j++)
        for (uint64_t i = 0; i < lout->rows; i++) {
            double sum = 0.0;
            for (uint64_t l = 0; l < k; l++) sum += at(a, la, d->trans[0], i, l) * at(b, lb, d->trans[1], l, j);
            const double result = x * sum + (y != 0.0 ? y * at(out, lout, false, i, j) : 0.0);
            matrix_set_word(&words, i + j * (uint64_t)lout->ld, dtype_to_bits(words.type, result));
        }
    return 0;
}

static const struct {
    const char *name;
    void (*function)(void);
} entries[] = {
    {"cublasLtCreate", (void (*)(void))handle_create},
    {"cublasLtDestroy", (void (*)(void))destroy},
    {"cublasLtGetVersion", (void (*)(void))get_version},
    {"cublasLtMatmulDescCreate", (void (*)(void))desc_create},
    {"cublasLtMatmulDescDestroy", (void (*)(void))destroy},
    {"cublasLtMatmulDescSetAttribute", (void (*)(void))desc_set},
    {"cublasLtMatrixLayoutCreate", (void (*)(void))layout_create},
    {"cublasLtMatrixLayoutDestroy", (void (*)(void))destroy},
    {"cublasLtMatmulPreferenceCreate", (void (*)(void))preference_create},
    {"cublasLtMatmulPreferenceDestroy", (void (*)(void))destroy},
    {"cublasLtMatmulPreferenceSetAttribute", (void (*)(void))preference_set},
    {"cublasLtMatmulAlgoGetHeuristic", (void (*)(void))get_heuristic},
    {"cublasLtMatmul", (void (*)(void))matmul},
};

/* ---- the loader and the CUDA runtime ---- */

void *dlopen(const char *name, int flags) {
    (void)flags;
    return !fake.absent && name != NULL && strstr(name, "cublasLt") != NULL ? &fake : NULL;
}

int dlclose(void *library) {
    assert_ptr_equal(library, &fake);
    return 0;
}

void *dlsym(void *library, const char *name) {
    void *function = NULL;
    assert_ptr_equal(library, &fake);
    if (fake.missing != NULL && strcmp(name, fake.missing) == 0) return NULL;
    for (size_t i = 0; i < COUNT(entries); i++)
        if (strcmp(name, entries[i].name) == 0) memcpy(&function, &entries[i].function, sizeof function);
    return function;
}

cudaError_t cudaMalloc(void **x, size_t size) {
    if (fake.no_memory) return cudaErrorMemoryAllocation;
    assert_int_equal(size, 64 << 20);
    *x = create(1);
    return cudaSuccess;
}

cudaError_t cudaFree(void *x) {
    destroy(x);
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    return cudaSuccess;
}

/* ---- tests ---- */

static char line[200];

static bool open_it(void) {
    memset(line, 0, sizeof line);
    FILE *err = fmemopen(line, sizeof line, "w");
    const bool opened = cublaslt_open(err);
    fclose(err);
    return opened;
}

static int set_up(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    fake.answers = 8;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    cublaslt_close();
    return fake.live;
}

static void opens_or_says_why(void **state) {
    (void)state;
    assert_true(open_it());
    assert_string_equal(line, "");
    assert_string_equal(cublaslt_version(), "13.1.2");
    cublaslt_close();
    assert_string_equal(cublaslt_version(), "");
    assert_int_equal(fake.live, 0);
    fake.absent = true;
    assert_false(open_it());
    assert_non_null(strstr(line, "not installed"));
    fake.absent = false;
    fake.no_memory = true;
    assert_false(open_it());
    assert_non_null(strstr(line, "64 MiB"));
    assert_int_equal(fake.live, 0);
    fake.no_memory = false;
    for (size_t i = 0; i < COUNT(entries); i++) {
        fake.missing = entries[i].name;
        assert_false(open_it());
        assert_non_null(strstr(line, "too old"));
        assert_int_equal(fake.live, 0);
    }
}

static const struct {
    gemm_type type;
    dtype out;
    int compute, scale;
} kinds[] = {
    {GEMM_F16, DTYPE_F16, 68, 0},  {GEMM_F16, DTYPE_F32, 68, 0},  {GEMM_BF16, DTYPE_BF16, 68, 0},
    {GEMM_BF16, DTYPE_F32, 68, 0}, {GEMM_TF32, DTYPE_F32, 77, 0}, {GEMM_S8, DTYPE_S32, 72, 10},
};

/* A problem computed through cublaslt.c and checked as the harness checks kernels. */
static void multiply(size_t kind, gemm_layout layout, int m, int n, int k, int pad, int misalign) {
    const gemm_case c = {.m = m,
                         .n = n,
                         .k = k,
                         .lda = k + pad,
                         .ldb = (layout == GEMM_TN ? k : n) + pad,
                         .ldc = n + pad,
                         .alpha = 2.0f,
                         .beta = pad % 2 ? -3.0f : 0.0f,
                         .misalign = misalign,
                         .seed = 1,
                         .type = kinds[kind].type,
                         .out = kinds[kind].out,
                         .layout = layout};
    const operand_spec spec = gemm_operands(&c);
    void *memory = aligned_alloc(256, (size_t)operand_sets_bytes(&spec, 1));
    operand_sets o;
    verify_result r;
    operand_sets_place(&o, &spec, 1, memory);
    operand_set *s = &o.set[0];
    matrix_fill_host(&s->a, VALUES_UNIFORM, 1);
    matrix_fill_host(&s->b, VALUES_UNIFORM, 2);
    matrix_fill_host(&s->c, c.beta == 0.0f ? VALUES_NAN : VALUES_UNIFORM, 3);
    const gemm_problem p = gemm_problem_on(&c, s);
    assert_int_equal(cublaslt_ask(&p), 8);
    assert_int_equal(fake.desc.compute, kinds[kind].compute);
    assert_int_equal(fake.desc.scale, kinds[kind].scale);
    assert_int_equal(cublaslt_gemm(&p, 5, NULL), cudaSuccess);
    assert_int_equal(fake.last, 5);
    assert_int_equal(fake.workspace, 64 << 20);
    const verify_case v = {s->a, s->b, s->c, p.alpha, p.beta, false, spec.arithmetic, p.layout};
    verify_host(&v, &r);
    assert_int_equal(r.wrong, 0);
    const matrix *const all[] = {&s->a, &s->b, &s->c};
    for (int i = 0; i < 3; i++) {
        uint64_t changed;
        int64_t first;
        matrix_changed_host(all[i], i < 2, &changed, &first);
        assert_int_equal(changed, 0);
    }
    operand_sets_destroy(&o);
    free(memory);
}

static void multiplies_row_major_matrices(void **state) {
    (void)state;
    assert_true(open_it());
    for (size_t kind = 0; kind < COUNT(kinds); kind++)
        for (int layout = GEMM_NN; layout <= GEMM_TN; layout++)
            for (int pad = 0; pad < 4; pad++) {
                multiply(kind, (gemm_layout)layout, 5, 7, 9, pad, 0);
                multiply(kind, (gemm_layout)layout, 16, 3, 4, pad, pad);
            }
}

static void says_how_operands_are_aligned(void **state) {
    (void)state;
    assert_true(open_it());
    multiply(0, GEMM_TN, 5, 7, 9, 0, 0);
    assert_int_equal(fake.preferences.workspace, 64 << 20);
    for (int i = 0; i < 4; i++) assert_int_equal(fake.preferences.alignment[i], 256);
    multiply(5, GEMM_TN, 5, 7, 9, 0, 12); /* bytes of A and B, words of C */
    const uint32_t of_s8[] = {4, 4, 16, 16};
    for (int i = 0; i < 4; i++) assert_int_equal(fake.preferences.alignment[i], of_s8[i]);
    multiply(1, GEMM_NN, 5, 7, 9, 0, 1);
    const uint32_t of_f16[] = {2, 2, 4, 4};
    for (int i = 0; i < 4; i++) assert_int_equal(fake.preferences.alignment[i], of_f16[i]);
}

static void passes_over_what_cublaslt_refuses(void **state) {
    (void)state;
    assert_true(open_it());
    float c = 0.0f;
    gemm_problem p = {.type = GEMM_TF32,
                      .m = 1,
                      .n = 1,
                      .k = 1,
                      .lda = 1,
                      .ldb = 1,
                      .ldc = 1,
                      .alpha = 1.0f,
                      .A = &c,
                      .B = &c,
                      .C = &c};
    fake.refused = 1 << 0 | 1 << 3;
    assert_int_equal(cublaslt_ask(&p), 6);
    const int numbers[] = {1, 2, 4, 5, 6, 7};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(cublaslt_gemm(&p, i, NULL), cudaSuccess);
        assert_int_equal(fake.last, numbers[i]);
    }
    assert_int_equal(cublaslt_gemm(&p, 6, NULL), cudaErrorNotSupported);
    fake.status = 15;
    assert_int_equal(cublaslt_gemm(&p, 0, NULL), cudaErrorNotSupported);
    fake.answers = 0;
    assert_int_equal(cublaslt_ask(&p), 0);
    assert_int_equal(cublaslt_gemm(&p, 0, NULL), cudaErrorNotSupported);
    fake.answers = 8;
    p.k = 0; /* no such matrix */
    assert_int_equal(cublaslt_ask(&p), 0);
    p.m = 0;
    assert_int_equal(cublaslt_gemm(&p, 0, NULL), cudaSuccess);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(opens_or_says_why),
        TEST(multiplies_row_major_matrices),
        TEST(says_how_operands_are_aligned),
        TEST(passes_over_what_cublaslt_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
