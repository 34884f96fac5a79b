#!/bin/sh
# Measures every GEMM step on this GPU and records it in plots/data/GPU/sgemm.csv; what that holds already is not measured
# again. BENCH_STEPS="step01 step04" and SWEEPS="square article odd" narrow it; FORCE=1 starts the file afresh.
# Exit status: 0, 2 for a step or sweep that there is not, 3 without a GPU, or that of the run that failed.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu bench
need_step bench BENCH_STEPS ${BENCH_STEPS:-}
for sweep in ${SWEEPS:-}; do
    case $sweep in
    square | article | odd) ;;
    *) echo "bench: there is no sweep '$sweep' to record, e.g. SWEEPS=\"square article odd\"" >&2; exit 2 ;;
    esac
done
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" all >&2

folder=plots/data/$(gpu_slug)
csv=$folder/sgemm.csv
mkdir -p "$folder"

old=
if [ -n "${FORCE:-}" ] && [ -e "$csv" ]; then
    old=$csv.old
    mv "$csv" "$old"
fi
# The old file comes back when the new one holds no measurement yet; a file of a header alone, and a folder of nothing,
# do not stay.
finish() {
    status=$?
    has_rows "$csv" || rm -f "$csv"
    if [ -n "$old" ]; then
        if [ -e "$csv" ]; then rm -f "$old"; else mv "$old" "$csv"; fi
    fi
    rmdir "$folder" 2>/dev/null || true
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

for step in ${BENCH_STEPS:-step0[1-6]}; do
    for sweep in ${SWEEPS:-square article odd}; do
        echo "bench: $step --sweep $sweep" >&2
        # Also after FORCE=1, where the file is new, so that a run that was cut off can go on without it.
        "./$step/run" --sweep "$sweep" --csv "$csv" --resume || {
            status=$?
            stays=
            if has_rows "$csv"; then stays="; what was measured stays in $csv"; fi
            echo "bench: $step --sweep $sweep failed (exit status $status)$stays" >&2
            exit "$status"
        }
    done
done
echo "bench: recorded in $csv; draw it with make plots, refresh the notes with make notes" >&2
