/* The families' options. */
#include "options_case.h"

/* ---- GEMM ---- */

TEST(gemm_options_are_taken) {
    static const acceptance plain[] = {
        {"", "m=2048 n=2048 k=2048 lda=0 ldb=0 ldc=0 alpha=1 beta=0 baseline=1 warm=0 sustained=0 dtype=f32 layout=nn "
             "show=-"},
        {"--sim", "m=512 n=512 k=512"},
        {"--sim --m 3 --lda 600", "m=3 n=512 k=512"}, /* not below 512, if below 2048 */
        {"--sim --sweep check", "max-size=200"},
        {"--k 9 --n 8 --size 100", "m=100 n=8 k=9 size=100"},
        {"--m 0 --size 5 --sim", "m=0 n=5 k=5"},
        {"--lda 8 --ldb 9 --ldc 10 --m 100 --n 9 --k 8 --alpha -0.5 --beta 2 --warm --no-baseline",
         "lda=8 ldb=9 ldc=10 alpha=-0.5 beta=2 warm=1 baseline=0"},
        {"--size 0 --lda 1 --ldb 1 --ldc 1 --sustained 2.5", "sustained=2.5 time=0.5 chain=0"},
        {"--chain --sweep square", "chain=1 warm=0"},
        {"--sweep article --alpha 2 --beta 1", "sweep=article"},
    };
    static const acceptance typed[] = {
        {"", "dtype=f16 layout=tn out=f16"},
        {"--out f32 --layout nn", "out=f32"},
        {"--out=s32 --dtype s8 --alpha -65536 --beta 3", "out=s32"}, /* in any order */
        {"--dtype tf32 --alpha 0.5 --beta 1e9", "out=f32"},
        {"--sim-device sm_80 --show=fragments --device 1 --sim", "show=fragments"},
        {"--k 20 --n 10 --ldb 10 --layout nn", "ldb=10"},
    };
    ALL_ACCEPTED(GEMM, plain);
    assert_null(gemm.out);
    ALL_ACCEPTED(TYPED, typed);
    assert_true(gemm.layout_given && !gemm.dtype_given && !gemm.out_given);
    assert_non_null(strstr(help_of(GEMM), "m = n = k = N (default 2048, in the simulator 512)"));
    assert_true(strstr(out_text, "--show") == NULL && strstr(out_text, "--out") == NULL);
    help_of(TYPED);
    assert_non_null(strstr(out_text, ": f16 (default), s8, tf32\n"));
    assert_non_null(strstr(out_text, "what C holds: of f16: f16 (default), f32; of s8: s32; of tf32: f32\n"));
    assert_non_null(strstr(out_text, "show how something works, and stop: fragments, banks\n"));
}

