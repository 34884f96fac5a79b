#!/bin/sh
# help: draw a pipeline in predicted time: STEP=step06 VARIANT=wgmma [SIZE=512]; without: the three of docs/img
# With STEP and VARIANT: build/timeline/STEP_VARIANT.svg, and the trace beside it. Where there is no nvdisasm, or the
# model of time does not reach the kernel, it is drawn in the simulator's order. Without: the runs that
# docs/counted/pipelines.csv lists are recorded anew there, and drawn.
set -eu
cd "$(dirname "$0")/../.."
fail() { echo "timeline: $1" >&2; exit 2; }
. scripts/gpu.sh
need_python timeline
case ${STEP:+step}${VARIANT:+variant} in
step | variant) fail "STEP=${STEP:-} VARIANT=${VARIANT:-}: both or none, e.g. STEP=step06 VARIANT=wgmma" ;;
esac
case ${SIZE:=512} in *[!0-9]*) fail "SIZE=$SIZE is not a number" ;; esac
runs=docs/counted/pipelines.csv
begin timeline

# record STEP VARIANT OPTIONS: $work/json, and its bars in $work/csv. One block is all that is drawn.
record() {
    # shellcheck disable=SC2086 # several options
    "$1/run" --trace "$work/json" --trace-blocks 1 --variant "$2" $3 --no-baseline --no-check >"$work/out" 2>&1 ||
        { status=$?; cat "$work/out" >&2; exit "$status"; }
    python3 -B scripts/simulator/timeline.py "$work/json" "$work/csv"
}

if [ -n "${STEP:-}" ]; then
    need_step timeline STEP "$STEP"
    build_steps "$STEP" sim
    step=${STEP%%_*} # which build_steps uses, too
    timed=timed
    "$step/run" --predict --trace "$work/json" --variant "$VARIANT" --size "$SIZE" >"$work/out" 2>&1 || timed=
    if [ -n "$timed" ] && [ -s "$work/json" ]; then
        python3 -B scripts/simulator/timeline.py "$work/json" "$work/csv"
    else
        timed=
        record "$step" "$VARIANT" "--size $SIZE"
    fi
    PYTHONPATH=.:docs/draw python3 -B docs/draw/pipelines.py "$work/csv" "$VARIANT" $timed >"$work/svg"
    mkdir -p build/timeline
    mv "$work/json" "build/timeline/${step}_$VARIANT.json"
    mv "$work/svg" "build/timeline/${step}_$VARIANT.svg"
    echo "build/timeline/${step}_$VARIANT.svg"
    exit
fi
# shellcheck disable=SC2046 # a step each
build_steps $(sed 1d "$runs" | cut -d , -f 2 | sort -u) sim
cuda=$(sed -n 's/^CUDA_VERSION := //p' build/config.mk)
sed "2,\$s/^\(\([^,]*,\)\{3\}\)[^,]*/\1$cuda/" "$runs" >"$work/runs" # whose compiler made the instructions
sed 1d "$work/runs" | while IFS=, read -r image step variant _ options _; do
    record "$step" "$variant" "$options"
    mv "$work/csv" "docs/counted/$image.csv"
    echo "docs/counted/$image.csv"
done
mv "$work/runs" "$runs"
report drawings
