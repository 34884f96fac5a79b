#!/bin/sh
# help: count in the simulator what a step's variants do, side by side: STEP=step03 [VARIANT=] [SIZE=256]
# Runs each variant once at m = n = k = SIZE (step 8: n points, step 9: c channels) and prints a column for each of its
# kernels; what is zero for all is left out. What ptxas makes of a kernel, `make ptx STEP=` writes.
set -eu
cd "$(dirname "$0")/../.."
fail() { echo "sim-counters: $1" >&2; exit 2; }
[ -n "${STEP:-}" ] || fail "STEP is not set, e.g. make sim-counters STEP=step03"
case ${SIZE:=256} in '' | *[!0-9]*) fail "SIZE=$SIZE is not a number" ;; esac
. scripts/gpu.sh
need_python sim-counters
need_step sim-counters STEP "$STEP"
build_steps "$STEP" sim
step=${STEP%%_*} # which build_steps uses, too
begin sim-counters
size=--size
case $step in step08) size=--n ;; step09) size=--c ;; esac
status=0
# shellcheck disable=SC2046 # several options: a type and a layout, where a rung's are not the step's default
"$step/run" --sim --counters-csv "$work/csv" "$size" "$SIZE" ${VARIANT:+--variant "$VARIANT"} \
    $(report type "$step" "${VARIANT:-}") >"$work/out" 2>&1 || status=$?
if [ "$status" != 0 ] || [ ! -s "$work/csv" ]; then
    cat "$work/out" >&2
    exit "$status"
fi
python3 -B scripts/simulator/sim_counters.py "$work/csv"
