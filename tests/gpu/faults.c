/* Does operand_sets_verify() find what is wrong with a kernel? Runs the right kernel of tests/gemm and what can go
 * wrong with one, and looks for the specific fault in the report: the right one must pass silently, each of the others
 * must be refused for the right reason. What is written outside C stays within the operands' guard zones. Prints "ok
 * NAME" or "FAIL NAME", last "N passed, N failed". Exit status: 0, 1 if any failed, 3 without a GPU. */
#include <stdlib.h>

#include "gemm/gemm_operands.h"
#include "gpu/error.h"
#include "gpu/nvml.h"
#include "halves.h"

typedef cudaError_t launcher(const gemm_problem *p, cudaStream_t stream);

launcher launch_plain, launch_reads_a, launch_reads_c, launch_drops_last, launch_skips_corner, launch_writes_past,
    launch_writes_padding, launch_writes_a;

/* ---- what the right kernel makes of wrong arguments ---- */

static cudaError_t launch_swapped_rows(const gemm_problem *p, cudaStream_t stream) {
    cudaError_t error = launch_plain(p, stream);
    for (int row = 2; row < 4 && error == cudaSuccess; row++) {
        gemm_problem q = *p;
        q.m = 1;
        q.A = (const float *)p->A + (int64_t)row * p->lda;
        q.C = (float *)p->C + (int64_t)(5 - row) * p->ldc;
        error = launch_plain(&q, stream);
    }
    return error;
}

static cudaError_t launch_unwritten_rows(const gemm_problem *p, cudaStream_t stream) {
    gemm_problem q = *p;
    q.m = 32;
    return launch_plain(&q, stream);
}

static cudaError_t launch_ignores_alpha(const gemm_problem *p, cudaStream_t stream) {
    gemm_problem q = *p;
    q.alpha = 1.0f;
    return launch_plain(&q, stream);
}

static cudaError_t launch_ignores_beta(const gemm_problem *p, cudaStream_t stream) {
    gemm_problem q = *p;
    q.beta = 0.0f;
    return launch_plain(&q, stream);
}

static cudaError_t launch_reads_beyond_k(const gemm_problem *p, cudaStream_t stream) {
    gemm_problem q = *p;
    q.k++; /* column k of A is padding, row k of B the guard behind it */
    return launch_plain(&q, stream);
}

/* ---- the right result, and then a word is written ---- */

static cudaError_t run_and_set(const gemm_problem *p, cudaStream_t stream, const void *x, int64_t at, float value) {
    const cudaError_t error = launch_plain(p, stream);
    if (error != cudaSuccess) return error;
    return cudaMemcpyAsync((float *)x + at, &value, sizeof value, cudaMemcpyHostToDevice, stream);
}

static cudaError_t launch_wrong_element(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, p->C, 5 * p->ldc + 7, 0.5f);
}

static cudaError_t launch_nan(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, p->C, 28, NAN);
}

static cudaError_t launch_infinity(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, p->C, 36 * p->ldc + 28, INFINITY);
}

static cudaError_t launch_writes_before_c(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, p->C, -1, 3.0f);
}

static cudaError_t launch_writes_b(const gemm_problem *p, cudaStream_t stream) {
    return run_and_set(p, stream, p->B, 2 * p->ldb + 1, 3.0f);
}

/* ---- experiments ---- */

typedef struct {
    const char *name;
    launcher *launch;
    gemm_case what;
    const char *found;     /* what the report must say, with '|' between the parts; NULL: the result is right */
    const char *not_found; /* what it must not say */
} experiment;

/* 1073 elements; padding in all three operands, and none of them aligned. */
#define SHAPE(a, b)                                                                                                    \
    { .m = 37, .n = 29, .k = 33, .lda = 35, .ldb = 32, .ldc = 31, .alpha = a, .beta = b, .misalign = 1, .seed = 1 }
#define SIZE(rows, cols, depth, a, b)                                                                                  \
    { .m = rows, .n = cols, .k = depth, .alpha = a, .beta = b, .seed = 7 }
#define BOTH(count) "exact pass: " count " of 1073 elements wrong|random pass: " count " of 1073 elements wrong|"
#define CHANGED     ": 1 words changed that must not be written, the first "

