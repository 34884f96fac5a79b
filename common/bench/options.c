/* The command line. One table drives getopt_long and --help; what depends on several options is checked after all of
 * them are read, so that their order does not matter. */
#include "bench/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gpu/simulator.h"

typedef enum {
    OPT_SIZE,
    OPT_M,
    OPT_N,
    OPT_K,
    OPT_D,
    OPT_LDA,
    OPT_LDB,
    OPT_LDC,
    OPT_ALPHA,
    OPT_BETA,
    OPT_DTYPE,
    OPT_LAYOUT,
    OPT_OUT,
    OPT_SWEEP,
    OPT_MAX_SIZE,
    OPT_EVERY,
    OPT_VARIANT,
    OPT_METHOD,
    OPT_LIST,
    OPT_SHOW,
    OPT_VERBOSE,
    OPT_SEED,
    OPT_DEVICE,
    OPT_SIM,
    OPT_SIM_DEVICE,
    OPT_WARM,
    OPT_TIME,
    OPT_SUSTAINED,
    OPT_NO_BASELINE,
    OPT_CSV,
    OPT_JSON,
    OPT_RESUME,
    OPT_GRAPH,
    OPT_PDL,
    OPT_RETUNE,
    OPT_NO_TUNE,
    OPT_TUNE_FILE,
    OPT_TUNE_CSV,
    OPT_TRANSFERS,
    OPT_MEMORY_LIMIT,
    OPT_TRAIN,
    OPT_TEST,
    OPT_SPLIT,
    OPT_TRAIN_LABELS,
    OPT_TEST_LABELS,
    OPT_LABELS,
    OPT_HEADER,
    OPT_SYMBOLIC,
    OPT_NORMALIZE,
    OPT_METRIC,
    OPT_K_SWEEP,
    OPT_CLASSES_MAP,
    OPT_POSITIVE,
    OPT_OUT_FILE,
    OPT_OUT_INDICES,
    OPT_OUT_DISTANCES,
    OPT_RATES_CSV,
    OPT_VERIFY,
    OPT_HELP,
    OPT_COUNT
} option_id;

/* getopt's value of an option is its id above every character, so that optopt tells the two apart. */
enum { CODE_BASE = 256, CODE_POSITIONAL = 1 };

enum { HELP_COLUMNS = 100, HELP_INDENT = 20 };

#define DEFAULT_SEED      1
#define DEFAULT_TIME      0.5
#define TIME_LIMIT        86400.0
#define DEFAULT_MEMORY    0.8
#define TEXT_OF(literal)  TEXT_OF_(literal)
#define TEXT_OF_(literal) #literal

typedef struct {
    const char *name;
    const char *argument; /* NULL: takes none */
    const char *help;     /* NULL: made from the step */
    int only;             /* options_operation it is for, or several of them together; 0: all */
    const char *of_gemv;  /* help in a GEMV step; NULL: the same */
} option_row;

enum { OF_BLAS = OPTIONS_GEMM | OPTIONS_GEMV };

