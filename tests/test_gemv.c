/* A GEMV's host side: rounding to 16-bit types, typed operands, reference and bound, the check list, sweeps and the
 * tune file. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/tune.h"
#include "gemv/gemv_cases.h"
#include "gemv/gemv_operands.h"
#include "gemv/gemv_shapes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};

/* ---- types ---- */

static void names_and_sizes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        dtype t = DTYPE_F32;
        assert_true(dtype_named(dtype_name(types[i]), &t) && t == types[i]);
        assert_int_equal(dtype_size(types[i]), types[i] == DTYPE_F32 ? 4 : 2);
    }
    dtype t;
    assert_false(dtype_named("f64", &t));
    assert_false(dtype_named("", &t));
}

/* Every 16-bit pattern comes back, but that NaN loses its payload. */
static void all_patterns_come_back(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++)
        for (uint32_t bits = 0; bits <= 0xffff; bits++) {
            const float value = dtype_from_bits(types[i], bits);
            assert_int_equal(dtype_to_bits(types[i], value), isnan(value) ? 0x7fff : bits);
        }
}

/* Half-way between neighbours goes to the even one; the least bit beside it decides. */
static void rounds_to_nearest_even(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const uint32_t infinity = types[i] == DTYPE_F16 ? 0x7c00 : 0x7f80;
        for (uint32_t bits = 0; bits + 1 < infinity; bits++) {
            const double low = dtype_from_bits(types[i], bits), high = dtype_from_bits(types[i], bits + 1);
            const double half = low + (high - low) / 2;
            assert_int_equal(dtype_to_bits(types[i], half), bits + (bits & 1));
            assert_int_equal(dtype_to_bits(types[i], nextafter(half, 0.0)), bits);
            assert_int_equal(dtype_to_bits(types[i], nextafter(half, INFINITY)), bits + 1);
            assert_int_equal(dtype_to_bits(types[i], -half), 0x8000 | (bits + (bits & 1)));
        }
    }
}

static void the_ends_of_the_range(void **state) {
    (void)state;
    assert_int_equal(dtype_to_bits(DTYPE_F16, 65519.999), 0x7bff);
    assert_int_equal(dtype_to_bits(DTYPE_F16, 65520.0), 0x7c00);
    assert_int_equal(dtype_to_bits(DTYPE_F16, -1e300), 0xfc00);
    assert_int_equal(dtype_to_bits(DTYPE_F16, 0x1p-25), 0);
    assert_int_equal(dtype_to_bits(DTYPE_F16, 0x1.8p-24), 2);
    assert_int_equal(dtype_to_bits(DTYPE_F16, -0.0), 0x8000);
    assert_int_equal(dtype_to_bits(DTYPE_BF16, INFINITY), 0x7f80);
    assert_int_equal(dtype_to_bits(DTYPE_F16, NAN), 0x7fff);
    assert_true(dtype_largest(DTYPE_F16) == dtype_from_bits(DTYPE_F16, 0x7bff));
    assert_true(dtype_largest(DTYPE_BF16) == dtype_from_bits(DTYPE_BF16, 0x7f7f));
    for (size_t i = 0; i < COUNT(types); i++) {
        assert_true(dtype_from_bits(types[i], 1) == dtype_step(types[i]));
        assert_true(1.0 + 2.0 * dtype_unit(types[i]) == dtype_from_bits(types[i], dtype_to_bits(types[i], 1.0) + 1));
        assert_true(isnan(dtype_from_bits(types[i], dtype_guard_bits(types[i]))));
        assert_int_not_equal(dtype_guard_bits(types[i]), dtype_to_bits(types[i], NAN));
    }
}

/* FP32 agrees with the processor's own conversion. */
static void fp32_is_the_processors(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        const uint64_t bits = values_hash(7, i);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (i % 2) x = ldexp((double)(int64_t)bits, -(int)(i % 220)); /* in and about FP32's range */
        if (isnan(x)) continue;
        assert_int_equal(dtype_to_bits(DTYPE_F32, x), values_to_bits((float)x));
    }
}

/* ---- operands ---- */

static operand_sets o;
static void *memory;
static gemv_problem p;
static verify_case v;