TEST(gemm_refuses) {
    static const refusal list[] = {
        {"--lda 5 --k 8", "--lda 5: less than k = 8"},
        {"--k 8 --lda 5", "--lda 5: less than k = 8"},
        {"--m 2 --n 9 --k 2 --ldb 8", "--ldb 8: less than n = 9"},
        {"--ldc 8 --n 9 --m 2", "--ldc 8: less than n = 9"},
        {"--misalign 64", "--misalign 64: more than 63"},
        {"--lda 0", "--lda 0: less than k = 2048"},
        {"--ldb 0 --size 0", "--ldb 0: less than 1"},
        {"--lda 2000000001", "--lda: '2000000001' is out of range (at most 2000000000)"},
        {"--sustained 1 --beta 1", "--sustained: needs --beta 0, as C is not restored between launches"},
        {"--chain --beta 1", "--chain: needs --beta 0, as C is not restored between launches"},
        {"--chain --sustained 1", "--chain: contradicts --sustained, whose launches are cold"},
        {"--dtype f16", "--dtype: 'f16' is unknown (known: f32)"},
        {"--out f32", "--out: unknown option (see --help)"},
        {"--show banks", "--show: unknown option (see --help)"},
        {"--graph", "--graph: unknown option (see --help)"},
        {"--d 5", "--d: ambiguous option (dtype, device)"}, /* dtype, device */
    };
    static const refusal typed[] = {
        {"--out s32", "--out: 's32' is unknown (known: f16, f32)"},
        {"--out f16 --dtype tf32", "--out: 'f16' is unknown (known: f32)"},
        {"--k 20 --n 10 --ldb 19", "--ldb 19: less than k = 20"}, /* B is transposed */
        {"--k 20 --n 10 --ldb 9 --layout nn", "--ldb 9: less than n = 10"},
        {"--alpha 0.5 --dtype s8", "--alpha: '0.5' is not an integer, which --dtype s8 requires"},
        {"--dtype s8 --beta -1.25", "--beta: '-1.25' is not an integer, which --dtype s8 requires"},
        {"--beta 65537 --dtype s8", "--beta: '65537' is out of range (--dtype s8: at most 65536)"},
        {"--show bank", "--show: 'bank' is unknown: did you mean 'banks'? (known: fragments, banks)"},
    };
    ALL_REFUSED(GEMM, list);
    ALL_REFUSED(TYPED, typed);
    each_refused_with(GEMM, "--sweep check", "size=9 m=9 n=9 k=9 lda=9 ldb=9 ldc=9 misalign=9",
                      "contradicts --sweep, which chooses the shapes");
    each_refused_with(GEMM, "--sweep check", "alpha=2 beta=0 warm chain sustained=1 no-baseline",
                      "contradicts --sweep check, which chooses the scalars and times nothing");
    each_refused_with(GEMM, "--csv x", "lda=5000 ldb=5000 ldc=5000 misalign=1",
                      "contradicts --csv, which has no column for it");
    each_refused_with(TYPED, "--show banks",
                      "variant=one verbose sweep=odd seed=1 time=1 csv=a dtype=s8 size=9 alpha=1 warm no-baseline",
                      "contradicts --show, which runs no variant");
}

TEST(random_shapes_are_asked_for) {
    static const acceptance gemms[] = {
        {"--sweep random", "sweep=random count=60 max=8192 multiple=1 spread=uniform"},
        {"--count 7 --max=50 --multiple 50 --spread log --seed 3 --sweep random --csv a --resume",
         "count=7 max=50 multiple=50 spread=log seed=3"},
    };
    static const acceptance gemvs[] = {
        {"--sweep random --sim", "count=10 max=200"},
        {"--sweep random --sim --max 8192 --count 60", "count=60 max=8192"},
    };
    ALL_ACCEPTED(TYPED, gemms);
    ALL_ACCEPTED(GEMV, gemvs);
    static const refusal list[] = {
        {"--sweep random --max 7 --multiple 8", "--max 7: less than --multiple 8"},
        {"--sweep random --max 0", "--max 0: less than --multiple 1"},
        {"--sweep random --sim --multiple 256", "--max 200: less than --multiple 256"},
        {"--sweep random --count 0", "--count: '0' is not above 0"},
        {"--sweep random --multiple 0", "--multiple: '0' is not above 0"},
        {"--sweep random --max 2000000001", "--max: '2000000001' is out of range (at most 2000000000)"},
        {"--sweep random --spread even", "--spread: 'even' is unknown (known: uniform, log)"},
        {"--sweep random --max-size 9", "--max-size: contradicts --sweep random, whose sides end at --max"},
        {"--sweep random --every 9", "--every: needs --sweep check"},
        {"--sweep random --verify-only --csv f.csv", "--csv: contradicts --verify-only, which times nothing"},
        {"--sweep random --verify-only --predict", "--predict: contradicts --verify-only, which verifies results"},
        {"--verify-only", "--verify-only: needs --sweep"},
        {"--sweep random --size 9", "--size: contradicts --sweep, which chooses the shapes"},
    };
    ALL_REFUSED(GEMM, list);
    ALL_REFUSED(GEMV, list);
    each_refused_with(GEMM, "", "count=5 max=5 spread=log multiple=5", "needs --sweep random");
    each_refused_with(GEMV, "--sweep odd", "count=5 max=5 spread=log multiple=5", "needs --sweep random");
    REFUSED(KNN, "--spread log", "--spread: unknown option (see --help)");
    assert_non_null(strstr(help_of(GEMM), "draw N shapes by --seed (default 60, in the simulator 10)\n"));
    assert_non_null(strstr(out_text, "sides up to N (default 8192, in the simulator 200)\n"));
}

