#!/bin/sh
# help: measure every step and record it (BENCH_STEPS=, SWEEPS=, MINUTES=, SECONDS_EACH=, FORCE=1: docs/options.md)
# Records in plots/data/GPU/: the GEMM steps in sgemm.csv, step 6 in tensorcore.csv, step 7 in gemv.csv and its
# autotuner's searches in gemv_search.csv, step 8 in knn.csv (its sweep is article: the paper's shapes and larger ones),
# step 9 in conv.csv (its sweeps are networks and square).
# Only where SWEEPS names them, in random.csv: `random`, shapes drawn at random, and `final`, others of the same sets;
# and in conv_again.csv `again`, step 9's networks a second time.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu bench
need_python bench
need_step bench BENCH_STEPS ${BENCH_STEPS:-}
sweeps="square networks article chain odd sustained" # in this order
every="$sweeps random final again"
for sweep in ${SWEEPS:-}; do
    case " $every " in
    *" $sweep "*) ;;
    *) echo "bench: there is no sweep '$sweep' to record, e.g. SWEEPS=\"$every\"" >&2; exit 2 ;;
    esac
done
case ${MINUTES:-1} in
0* | *[!0-9]*) echo "bench: MINUTES is '$MINUTES', not a whole number from 1 on, e.g. MINUTES=8" >&2; exit 2 ;;
esac
case ${SECONDS_EACH:-1} in
*[!0-9.]* | *.*.*) false ;;
*[1-9]*) ;;
*) false ;;
esac || { echo "bench: SECONDS_EACH is '$SECONDS_EACH', not a number above 0, e.g. SECONDS_EACH=0.1" >&2; exit 2; }
build_steps ${BENCH_STEPS:-}

folder=plots/data/$(gpu_slug)
search=$folder/gemv_search.csv
tuned=build/bench/gemv.tune # not the user's: what is recorded was searched for here
mkdir -p "$folder" build/bench

# Programmatic dependent launch needs compute capability 9.0, and what is recorded of step 6 needs 8.0.
pdl=1 mma=1
case $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1) in
[0-7].*) pdl='' mma='' ;;
8.*) pdl='' ;;
esac

# tensor_runs SWEEP, search_runs, gemm_runs SWEEP, gemv_runs SWEEP: a line a run, its size (the runs of a sweep are
# sorted by that) and its options. Each run takes a minute or two at most, so that MINUTES can be kept to.

# Step 6: all variants at 4096^3, in f16 and, because of mma_s8_tile, in s8, and mn_major in its layout; then the best
# ones in all types, layouts and sizes, and at 8192^3 the rungs whose lessons say so. Shapes that are odd beside the
# next aligned ones. Sustained: ten seconds under continuous load, after all that should find the GPU cool.
tensor_runs() {
    best="--variant best"
    case $1 in
    square)
        for dtype in f16 s8; do echo "0 --dtype $dtype --layout tn --size 4096"; done
        echo "0 --dtype f16 --layout nn --size 4096 --variant mn_major"
        echo "8192 --dtype f16 --layout tn --size 8192 --variant pointers --variant rasterized --variant wgmma" \
            "--variant warp_specialised --variant persistent_grid --variant ping_pong --variant cluster" \
            "--variant cooperative --variant tma_store"
        for size in 1024 2048 4096 8192 16384; do
            for type in "f16 --layout tn" "f16 --layout nn" "bf16 --layout tn" "bf16 --layout nn" "s8 --layout tn" \
                "tf32 --layout tn" "tf32 --layout nn"; do # no instruction takes s8 in nn
                echo "$size --dtype $type --size $size $best"
            done
            for layout in tn nn; do
                echo "$size --dtype tf32x3 --layout $layout --size $size --variant best --variant three_products"
            done
        done
        ;;
    odd)
        for layout in tn nn; do
            for shape in "4095 --n 4097 --k 4100" "4096 --n 4104 --k 4104" "1000 --n 1000 --k 1000" \
                "1024 --n 1024 --k 1024" "8192 --n 8192 --k 72" "8192 --n 8192 --k 128"; do
                echo "0 --dtype f16 --layout $layout --m $shape $best"
            done
        done
        echo "0 --dtype f16 --layout tn --m 4096 --n 4104 --k 4104 --variant ping_pong --variant cluster"
        ;;
    chain) tensor_squares "2048 4096 8192 16384" --chain ;;
    sustained) tensor_squares "4096 8192 16384" "--sustained 10" ;;
    esac
}
# tensor_squares SIZES OPTIONS: best in f16 and bf16, tn.
tensor_squares() {
    for size in $1; do
        for dtype in f16 bf16; do
            echo "$size --dtype $dtype --layout tn --size $size $2 --variant best"
        done
    done
}

