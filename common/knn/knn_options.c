#include "knn/knn_options.h"

#include "base/ranks.h"

/* The paper's synthetic case; the simulated one has its smallest d. */
#define DEFAULT_M   1200
#define DEFAULT_N   32768
#define DEFAULT_D   256
#define DEFAULT_K   25
#define TRAIN_K     5 /* for files */
#define SIMULATED_M 20
#define SIMULATED_N 2048
#define SIMULATED_D 32

#define SIMULATED_MAX_SIZE 4100 /* --max-size of --sweep check in the simulator */

#define DEFAULTS(name)                                                                                                 \
    " (default " OPTIONS_QUOTE(DEFAULT_##name) ", in the simulator " OPTIONS_QUOTE(SIMULATED_##name) ")"

#define FIELD(name) offsetof(knn_options, name)

static const char *const divide_choices[] = {"auto", "points", "queries", NULL};
static const char *const labels_choices[] = {"last", "first", "none", NULL}, *const normalize_choices[] = {
                                                                                 "none", "minmax", "zscore",
                                                                                 "zscore,minmax", NULL};

static const option table[] = {
    {"m", "N", OPTION_SIZE, FIELD(m), "queries" DEFAULTS(M), NULL},
    {"n", "N", OPTION_SIZE, FIELD(n), "points" DEFAULTS(N), NULL},
    {"d", "N", OPTION_SIZE, FIELD(d), "dimension" DEFAULTS(D), NULL},
    {"k", "N", OPTION_POSITIVE, FIELD(k),
     "neighbours to find (default " OPTIONS_QUOTE(DEFAULT_K) "; of --train: " OPTIONS_QUOTE(TRAIN_K) ")", NULL},
    {"queries-at-once", "M", OPTION_POSITIVE, FIELD(at_once),
     "search for M queries on points that were prepared before, with a cold L2 cache; of the check list for M at most",
     NULL},
    {"transfers", NULL, OPTION_FLAG, FIELD(transfers),
     "also check and time the search with its copies from and to pinned host memory", NULL},
    {"generate", NULL, OPTION_FLAG, FIELD(generate),
     "make the points on the GPUs, as many as these hold, and check answers there in FP64", NULL},
    {"divide", "WHAT", OPTION_CHOICE, FIELD(divide), "what ranks of mpirun share: docs/options.md", divide_choices},
    {"pageable", NULL, OPTION_FLAG, FIELD(pageable), "with --transfers: pageable host memory, not pinned", NULL},
    {"pieces", "P", OPTION_POSITIVE, FIELD(pieces),
     "with --transfers: copy in P pieces, each while the one before is searched (default 1)", NULL},
    {"train", "FILE", OPTION_FILE, FIELD(train),
     "classify: the training records, numeric CSV or .npy; scripts/data.py makes these of idx, vecs, gzip and CSV with "
     "words",
     NULL},
    {"test", "FILE", OPTION_FILE, FIELD(test), "the test records", NULL},
    {"labels", "PLACE", OPTION_CHOICE, FIELD(labels), "a CSV file's column of labels", labels_choices},
    {"train-labels", "FILE", OPTION_FILE, FIELD(train_labels),
     "the training records' labels, where a file of their own holds them: one a line, or .npy", NULL},
    {"test-labels", "FILE", OPTION_FILE, FIELD(test_labels), "the same for the test records", NULL},
    {"normalize", "HOW", OPTION_CHOICE, FIELD(normalize), "scale the columns", normalize_choices},
    {"k-sweep", "A:B", OPTION_RANGE, FIELD(k_sweep), "accuracy for each k from A to B, from one search", NULL},
    {"out", "FILE", OPTION_OUTPUT, FIELD(out_labels),
     "write the predicted labels, a line a record (the next two likewise); with --k-sweep one for each k", NULL},
    {"out-indices", "FILE", OPTION_OUTPUT, FIELD(out_indices),
     "write the neighbours' row numbers in the training records, from 0", NULL},
    {"out-distances", "FILE", OPTION_OUTPUT, FIELD(out_distances), "write the squared distances", NULL},
    {"verify", NULL, OPTION_FLAG, FIELD(verify), "also compare the neighbours with the CPU's", NULL},
    {0},
};

static const option_rule rules[] = {
    {"m n d k", RULE_CONTRADICTS, "sweep", "which chooses the shapes"},
    {"m transfers", RULE_CONTRADICTS, "queries-at-once", NULL},
    {"transfers", RULE_CONTRADICTS, "generate", "whose points are in no host's memory"},
    {"queries-at-once", RULE_CONTRADICTS, "generate", "whose points are prepared nowhere"},
    {"test labels train-labels test-labels normalize k-sweep out out-indices out-distances verify", RULE_NEEDS, "train",
     NULL},
    {"pageable pieces", RULE_NEEDS, "transfers", NULL},
    {"train", RULE_NEEDS, "test", NULL},
    {"generate", RULE_CONTRADICTS, "sweep check", "which brings its own data"},
    {"m n d sweep queries-at-once generate", RULE_CONTRADICTS, "train", "which brings its own data"},
    {"time csv transfers", RULE_CONTRADICTS, "train", "which searches once and records no times"},
    {"train-labels test-labels", RULE_CONTRADICTS, "labels", "which is for labels among the records"},
    {"k", RULE_CONTRADICTS, "k-sweep", NULL},
    {"k-sweep out", RULE_CONTRADICTS, "labels none", "which predicts nothing"},
    {"test-labels", RULE_NEEDS, "train-labels", NULL},
    {0},
};

static bool complete(const option_parse *p, const options *common, void *values) {
    knn_options *o = values;
    if (o->transfers && ranks_count() > 1)
        return options_fail(p, "--transfers: contradicts mpirun, which has copies of its own");
    if (o->at_once > 0 && ranks_count() > 1) return options_fail(p, "--queries-at-once: contradicts mpirun");
    if (!options_given(p, "m")) o->m = common->simulate ? SIMULATED_M : DEFAULT_M;
    if (o->at_once > 0) o->m = o->at_once;
    if (!options_given(p, "n")) o->n = common->simulate ? SIMULATED_N : DEFAULT_N;
    if (!options_given(p, "d")) o->d = common->simulate ? SIMULATED_D : DEFAULT_D;
    if (!options_given(p, "k")) o->k = o->train != NULL ? TRAIN_K : DEFAULT_K;
    if (o->train != NULL) return true;
    if (o->n < 1) return options_fail(p, "--n: must be at least 1");
    return o->k <= o->n || options_fail(p, "--k %d: more than --n %d", o->k, o->n);
}

void knn_options_program(options_program *p, knn_options *o) {
    static const char *const sweeps[] = {"check", NULL};
    *o = (knn_options){
        .labels = labels_choices[0], .normalize = normalize_choices[0], .divide = divide_choices[0], .pieces = 1};
    p->summary = "Finds nearest neighbours: verifies each method's result, then times the method.";
    p->noun = "method";
    p->sweeps = sweeps;
    p->simulated_max_size = SIMULATED_MAX_SIZE;
    p->table = table;
    p->rules = rules;
    p->values = o;
    p->complete = complete;
}
