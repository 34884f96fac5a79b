/* cuDNN as the baseline, against a library made up in fake_cudnn.h: what becomes a plan, and what comes out of it. */
#include "../tensor/operands_case.h"
#include "conv/conv_baseline.h"
#include "conv/conv_operands.h"
#include "fake_cudnn.h"
#include <sys/stat.h>
#include <unistd.h>

static conv_baseline b;
static conv_case what;

static int set_up(void **state) {
    memset(&fake, 0, sizeof fake);
    memset(&fakes, 0, sizeof fakes);
    unsetenv("PYTHON");
    what = (conv_case){.type = DTYPE_F32, .k = 5, .alpha = 1.0f, .seed = 3};
    what.seen = (windows){.n = 2, .c = 3, .h = 9, .w = 8, .r = 3, .s = 2, .stride = {2, 1}, .dilation = {1, 2}};
    what.seen.pad[0] = 2, what.seen.pad[1] = 1;
    return 0;
}

static int close_all(void **state) {
    tear_down(NULL);
    conv_baseline_forget(&b);
    cudnn_close();
    return fakes.live;
}

static int ask(bool transformed) {
    assert_null(conv_case_complete(&what));
    assert_null(cudnn_open());
    const conv_problem p = conv_problem_of(&what);
    return conv_baseline_ask(&b, &p, transformed);
}

/* Fills the operands and computes by plan number `call`. */
static cudaError_t launch(int call, verify_arithmetic arithmetic, bool exact) {
    operand_spec spec = conv_operands(&what);
    spec.arithmetic = arithmetic;
    const conv_problem p = conv_problem_on(&what, fill_operands(&spec, exact, what.seed));
    return conv_baseline_launch(&b, &p, call, NULL);
}

static void assert_plan(int call, const char *name, const char *library) {
    bench_call c;
    conv_baseline_call(&b, call, &c);
    assert_string_equal(c.name, name);
    assert_string_equal(c.library, library);
    assert_string_equal(c.version, "9.19.1");
    assert_int_equal(c.inexact, strcmp(library, "cudnn") != 0);
}

/* Not: what was named before, cannot be built, needs too much or multiplies in TF32. */
TEST(plans_of_all_heuristics_and_engines) {
    assert_int_equal(ask(false), 7);
    assert_plan(0, "eng7_k2=1", "cudnn");
    assert_plan(1, "eng0", "cudnn");
    assert_plan(2, "eng7_k2=2", "cudnn");
    assert_plan(3, "eng2", "cudnn");
    assert_plan(4, "eng6", "cudnn");
    assert_plan(5, "eng7_k2=3", "cudnn");
    assert_plan(6, "eng10", "cudnn");
    assert_int_equal(b.unbuilt, 2 * 2);
    assert_int_equal(b.workspace_bytes, 512);
    what.type = DTYPE_F16;           /* tensor cores are welcome, sums in f16 are not */
    assert_int_equal(ask(false), 6); /* what the heuristics name is enough */
    assert_plan(2, "eng5", "cudnn");
}

TEST(transformed_ones_are_apart) {
    assert_int_equal(ask(true), 2);
    assert_plan(0, "eng3", "cudnn transformed");
    assert_plan(1, "eng8", "cudnn transformed");
    for (int exact = 0; exact < 2; exact++)
        for (int call = 0; call < 2; call++) {
            assert_int_equal(launch(call, VERIFY_TRANSFORMED, exact), cudaSuccess);
            assert_int_equal(verify().wrong, call);
        }
    assert_int_equal(launch(0, VERIFY_FMA, true), cudaSuccess);
    assert_true(verify().wrong > 0);
}

TEST(they_compute_what_is_asked) {
    static const dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    for (int i = 0; i < 24; i++) {
        what.type = types[i % 3];
        what.seen.nhwc = i / 3 % 2 != 0;
        what.bias = i / 6 % 2 != 0;
        what.alpha = i / 12 % 2 != 0 ? 2.0f : 1.0f;
        what.beta = what.bias || i % 2 ? 0.0f : -3.0f;
        what.misalign = i % 5;
        assert_true(ask(false) >= 6);
        for (int call = 0; call < b.count; call++) {
            const cudaError_t error = launch(call, i % 3 == 0 ? VERIFY_FMA : VERIFY_TENSOR, i / 2 % 2);
            assert_int_equal(error, fake.last == 6 ? cudaErrorNotSupported : cudaSuccess);
            if (error == cudaSuccess) assert_int_equal(verify().wrong, fake.last == 2);
        }
    }
}

TEST(a_pack_is_made_once) {
    assert_int_equal(ask(false), 7);
    assert_int_equal(launch(1, VERIFY_FMA, true), cudaSuccess);
    const conv_problem p = conv_problem_on(&what, &o.set[0]);
    for (int i = 0; i < 3; i++) assert_int_equal(conv_baseline_launch(&b, &p, i % 2, NULL), cudaSuccess);
    assert_int_equal(fake.packs, 1);
    conv_problem other = p;
    other.x = o.set[0].c.elements;
    assert_int_equal(conv_baseline_launch(&b, &other, 0, NULL), cudaSuccess);
    assert_int_equal(fake.packs, 2);
    other.alpha = 0.5f;
    assert_int_equal(conv_baseline_launch(&b, &other, 0, NULL), cudaErrorNotSupported);
}

TEST(what_there_is_no_plan_for) {
    fake.refuses = true;
    assert_int_equal(ask(false), 0);
    fake.refuses = false;
    what.bias = true;
    assert_int_equal(ask(false), 7);
    what.beta = 2.0f;
    assert_int_equal(ask(false), 0);
    conv_baseline_forget(&b);
    cudnn_close();
    const conv_problem p = conv_problem_of(&what);
    assert_int_equal(conv_baseline_ask(&b, &p, false), 0);
    assert_int_equal(fakes.live, 0);
}

TEST(opens_or_says_why) {
    setenv("NVIDIA_TF32_OVERRIDE", "1", 1); /* dlopen asserts that it is gone */
    assert_null(cudnn_open());
    assert_string_equal(cudnn_version(), "9.19.1");
    cudnn_close();
    assert_string_equal(cudnn_version(), "");
    for (int i = 0; fake_entries[i].name != NULL; i++) {
        fakes.missing = fake_entries[i].name;
        assert_string_equal(cudnn_open(), "this cuDNN is too old");
        assert_int_equal(fakes.live, 0);
    }
    fakes.missing = NULL;
    fake.absent = true;
    assert_non_null(strstr(cudnn_open(), "cuDNN is not installed (libcudnn.so.9; "));
    fake.absent = false;
    fake.beside = "/beside python/lib/libcudnn.so.9";
    setenv("PYTHON", "no/such/python", 1);
    assert_non_null(cudnn_open());
    char script[] = "/tmp/python_XXXXXX";
    FILE *f = fdopen(mkstemp(script), "w");
    fputs("#!/bin/sh\necho '/beside python'\n", f);
    fclose(f);
    assert_int_equal(chmod(script, 0700), 0);
    setenv("PYTHON", script, 1);
    assert_null(cudnn_open());
    unlink(script);
}

static const struct fixtures fixtures = {.before = set_up, .after = close_all};
