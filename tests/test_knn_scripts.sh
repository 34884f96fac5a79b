#!/bin/sh
# Tests what the scripts do with step 8's recorded measurements: make knn-paper, sampling KDD Cup 1999, figures, notes; on
# measurements made up here, in a copy of scripts/ and plots/.
# shellcheck disable=SC2317 # the cases are called by name
set -u
LC_ALL=C
export LC_ALL
unset NOTES_CSV PARTS NS DS KS SEEDS MINUTES FORCE CPU_METHODS RATE_METHODS KNN_DATA
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/test_knn_scripts.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
copy=$tmp/repo
mkdir -p "$copy/plots" "$copy/build" "$copy/step08" "$tmp/bin"
cp -R "$root/scripts" "$copy/scripts"
cp "$root"/plots/*.gp "$root"/plots/*.csv "$copy/plots/"
cd "$copy" || exit 1

passed=0 failed=0
check() { # check NAME: runs the case of that name
    if ("$1") >"$tmp/log" 2>&1; then
        passed=$((passed + 1))
        echo "ok $1"
    else
        failed=$((failed + 1))
        echo "FAIL $1"
        sed 's/^/    /' "$tmp/log"
    fi
}

# status N COMMAND...: the command exits with N; its output is in $tmp/out and $tmp/err
status() {
    want=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ "$got" -eq "$want" ] || { echo "exit status $got, not $want: $*"; cat "$tmp/out" "$tmp/err"; return 1; }
}
says() { grep -qF -e "$1" "$tmp/err" || { echo "stderr lacks: $1"; cat "$tmp/err"; return 1; }; }
prints() { grep -qF -e "$1" "$tmp/out" || { echo "stdout lacks: $1"; cat "$tmp/out"; return 1; }; }
holds() { grep -qF -e "$2" "$1" || { echo "$1 lacks: $2"; cat "$1"; return 1; }; }
same() { [ "$1" = "$2" ] || { printf '%s\n' "not the same:" "$1" "--" "$2"; return 1; }; }
lines() { [ "$(wc -l <"$1")" -eq "$2" ] || { echo "$1: not $2 lines"; cat "$1"; return 1; }; }

# ---- a machine, made up: a GPU, a make that has nothing to do, step 8's run and knn_cpu, which record made-up times

cat >"$tmp/bin/nvidia-smi" <<'END'
#!/bin/sh
case "$*" in
-L) echo "GPU 0: NVIDIA H200" ;;
*=name*) echo "NVIDIA H200" ;;
*=compute_cap*) echo 9.0 ;;
*=driver_version*) echo 580.1 ;;
esac
END
printf '#!/bin/sh\n' >"$tmp/bin/make"
sed -n '/define RECORD_HEADER/,/[^\\]$/s/.*"\(.*\)".*/\1/p' "$root/common/base/record.h" | tr -d '\n' >"$tmp/header"
echo >>"$tmp/header"
# A row a method, and one with copies; kpass takes 0.1 ms a neighbour, bitonic 2.25 ms, all others 0.5 ms.
cat >step08/run <<'END'
#!/bin/sh
echo "$*" >>"$CALLS"
[ -z "${RUN_STATUS:-}" ] || exit "$RUN_STATUS"
case "$*" in *--train*) cat "$RATES"; exit 0 ;; esac
copies= methods= csv=
while [ $# -gt 0 ]; do
    case $1 in
    --n) n=$2 ;;
    --d) d=$2 ;;
    --k) k=$2 ;;
    --csv) csv=$2 ;;
    --method) methods="$methods $2" ;;
    --transfers) copies=1 ;;
    esac
    shift
