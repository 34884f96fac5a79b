#include "bench/print.h"

enum { PREDICTED_BAND = 15 /* percent: cudasim/docs/predict.md */, PREDICTED_WIDTH = 20 };

static void print_device(const session *s) {
    const device_facts *d = &s->device;
    if (d->simulated)
        printf("%s on %s (sm_%d, CUDA %s): results are real, times are not a GPU's\n", s->step, d->name, d->cc,
               d->cuda);
    else
        printf("%s on %s (sm_%d, %d SMs, %.0f MHz, %.0f GB/s, driver %s, CUDA %s)\n", s->step, d->name, d->cc, d->sms,
               d->clock_mhz, d->peak_gbps, d->driver, d->cuda);
    if (!s->o.verbose) return;
    printf("peaks (%s): %.1f TFLOP/s FP32, on tensor cores %.0f TF32, %.0f FP16, %.0f INT8, %.0f GB/s DRAM\n",
           d->sheet ? "the data sheet's" : "computed from its clocks", d->peak_gflops[DEVICE_FP32] / 1e3,
           d->peak_gflops[DEVICE_TF32] / 1e3, d->peak_gflops[DEVICE_F16] / 1e3, d->peak_gflops[DEVICE_S8] / 1e3,
           d->peak_gbps);
    printf("L2 %.0f MiB, memory %.1f GB\n", (double)d->l2_bytes / 1048576.0, (double)d->memory_bytes / 1e9);
    printf("an SM: %.0f KiB of shared memory (%.0f KiB per block), %d registers, %d threads\n",
           (double)d->shared_per_sm / 1024.0, (double)d->shared_per_block / 1024.0, d->registers_per_sm,
           d->threads_per_sm);
}

static void print_columns(const session *s, const bench_column *columns, const record *r) {
    for (const bench_column *c = columns; c->title != NULL; c++) {
        const char *field = (const char *)r + c->field;
        char text[48] = "-";
        const double value = c->of != NULL ? c->of(s, r) : c->kind != COLUMN_COUNT ? *(const double *)field : NAN;
        if (c->kind == COLUMN_COUNT)
            snprintf(text, sizeof text, "%lld", (long long)*(const int64_t *)field);
        else if (!isnan(value) && c->kind == COLUMN_NUMBER)
            snprintf(text, sizeof text, "%.*f", c->decimals, c->factor * value);
        else if (!isnan(value) && c->kind == COLUMN_PERCENT)
            snprintf(text, sizeof text, "%.*f%%", c->decimals, 100.0 * value);
        else if (!isnan(value))
            snprintf(text, sizeof text, "%.3f (%.3f-%.3f)", r->ratio, r->ratio_min, r->ratio_max);
        printf(" %*s", c->width, text);
    }
}

static void print_titles(const bench_column *columns) {
    for (const bench_column *c = columns; c->title != NULL; c++) printf(" %*s", c->width, c->title);
}

/* "about, on an H200" */
static const char *predicted_title(void) {
    static char text[128];
    snprintf(text, sizeof text, "about, on an %s", simulator_predicted_gpu());
    return text;
}

static void print_predicted_cell(const char *text) {
    const int width = (int)strlen(predicted_title());
    printf(" %*s", width > PREDICTED_WIDTH ? width : PREDICTED_WIDTH, text);
}

void print_header(const session *s) {
    const char *remark = s->family->remark_title;
    print_device(s);
    s->family->header(s);
    printf("%-*s", s->name_width, s->family->noun);
    print_titles(s->family->sizes);
    if (session_predicts(s) || s->o.watch.predict_only) print_predicted_cell(predicted_title());
    if (s->o.watch.predict_only)
        printf("\n");
    else if (s->device.simulated)
        printf(" %14s  %s\n", "simulated in", remark != NULL ? remark : "worst error, of its bound");
    else {
        print_titles(s->family->columns);
        printf("%s%s\n", remark != NULL ? "  " : "", remark != NULL ? remark : "");
    }
    fflush(stdout);
}

static void begin_row(const session *s, const char *name, const record *r) {
    printf("%-*s", s->name_width, name);
    print_columns(s, s->family->sizes, r);
}

/* Below a row, where it is asked for. */
static void print_why(const session *s, double ms) {
    const char *line = s->o.watch.why && !isnan(ms) ? simulator_why() : "";
    for (int length; *line != '\0'; line += length + 1) {
        length = (int)strcspn(line, "\n");
        printf("    %.*s\n", length, line);
    }
}

static void print_time(double ms) {
    char text[32] = "-";
    const bool validated = strstr(simulator_predicted_gpu(), "not validated") == NULL; /* else nobody knows a band */
    if (!isnan(ms)) snprintf(text, sizeof text, validated ? "%.4f ms +-%d %%" : "%.4f ms", ms, PREDICTED_BAND);
    print_predicted_cell(text);
}

void print_row(const session *s, const char *name, const record *r, double seconds, double predicted_ms,
               const char *remark) {
    char share[32];
    begin_row(s, name, r);
    if (session_predicts(s)) print_time(predicted_ms);
    if (s->device.simulated) {
        printf(" %12.3f s", seconds);
        snprintf(share, sizeof share, "%.3f", r->max_err_bound_share);
        if (s->family->remark_title == NULL) remark = share;
    } else
        print_columns(s, s->family->columns, r);
    printf("%s%s\n", *remark != '\0' ? "  " : "", remark);
    print_why(s, predicted_ms);
    fflush(stdout);
}

void print_predicted(const session *s, const char *name, const record *r, double ms) {
    begin_row(s, name, r);
    print_time(ms);
    printf("%s\n", isnan(ms) ? "  the model does not reach it" : "");
    print_why(s, ms);
    fflush(stdout);
}

const char *print_shares(const device_facts *d, const bench_workload *w, const record *r, char *text, size_t size) {
    const double peak = w->peak_of_bytes ? w->peak : w->peak / 1e3, can = w->peak_per_mhz * r->clock_mhz;
    size_t length = 0;
    *text = '\0';
    if (!isnan(r->peak_share))
        length = (size_t)snprintf(text, size, "; %.0f %% of %s %.*f %s", 100.0 * r->peak_share,
                                  d->sheet ? "the data sheet's" : "its clocks'", peak < 100.0 ? 1 : 0, peak,
                                  w->peak_of_bytes ? "GB/s" : "TFLOP/s");
    if (can > 0.0 && length > 0 && length < size)
        snprintf(text + length, size - length, ", %.0f %% of what %.0f MHz can do", 100.0 * r->gflops / can,
                 r->clock_mhz);
    return text;
}

void print_skipped(const session *s, const char *name, const record *r, const char *reason) {
    begin_row(s, name, r);
    printf("  skipped: %s\n", reason);
    fflush(stdout);
}
