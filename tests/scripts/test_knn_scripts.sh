#!/bin/sh
# Tests scripts/knn_paper.sh on a fake machine: what it measures, that it continues where it was interrupted, and that a
# sample is recorded completely or not at all.
# shellcheck disable=SC2317 # the cases are called by name
set -u
. "$(dirname "$0")/../script_case.sh"
mkdir -p step08 step08_knn
cp "$root/step08_knn/kdd_classes.csv" step08_knn/
sh "$root/scripts/deps.sh" data || exit 1
if [ -e "$root/build/numpy" ]; then ln -s "$root/build/numpy" build/numpy; fi

# ---- a machine, made up: a GPU, a make that has nothing to do, step 8's run and knn_cpu, which record made-up times

fake_gpu "$tmp/bin" 'NVIDIA H200'
# A row a method, and one with copies; kpass takes 0.1 ms a neighbour, bitonic 2.25 ms, all others 0.5 ms.
fake step08/run <<'END'
echo "$*" >>"$CALLS"
[ -z "${RUN_STATUS:-}" ] || exit "$RUN_STATUS"
copies= methods= csv=
case "$*" in *--train*) # everything is normal, whatever k is
    while [ "$1" != --out ]; do
        case $1 in --test-labels) labels=$2 ;; esac
        shift
    done
    sed 's/.*/normal.,normal./' "$labels" >"$2"
    echo "method  ${SAID-3 of 15 neighbours are not among the CPU's}"
    exit
    ;;
esac
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
        *kpass) ms=$((k / 10)).$((k % 10)) ;;
        *bitonic) ms=2.25 ;;
        esac
        echo "step08_knn,$method,knn,f32,n,1200,$n,$k,$d,1,0,warm,$mode,$ms,$ms,$ms,1,,,,,,,,,1980,500,NVIDIA H200,9.0,\
580.1,13.0,2026-11-22" >>"$csv"
    done
done
END
fake build/knn_cpu <<'END'
echo "cpu $*" >>"$CALLS"
case $5 in -)
    echo "serial  1000.5 ms, 1 thread, 0 of 500 neighbours are not the nearest"
    echo "ann_eps3  25.5 ms, 1 thread, 1425 of 30000 neighbours are not the nearest"
    exit
    ;;
esac
[ -s "$5" ] || cat "$HEADER" >"$5"
threads="1 thread"
[ "$6" != openblas ] || threads="8 threads"
echo "cpu_knn,$6,knn,f32,n,$1,$2,$4,$3,1,0,warm,cpu,1000,1000,1000,1,,,,,,,,,,,\"A CPU, $threads\",,,,2026-11-22" >>"$5"
END
PATH=$tmp/bin:$PATH
CALLS=$tmp/calls HEADER=$tmp/header
export CALLS HEADER
folder=plots/data/nvidia-h200

# records COUNT LABEL FIRST: distinct ones
records() { seq $(($3 + 1)) $(($3 + $1)) | sed "s/$/,tcp,http,SF,$2./"; }
kdd() { # in data/
    mkdir -p data/kdd99
    { records 5500 normal 0; records 300 smurf 0; records 250 satan 0; records 210 phf 0; records 53 perl 0; } |
        gzip >data/kdd99/kddcup.data_10_percent.gz
    { records 600 normal 9000; records 120 apache2 0; records 90 mscan 0; records 150 named 0; records 101 ps 0; } |
        gzip >data/kdd99/corrected.gz
}
fresh() {
    rm -rf plots/data build/knn_paper data
    : >"$CALLS"
}

# ---- make knn-paper

