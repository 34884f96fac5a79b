#!/bin/sh
# help: repeat and record the paper's three experiments on step 8 (PARTS=, MINUTES=, FORCE=1)
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
parts=${PARTS:-table copies select cpu ann rates}
for part in $parts; do
    case $part in
    table | copies | select | cpu | ann | rates) ;;
    *) echo "knn-paper: there is no part '$part', e.g. PARTS=\"table copies select cpu ann rates\"" >&2; exit 2 ;;
    esac
done
for number in ${NS:-} ${DS:-} ${KS:-} ${MS:-} ${PIECES:-} ${SEEDS:-} ${MINUTES:-}; do
    case $number in
    *[!0-9]* | 0*) echo "knn-paper: '$number' is not a number, e.g. NS=\"1024 2048\" MINUTES=8" >&2; exit 2 ;;
    esac
done
need_gpu knn-paper
need_python knn-paper
build_steps step08
if [ -e build/knn_cpu ] || MAKEFLAGS='' make --no-print-directory build/knn_cpu >&2; then :; fi

name_origin
folder=plots/data/$(gpu_slug)
csv=$folder/knn.csv
rates=$folder/knn_rates.csv
work=build/knn_paper
mkdir -p "$folder" "$work"
if [ -n "${FORCE:-}" ]; then
    for file in "$csv" "$rates"; do if [ -e "$file" ]; then mv "$file" "$file.old"; fi; done
fi
case $CC in # what the tensor cores screen for needs Hopper
9.0) exact=exact_tc ;;
*) exact=direct+radix ;;
esac

rate_methods=${RATE_METHODS:-$exact gemm_cublas+auto}

started=$(date +%s)
stop_if_late() {
    if [ -n "${MINUTES:-}" ] && [ $(($(date +%s) - started)) -ge $((MINUTES * 60)) ]; then
        echo "knn-paper: $MINUTES minutes are over; run the same command again to continue" >&2
        exit 0
    fi
}

# search N D K OPTION...: one run
search() {
    stop_if_late
    n=$1 d=$2 k=$3
    shift 3
    ./step08/run --m 1200 --n "$n" --d "$d" --k "$k" --time 0.2 --csv "$csv" --resume "$@"
}

# time_of VARIANT N D K: what is recorded last, in ms; nothing where it is not. Times with copies are not meant.
time_of() {
    [ -f "$csv" ] || return 0
    sed -n "s/^[^,]*,$1,knn,[^,]*,[^,]*,1200,$2,$4,$3,[^,]*,[^,]*,[^,]*,\([^,]*\),\([^,]*\),.*/\1 \2/p" "$csv" |
        sed -n '/^transfers/d; s/.* //p' | tail -n 1
}

part_table() {
    for d in ${DS:-32 64 128 256}; do
        for n in ${NS:-1024 2048 4096 8192 16384 32768}; do
            search "$n" "$d" 25 --transfers --method $exact --method gemm_cublas+auto --method bf_garcia
        done
    done
}

# With copies from pinned and from pageable memory, all at once and in pieces: the paper's queries, and many.
part_copies() {
    for m in ${MS:-1200 100000}; do
        for pieces in ${PIECES:-1 2 4 8 16}; do
            for pageable in "" --pageable; do
                stop_if_late
                # shellcheck disable=SC2086 # one word or none
                ./step08/run --m "$m" --n 32768 --d 256 --k 25 --time 0.2 --csv "$folder/knn_copies.csv" --resume \
                    --method $exact --transfers --pieces "$pieces" $pageable
            done
        done
    done
}

part_select() {
    for k in ${KS:-1 2 4 8 16 32 64 128 256 512}; do
        search 16384 32 "$k" --method direct+kpass --method direct+bitonic --method direct+warpselect \
            --method direct+radix --method $exact
    done
    # k passes take less than one sort up to `low`, and more from `high` on.
    low=0 high=0
    for k in ${KS:-1 2 4 8 16 32 64 128 256 512}; do
        if slower "$k"; then high=$k && break; else low=$k; fi
    done
    while [ "$low" -gt 0 ] && [ "$high" -gt $((low + 1)) ]; do
        k=$(((low + high) / 2))
        search 16384 32 "$k" --method direct+kpass --method direct+bitonic
        if slower "$k"; then high=$k; else low=$k; fi
    done
    if [ "$low" -gt 0 ] && [ "$high" -gt 0 ]; then echo \
        "knn-paper: kpass and bitonic cross at k = $high (the paper's GPU: 46)" >&2; fi
}
slower() { # slower K: does kpass take as long as bitonic, or longer?
    kpass=$(time_of direct+kpass 16384 32 "$1") bitonic=$(time_of direct+bitonic 16384 32 "$1")
    [ "$(printf '%s\n%s\n' "$kpass" "$bitonic" | sort -g | tail -n 1)" = "$kpass" ]
}

