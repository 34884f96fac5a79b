#!/bin/sh
# Traces of the steps' kernels: their format and counts, a step's options, and the recorded pipelines.
# KL_TEST_ALL=1: the longest of those, too. Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
unset CUDASIM_DEVICE CUDASIM_ISA CUDASIM_THREADS CUDASIM_CHECK CUDASIM_COUNTERS CUDASIM_COUNTERS_CSV CUDASIM_EXPLAIN \
    CUDASIM_TRACE CUDASIM_TRACE_BLOCKS CUDASIM_LIB LD_PRELOAD
work=$(mktemp -d "${TMPDIR:-/tmp}/sim_trace.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "FAIL $1"
    head -n 20 "$work/out" "$work/err" 2>/dev/null | cut -c 1-300 | sed 's/^/    /'
}
# expect NAME STATUS PATTERN COMMAND...: its exit status, and a line of what it prints.
expect() {
    name=$1 wanted=$2 pattern=$3
    shift 3
    status=0
    "$@" >"$work/out" 2>"$work/err" || status=$?
    if [ "$status" = "$wanted" ] && { [ -z "$pattern" ] || cat "$work/out" "$work/err" | grep -q -e "$pattern"; }; then
        good
    else
        bad "$name: $status"
    fi
}
# right NAME WHAT FILE...: by the program that knows of this.
right() {
    name=$1
    shift
    case $1 in format | counts) checker=cudasim/tests/trace.py ;; *) checker=tests/sim_trace.py ;; esac
    expect "$name" 0 '' python3 -B $checker "$@"
}
json=$work/trace.json

# ---- what it holds: every block, and the counters of the same run ----
while read -r step variant options; do
    # shellcheck disable=SC2086 # words
    expect "$step $variant" 0 "^$variant " "$step/run" --variant "$variant" $options --no-baseline --trace "$json" \
        --trace-blocks 1000000 --counters-csv "$work/counters.csv"
    right "$step $variant: its format" format "$json"
    right "$step $variant: its counts" counts "$json" "$work/counters.csv"
done <<VARIANTS
step01_naive coalesced --m 70 --n 33 --k 9
step02_smem tile32 --size 96
step03_regblock tile4x4 --m 100 --n 70 --k 33
step06_tensorcore ldmatrix --size 128
step07_gemv shuffle --size 200
$(sed -n '2,$s/^[^,]*,\([^,]*\),\([^,]*\),.*/\1 \2 --m 256 --n 256 --k 512/p' docs/counted/pipelines.csv)
VARIANTS

# ---- a step's options ----
small='step01_naive/run --variant coalesced --no-baseline --size'
expect 'what is left out is said' 0 'leaves out 2 blocks (--trace-blocks or CUDASIM_TRACE_BLOCKS .*: 2); 1 launch like one' \
    $small 64 --trace "$json"
expect 'a path that cannot be written' 2 "^cudasim: .* cannot be written: No such file or directory$" \
    $small 32 --trace "$work/none/trace.json"
expect 'no blocks' 2 "^step01_naive: --trace-blocks: '0' is not above 0$" $small 32 --trace "$json" --trace-blocks 0

# ---- the recorded pipelines are today's, and are pipelines ----
cuda=$(sed -n 's/^CUDA_VERSION := //p' build/config.mk)
sed 1d docs/counted/pipelines.csv >"$work/runs"
while IFS=, read -r image step variant compiler options _; do
    right "$image fills and multiplies" pipeline "docs/counted/$image.csv"
    [ "$image" != pipeline_pingpong ] || [ -n "${KL_TEST_ALL:-}" ] || continue # 10 seconds of one core
    # shellcheck disable=SC2086 # words
    expect "$image" 0 "^$variant " "$step/run" --trace "$json" --trace-blocks 1 --variant "$variant" $options \
        --no-baseline --no-check
    expect "$image: its bars" 0 '' python3 -B scripts/timeline.py "$json" "$work/bars.csv"
    how=exactly
    [ "$compiler" = "$cuda" ] || how=roughly
    right "$image is current" current "$work/bars.csv" "docs/counted/$image.csv" $how
done <"$work/runs"
expect 'nothing to draw' 1 '^timeline: the kernel copies nothing asynchronously' \
    sh -c "$small 32 --trace '$json' >/dev/null 2>&1; python3 -B scripts/timeline.py '$json' '$work/bars.csv'"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