static int tear_down(void **state) {
    (void)state;
    operand_sets_destroy(&o);
    free(memory);
    memory = NULL;
    return 0;
}

static void set_up(const gemv_case *what, bool exact) {
    tear_down(NULL);
    const operand_spec spec = gemv_operands(what);
    memory = aligned_alloc(256, (size_t)operand_sets_bytes(&spec, 1));
    assert_non_null(memory);
    operand_sets_place(&o, &spec, 1, memory);
    operand_set *s = &o.set[0];
    const values_kind kind = exact ? VALUES_INTEGER : VALUES_UNIFORM, read = what->alpha == 0.0f ? VALUES_NAN : kind;
    matrix_fill_host(&s->a, read, what->seed * 3);
    matrix_fill_host(&s->b, read, what->seed * 3 + 1);
    matrix_fill_host(&s->c, what->beta == 0.0f ? VALUES_NAN : kind, what->seed * 3 + 2);
    p = gemv_problem_on(what, s);
    if (exact) {
        p.alpha = verify_exact_scalar(p.alpha);
        p.beta = verify_exact_scalar(p.beta);
    }
    v = (verify_case){s->a, s->b, s->c, p.alpha, p.beta, exact, VERIFY_FMA, false};
}

static void store(int i, double value) {
    matrix_set_word(&v.c, (size_t)(matrix_front(&v.c) + i), dtype_to_bits(p.type, value));
}

/* FP32, in order, one rounding to the type at the end. */
static void gemv(void) {
    for (int i = 0; i < p.n; i++) {
        float sum = 0.0f;
        if (p.alpha != 0.0f)
            for (int j = 0; j < p.k; j++)
                sum += dtype_load(p.type, p.A, (size_t)i * p.lda + j) * dtype_load(p.type, p.x, j);
        float y = p.alpha * sum;
        if (p.alpha == 0.0f) y = 0.0f;
        if (p.beta != 0.0f) y += p.beta * dtype_load(p.type, p.y, i);
        store(i, y);
    }
}

static verify_result verify(void) {
    verify_result r;
    verify_host(&v, &r);
    return r;
}

static uint64_t changed(const matrix *x, bool elements, int64_t *first) {
    uint64_t words;
    matrix_changed_host(x, elements, &words, first);
    return words;
}

static void typed_operands_lie_between_guards(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        const size_t size = dtype_size(types[i]);
        const gemv_case c = {
            .type = types[i], .n = 5, .k = 7, .lda = 9, .alpha = 1, .beta = 1, .off_a = 3, .off_x = 1, .off_y = 2};
        int64_t first;
        set_up(&c, false);
        assert_int_equal((uintptr_t)p.A % 256, 3 * size);
        assert_int_equal((uintptr_t)p.x % 256, size);
        assert_int_equal((uintptr_t)p.y % 256, 2 * size);
        matrix *const all[] = {&v.a, &v.b, &v.c};
        for (int m = 0; m < 3; m++) {
            assert_int_equal(matrix_bytes(all[m]) % 256, 0);
            assert_int_equal(changed(all[m], true, &first), 0);
            const int64_t front = matrix_front(all[m]), end = (int64_t)all[m]->rows * all[m]->ld;
            const int64_t places[] = {-front, -1, end, (int64_t)all[m]->words - front - 1};
            for (size_t j = 0; j < COUNT(places); j++) {
                const size_t word = (size_t)(front + places[j]);
                const uint32_t before = matrix_word(all[m], word);
                assert_int_equal(before, dtype_guard_bits(types[i]));
                matrix_set_word(all[m], word, dtype_to_bits(types[i], NAN)); /* another NaN */
                assert_int_equal(changed(all[m], false, &first), 1);
                assert_int_equal(first, places[j]);
                matrix_set_word(all[m], word, before);
            }
            assert_int_equal(changed(all[m], true, &first), 0);
        }
        matrix_set_word(&v.a, (size_t)matrix_front(&v.a) + 7, 0); /* padding */
        assert_int_equal(changed(&v.a, false, &first), 1);
        assert_int_equal(first, 7);
        matrix_set_word(&v.b, (size_t)matrix_front(&v.b) + 6, 0); /* an element */
        assert_int_equal(changed(&v.b, false, &first), 0);
        assert_int_equal(changed(&v.b, true, &first), 1);
        /* Elements are FP32's, rounded. */
        assert_true(matrix_at(&v.a, 4, 6) == (float)dtype_round(types[i], values_at(VALUES_UNIFORM, 0, 4 * 7 + 6)));
    }
}

