#include "halves.h"

#include <stdlib.h>

#include "conv/conv_operands.h"
#include "gemm/gemm_cases.h"
#include "gpu/error.h"
#include "gpu/simulator.h"

static int failed;

static void expect(bool ok, const char *what, const verify_case *v) {
    if (ok) return;
    failed++;
    printf("FAIL %s: %s and %s, m %d, n %d, k %d, beta %g\n", what, dtype_name(v->a.type), dtype_name(v->c.type),
           verify_m(v), verify_n(v), verify_k(v), (double)v->beta);
}

static bool same_element(const verify_element *a, const verify_element *b) {
    return a->row == b->row && a->col == b->col && fabs(a->expected - b->expected) <= 1e-12 * fabs(a->expected) &&
           fabs(a->bound - b->bound) <= 1e-9 * a->bound && (a->got == b->got || (a->got != a->got && b->got != b->got));
}

/* The sums are made in another order: shares differ in their last bits. */
static bool same_result(const verify_result *a, const verify_result *b) {
    if (a->wrong != b->wrong) return false;
    if (!(a->worst_share == b->worst_share || fabs(a->worst_share - b->worst_share) <= 1e-6 * a->worst_share))
        return false;
    return a->wrong == 0 || (same_element(&a->first, &b->first) && same_element(&a->worst, &b->worst));
}

static void store(const verify_case *v, int row, int col, double value) {
    int64_t at = (int64_t)row * v->c.ld + col;
    if (v->seen.there) at = (int64_t)windows_result(&v->seen, row, col, verify_n(v));
    matrix_set_word(&v->c, (size_t)(matrix_front(&v->c) + at), dtype_to_bits(v->c.type, value));
}

/* The rounded reference; half a bound beside it where even integers have one. */
static void store_expected(const verify_case *v) {
    for (int row = 0; row < verify_m(v); row++)
        for (int col = 0; col < verify_n(v); col++) {
            double sum = 0.0, sum_abs = 0.0;
            for (int l = 0; l < verify_k(v); l++) {
                const double product = verify_a_at(v, row, l) * verify_b_at(v, l, col);
                sum += product, sum_abs += fabs(product);
            }
            const double c0 = verify_c0(v, row, col), d0 = verify_d0(v, col);
            double y = verify_expected(v, sum, c0, d0);
            if (v->arithmetic == VERIFY_TRANSFORMED) y += verify_bound(v, sum_abs, y, c0, d0) / 2;
            store(v, row, col, y);
        }
}

/* Right, and with one element and with two of them wrong; then words that nobody may write. */
static void check(const operand_spec *spec, bool exact) {
    const size_t bytes = (size_t)operand_sets_bytes(spec, 1);
    void *host = aligned_alloc(256, bytes), *device, *back = malloc(bytes);
    operand_sets here, there;
    CUDA_ALLOCATE(&device, bytes);
    operand_sets_place(&here, spec, 1, host);
    operand_sets_place(&there, spec, 1, device);
    operand_set *h = &here.set[0], *d = &there.set[0];
    matrix *const mine[] = {&h->a, &h->b, &h->c, &h->d}, *const theirs[] = {&d->a, &d->b, &d->c, &d->d};
    const int count = h->d.elements != NULL ? 4 : 3;
    for (int i = 0; i < count; i++) {
        const values_kind kind = i == 2 && spec->beta == 0.0f ? VALUES_NAN : exact ? VALUES_INTEGER : VALUES_UNIFORM;
        matrix_fill_host(mine[i], kind, (uint64_t)i + 1);
        CUDA_CHECK(matrix_fill_device(theirs[i], kind, (uint64_t)i + 1, NULL));
    }
    const verify_case v = operand_case(spec, h, spec->alpha, spec->beta, exact);
    const verify_case w = operand_case(spec, d, spec->alpha, spec->beta, exact);
    CUDA_CHECK(cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost));
    expect(memcmp(back, host, bytes) == 0, "filled otherwise", &v);

    store_expected(&v);
    uint64_t of_right = 0;
    for (uint64_t wrong = 0; wrong < 3; wrong++) {
        verify_result a, b;
        uint64_t fingerprint;
        if (wrong == 1) store(&v, verify_m(&v) / 2, verify_n(&v) - 1, NAN);
        if (wrong == 2) store(&v, 0, verify_n(&v) / 2, -999.0);
        CUDA_CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
        verify_host(&v, &a);
        simulator_check(wrong == 0); /* as it goes over the same memory again */
        CUDA_CHECK(verify_device(&w, NULL, &b));
        expect(a.wrong == wrong, "the host's verdict", &v);
        expect(same_result(&a, &b), "another verdict", &v);
        CUDA_CHECK(matrix_fingerprint_device(theirs[2], NULL, &fingerprint));
        expect(fingerprint == matrix_fingerprint_host(mine[2]), "another fingerprint", &v);
        if (wrong == 0) of_right = fingerprint;
        expect((wrong == 0) == (fingerprint == of_right), "the fingerprint of a wrong result", &v);
    }

    simulator_check(true);
    for (int i = 0; i < count; i++) { /* a word of padding, where there is any, and of the guard */
        uint64_t changed[2];
        int64_t first[2];
        const bool padded = mine[i]->ld > mine[i]->cols;
        const size_t words[] = {(size_t)(matrix_front(mine[i]) + (padded ? mine[i]->cols : -1)), 5};
        for (int j = 0; j < 2; j++) matrix_set_word(mine[i], words[j], matrix_word(mine[i], words[j]) ^ 1);
        CUDA_CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
        matrix_changed_host(mine[i], i != 2, &changed[0], &first[0]);
        CUDA_CHECK(matrix_changed_device(theirs[i], i != 2, NULL, &changed[1], &first[1]));
        expect(changed[0] == 2 && changed[1] == 2 && first[0] == first[1], "changed words", &v);
    }
    operand_sets_destroy(&here);
    operand_sets_destroy(&there);
    CUDA_CHECK(cudaFree(device));
    free(host);
    free(back);
}

