#include "gemv/gemv_check.h"

#include <stdlib.h>

#include "gpu/error.h"
#include "base/progress.h"

enum { MAX_REPORTED = 8 }; /* failing cases of a variant that are printed in full */

typedef struct {
    gemv_case *cases;
    int count, capacity, max_size;
    uint64_t seed;
    bool out_of_memory;
} case_list;

static void add(case_list *l, gemv_case c) {
    if (c.n > l->max_size || c.k > l->max_size) return;
    if (l->count == l->capacity) {
        int capacity = l->capacity == 0 ? 256 : l->capacity * 2;
        gemv_case *grown = realloc(l->cases, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            l->out_of_memory = true;
            return;
        }
        l->cases = grown;
        l->capacity = capacity;
    }
    c.seed = l->seed + (uint64_t)l->count;
    l->cases[l->count++] = c;
}

static void add_shape(case_list *l, dtype type, int n, int k, float alpha, float beta) {
    add(l, (gemv_case){.type = type, .n = n, .k = k, .alpha = alpha, .beta = beta});
}

static void add_shapes(case_list *l, dtype t) {
    static const int edges[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1000, 1024, 4095, 4096};
    static const int others[][2] = {{1, 1000}, {1, 4095},   {1000, 1},   {4095, 1}, {7, 4095},
                                    {4095, 7}, {129, 2049}, {2049, 129}, {3, 8192}, {8192, 3}};
    /* Both sides take every value 1 ... 70, the other jumps about (29 has no factor in common with 70). */
    for (int i = 0; i < 70; i++) {
        int s = i + 1, j = 1 + i * 29 % 70;
        add_shape(l, t, s, j, 1.0f, 0.0f);
        add_shape(l, t, j, s, -0.5f, 2.0f);
    }
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        add_shape(l, t, edges[i], 33, 1.0f, 0.0f);
        add_shape(l, t, 33, edges[i], 1.0f, 1.0f);
        if (edges[i] <= 1024) add_shape(l, t, edges[i], edges[i], 1.0f, 0.0f);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        add_shape(l, t, others[i][0], others[i][1], 1.0f, 0.0f);
    for (int b = 0; b < 2; b++) {
        float beta = b ? -0.5f : 0.0f;
        add_shape(l, t, 0, 64, 1.0f, beta);
        add_shape(l, t, 64, 0, 1.0f, beta);
        add_shape(l, t, 0, 0, 1.0f, beta);
        add_shape(l, t, 1, 0, 1.0f, beta);
    }
}

static void add_scalars(case_list *l, dtype t) {
    static const float scalars[] = {0.0f, 1.0f, -0.5f, 2.0f};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            add_shape(l, t, 129, 257, scalars[a], scalars[b]);
            add_shape(l, t, 64, 64, scalars[a], scalars[b]);
            add_shape(l, t, 70, 0, scalars[a], scalars[b]);
        }
}

/* Rows that keep to 16 bytes (pad 8) and that do not; bases that miss 16 bytes by whole words, half words, alone and
 * together. */