static const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};

static void right_results_pass(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++)
        for (int s = 0; s < 32; s++) {
            const gemv_case c = {
                .type = types[i], .n = 37, .k = 500, .alpha = scalars[s & 3], .beta = scalars[s >> 2 & 3], .seed = 4};
            set_up(&c, s & 16);
            gemv();
            const verify_result r = verify();
            assert_int_equal(r.wrong, 0);
            assert_true(r.worst_share <= 1.0);
        }
}

/* One unit in the last place more or less is wrong in the exact pass; so is a dropped product. */
static void the_exact_pass_wants_every_bit(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        const gemv_case c = {.type = types[i], .n = 9, .k = 4000, .alpha = 1, .beta = 2, .seed = 5};
        set_up(&c, true);
        gemv();
        const size_t word = (size_t)matrix_front(&v.c) + 4;
        const uint32_t right = matrix_word(&v.c, word);
        for (int step = -1; step <= 1; step += 2) {
            matrix_set_word(&v.c, word, right + (uint32_t)step);
            const verify_result r = verify();
            assert_int_equal(r.wrong, 1);
            assert_int_equal(r.first.row, 4);
            assert_true(isinf(r.worst_share));
        }
    }
}

/* The bound, worked out here once more: its edge passes, and a little beyond it does not. */
static void the_bound_ends_where_it_says(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        const gemv_case c = {.type = types[i], .n = 20, .k = 33, .alpha = -0.5f, .beta = 2, .seed = 6};
        set_up(&c, false);
        for (int row = 0; row < c.n; row++) {
            double sum = 0.0, magnitude = 0.0;
            for (int j = 0; j < c.k; j++) {
                const double product = (double)matrix_at(&v.a, row, j) * matrix_at(&v.b, j, 0);
                sum += product;
                magnitude += fabs(product);
            }
            const double y0 = matrix_at(&v.c, row, 0), ref = -0.5 * sum + 2 * y0;
            const double w = types[i] == DTYPE_F32 ? 0x1p-24 : types[i] == DTYPE_F16 ? 0x1p-11 : 0x1p-8;
            const double s = 0.5 * magnitude + 2 * fabs(y0), step = dtype_step(types[i]);
            const double bound = (1 + w) * (c.k + 2) * 0x1p-24 * s + w * fabs(ref) + step;
            assert_true(fabs(verify_bound(&v, magnitude, ref, y0) - bound) <= 1e-12 * bound);
            assert_true(verify_judge(&v, (float)(ref + 1.01 * bound), ref, bound) > 1.0);
            assert_true(verify_judge(&v, (float)(ref - 0.99 * bound), ref, bound) <= 1.0);
        }
        gemv();
        assert_int_equal(verify().wrong, 0);
        store(3, NAN);
        assert_int_equal(verify().wrong, 1);
    }
}

static void overflow_is_infinity(void **state) {
    (void)state;
    const gemv_case c = {.type = DTYPE_F16, .n = 4, .k = 40, .alpha = 1e5f, .seed = 1};
    set_up(&c, false);
    gemv();
    assert_int_equal(verify().wrong, 0);
    int infinite = 0;
    for (int i = 0; i < 4; i++) infinite += isinf(matrix_at(&v.c, i, 0)) != 0;
    assert_true(infinite > 0);
    for (int i = 0; i < 4; i++)
        if (isinf(matrix_at(&v.c, i, 0))) store(i, copysign(65504.0, matrix_at(&v.c, i, 0)));
    assert_int_equal(verify().wrong, infinite);
}

