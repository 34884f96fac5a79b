#!/bin/sh
# Measures every step on this GPU and records it in plots/data/GPU/sgemm.csv; what that holds already is not measured
# again. BENCH_STEPS="step01 step04" and SWEEPS="square article odd" narrow it; FORCE=1 starts the file afresh.
# Exit status: 0, 3 without a GPU, or that of the run that failed.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu bench
MAKEFLAGS='' make -j"$(nproc)" all >&2

folder=plots/data/$(gpu_slug)
csv=$folder/sgemm.csv
mkdir -p "$folder"

old=
if [ -n "${FORCE:-}" ] && [ -e "$csv" ]; then
    old=$csv.old
    mv "$csv" "$old"
fi
# The old file comes back when the new one holds no measurement yet.
finish() {
    status=$?
    if [ -n "$old" ]; then
        if [ "$(wc -l <"$csv" 2>/dev/null || echo 0)" -lt 2 ]; then mv "$old" "$csv"; else rm -f "$old"; fi
    fi
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

for step in ${BENCH_STEPS:-step[0-9][0-9]}; do
    for sweep in ${SWEEPS:-square article odd}; do
        echo "bench: $step --sweep $sweep" >&2
        # Also after FORCE=1, where the file is new, so that a run that was cut off can go on without it.
        "./$step/run" --sweep "$sweep" --csv "$csv" --resume || {
            status=$?
            echo "bench: $step --sweep $sweep failed (exit status $status); what was measured stays in $csv" >&2
            exit "$status"
        }
    done
done
echo "bench: recorded in $csv; draw it with make plots, refresh the notes with make notes" >&2
