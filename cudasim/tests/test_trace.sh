#!/bin/sh
# Traces: their format, their counts (with TEST_ALL=1 of more programs), their order, their limits; files that cannot be
# written. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
unset CUDASIM_DEVICE CUDASIM_ISA CUDASIM_THREADS CUDASIM_CHECK CUDASIM_COUNTERS CUDASIM_COUNTERS_CSV CUDASIM_EXPLAIN \
    CUDASIM_TRACE CUDASIM_TRACE_BLOCKS CUDASIM_LIB LD_PRELOAD
work=$(mktemp -d "${TMPDIR:-/tmp}/trace.XXXXXX") || exit 1
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
right() { expect "$1" 0 '' python3 -B tests/trace.py "$2" "$3" ${4:+"$4"}; }
json=$work/trace.json programs=build/tests/programs

# ---- what it holds: every block, and the counters of the same run, in programs that launch no kernel twice ----
for program in reduction histogram cluster_histogram bulk_copies wgmma_cluster_gemm \
    ${TEST_ALL:+tma_gemm transpose sgemm_tiled matvec_shuffle tensor_gemm wgmma_pipeline}; do
    expect "$program" 0 . ./cudasim --trace "$json" --trace-blocks 1000000 \
        --counters-csv "$work/counters.csv" $programs/$program
    right "$program: its format" format "$json"
    right "$program: its counts" counts "$json" "$work/counters.csv"
done
expect 'a product' 0 . ./cudasim --trace "$json" $programs/sgemm_tiled
right 'barriers' barrier "$json"
expect 'lines of the source' 0 '"source":"sgemm_tiled.cu:[0-9]*' cat "$json"
expect 'that it is no time' 0 '"time":"none: ' cat "$json"

# The order does not depend on which block a host thread runs when.
for threads in 1 4; do
    CUDASIM_THREADS=$threads expect "$threads threads" 0 . ./cudasim --trace "$work/$threads.json" --trace-blocks 8 \
        $programs/wgmma_pipeline
done
if cmp -s "$work/1.json" "$work/4.json"; then good; else bad 'threads change the trace'; fi

# ---- limits are said ----
expect 'blocks left out' 0 'leaves out [0-9]* blocks (--trace-blocks or CUDASIM_TRACE_BLOCKS .*: 2)' \
    ./cudasim --trace "$json" $programs/transpose
expect 'in the file, too' 0 '"left out":"[0-9]* blocks ' cat "$json"
expect 'a cluster is not torn apart' 0 'block (15,0,0)' sh -c "./cudasim --trace '$json' --trace-blocks 1 \
    $programs/cluster_histogram && cat '$json'"
expect 'too many slices' 0 'of 1 block what came after 200000 slices: try a smaller problem$' \
    ./cudasim --trace "$json" --trace-blocks 1 $programs/long_loop
right 'what there is of them' format "$json"
right 'and up to where all of its warps have come' cut "$json"

# ---- a kernel that is stopped leaves what came before ----
expect 'a deadlock' 1 'deadlock' ./cudasim --trace "$json" build/tests/faulty/barriers barrier_never_reached
right 'its trace' format "$json"

# ---- bad paths: one line, nothing written, and what was there stays ----
mkdir "$work/folder"
refused() { # refused NAME REASON COMMAND...
    name=$1 reason=$2
    shift 2
    expect "$name" 2 "^cudasim: .* cannot be written: $reason$" "$@"
    if [ "$(grep -c . "$work/err")" = 1 ]; then good; else bad "$name: one line"; fi
}
small=$programs/reduction
refused 'no such folder' 'No such file or directory' ./cudasim --trace "$work/none/trace.json" $small
refused 'a folder' 'Is a directory' ./cudasim --trace "$work/folder" $small
CUDASIM_TRACE=$work/none/t refused 'by the environment' 'No such file or directory' ./cudasim $small
refused 'a full disk' 'No space left on device' ./cudasim --trace /dev/full $small
echo before >"$work/folder/trace.json"
refused 'no room' 'File too large' sh -c "trap '' XFSZ; ulimit -f 8; ./cudasim --trace '$work/folder/trace.json' $small"
if [ "$(ls "$work/folder")" = trace.json ] && [ "$(cat "$work/folder/trace.json")" = before ]; then
    good
else
    bad 'what was there is gone, or something is left'
fi
# A link like /dev/stdout, whatever that is, is written to and stays what it is; one to a file, too.
ln -s /proc/self/fd/1 "$work/stdout"
ln -s folder/trace.json "$work/link"
expect 'standard output, a file' 0 '^"traceEvents"' ./cudasim --trace "$work/stdout" $small
expect 'standard output, a pipe' 0 '^"traceEvents"' sh -c "./cudasim --trace '$work/stdout' $small | cat"
expect 'a link' 0 . ./cudasim --trace "$work/link" $small
if [ -L "$work/stdout" ] && [ -L "$work/link" ] && grep -q '^"traceEvents"' "$work/folder/trace.json"; then
    good
else
    bad 'a link is no link any more, or its file is not written'
fi
expect 'blocks without a trace' 2 '^cudasim: --trace-blocks needs --trace$' ./cudasim --trace-blocks 3 true
expect 'no file named' 2 '^cudasim: --trace: its argument is missing$' ./cudasim --trace
for blocks in 0 -1 x 99999999999999999999; do
    CUDASIM_TRACE_BLOCKS=$blocks expect "$blocks blocks" 2 "^cudasim: CUDASIM_TRACE_BLOCKS=$blocks is not a number " \
        ./cudasim --trace "$json" $small
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