/* What is planted has to arrive where BLAS lets it, and nowhere else. */
static void planted_values_arrive(void **state) {
    (void)state;
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++)
        for (int where = PLANT_A; where <= PLANT_Y; where++) {
            const gemv_case c = {.type = DTYPE_BF16,
                                 .n = 6,
                                 .k = 8,
                                 .alpha = 1,
                                 .beta = -0.5f,
                                 .plant = (gemv_plant)where,
                                 .plant_at = 5,
                                 .planted = values[i]};
            set_up(&c, false);
            gemv();
            int special = 0, at = -1;
            for (int j = 0; j < 6; j++)
                if (!isfinite(matrix_at(&v.c, j, 0))) special++, at = j;
            assert_int_equal(special, where == PLANT_X ? 6 : 1);
            assert_int_equal(verify().wrong, 0);
            store(at, 1.0);
            assert_int_equal(verify().wrong, 1);
            store(at, isnan(values[i]) ? INFINITY : NAN);
            assert_int_equal(verify().wrong, 1);
        }
}

/* Do all rows of A, and x, begin on 16 bytes? */
static bool on_16_bytes(const gemv_case *c) {
    const int piece = 16 / (int)dtype_size(c->type), lda = c->lda != 0 ? c->lda : c->k;
    return lda % piece == 0 && c->off_a % piece == 0 && c->off_x % piece == 0;
}

/* What kernels of 16-byte loads, and of several turns, are only seen to do right where it is listed. */
static int take_cases(int max_size, int every, uint64_t seed, gemv_case **cases) {
    case_list l = {.size = sizeof **cases, .max_size = max_size, .seed = seed};
    gemv_cases(&l);
    case_list_thin(&l, every);
    *cases = (gemv_case *)l.cases;
    return l.count;
}

static void the_check_list_on_16_bytes(void **state) {
    (void)state;
    gemv_case *cases;
    bool planted[3][4][2][3] = {{{{0}}}}, sampled[3][2] = {{0}};
    int turns[3] = {0};
    const int count = take_cases(INT_MAX, 1, 1, &cases);
    for (int i = 0; i < count; i++) {
        const gemv_case *c = &cases[i];
        if (c->plant != PLANT_NONE)
            planted[c->type][c->plant][on_16_bytes(c)][isnan(c->planted) ? 0 : c->planted > 0.0f ? 1 : 2] = true;
        turns[c->type] += on_16_bytes(c) && c->n > 2 * 132 * 16 && c->k > 1000 && c->k <= 2048;
    }
    assert_true(on_16_bytes(&cases[0]) && cases[0].n > 2 * 132 * 16 && cases[0].n <= 4301);
    free(cases);
    for (int t = 0; t < 3; t++) {
        assert_int_equal(turns[t], 2);
        for (int where = PLANT_A; where <= PLANT_X; where++)
            for (int value = 0; value < 3; value++)
                assert_true(planted[t][where][0][value] && planted[t][where][1][value]);
    }
    /* What scripts/sanitize.sh takes of it. */
    const int few = take_cases(129, 41, 1, &cases);
    for (int i = 0; i < few; i++)
        if (cases[i].n > 0 && cases[i].k >= 16) sampled[cases[i].type][on_16_bytes(&cases[i])] = true;
    free(cases);
    assert_in_range(few, 12, 20);
    for (int t = 0; t < 3; t++) assert_true(sampled[t][0] && sampled[t][1]);
    const int raced = take_cases(1024, 187, 1, &cases);
    bool turned = false;
    for (int i = 0; i < raced; i++) turned = turned || (cases[i].n == 1024 && cases[i].k == 1024);
    free(cases);
    assert_true(turned);
}

