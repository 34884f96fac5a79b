#!/bin/sh
# help: record what the simulator's counters are held against, of steps and programs; its own: make -C cudasim golden
# shapes.csv: counters of steps and of the simulator's test programs at the shapes of tests/counted/shapes.txt. What ncu
# printed stays in build/golden. Exit status 1 where something is missing from what was recorded.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
need_gpu golden
need_python golden
need_tool golden ncu nsight-compute

folder=plots/data/$(gpu_slug) work=build/golden
sets=tests/counted/metrics.txt shapes=tests/counted/shapes.txt
at_once=5 status=0 opcodes=sass__inst_executed_per_opcode
mkdir -p "$work" "$folder"

runs() { sed 's/#.*//; /^ *$/d' $shapes; }
steps=$(runs | awk '/^step/ { print $1 }' | sort -u)
programs=$(runs | awk '!/^step/ { print "build/tests/programs/" $1 }')
# shellcheck disable=SC2086 # several targets
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" $steps >&2
# shellcheck disable=SC2086
MAKEFLAGS='' make --no-print-directory -C cudasim $programs >&2
name_origin

# ---- Nsight Compute ----
# metrics_of SET: all of this ncu's that the set's expressions match.
set_of() { sed -n "s/^$1 //p" $sets >"$work/$1.set"; }
metrics_of() {
    set_of "$1"
    grep -xE -f "$work/$1.set" "$work/known" | sed 's/$/.sum/' | tr '\n' ','
}
# count NAME METRICS FILTER COMMAND...: ncu's rows to $work/NAME.log.
count() {
    name=$1 metrics=$2 filter=$3
    shift 3
    # shellcheck disable=SC2086 # several words
    timeout 200 ncu --clock-control none --cache-control none --csv --page raw --print-units base \
        --kernel-name-base demangled \
        $filter --metrics "$metrics" --log-file "$work/$name.log" "$@" >"$work/$name.out" 2>&1 ||
        echo "golden: $name: ncu failed:" \
            "$(grep -h '==ERROR==' "$work/$name.log" "$work/$name.out" 2>/dev/null | head -n 1)" >&2
}
# count_shape NAME METRICS FILTER COMMAND...: as count, and to NAME.opcodes how often each machine instruction was
# executed; without these where ncu cannot.
count_shape() {
    shape=$1 counts=$2 only=$3
    shift 3
    count "$shape" "$counts,$opcodes" "$only --force-overwrite --export $work/$shape" "$@"
    if grep -q '^"0",' "$work/$shape.log"; then
        ncu --import "$work/$shape.ncu-rep" --csv --page raw --print-metric-instances details \
            >"$work/$shape.opcodes" 2>&1 || true
    else
        count "$shape" "$counts" "$only" "$@"
    fi
}
running=0
later() {
    "$@" &
    running=$((running + 1))
    [ $running -lt $at_once ] || { wait; running=0; }
}

if [ ! -s "$work/known" ]; then
    ncu --query-metrics >"$work/query" 2>&1 || true
    sed -n 's/^\([a-z0-9]*__[a-z0-9_]*\) .*/\1/p' "$work/query" | sort -u >"$work/known"
fi
metrics=$(metrics_of shapes) number=0
set_of opcodes
runs >"$work/runs"
while read -r program options; do
    number=$((number + 1))
    filter='' command=cudasim/build/tests/programs/$program
    case $program in step*)
        filter='--kernel-id ::regex:(sgemm|hgemm|gemm|gemv|knn|conv|winograd)_:1' command="$program/run --time 0.001"
        [ "$program" = step08 ] || command="$command --no-baseline --warm" ;;
    esac
    # shellcheck disable=SC2086 # several words
    later count_shape "run.$(printf %03d $number)" "${metrics%,}" "$filter" $command $options
done <"$work/runs"
wait
report shapes "$work" >"$work/shapes.csv" || status=1
[ "$(wc -l <"$work/shapes.csv")" -le 1 ] || mv "$work/shapes.csv" "$folder/shapes.csv"
exit $status