done
[ -s "$csv" ] || cat "$HEADER" >"$csv"
for method in $methods; do
    for mode in events ${copies:+transfers}; do
        ms=0.5
        [ $mode = events ] || ms=0.75
        case $method in
        *kpass) ms=$(awk -v k="$k" 'BEGIN { print 0.1 * k }') ;;
        *bitonic) ms=2.25 ;;
        esac
        echo "step08_knn,$method,knn,f32,n,1200,$n,$k,$d,1,0,warm,$mode,$ms,$ms,$ms,1,,,,,,,,,1980,500,NVIDIA H200,9.0,\
580.1,13.0,2026-11-22" >>"$csv"
    done
done
END
cat >build/knn_cpu <<'END'
#!/bin/sh
echo "cpu $*" >>"$CALLS"
[ -s "$5" ] || cat "$HEADER" >"$5"
threads="1 thread"
[ "$6" != openblas ] || threads="8 threads"
echo "cpu_knn,$6,knn,f32,n,$1,$2,$4,$3,1,0,warm,cpu,1000,1000,1000,1,,,,,,,,,,,\"A CPU, $threads\",,,,2026-11-22" >>"$5"
END
chmod +x "$tmp/bin/nvidia-smi" "$tmp/bin/make" step08/run build/knn_cpu
PATH=$tmp/bin:$PATH
CALLS=$tmp/calls RATES=$tmp/rates.txt HEADER=$tmp/header
export CALLS RATES HEADER
cat >"$RATES" <<'END'
step08_knn on NVIDIA H200 (sm_90)
4926 training records of a, 426 test records of b
2 values of categories that training lacks

gemm_cublas+auto, k 15
gemm_cublas+auto       7 distances below 0
gemm_cublas+auto       3 of 7500 neighbours are not among the 15 nearest of the CPU's; query 1, place 2 is the first
   k accuracy      DoS    Probe      R2L      U2R false alarms
   1   97.00%   91.00%   92.00%   93.00%   80.00%    0.50%
   2   96.00%   81.00%   82.00%   83.00%   70.00%    0.25%

exact_tc, k 15
exact_tc               the same neighbours and distances as the CPU's
   k accuracy      DoS    Probe      R2L      U2R false alarms
   1   98.00%   95.00%   96.00%   97.00%   60.00%    1.00%
   2   97.00%   85.00%   86.00%   87.00%   50.00%    0.00%
seconds: read 0.0193
END
folder=plots/data/nvidia-h200

# records COUNT LABEL FIRST: distinct ones
records() { awk -v count="$1" -v label="$2" -v first="$3" 'BEGIN { while (i++ < count) print first + i ",tcp," label "." }'; }
kdd() { # in data/, each record twice
    mkdir -p data/kdd99
    { records 5500 normal 0; records 300 smurf 0; records 250 satan 0; records 210 phf 0; records 53 perl 0; } >"$tmp/same"
    { records 600 normal 9000; records 120 apache2 0; records 90 mscan 0; records 150 named 0; records 101 ps 0; } \
        >"$tmp/corrected"
    cat "$tmp/same" "$tmp/same" | gzip >data/kdd99/kddcup.data_10_percent.gz
    cat "$tmp/corrected" "$tmp/corrected" | gzip >data/kdd99/corrected.gz
}
fresh() {
    rm -rf plots/data build/knn_paper data
    : >"$CALLS"
}

# ---- sampling