static void the_check_list(void **state) {
    (void)state;
    gemv_case *cases, *some;
    const int count = take_cases(INT_MAX, 1, 1, &cases);
    bool n_seen[71] = {0}, k_seen[71] = {0}, scaled[3][4][4] = {{{0}}}, planted[4] = {0};
    int off[3] = {0}, padded = 0, empty = 0, big_n = 0, big_k = 0, past_32 = 0;
    assert_true(count > 600);
    for (int i = 0; i < count; i++) {
        const gemv_case *c = &cases[i];
        assert_int_equal(c->seed, 1 + i);
        assert_true(c->lda == 0 || c->lda >= c->k);
        if (c->n <= 70) n_seen[c->n] = true;
        if (c->k <= 70) k_seen[c->k] = true;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                if (c->alpha == scalars[a] && c->beta == scalars[b]) scaled[c->type][a][b] = true;
        planted[c->plant] = true;
        off[0] += c->off_a && !c->off_x && !c->off_y;
        off[1] += !c->off_a && c->off_x && !c->off_y;
        off[2] += !c->off_a && !c->off_x && c->off_y;
        padded += c->lda > c->k;
        empty += c->n == 0 || c->k == 0;
        big_n += c->n >= 1000000;
        big_k += c->k >= 1000000;
        past_32 += (uint64_t)c->n * (uint64_t)c->k > UINT32_MAX;
    }
    for (int i = 0; i <= 70; i++) assert_true(n_seen[i] && k_seen[i]);
    for (int i = 0; i < 48; i++) assert_true(scaled[i / 16][i / 4 % 4][i % 4]);
    assert_true(planted[PLANT_A] && planted[PLANT_X] && planted[PLANT_Y]);
    assert_true(off[0] && off[1] && off[2] && padded && empty && big_n && big_k && past_32);
    const int fewer = take_cases(300, 7, 1, &some);
    assert_true(fewer > 50 && fewer < count / 7);
    for (int i = 0; i < fewer; i++) assert_true(some[i].n <= 300 && some[i].k <= 300);
    free(cases);
    free(some);
}

/* ---- sweeps ---- */

static void sweeps_of_a_gemv(void **state) {
    (void)state;
    int count;
    shape *shapes;
    for (int kind = SWEEP_SQUARE; kind <= SWEEP_ODD; kind++)
        for (int simulated = 0; simulated < 2; simulated++) {
            shapes = gemv_sweep((sweep_kind)kind, simulated, INT_MAX, &count);
            assert_true(count > 0);
            for (int i = 0; i < count; i++) assert_int_equal(shapes[i].m, 1);
            free(shapes);
        }
    shapes = gemv_sweep(SWEEP_ARTICLE, false, INT_MAX, &count);
    assert_true(count == 1 && shapes[0].n == 1024 && shapes[0].k == 1024);
    free(shapes);
    free(gemv_sweep(SWEEP_SQUARE, false, 1000, &count));
    assert_int_equal(count, 3);
}

/* ---- the tune file ---- */

