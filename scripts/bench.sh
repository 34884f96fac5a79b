#!/bin/sh
# help: measure every step and record it (BENCH_STEPS=, SWEEPS= narrow it, MINUTES= ends it early, FORCE=1 starts over)
# Measures every step on this GPU and records it in plots/data/GPU/: the GEMM steps in sgemm.csv, step 6 in
# tensorcore.csv, step 7 in gemv.csv and its autotuner's searches in gemv_search.csv, step 8 in knn.csv (its sweep is
# article: the paper's shapes and larger ones). What is already recorded there is not measured again. BENCH_STEPS="step01 step07" and SWEEPS="square article odd sustained" narrow it, of step 6 also
# DTYPES="f16 bf16 s8 tf32 tf32x3", LAYOUTS="tn nn" and SIZES="1024 2048 4096 8192 16384" (m = n = k; these are the
# defaults). MINUTES=8 starts no run after 8 minutes: run the same command again to continue. FORCE=1 starts the files of
# these steps over (do not repeat it to continue).
# Exit status: 0, 2 for a step, sweep, type or the like that does not exist, 3 without a GPU, or that of a failed run.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu bench
need_step bench BENCH_STEPS ${BENCH_STEPS:-}
# known VARIABLE WHAT VALUES VALUE...: each VALUE is one of VALUES (a list in one word), or the program ends.
known() {
    variable=$1 what=$2 values=$3
    shift 3
    for value; do
        case " $values " in
        *" $value "*) ;;
        *) echo "bench: there is no $what '$value' to record, e.g. $variable=\"$values\"" >&2; exit 2 ;;
        esac
    done
}
known SWEEPS sweep "square article odd sustained" ${SWEEPS:-}
known DTYPES type "f16 bf16 s8 tf32 tf32x3" ${DTYPES:-}
known LAYOUTS layout "tn nn" ${LAYOUTS:-}
for number in ${SIZES:-} ${MINUTES:-}; do
    case $number in
    *[!0-9]* | 0) echo "bench: '$number' is not a number, e.g. SIZES=\"1024 2048\" MINUTES=8" >&2; exit 2 ;;
    esac
done
build_steps ${BENCH_STEPS:-}

folder=plots/data/$(gpu_slug)
search=$folder/gemv_search.csv
tuned=build/bench/gemv.tune # not the user's: what is recorded was searched for here
mkdir -p "$folder"

# Programmatic dependent launch needs compute capability 9.0.
case $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1) in
[0-8].*) pdl= ;;
*) pdl=1 ;;
esac

# among WORD WORD...: is the first word one of the others?
among() {
    word=$1
    shift
    case " $* " in *" $word "*) ;; *) return 1 ;; esac
}

# What is measured of step 6. All variants at 4096^3, in f16 and, because of mma_s8_tile, in s8; then the best ones in
# all types, layouts and sizes, the small ones first. Shapes that are odd beside the next aligned ones. Sustained: ten
# seconds under continuous load, after all that should find the GPU cool.
tensor_runs() {
    dtypes=${DTYPES:-f16 bf16 s8 tf32 tf32x3} layouts=${LAYOUTS:-tn nn} sizes=${SIZES:-1024 2048 4096 8192 16384}
    case $1 in
    square)
        if among tn $layouts && among 4096 $sizes; then
            for dtype in f16 s8; do
                if among $dtype $dtypes; then echo "--dtype $dtype --layout tn --size 4096 --time 0.5"; fi
            done
        fi
        for size in $sizes; do
            for dtype in $dtypes; do
                for layout in $layouts; do
                    case $dtype:$layout in
                    s8:nn) continue ;; # no instruction takes that
                    tf32x3:*) best="--variant tf32x3" ;;
                    *) best="--variant multistage --variant persistent" ;;
                    esac
                    echo "--dtype $dtype --layout $layout --size $size --time 0.5 $best"
                done
            done
        done
        ;;
    odd)
        among f16 $dtypes || return 0
        for layout in $layouts; do
            for shape in "4095 --n 4097 --k 4100" "4096 --n 4104 --k 4104" "1000 --n 1000 --k 1000" \
                "1024 --n 1024 --k 1024" "8192 --n 8192 --k 72" "8192 --n 8192 --k 128"; do
                echo "--dtype f16 --layout $layout --m $shape --time 0.5 --variant multistage --variant persistent"
            done
        done
        ;;
    sustained)
        among tn $layouts || return 0
        for dtype in f16 bf16; do
            among $dtype $dtypes || continue
            for size in 4096 8192 16384; do
                if among $size $sizes; then
                    echo "--dtype $dtype --layout tn --size $size --time 0.5 --sustained 10 --variant persistent"
                fi
            done
        done
        ;;
    esac
}

