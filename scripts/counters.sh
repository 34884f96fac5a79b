#!/bin/sh
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
build_steps ${BENCH_STEPS:-}

ask() { nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1; }
size=4096
folder=plots/data/$(gpu_slug)
csv=$folder/counters.csv
DEVICE=$(gpu_name) CC=$(ask compute_cap) DRIVER=$(ask driver_version) DATE=$(date -u +%Y-%m-%d)
CUDA=$(sed -n 's/^CUDA_VERSION := //p' build/config.mk)
export DEVICE CC DRIVER CUDA DATE

work=$(mktemp -d "${TMPDIR:-/tmp}/counters.XXXXXX")
trap 'rm -rf "$work" "$csv.new.$$"' EXIT
trap 'exit 130' INT TERM

: >"$work/rows"
counted=,
for step in ${BENCH_STEPS:-step0[1-6]}; do
    name=$(basename "$(cd "$step" && pwd -P)")
    counted=$counted$name,
    for variant in $("./$step/run" --list | awk '/^[a-z]/ { print $1 }'); do
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
        awk -v step="$name" -v variant="$variant" -v size="$size" -f scripts/records.awk -f scripts/counters.awk \
            input=metrics scripts/metrics.txt input=ncu "$work/log" >>"$work/rows" || exit 2
    done
done

mkdir -p "$folder"
{
    awk -v header=1 -f scripts/records.awk -f scripts/counters.awk
    {
        if [ -n "${BENCH_STEPS:-}" ] && [ -e "$csv" ]; then
            awk -F, -v counted="$counted" 'NR > 1 && !index(counted, "," $1 ",")' "$csv"
        fi
        cat "$work/rows"
    } | LC_ALL=C sort -s -t , -k 1,1
} >"$csv.new.$$"
mv "$csv.new.$$" "$csv"
echo "counters: recorded in $csv; refresh the notes with make notes" >&2