/* ---- GEMV ---- */

TEST(gemv_options_are_taken) {
    static const acceptance list[] = {
        {"", "n=4096 k=4096 lda=0 alpha=1 beta=0 baseline=1 tune=1 retune=0 graph=0 pdl=0 warm=0 dtype=f16 tune-file=- "
             "tune-csv=-"},
        {"--n 5 --k=7 --dtype f32 --retune --tune-file a --tune-csv b --no-baseline --warm",
         "n=5 k=7 retune=1 tune=1 baseline=0 warm=1 dtype=f32 tune-file=a tune-csv=b"},
        {"--graph --no-tune --size 8", "graph=1 tune=0 n=8 k=8"},
        {"--pdl --k=7 --lda 9 --sim", "pdl=1 lda=9 n=512"},
        {"--sweep check --sim", "max-size=300"},
    };
    ALL_ACCEPTED(GEMV, list);
    help_of(GEMV);
    assert_non_null(strstr(out_text, "n = k = N (default 4096, in the simulator 512); --n and --k override it\n"));
    assert_non_null(strstr(out_text, ": f16 (default), bf16, f32\n"));
}

TEST(gemv_refuses) {
    static const refusal list[] = {
        {"--lda 6 --k 7", "--lda 6: less than k = 7"},
        {"--lda 0 --k 0", "--lda 0: less than 1"},
        {"--retune --no-tune", "--retune: contradicts --no-tune, which searches nothing"},
        {"--tune-csv x --no-tune", "--tune-csv: contradicts --no-tune, which searches nothing"},
        {"--tune-csv x --sim", "--tune-csv: there is no search in the simulator, whose times are not a GPU's"},
        {"--sim-device sm_90 --tune-csv x",
         "--tune-csv: there is no search in the simulator, whose times are not a GPU's"},
        {"--pdl --graph", "--pdl: contradicts --graph, which chooses the launches and the scalars"},
        {"--m 3", "--m: ambiguous option (max-size, max, multiple)"},
        {"--ldb=3", "--ldb: unknown option (see --help)"},
        {"--layout n", "--layout: unknown option (see --help)"},
    };
    ALL_REFUSED(GEMV, list);
    each_refused_with(GEMV, "--sweep odd", "size=9 n=9 k=9 lda=9", "contradicts --sweep, which chooses the shapes");
    each_refused_with(GEMV, "--sweep check",
                      "alpha=1 beta=1 warm no-baseline graph pdl retune no-tune tune-file=a tune-csv=a",
                      "contradicts --sweep check, which chooses the scalars and times nothing");
    each_refused_with(GEMV, "--sweep article", "graph pdl", "contradicts --sweep article, which times single launches");
    each_refused_with(GEMV, "--graph", "alpha=1 beta=1",
                      "contradicts --graph, which chooses the launches and the scalars");
    each_refused_with(GEMV, "--csv x", "lda=5000", "contradicts --csv, which has no column for it");
    each_refused_with(GEMV, "--tune-csv x", "lda=5000 alpha=1 beta=1",
                      "contradicts --tune-csv, which has no column for it");
    each_refused_with(GEMV, "--csv x", "tune-csv=x tune-file=x", "'x' is the --csv file too");
    each_refused_with(GEMV, "--tune-csv x", "tune-file=x", "'x' is the --tune-csv file too");
    options_program inside = program_of(GEMV);
    inside.simulated = true;
    assert_refused(parse_program(&inside, "--tune-csv x"),
                   "--tune-csv: there is no search in the simulator, whose times are not a GPU's");
}

/* ---- kNN ---- */

