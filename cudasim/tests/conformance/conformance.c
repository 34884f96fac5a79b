/* Runs the cases and records what the GPU gives, or compares it with what was recorded.
 *
 * The golden file is gzip'd: a line each for the format, the device, the driver, the runtime, the date and the number
 * of cases, an empty line, and for every case a line "n size checksum name-length", the name, which may be any text,
 * and n * size bytes of output. */
#include <cuda_runtime_api.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conformance.h"
#include "values.h"

enum { FORMAT = 1, BLOCK = 128, SHOWN = 3, UNTOUCHED = 0xa5, LINE_BYTES = 512, LONGEST_NAME = 1 << 16, ORIGINS = 4 };

/* A program may be linked without some of the tables. */
#pragma weak conformance_integer
#pragma weak conformance_float
#pragma weak conformance_half
#pragma weak conformance_convert
#pragma weak conformance_memory
#pragma weak conformance_warp
#pragma weak conformance_wgmma
#pragma weak conformance_control
#pragma weak conformance_cluster
#pragma weak conformance_async
#pragma weak conformance_async_prepare
#pragma weak conformance_matrix
static const conformance_table *const tables[] = {
    &conformance_integer, &conformance_float, &conformance_half,    &conformance_convert,
    &conformance_memory,  &conformance_warp,  &conformance_control, &conformance_cluster,
    &conformance_matrix,  &conformance_wgmma, &conformance_async,
};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

typedef enum run_mode { MODE_NONE, MODE_RECORD, MODE_CHECK, MODE_LIST, MODE_MERGE } run_mode;

typedef struct run_options {
    run_mode mode;
    const char *path, *only, *skip;
    char *const *more; /* checking: other devices' golden files, for the cases that PATH does not have */
    int more_count;
    bool verbose;
    int resume; /* recording: the cases before this one are done, those of them that did not fail are in PATH.partial */
    int failed; /* of those */
    char **arguments;
} run_options;

typedef struct golden_case {
    char *name;
    int n;
    size_t size; /* of one output */
    uint64_t checksum;
    unsigned char *outputs;
    bool seen;
} golden_case;

typedef struct golden {
    char origin[ORIGINS][LINE_BYTES]; /* as read: device, driver, runtime, date */
    int origins;
    golden_case *cases;
    int count;
    int next; /* where the last one found was, and so most likely the one asked for next */
} golden;

/* One case's inputs and output on this side. */
typedef struct run {
    void *inputs[3];
    unsigned char *outputs;
    int n;
    size_t size;
    uint64_t checksum;
    cudaError_t error;
} run;

static void *allocate(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) {
        fprintf(stderr, "conformance: out of memory\n");
        exit(1);
    }
    return memory;
}

/* Fewer of the wide ones, so that all of the recorded outputs stay small. */
static int count_of(const conformance_case *c) {
    if (c->n) return c->n;
    int n = c->c != V_NONE ? 640 : c->b != V_NONE ? 448 : 288;
    return value_size(c->d) > 4 ? n / 2 : n;
}

/* A name may be several instructions, on lines of their own. */
static void print_name(const char *before, const char *name, const char *after) {
    fputs(before, stdout);
    for (const char *c = name; *c; c++) putchar(strchr("\n\t\r", *c) ? ' ' : *c);
    fputs(after, stdout);
}

static bool chosen(const run_options *options, const char *name) {
    return (!options->only || strstr(name, options->only)) && (!options->skip || !strstr(name, options->skip));
}

/* ---- the golden file --------------------------------------------------------------------------------------------- */

/* A pipe from or to gzip; NULL with errno where the file cannot be opened. Should gzip fail, pclose says so. */
static FILE *open_zipped(const char *path, bool writes) {
    FILE *there = fopen(path, writes ? "wb" : "rb");
    if (!there || setenv("CONFORMANCE_FILE", path, 1) != 0) return NULL;
    fclose(there);
    return popen(writes ? "LD_PRELOAD= exec gzip -9n >\"$CONFORMANCE_FILE\"" : "LD_PRELOAD= exec gzip -dc <\"$CONFORMANCE_FILE\"",
                 writes ? "w" : "r");
}