static const option_row table[OPT_COUNT] = {
    [OPT_SIZE] = {"size", "N", NULL, OF_BLAS, NULL},
    [OPT_M] = {"m", "N", "rows of A and C (default: as --size)", OPTIONS_GEMM | OPTIONS_KNN, NULL},
    [OPT_N] = {"n", "N", "columns of B and C (default: as --size)", 0, "rows of A, elements of y (default: as --size)"},
    [OPT_K] = {"k", "N", "columns of A, rows of B (default: as --size)", 0,
               "columns of A, elements of x (default: as --size)"},
    [OPT_D] = {"d", "N", NULL, OPTIONS_KNN, NULL},
    [OPT_LDA] = {"lda", "N", "leading dimension of A, in elements (default: k)", OF_BLAS, NULL},
    [OPT_LDB] = {"ldb", "N", "leading dimension of B, in elements (default: n)", OPTIONS_GEMM, NULL},
    [OPT_LDC] = {"ldc", "N", "leading dimension of C, in elements (default: n)", OPTIONS_GEMM, NULL},
    [OPT_ALPHA] = {"alpha", "X", "C = alpha*A*B + beta*C (default 1)", OF_BLAS, "y = alpha*A*x + beta*y (default 1)"},
    [OPT_BETA] = {"beta", "X", "with 0, C is written and never read (default 0)", OF_BLAS,
                  "with 0, y is written and never read (default 0)"},
    [OPT_DTYPE] = {"dtype", "TYPE", NULL, OF_BLAS, NULL},
    [OPT_LAYOUT] = {"layout", "NAME", NULL, OPTIONS_GEMM, NULL},
    [OPT_OUT] = {"out", "TYPE", NULL, OPTIONS_GEMM, NULL},
    [OPT_SWEEP] = {"sweep", "KIND", "time a list of shapes: square, article, odd; check: verify many, time none", 0,
                   NULL},
    [OPT_MAX_SIZE] = {"max-size", "N", "leave out a sweep's shapes with a side above N", 0, NULL},
    [OPT_EVERY] = {"every", "N", "take every Nth problem of --sweep check, from the first on (default 1)", 0, NULL},
    [OPT_VARIANT] = {"variant", "NAME", "run this variant; may be repeated (default: all)", 0, NULL},
    [OPT_METHOD] = {"method", "NAME", "the same", OPTIONS_KNN, NULL},
    [OPT_LIST] = {"list", NULL, "list the variants and stop", 0, NULL},
    [OPT_SHOW] = {"show", "NAME", NULL, 0, NULL},
    [OPT_VERBOSE] = {"verbose", NULL, "say more; with --list: registers, shared memory, occupancy", 0, NULL},
    [OPT_SEED] = {"seed", "N", "seed of the operands' generator (default " TEXT_OF(DEFAULT_SEED) ")", 0, NULL},
    [OPT_DEVICE] = {"device", "N", "CUDA device (default 0)", 0, NULL},
    [OPT_SIM] = {"sim", NULL, "run in the simulator, on this machine's CPU (the default without a GPU)", 0, NULL},
    [OPT_SIM_DEVICE] = {"sim-device", "NAME", NULL, 0, NULL},
    [OPT_WARM] = {"warm", NULL, "leave the operands in the L2 cache between launches (default: cold)", OF_BLAS, NULL},
    [OPT_TIME] = {"time", "S", "seconds a measurement may take (default " TEXT_OF(DEFAULT_TIME) ")", 0, NULL},
    [OPT_SUSTAINED] = {"sustained", "S", "measure again, S seconds under continuous load (default: not)", OPTIONS_GEMM,
                       NULL},
    [OPT_NO_BASELINE] = {"no-baseline", NULL, "do not time the baseline (default: timed)", OF_BLAS, NULL},
    [OPT_CSV] = {"csv", "FILE", "append the results to FILE as CSV (default: none)", 0, NULL},
    [OPT_JSON] = {"json", "FILE", "append the results to FILE, one JSON object a line (default: none)", 0, NULL},
    [OPT_RESUME] = {"resume", NULL, "skip what the --csv file already holds", 0, NULL},
    [OPT_GRAPH] = {"graph", NULL, "time a chain of launches, without and with programmatic dependent launch",
                   OPTIONS_GEMV, NULL},
    [OPT_PDL] = {"pdl", NULL, "launch kernels with programmatic dependent launch (cuBLAS as ever; sm_90 and newer)",
                 OPTIONS_GEMV, NULL},
    [OPT_RETUNE] = {"retune", NULL, "search for the best candidates again, tuned or not", OPTIONS_GEMV, NULL},
    [OPT_NO_TUNE] = {"no-tune", NULL, "do not search: take the nearest shape's candidate", OPTIONS_GEMV, NULL},
    [OPT_TUNE_FILE] = {"tune-file", "FILE", "keep what was tuned in FILE (default: the cache folder's)", OPTIONS_GEMV,
                       NULL},
    [OPT_TUNE_CSV] = {"tune-csv", "FILE", "append every candidate's time to FILE as CSV (default: none)", OPTIONS_GEMV,
                      NULL},
    [OPT_TRANSFERS] = {"transfers", NULL, "time the search with its copies from and to pinned host memory, too",
                       OPTIONS_KNN, NULL},
    [OPT_MEMORY_LIMIT] = {"memory-limit", "SIZE",
                          "device memory to take, all told: bytes, 500M, 2.5G, or a share of what is\n"
                          "                    free: 80% (default)",
                          OPTIONS_KNN, NULL},
    [OPT_TRAIN] = {"train", "FILE", "classify: the training records (CSV, .npy, .fvecs, .bvecs, .ivecs, idx; or gzip)",
                   OPTIONS_KNN, NULL},
    [OPT_TEST] = {"test", "FILE", "the test records", OPTIONS_KNN, NULL},
    [OPT_SPLIT] = {"split", "X", "instead of --test: X of the records train, the others are the test", OPTIONS_KNN,
                   NULL},
    [OPT_TRAIN_LABELS] = {"train-labels", "FILE", "the training records' labels, where they are in a file of their own",
                          OPTIONS_KNN, NULL},
    [OPT_TEST_LABELS] = {"test-labels", "FILE", "the test records' labels, likewise (default: they have none)",
                         OPTIONS_KNN, NULL},
    [OPT_LABELS] = {"labels", "PLACE", NULL, OPTIONS_KNN, NULL},
    [OPT_HEADER] = {"header", "WORD", NULL, OPTIONS_KNN, NULL},
    [OPT_SYMBOLIC] = {"symbolic", "LIST",
                      "columns that are words whatever they look like: 2,3,4, or none (default:\n"
                      "                    those that hold a word)",
                      OPTIONS_KNN, NULL},
    [OPT_NORMALIZE] = {"normalize", "HOW", NULL, OPTIONS_KNN, NULL},
    [OPT_METRIC] = {"metric", "NAME", NULL, OPTIONS_KNN, NULL},
    [OPT_K_SWEEP] = {"k-sweep", "A:B", "accuracy for each k from A to B, of one search", OPTIONS_KNN, NULL},
    [OPT_CLASSES_MAP] = {"classes-map", "MAP",
                         "detection and false alarms of groups of labels: kdd, or a file of label,class", OPTIONS_KNN,
                         NULL},
    [OPT_POSITIVE] = {"positive", "LABEL", "the same of one label (with --classes-map: one class)", OPTIONS_KNN, NULL},
    [OPT_OUT_FILE] = {"out", "FILE", "write the predicted labels (CSV, or .npy by its name; so the next two)",
                      OPTIONS_KNN, NULL},
    [OPT_OUT_INDICES] = {"out-indices", "FILE", "write the neighbours' places in the training records, from 0",
                         OPTIONS_KNN, NULL},
    [OPT_OUT_DISTANCES] = {"out-distances", "FILE", "write the squared distances", OPTIONS_KNN, NULL},
    [OPT_RATES_CSV] = {"rates-csv", "FILE", "append the rates of --k-sweep by class", OPTIONS_KNN, NULL},
    [OPT_VERIFY] = {"verify", NULL, "compare the neighbours with the CPU's, too", OPTIONS_KNN, NULL},
    [OPT_HELP] = {"help", NULL, "print this and stop", 0, NULL},
};

/* Help in a kNN step, where it is another. */
static const char *const of_knn[OPT_COUNT] = {
    [OPT_SWEEP] = "check: verify a list of problems, time none",
    [OPT_MAX_SIZE] = "leave out the list's problems with a side above N",
    [OPT_VARIANT] = "run this method; may be repeated (default: all)",
    [OPT_LIST] = "list the methods and stop",
    [OPT_SEED] = "seed of the data's generator (default " TEXT_OF(DEFAULT_SEED) ")",
};

/* What these take, the default first; NULL-terminated. */
static const char *const labels_words[] = {"last", "first", "none", NULL},
                         *const header_words[] = {"auto", "yes", "no", NULL},
                         *const normalize_words[] = {"none", "minmax", "zscore", "zscore,minmax", NULL},
                         *const metric_words[] = {"l2", NULL};

static const char *const *words_of(option_id id) {
    return id == OPT_LABELS      ? labels_words
           : id == OPT_HEADER    ? header_words
           : id == OPT_NORMALIZE ? normalize_words
           : id == OPT_METRIC    ? metric_words
                                 : NULL;
}

static const struct {
    const char *name;
    sweep_kind kind;
} sweeps[] = {
    {"square", SWEEP_SQUARE},
    {"article", SWEEP_ARTICLE},
    {"odd", SWEEP_ODD},
    {"check", SWEEP_CHECK},
};

enum { SWEEP_COUNT = sizeof sweeps / sizeof sweeps[0] };

typedef struct {
    const options_step *step;
    options *o;
    FILE *err;
    int size;
    bool given[OPT_COUNT];
} parser;