static char folder[64], file[128], message[512];
static tune_table table;
static const char *const known[] = {"n2 r32 u4 v1", "n8 r32 u1 v2"};

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/test_gemv.XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(file, sizeof file, "%s/a/b/gemv.tune", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    tune_close(&table);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static tune_entry entry(dtype type, int n, int k, const char *candidate, double us) {
    tune_entry e = {.variant = "best",
                    .device = "NVIDIA H200",
                    .build = "0123456789abcdef",
                    .driver = "580.159.04",
                    .cuda = "13.0",
                    .cache = "cold",
                    .mode = "graph",
                    .type = type,
                    .n = n,
                    .k = k};
    strcpy(e.candidate, candidate);
    e.us = us;
    return e;
}

/* Opens the file anew; what was said is in `message`. */
static void reopen(void) {
    FILE *err = fmemopen(message, sizeof message, "w");
    memset(message, 0, sizeof message);
    tune_close(&table);
    tune_open(&table, file, err);
    fclose(err);
}

static void keep(tune_entry e) {
    FILE *err = fmemopen(message, sizeof message, "w");
    memset(message, 0, sizeof message);
    tune_keep(&table, &e, err);
    fclose(err);
}

static const char *found(dtype type, int n, int k) {
    const tune_entry key = entry(type, n, k, "", 0);
    const tune_entry *e = tune_find(&table, &key, known, COUNT(known));
    return e != NULL ? e->candidate : "none";
}

static const char *nearest(dtype type, int n, int k) {
    const tune_entry key = entry(type, n, k, "", 0);
    const tune_entry *e = tune_nearest(&table, &key, known, COUNT(known));
    return e != NULL ? e->candidate : "none";
}

static void tuned_results_come_back(void **state) {
    (void)state;
    reopen();
    assert_string_equal(message, "");
    keep(entry(DTYPE_F16, 1024, 1024, known[0], 1.625));
    keep(entry(DTYPE_BF16, 1024, 1024, known[1], 2.5));
    assert_string_equal(message, "");
    reopen();
    assert_string_equal(message, "");
    assert_int_equal(table.count, 2);
    assert_true(table.entries[0].us == 1.625);
    assert_string_equal(found(DTYPE_F16, 1024, 1024), known[0]);
    assert_string_equal(found(DTYPE_BF16, 1024, 1024), known[1]);
    assert_string_equal(found(DTYPE_F32, 1024, 1024), "none");
    assert_string_equal(found(DTYPE_F16, 1024, 1025), "none");
    keep(entry(DTYPE_F16, 1024, 1024, known[1], 1.5)); /* in the place of the first */
    keep(entry(DTYPE_F16, 7, 7, "of another program", 1.5));
    reopen();
    assert_int_equal(table.count, 3);
    assert_string_equal(found(DTYPE_F16, 1024, 1024), known[1]);
    assert_string_equal(found(DTYPE_F16, 7, 7), "none");
    tune_entry key = entry(DTYPE_F16, 1024, 1024, "", 0);
    char *const parts[] = {key.variant, key.device, key.build, key.driver, key.cuda, key.cache, key.mode};
    for (size_t i = 0; i < COUNT(parts); i++) {
        key = entry(DTYPE_F16, 1024, 1024, "", 0);
        assert_non_null(tune_find(&table, &key, known, COUNT(known)));
        strcpy(parts[i], "another");
        assert_null(tune_find(&table, &key, known, COUNT(known)));
        assert_null(tune_nearest(&table, &key, known, COUNT(known)));
    }
}

/* Each build keeps its own result. */
static void builds_do_not_share_results(void **state) {
    (void)state;
    reopen();
    tune_entry rebuilt = entry(DTYPE_F16, 1024, 1024, known[1], 2.5);
    strcpy(rebuilt.build, "fedcba9876543210");
    keep(entry(DTYPE_F16, 1024, 1024, known[0], 1.625));
    keep(rebuilt);
    reopen();
    assert_int_equal(table.count, 2);
    assert_string_equal(found(DTYPE_F16, 1024, 1024), known[0]);
    assert_string_equal(tune_find(&table, &rebuilt, known, COUNT(known))->candidate, known[1]);
}

/* What another process kept meanwhile is not lost. */
static void two_writers(void **state) {
    (void)state;
    tune_table other;
    reopen();
    tune_open(&other, file, stderr);
    const tune_entry e = entry(DTYPE_F16, 5, 5, known[0], 1);
    tune_keep(&other, &e, stderr);
    tune_close(&other);
    keep(entry(DTYPE_F16, 6, 6, known[1], 1));
    reopen();
    assert_string_equal(found(DTYPE_F16, 5, 5), known[0]);
    assert_string_equal(found(DTYPE_F16, 6, 6), known[1]);
}

static void the_nearest_shape(void **state) {
    (void)state;
    reopen();
    assert_string_equal(nearest(DTYPE_F16, 100, 100), "none");
    keep(entry(DTYPE_F16, 1000, 1000, known[0], 1));
    keep(entry(DTYPE_F16, 10000, 10000, known[1], 1));
    keep(entry(DTYPE_F16, 3100, 3100, "unknown", 1));
    assert_string_equal(nearest(DTYPE_F16, 3000, 3000), known[0]); /* by the logarithm; 3162 is half-way */
    assert_string_equal(nearest(DTYPE_F16, 3300, 3300), known[1]);
    assert_string_equal(nearest(DTYPE_F16, 5600, 1000), known[0]); /* 0.75 0 against 0.25 1 */
    assert_string_equal(nearest(DTYPE_F16, 10000, 0), known[0]);
    assert_string_equal(nearest(DTYPE_BF16, 1000, 1000), "none");
}

static void write_text(const char *text, size_t length) {
    keep(entry(DTYPE_F16, 9, 9, known[0], 1)); /* makes the folders */
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    fclose(f);
}

static void damaged_files_are_ignored_and_rewritten(void **state) {
    (void)state;
#define GOOD "kernel-ladder tune file 3\n"
    static const char *const texts[] = {
        "n,k\n1,2\n",
        "kernel-ladder tune file 1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\t1\t1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf64\t1\t2\tc\t1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t-1\t2\tc\t1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t9999999999\tc\t1\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\tnan\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\t0\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\t\t1\n",
        GOOD "a\tb\t\td\te\tcold\tgraph\tf16\t1\t2\tc\t1\n",
        GOOD "a\tb\tc\td\tcold\tgraph\tf16\t1\t2\tc\t1\n",
        GOOD "\n",
        GOOD "a\tb\tc\td\te\tcold\tgraph\tf16\t1\t2\tc\t1",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        reopen();
        write_text(texts[i], strlen(texts[i]));
        reopen();
        assert_non_null(strstr(message, "ignored; with the next result it becomes "));
        assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);
        assert_int_equal(table.count, 0);
        keep(entry(DTYPE_F16, 3, 4, known[0], 1));
        assert_string_equal(message, "");
        reopen();
        assert_string_equal(message, "");
        assert_int_equal(table.count, 1);
        char aside[160], held[256] = "";
        snprintf(aside, sizeof aside, "%s.old", file);
        FILE *f = fopen(aside, "r");
        assert_non_null(f);
        const size_t length = fread(held, 1, sizeof held - 1, f);
        fclose(f);
        assert_int_equal(length, strlen(texts[i]));
        assert_string_equal(held, texts[i]); /* whoever's it was, it is not lost */
    }
    write_text(GOOD "a\0b\n", sizeof GOOD + 3);
    reopen();
    assert_non_null(strstr(message, "zero byte"));
    write_text("", 0); /* of a full disk, say: empty, and no harm */
    reopen();
    assert_string_equal(message, "");
    write_text(GOOD "# a remark\n", strlen(GOOD "# a remark\n"));
    reopen();
    assert_string_equal(message, "");
}