part_cpu() {
    if [ ! -x build/knn_cpu ]; then
        echo "knn-paper: no comparison with the CPU: build/knn_cpu could not be built (libopenblas-dev, libann-dev)" >&2
        return
    fi
    for method in ${CPU_METHODS:-openblas ann_brute ann_kdtree}; do
        for d in ${DS:-32 64 128 256}; do
            for n in ${NS:-1024 2048 4096 8192 16384 32768}; do
                [ -z "$(time_of "$method" "$n" "$d" 25)" ] || continue
                stop_if_late
                echo "m 1200, n $n, d $d, k 25, on the CPU"
                build/knn_cpu 1200 "$n" "$d" 25 "$csv" "$method"
            done
        done
    done
}

# The paper's Algorithm 1, and ANN's kd-tree, exact and approximate: what they take, and how many neighbours are wrong.
part_ann() {
    if [ ! -x build/knn_cpu ]; then return; fi # part_cpu says why
    ann=$folder/knn_ann.csv
    [ -s "$ann" ] || report header knn_ann | put "$ann"
    cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    for d in ${DS:-32 256}; do
        if grep -q "^ann_eps3,1200,32768,$d," "$ann"; then continue; fi
        stop_if_late
        build/knn_cpu 1200 32768 "$d" 25 - serial ann_kdtree ann_eps1 ann_eps3 >"$work/ann"
        while read -r method ms _ _ _ wrong _ of _; do
            echo "$method,1200,32768,$d,25,$ms,$wrong,$of,${cpu:-CPU},,,,$(date -u +%F)"
        done <"$work/ann" | cat "$ann" - | put "$ann"
        cat "$work/ann"
    done
}

# classify SEED PROTOCOL CLASS FACTS...: the predictions for one sample, and how many neighbours are not the CPU's
classify() {
    base=$work/$1/$2-$3
    python3 -B scripts/data.py --symbolic 2,3,4 "$base-train.csv" "$base-train.npy" "$base-test.csv" "$base-test.npy" \
        >"$base.log" 2>&1 || { cat "$base.log" >&2; return 1; }
    for method in $rate_methods; do
        ./step08/run --train "$base-train.npy" --train-labels "$base-train.labels" --test "$base-test.npy" \
            --test-labels "$base-test.labels" --normalize zscore,minmax --k-sweep 1:15 --verify --method "$method" \
            --out "$base-$method.votes" >"$base-$method.out" 2>"$base.log" || { cat "$base.log" >&2; return 1; }
    done
}

part_rates() {
    data=${KNN_DATA:-data}/kdd99
    for file in kddcup.data_10_percent.gz corrected.gz; do
        if [ ! -r "$data/$file" ]; then
            echo "knn-paper: no rates on KDD Cup 1999: $data/$file is missing; \`make data\` fetches it" >&2
            return
        fi
    done
    (unset CC && sh scripts/deps.sh data) # there CC is the compiler
    for seed in ${SEEDS:-1 2 3 4 5 6 7 8 9 10}; do
        if [ -f "$rates" ] && grep -q "^[a-z]*,[^,]*,$seed," "$rates"; then continue; fi
        stop_if_late
        rm -rf "${work:?}/$seed"
        mkdir -p "$work/$seed"
        report knn-sample "$seed" "$work/$seed" "$data/kddcup.data_10_percent.gz" "$data/corrected.gz" \
            >"$work/$seed/facts"
        jobs= # they are short, and mostly one core's
        while read -r facts; do
            # shellcheck disable=SC2086 # several words
            classify "$seed" $facts &
            jobs="$jobs $!"
        done <"$work/$seed/facts"
        failed= # all of them end before this does
        for job in $jobs; do wait "$job" || failed=$?; done
        [ -z "$failed" ] || exit "$failed"
        # shellcheck disable=SC2086 # several methods
        report knn-rates "$seed" "$work/$seed" $rate_methods >"$work/$seed/rows"
        { # a seed's samples are recorded all or not at all
            if [ -s "$rates" ]; then cat "$rates"; else report header knn_rates; fi
            cat "$work/$seed/rows"
        } | put "$rates"
        rm -rf "${work:?}/$seed"
        echo "KDD Cup 1999, sample $seed: 8 runs"
    done
    if [ -f "$rates" ]; then report knn-summary "$rates"; fi
}

for part in $parts; do "part_$part"; done
echo "knn-paper: recorded in $folder; draw it with make plots" >&2
