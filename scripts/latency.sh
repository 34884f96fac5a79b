#!/bin/sh
# help: record how long a load waits for shared memory, L1, L2 and DRAM on this GPU
# Records what step 2's --show latency measures on this GPU in plots/data/GPU/latency.csv, which is replaced when all is
# measured. Exit status: 0, 3 without a GPU, or that of the step if it failed.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu latency
need_python latency
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" step02 >&2

name_origin

folder=plots/data/$(gpu_slug)
csv=$folder/latency.csv
work=$(mktemp -d "${TMPDIR:-/tmp}/latency.XXXXXX")
trap 'rm -rf "$work" "$csv.new.$$"' EXIT
trap 'exit 130' INT TERM
status=0
step02/run --show latency >"$work/out" || status=$?
if [ "$status" != 0 ]; then
    echo "latency: run failed (exit status $status)" >&2
    exit "$status"
fi
report latency "$work/out" >"$work/rows"
mkdir -p "$folder"
{
    report header latency
    cat "$work/rows"
} >"$csv.new.$$"
mv "$csv.new.$$" "$csv"
cat "$work/out"
echo "latency: recorded in $csv; refresh the notes with make notes" >&2