/* Its entries do not say which build they are of: they are not found, without a word, and the next result replaces
 * them. */
static void a_file_of_0_9_is_empty(void **state) {
    (void)state;
    const char *const text =
        "kernel-ladder tune file 2\nautotuned\tNVIDIA H200\tcold\tgraph\tf16\t1024\t1024\tn2\t1.5\n";
    reopen();
    write_text(text, strlen(text));
    reopen();
    assert_string_equal(message, "");
    assert_int_equal(table.count, 0);
    keep(entry(DTYPE_F16, 3, 4, known[0], 1));
    assert_string_equal(message, "");
    reopen();
    assert_string_equal(message, "");
    assert_int_equal(table.count, 1);
}

static void unwritable_places_cost_one_line(void **state) {
    (void)state;
    strcpy(file, "/proc/nowhere/gemv.tune");
    reopen();
    assert_string_equal(message, "");
    keep(entry(DTYPE_F16, 3, 4, known[0], 1));
    assert_non_null(strstr(message, "not kept\n"));
    assert_string_equal(found(DTYPE_F16, 3, 4), known[0]); /* this process knows it */
    keep(entry(DTYPE_F16, 5, 4, known[0], 1));
    assert_string_equal(message, "");
    strcpy(file, folder); /* a folder */
    reopen();
    assert_non_null(strstr(message, "is no file: what is tuned is not kept"));
    keep(entry(DTYPE_F16, 3, 4, known[0], 1));
    assert_string_equal(message, "");
    struct stat s;
    assert_true(stat(folder, &s) == 0 && S_ISDIR(s.st_mode));
}

/* All at once: nobody's result is lost. */
static void many_writers(void **state) {
    (void)state;
    enum { WRITERS = 8, EACH = 20 };
    pid_t children[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        children[w] = fork();
        assert_true(children[w] >= 0);
        if (children[w] > 0) continue;
        tune_table own;
        tune_open(&own, file, stderr);
        for (int i = 0; i < EACH; i++) {
            const tune_entry e = entry(DTYPE_F16, 1 + w, 1 + i, known[0], 1);
            tune_keep(&own, &e, stderr);
        }
        _exit(0);
    }
    for (int w = 0; w < WRITERS; w++) assert_true(waitpid(children[w], NULL, 0) == children[w]);
    reopen();
    assert_int_equal(table.count, WRITERS * EACH);
}