static void add_alignments(case_list *l, dtype t) {
    static const int shapes[][2] = {{129, 256}, {60, 100}, {257, 129}};
    static const int pads[] = {1, 2, 3, 4, 8};
    static const int offs[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {2, 2, 2}, {3, 1, 2},
                                  {4, 4, 4}, {2, 0, 0}, {0, 4, 0}, {7, 5, 3}, {8, 8, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        gemv_case c = {.type = t, .n = shapes[i][0], .k = shapes[i][1], .alpha = 1.0f};
        for (size_t j = 0; j < sizeof pads / sizeof pads[0]; j++) {
            c.lda = c.k + pads[j];
            c.beta = j % 2 ? 1.0f : 0.0f;
            add(l, c);
        }
        for (size_t j = 0; j < sizeof offs / sizeof offs[0]; j++) {
            c.lda = j % 2 ? 0 : c.k + 8;
            c.off_a = offs[j][0], c.off_x = offs[j][1], c.off_y = offs[j][2];
            add(l, c);
        }
    }
}

/* Rows on 16 bytes, and more of them than a GPU of 132 multiprocessors takes on at once (2112, step 7's persistent
 * kernels), twice over and some; k with one and with two pieces of 16 bytes for each of 128 threads, and a rest. */
static void add_turns(case_list *l, dtype t) {
    add(l, (gemv_case){.type = t, .n = 4301, .k = 1021, .lda = 1024, .alpha = 1.0f, .beta = 2.0f});
    add(l, (gemv_case){.type = t, .n = 4301, .k = 2045, .lda = 2048, .alpha = -0.5f});
}

/* As BLAS has it: what is NaN or infinite in x reaches all of y, in a row of A its element; what beta == 0 or
 * alpha == 0 forbids to read (operands are then NaN anyway) reaches nothing. Every other case has rows on 16 bytes. */
static void add_planted(case_list *l, dtype t) {
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        gemv_case c = {.type = t, .n = 67, .k = 131, .alpha = 1.0f, .planted = values[i]};
        static const int places[] = {0, 64, 130};
        for (int j = 0; j < 3; j++) {
            c.plant = PLANT_X, c.plant_at = (uint64_t)places[j], c.beta = j == 1 ? 2.0f : 0.0f;
            c.lda = (i + j) % 2 ? 0 : 136;
            add(l, c);
            c.plant = PLANT_A, c.plant_at = (uint64_t)places[j] * 67;
            add(l, c);
        }
        c.plant = PLANT_Y, c.plant_at = 66, c.beta = -0.5f;
        add(l, c);
        c.alpha = 0.0f; /* y alone */
        add(l, c);
    }
}

int gemv_check_cases(int max_size, int every, uint64_t seed, gemv_case **cases) {
    case_list l = {.max_size = max_size, .seed = seed};
    static const dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};
    for (int i = 0; i < GEMM_COUNT(types); i++) {
        add_turns(&l, types[i]); /* first: every sample of the list has one, scripts/sanitize.sh relies on it */
        add_shapes(&l, types[i]);
        add_scalars(&l, types[i]);
        add_alignments(&l, types[i]);
        add_planted(&l, types[i]);
        /* Many rows (more than gridDim.y holds), a long row, both; A of more than 2^31 and 2^32 elements. */
        add_shape(&l, types[i], 1000000, 33, 1.0f, 0.0f);
        add_shape(&l, types[i], 33, 1000000, 1.0f, 1.0f);
        add_shape(&l, types[i], 200000, 1, 1.0f, 0.0f);
        add_shape(&l, types[i], 1, 3000001, 1.0f, 0.0f);
        add_shape(&l, types[i], 50000, 50001, 1.0f, 0.0f);
        add_shape(&l, types[i], 70001, 70000, 1.0f, -0.5f);
    }
    if (l.out_of_memory) {
        free(l.cases);
        return -1;
    }
    int taken = 0;
    for (int i = 0; i < l.count; i += every) l.cases[taken++] = l.cases[i];
    *cases = l.cases;
    return taken;
}

/* One case's description in front of its failure. */
static void describe(char *text, size_t size, const char *variant, const char *candidate, const gemv_case *c) {
    static const char *const where[] = {"", "A", "x", "y"};
    int used = snprintf(text, size, "%s%s%s (%s, lda %d, off alignment %d %d %d", variant, candidate != NULL ? " " : "",
                        candidate != NULL ? candidate : "", dtype_name(c->type), c->lda, c->off_a, c->off_x, c->off_y);
    if (used > 0 && (size_t)used < size && c->plant != PLANT_NONE)
        used += snprintf(text + used, size - (size_t)used, ", %g in %s", (double)c->planted, where[c->plant]);
    if (used > 0 && (size_t)used < size) snprintf(text + used, size - (size_t)used, ")");
}

typedef struct {
    const char *step;
    const gemv_case *cases;
    int case_count;
    void *memory;
    size_t largest;
    cudaStream_t stream;
    int passed, failed, skipped;
} checker;