static void check_windows(conv_case *c, verify_arithmetic arithmetic, bool exact) {
    if (conv_case_complete(c) != NULL) abort();
    operand_spec spec = conv_operands(c);
    spec.arithmetic = arithmetic;
    check(&spec, exact);
}

int halves_differ(void) {
    failed = 0;
    for (int i = 0; i < 16; i++) { /* k = 1 has a kernel of its own */
        static const dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_F32};
        conv_case c = {.type = types[i / 2 % 4], .k = i < 8 ? 67 : 1, .bias = i % 3 != 0, .alpha = -3, .misalign = i};
        c.seen = (windows){.n = 3, .c = 5, .h = 5, .w = 7, .r = 3, .s = 2, .stride = {2, 1}, .dilation = {1, 2}};
        c.seen.nhwc = i / 4 % 2 != 0, c.seen.pad[0] = 2, c.seen.pad[1] = 1, c.beta = i % 4 == 1 ? 2.0f : 0.0f;
        check_windows(&c, c.type == DTYPE_F32 ? VERIFY_FMA : VERIFY_TENSOR, i % 2);
        if (c.type == DTYPE_F32) check_windows(&c, VERIFY_TRANSFORMED, i % 2);
        if (c.type != DTYPE_F32 || c.seen.nhwc) continue;
        c.seen.s = 3, c.seen.stride[0] = c.seen.dilation[1] = 1;
        check_windows(&c, VERIFY_WINOGRAD, i % 2);
    }
    static const gemm_kind kinds[] = {
        {GEMM_F32, DTYPE_F32, GEMM_NN},  {GEMM_F32, DTYPE_F32, GEMM_TN},    {GEMM_F16, DTYPE_F16, GEMM_NN},
        {GEMM_F16, DTYPE_F32, GEMM_TN},  {GEMM_BF16, DTYPE_F32, GEMM_NN},   {GEMM_BF16, DTYPE_BF16, GEMM_TN},
        {GEMM_TF32, DTYPE_F32, GEMM_NN}, {GEMM_TF32, DTYPE_F32, GEMM_TN},   {GEMM_S8, DTYPE_S32, GEMM_NN},
        {GEMM_S8, DTYPE_S32, GEMM_TN},   {GEMM_TF32X3, DTYPE_F32, GEMM_TN},
    };
    static const int shapes[][3] = {{67, 38, 37}, {5, 129, 16}, {9, 1, 300}};
    for (int i = 0; i < 2 * ARRAY_SIZE(kinds) * ARRAY_SIZE(shapes); i++) {
        const gemm_kind *kind = &kinds[i / 2 / ARRAY_SIZE(shapes)];
        const int s = i / 2 % ARRAY_SIZE(shapes), m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
        gemm_case c = {.m = m, .n = n, .k = k, .alpha = -3.0f, .misalign = s};
        c.type = kind->type, c.out = kind->out, c.layout = kind->layout;
        c.lda = k + 1, c.ldb = (n > k ? n : k) + 3, c.ldc = n + 2;
        c.beta = i % 2 == s % 2 ? 2.0f : 0.0f;
        const operand_spec spec = gemm_operands(&c);
        check(&spec, i % 2);
    }
    return failed;
}