/* A link, to a file in a folder of dotfiles say, stays one. */
static void a_link_stays_a_link(void **state) {
    (void)state;
    char place[160];
    reopen();
    keep(entry(DTYPE_F16, 3, 4, known[0], 1));
    snprintf(place, sizeof place, "%s", file);
    snprintf(file, sizeof file, "%s/link", folder);
    assert_int_equal(symlink(place, file), 0);
    reopen();
    keep(entry(DTYPE_F16, 5, 4, known[0], 1));
    struct stat s;
    assert_true(lstat(file, &s) == 0 && S_ISLNK(s.st_mode));
    strcpy(file, place);
    reopen();
    assert_int_equal(table.count, 2);
}

static void the_cache_folder(void **state) {
    (void)state;
    char *path;
    setenv("HOME", "/h", 1);
    setenv("XDG_CACHE_HOME", "/c", 1);
    path = tune_default_path();
    assert_string_equal(path, "/c/kernel-ladder/gemv.tune");
    free(path);
    setenv("XDG_CACHE_HOME", "relative", 1);
    path = tune_default_path();
    assert_string_equal(path, "/h/.cache/kernel-ladder/gemv.tune");
    free(path);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_null(tune_default_path());
}

/* ---- the search ---- */

typedef struct {
    double quick[6], careful[6];
    int verified[6], measured[6];
} made_up;

static bool made_up_fits(void *context, int i) {
    made_up *m = context;
    m->verified[i]++;
    return !isnan(m->quick[i]);
}

static double made_up_time(void *context, int i, bool finals) {
    made_up *m = context;
    assert_int_equal(m->verified[i], 1); /* before it is timed */
    m->measured[i]++;
    return finals ? m->careful[i] : m->quick[i];
}

static const char *made_up_name(void *context, int i) {
    (void)context;
    (void)i;
    return "candidate";
}

static void the_search_times_what_fits_and_has_finals(void **state) {
    (void)state;
    made_up m = {.quick = {5, NAN, 3, 2, 4, 9}, .careful = {5, 0, 1.5, 2, 4, 0}};
    const tune_candidates c = {6, &m, made_up_fits, made_up_time, made_up_name};
    double times[6];
    FILE *quiet = fopen("/dev/null", "w");
    assert_int_equal(tune_search(&c, times, quiet), 2); /* only the careful time tells */
    assert_true(times[2] == 1.5 && isnan(times[1]) && times[5] == 9);
    assert_true(m.measured[1] == 0 && m.measured[5] == 1 && m.measured[0] == 2);
    made_up none = {.quick = {NAN, NAN, NAN, NAN, NAN, NAN}};
    const tune_candidates nothing = {6, &none, made_up_fits, made_up_time, made_up_name};
    assert_int_equal(tune_search(&nothing, times, quiet), -1);
    fclose(quiet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_sizes),
        cmocka_unit_test(all_patterns_come_back),
        cmocka_unit_test(rounds_to_nearest_even),
        cmocka_unit_test(the_ends_of_the_range),
        cmocka_unit_test(fp32_is_the_processors),
        cmocka_unit_test_teardown(typed_operands_lie_between_guards, tear_down),
        cmocka_unit_test_teardown(right_results_pass, tear_down),
        cmocka_unit_test_teardown(the_exact_pass_wants_every_bit, tear_down),
        cmocka_unit_test_teardown(the_bound_ends_where_it_says, tear_down),
        cmocka_unit_test_teardown(overflow_is_infinity, tear_down),
        cmocka_unit_test_teardown(planted_values_arrive, tear_down),
        cmocka_unit_test(the_check_list),
        cmocka_unit_test(the_check_list_on_16_bytes),
        cmocka_unit_test(sweeps_of_a_gemv),
        cmocka_unit_test_setup_teardown(tuned_results_come_back, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(builds_do_not_share_results, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_of_0_9_is_empty, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(two_writers, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(the_nearest_shape, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(many_writers, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_link_stays_a_link, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(damaged_files_are_ignored_and_rewritten, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(unwritable_places_cost_one_line, make_folder, remove_folder),
        cmocka_unit_test(the_cache_folder),
        cmocka_unit_test(the_search_times_what_fits_and_has_finals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
