/* --sweep check. */
#include <stdlib.h>

#include "base/progress.h"
#include "bench/measure.h"
#include "bench/sweep.h"
#include "gpu/error.h"

enum { MAX_REPORTED = 8 }; /* failing problems of a variant that are printed in full */

/* In the simulator a candidate takes one problem in so many, each another one first. */
enum { CANDIDATE_STRIDE = 16 };

typedef struct {
    const char *unsupported;
    int passed, failed, refused, too_large;
} tally;

static void check_launch(const bench_launch *launch, tally *t) {
    const session *s = launch->session;
    const bench_variant *variant = launch->variant;
    char size[96], details[160], name[320];
    const char *candidate = "";
    kernel_info unused;
    verdict v;
    s->family->format(s, launch->problem, false, size, sizeof size);
    s->family->format(s, launch->problem, true, details, sizeof details);
    if (variant->candidates > 0) s->family->candidates.candidate(s, variant, launch->number, &unused, &candidate);
    snprintf(name, sizeof name, "%s%s%s (%s)", variant->name, *candidate != '\0' ? " " : "", candidate, details);
    error_context("%s %s, %s", s->step, name, size);
    FILE *report = t->failed < MAX_REPORTED ? stderr : NULL;
    const cudaError_t error = s->family->operands->verify(launch, name, report, &v);
    if (variant->candidates > 0 && measure_refused(error)) {
        t->refused++;
        return;
    }
    CUDA_CHECK(error);
    if (v.ok)
        t->passed++;
    else
        t->failed++;
}

/* Problem number j on one variant: its launch, or each of its candidates. */
static void check_variant(const session *s, const void *problem, int j, void *operands, const bench_variant *v,
                          tally *t) {
    const int stride = v->candidates > 0 && s->device.simulated ? CANDIDATE_STRIDE : 1;
    const int launches = v->candidates > 0 ? v->candidates : 1;
    if (s->family->refuses(s, v, problem) != NULL) {
        t->refused++;
        return;
    }
    for (int i = 0; i < launches; i++) {
        const bench_launch launch = {s, problem, operands, v, i, NULL, 0};
        if (j % stride == i % stride) check_launch(&launch, t);
    }
}

static void check_problem(const session *s, const void *problem, int j, int count, double memory, tally *tallies) {
    const bool fits = s->family->operands->bytes(s, problem, 1) <= memory;
    void *operands = NULL;
    for (int i = 0; i < s->count; i++) {
        if (!s->o.chosen[i] || tallies[i].unsupported != NULL) continue;
        progress_show(stderr, s->variants[i].name, j, count);
        if (!fits) {
            tallies[i].too_large++;
            continue;
        }
        if (operands == NULL) operands = s->family->operands->create(s, problem, 1);
        check_variant(s, problem, j, operands, &s->variants[i], &tallies[i]);
    }
    if (operands != NULL) s->family->operands->destroy(operands);
}

static void print_tally(const session *s, const bench_variant *v, const tally *t, double memory) {
    printf("%-*s ", s->name_width, v->name);
    if (t->unsupported != NULL) {
        printf("skipped: %s\n", t->unsupported);
        return;
    }
    printf("%d passed, %d failed", t->passed, t->failed);
    if (v->candidates > 0)
        printf(", of %d candidates%s", v->candidates, s->device.simulated ? ", each on its share" : "");
    if (t->refused > 0) printf(", %d refused", t->refused);
    if (t->too_large > 0) printf(", %d skipped (more than %.1f GB)", t->too_large, memory / 1e9);
    printf("\n");
}

int bench_check(session *s) {
    const double memory = session_memory(s);
    case_list problems = session_cases(s);
    tally *tallies = calloc((size_t)s->count, sizeof *tallies), sum = {0};
    if (tallies == NULL) CUDA_CHECK(cudaErrorMemoryAllocation);
    s->family->problems(s, &problems);
    case_list_thin(&problems, s->o.every);
    for (int i = 0; i < s->count; i++) tallies[i].unsupported = session_unsupported(s, &s->variants[i]);
    for (int j = 0; j < problems.count; j++)
        check_problem(s, case_list_at(&problems, j), j, problems.count, memory, tallies);
    progress_clear(stderr);
    for (int i = 0; i < s->count; i++) {
        if (!s->o.chosen[i]) continue;
        print_tally(s, &s->variants[i], &tallies[i], memory);
        sum.passed += tallies[i].passed;
        sum.failed += tallies[i].failed;
        sum.refused += tallies[i].unsupported != NULL ? problems.count : tallies[i].refused + tallies[i].too_large;
    }
    printf("%d passed, %d failed", sum.passed, sum.failed);
    if (sum.refused > 0) printf(", %d skipped", sum.refused);
    printf("\n");
    free(problems.cases);
    free(tallies);
    s->wrong = sum.failed;
    s->ran = sum.passed + sum.failed;
    s->skipped = sum.refused;
    return session_status(s);
}
