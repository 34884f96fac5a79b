/* The program that every `run` is: options, device, then the list, the check list, or a sweep over problems. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/ranks.h"
#include "bench/session.h"
#include "bench/sweep.h"
#include "gpu/error.h"
#include "gpu/nvml.h"
#include "gpu/simulator.h"

enum { NAME_WIDTH = 18 };

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
    const char *reason = session_unsupported(s, v), *name;
    kernel_info kernel;
    if (reason != NULL)
        printf("    not on this device: %s\n", reason);
    else if (v->kernel != NULL)
        print_kernel(s, v->kernel(), "");
    else
        for (int i = 0; s->family->candidates.candidate(s, v, i, &kernel, &name); i++) print_kernel(s, kernel, name);
}

/* The problems of a sweep, as they would be recorded. */
static int list_problems(const session *s) {
    case_list l = session_cases(s);
    s->family->problems(s, &l);
    for (int i = 0; i < l.count; i++) {
        record r = session_describe(s, "", s->family->op);
        s->family->record(s, case_list_at(&l, i), &r);
        printf("%s,%s,%lld,%lld,%lld\n", r.dtype, r.layout, (long long)r.m, (long long)r.n, (long long)r.k);
    }
    free(l.cases);
    return EXIT_OK;
}

static int list(session *s) {
    if (s->o.sweep != SWEEP_NONE) return list_problems(s);
    if (s->o.verbose) printf("%s (sm_%d)\n", s->device.name, s->device.cc);
    for (int i = 0; i < s->count; i++) {
        if (!s->o.chosen[i]) continue;
        printf("%-*s %s\n", s->name_width, s->variants[i].name, s->variants[i].idea);
        if (s->o.verbose) list_kernels(s, &s->variants[i]);
    }
    s->family->command(s);
    return EXIT_OK;
}

/* ---- a run ----------------------------------------------------------------------------------------------------- */

static int open_device(session *s) {
    const device_choice choice = {.ordinal = s->o.device,
                                  .local_rank = ranks_local(),
                                  .simulate = s->o.simulate,
                                  .sim_device = s->o.sim_device,
                                  .again = simulator_watch(&s->o.watch),
                                  .arguments = s->arguments,
                                  .program = s->step,
                                  .has_code = verify_has_device_code};
    return device_open(&choice, &s->device, stderr);
}

/* Looks at the files before anything is measured. */
static int prepare_files(session *s) {
    int status = s->o.csv != NULL ? record_csv_prepare(s->o.csv, stderr) : EXIT_OK;
    if (status == EXIT_OK && s->o.resume) status = record_csv_load(s->o.csv, &s->recorded, &s->recorded_count, stderr);
    return status;
}

/* What a run needs before the first launch. --list needs no device, unless it is to say more. */
static int open_run(session *s) {
    int status = s->o.list ? EXIT_OK : prepare_files(s);
    if (s->o.list && s->o.sweep != SWEEP_NONE) return s->family->open(s);
    if (status != EXIT_OK || (s->o.list && !s->o.verbose)) return status;
    status = open_device(s);
    simulator_count(NULL, NULL);
    return status == EXIT_OK ? s->family->open(s) : status;
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

static options_result parse(session *s, int argc, char **argv, const char *const *names) {
    options_program program = {.program = s->step,
                               .noun = s->family->noun,
                               .variants = names,
                               .variant_count = s->count,
                               .simulated = simulator_active()};
    s->family->options(s, &program);
    const options_result parsed = options_parse(argc, argv, &program, &s->o, stdout, stderr);
    if (ranks_rank() > 0) s->o.csv = s->o.watch.counters_csv = s->o.watch.trace = NULL; /* rank 0 writes them */
    return parsed;
}

static int finish(session *s, int status) {
    s->family->close(s);
    nvml_close();
    if (output_flush(stdout)) return status; /* --help and --list have to have arrived, too */
    fprintf(stderr, "%s: standard output cannot be written%s%s\n", s->step, errno != 0 ? ": " : "",
            errno != 0 ? strerror(errno) : "");
    return EXIT_USAGE;
}

int bench_main(int argc, char **argv, const char *step, const bench_family *family, const void *variants, int count,
               const void *context) {
    bench_operand_functions operands;
    const bench_family complete = bench_family_complete(family, &operands);
    session s = {.family = &complete, .step = step, .arguments = argv, .context = context, .count = count};
    const char **names = calloc((size_t)count + 1, sizeof *names);
    s.variants = calloc((size_t)count + 1, sizeof *s.variants);
    s.gflops = calloc((size_t)count + 1, sizeof *s.gflops);
    s.state = calloc(1, family->state_size + 1);
    output_reserve();
    ranks_arrive();
    int status = simulator_arrive(stderr);
    if (names == NULL || s.variants == NULL || s.gflops == NULL || s.state == NULL)
        CUDA_CHECK(cudaErrorMemoryAllocation);
    if (status == EXIT_OK) {
        describe_variants(&s, variants, names);
        const options_result parsed = parse(&s, argc, argv, names);
        status = parsed == OPTIONS_EXIT_USAGE ? EXIT_USAGE : EXIT_OK;
        if (parsed == OPTIONS_RUN) status = open_run(&s);
        if (parsed == OPTIONS_RUN && status == EXIT_OK && s.o.list)
            status = list(&s);
        else if (parsed == OPTIONS_RUN && status == EXIT_OK) {
            CUDA_CHECK(cudaStreamCreate(&s.stream));
            status = s.family->command(&s);
            if (status < 0) status = s.o.verify ? bench_check(&s) : bench_sweep(&s);
            CUDA_CHECK(cudaStreamDestroy(s.stream));
        }
        if (parsed != OPTIONS_EXIT_USAGE) status = finish(&s, status);
        options_free(&s.o);
    }
    free(s.recorded);
    free(s.state);
    free(s.gflops);
    free(s.variants);
    free(names);
    return status;
}