static const experiment experiments[] = {
    {"right", launch_plain, SHAPE(1.0f, 0.0f), NULL, NULL},
    {"right: alpha and beta", launch_plain, SHAPE(-0.5f, 2.0f), NULL, NULL},
    {"right: alpha = 0", launch_plain, SHAPE(0.0f, 2.0f), NULL, NULL},
    {"right: alpha = beta = 0", launch_plain, SHAPE(0.0f, 0.0f), NULL, NULL},
    {"right: k = 0", launch_plain, SIZE(20, 30, 0, 1.0f, 2.0f), NULL, NULL},
    {"right: m = 0", launch_plain, SIZE(0, 30, 9, 1.0f, 2.0f), NULL, NULL},
    {"right: n = 0", launch_plain, SIZE(20, 0, 9, 1.0f, 0.0f), NULL, NULL},
    {"right: 257 x 129 x 65", launch_plain, SIZE(257, 129, 65, 1.0f, 0.0f), NULL, NULL},
    {"right: k = 8192", launch_plain, SIZE(5, 3, 8192, 1.0f, 0.0f), NULL, NULL},

    {"a wrong element", launch_wrong_element, SHAPE(1.0f, 0.0f),
     BOTH("1") "first at row 5, column 7: |worst at row 5, column 7: ", "changed"},
    {"a NaN", launch_nan, SHAPE(2.0f, 1.0f), BOTH("1") "first at row 0, column 28: |, got nan", "changed"},
    {"an infinity", launch_infinity, SHAPE(2.0f, 1.0f), BOTH("1") "first at row 36, column 28: |, got inf", "changed"},
    {"swapped rows", launch_swapped_rows, SHAPE(1.0f, 0.0f),
     "exact pass: |random pass: 58 of 1073 elements wrong|first at row 2, column 0: |worst at row ", "changed"},
    {"an unwritten element", launch_skips_corner, SHAPE(1.0f, 0.0f), BOTH("1") "first at row 36, column 28: |, got nan",
     "changed"},
    {"an element left as it was", launch_skips_corner, SHAPE(1.0f, 1.0f),
     BOTH("1") "first at row 36, column 28: ", "changed"},
    {"rows not written", launch_unwritten_rows, SHAPE(1.0f, 0.0f), BOTH("145") "first at row 32, column 0: |, got nan",
     "changed"},
    {"a dropped term", launch_drops_last, SHAPE(1.0f, 0.0f),
     "exact pass: 1073 of 1073 elements wrong|random pass: ", "changed"},
    /* The random pass's bound is 1 here: the exact pass alone can tell. */
    {"a dropped term at k = 8192", launch_drops_last, SIZE(5, 3, 8192, 1.0f, 0.0f),
     "exact pass: 15 of 15 elements wrong", "random pass"},
    {"alpha ignored", launch_ignores_alpha, SHAPE(-0.5f, 1.0f), "exact pass: |random pass: ", "changed"},
    {"beta ignored", launch_ignores_beta, SHAPE(1.0f, 2.0f),
     "exact pass: 1073 of 1073 elements wrong|random pass: ", "changed"},
    {"A and B read where alpha = 0", launch_reads_a, SHAPE(0.0f, 1.0f), BOTH("1073") ", got nan", "changed"},
    {"C read where beta = 0", launch_reads_c, SHAPE(1.0f, 0.0f), BOTH("1073") ", got nan", "changed"},
    {"a column of A too many", launch_reads_beyond_k, SHAPE(1.0f, 1.0f), BOTH("1073") ", got nan", "changed"},
    {"a column of A where k = 0", launch_reads_beyond_k, SIZE(20, 30, 0, 1.0f, 1.0f),
     "exact pass: 600 of 600 elements wrong|random pass: 600 of 600 elements wrong|, got nan", "changed"},
    {"a write before C", launch_writes_before_c, SHAPE(1.0f, 0.0f), CHANGED "1 floats before C\n", "pass: "},
    {"a write after C", launch_writes_past, SHAPE(1.0f, 0.0f), CHANGED "0 floats after the end of C\n", "pass: "},
    {"a write to C's padding", launch_writes_padding, SHAPE(1.0f, 0.0f),
     CHANGED "at row 0, column 29 of C (37 x 29, leading dimension 31)\n", "pass: "},
    {"a write to A", launch_writes_a, SHAPE(1.0f, 0.0f),
     CHANGED "at row 0, column 0 of A (37 x 33, leading dimension 35)\n", " of C ("},
    {"a write to B", launch_writes_b, SHAPE(1.0f, 0.0f),
     CHANGED "at row 2, column 1 of B (33 x 29, leading dimension 32)\n", " of C ("},
};

static bool as_expected(const experiment *e, const verdict *verdict, const char *report) {
    if (e->found == NULL)
        return verdict->ok && report[0] == '\0' && verdict->worst_share >= 0.0 && verdict->worst_share <= 1.0;
    if (verdict->ok || strstr(report, e->not_found) != NULL) return false;
    char phrases[256], *rest = phrases;
    snprintf(phrases, sizeof phrases, "%s", e->found);
    while (rest != NULL)
        if (strstr(report, strsep(&rest, "|")) == NULL) return false;
    return true;
}

static cudaError_t launch(void *context, const operand_set *set, float alpha, float beta, cudaStream_t stream) {
    const experiment *e = context;
    gemm_problem p = gemm_problem_on(&e->what, set);
    p.alpha = alpha;
    p.beta = beta;
    return e->launch(&p, stream);
}

static bool run(const experiment *e, cudaStream_t stream) {
    char *report = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&report, &length);
    if (f == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    operand_sets o;
    verdict verdict;
    const operand_spec spec = gemm_operands(&e->what);
    operand_sets_create(&o, &spec, 1);
    CUDA_CHECK(operand_sets_verify(&o, e->name, launch, (void *)e, stream, f, &verdict));
    operand_sets_destroy(&o);
    fclose(f);
    const bool ok = as_expected(e, &verdict, report);
    printf("%s %s\n", ok ? "ok" : "FAIL", e->name);
    if (!ok) printf("%s(verdict: %s)\n", report, verdict.ok ? "right" : "wrong");
    free(report);
    return ok;
}

int main(void) {
    device_facts device;
    const device_choice first = {.ordinal = 0};
    const int status = device_open(&first, &device, stderr);
    if (status != EXIT_OK) return status;
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    int passed = 0, failed = 0;
    for (int i = 0; i < ARRAY_SIZE(experiments); i++) {
        if (run(&experiments[i], stream))
            passed++;
        else
            failed++;
    }
    if (halves_differ() == 0) {
        printf("ok the device's verdicts are the host's\n");
        passed++;
    } else
        failed++;
    CUDA_CHECK(cudaStreamDestroy(stream));
    nvml_close();
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? EXIT_OK : EXIT_WRONG;
}
