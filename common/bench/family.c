/* The defaults of a family's table. */
#include "bench/family.h"

#include "bench/session.h"
#include "gpu/error.h"

static int open_nothing(session *s) {
    return EXIT_OK;
}

static void close_nothing(session *s) {
}

static int run_variants(session *s) {
    return -1;
}

static const char *take_all(const session *s, const bench_variant *v, const void *problem) {
    return NULL;
}

static void measure_no_ceiling(session *s, const bench_launch *launch, const timing_task *outline) {
}

static const char *remark_nothing(const bench_launch *launch, char *text, size_t size) {
    return NULL;
}

static int no_calls(const session *s, const void *problem) {
    return 0;
}

static bool no_candidate(const session *s, const bench_variant *v, int i, kernel_info *kernel, const char **name) {
    return false;
}

static cudaError_t verify_in_full(const bench_launch *launch, const char *name, FILE *report, verdict *v) {
    return launch->session->family->operands->verify(launch, name, report, v);
}

static cudaError_t restore_nothing(void *launch, int set, cudaStream_t stream) {
    return cudaSuccess;
}

static void do_nothing(const bench_launch *launch) {
}

#define DEFAULT(pointer, function)                                                                                     \
    if ((pointer) == NULL) (pointer) = (function)

bench_family bench_family_complete(const bench_family *family, bench_operand_functions *operands) {
    bench_family f = *family;
    DEFAULT(f.open, open_nothing);
    DEFAULT(f.close, close_nothing);
    DEFAULT(f.command, run_variants);
    DEFAULT(f.refuses, take_all);
    DEFAULT(f.measure_ceiling, measure_no_ceiling);
    DEFAULT(f.remark, remark_nothing);
    DEFAULT(f.baseline.count, no_calls);
    DEFAULT(f.candidates.candidate, no_candidate);
    *operands = f.operands != NULL ? *f.operands : bench_matrices;
    DEFAULT(operands->fingerprint, verify_in_full);
    DEFAULT(operands->restore, restore_nothing);
    DEFAULT(operands->begin, do_nothing);
    DEFAULT(operands->end, do_nothing);
    f.operands = operands;
    return f;
}