static void write_header(FILE *file, const golden *recorded) {
    const int count = recorded->count;
    if (recorded->origins == ORIGINS) {
        fprintf(file, "conformance %d\n", FORMAT);
        for (int k = 0; k < ORIGINS; k++) fprintf(file, "%s\n", recorded->origin[k]);
        fprintf(file, "cases %d\n\n", count);
        return;
    }
    struct cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    bool known = cudaGetDeviceProperties(&properties, 0) == cudaSuccess;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    fprintf(file, "conformance %d\ndevice %s\ndriver %d\nruntime %d\ndate %s\ncases %d\n\n", FORMAT,
             known ? properties.name : "unknown", driver, runtime, date, count);
}

static bool write_golden(const char *path, const golden *recorded) {
    char *temporary = allocate(strlen(path) + 16);
    sprintf(temporary, "%s.tmp", path);
    FILE *file = open_zipped(temporary, true);
    bool good = file != NULL;
    if (good) {
        write_header(file, recorded);
        for (int i = 0; i < recorded->count && good; i++) {
            const golden_case *c = &recorded->cases[i];
            size_t bytes = (size_t)c->n * c->size;
            good = fprintf(file, "%d %zu %016" PRIx64 " %zu\n", c->n, c->size, c->checksum, strlen(c->name)) > 0 &&
                   fputs(c->name, file) >= 0 && fwrite(c->outputs, 1, bytes, file) == bytes;
        }
        good = pclose(file) == 0 && good;
    }
    good = good && rename(temporary, path) == 0;
    if (!good) {
        fprintf(stderr, "conformance: %s: cannot write: %s\n", path, strerror(errno));
        unlink(temporary);
    }
    free(temporary);
    return good;
}

static bool read_line(FILE *file, char line[LINE_BYTES]) {
    if (!fgets(line, LINE_BYTES, file)) return false;
    size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n') return false;
    line[length - 1] = '\0';
    return true;
}

static bool read_case(FILE *file, golden_case *c) {
    char line[LINE_BYTES];
    size_t length;
    if (!read_line(file, line)) return false;
    if (sscanf(line, "%d %zu %" SCNx64 " %zu", &c->n, &c->size, &c->checksum, &length) != 4) return false;
    if (c->n < 0 || c->size == 0 || c->size > 8 || length > LONGEST_NAME) return false;
    size_t bytes = (size_t)c->n * c->size;
    c->name = allocate(length + 1);
    c->name[length] = '\0';
    c->outputs = allocate(bytes);
    return fread(c->name, 1, length, file) == length && fread(c->outputs, 1, bytes, file) == bytes;
}

/* Prints where it was recorded; false with a message when it is no golden file. */
static bool read_golden(const char *path, golden *recorded) {
    char line[LINE_BYTES];
    int format = 0, count = -1;
    FILE *file = open_zipped(path, false);
    if (!file) {
        fprintf(stderr, "conformance: %s: %s\n", path, strerror(errno));
        return false;
    }
    bool good = read_line(file, line) && sscanf(line, "conformance %d", &format) == 1;
    if (good && format != FORMAT) {
        fprintf(stderr, "conformance: %s: format %d, and this program reads %d: record again\n", path, format, FORMAT);
        pclose(file);
        return false;
    }
    while (good && (good = read_line(file, line)) && line[0]) {
        if (sscanf(line, "cases %d", &count) == 1) continue;
        printf("%s\n", line);
        if (recorded->origins < ORIGINS) strcpy(recorded->origin[recorded->origins++], line);
    }
    good = good && count >= 0;
    if (good) {
        recorded->cases = calloc((size_t)count + 1, sizeof(*recorded->cases));
        good = recorded->cases != NULL;
    }
    while (good && recorded->count < count) good = read_case(file, &recorded->cases[recorded->count++]);
    pclose(file);
    if (!good) fprintf(stderr, "conformance: %s: not a whole golden file\n", path);
    return good;
}

static golden_case *find(golden *recorded, const char *name) {
    for (int i = 0; i < recorded->count; i++) {
        int at = (recorded->next + i) % recorded->count;
        if (strcmp(recorded->cases[at].name, name) == 0) {
            recorded->next = at + 1;
            return &recorded->cases[at];
        }
    }
    return NULL;
}

/* Adds the cases of `from` to `all`; false where one of them stands in both and differs. */
static bool join(golden *all, const golden *from) {
    all->cases = realloc(all->cases, (size_t)(all->count + from->count + 1) * sizeof(*all->cases));
    if (!all->cases) return false;
    for (int i = 0; i < from->count; i++) {
        const golden_case *c = &from->cases[i], *same = find(all, c->name);
        if (same == NULL) {
            all->cases[all->count++] = *c;
        } else if (same->n != c->n || same->size != c->size || same->checksum != c->checksum ||
                   memcmp(same->outputs, c->outputs, (size_t)c->n * c->size) != 0) {
            print_name("FAIL ", c->name, ": recorded twice, and differently\n");
            return false;
        }
    }
    return true;
}

