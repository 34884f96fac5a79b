#!/bin/sh
# help: record Nsight Compute's counters for every step (BENCH_STEPS= narrows it)
# What every variant does at m = n = k = 4096 (scripts/metrics.txt, one launch each): counters.csv.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu counters
need_step counters BENCH_STEPS ${BENCH_STEPS:-}
need_tool counters ncu nsight-compute
need_python counters
build_steps ${BENCH_STEPS:-}

size=4096
begin counters
name_origin
: >"$work/rows"
counted=
for step in ${BENCH_STEPS:-step0[1-6]}; do
    name=$(basename "$(cd "$step" && pwd -P)")
    counted="$counted $name"
    for variant in $("./$step/run" --list | sed -n 's/^\([a-z][^ ]*\).*/\1/p'); do
        echo "counters: $step $variant" >&2
        profiled "counters: $step $variant" \
            ncu_step "$step" "$variant" "$size" --csv --page raw --print-units base --log-file "$work/log"
        ! skipped "counters: $step $variant" || continue
        report counters "$name" "$variant" "$size" "$work/log" >>"$work/rows"
    done
done

csv=$folder/counters.csv
old=/dev/null # of other steps nothing stays where all are counted
if [ -n "${BENCH_STEPS:-}" ]; then old=$csv; fi
# shellcheck disable=SC2086 # several steps
report counters --merge "$work/rows" "$old" $counted >"$work/csv"
put "$csv" <"$work/csv"
echo "counters: recorded in $csv; refresh the notes with make notes" >&2