sample() { # sample SEED DIR
    mkdir -p "$2"
    awk -v seed="$1" -v dir="$2" -f scripts/knn_sample.awk input=same "$tmp/same" input=corrected "$tmp/corrected"
}
samples() {
    kdd
    status 0 sample 1 "$tmp/s1" && same "$(cat "$tmp/out")" "same DoS 4900 100 400 100 300
corrected DoS 4900 100 400 100 300
same Probe 4900 100 400 100 250
corrected Probe 4900 100 410 90 250
same R2L 4900 100 400 100 210
corrected R2L 4900 100 400 100 210
same U2R 4900 26 474 26 53
corrected U2R 4900 53 400 100 53" || return 1
    for pair in same-DoS same-U2R corrected-Probe; do # no record is in both, or twice
        lines "$tmp/s1/$pair-test.csv" 500 && same "$(cat "$tmp/s1/$pair"-*.csv | sort | uniq -d)" "" || return 1
    done
    same "$(grep -c normal "$tmp/s1/same-U2R-train.csv")" 4900 && same "$(grep -c perl "$tmp/s1/same-U2R-train.csv")" 26 &&
        same "$(grep -c mscan "$tmp/s1/corrected-Probe-test.csv")" 90 &&
        ! grep -q '^9[0-9][0-9][0-9],' "$tmp/s1/corrected-DoS-train.csv"
}
samples_by_seed() { # the same for the same seed, others for another; hardly anything in two of them
    kdd
    sample 1 "$tmp/s1" >"$tmp/f1" && sample 1 "$tmp/again" >"$tmp/f2" && sample 2 "$tmp/s2" >"$tmp/f3" &&
        diff -r "$tmp/s1" "$tmp/again" && cmp "$tmp/f1" "$tmp/f3" || return 1
    common=$(cat "$tmp/s1/same-DoS-test.csv" "$tmp/s2/same-DoS-test.csv" | sort | uniq -d | wc -l)
    [ "$common" -gt 20 ] && [ "$common" -lt 150 ] || { echo "$common in common"; return 1; }
}
samples_refuse() {
    kdd
    echo "1,tcp,mistake." >>"$tmp/same"
    status 2 sample 1 "$tmp/s1" && says "'mistake' is no label of KDD Cup 1999" || return 1
    { records 5000 normal 0; records 300 smurf 0; } >"$tmp/same"
    status 2 sample 1 "$tmp/s1" && says "5000 distinct normal records in same, 5300 wanted"
}

# ---- make knn-paper

