#!/bin/sh
# help: record what the simulator's counters and checks are held against (PARTS="patterns shapes faults" narrows it)
# Records, with Nsight Compute and compute-sanitizer on this GPU, in plots/data/GPU:
#   patterns  patterns_{shared,copies,global,lines}.csv: counters of single accesses (cudasim/tests/counted/*.cu; PATTERNS="copies"
#             narrows it)
#   shapes    shapes.csv: counters of steps and programs at the small shapes of tests/counted/shapes.txt
#   faults    faults.csv: does compute-sanitizer find the faults of cudasim/tests/faulty?
# What the tools printed stays in build/golden. Sets no clocks. Exit status: 0, 1 where something is missing from what was
# recorded, 2 without a tool, 3 without a GPU.
set -eu
cd "$(dirname "$0")/.."
. scripts/gpu.sh
parts=${PARTS:-patterns shapes faults}
for part in $parts; do
    case $part in patterns | shapes | faults) ;; *) echo "golden: there is no part '$part'" >&2; exit 2 ;; esac
done
need_gpu golden
need_python golden
need_tool golden ncu nsight-compute
need_tool golden compute-sanitizer cuda-sanitizer-13-0

folder=plots/data/$(gpu_slug) work=build/golden
sets=tests/counted/metrics.txt shapes=tests/counted/shapes.txt
at_once=5 status=0 dynamic=launch__shared_mem_per_block_dynamic opcodes=sass__inst_executed_per_opcode
patterns=${PATTERNS:-shared copies global lines}
mkdir -p "$work" "$folder"

runs() { sed 's/#.*//; /^ *$/d' $shapes; }
targets=
case $parts in *patterns* | *shapes*) targets=$(for p in shared $patterns; do echo "build/cudasim/tests/counted/$p"; done) ;; esac
case $parts in *shapes*)
    targets="$targets $(runs | awk '{ print $1 ~ /^step/ ? $1 : "build/cudasim/tests/programs/" $1 }' | sort -u | tr '\n' ' ')" ;;
esac
case $parts in *faults*)
    for source in cudasim/tests/faulty/*.cu; do targets="$targets build/${source%.cu}"; done ;;
esac
# shellcheck disable=SC2086 # several targets
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" $targets >&2
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
    timeout 200 ncu --clock-control none --cache-control none --csv --page raw --print-units base --kernel-name-base demangled \
        $filter --metrics "$metrics" --log-file "$work/$name.log" "$@" >"$work/$name.out" 2>&1 ||
        echo "golden: $name: ncu failed: $(grep -h '==ERROR==' "$work/$name.log" "$work/$name.out" 2>/dev/null | head -n 1)" >&2
}
# count_shape NAME METRICS FILTER COMMAND...: as count, and to NAME.opcodes how often each machine instruction was executed;
# without these where ncu cannot.
count_shape() {
    shape=$1 counts=$2 only=$3
    shift 3
    count "$shape" "$counts,$opcodes" "$only --force-overwrite --export $work/$shape" "$@"
    if grep -q '^"0",' "$work/$shape.log"; then
        ncu --import "$work/$shape.ncu-rep" --csv --page raw --print-metric-instances details >"$work/$shape.opcodes" 2>&1 || true
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

case $parts in *patterns* | *shapes*)
    if [ ! -s "$work/known" ]; then
        ncu --query-metrics >"$work/query" 2>&1 || true
        sed -n 's/^\([a-z0-9]*__[a-z0-9_]*\) .*/\1/p' "$work/query" | sort -u >"$work/known"
        count probe "$(metrics_of shared)$dynamic" '' build/cudasim/tests/counted/shared 0 1
        grep -q '^"0",' "$work/probe.log" ||
            { echo "golden: ncu reads no counters here" >&2; rm "$work/known"; exit 1; }
    fi ;;
esac

case $parts in *patterns*)
    case $patterns in *lines*) build/cudasim/tests/counted/lines >"$work/lines.clocks" ;; esac # alone on the GPU
    for program in $patterns; do
        build/cudasim/tests/counted/"$program" --list >"$work/$program.list"
        metrics=$(metrics_of "$program")
        all=$(wc -l <"$work/$program.list") from=0
        while [ "$from" -lt "$all" ]; do
            later count "$program.$(printf %03d "$from")" "$metrics$dynamic" '' \
                "build/cudasim/tests/counted/$program" "$from" $((from + 60))
            from=$((from + 60))
        done
        wait
        report patterns "$program" "$work" >"$work/$program.csv" || status=1
        [ "$(wc -l <"$work/$program.csv")" -le 1 ] || mv "$work/$program.csv" "$folder/patterns_$program.csv"
    done ;;
esac

case $parts in *shapes*)
    metrics=$(metrics_of shapes) number=0
    set_of opcodes
    runs >"$work/runs"
    while read -r program options; do
        number=$((number + 1))
        filter='' command=build/cudasim/tests/programs/$program
        case $program in step*)
            filter='--kernel-id ::regex:(sgemm|hgemm|gemm|gemv|knn)_:1' command="$program/run --time 0.001"
            [ "$program" = step08 ] || command="$command --no-baseline --warm" ;;
        esac
        # shellcheck disable=SC2086 # several words
        later count_shape "run.$(printf %03d $number)" "${metrics%,}" "$filter" $command $options
    done <"$work/runs"
    wait
    report shapes "$work" >"$work/shapes.csv" || status=1
    [ "$(wc -l <"$work/shapes.csv")" -le 1 ] || mv "$work/shapes.csv" "$folder/shapes.csv" ;;
esac

# ---- compute-sanitizer ----
# judge TOOL PROGRAM NAME
judge() {
    options=
    if [ "$1" = memcheck ]; then options='--leak-check full'; fi
    name=$3
    [ "$name" != - ] || name=
    timeout -k 2 10 compute-sanitizer --tool "$1" $options --error-exitcode 9 --print-limit 3 \
        "build/cudasim/tests/faulty/$2" ${name:+"$name"} >"$work/fault.$2.$3.$1.log" 2>&1 || echo "exit status $?" >>"$work/fault.$2.$3.$1.log"
}
case $parts in *faults*)
    at_once=8
    report faults --jobs >"$work/jobs"
    while read -r tool program name; do later judge "$tool" "$program" "$name"; done <"$work/jobs"
    wait
    report faults "$work" >"$work/faults.csv" || status=1
    [ "$(wc -l <"$work/faults.csv")" -le 1 ] || mv "$work/faults.csv" "$folder/faults.csv" ;;
esac
exit $status