/* Joins recordings of one device, driver and runtime. The date is the first one's. */
static int merge(const char *path, char *const *from, int count) {
    golden all = {0};
    if (count == 0 || !read_golden(from[0], &all)) return 1;
    for (int k = 1; k < count; k++) {
        golden more = {0};
        if (!read_golden(from[k], &more)) return 1;
        for (int o = 0; o < ORIGINS - 1; o++) {
            if (all.origins == ORIGINS && more.origins == ORIGINS && strcmp(all.origin[o], more.origin[o]) == 0)
                continue;
            fprintf(stderr, "conformance: %s: not of the same device, driver and runtime as %s\n", from[k], from[0]);
            return 1;
        }
        if (!join(&all, &more)) return 1;
    }
    if (!write_golden(path, &all)) return 1;
    printf("%d cases in %s\n", all.count, path);
    return 0;
}

/* ---- running one case -------------------------------------------------------------------------------------------- */

static void make_inputs(const conformance_case *c, run *r) {
    const value_type types[3] = {c->a, c->b, c->c};
    *r = (run){.n = count_of(c), .size = value_size(c->d), .checksum = VALUES_CHECKSUM};
    for (int k = 0; k < 3; k++) {
        if (types[k] != V_NONE) r->inputs[k] = allocate((size_t)r->n * value_size(types[k]));
    }
    values_make(c->name, types, r->n, r->inputs);
    for (int k = 0; k < 3; k++) {
        if (types[k] == V_NONE) continue;
        r->checksum = values_checksum(r->checksum, r->inputs[k], (size_t)r->n * value_size(types[k]));
    }
    r->outputs = allocate((size_t)r->n * r->size);
    memset(r->outputs, UNTOUCHED, (size_t)r->n * r->size);
}

static cudaError_t launch(const conformance_case *c, run *r) {
    const value_type types[3] = {c->a, c->b, c->c};
    void *device[4] = {NULL};
    size_t bytes = (size_t)r->n * r->size;
    cudaError_t error = cudaSuccess;
    for (int k = 0; k < 3 && error == cudaSuccess; k++) {
        if (types[k] == V_NONE) continue;
        size_t input_bytes = (size_t)r->n * value_size(types[k]);
        error = cudaMalloc(&device[k], input_bytes);
        if (error == cudaSuccess) error = cudaMemcpy(device[k], r->inputs[k], input_bytes, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) error = cudaMalloc(&device[3], bytes);
    if (error == cudaSuccess) error = cudaMemcpy(device[3], r->outputs, bytes, cudaMemcpyHostToDevice);
    if (error == cudaSuccess && c->shared_bytes > 48 * 1024) {
        error =
            cudaFuncSetAttribute((const void *)c->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, c->shared_bytes);
    }
    if (error == cudaSuccess) {
        unsigned block = c->grid ? (unsigned)c->block : BLOCK;
        unsigned grid = c->grid ? (unsigned)c->grid : ((unsigned)r->n + BLOCK - 1) / BLOCK;
        void *arguments[] = {&device[0], &device[1], &device[2], &device[3], &r->n};
        error = cudaLaunchKernel((const void *)c->kernel, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, arguments,
                                 (size_t)c->shared_bytes, NULL);
    }
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error == cudaSuccess) error = cudaMemcpy(r->outputs, device[3], bytes, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 4; k++) {
        if (device[k]) cudaFree(device[k]);
    }
    cudaGetLastError();
    return error;
}