static const char *operation_name(int operation) {
    if (operation == OF_BLAS) return "GEMM or GEMV";
    return operation == OPTIONS_KNN ? "kNN search" : operation == OPTIONS_GEMV ? "GEMV" : "GEMM";
}

static bool is_for(const option_row *row, const options_step *step) {
    if (row == &table[OPT_OUT] && step->outs == NULL) return false;
    if (row == &table[OPT_SHOW] && step->shows == NULL) return false;
    return row->only == 0 || (row->only & (int)step->operation) != 0;
}

/* Prints "step: MESSAGE" as one line, whatever the user's text holds. Returns false, for the caller to pass on. */
__attribute__((format(printf, 2, 3))) static bool fail(const parser *p, const char *format, ...) {
    char *message = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&message, format, arguments);
    va_end(arguments);
    if (length < 0) {
        fprintf(p->err, "%s: bad arguments (and no memory to say which)\n", p->step->step);
        return false;
    }
    for (char *c = message; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F) *c = '?';
    fprintf(p->err, "%s: %s\n", p->step->step, message);
    free(message);
    return false;
}

/* ---- numbers ---- */

/* Decimal only: strtod alone would take blanks, "nan", "inf" and hexadecimal. */
static bool is_decimal(const char *text) {
    if (*text == '\0' || strspn(text, "0123456789+-.eE") != strlen(text)) return false;
    char *end;
    strtod(text, &end);
    return *end == '\0';
}

/* A number too large for *value makes UINT64_MAX and errno ERANGE. */
static bool parse_digits(const parser *p, option_id id, const char *text, uint64_t *value) {
    const char *name = table[id].name;
    const char *digits = text + (*text == '-' || *text == '+');
    const size_t length = strlen(digits);
    if (length == 0 || strspn(digits, "0123456789") != length)
        return fail(p, "--%s: '%s' is not a %snumber", name, text, is_decimal(text) ? "whole " : "");
    if (*text == '-' && strspn(digits, "0") != length) return fail(p, "--%s: '%s' is negative", name, text);

    errno = 0;
    *value = strtoull(digits, NULL, 10);
    return true;
}

static bool parse_whole(const parser *p, option_id id, const char *text, uint64_t max, uint64_t *value) {
    if (!parse_digits(p, id, text, value)) return false;
    if (errno == ERANGE || *value > max)
        return fail(p, "--%s: '%s' is out of range (at most %llu)", table[id].name, text, (unsigned long long)max);
    return true;
}

static bool parse_int(const parser *p, option_id id, const char *text, int *value) {
    uint64_t whole;
    if (!parse_whole(p, id, text, INT_MAX, &whole)) return false;
    *value = (int)whole;
    return true;
}

static bool parse_positive(const parser *p, option_id id, const char *text, int *value) {
    if (!parse_int(p, id, text, value)) return false;
    return *value > 0 || fail(p, "--%s: '%s' is not above 0", table[id].name, text);
}

/* A size or a leading dimension. */
static bool parse_size(const parser *p, option_id id, const char *text, int *value) {
    uint64_t whole;
    if (!parse_digits(p, id, text, &whole)) return false;
    if (whole > GEMM_MAX_SIZE) return fail(p, "--%s %s: larger than %d", table[id].name, text, GEMM_MAX_SIZE);
    *value = (int)whole;
    return true;
}

/* A scalar too small for a float is refused like one too large: as 0 it would change what the kernel may read. */
static bool parse_scalar(const parser *p, option_id id, const char *text, float *value) {
    if (!is_decimal(text)) return fail(p, "--%s: '%s' is not a finite number", table[id].name, text);
    errno = 0;
    const float parsed = strtof(text, NULL);
    if (isinf(parsed) || (parsed == 0.0f && errno == ERANGE))
        return fail(p, "--%s: '%s' is out of a float's range", table[id].name, text);
    *value = parsed;
    return true;
}

static bool parse_time(const parser *p, option_id id, const char *text, double *value) {
    const char *name = table[id].name;
    if (!is_decimal(text)) return fail(p, "--%s: '%s' is not a finite number", name, text);
    const double parsed = strtod(text, NULL);
    if (!(parsed > 0.0)) return fail(p, "--%s: '%s' is not above 0", name, text);
    if (parsed > TIME_LIMIT) return fail(p, "--%s: '%s' is out of range (at most %.0f)", name, text, TIME_LIMIT);
    *value = parsed;
    return true;
}

/* Bytes, or a share: what the number ends in says which. */
static bool parse_memory(const parser *p, option_id id, const char *text, double *value) {
    static const struct {
        char letter;
        double factor;
    } units[] = {{'%', 0.01}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}};
    const char *name = table[id].name;
    char *number = strdup(text);
    if (number == NULL) return fail(p, "--%s: out of memory", name);
    const size_t length = strlen(number);
    double factor = 1.0;
    for (size_t i = 0; length > 0 && i < sizeof units / sizeof units[0]; i++)
        if (text[length - 1] == units[i].letter) {
            factor = units[i].factor;
            number[length - 1] = '\0';
        }
    const bool decimal = is_decimal(number);
    *value = decimal ? strtod(number, NULL) * factor : 0.0;
    free(number);
    if (!decimal) return fail(p, "--%s: '%s' is no size (bytes, 500M, 2.5G or 80%%)", name, text);
    if (!(*value > 0.0)) return fail(p, "--%s: '%s' is not above 0", name, text);
    if (factor == 0.01 ? *value > 1.0 : *value < 2.0 || *value > 0x1p60)
        return fail(p, "--%s: '%s' is out of range", name, text);
    return true;
}

/* "A:B", 1 <= A <= B. */
static bool parse_range(const parser *p, option_id id, const char *text, int *first, int *last) {
    const char *name = table[id].name, *colon = strchr(text, ':');
    if (colon == NULL) return fail(p, "--%s: '%s' is no range, as 1:11 is one", name, text);
    char *begin = strndup(text, (size_t)(colon - text));
    if (begin == NULL) return fail(p, "--%s: out of memory", name);
    const bool ok = parse_positive(p, id, begin, first) && parse_positive(p, id, colon + 1, last);
    free(begin);
    return ok && (*first <= *last || fail(p, "--%s: '%s' ends before it begins", name, text));
}