table_measured() {
    fresh
    PARTS=table NS="1024 2048" DS=32 status 0 scripts/knn_paper.sh && says "recorded in $folder" &&
        same "$(cat "$CALLS")" "--m 1200 --n 1024 --d 32 --k 25 --time 0.2 --csv $folder/knn.csv --resume --transfers \
--method exact_tc --method gemm_cublas+auto --method bf_garcia
--m 1200 --n 2048 --d 32 --k 25 --time 0.2 --csv $folder/knn.csv --resume --transfers \
--method exact_tc --method gemm_cublas+auto --method bf_garcia" || return 1
    fresh
    PARTS=table status 0 scripts/knn_paper.sh && lines "$CALLS" 24
}
crossover_found() { # 0.1 k against 2.25: 23 is the first k that takes longer
    fresh
    PARTS=select status 0 scripts/knn_paper.sh && says "kpass and bitonic cross at k = 23 " &&
        same "$(sed 's/.*--k \([0-9]*\) .*/\1/' "$CALLS" | tr '\n' ' ')" "1 2 4 8 16 32 64 128 256 512 24 20 22 23 " || return 1
    fresh
    KS="1 2 4" PARTS=select status 0 scripts/knn_paper.sh && ! grep -q cross "$tmp/err" && lines "$CALLS" 3
}
cpu_measured_once() {
    fresh
    PARTS=cpu NS=1024 DS="32 64" status 0 scripts/knn_paper.sh && lines "$CALLS" 6 &&
        holds "$CALLS" "cpu 1200 1024 64 25 $folder/knn.csv ann_kdtree" || return 1
    : >"$CALLS"
    PARTS=cpu NS="1024 2048" DS=32 CPU_METHODS=openblas status 0 scripts/knn_paper.sh &&
        same "$(cat "$CALLS")" "cpu 1200 2048 32 25 $folder/knn.csv openblas" || return 1
    mv build/knn_cpu "$tmp/knn_cpu"
    PARTS=cpu status 0 scripts/knn_paper.sh && says "no comparison with the CPU"
    result=$?
    mv "$tmp/knn_cpu" build/knn_cpu
    return $result
}
rates_recorded() {
    fresh
    kdd
    SEEDS="3 4" PARTS=rates status 0 scripts/knn_paper.sh &&
        prints "U2R: 53 attacks exist in the training data, not 100; same file: 26 train, 26 test; corrected: 53 train, 100" &&
        lines "$CALLS" 16 && lines $folder/knn_rates.csv 65 && holds "$CALLS" "--header no \
--symbolic 2,3,4 --normalize zscore,minmax --classes-map kdd --k-sweep 1:15 --verify --method exact_tc --method gemm_cublas" &&
        holds $folder/knn_rates.csv "same,U2R,3,exact_tc,2,4900,26,474,26,53,0.97,0.5,0,0,NVIDIA H200,9.0,580.1," &&
        holds $folder/knn_rates.csv "corrected,Probe,4,gemm_cublas+auto,1,4900,100,410,90,250,0.97,0.92,0.005,3,NVIDIA" ||
        return 1
    : >"$CALLS"
    SEEDS="4 5" PARTS=rates status 0 scripts/knn_paper.sh && lines "$CALLS" 8 && lines $folder/knn_rates.csv 97 &&
        lines build/knn_paper/same.csv 6313
}
rates_fail_whole() { # a run that fails leaves no rows of its sample
    fresh
    kdd
    RUN_STATUS=3 SEEDS=1 PARTS=rates status 1 scripts/knn_paper.sh && [ ! -e $folder/knn_rates.csv ] || return 1
    sed '/the same neighbours/d' "$RATES" >"$tmp/unverified"
    RATES=$tmp/unverified SEEDS=1 PARTS=rates status 2 scripts/knn_paper.sh &&
        says "exact_tc: not compared with the CPU" && [ ! -e $folder/knn_rates.csv ]
}
rates_without_data() {
    fresh
    PARTS=rates status 0 scripts/knn_paper.sh && says "data/kdd99/kddcup.data_10_percent.gz is missing" && [ ! -s "$CALLS" ]
}
paper_refuses() {
    PARTS=tables status 2 scripts/knn_paper.sh && says "there is no part 'tables'" &&
        KS="1 x" status 2 scripts/knn_paper.sh && says "'x' is no number" || return 1
    fresh
    MINUTES=1 PARTS=table NS=1024 DS=32 RUN_STATUS=4 status 4 scripts/knn_paper.sh
}

# ---- notes and figures, of what the made-up machine records