table_measured() {
    PARTS=table NS="1024 2048" DS=32 status 0 scripts/knn_paper.sh && says "recorded in $folder" &&
        same "$(cat "$CALLS")" "--m 1200 --n 1024 --d 32 --k 25 --time 0.2 --csv $folder/knn.csv --resume --transfers \
--method exact_tc --method gemm_cublas+auto --method bf_garcia
--m 1200 --n 2048 --d 32 --k 25 --time 0.2 --csv $folder/knn.csv --resume --transfers \
--method exact_tc --method gemm_cublas+auto --method bf_garcia" || return 1
    fresh
    PARTS=table status 0 scripts/knn_paper.sh && lines "$CALLS" 24
}
copies_recorded() {
    MS=1200 PIECES=4 PARTS=copies status 0 scripts/knn_paper.sh && same "$(cat "$CALLS")" "--m 1200 --n 32768 --d 256 \
--k 25 --time 0.2 --csv $folder/knn_copies.csv --resume --method exact_tc --transfers --pieces 4
$(tail -n 1 "$CALLS" | sed 's/ --pageable$//') --pageable"
}
crossover_found() { # 0.1 k against 2.25: 23 is the first k that takes longer
    PARTS=select status 0 scripts/knn_paper.sh && says "kpass and bitonic cross at k = 23 " &&
        same "$(sed 's/.*--k \([0-9]*\) .*/\1/' "$CALLS" | tr '\n' ' ')" "1 2 4 8 16 32 64 128 256 512 24 20 22 23 " ||
            return 1
    fresh
    KS="1 2 4" PARTS=select status 0 scripts/knn_paper.sh && ! grep -q cross "$tmp/err" && lines "$CALLS" 3
}
cpu_measured_once() {
    PARTS=cpu NS=1024 DS="32 64" status 0 scripts/knn_paper.sh && lines "$CALLS" 6 &&
        holds "$CALLS" "cpu 1200 1024 64 25 $folder/knn.csv ann_kdtree" || return 1
    : >"$CALLS"
    PARTS=cpu NS="1024 2048" DS=32 CPU_METHODS=openblas status 0 scripts/knn_paper.sh &&
        same "$(cat "$CALLS")" "cpu 1200 2048 32 25 $folder/knn.csv openblas" || return 1
    : >"$CALLS"
    PARTS=ann DS=32 status 0 scripts/knn_paper.sh && PARTS=ann DS=32 status 0 scripts/knn_paper.sh &&
        same "$(cat "$CALLS")" "cpu 1200 32768 32 25 - serial ann_kdtree ann_eps1 ann_eps3" &&
        same "$(sed 1d "$folder/knn_ann.csv" | cut -d, -f1-8)" "serial,1200,32768,32,25,1000.5,0,500
ann_eps3,1200,32768,32,25,25.5,1425,30000" || return 1
    mv build/knn_cpu "$tmp/knn_cpu"
    PARTS=cpu status 0 scripts/knn_paper.sh && says "no comparison with the CPU"
    result=$?
    mv "$tmp/knn_cpu" build/knn_cpu
    return $result
}
rates_recorded() {
    kdd
    SEEDS=3 PARTS=rates status 0 scripts/knn_paper.sh &&
        prints "U2R: 53 attacks exist in the training data, not 100; same file: 26 train, 26 test" &&
        prints "; corrected: 53 train, 100" &&
        lines "$CALLS" 16 && lines $folder/knn_rates.csv 33 &&
        holds "$CALLS" "--normalize zscore,minmax --k-sweep 1:15 --verify --method exact_tc --out build/" &&
        holds $folder/knn_rates.csv "same,U2R,3,exact_tc,2,4900,26,474,26,53,0.948,0,0,3,NVIDIA H200,9.0,580.1," &&
        holds $folder/knn_rates.csv "corrected,Probe,3,gemm_cublas+auto,1,4900,100,410,90,250,0.82,0,0,3,NVIDIA" ||
        return 1
    : >"$CALLS"
    SEEDS="3 4" PARTS=rates status 0 scripts/knn_paper.sh && lines "$CALLS" 16 && lines $folder/knn_rates.csv 65 &&
        same "$(ls build/knn_paper)" ""
}
rates_fail_whole() { # a run that fails leaves no rows of its sample, and those of others stay
    kdd
    RUN_STATUS=3 SEEDS=1 PARTS=rates status 1 scripts/knn_paper.sh && [ ! -e $folder/knn_rates.csv ] || return 1
    SAID=exact SEEDS=1 PARTS=rates status 2 scripts/knn_paper.sh &&
        says "corrected DoS: exact_tc: not compared with the CPU" &&
        same "$(ls $folder)" "" || return 1
    SEEDS=1 PARTS=rates status 0 scripts/knn_paper.sh && cp $folder/knn_rates.csv "$tmp/before" || return 1
    RUN_STATUS=3 SEEDS="1 2" PARTS=rates status 1 scripts/knn_paper.sh && cmp $folder/knn_rates.csv "$tmp/before"
}
rates_without_data() {
    PARTS=rates status 0 scripts/knn_paper.sh && says "data/kdd99/kddcup.data_10_percent.gz is missing" &&
        [ ! -s "$CALLS" ]
}
paper_refuses() {
    PARTS=tables status 2 scripts/knn_paper.sh && says "there is no part 'tables'" &&
        KS="1 x" status 2 scripts/knn_paper.sh && says "'x' is not a number" &&
        MINUTES=1 PARTS=table NS=1024 DS=32 RUN_STATUS=4 status 4 scripts/knn_paper.sh
}

prepare=fresh
cases table_measured copies_recorded crossover_found cpu_measured_once rates_recorded rates_fail_whole \
    rates_without_data paper_refuses
ended