static bool parse_share(const parser *p, option_id id, const char *text, double *value) {
    const char *name = table[id].name;
    if (!is_decimal(text)) return fail(p, "--%s: '%s' is not a finite number", name, text);
    *value = strtod(text, NULL);
    return (*value > 0.0 && *value < 1.0) || fail(p, "--%s: '%s' is not between 0 and 1", name, text);
}

/* ---- names ---- */

static int list_length(const char *const *names) {
    int count = 0;
    while (names[count] != NULL) count++;
    return count;
}

/* "a, b, c", to be freed; NULL when memory is short. */
static char *join(const char *const *names, int count) {
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (f == NULL) return NULL;
    for (int i = 0; i < count; i++) fprintf(f, "%s%s", i > 0 ? ", " : "", names[i]);
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

static bool choose(const parser *p, option_id id, const char *text, const char *const *names, int count, int *index) {
    for (int i = 0; i < count; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *index = i;
        return true;
    }
    char *known = join(names, count);
    fail(p, "--%s: '%s' is unknown (known: %s)", table[id].name, text, known != NULL ? known : "see --help");
    free(known);
    return false;
}

static bool choose_listed(const parser *p, option_id id, const char *text, const char *const *names,
                          const char **chosen) {
    int index;
    if (!choose(p, id, text, names, list_length(names), &index)) return false;
    *chosen = names[index];
    return true;
}

static bool choose_sweep(const parser *p, const char *text, sweep_kind *kind) {
    const char *names[SWEEP_COUNT];
    const int first = p->step->operation == OPTIONS_KNN ? SWEEP_COUNT - 1 : 0; /* check alone */
    for (int i = first; i < SWEEP_COUNT; i++) names[i - first] = sweeps[i].name;
    int index;
    if (!choose(p, OPT_SWEEP, text, names, SWEEP_COUNT - first, &index)) return false;
    *kind = sweeps[index + first].kind;
    return true;
}

static bool choose_variant(const parser *p, option_id id, const char *text) {
    int index;
    if (!choose(p, id, text, p->step->variants, p->step->variant_count, &index)) return false;
    p->o->chosen[index] = true;
    if (p->o->first < 0) p->o->first = index;
    return true;
}

static bool name_file(const parser *p, option_id id, const char *text, const char **path) {
    if (*text == '\0') return fail(p, "--%s: the file's name is empty", table[id].name);
    *path = text;
    return true;
}

/* ---- one option ---- */

static bool apply(parser *p, option_id id, const char *text) {
    options *o = p->o;
    if (!is_for(&table[id], p->step))
        return fail(p, "--%s: is for a %s, this is a %s", table[id].name, operation_name(table[id].only),
                    operation_name(p->step->operation));
    p->given[id] = true;
    switch (id) {
    case OPT_SIZE:
        return parse_size(p, id, text, &p->size);
    case OPT_M:
        return parse_size(p, id, text, &o->m);
    case OPT_N:
        return parse_size(p, id, text, &o->n);
    case OPT_K:
        return parse_size(p, id, text, &o->k);
    case OPT_D:
        return parse_size(p, id, text, &o->d);
    case OPT_LDA:
        return parse_size(p, id, text, &o->lda);
    case OPT_LDB:
        return parse_size(p, id, text, &o->ldb);
    case OPT_LDC:
        return parse_size(p, id, text, &o->ldc);
    case OPT_ALPHA:
        return parse_scalar(p, id, text, &o->alpha);
    case OPT_BETA:
        return parse_scalar(p, id, text, &o->beta);
    case OPT_DTYPE:
        return choose_listed(p, id, text, p->step->dtypes, &o->dtype);
    case OPT_LAYOUT:
        return choose_listed(p, id, text, p->step->layouts, &o->layout);
    case OPT_OUT:
        o->out = text; /* looked up when the type is known */
        return true;
    case OPT_SWEEP:
        return choose_sweep(p, text, &o->sweep);
    case OPT_MAX_SIZE:
        return parse_int(p, id, text, &o->max_size);
    case OPT_EVERY:
        return parse_positive(p, id, text, &o->every);
    case OPT_VARIANT:
    case OPT_METHOD:
        return choose_variant(p, id, text);
    case OPT_LIST:
        o->list = true;
        return true;
    case OPT_SHOW:
        return choose_listed(p, id, text, p->step->shows, &o->show);
    case OPT_VERBOSE:
        o->verbose = true;
        return true;
    case OPT_SEED:
        return parse_whole(p, id, text, UINT64_MAX, &o->seed);
    case OPT_DEVICE:
        return parse_int(p, id, text, &o->device);
    case OPT_SIM:
        o->simulate = true;
        return true;
    case OPT_SIM_DEVICE:
        o->simulate = true;
        return choose_listed(p, id, text, simulator_devices, &o->sim_device);
    case OPT_WARM:
        o->warm = true;
        return true;
    case OPT_TIME:
        return parse_time(p, id, text, &o->time_s);
    case OPT_SUSTAINED:
        return parse_time(p, id, text, &o->sustained_s);
    case OPT_NO_BASELINE:
        o->baseline = false;
        return true;
    case OPT_CSV:
        return name_file(p, id, text, &o->csv);
    case OPT_JSON:
        return name_file(p, id, text, &o->json);
    case OPT_RESUME:
        o->resume = true;
        return true;
    case OPT_GRAPH:
        o->graph = true;
        return true;
    case OPT_PDL:
        o->pdl = true;
        return true;
    case OPT_RETUNE:
        o->retune = true;
        return true;
    case OPT_NO_TUNE:
        o->tune = false;
        return true;
    case OPT_TUNE_FILE:
        return name_file(p, id, text, &o->tune_file);
    case OPT_TUNE_CSV:
        return name_file(p, id, text, &o->tune_csv);
    case OPT_TRANSFERS:
        o->transfers = true;
        return true;
    case OPT_MEMORY_LIMIT:
        return parse_memory(p, id, text, &o->memory_limit);
    case OPT_TRAIN:
        return name_file(p, id, text, &o->train);
    case OPT_TEST:
        return name_file(p, id, text, &o->test);
    case OPT_SPLIT:
        return parse_share(p, id, text, &o->split);
    case OPT_LABELS:
        return choose_listed(p, id, text, words_of(id), &o->labels);
    case OPT_HEADER:
        return choose_listed(p, id, text, words_of(id), &o->header);
    case OPT_SYMBOLIC:
        o->symbolic = text; /* looked at when the file is read */
        return true;
    case OPT_NORMALIZE:
        return choose_listed(p, id, text, words_of(id), &o->normalize);
    case OPT_METRIC: {
        const char *only;
        return choose_listed(p, id, text, words_of(id), &only);
    }
    case OPT_K_SWEEP:
        return parse_range(p, id, text, &o->k_first, &o->k_last);
    case OPT_CLASSES_MAP:
        return name_file(p, id, text, &o->classes_map);
    case OPT_POSITIVE:
        o->positive = text;
        return true;
    case OPT_OUT_FILE:
        return name_file(p, id, text, &o->out_labels);
    case OPT_OUT_INDICES:
        return name_file(p, id, text, &o->out_indices);
    case OPT_OUT_DISTANCES:
        return name_file(p, id, text, &o->out_distances);
    case OPT_TRAIN_LABELS:
        return name_file(p, id, text, &o->train_labels);
    case OPT_TEST_LABELS:
        return name_file(p, id, text, &o->test_labels);
    case OPT_RATES_CSV:
        return name_file(p, id, text, &o->rates_csv);
    case OPT_VERIFY:
        o->verify = true;
        return true;
    case OPT_HELP:
    case OPT_COUNT:
        break;
    }
    return true;
}

/* ---- what getopt_long refuses ---- */

/* getopt_long reports an unknown and an ambiguous name alike: looks which of the two `argument` is. */
static bool reject_long(const parser *p, const char *argument) {
    const int length = (int)strcspn(argument, "=");
    const size_t prefix = (size_t)length - 2; /* after "--" */
    const char *matches[OPT_COUNT];
    int count = 0;
    for (int id = 0; id < OPT_COUNT; id++)
        if (prefix > 0 && is_for(&table[id], p->step) && strncmp(table[id].name, argument + 2, prefix) == 0)
            matches[count++] = table[id].name;
    if (count == 0) return fail(p, "%.*s: unknown option (see --help)", length, argument);

    char *candidates = join(matches, count);
    fail(p, "%.*s: ambiguous (%s)", length, argument, candidates != NULL ? candidates : "see --help");
    free(candidates);
    return false;
}

static bool reject(const parser *p, int code, const char *argument) {
    if (code == ':') return fail(p, "--%s: its argument is missing", table[optopt - CODE_BASE].name);
    if (optopt >= CODE_BASE) return fail(p, "--%s: takes no argument", table[optopt - CODE_BASE].name);
    if (optopt != 0) return fail(p, "-%c: unknown option (see --help)", optopt);
    return reject_long(p, argument);
}

/* ---- what depends on several options ---- */

/* What was not asked for is smaller in the simulator. */
static void complete_shape(parser *p) {
    options *o = p->o;
    const bool simulated = p->step->simulated || o->simulate;
    if (p->step->operation == OPTIONS_KNN) {
        const int *search = simulated ? p->step->simulated_search : p->step->search;
        if (!p->given[OPT_M]) o->m = search[0];
        if (!p->given[OPT_N]) o->n = search[1];
        if (!p->given[OPT_D]) o->d = search[2];
        if (!p->given[OPT_K]) o->k = search[3];
        if (!p->given[OPT_MAX_SIZE] && simulated && o->sweep == SWEEP_CHECK) o->max_size = p->step->simulated_max_size;
        return;
    }
    const int usual = simulated ? p->step->simulated_size : p->step->default_size;
    const int side = p->given[OPT_SIZE] ? p->size : usual;
    if (simulated && o->sweep == SWEEP_CHECK && !p->given[OPT_MAX_SIZE]) o->max_size = p->step->simulated_max_size;
    if (!p->given[OPT_M]) o->m = p->step->operation == OPTIONS_GEMV ? 1 : side;
    if (!p->given[OPT_N]) o->n = side;
    if (!p->given[OPT_K]) o->k = side;
}

/* 1 <= k <= n. */
static bool check_search(const parser *p) {
    const options *o = p->o;
    if (p->step->operation != OPTIONS_KNN || o->sweep != SWEEP_NONE || o->train != NULL) return true;
    if (o->n < 1) return fail(p, "--n: there has to be a point");
    if (o->k < 1) return fail(p, "--k: '%d' is not above 0", o->k);
    return o->k <= o->n || fail(p, "--k %d: more than --n %d", o->k, o->n);
}

static bool check_leading(const parser *p, option_id id, int ld, const char *side_name, int side) {
    if (!p->given[id] || (ld >= 1 && ld >= side)) return true;
    if (side < 1) return fail(p, "--%s %d: less than 1", table[id].name, ld);
    return fail(p, "--%s %d: less than %s = %d", table[id].name, ld, side_name, side);
}

static bool check_sweep(const parser *p) {
    static const option_id shape_options[] = {OPT_SIZE, OPT_M, OPT_N, OPT_K, OPT_D, OPT_LDA, OPT_LDB, OPT_LDC};
    static const option_id scalar_options[] = {OPT_ALPHA, OPT_BETA};
    static const option_id timing_options[] = {OPT_WARM,      OPT_TIME,     OPT_NO_BASELINE, OPT_CSV,    OPT_JSON,
                                               OPT_RESUME,    OPT_GRAPH,    OPT_PDL,         OPT_RETUNE, OPT_NO_TUNE,
                                               OPT_TUNE_FILE, OPT_TUNE_CSV, OPT_SUSTAINED,   OPT_TRANSFERS};
    if (p->given[OPT_EVERY] && p->o->sweep != SWEEP_CHECK) return fail(p, "--every: needs --sweep check");
    if (p->o->sweep == SWEEP_NONE) return !p->given[OPT_MAX_SIZE] || fail(p, "--max-size: needs --sweep");
    for (size_t i = 0; i < sizeof shape_options / sizeof shape_options[0]; i++)
        if (p->given[shape_options[i]])
            return fail(p, "--%s: contradicts --sweep, which chooses the shapes", table[shape_options[i]].name);
    if (p->o->sweep != SWEEP_CHECK) return true;
    for (size_t i = 0; i < sizeof scalar_options / sizeof scalar_options[0]; i++)
        if (p->given[scalar_options[i]])
            return fail(p, "--%s: contradicts --sweep check, which chooses the scalars", table[scalar_options[i]].name);
    for (size_t i = 0; i < sizeof timing_options / sizeof timing_options[0]; i++)
        if (p->given[timing_options[i]])
            return fail(p, "--%s: contradicts --sweep check, which times nothing", table[timing_options[i]].name);
    return true;
}

static bool same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Looks at the directory `path` lies in; *name is what follows it. */
static bool stat_directory(const char *path, struct stat *directory, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash != NULL ? slash + 1 : path;
    if (slash == NULL) return stat(".", directory) == 0;
    char *parent = strndup(path, (size_t)(slash - path) + 1);
    const bool found = parent != NULL && stat(parent, directory) == 0;
    free(parent);
    return found;
}

/* Also when neither exists yet ("x.csv" and "./x.csv"), for the first to be opened would then create the other. */
static bool same_file(const char *a, const char *b) {
    if (strcmp(a, b) == 0) return true;
    struct stat at_a, at_b;
    const bool has_a = stat(a, &at_a) == 0, has_b = stat(b, &at_b) == 0;
    if (has_a || has_b) return has_a && has_b && same_inode(&at_a, &at_b);
    const char *name_a, *name_b;
    return stat_directory(a, &at_a, &name_a) && stat_directory(b, &at_b, &name_b) && same_inode(&at_a, &at_b) &&
           strcmp(name_a, name_b) == 0;
}

static bool check_files(const parser *p) {
    static const option_id leading_options[] = {OPT_LDA, OPT_LDB, OPT_LDC};
    const options *o = p->o;
    static const option_id scalar_options[] = {OPT_ALPHA, OPT_BETA};
    if (o->csv != NULL || o->json != NULL)
        for (size_t i = 0; i < sizeof leading_options / sizeof leading_options[0]; i++)
            if (p->given[leading_options[i]])
                return fail(p, "--%s: cannot be recorded, --%s has no column for it", table[leading_options[i]].name,
                            o->csv != NULL ? "csv" : "json");
    if (o->tune_csv != NULL && p->given[OPT_LDA])
        return fail(p, "--lda: cannot be recorded, --tune-csv has no column for it");
    for (size_t i = 0; o->tune_csv != NULL && i < sizeof scalar_options / sizeof scalar_options[0]; i++)
        if (p->given[scalar_options[i]])
            return fail(p, "--%s: cannot be recorded, --tune-csv has no column for it", table[scalar_options[i]].name);
    const char *const others[] = {o->csv, o->json, o->tune_csv};
    for (size_t i = 0; o->tune_file != NULL && i < sizeof others / sizeof others[0]; i++)
        if (others[i] != NULL && same_file(o->tune_file, others[i]))
            return fail(p, "--tune-file: '%s' is another option's file too", o->tune_file);
    if (o->tune_csv != NULL && o->csv != NULL && same_file(o->csv, o->tune_csv))
        return fail(p, "--tune-csv: '%s' is the --csv file too", o->tune_csv);
    if (o->tune_csv != NULL && o->json != NULL && same_file(o->json, o->tune_csv))
        return fail(p, "--tune-csv: '%s' is the --json file too", o->tune_csv);
    if (o->resume && o->csv == NULL) return fail(p, "--resume: needs --csv");
    if (o->csv != NULL && o->json != NULL && same_file(o->csv, o->json))
        return fail(p, "--json: '%s' is the --csv file too", o->json);
    return true;
}

/* Data of files, and what only they have. */
static bool check_records(parser *p) {
    static const option_id of_made_up[] = {OPT_M,     OPT_N,    OPT_D,   OPT_SWEEP, OPT_MAX_SIZE,
                                           OPT_EVERY, OPT_TIME, OPT_CSV, OPT_JSON,  OPT_RESUME,
                                           OPT_TRANSFERS};
    static const option_id of_labels[] = {OPT_K_SWEEP, OPT_CLASSES_MAP, OPT_POSITIVE, OPT_OUT_FILE};
    options *o = p->o;
    o->k_given = p->given[OPT_K];
    o->method_given = p->given[OPT_VARIANT] || p->given[OPT_METHOD];
    for (int id = OPT_TEST; id <= OPT_VERIFY && o->train == NULL; id++)
        if (p->given[id]) return fail(p, "--%s: needs --train", table[id].name);
    if (o->train == NULL) return true;
    for (size_t i = 0; i < sizeof of_made_up / sizeof of_made_up[0]; i++)
        if (p->given[of_made_up[i]])
            return fail(p, "--%s: contradicts --train, which brings its own data", table[of_made_up[i]].name);
    if (p->given[OPT_TEST] && p->given[OPT_SPLIT]) return fail(p, "--split: contradicts --test");
    if (!p->given[OPT_TEST] && !p->given[OPT_SPLIT]) return fail(p, "--train: needs --test or --split");
    if (o->train_labels != NULL && p->given[OPT_LABELS]) return fail(p, "--labels: contradicts --train-labels");
    if (o->test_labels != NULL && o->train_labels == NULL) return fail(p, "--test-labels: needs --train-labels");
    if (o->test_labels != NULL && o->test == NULL) return fail(p, "--test-labels: needs --test");
    if (o->rates_csv != NULL && !p->given[OPT_K_SWEEP]) return fail(p, "--rates-csv: needs --k-sweep");
    if (p->given[OPT_K] && o->k < 1) return fail(p, "--k: '%d' is not above 0", o->k);
    if (p->given[OPT_K] && p->given[OPT_K_SWEEP]) return fail(p, "--k: contradicts --k-sweep");
    if (p->given[OPT_OUT_FILE] && p->given[OPT_K_SWEEP])
        return fail(p, "--out: contradicts --k-sweep, which predicts several times");
    for (size_t i = 0; i < sizeof of_labels / sizeof of_labels[0] && strcmp(o->labels, "none") == 0; i++)
        if (p->given[of_labels[i]]) return fail(p, "--%s: contradicts --labels none", table[of_labels[i]].name);
    const char *const files[] = {o->train, o->test, o->out_labels, o->out_indices, o->out_distances};
    for (int i = 2; i < 5; i++)
        for (int j = 0; j < i; j++)
            if (files[i] != NULL && files[j] != NULL && same_file(files[i], files[j]))
                return fail(p, "--%s: '%s' is another option's file too", table[OPT_OUT_FILE + i - 2].name, files[i]);
    return true;
}

static bool check_tuning(const parser *p) {
    static const option_id scalar_options[] = {OPT_ALPHA, OPT_BETA};
    const options *o = p->o;
    if (o->retune && !o->tune) return fail(p, "--retune: contradicts --no-tune");
    if (o->tune_csv != NULL && !o->tune) return fail(p, "--tune-csv: contradicts --no-tune, which searches nothing");
    if (o->graph && o->sweep == SWEEP_ARTICLE)
        return fail(p, "--graph: contradicts --sweep article, which times single launches");
    if (o->pdl && o->sweep == SWEEP_ARTICLE)
        return fail(p, "--pdl: contradicts --sweep article, which times single launches");
    if (o->pdl && o->graph) return fail(p, "--pdl: contradicts --graph, which times launches with and without it");
    for (size_t i = 0; o->graph && i < sizeof scalar_options / sizeof scalar_options[0]; i++)
        if (p->given[scalar_options[i]])
            return fail(p, "--%s: contradicts --graph, which chooses the scalars", table[scalar_options[i]].name);
    return true;
}

/* The type of C, and the scalars of whole numbers. */
static bool check_types(parser *p) {
    options *o = p->o;
    o->dtype_given = p->given[OPT_DTYPE];
    o->layout_given = p->given[OPT_LAYOUT];
    o->out_given = p->given[OPT_OUT];
    if (p->step->outs == NULL) return true;
    int type = 0;
    while (strcmp(p->step->dtypes[type], o->dtype) != 0) type++;
    const char *const *outs = p->step->outs[type];
    if (!p->given[OPT_OUT])
        o->out = outs[0];
    else if (!choose_listed(p, OPT_OUT, o->out, outs, &o->out))
        return false;
    if (strcmp(o->dtype, "s8") != 0) return true;
    static const option_id scalar_options[] = {OPT_ALPHA, OPT_BETA};
    for (size_t i = 0; i < sizeof scalar_options / sizeof scalar_options[0]; i++) {
        const float x = i == 0 ? o->alpha : o->beta;
        const char *name = table[scalar_options[i]].name;
        if (x != truncf(x))
            return fail(p, "--%s: '%g' is not whole, and --dtype s8 computes in whole numbers", name, (double)x);
        if (fabsf(x) > GEMM_MAX_WHOLE)
            return fail(p, "--%s: '%g' is out of range (--dtype s8: at most %d)", name, (double)x, GEMM_MAX_WHOLE);
    }
    return true;
}

static bool check_sustained(const parser *p) {
    if (p->o->sustained_s > 0.0 && p->o->beta != 0.0f)
        return fail(p, "--sustained: needs --beta 0, for C is not put back under continuous load");
    return true;
}

/* A show runs no variant: only where it runs can be said. */
static bool check_show(const parser *p) {
    for (int id = 0; id < OPT_COUNT && p->o->show != NULL; id++)
        if (p->given[id] && id != OPT_SHOW && id != OPT_DEVICE && id != OPT_SIM && id != OPT_SIM_DEVICE)
            return fail(p, "--%s: contradicts --show, which runs no variant", table[id].name);
    return true;
}

static bool complete(parser *p) {
    options *o = p->o;
    const bool tn = strcmp(o->layout, "tn") == 0;
    if (!p->given[OPT_VARIANT] && !p->given[OPT_METHOD])
        for (int i = 0; i < p->step->variant_count; i++) o->chosen[i] = true;
    if (!check_show(p) || !check_sweep(p)) return false;
    complete_shape(p);
    return check_records(p) && check_search(p) && check_leading(p, OPT_LDA, o->lda, "k", o->k) &&
           check_leading(p, OPT_LDB, o->ldb, tn ? "k" : "n", tn ? o->k : o->n) &&
           check_leading(p, OPT_LDC, o->ldc, "n", o->n) && check_files(p) && check_tuning(p) && check_types(p) &&
           check_sustained(p);
}

/* ---- help ---- */

/* Prints "first, second, ..." from column `column` on, broken before HELP_COLUMNS and indented. */
static void print_names(FILE *out, int column, const char *const *names, int count, const char *after_first) {
    for (int i = 0; i < count; i++) {
        const char *note = i == 0 ? after_first : "";
        const char *comma = i + 1 < count ? "," : "";
        const int width = (int)(strlen(names[i]) + strlen(note) + strlen(comma)) + (i > 0);
        const bool wrap = i > 0 && column + width > HELP_COLUMNS;
        if (wrap) fprintf(out, "\n%*s", HELP_INDENT, "");
        if (i > 0 && !wrap) fputc(' ', out);
        fprintf(out, "%s%s%s", names[i], note, comma);
        column = (wrap ? HELP_INDENT - 1 : column) + width;
    }
    fputc('\n', out);
}

static void print_option(FILE *out, option_id id, const options_step *step) {
    const option_row *row = &table[id];
    const bool gemv = step->operation == OPTIONS_GEMV;
    if (!is_for(row, step)) return;
    const char *argument = row->argument != NULL ? row->argument : "";
    const int used = fprintf(out, "  --%s %s", row->name, argument);
    fprintf(out, "%*s", HELP_INDENT - used, "");
    if (step->operation == OPTIONS_KNN && id >= OPT_M && id <= OPT_D) {
        static const char *const what[] = {"queries", "points", "neighbours to find",
                                           "dimension"}; /* as the ids stand */
        const int i = (int)id - OPT_M, place = id == OPT_D ? 2 : id == OPT_K ? 3 : i;
        fprintf(out, "%s (default %d, simulated %d)\n", what[i], step->search[place], step->simulated_search[place]);
        return;
    }
    if (step->operation == OPTIONS_KNN && of_knn[id] != NULL && id != OPT_MAX_SIZE) {
        fprintf(out, "%s\n", of_knn[id]);
        return;
    }
    switch (id) {
    case OPT_LABELS:
        fprintf(out, "the column of the labels: ");
        print_names(out, HELP_INDENT + 26, words_of(id), list_length(words_of(id)), " (default)");
        break;
    case OPT_HEADER:
        fprintf(out, "the CSV's first record is one of names: ");
        print_names(out, HELP_INDENT + 40, words_of(id), list_length(words_of(id)), " (default)");
        break;
    case OPT_NORMALIZE:
    case OPT_METRIC:
        print_names(out, HELP_INDENT, words_of(id), list_length(words_of(id)), " (default)");
        break;
    case OPT_SIZE:
        fprintf(out, "%sn = k = N (default %d, simulated %d); --%sn and --k override it\n",
                gemv ? "" : "m = ", step->default_size, step->simulated_size, gemv ? "" : "m, --");
        break;
    case OPT_MAX_SIZE:
        fprintf(out, "%s (default: no limit;\n%*scheck, simulated: %d)\n",
                step->operation == OPTIONS_KNN ? of_knn[id] : row->help, HELP_INDENT, "", step->simulated_max_size);
        break;
    case OPT_SIM_DEVICE:
        fprintf(out, "the same for a GPU of ");
        print_names(out, HELP_INDENT + 22, simulator_devices, list_length(simulator_devices), "");
        break;
    case OPT_LDB:
        fprintf(out, "%s%s\n", row->help, list_length(step->layouts) > 1 ? "; of tn: k" : "");
        break;
    case OPT_DTYPE:
        print_names(out, HELP_INDENT, step->dtypes, list_length(step->dtypes), " (default)");
        break;
    case OPT_LAYOUT:
        print_names(out, HELP_INDENT, step->layouts, list_length(step->layouts), " (default)");
        break;
    case OPT_SHOW:
        fprintf(out, "show how something works, and stop: ");
        print_names(out, HELP_INDENT + 36, step->shows, list_length(step->shows), "");
        break;
    case OPT_OUT:
        fprintf(out, "what C holds, the default first:\n%*s", HELP_INDENT, "");
        for (int i = 0; step->dtypes[i] != NULL; i++) {
            fprintf(out, "%sof %s: ", i == 0 ? "" : "; ", step->dtypes[i]);
            for (int j = 0; step->outs[i][j] != NULL; j++) fprintf(out, "%s%s", j > 0 ? ", " : "", step->outs[i][j]);
        }
        fprintf(out, "\n");
        break;
    default:
        fprintf(out, "%s\n", gemv && row->of_gemv != NULL ? row->of_gemv : row->help);
        break;
    }
}

static void print_help(FILE *out, const options_step *step) {
    fprintf(out, "Usage: %s [OPTION]...\n\n", step->step);
    if (step->operation == OPTIONS_KNN)
        fputs("Finds nearest neighbours: verifies each method's result, then times the method.\n\n", out);
    else
        fputs("Verifies each variant's result, then times the variant against the baseline.\n\n", out);
    for (int id = 0; id < OPT_COUNT; id++) print_option(out, (option_id)id, step);
    fprintf(out, "\n%-*s", HELP_INDENT, step->operation == OPTIONS_KNN ? "Methods:" : "Variants:");
    print_names(out, HELP_INDENT, step->variants, step->variant_count, "");
    fprintf(out, "%-*s", HELP_INDENT, "Simulator:");
    fprintf(out, "CUDASIM_THREADS=N in the environment: the CPU cores it takes (default: all);\n%*s", HELP_INDENT, "");
    fprintf(out, "CUDASIM_WATCHDOG=S: seconds without progress after which it stops a kernel\n%*s", HELP_INDENT, "");
    fprintf(out, "(default 60, 0: never)\n");
    fprintf(out, "%-*s", HELP_INDENT, "Exit status:");
    fputs("0 ok, 1 wrong result, 2 bad arguments, 3 CUDA error or no usable device\n", out);
}

/* ---- */

static options defaults(const options_step *step) {
    return (options){
        .alpha = 1.0f,
        .beta = 0.0f,
        .dtype = step->dtypes[0],
        .layout = step->layouts[0],
        .sweep = SWEEP_NONE,
        .max_size = INT_MAX,
        .every = 1,
        .baseline = true,
        .tune = true,
        .first = -1, .seed = DEFAULT_SEED,
        .time_s = DEFAULT_TIME,
        .memory_limit = DEFAULT_MEMORY,
        .labels = labels_words[0],
        .header = header_words[0],
        .normalize = normalize_words[0],
    };
}

static bool is_written_out(const char *name, int argc, char **argv) {
    const size_t length = strlen(name);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, name, length) == 0 &&
            (argv[i][length + 2] == '\0' || argv[i][length + 2] == '='))
            return true;
    return false;
}