/* After an error that spoils the context every later call gives it again. */
static bool context_is_lost(void) {
    return cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void show_difference(const conformance_case *c, const run *r, const unsigned char *expected, int i) {
    const value_type types[3] = {c->a, c->b, c->c};
    printf("    [%d] ", i);
    for (int k = 0; k < 3; k++) {
        if (types[k] == V_NONE) continue;
        printf("%c = ", "abc"[k]);
        value_print(stdout, types[k], (const char *)r->inputs[k] + (size_t)i * value_size(types[k]));
        printf(", ");
    }
    printf("expected ");
    value_print(stdout, c->d, expected);
    printf(", got ");
    value_print(stdout, c->d, r->outputs + (size_t)i * r->size);
    printf("\n");
}

static bool compare(const conformance_case *c, const run *r, const golden_case *expected) {
    if (expected->n != r->n || expected->size != r->size || expected->checksum != r->checksum) {
        print_name("FAIL ", c->name, ": inputs differ, record again\n");
        return false;
    }
    int different = 0;
    for (int i = 0; i < r->n; i++) {
        const unsigned char *wanted = expected->outputs + (size_t)i * r->size;
        if (value_agrees(c->d, c->ulps, wanted, r->outputs + (size_t)i * r->size)) continue;
        if (different == 0) print_name("FAIL ", c->name, ":\n");
        if (different++ < SHOWN) show_difference(c, r, wanted, i);
    }
    if (different) printf("    %d of %d differ\n", different, r->n);
    return different == 0;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every case of every table, in order; *count of them. The names must differ. */
static const conformance_case **all_cases(int *count) {
    int total = 0, n = 0;
    for (int t = 0; t < TABLES; t++) total += tables[t] ? tables[t]->count : 0;
    const conformance_case **cases = allocate((size_t)total * sizeof(*cases));
    const char **names = allocate((size_t)total * sizeof(*names));
    for (int t = 0; t < TABLES; t++) {
        for (int i = 0; tables[t] && i < tables[t]->count; i++) {
            names[n] = tables[t]->cases[i].name;
            cases[n++] = &tables[t]->cases[i];
        }
    }
    qsort(names, (size_t)total, sizeof(*names), compare_names);
    for (int i = 1; i < total; i++) {
        if (strcmp(names[i - 1], names[i]) != 0) continue;
        fprintf(stderr, "conformance: %s: two cases of this name\n", names[i]);
        exit(1);
    }
    free(names);
    *count = total;
    return cases;
}

static void list_cases(const run_options *options) {
    for (int t = 0; t < TABLES; t++) {
        for (int i = 0; tables[t] && i < tables[t]->count; i++) {
            const conformance_case *c = &tables[t]->cases[i];
            if (!chosen(options, c->name)) continue;
            printf("%-8s %5d", tables[t]->family, count_of(c));
            print_name("  ", c->name, "\n");
        }
    }
}

static void keep(golden *recorded, const conformance_case *c, run *r) {
    recorded->cases[recorded->count++] = (golden_case){
        .name = (char *)c->name, .n = r->n, .size = r->size, .checksum = r->checksum, .outputs = r->outputs};
    r->outputs = NULL;
}

/* What a failed run has is kept, but not in the place of a whole recording. */
static void recording_path(const run_options *options, bool whole, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s%s", options->path, whole ? "" : ".partial");
}

/* A lost context is this process's: the cases from number `from` on are recorded by this program started anew. Returns
 * where that is impossible. */
static void resume(const run_options *options, const golden *recorded, int from, int failed) {
    char path[PATH_MAX], number[2][16], *arguments[64];
    int count = 0;
    recording_path(options, false, path);
    if (!write_golden(path, recorded)) return;
    for (; options->arguments[count] && count < 59; count++) arguments[count] = options->arguments[count];
    snprintf(number[0], sizeof(number[0]), "%d", from);
    snprintf(number[1], sizeof(number[1]), "%d", failed);
    arguments[count++] = "--resume";
    arguments[count++] = number[0];
    arguments[count++] = "--failed";
    arguments[count++] = number[1];
    arguments[count] = NULL;
    fflush(stdout);
    for (int fd = 3; fd < 1024; fd++) close(fd); /* the driver's */
    execv("/proc/self/exe", arguments);
}

static int run_all(const run_options *options) {
    golden recorded = {0};
    int total, passed = 0, failed = options->failed, unrecorded = 0;
    bool lost = false;
    const conformance_case **cases = all_cases(&total);
    bool recording = options->mode == MODE_RECORD;
    if (recording) {
        char path[PATH_MAX];
        recording_path(options, false, path);
        if (options->resume > 0 && !read_golden(path, &recorded)) return 1;
        passed = recorded.count;
        recorded.cases = realloc(recorded.cases, (size_t)(total + 1) * sizeof(*recorded.cases));
        if (!recorded.cases) return 1;
    } else if (!read_golden(options->path, &recorded)) {
        return 1;
    }
    for (int k = 0; k < options->more_count; k++) {
        golden more = {0};
        if (!read_golden(options->more[k], &more) || !join(&recorded, &more)) return 1;
    }
    const char *why = &conformance_async_prepare != NULL ? conformance_async_prepare() : NULL;
    if (why != NULL) fprintf(stderr, "conformance: no tensor maps: %s\n", why);
    for (int i = options->resume; i < total; i++) {
        const conformance_case *c = cases[i];
        golden_case *expected = recording ? NULL : find(&recorded, c->name);
        if (expected) expected->seen = true;
        if (!chosen(options, c->name)) continue;
        if (lost) {
            failed++;
            continue;
        }
        if (options->verbose) {
            print_name("", c->name, "\n");
            fflush(stdout);
        }
        run r;
        make_inputs(c, &r);
        cudaError_t error = launch(c, &r);
        bool good = error == cudaSuccess;
        if (!good) {
            print_name("FAIL ", c->name, ": ");
            printf("%s\n", cudaGetErrorName(error));
            lost = context_is_lost();
            if (lost && recording) resume(options, &recorded, i + 1, failed + 1);
            if (lost) printf("the device is of no more use to this run: the cases after this one were not run\n");
        } else if (recording) {
            keep(&recorded, c, &r);
        } else if (expected) {
            good = compare(c, &r, expected);
        }
        const bool skipped = good && !recording && !expected; /* it ran, and there is nothing to compare it with */
        unrecorded += skipped;
        passed += good && !skipped;
        failed += !good;
        for (int k = 0; k < 3; k++) free(r.inputs[k]);
        free(r.outputs);
    }
    for (int i = 0; !recording && i < recorded.count; i++) {
        if (recorded.cases[i].seen || !chosen(options, recorded.cases[i].name)) continue;
        print_name("FAIL ", recorded.cases[i].name, ": in the golden file, but there is no such case\n");
        failed++;
    }
    if (recording && passed > 0) {
        char path[PATH_MAX];
        recording_path(options, failed == 0, path);
        if (!write_golden(path, &recorded)) failed++;
        printf("recorded in %s\n", path);
    }
    if (unrecorded > 0) {
        printf("conformance: %d cases are not recorded yet\n", unrecorded);
        printf("%d passed, %d failed, %d skipped\n", passed, failed, unrecorded);
    } else {
        printf("%d passed, %d failed\n", passed, failed);
    }
    return failed ? 1 : 0;
}

static int usage(const char *what) {
    fprintf(stderr,
            "conformance: %s; usage: conformance --record FILE.gz | --check FILE.gz [FILE.gz...] | --list [--only SUBSTRING] "
            "[--skip SUBSTRING] [--verbose] | --merge FILE.gz FROM.gz...\n",
            what);
    return 2;
}

int main(int argc, char **argv) {
    static const struct option names[] = {
        {"record", required_argument, NULL, 'r'}, {"check", required_argument, NULL, 'c'},
        {"list", no_argument, NULL, 'l'},         {"merge", required_argument, NULL, 'm'},
        {"only", required_argument, NULL, 'o'},   {"skip", required_argument, NULL, 's'},
        {"verbose", no_argument, NULL, 'v'},      {"resume", required_argument, NULL, 'R'},
        {"failed", required_argument, NULL, 'F'}, {NULL, 0, NULL, 0},
    };
    run_options options = {.arguments = argv};
    int letter;
    opterr = 0;
    while ((letter = getopt_long(argc, argv, "", names, NULL)) != -1) {
        run_mode mode = MODE_NONE;
        switch (letter) {
        case 'r':
            mode = MODE_RECORD;
            break;
        case 'c':
            mode = MODE_CHECK;
            break;
        case 'l':
            mode = MODE_LIST;
            break;
        case 'm':
            mode = MODE_MERGE;
            break;
        case 'o':
            options.only = optarg;
            break;
        case 's':
            options.skip = optarg;
            break;
        case 'v':
            options.verbose = true;
            break;
        case 'R':
            options.resume = atoi(optarg);
            break;
        case 'F':
            options.failed = atoi(optarg);
            break;
        default:
            return usage("unknown option, or one without its argument");
        }
        if (mode == MODE_NONE) continue;
        if (options.mode != MODE_NONE) return usage("more than one of --record, --check, --list and --merge");
        options.mode = mode;
        if (mode != MODE_LIST) options.path = optarg;
    }
    if (options.mode == MODE_MERGE) return merge(options.path, argv + optind, argc - optind);
    if (options.mode == MODE_CHECK) {
        options.more = argv + optind;
        options.more_count = argc - optind;
    } else if (optind < argc) {
        return usage("too many arguments");
    }
    if (options.mode == MODE_NONE) return usage("none of --record, --check, --list and --merge");
    if (options.mode == MODE_LIST) {
        list_cases(&options);
        return 0;
    }
    return run_all(&options);
}