# What is measured of step 8: the paper's shapes, and a million points by what does not take minutes for them.
search_runs() {
    for shape in "32768 --d 256 --k 25" "16384 --d 32 --k 46" "16384 --d 32 --k 512"; do
        echo "--m 1200 --n $shape --time 0.5"
    done
    large=$(for method in gemm_cublas+warpselect gemm_cublas+radix gemm_ladder+warpselect gemm_ladder+radix \
        direct+warpselect direct+radix fused exact_tc; do echo "--method $method"; done | tr '\n' ' ')
    echo "--m 1200 --n 1000000 --d 128 --k 100 --time 0.5 $large"
    echo "--m 10000 --n 1000000 --d 128 --k 25 --time 0.5 $large"
}

# runs STEP SWEEP: the options of every run that this takes, a line a run.
runs() {
    case $1:$2 in
    step06*) tensor_runs "$2" ;;
    step08*:article) search_runs ;;
    step08*) ;;
    *:sustained) ;;
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

steps=${BENCH_STEPS:-$(echo step0[1-8])}
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
# The old file is restored if the new one has no measurement yet; a file with only a header and an empty folder are
# removed.
finish() {
    status=$? fresh=
    for file in $files; do
        csv=$folder/$file
        has_rows "$csv" || rm -f "$csv"
        # The searches belong to gemv.csv, which comes first: old ones are not kept beside new measurements.
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

# record STEP OPTIONS: one run. --resume also with FORCE=1, when the file is new, so that an interrupted run can be
# continued without it.
record() {
    csv=$folder/$(recorded_in "$1")
    set -- "$1" "$2" --csv "$csv" --resume
    if [ "$csv" = "$folder/gemv.csv" ]; then
        has_rows "$search" || rm -f "$tuned" # tuned then, but not recorded: searched for again
        set -- "$@" --tune-file "$tuned" --tune-csv "$search"
    fi
    step=$1 options=$2
    shift 2
    echo "bench: $run of $total: $step $options" >&2
    status=0
    # shellcheck disable=SC2086 # several options
    "./$step/run" $options "$@" </dev/null || status=$?
    [ "$status" != 0 ] || return 0
    stays=
    if has_rows "$csv"; then stays="; what was measured stays in $csv"; fi
    echo "bench: $step $options failed (exit status $status)$stays" >&2
    exit "$status"
}

all=$(for step in $steps; do
    for sweep in ${SWEEPS:-square article odd sustained}; do runs "$step" "$sweep" | sed "s|^|$step |"; done
done)
total=$(echo "$all" | grep -c .) || true
run=0 start=$(date +%s) stopped=
while read -r step options; do
    [ -n "$step" ] || continue
    if [ -n "${MINUTES:-}" ] && [ $(($(date +%s) - start)) -ge $((60 * MINUTES)) ]; then
        stopped=1
        break
    fi
    run=$((run + 1))
    record "$step" "$options"
done <<END
$all
END
if [ -n "$stopped" ]; then
    echo "bench: $MINUTES minutes are over after $run of $total runs; run the same command${FORCE:+ without FORCE} to continue" >&2
else
    echo "bench: recorded in $folder; draw it with make plots, refresh the notes with make notes" >&2
fi
