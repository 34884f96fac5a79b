/* What tf32x3 makes of special values, how its error grows with K, and whether a product that is divided along K has
 * the same bits every time: build/tests/tensorcore/run special|errors|again.
 *
 * special: infinities, NaNs and extreme magnitudes, against FP64. Last line: "N passed, N failed". Exit status 1 when
 * any failed.
 *
 * errors: the largest and the mean of |c - ref| / |A||B| of tf32x3, of plain TF32 and of FP32, for K = 1, 2, 4 ...; on
 * values of either sign, and on positive ones, where roundings that do not cancel add up. --csv FILE records it,
 * --size N takes N x N elements, --max-k N ends there. */
#include <float.h>
#include <stdlib.h>
#include <time.h>

#include "base/record.h"
#include "gpu/error.h"
#include "gpu/simulator.h"
#include "tensor/verify.h"
#include "tensorcore.h"

GEMM_VARIANT(best);
size_t workspace_best(const gemm_problem *p);
GEMM_VARIANT(lds128_2x2);

/* ---- one product ----------------------------------------------------------------------------------------------- */

/* A, B and C, tight, in memory of host and device both, and a workspace. */
typedef struct {
    gemm_problem p;
    float *a, *b, *c;
    void *workspace;
} product;

static float *floats(int rows, int cols) {
    void *x;
    CUDA_CHECK(cudaMallocManaged(&x, (size_t)rows * (size_t)cols * sizeof(float), cudaMemAttachGlobal));
    return x;
}

static product make(gemm_type type, gemm_layout layout, int m, int n, int k) {
    product x = {.p = {.type = type,
                       .out = DTYPE_F32,
                       .layout = layout,
                       .m = m,
                       .n = n,
                       .k = k,
                       .lda = k,
                       .ldb = layout == GEMM_TN ? k : n,
                       .ldc = n,
                       .alpha = 1.0f}};
    x.p.A = x.a = floats(m, k);
    x.p.B = x.b = floats(k, n);
    x.p.C = x.c = floats(m, n);
    gemm_problem plain = x.p; /* which is computed in that type, too */
    plain.type = GEMM_TF32;
    size_t bytes = workspace_best(&x.p);
    if (bytes < workspace_best(&plain)) bytes = workspace_best(&plain);
    CUDA_ALLOCATE(&x.workspace, bytes);
    CUDA_CHECK(cudaMemset(x.workspace, 0xff, bytes));
    x.p.workspace = x.workspace;
    return x;
}

static void destroy(product *x) {
    CUDA_CHECK(cudaFree(x->a));
    CUDA_CHECK(cudaFree(x->b));
    CUDA_CHECK(cudaFree(x->c));
    CUDA_CHECK(cudaFree(x->workspace));
}

