#!/bin/sh
# Measures every step on this GPU and records it in plots/data/GPU/: the GEMM steps in sgemm.csv, step 7 in gemv.csv and
# its autotuner's searches in gemv_search.csv. What they hold already is not measured again. BENCH_STEPS="step01 step07"
# and SWEEPS="square article odd" narrow it; FORCE=1 starts the files of these steps afresh.
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
search=$folder/gemv_search.csv
tuned=build/bench/gemv.tune # not the user's: what is recorded was searched for here
mkdir -p "$folder"

# Programmatic dependent launch needs compute capability 9.0.
case $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1) in
[0-8].*) pdl= ;;
*) pdl=1 ;;
esac

# runs STEP SWEEP: the options of every run that this takes, a line a run.
runs() {
    case $1:$2 in
    step07*:article) echo "--sweep article" ;;
    step07*:*)
        echo "--sweep $2 --time 0.3"
        [ -z "$pdl" ] || echo "--sweep $2 --time 0.3 --pdl --variant streaming --variant autotuned"
        [ "$2" = square ] || return 0
        echo "--sweep $2 --time 0.3 --warm --variant shuffle --variant streaming --variant autotuned"
        for dtype in bf16 f32; do
            echo "--sweep $2 --time 0.3 --dtype $dtype --variant autotuned"
            [ -z "$pdl" ] || echo "--sweep $2 --time 0.3 --dtype $dtype --pdl --variant autotuned"
        done
        echo "--sweep $2 --time 0.3 --graph --variant streaming --variant autotuned"
        ;;
    *) echo "--sweep $2" ;;
    esac
}

steps=${BENCH_STEPS:-$(echo step0[1-7])}
files= # that these steps are recorded in
for step in $steps; do
    file=$(recorded_in "$step")
    case " $files " in *" $file "*) continue ;; esac
    files="$files $file"
    if [ "$file" = gemv.csv ]; then files="$files gemv_search.csv"; fi
done
if [ -n "${FORCE:-}" ]; then
    for file in $files; do
        if [ -e "$folder/$file" ]; then mv "$folder/$file" "$folder/$file.old"; fi
    done
fi
# An old file comes back when the new one holds no measurement yet; a file of a header alone, and a folder of nothing,
# do not stay.
finish() {
    status=$? fresh=
    for file in $files; do
        csv=$folder/$file
        has_rows "$csv" || rm -f "$csv"
        # The searches go with gemv.csv, which comes first: old ones do not stay beside new measurements.
        if [ "$file" = gemv_search.csv ] && [ -n "$fresh" ]; then rm -f "$csv.old"; fi
        fresh=
        if [ -e "$csv" ]; then
            fresh=1
            rm -f "$csv.old"
        elif [ -e "$csv.old" ]; then
            mv "$csv.old" "$csv"
        fi
    done
    rmdir "$folder" 2>/dev/null || true
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# record STEP OPTIONS: one run. --resume also after FORCE=1, where the file is new, so that a run that was cut off can go
# on without it.
record() {
    csv=$folder/$(recorded_in "$1")
    set -- "$1" "$2" --csv "$csv" --resume
    if [ "$csv" = "$folder/gemv.csv" ]; then
        has_rows "$search" || rm -f "$tuned" # tuned then, but not recorded: searched for again
        set -- "$@" --tune-file "$tuned" --tune-csv "$search"
    fi
    step=$1 options=$2
    shift 2
    echo "bench: $step $options" >&2
    status=0
    # shellcheck disable=SC2086 # several options
    "./$step/run" $options "$@" </dev/null || status=$?
    [ "$status" != 0 ] || return 0
    stays=
    if has_rows "$csv"; then stays="; what was measured stays in $csv"; fi
    echo "bench: $step $options failed (exit status $status)$stays" >&2
    exit "$status"
}

for step in $steps; do
    for sweep in ${SWEEPS:-square article odd}; do
        while read -r options; do record "$step" "$options"; done <<END
$(runs "$step" "$sweep")
END
    done
done
echo "bench: recorded in $folder; draw it with make plots, refresh the notes with make notes" >&2
