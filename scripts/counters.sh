#!/bin/sh
# help: record Nsight Compute's counters for every step (BENCH_STEPS= narrows it)
# Counts what every variant does on this GPU at m = n = k = 4096 (scripts/metrics.txt, one launch each, by Nsight
# Compute) and records it in plots/data/GPU/counters.csv, which is replaced when all is counted.
# BENCH_STEPS="step01 step04" narrows it; what is recorded of the other steps stays.
# Exit status: 0, 2 without ncu, 3 without a GPU, or ncu's when it failed.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu counters
need_step counters BENCH_STEPS ${BENCH_STEPS:-}
need_tool counters ncu nsight-compute
need_python counters
build_steps ${BENCH_STEPS:-}

size=4096
folder=plots/data/$(gpu_slug)
csv=$folder/counters.csv
name_origin

work=$(mktemp -d "${TMPDIR:-/tmp}/counters.XXXXXX")
trap 'rm -rf "$work" "$csv.new.$$"' EXIT
trap 'exit 130' INT TERM

: >"$work/rows"
counted=
for step in ${BENCH_STEPS:-step0[1-6]}; do
    name=$(basename "$(cd "$step" && pwd -P)")
    counted="$counted $name"
    for variant in $("./$step/run" --list | sed -n 's/^\([a-z][^ ]*\).*/\1/p'); do
        echo "counters: $step $variant" >&2
        status=0
        : >"$work/log"
        ncu_step "$step" "$variant" "$size" --csv --page raw --print-units base --log-file "$work/log" >"$work/out" ||
            status=$?
        if [ "$status" != 0 ]; then
            echo "counters: $step $variant: ncu failed (exit status $status): $(grep '==ERROR==' "$work/log" |
                head -n 1)" >&2
            exit "$status"
        fi
        reason=$(sed -n 's/.*  skipped: //p' "$work/out" | head -n 1)
        if [ -n "$reason" ]; then
            echo "counters: $step $variant: skipped: $reason" >&2
            continue
        fi
        report counters "$name" "$variant" "$size" "$work/log" >>"$work/rows"
    done
done

mkdir -p "$folder"
old=/dev/null # of other steps nothing stays where all are counted
if [ -n "${BENCH_STEPS:-}" ]; then old=$csv; fi
# shellcheck disable=SC2086 # several steps
report counters --merge "$work/rows" "$old" $counted >"$csv.new.$$"
mv "$csv.new.$$" "$csv"
echo "counters: recorded in $csv; refresh the notes with make notes" >&2