static void compute(const product *x, gemm_type type, cudaError_t (*launch)(const gemm_problem *, cudaStream_t)) {
    gemm_problem p = x->p;
    p.type = type;
    CUDA_CHECK(cudaMemset(x->c, 0xff, (size_t)p.m * (size_t)p.n * sizeof(float)));
    CUDA_CHECK(launch(&p, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
}

/* Element (l, col) of B. */
static float *b_at(const product *x, int l, int col) {
    return x->p.layout == GEMM_TN ? &x->b[(size_t)col * (size_t)x->p.ldb + (size_t)l]
                                  : &x->b[(size_t)l * (size_t)x->p.ldb + (size_t)col];
}

static float *a_at(const product *x, int row, int l) {
    return &x->a[(size_t)row * (size_t)x->p.lda + (size_t)l];
}

/* Uniform in [-1, 1), times the scales. */
static void fill(const product *x, float scale_a, float scale_b) {
    const size_t of_a = (size_t)x->p.m * (size_t)x->p.k, of_b = (size_t)x->p.k * (size_t)x->p.n;
    for (size_t i = 0; i < of_a; i++) x->a[i] = scale_a * values_at(VALUES_UNIFORM, 1, i);
    for (size_t i = 0; i < of_b; i++) x->b[i] = scale_b * values_at(VALUES_UNIFORM, 2, i);
}

/* ---- special values -------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    float scale_a, scale_b; /* of the uniform values around the special ones */
    void (*plant)(const product *x);
} special;

static void nothing(const product *x) {
}
/* All of one sign: what is beyond FP32 stays there. */
static void positive(const product *x) {
    for (int i = 0; i < x->p.m; i++)
        for (int l = 0; l < x->p.k; l++) *a_at(x, i, l) = fabsf(*a_at(x, i, l));
    for (int l = 0; l < x->p.k; l++)
        for (int j = 0; j < x->p.n; j++) *b_at(x, l, j) = fabsf(*b_at(x, l, j));
}
static void infinity_in_a(const product *x) {
    *a_at(x, 3, 5) = INFINITY;
    *a_at(x, x->p.m - 1, x->p.k - 1) = -INFINITY;
}
static void infinity_in_b(const product *x) {
    *b_at(x, 2, 1) = -INFINITY;
    *b_at(x, x->p.k - 1, x->p.n - 1) = INFINITY;
}
/* FP32 makes infinity of all but the 0 here: no part of a small one may meet the infinity. */
static void infinity_and_whole(const product *x) {
    *a_at(x, 3, 5) = INFINITY;
    for (int j = 0; j < x->p.n; j++) *b_at(x, 5, j) = (float)(j % 3);
}
static void infinities_meet(const product *x) {
    *a_at(x, 3, 5) = INFINITY;
    *a_at(x, 3, 6) = -INFINITY;
    *a_at(x, 4, 5) = INFINITY;
    *b_at(x, 5, 1) = INFINITY;
    *b_at(x, 6, 2) = -INFINITY;
    *b_at(x, 5, 3) = *b_at(x, 6, 3) = 1.0f;
}
static void nan_in_a(const product *x) {
    *a_at(x, 7, 4) = values_from_bits(0x7f800001u); /* all that makes it one is below TF32's mantissa */
    *a_at(x, 8, 4) = values_from_bits(0xffffffffu);
}
static void nan_in_b(const product *x) {
    *b_at(x, 7, 4) = values_from_bits(0x7fffffffu);
    *b_at(x, 1, x->p.n - 1) = values_from_bits(0xff800fffu);
}
/* Rounded to TF32 they would be infinite. */
static void largest_in_a(const product *x) {
    for (int l = 0; l < x->p.k; l++) {
        *a_at(x, 0, l) = 0.0f;
        *a_at(x, 1, l) = l % 2 ? FLT_MAX : -FLT_MAX;
        *a_at(x, 2, l) = values_from_bits(0x7f7ff000u);
    }
    *a_at(x, 0, 9) = FLT_MAX;
    *a_at(x, 3, 9) = -FLT_MAX;
}
static void one_in_b(const product *x) {
    largest_in_a(x);
    for (int l = 0; l < x->p.k; l++) *b_at(x, l, 0) = l == 9 ? 1.0f : 0.0f;
}
static void cancelling(const product *x) {
    for (int i = 0; i < x->p.m; i++) {
        *a_at(x, i, 1) = 0x1p40f;
        *a_at(x, i, 2) = -0x1p40f;
    }
    for (int j = 0; j < x->p.n; j++) *b_at(x, 1, j) = *b_at(x, 2, j) = 1.0f / 3.0f;
}

static const special specials[] = {
    {"uniform values", 1.0f, 1.0f, nothing},
    {"large times small", 0x1p60f, 0x1p-60f, nothing},
    {"tiny times large", 0x1p-70f, 0x1p100f, nothing},
    {"sums beyond FP32", 0x1p63f, 0x1p62f, positive},
    {"infinities in A", 1.0f, 1.0f, infinity_in_a},
    {"infinities in B", 1.0f, 1.0f, infinity_in_b},
    {"an infinity times whole numbers", 1.0f, 1.0f, infinity_and_whole},
    {"infinities of both", 1.0f, 1.0f, infinities_meet},
    {"NaN in A", 1.0f, 1.0f, nan_in_a},
    {"NaN in B", 1.0f, 1.0f, nan_in_b},
    {"the largest numbers", 1.0f, 0x1p-20f, largest_in_a},
    {"the largest numbers times 1", 1.0f, 0x1p-20f, one_in_b},
    {"large terms that cancel", 1.0f, 1.0f, cancelling},
};

/* Is every element what FP64 makes of it, within the bound? FP32's own overflow counts as right. */
static bool right(const product *x, const char *name) {
    const int m = x->p.m, n = x->p.n, k = x->p.k;
    const bool tn = x->p.layout == GEMM_TN;
    verify_case v = {.a = matrix_place(x->a, DTYPE_F32, m, k, k, 0),
                     .b = matrix_place(x->b, DTYPE_F32, tn ? n : k, tn ? k : n, x->p.ldb, 0),
                     .c = matrix_place(x->c, DTYPE_F32, m, n, n, 0),
                     .alpha = 1.0f,
                     .arithmetic = VERIFY_TF32X3,
                     .b_transposed = x->p.layout == GEMM_TN};
    v.a.elements = x->a; /* without guards */
    v.b.elements = x->b;
    v.c.elements = x->c;
    v.a.planted = 1; /* NaN and infinity have to be met */
    verify_result r;
    verify_host(&v, &r);
    if (r.wrong > 0) verify_report(stdout, name, &v, &r);
    return r.wrong == 0;
}

/* Below 2^-126 there is no small part, and at worst no big one: both count as zero where the hardware flushes them. */
static bool right_of_subnormals(const product *x) {
    for (int i = 0; i < x->p.m; i++)
        for (int j = 0; j < x->p.n; j++) {
            double sum = 0.0, b = 0.0;
            for (int l = 0; l < x->p.k; l++) {
                sum += (double)*a_at(x, i, l) * *b_at(x, l, j);
                b += fabs((double)*b_at(x, l, j));
            }
            if (!(fabs(x->c[(size_t)i * (size_t)x->p.n + (size_t)j] - sum) <= 0x1p-126 * b)) return false;
        }
    return true;
}

static int counts[2]; /* failed, passed */

static void count_case(bool good, const char *name, const product *x) {
    printf("%s %s, %s, %d columns\n", good ? "ok" : "FAIL", name, gemm_layout_name(x->p.layout), x->p.n);
    counts[good]++;
}

static int check_specials(void) {
    /* Tiles of 128 x 128; and so many that they are 128 x 256. */
    static const int shapes[][3] = {{150, 200, 45}, {130, 8705, 33}};
    for (int s = 0; s < ARRAY_SIZE(shapes); s++)
        for (int tn = 0; tn < (s == 0 ? 2 : 1); tn++) {
            product x = make(GEMM_TF32X3, tn ? GEMM_TN : GEMM_NN, shapes[s][0], shapes[s][1], shapes[s][2]);
            const int each = s == 0 || getenv("KL_TEST_ALL") != NULL ? 1 : 6; /* many tiles take long */
            for (int i = 0; i < ARRAY_SIZE(specials); i += each) {
                fill(&x, specials[i].scale_a, specials[i].scale_b);
                specials[i].plant(&x);
                compute(&x, GEMM_TF32X3, launch_best);
                count_case(right(&x, specials[i].name), specials[i].name, &x);
            }
            fill(&x, 0x1p-127f, 0x1p60f);
            compute(&x, GEMM_TF32X3, launch_best);
            count_case(right_of_subnormals(&x), "subnormal numbers", &x);
            destroy(&x);
        }
    printf("%d passed, %d failed\n", counts[true], counts[false]);
    return counts[false] > 0 ? EXIT_WRONG : EXIT_OK;
}

/* ---- error against K ------------------------------------------------------------------------------------------- */

#define ERRORS_HEADER "variant,dtype,values,m,n,k,error_max,error_mean,device,cc,driver,cuda,date\n"

static const struct {
    const char *variant, *dtype;
    gemm_type type;
    cudaError_t (*launch)(const gemm_problem *, cudaStream_t);
} measured[] = {
    {"best", "tf32x3", GEMM_TF32X3, launch_best},
    {"best", "tf32", GEMM_TF32, launch_best},
    {"lds128_2x2", "f32", GEMM_F32, launch_lds128_2x2},
};

typedef struct {
    const char *csv;
    int size, max_k;
    device_facts device;
} errors_task;

static void keep(const errors_task *task, int which, bool of_one_sign, int k, double largest, double mean) {
    const device_facts *d = &task->device;
    char text[1024], date[16];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    snprintf(text, sizeof text, "%s%s,%s,%s,%d,%d,%d,%.6g,%.6g,%s,%d.%d,%s,%s,%s\n", ERRORS_HEADER,
             measured[which].variant, measured[which].dtype, of_one_sign ? "positive" : "signed", task->size,
             task->size, k, largest, mean, d->name, d->cc / 10, d->cc % 10, d->driver, d->cuda, date);
    printf("%-11s %-7s %-9s %6d  max %.3g  mean %.3g\n", measured[which].variant, measured[which].dtype,
           of_one_sign ? "positive" : "signed", k, largest, mean);
    fflush(stdout);
    if (task->csv != NULL && record_text_append(task->csv, text, strlen(ERRORS_HEADER), stderr) != 0) exit(EXIT_CUDA);
}

static void measure_errors(const errors_task *task, bool of_one_sign, int k) {
    const size_t count = (size_t)task->size * (size_t)task->size;
    product x = make(GEMM_TF32X3, GEMM_NN, task->size, task->size, k);
    double *ref;
    CUDA_CHECK(cudaMallocManaged((void **)&ref, 2 * count * sizeof *ref, cudaMemAttachGlobal));
    fill(&x, 1.0f, 1.0f);
    if (of_one_sign) positive(&x);
    const double *magnitude = ref + count;
    CUDA_CHECK(tensorcore_reference(&x.p, ref, ref + count));
    for (int i = 0; i < ARRAY_SIZE(measured); i++) {
        compute(&x, measured[i].type, measured[i].launch);
        double largest = 0.0, sum = 0.0;
        for (size_t e = 0; e < count; e++) {
            const double error = magnitude[e] > 0.0 ? fabs(x.c[e] - ref[e]) / magnitude[e] : 0.0;
            if (!(error <= largest)) largest = error;
            sum += error;
        }
        keep(task, i, of_one_sign, k, largest, sum / (double)count);
    }
    CUDA_CHECK(cudaFree(ref));
    destroy(&x);
}

static int record_errors(const errors_task *task) {
    if (task->csv != NULL && record_text_prepare("--csv", task->csv, ERRORS_HEADER, stderr) != 0) return EXIT_USAGE;
    for (int of_one_sign = 0; of_one_sign < 2; of_one_sign++)
        for (int k = 1; k <= task->max_k; k *= 2) measure_errors(task, of_one_sign, k);
    return EXIT_OK;
}

/* ---- the same bits ---------------------------------------------------------------------------------------------- */

/* Twice the same launch, whatever the workspace holds, and one without a workspace, which divides no tile. */
static bool has_same_bits(gemm_layout layout, int m, int n, int k) {
    const size_t count = (size_t)m * (size_t)n;
    product x = make(GEMM_TF32, layout, m, n, k);
    float *const first = malloc(count * sizeof(float));
    bool same = first != NULL && workspace_best(&x.p) > 0;
    fill(&x, 1.0f, 1.0f);
    compute(&x, GEMM_TF32, launch_best);
    if (same) memcpy(first, x.c, count * sizeof(float));
    CUDA_CHECK(cudaMemset(x.workspace, 0x7f, workspace_best(&x.p)));
    simulator_check(false); /* as it is the same again */
    compute(&x, GEMM_TF32, launch_best);
    simulator_check(true);
    same = same && memcmp(first, x.c, count * sizeof(float)) == 0;
    x.p.workspace = NULL;
    compute(&x, GEMM_TF32, launch_best);
    for (size_t i = 0; same && i < count; i++) same = fabsf(first[i] - x.c[i]) <= 1e-6f * (float)k;
    free(first);
    destroy(&x);
    return same;
}

static int check_again(void) {
    static const int shapes[][3] = {{100, 100, 1501}, {7, 130, 901}, {300, 70, 333}, {130, 72, 2500}};
    int passed = 0, failed = 0;
    for (int i = 0; i < ARRAY_SIZE(shapes); i++)
        for (int tn = 0; tn < 2; tn++) {
            if (tn != i % 2 && getenv("KL_TEST_ALL") == NULL) continue;
            const int *s = shapes[i];
            const bool ok = has_same_bits(tn ? GEMM_TN : GEMM_NN, s[0], s[1], s[2]);
            if (!ok) printf("FAIL %s, %d x %d x %d\n", tn ? "tn" : "nn", s[0], s[1], s[2]);
            passed += ok, failed += !ok;
        }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? EXIT_OK : EXIT_WRONG;
}

/* ---- main ------------------------------------------------------------------------------------------------------ */

static int usage(void) {
    fprintf(stderr, "usage: tensorcore special|errors|again [--sim] [--csv FILE] [--size N] [--max-k N]\n");
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    errors_task task = {.size = 0};
    bool simulate = false;
    const int arrived = simulator_arrive(stderr);
    if (arrived != EXIT_OK) return arrived;
    if (argc < 2 ||
        (strcmp(argv[1], "special") != 0 && strcmp(argv[1], "errors") != 0 && strcmp(argv[1], "again") != 0))
        return usage();
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--sim") == 0)
            simulate = true;
        else if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc)
            task.csv = argv[++i];
        else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
            task.size = atoi(argv[++i]);
        else if (strcmp(argv[i], "--max-k") == 0 && i + 1 < argc)
            task.max_k = atoi(argv[++i]);
        else
            return usage();
    }
    const device_choice choice = {.simulate = simulate, .arguments = argv};
    const int status = device_open(&choice, &task.device, stderr);
    if (status != EXIT_OK) return status;
    if (strcmp(argv[1], "again") == 0) return check_again();
    const bool specials_asked = strcmp(argv[1], "special") == 0;
    if (task.device.cc != 90 && specials_asked) {
        printf("tf32x3 needs compute capability 9.0\n0 passed, 0 failed, 1 skipped\n");
        return EXIT_OK;
    }
    if (task.device.cc != 90) {
        fprintf(stderr, "tensorcore: tf32x3 needs compute capability 9.0\n");
        return EXIT_CUDA;
    }
    if (task.size <= 0) task.size = task.device.simulated ? 40 : 256;
    if (task.max_k <= 0) task.max_k = task.device.simulated ? 512 : 65536;
    return specials_asked ? check_specials() : record_errors(&task);
}