/* An operation's own option of that name (--out is one of two), whether the step offers it or not. */
static bool has_own(const options_step *step, const char *name) {
    for (int id = 0; id < OPT_COUNT; id++)
        if ((table[id].only & (int)step->operation) != 0 && strcmp(table[id].name, name) == 0) return true;
    return false;
}

/* What getopt_long may take. The other operation's options are known only where they are written out, to be refused
 * by name: they make no abbreviation ambiguous, and "--m" is never short for --max-size. */
static void fill_long_options(const options_step *step, int argc, char **argv,
                              struct option long_options[OPT_COUNT + 1]) {
    int count = 0;
    for (int id = 0; id < OPT_COUNT; id++) {
        const bool of_other = table[id].only != 0 && (table[id].only & (int)step->operation) == 0;
        if (of_other && has_own(step, table[id].name)) continue;
        if (!is_for(&table[id], step) && !(of_other && is_written_out(table[id].name, argc, argv))) continue;
        long_options[count++] = (struct option){
            .name = table[id].name,
            .has_arg = table[id].argument != NULL ? required_argument : no_argument,
            .val = CODE_BASE + id,
        };
    }
    long_options[count] = (struct option){0};
}

options_result options_parse(int argc, char **argv, const options_step *step, options *o, FILE *out, FILE *err) {
    *o = defaults(step);
    parser p = {.step = step, .o = o, .err = err};
    if (step->variant_count > OPTIONS_MAX_VARIANTS) {
        fail(&p, "more than %d variants", OPTIONS_MAX_VARIANTS);
        return OPTIONS_EXIT_USAGE;
    }

    struct option long_options[OPT_COUNT + 1];
    fill_long_options(step, argc, argv, long_options);
    opterr = 0;
    optind = 0; /* glibc: forget an earlier parse altogether */
    int code;
    /* "-": stray arguments come in their place and argv keeps its order; ":": a missing argument has its own code. */
    while ((code = getopt_long(argc, argv, "-:", long_options, NULL)) != -1) {
        if (code == CODE_BASE + OPT_HELP) {
            print_help(out, step);
            return OPTIONS_EXIT_OK;
        }
        bool ok;
        if (code >= CODE_BASE)
            ok = apply(&p, (option_id)(code - CODE_BASE), optarg);
        else if (code == CODE_POSITIONAL)
            ok = fail(&p, "'%s': unexpected argument (see --help)", optarg);
        else
            ok = reject(&p, code, argv[optind - 1]);
        if (!ok) return OPTIONS_EXIT_USAGE;
    }
    if (optind < argc) {
        fail(&p, "'%s': unexpected argument (see --help)", argv[optind]);
        return OPTIONS_EXIT_USAGE;
    }
    return complete(&p) ? OPTIONS_RUN : OPTIONS_EXIT_USAGE;
}
