#!/bin/sh
# help: count the bytes that step 7 reads from DRAM: does every launch find its matrix outside the caches?
# Nsight Compute counts while `run` times as it always does; a line for each shape and variant, and gemv_dram.csv.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu cold
need_tool cold ncu nsight-compute
need_python cold
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" all >&2

begin cold
name_origin

# The profiler must find a shape tuned: a search under it would be long, and its times wrong.
tuned=build/cold/gemv.tune
mkdir -p build/cold
step=step07
name=$(basename "$(cd "$step" && pwd -P)")

# timed VARIANT DTYPE N K [COMMAND...]: one short measurement, under the command.
timed() {
    variant=$1 dtype=$2 n=$3 k=$4
    shift 4
    "$@" "./$step/run" --variant "$variant" --dtype "$dtype" --n "$n" --k "$k" --time 0.01 --no-baseline \
        --tune-file "$tuned"
}

# Every tenth launch is counted, by one metric and so in one pass: no launch is repeated, and nothing is done to caches.
# report/record/cold.py decides which of them count: those of the timed graphs.
count() {
    timed "$@" ncu --kernel-name-base function --kernel-id '::regex:^gemv_:.*7$' --graph-profiling node \
        --cache-control none --clock-control none --replay-mode kernel --metrics dram__bytes_read.sum \
        --csv --page raw --print-units base --log-file "$work/log"
}

: >"$work/rows"
for shape in ${COLD_SHAPES:-f16:1024:1024 f16:4096:4096 f16:4096:14336 f16:14336:4096 f16:8192:8192 f16:16384:16384 \
    f32:16384:16384}; do
    dtype=${shape%%:*} k=${shape##*:} n=${shape#*:}
    n=${n%:*}
    for variant in ${COLD_VARIANTS:-streaming best}; do
        echo "cold: $variant $dtype $n x $k" >&2
        status=0
        timed "$variant" "$dtype" "$n" "$k" >"$work/out" || status=$?
        if [ "$status" != 0 ]; then
            echo "cold: $variant $dtype $n x $k: run failed (exit status $status)" >&2
            exit "$status"
        fi
        ! skipped "cold: $variant $dtype $n x $k" || continue
        profiled "cold: $variant $dtype $n x $k" count "$variant" "$dtype" "$n" "$k"
        report cold "$name" "$variant" "$dtype" "$n" "$k" "$work/log" >>"$work/rows"
    done
done

if [ ! -s "$work/rows" ]; then
    echo "cold: nothing was counted" >&2
    exit 1
fi
csv=$folder/gemv_dram.csv
report header gemv_dram | cat - "$work/rows" | put "$csv"
echo "cold: recorded in $csv" >&2
report cold --judge "$csv"