record_all() {
    fresh
    kdd
    SEEDS="1 2" scripts/knn_paper.sh >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    cp "$tmp/header" $folder/sgemm.csv
}
note=step08_knn/README.md
notes_start() { # notes_start LINE...: the only note
    rm -rf step08_knn
    mkdir -p step08_knn
    for line; do printf '%s\nold\n<!-- end -->\n' "$line"; done >$note
}
tables() {
    record_all || return 1
    notes_start '<!-- table: knn-paper step08 -->' '<!-- table: knn-select step08_knn -->' '<!-- table: knn-rates step08 -->'
    status 0 scripts/notes.sh && status 0 scripts/notes.sh --check && ! grep -q '^old$' $note &&
        holds $note '| 256 | 32768 | 0.500 (0.750) | 0.500 (0.750) | 0.500 (0.750) | 1000 | 1000 | 1000 | 1.00 | 2000 | ' &&
        holds $note '<sub>Recorded on NVIDIA H200, driver 580.1, CUDA 13.0, 2026-11-22 and A CPU; m = 1200' &&
        holds $note '| **23** | 2.30 | 2.25 | – | – | – |' && holds $note '| 22 | 2.20 | 2.25 | – | – | – |' &&
        holds $note '| 1 | 0.100 | 2.25 | 0.500 | 0.500 | 0.500 |' && holds $note 'cross at k = 23 (on the paper' &&
        holds $note '| U2R | the same file | 4900 + 26, 474 + 26 | 60.0 % (60..60) | – | – | 1.00 % (1.0..1.0) | – | – |' &&
        holds $note 'of 2 samples by `exact_tc`' && holds $note '; 48 of the 15 neighbours' && holds $note 'Of U2R 53 attacks'
}
table_of_torch() { # beside the same case without it, which is another's
    record_all || return 1
    head="step08_knn,exact_tc,knn,f32,n,1200,32768,25,256,1,0,warm,events"
    tail=",,1980,400,NVIDIA H200,9.0,580.1,13.0,2026-11-22"
    echo "$head,0.25,0.2,0.3,1000,,,torch 2.9 addmm+topk,1.25,5,4.75,5.5$tail" >>$folder/knn.csv
    notes_start '<!-- table: knn-torch step08 -->' '<!-- table: knn-paper step08 -->'
    status 0 scripts/notes.sh &&
        holds $note '| 1200 | 32768 | 256 | 25 | 1.25 | 0.250 | 5.00 (4.75..5.50) | – | – | – | – |' &&
        holds $note '; torch 2.9 addmm+topk, TF32 off' && holds $note '| 256 | 32768 | 0.500 (0.750) |'
}
tables_without_measurements() {
    fresh
    mkdir -p $folder && cp "$tmp/header" $folder/sgemm.csv
    notes_start '<!-- table: knn-paper step08 -->' '<!-- table: knn-select step08 -->' '<!-- table: knn-rates step08 -->'
    status 0 scripts/notes.sh && [ "$(grep -c 'Not measured yet' $note)" = 3 ] || return 1
    notes_start '<!-- table: knn-rate step08 -->'
    status 2 scripts/notes.sh && says "unknown table knn-rate" || return 1
    notes_start '<!-- table: knn-rates step07 -->'
    status 2 scripts/notes.sh && says "unknown step of searches step07"
}
digest() { # into $tmp/digest
    rm -rf "$tmp/digest" && mkdir "$tmp/digest"
    DATA_NAME=knn.csv RATES_NAME=knn_rates.csv awk -v dir="$tmp/digest" -v gap=0.05 -f scripts/records.awk \
        -f scripts/digest.awk -f scripts/knn.awk -f scripts/knn_figures.awk "$@"
}
digests() {
    record_all && digest input=knn $folder/knn.csv input=knn_rates $folder/knn_rates.csv || return 1
    holds "$tmp/digest/knn_caption" "NVIDIA H200, driver 580.1, CUDA 13.0, 2026-11-22; A CPU." &&
        holds "$tmp/digest/knn_select.dat" '"they cross at k = 23 (the paper: 46)"' &&
        holds "$tmp/digest/knn_table.dat" '23.6 3.30103 1' && holds "$tmp/digest/knn_rates.dat" "means of 2 samples" &&
        holds "$tmp/digest/knn_rates.dat" "21 0.95 5" || return 1
    digest input=knn_rates $folder/knn_rates.csv && holds "$tmp/digest/knn_table.why" "make knn-paper" &&
        [ -f "$tmp/digest/knn_rates.dat" ]
}
figures_drawn() {
    record_all || return 1
    status 0 scripts/plots.sh --out "$tmp/drawn" --term svg && same "$(ls "$tmp/drawn" | tr '\n' ' ')" \
        "knn_rates.svg knn_select.svg knn_table.svg " && status 0 scripts/plots.sh --term dumb &&
        prints "exact_tc, 1200 queries, k = 25: how many times as fast" && prints "cross at k = 23" && prints "of U2R 53"
}

for each in samples samples_by_seed samples_refuse table_measured crossover_found cpu_measured_once rates_recorded \
    rates_fail_whole rates_without_data paper_refuses tables table_of_torch tables_without_measurements digests; do
    check "$each"
done
if command -v gnuplot >/dev/null; then
    check figures_drawn
else
    echo "skipped the figures: gnuplot is missing (apt-get install gnuplot-nox)"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