# Step 8: the paper's shapes, and a million points by what does not take minutes for them.
search_runs() {
    for shape in "32768 --d 256 --k 25" "16384 --d 32 --k 46" "16384 --d 32 --k 512"; do
        echo "0 --m 1200 --n $shape"
    done
    large=$(for method in gemm_cublas+warpselect gemm_cublas+radix gemm_ladder+warpselect gemm_ladder+radix \
        gemm_maps+radix direct+warpselect direct+radix one_kernel screen+radix fused exact_tc best; do
        echo "--method $method"
    done | tr '\n' ' ')
    echo "16384 --m 1200 --n 1000000 --d 128 --k 100 $large"
    echo "16384 --m 10000 --n 1000000 --d 128 --k 25 $large"
}

# up_to OPTIONS SIZE...: a sweep in several runs. Each skips what those before it have recorded.
up_to() {
    options=$1
    shift
    for size; do echo "$size $options --max-size $size"; done
}

gemm_runs() {
    case $1 in
    square) up_to "--sweep square" 1024 4096 8192 16384 ;;
    article) up_to "--sweep article" 4096 16384 ;;
    odd) echo "0 --sweep odd" ;;
    esac
}

gemv_runs() {
    case $1 in
    square)
        gemv_squares ""
        [ -z "$pdl" ] || gemv_squares "--pdl --variant streaming --variant best"
        gemv_squares "--warm --variant shuffle --variant streaming --variant best"
        for dtype in bf16 f32; do
            gemv_squares "--dtype $dtype --variant best"
            [ -z "$pdl" ] || gemv_squares "--dtype $dtype --pdl --variant best"
        done
        gemv_squares "--graph --variant streaming --variant best"
        ;;
    article) echo "0 --sweep article" ;;
    odd)
        echo "0 --sweep odd"
        [ -z "$pdl" ] || echo "0 --sweep odd --pdl --variant streaming --variant best"
        ;;
    esac
}
gemv_squares() { up_to "--sweep square${1:+ $1}" 1024 4096 16384; }

# Step 9: every rung in the types and layouts that it takes, best alone in bf16 and `again`; a run of a part of the
# layers, by their longest side.
conv_runs() {
    sweep=$1 best=
    if [ "$1" = again ]; then sweep=networks best="--variant best"; fi
    for kind in "f32 --layout nchw" "f32 --layout nhwc" "f16 --layout nhwc"; do
        up_to "--dtype $kind --sweep $sweep $best" 128 256 2048
    done
    [ "$1" = square ] || up_to "--dtype bf16 --layout nhwc --sweep $sweep --variant best" 128 256 2048
    [ "$1" != networks ] || up_to "--sweep $1 --baseline transformed --variant best" 128 256 2048
}

# random_runs STEP SWEEP: best on a part of a set in each run (plots/random_sets.csv). `random` has the seeds from 1001
# on, by which kernels and their plans are tuned. `final` has those from 3001 on, for the end: whatever is tuned after
# somebody has looked at them needs new ones. Beside `random` stand the products of a few tokens.
random_runs() {
    step=${1%%_*}
    sed 1d plots/random_sets.csv | while IFS=, read -r of dtype layout spread max multiple count seed final _; do
        [ "$of" = "$step" ] || continue
        [ "$2" = random ] || seed=$final
        echo "0 --dtype $dtype --layout $layout --sweep random --spread $spread --max $max --multiple $multiple" \
            "--count $count --seed $seed --variant best"
    done
    [ "$step:$2" = step06:random ] || return 0
    awk -F, '$1 == "16-bit few rows" { print "0 --dtype", $4, "--layout", $5, "--m", $6, "--n", $7, "--k", $8,
        "--variant best" }' plots/random_shapes.csv
}

