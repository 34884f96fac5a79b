#!/bin/sh
# Traces: their format, their counts, their order, their limits; files that cannot be written; the recorded pipelines.
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
right() { expect "$1" 0 '' python3 -B tests/sim_trace.py "$2" "$3" ${4:+"$4"} ${5:+"$5"}; }
cudasim=cudasim/cudasim all=1000000 json=$work/trace.json

# ---- what it holds: every block, and the counters of the same run ----
while read -r step variant options; do
    # shellcheck disable=SC2086 # words
    expect "$step $variant" 0 "^$variant " "$step/run" --variant "$variant" $options --no-baseline --trace "$json" \
        --trace-blocks $all --counters-csv "$work/counters.csv"
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
step02_smem/run --variant tile32 --size 96 --no-baseline --trace "$json" >/dev/null 2>&1
right 'barriers' barrier "$json"
expect 'lines of the source' 0 '"source":"tile32.cu:[0-9]*' cat "$json"
expect 'that it is no time' 0 '"time":"none: ' cat "$json"
for program in reduction cluster_histogram bulk_copies tma_gemm wgmma_cluster_gemm; do
    expect "$program" 0 . $cudasim --trace "$json" --trace-blocks 4 build/cudasim/tests/programs/$program
    right "$program: its format" format "$json"
done

# The order does not depend on which block a host thread runs when.
for threads in 1 4; do
    CUDASIM_THREADS=$threads expect "$threads threads" 0 . step06_tensorcore/run --variant warp_specialised --m 512 \
        --n 512 --k 128 --no-baseline --trace "$work/$threads.json" --trace-blocks 8
done
if cmp -s "$work/1.json" "$work/4.json"; then good; else bad 'threads change the trace'; fi

# ---- limits are said ----
small='step01_naive/run --variant coalesced --no-baseline --size'
expect 'blocks left out' 0 'leaves out 2 blocks (--trace-blocks or CUDASIM_TRACE_BLOCKS .*: 2); 1 launch like one' \
    $small 64 --trace "$json"
expect 'in the file, too' 0 '"left out":"2 blocks ' cat "$json"
expect 'a cluster is not torn apart' 0 'block (15,0,0)' sh -c "$cudasim --trace '$json' --trace-blocks 1 \
    build/cudasim/tests/programs/cluster_histogram && cat '$json'"
expect 'too many slices' 0 'of 1 block what came after 200000 slices: try a smaller problem$' step02_smem/run \
    --m 32 --n 32 --k 12000 --variant tile32 --no-baseline --trace-blocks 1 --trace "$json"
right 'what there is of them' format "$json"
right 'and up to where all of its warps have come' cut "$json"

# ---- a kernel that is stopped leaves what came before ----
expect 'a deadlock' 1 'deadlock' $cudasim --trace "$json" build/cudasim/tests/faulty/waits barrier_never_reached
right 'its trace' format "$json"

# ---- bad paths: one line, nothing written, and what was there stays ----
mkdir "$work/folder"
refused() { # refused NAME REASON COMMAND...
    name=$1 reason=$2
    shift 2
    expect "$name" 2 "^cudasim: .* cannot be written: $reason$" "$@"
    if [ "$(grep -c . "$work/err")" = 1 ] || grep -q started "$work/err"; then good; else bad "$name: one line"; fi
}
refused 'no such folder' 'No such file or directory' $small 32 --trace "$work/none/trace.json"
refused 'a folder' 'Is a directory' $small 32 --trace "$work/folder"
CUDASIM_TRACE=$work/none/t refused 'by the environment' 'No such file or directory' $cudasim build/cudasim/tests/programs/reduction
refused 'a full disk' 'No space left on device' $small 32 --trace /dev/full
echo before >"$work/folder/trace.json"
refused 'no room' 'File too large' sh -c "trap '' XFSZ; ulimit -f 8; $small 64 --trace '$work/folder/trace.json'"
if [ "$(ls "$work/folder")" = trace.json ] && [ "$(cat "$work/folder/trace.json")" = before ]; then
    good
else
    bad 'what was there is gone, or something is left'
fi
# A link like /dev/stdout, whatever that is, is written to and stays what it is; one to a file, too.
ln -s /proc/self/fd/1 "$work/stdout"
ln -s folder/trace.json "$work/link"
expect 'standard output, a file' 0 '^"traceEvents"' $small 32 --trace "$work/stdout"
expect 'standard output, a pipe' 0 '^"traceEvents"' sh -c "$small 32 --trace '$work/stdout' | cat"
expect 'a link' 0 . $small 32 --trace "$work/link"
if [ -L "$work/stdout" ] && [ -L "$work/link" ] && grep -q '^"traceEvents"' "$work/folder/trace.json"; then
    good
else
    bad 'a link is no link any more, or its file is not written'
fi
expect 'blocks without a trace' 2 '^step01_naive: --trace-blocks: needs --trace$' $small 32 --trace-blocks 3
expect 'no blocks' 2 "^step01_naive: --trace-blocks: '0' is not above 0$" $small 32 --trace "$json" --trace-blocks 0
expect 'cudasim without a trace' 2 '^cudasim: --trace-blocks needs --trace$' $cudasim --trace-blocks 3 true
expect 'cudasim without a name' 2 '^cudasim: --trace: its argument is missing$' $cudasim --trace
for blocks in 0 -1 x 99999999999999999999; do
    CUDASIM_TRACE_BLOCKS=$blocks expect "$blocks blocks" 2 "^cudasim: CUDASIM_TRACE_BLOCKS=$blocks is not a number " \
        $cudasim --trace "$json" build/cudasim/tests/programs/reduction
done

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