TEST(knn_options_are_taken) {
    static const acceptance list[] = {
        {"", "m=1200 n=32768 d=256 k=25 transfers=0 verify=0 k-sweep=0:0 labels=last normalize=none train=- test=- "
             "out=-"},
        {"--sim", "m=20 n=2048 d=32 k=25"},
        {"--method two --m 0 --d 0 --n 7 --k 7 --transfers", "m=0 n=7 d=0 k=7 transfers=1 pieces=1 all=010"},
        {"--sweep check --transfers --pageable --pieces 4", "pageable=1 pieces=4"},
        {"--method two --sweep check --every 3 --sim", "sweep=check every=3 max-size=4100"},
        {"--train a --test b --labels first --normalize zscore,minmax --k-sweep 1:11 --seed 4 --verify",
         "train=a test=b labels=first normalize=zscore,minmax k-sweep=1:11 k=5 verify=1"},
        {"--train a --test e --out b --out-indices c --out-distances d --k 3",
         "k=3 out=b out-indices=c out-distances=d"},
        {"--train a --test b --k-sweep 1:5 --out c", "out=c"},
        {"--train a --test b --train-labels c --test-labels d", "train-labels=c test-labels=d"},
        {"--train a --test a --train-labels c", "train=a test=a"}, /* the same records, and labels to find */
        {"--train a --test b --labels none --out-indices c", "labels=none"},
    };
    ALL_ACCEPTED(KNN, list);
    help_of(KNN);
    assert_non_null(strstr(out_text, "\n  --out-distances FILE  write the squared distances\n"));
    assert_non_null(strstr(out_text, "\n  --m N                 queries (default 1200, in the simulator 20)\n"));
}

TEST(knn_refuses) {
    static const refusal list[] = {
        {"--k 0", "--k: '0' is not above 0"},
        {"--n 0", "--n: must be at least 1"},
        {"--n 5 --k 6", "--k 6: more than --n 5"},
        {"--n 5", "--k 25: more than --n 5"},
        {"--method three --method four", "--method: 'four' is unknown (known: one, two, three)"},
        {"--sweep square", "--sweep: 'square' is unknown (known: check)"},
        {"--lda 5", "--lda: unknown option (see --help)"},
        {"--metric l2", "--metric: unknown option (see --help)"},
        {"--dtype f16", "--dtype: unknown option (see --help)"},
        {"--train a", "--train: needs --test"},
        {"--train a --test b --k 0", "--k: '0' is not above 0"},
        {"--train a --test b --k 3 --k-sweep 1:5", "--k: contradicts --k-sweep"},
        {"--train a --test b --labels middle", "--labels: 'middle' is unknown (known: last, first, none)"},
        {"--train a --test b --test-labels c", "--test-labels: needs --train-labels"},
        {"--train a --test b --out c --out-indices c", "--out: 'c' is the --out-indices file too"},
    };
    ALL_REFUSED(KNN, list);
    each_refused_with(KNN, "",
                      "test=a labels=last train-labels=a test-labels=a normalize=none k-sweep=1:2 out=a out-indices=a "
                      "out-distances=a verify",
                      "needs --train");
    each_refused_with(KNN, "--sweep check", "m=9 n=9 d=9 k=9", "contradicts --sweep, which chooses the shapes");
    each_refused_with(KNN, "", "pageable pieces=2", "needs --transfers");
    each_refused_with(KNN, "--train a --test b", "m=9 n=9 d=9 sweep=check",
                      "contradicts --train, which brings its own data");
    each_refused_with(KNN, "--train a --test b", "time=1 csv=c transfers",
                      "contradicts --train, which searches once and records no times");
    each_refused_with(KNN, "--train a --test b --labels none", "k-sweep=1:2 out=c",
                      "contradicts --labels none, which predicts nothing");
    each_refused_with(KNN, "--train a --test b --labels last", "train-labels=c test-labels=c",
                      "contradicts --labels, which is for labels among the records");
    const char *const inputs[] = {"train", "test", "train-labels", "test-labels"};
    for (int i = 0; i < ARRAY_SIZE(inputs); i++) {
        char line[96], reason[64];
        snprintf(line, sizeof line, "--train a --test b%s --%s x", i == 3 ? " --train-labels y" : "", inputs[i]);
        snprintf(reason, sizeof reason, "'x' is the --%s file too", inputs[i]);
        each_refused_with(KNN, line, "out=x out-indices=x out-distances=x", reason);
    }
}

static const struct fixtures fixtures = {.after = release};
