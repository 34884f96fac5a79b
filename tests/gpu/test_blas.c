/* cuBLAS and cublasLt as the baseline, against libraries made up in fake_blas.h: what they are asked, and what comes
 * out of them. */

#include "../tensor/operands_case.h"
#include "fake_blas.h"
#include "gemm/gemm_baseline.h"
#include "gemm/gemm_operands.h"
#include "gemv/gemv_baseline.h"
#include "gemv/gemv_operands.h"
#include "gpu/cublas.h"

/* ---- tests ---- */

static const char *line;
static char text[100];
static gemm_baseline of_gemm;
static gemv_baseline of_gemv;

static bool open_both(void) {
    const bool opened = blas_open(listen_in());
    line = heard();
    blas_name(text, sizeof text);
    return opened;
}

static int set_up(void **state) {
    memset(&fake, 0, sizeof fake);
    memset(&fakes, 0, sizeof fakes);
    fake.answers = 8;
    return 0;
}

static int close_all(void **state) {
    tear_down(NULL);
    gemm_baseline_forget(&of_gemm);
    gemv_baseline_forget(&of_gemv);
    blas_close();
    return fakes.live;
}

TEST(opens_or_says_why) {
    setenv("NVIDIA_TF32_OVERRIDE", "1", 1); /* dlopen asserts that it is gone */
    assert_null(cublas_open());
    blas_close();
    setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
    assert_null(cublaslt_open());
    assert_true(open_both());
    assert_string_equal(line, "");
    assert_string_equal(text, "cuBLAS 13.1.0 and cublasLt");
    assert_string_equal(cublas_version(), "13.1.0");
    assert_string_equal(cublaslt_version(), "13.1.2");
    blas_close();
    assert_string_equal(cublas_version(), "");
    assert_string_equal(cublaslt_version(), "");
    assert_int_equal(fakes.live, 0);
    fakes.no_memory = true;
    assert_false(open_both());
    assert_string_equal(line, "no memory for cuBLAS's workspace (32 MiB); no memory for cublasLt's workspace (64 MiB): "
                              "nothing to compare with\n");
    assert_int_equal(fakes.live, 0);
    fakes.no_memory = false;
    for (int i = 0; lt_entries[i].name != NULL; i++) {
        fakes.missing = lt_entries[i].name;
        assert_string_equal(cublaslt_open(), "this cublasLt is too old");
        assert_int_equal(fakes.live, 0);
    }
    for (int i = 0; cublas_entries[i].name != NULL; i++) {
        fakes.missing = cublas_entries[i].name;
        const char *reason = cublas_open();
        if (i < CUBLAS_NEEDED)
            assert_string_equal(reason, "this cuBLAS is too old");
        else
            assert_null(reason);
        cublas_close();
        assert_int_equal(fakes.live, 0);
    }
}

TEST(one_library_is_enough) {
    fake.no_lt = true;
    assert_true(open_both());
    assert_string_equal(line, "cublasLt is not installed (libcublasLt.so.13): only cuBLAS to compare with\n");
    assert_string_equal(text, "cuBLAS 13.1.0");
    blas_close();
    fake.no_lt = false;
    fake.no_cublas = true;
    assert_true(open_both());
    assert_string_equal(line, "cuBLAS is not installed (libcublas.so.13): only cublasLt to compare with\n");
    assert_string_equal(text, "cublasLt 13.1.2");
    blas_close();
    fake.no_lt = true;
    assert_false(open_both());
    assert_string_equal(line, "cuBLAS is not installed (libcublas.so.13); cublasLt is not installed "
                              "(libcublasLt.so.13): nothing to compare with\n");
    assert_string_equal(text, "");
}

static const struct {
    gemm_type type;
    dtype out;
    int compute, scale;
} kinds[] = {
    {GEMM_F16, DTYPE_F16, 68, 0},  {GEMM_F16, DTYPE_F32, 68, 0},    {GEMM_BF16, DTYPE_BF16, 68, 0},
    {GEMM_BF16, DTYPE_F32, 68, 0}, {GEMM_TF32, DTYPE_F32, 77, 0},   {GEMM_S8, DTYPE_S32, 72, 10},
    {GEMM_F32, DTYPE_F32, 68, 0},  {GEMM_TF32X3, DTYPE_F32, 68, 0},
};

