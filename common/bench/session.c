#include "bench/session.h"

#include <stdlib.h>
#include <time.h>

#include "base/version.h"
#include "gpu/error.h"

const char *session_unsupported(const session *s, const bench_variant *v) {
    return v->supports != NULL && s->device.cc > 0 ? v->supports(&s->device) : NULL; /* 0: --list asks no device */
}

bool session_predicts(const session *s) {
    return simulator_predicts() && !s->family->unpredictable;
}

double session_memory(const session *s) {
    size_t free_bytes, total_bytes;
    if (s->memory > 0.0) return s->memory;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    return (double)free_bytes * 0.95;
}

record session_describe(const session *s, const char *variant, const char *op) {
    record r = record_empty();
    r.alpha = 1.0;
    r.beta = 0.0;
    snprintf(r.step, sizeof r.step, "%s", s->step);
    snprintf(r.variant, sizeof r.variant, "%s", variant);
    snprintf(r.op, sizeof r.op, "%s", op);
    snprintf(r.mode, sizeof r.mode, "%s", s->device.simulated ? "sim" : "");
    snprintf(r.device, sizeof r.device, "%.*s", RECORD_TEXT - 1, s->device.name);
    snprintf(r.cc, sizeof r.cc, "%d.%d", s->device.cc / 10, s->device.cc % 10);
    snprintf(r.driver, sizeof r.driver, "%.*s", RECORD_TEXT - 1, s->device.driver);
    snprintf(r.cuda, sizeof r.cuda, "%s", s->device.cuda);
    snprintf(r.version, sizeof r.version, "%s", version_text());
    time_t now = time(NULL);
    struct tm utc;
    strftime(r.date, sizeof r.date, "%Y-%m-%d", gmtime_r(&now, &utc));
    return r;
}

/* Rows of a second measurement, of a search that was timed beside PyTorch's, and beside another baseline than the one
 * that a family names beforehand, are cases of their own. */
static bool stands_for(const record *known, const record *r) {
    if (strncmp(known->baseline, "torch ", 6) == 0) return false;
    if (*r->baseline != '\0' && strcmp(known->baseline, r->baseline) != 0) return false;
    if (*r->mode != '\0') return strcmp(known->mode, r->mode) == 0;
    return strcmp(known->mode, "sustained") != 0 && strncmp(known->mode, "transfers", 9) != 0 &&
           strcmp(known->mode, "chain") != 0;
}

const record *session_find(const session *s, const record *r, bool needs_ratio) {
    for (int i = 0; i < s->recorded_count; i++) {
        const record *known = &s->recorded[i];
        const bool measured = !needs_ratio || !isnan(known->ratio) || known->calls_tried == 0;
        if (record_same_case(known, r) && stands_for(known, r) && measured) return known;
    }
    return NULL;
}

case_list session_cases(const session *s) {
    return (case_list){.size = s->family->problem_size, .max_size = s->o.max_size, .seed = s->o.seed};
}

void session_keep(const session *s, const record *r) {
    const int status = s->o.csv != NULL ? record_csv_append(s->o.csv, r, stderr) : EXIT_OK;
    if (status != EXIT_OK) exit(status);
}

int session_status(const session *s) {
    if (s->wrong > 0) return EXIT_WRONG;
    if (!s->o.variant_given || s->skipped == 0 || s->ran > 0) return EXIT_OK;
    fprintf(stderr, "%s: nothing was run: every %s named is skipped\n", s->step, s->family->noun);
    return EXIT_USAGE;
}
