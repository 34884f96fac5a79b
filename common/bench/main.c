/* The program that every `run` is: options, device, then the list, the check list, or a sweep over problems. */
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "bench/session.h"
#include "gpu/error.h"
#include "gpu/nvml.h"
#include "gpu/simulator.h"

enum { NAME_WIDTH = 18 };

const char *bench_unsupported(const session *s, const bench_variant *v) {
    return v->supports != NULL && s->device.cc > 0 ? v->supports(&s->device) : NULL; /* 0: --list asks no device */
}

/* ---- --list ---------------------------------------------------------------------------------------------------- */

static void print_kernel(const session *s, kernel_info kernel, const char *name) {
    struct cudaFuncAttributes attributes;
    const int blocks = kernel_info_occupancy(kernel, &attributes);
    const int warps = blocks * ((kernel.threads + 31) / 32), most = s->device.threads_per_sm / 32;
    printf("    %s%s%d threads per block, %d registers per thread, %zu bytes of shared memory per block\n", name,
           *name != '\0' ? ": " : "", kernel.threads, attributes.numRegs,
           attributes.sharedSizeBytes + kernel.dynamic_shared);
    printf("    %d blocks per SM: %d of %d warps, %.1f %% occupancy\n", blocks, warps, most, 100.0 * warps / most);
}

static void list_kernels(const session *s, const bench_variant *v) {
    const char *reason = bench_unsupported(s, v), *name;
    kernel_info kernel;
    if (reason != NULL)
        printf("    not on this device: %s\n", reason);
    else if (v->kernel != NULL)
        print_kernel(s, v->kernel(), "");
    else
        for (int i = 0; s->family->kernel(s, v, i, &kernel, &name); i++) print_kernel(s, kernel, name);
}

static int list(const session *s) {
    if (s->o.verbose) printf("%s (sm_%d)\n", s->device.name, s->device.cc);
    for (int i = 0; i < s->count; i++) {
        if (!s->o.chosen[i]) continue;
        printf("%-*s %s\n", s->name_width, s->variants[i].name, s->variants[i].idea);
        if (s->o.verbose) list_kernels(s, &s->variants[i]);
    }
    if (s->family->list != NULL) s->family->list(s);
    return EXIT_OK;
}

/* ---- a run ----------------------------------------------------------------------------------------------------- */

static int sweep(session *s) {
    int status = EXIT_OK;
    case_list problems = session_cases(s);
    s->family->problems(s, &problems);
    if (problems.count == 0) {
        fprintf(stderr, "%s: --sweep with --max-size %d leaves no problem\n", s->step, s->o.max_size);
        status = EXIT_USAGE;
    }
    if (problems.count > 0) bench_print_header(s);
    for (int i = 0; i < s->count; i++) s->total += s->o.chosen[i] ? problems.count : 0;
    for (int i = 0; i < problems.count && status == EXIT_OK; i++) {
        const void *problem = problems.cases + (size_t)i * problems.size;
        status = s->family->run != NULL ? s->family->run(s, problem) : bench_run(s, problem);
    }
    progress_clear(stderr);
    CUDA_CHECK(cudaStreamSynchronize(s->stream));
    free(problems.cases);
    if (status != EXIT_OK) return status;
    return s->wrong > 0 ? EXIT_WRONG : EXIT_OK;
}

static int open_device(session *s) {
    const options *o = &s->o;
    const simulator_watched watched = {.unchecked = o->no_check,
                                       .leak_check = o->leak_check,
                                       .counters = o->counters,
                                       .counters_csv = o->counters_csv,
                                       .trace = o->trace,
                                       .trace_blocks = o->trace_blocks,
                                       .explain = o->explain};
    const device_choice choice = {.ordinal = s->o.device,
                                  .simulate = s->o.simulate,
                                  .sim_device = s->o.sim_device,
                                  .again = simulator_watch(&watched),
                                  .arguments = s->arguments,
                                  .has_code = verify_has_device_code};
    return device_open(&choice, &s->device, stderr);
}

static int prepare_files(session *s) {
    int status = EXIT_OK;
    if (s->o.csv != NULL) status = record_csv_prepare(s->o.csv, stderr);
    if (status == EXIT_OK && s->o.json != NULL) status = record_json_prepare(s->o.json, stderr);
    if (status == EXIT_OK && s->o.resume) status = record_csv_load(s->o.csv, &s->recorded, &s->recorded_count, stderr);
    if (status == EXIT_OK && s->family->prepare != NULL) status = s->family->prepare(s);
    return status;
}

static int run(session *s) {
    int status = EXIT_OK;
    if (!s->o.list) status = prepare_files(s);
    if (status == EXIT_OK && (!s->o.list || s->o.verbose || s->o.explain != NULL)) {
        status = open_device(s);
        simulator_count(NULL, NULL);
        if (status == EXIT_OK && s->family->open != NULL) status = s->family->open(s);
    }
    if (status != EXIT_OK) return status;
    if (s->o.list) return list(s);
    CUDA_CHECK(cudaStreamCreate(&s->stream));
    status = s->family->instead != NULL ? s->family->instead(s) : -1;
    if (status < 0) status = s->o.sweep == SWEEP_CHECK ? bench_check(s) : sweep(s);
    CUDA_CHECK(cudaStreamDestroy(s->stream));
    return status;
}

/* ---- main ------------------------------------------------------------------------------------------------------ */

static void describe_variants(session *s, const void *variants, const char **names) {
    s->name_width = NAME_WIDTH;
    for (int i = 0; i < s->count; i++) {
        s->variants[i] = s->family->variant(variants, i);
        names[i] = s->variants[i].name;
        const int width = (int)strlen(names[i]);
        if (width > s->name_width) s->name_width = width;
    }
}

static int finish(session *s, int status) {
    if (s->family->close != NULL) s->family->close(s);
    nvml_close();
    if (fflush(stdout) == 0 && !ferror(stdout)) return status; /* --help and --list have to have arrived, too */
    fprintf(stderr, "%s: standard output cannot be written\n", s->step);
    return EXIT_USAGE;
}

int bench_main(int argc, char **argv, const char *step, const bench_family *family, const void *variants, int count,
               const void *context) {
    bench_family complete = *family;
    if (family->outline != NULL) bench_use_matrices(&complete);
    session s = {.family = &complete, .step = step, .arguments = argv, .context = context, .count = count};
    const char **names = calloc((size_t)count + 1, sizeof *names);
    s.variants = calloc((size_t)count + 1, sizeof *s.variants);
    s.gflops = calloc((size_t)count + 1, sizeof *s.gflops);
    s.state = calloc(1, family->state_size);
    int status = simulator_arrive(stderr);
    if (names == NULL || s.variants == NULL || s.gflops == NULL || s.state == NULL)
        CUDA_CHECK(cudaErrorMemoryAllocation);
    if (status == EXIT_OK) {
        describe_variants(&s, variants, names);
        options_program program = {.program = step,
                                   .noun = family->noun,
                                   .variants = names,
                                   .variant_count = count,
                                   .simulated = simulator_active()};
        family->program(&s, &program);
        switch (options_parse(argc, argv, &program, &s.o, stdout, stderr)) {
        case OPTIONS_EXIT_OK:
            status = finish(&s, EXIT_OK);
            break;
        case OPTIONS_EXIT_USAGE:
            status = EXIT_USAGE;
            break;
        case OPTIONS_RUN:
            status = finish(&s, run(&s));
            break;
        }
        options_free(&s.o);
    }
    free(s.recorded);
    free(s.state);
    free(s.gflops);
    free(s.variants);
    free(names);
    return status;
}