/* Fills set 0, computes through one call, and checks as the harness checks kernels. */
static void assert_right(const operand_spec *spec, cudaError_t (*launch)(const void *c, const operand_set *s, int call),
                         const void *what, int call) {
    operand_set *s = fill_operands(spec, false, 1);
    assert_int_equal(launch(what, s, call), cudaSuccess);
    assert_int_equal(verify().wrong, 0);
    const matrix *const all[] = {&s->a, &s->b, &s->c};
    int64_t first;
    for (int i = 0; i < 3; i++) assert_int_equal(changed(all[i], i < 2, &first), 0);
}

static cudaError_t launch_gemm(const void *c, const operand_set *s, int call) {
    const gemm_problem p = gemm_problem_on(c, s);
    return gemm_baseline_launch(&of_gemm, &p, call, NULL);
}

/* By every call. What was asked for has no memory yet, as in the bench. */
static void multiply(size_t kind, gemm_layout layout, int m, int n, int k, int pad, int misalign) {
    gemm_case c = {.m = m, .n = n, .k = k, .alpha = 2.0f, .misalign = misalign, .seed = 1, .layout = layout};
    c.type = kinds[kind].type, c.out = kinds[kind].out;
    c.lda = k + pad, c.ldb = (layout == GEMM_TN ? k : n) + pad, c.ldc = n + pad;
    c.beta = pad % 2 ? -3.0f : 0.0f;
    const operand_spec spec = gemm_operands(&c);
    const gemm_problem p = gemm_problem_on(&c, &spec.like);
    const int plain = c.type == GEMM_F32 || c.type == GEMM_TF32X3 ? 3 : 1;
    assert_int_equal(gemm_baseline_ask(&of_gemm, &p), plain + 8);
    for (int call = 0; call < plain + 8; call++) {
        fake.desc = (fake_desc){0};
        assert_right(&spec, launch_gemm, &c, call);
        assert_int_equal(fake.last, call >= plain ? FAKE_HEURISTIC + call - plain : plain == 3 ? call : FAKE_GEMM_EX);
        assert_int_equal(fake.desc.compute, kinds[kind].compute);
        assert_int_equal(fake.desc.scale, kinds[kind].scale);
    }
    assert_int_equal(fake.workspace, 64 << 20);
}

TEST(multiplies_row_major_matrices) {
    assert_true(open_both());
    for (int kind = 0; kind < ARRAY_SIZE(kinds); kind++)
        for (int layout = GEMM_NN; layout <= GEMM_TN; layout++)
            for (int pad = 0; pad < 4; pad++) {
                multiply(kind, (gemm_layout)layout, 5, 7, 9, pad, 0);
                multiply(kind, (gemm_layout)layout, 16, 3, 4, pad, pad);
            }
}