# runs STEP SWEEP
runs() {
    case $1:$2 in
    step06*:random | step06*:final) [ -z "$mma" ] || random_runs "$@" ;;
    *:random | *:final) random_runs "$@" ;;
    step06*) [ -z "$mma" ] || tensor_runs "$2" ;;
    step07*) gemv_runs "$2" ;;
    step08*:article) search_runs ;;
    step09*:square | step09*:networks | step09*:again) conv_runs "$2" ;;
    step0[89]*) ;;
    *:networks | *:again) ;;
    step0*) gemm_runs "$2" ;;
    *) echo "bench: no runs of $1 are listed in scripts/bench.sh" >&2 ;;
    esac
}

# file_of STEP SWEEP
file_of() {
    case $2 in random | final) echo random.csv ;; again) echo conv_again.csv ;; *) recorded_in "$1" ;; esac
}

steps=${BENCH_STEPS:-$(echo step0[1-9])}
files= # that these sweeps of these steps are recorded in
for step in $steps; do
    for sweep in ${SWEEPS:-$sweeps}; do
        file=$(file_of "$step" "$sweep")
        case " $files " in *" $file "*) continue ;; esac
        files="$files $file"
        if [ "$file" = gemv.csv ]; then files="$files gemv_search.csv"; fi
    done
done
if [ -n "${FORCE:-}" ]; then
    for file in $files; do
        if [ -e "$folder/$file" ]; then mv "$folder/$file" "$folder/$file.old"; fi
    done
fi
header=$(report header sgemm)
for file in $files; do # a run would refuse it, too, but not before its turn comes
    [ "$file" != gemv_search.csv ] && has_rows "$folder/$file" || continue
    if [ "$(head -n 1 "$folder/$file")" = "$header" ]; then continue; fi
    also=
    if [ "$file" = knn.csv ]; then also=", and make knn-paper and make knn-torch once more"; fi
    echo "bench: $folder/$file has other columns than this version records; FORCE=1 records it anew$also" >&2
    exit 2
done

# What was searched for and not recorded, because the run was cut off, is forgotten and searched for again. Of several
# searches for one problem (the tune file was lost, or is another program's) the first stays: it chose what is recorded.
tidy_search() {
    case $files in *gemv_search.csv*) ;; *) return 0 ;; esac
    if has_rows "$search"; then
        touch "$folder/gemv.csv"
        report tidy-search "$folder/gemv.csv" "$search" >"$search.new" || rm -f "$tuned"
        mv "$search.new" "$search"
    fi
    has_rows "$search" || rm -f "$tuned"
}

# The old file is restored if the new one has no measurement yet; a file with only a header and an empty folder are
# removed.
finish() {
    status=$? fresh=
    tidy_search
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
tidy_search

# record STEP FILE OPTIONS: one run. --resume also with FORCE=1, when the file is new, so that an interrupted run can be
# continued without it.
record() {
    step=$1 csv=$folder/$2 options=$3
    set -- --time "${SECONDS_EACH:-0.3}" --csv "$csv" --resume
    case $csv in */gemv.csv) set -- "$@" --tune-file "$tuned" --tune-csv "$search" ;; esac
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

all=$(for sweep in $every; do
    case " ${SWEEPS:-$sweeps} " in *" $sweep "*) ;; *) continue ;; esac
    for step in $steps; do
        runs "$step" "$sweep" | sed "s|^[0-9]*|& $step $(file_of "$step" "$sweep")|"
    done | sort -s -n -k 1,1
done)
total=$(echo "$all" | grep -c .) || true
run=0 start=$(date +%s) longest=0 stopped=
while read -r _ step file options; do
    [ -n "$step" ] || continue
    begun=$(date +%s)
    if [ -n "${MINUTES:-}" ] && [ $((begun - start + longest)) -gt $((60 * MINUTES)) ]; then
        stopped=1
        break
    fi
    run=$((run + 1))
    record "$step" "$file" "$options"
    took=$(($(date +%s) - begun))
    if [ "$took" -gt "$longest" ]; then longest=$took; fi
done <<END
$all
END
rows=$(for file in $files; do
    if [ "$file" != gemv_search.csv ]; then sed 1d "$folder/$file" 2>/dev/null; fi
done | wc -l)
state="$run of $total runs are done, $rows rows are in $folder"
if [ -n "$stopped" ]; then
    same="the same command${FORCE:+ without FORCE}"
    echo "bench: the next run might not end within $MINUTES minutes: $state; run $same to continue" >&2
else
    echo "bench: $state; draw it with make plots, refresh the notes with make notes" >&2
fi