typedef struct {
    int good, bad, large, refused;
} tally;

/* Cases first, first + stride ... of one launch. */
static void check_launch(const checker *c, const char *variant, const char *candidate, const gemv_launch *launch,
                         int first, int stride, tally *t) {
    for (int j = first; j < c->case_count; j += stride) {
        progress_show(stderr, candidate != NULL ? candidate : variant, j, c->case_count);
        if (gemv_operands_bytes(&c->cases[j], 1) > c->largest) {
            t->large++;
            continue;
        }
        gemv_operands o;
        gemm_verdict verdict;
        char name[200];
        CUDA_CHECK(gemv_operands_place(&o, &c->cases[j], c->memory));
        describe(name, sizeof name, variant, candidate, &o.what);
        error_context("%s %s, n %d, k %d", c->step, name, o.what.n, o.what.k);
        cudaError_t error = gemv_verify(launch, name, &o, c->stream, t->bad < MAX_REPORTED ? stderr : NULL, &verdict);
        gemv_operands_destroy(&o);
        if (candidate != NULL && gemv_refused(error)) {
            t->refused++;
            continue;
        }
        CUDA_CHECK(error);
        if (verdict.ok)
            t->good++;
        else
            t->bad++;
    }
}

static void check_variant(checker *c, const gemv_variant *v, const device_facts *device) {
    const char *reason = v->supports != NULL ? v->supports(device) : NULL;
    if (reason != NULL) {
        printf("%-18s skipped: %s\n", v->name, reason);
        c->skipped += c->case_count;
        return;
    }
    tally t = {0};
    if (v->candidates == NULL) {
        const gemv_launch launch = {.launch = v->launch};
        check_launch(c, v->name, NULL, &launch, 0, 1, &t);
    }
    const int stride = device->simulated ? GEMV_CHECK_STRIDE : 1;
    for (int i = 0; v->candidates != NULL && i < v->candidate_count; i++) {
        const gemv_launch launch = {.launch = v->candidates[i].launch};
        check_launch(c, v->name, v->candidates[i].name, &launch, i % stride, stride, &t);
    }
    progress_clear(stderr);
    printf("%-18s %d passed, %d failed", v->name, t.good, t.bad);
    if (v->candidates != NULL)
        printf(", of %d candidates%s", v->candidate_count, stride > 1 ? ", each on its share" : "");
    if (t.refused > 0) printf(", %d do not fit", t.refused);
    if (t.large > 0) printf(", %d skipped (more than %.1f GB)", t.large, (double)c->largest / 1e9);
    printf("\n");
    c->passed += t.good;
    c->failed += t.bad;
    c->skipped += t.large + t.refused;
}

int gemv_check_run(const char *step, const gemv_variant *variants, const bool *chosen, int count,
                   const device_facts *device, int max_size, int every, uint64_t seed) {
    gemv_case *cases = NULL;
    checker c = {.step = step, .case_count = gemv_check_cases(max_size, every, seed, &cases)};
    if (c.case_count < 0) CUDA_CHECK(cudaErrorMemoryAllocation);
    c.cases = cases;

    /* One allocation for all: the largest case that fits. */
    size_t free_bytes, total_bytes;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    for (int i = 0; i < c.case_count; i++) {
        size_t bytes = gemv_operands_bytes(&cases[i], 1);
        if (bytes > c.largest && bytes <= free_bytes / 10 * 9) c.largest = bytes;
    }
    CUDA_ALLOCATE(&c.memory, c.largest);
    CUDA_CHECK(cudaStreamCreate(&c.stream));
    for (int i = 0; i < count; i++)
        if (chosen[i]) check_variant(&c, &variants[i], device);
    printf("%d passed, %d failed", c.passed, c.failed);
    if (c.skipped > 0) printf(", %d skipped", c.skipped);
    printf("\n");

    CUDA_CHECK(cudaStreamDestroy(c.stream));
    CUDA_CHECK(cudaFree(c.memory));
    free(cases);
    return c.failed > 0 ? EXIT_WRONG : EXIT_OK;
}