TEST(says_how_operands_are_aligned) {
    assert_true(open_both());
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

TEST(passes_on_what_cublaslt_refuses) {
    fake.no_cublas = true;
    assert_true(open_both());
    float c = 0.0f;
    gemm_problem p = {.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1, .A = &c, .B = &c, .C = &c};
    p.type = GEMM_TF32, p.alpha = 1.0f;
    fake.refused = 1 << 0 | 1 << 3;
    fake.status[FAKE_HEURISTIC + 5] = 15;
    assert_int_equal(gemm_baseline_ask(&of_gemm, &p), 8);
    for (int i = 0; i < 9; i++) {
        const bool refused = i == 0 || i == 3 || i == 5 || i == 8;
        assert_int_equal(gemm_baseline_launch(&of_gemm, &p, i, NULL), refused ? cudaErrorNotSupported : cudaSuccess);
        if (!refused) assert_int_equal(fake.last, FAKE_HEURISTIC + i);
    }
    fake.answers = 0;
    assert_int_equal(gemm_baseline_ask(&of_gemm, &p), 0);
    assert_int_equal(gemm_baseline_launch(&of_gemm, &p, 0, NULL), cudaErrorNotSupported);
    fake.answers = 8;
    p.k = 0; /* no such matrix */
    assert_int_equal(gemm_baseline_ask(&of_gemm, &p), 0);
}

TEST(passes_on_what_cublas_refuses) {
    fake.no_lt = true;
    fakes.missing = "cublasGemmEx";
    assert_true(open_both());
    float c = 0.0f;
    gemm_problem p = {.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1, .A = &c, .B = &c, .C = &c};
    fake.status[FAKE_PEDANTIC] = 15;
    assert_int_equal(gemm_baseline_ask(&of_gemm, &p), 3);
    assert_int_equal(gemm_baseline_launch(&of_gemm, &p, 0, NULL), cudaSuccess);
    assert_int_equal(gemm_baseline_launch(&of_gemm, &p, 1, NULL), cudaErrorNotSupported);
    assert_int_equal(gemm_baseline_launch(&of_gemm, &p, 2, NULL), cudaErrorNotSupported);
}

/* ---- GEMV ---- */

static cudaError_t launch_gemv(const void *c, const operand_set *s, int call) {
    const gemv_problem p = gemv_problem_on(c, s);
    return gemv_baseline_launch(&of_gemv, &p, call, NULL);
}

static const struct {
    dtype type;
    int own;
    const char *name;
} vectors[] = {{DTYPE_F32, FAKE_SGEMV, "cublasSgemv"},
               {DTYPE_F16, FAKE_HSH_GEMV, "cublasHSHgemvStridedBatched"},
               {DTYPE_BF16, FAKE_TST_GEMV, "cublasTSTgemvStridedBatched"}};

TEST(multiplies_matrix_and_vector) {
    assert_true(open_both());
    for (int i = 0; i < ARRAY_SIZE(vectors); i++)
        for (int pad = 0; pad < 3; pad++) {
            gemv_case c = {.type = vectors[i].type, .n = 7, .k = 9, .lda = 9 + pad, .alpha = 2.0f};
            if (pad == 1) c.beta = -3.0f;
            const operand_spec spec = gemv_operands(&c);
            const gemv_problem p = gemv_problem_on(&c, &spec.like);
            assert_int_equal(gemv_baseline_ask(&of_gemv, &p), 3 + 16);
            for (int call = 0; call < 3 + 16; call++) {
                assert_right(&spec, launch_gemv, &c, call);
                const int expected = call < 2    ? FAKE_GEMM_EX
                                     : call == 2 ? vectors[i].own
                                                 : FAKE_HEURISTIC + (call - 3) % 8;
                assert_int_equal(fake.last, expected);
                assert_int_equal(fake.desc.compute, 68);
                assert_int_equal(fake.desc.trans[0], call != 1 && call < 3 + 8); /* A x, or x A */
            }
        }
}

TEST(names_what_it_calls) {
    bench_call call;
    assert_true(open_both());
    const gemm_case gemm = {.m = 5, .n = 6, .k = 7};
    const operand_spec spec = gemm_operands(&gemm);
    const gemm_problem p = gemm_problem_on(&gemm, &spec.like);
    const char *const of_fp32[] = {"cublasSgemm", "cublasSgemm (pedantic)", "cublasGemmEx", "cublasLt heuristic 1"};
    gemm_baseline_ask(&of_gemm, &p);
    for (int i = 0; i < 4; i++) {
        gemm_baseline_call(&of_gemm, i, &call);
        assert_string_equal(call.name, of_fp32[i]);
        assert_string_equal(call.library, i < 3 ? "cublas" : "cublasLt");
        assert_string_equal(call.version, i < 3 ? "13.1.0" : "13.1.2");
    }
    fake.splits = true;
    gemm_baseline_call(&of_gemm, 3 + 1, &call);
    assert_string_equal(call.name, "cublasLt heuristic 2");
    gemm_baseline_call(&of_gemm, 3 + 4, &call);
    assert_string_equal(call.name, "cublasLt heuristic 5 (split-K 4)");
    fake.splits = false;
    for (int i = 0; i < ARRAY_SIZE(vectors); i++) {
        const gemv_case gemv = {.type = vectors[i].type, .n = 5, .k = 7};
        const operand_spec of_vector = gemv_operands(&gemv);
        const gemv_problem v = gemv_problem_on(&gemv, &of_vector.like);
        const char *const of_gemvs[] = {
            "cublasGemmEx as n x 1",         "cublasGemmEx as 1 x n",         vectors[i].name,
            "cublasLt heuristic 1 as n x 1", "cublasLt heuristic 8 as n x 1", "cublasLt heuristic 1 as 1 x n"};
        const int numbers[] = {0, 1, 2, 3, 10, 11};
        gemv_baseline_ask(&of_gemv, &v);
        for (int j = 0; j < 6; j++) {
            gemv_baseline_call(&of_gemv, numbers[j], &call);
            assert_string_equal(call.name, of_gemvs[j]);
            assert_string_equal(call.library, j < 3 ? "cublas" : "cublasLt");
        }
    }
}

static const struct fixtures fixtures = {.before = set_up, .after = close_all};
