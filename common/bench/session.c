#include "bench/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/cublas.h"
#include "gpu/cublaslt.h"
#include "gpu/error.h"
#include "gpu/nvml.h"
#include "gpu/simulator.h"

bool session_start(session *s, const options_step *facts, int argc, char **argv, int *status) {
    *s = (session){.step = facts->step, .arguments = argv};
    *status = simulator_arrive(stderr);
    if (*status != EXIT_OK) return false;
    options_step here = *facts;
    here.simulated = simulator_active();
    switch (options_parse(argc, argv, &here, &s->o, stdout, stderr)) {
    case OPTIONS_EXIT_OK:
        *status = session_end(s, EXIT_OK);
        return false;
    case OPTIONS_EXIT_USAGE:
        *status = EXIT_USAGE;
        return false;
    case OPTIONS_RUN:
        break;
    }
    return true;
}

int session_end(session *s, int status) {
    free(s->recorded);
    cublas_close();
    cublaslt_close();
    nvml_close();
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status; /* what was printed has to have arrived, --help and --list too */
    fprintf(stderr, "%s: standard output cannot be written\n", s->step);
    return EXIT_USAGE;
}

int session_prepare_files(session *s) {
    int status = EXIT_OK;
    if (s->o.csv != NULL) status = record_csv_prepare(s->o.csv, stderr);
    if (status == EXIT_OK && s->o.json != NULL) status = record_json_prepare(s->o.json, stderr);
    if (status == EXIT_OK && s->o.resume) status = record_csv_load(s->o.csv, &s->recorded, &s->recorded_count, stderr);
    return status;
}

int session_open_device(const session *s, device_facts *device) {
    const device_choice choice = {s->o.device, s->o.simulate, s->o.sim_device, s->arguments};
    return device_open(&choice, device, stderr);
}

int session_occupancy(gemm_kernel kernel, struct cudaFuncAttributes *attributes) {
    int blocks = 0;
    CUDA_CHECK(cudaFuncGetAttributes(attributes, kernel.function));
    if (kernel.dynamic_shared > 0)
        CUDA_CHECK(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)kernel.dynamic_shared));
    CUDA_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, kernel.threads, kernel.dynamic_shared));
    return blocks;
}

record session_describe(const session *s, const char *variant, const char *op) {
    record r = {.m = -1, .n = -1, .k = -1, .d = -1, .alpha = s->o.alpha, .beta = s->o.beta};
    r.ms_median = r.ms_min = r.ms_max = r.gflops = r.gbps = r.peak_share = NAN;
    r.baseline_ms = r.ratio = r.ratio_min = r.ratio_max = r.max_err_bound_share = r.clock_mhz = r.power_w = NAN;
    snprintf(r.step, sizeof r.step, "%s", s->step);
    snprintf(r.variant, sizeof r.variant, "%s", variant);
    snprintf(r.op, sizeof r.op, "%s", op);
    snprintf(r.dtype, sizeof r.dtype, "%s", s->o.dtype);
    snprintf(r.layout, sizeof r.layout, "%s", s->o.layout);
    snprintf(r.cache, sizeof r.cache, "%s", s->o.warm ? "warm" : "cold");
    snprintf(r.mode, sizeof r.mode, "%s", s->device.simulated ? "sim" : "");
    snprintf(r.device, sizeof r.device, "%.*s", RECORD_TEXT - 1, s->device.name);
    snprintf(r.cc, sizeof r.cc, "%d.%d", s->device.cc / 10, s->device.cc % 10);
    snprintf(r.driver, sizeof r.driver, "%.*s", RECORD_TEXT - 1, s->device.driver);
    snprintf(r.cuda, sizeof r.cuda, "%s", s->device.cuda);
    time_t now = time(NULL);
    struct tm utc;
    strftime(r.date, sizeof r.date, "%Y-%m-%d", gmtime_r(&now, &utc));
    return r;
}

const record *session_find(const session *s, const record *r, bool needs_ratio) {
    for (int i = 0; i < s->recorded_count; i++) {
        const record *known = &s->recorded[i];
        const bool same_mode =
            *r->mode != '\0' ? strcmp(known->mode, r->mode) == 0
                             : strcmp(known->mode, "sustained") != 0 && strcmp(known->mode, "transfers") != 0;
        const bool beside = strncmp(known->baseline, "torch ", 6) == 0; /* a search timed in turn with PyTorch's */
        if (record_same_case(known, r) && same_mode && !beside && (!needs_ratio || !isnan(known->ratio))) return known;
    }
    return NULL;
}

void session_keep(const session *s, const record *r) {
    int status = EXIT_OK;
    if (s->o.csv != NULL) status = record_csv_append(s->o.csv, r, stderr);
    if (status == EXIT_OK && s->o.json != NULL) status = record_json_append(s->o.json, r, stderr);
    if (status != EXIT_OK) exit(status);
}

bool session_fits(double need, char *reason, size_t size) {
    size_t free_bytes, total_bytes;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (need <= (double)free_bytes * 0.95) return true;
    snprintf(reason, size, "needs %.2f GB, %.2f GB of %.2f GB are free", need / 1e9, (double)free_bytes / 1e9,
             (double)total_bytes / 1e9);
    return false;
}
