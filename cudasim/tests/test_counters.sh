#!/bin/sh
# The simulator's counters: single accesses against what Nsight Compute recorded on an H200, and the ways to ask for
# them. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
unset CUDASIM_CEILINGS CUDASIM_DEVICE CUDASIM_ISA CUDASIM_COUNTERS CUDASIM_COUNTERS_CSV CUDASIM_EXPLAIN CUDASIM_LIB
unset LD_PRELOAD
work=$(mktemp -d "${TMPDIR:-/tmp}/counters.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "FAIL $1"
    sed 's/^/    /' "$work/out" "$work/err" 2>/dev/null
}
: >"$work/err"
if python3 -B tests/counted/compare.py >"$work/out" 2>&1; then good; else bad "tests/counted/compare.py"; fi

# expect NAME STATUS PATTERN COMMAND...: its output (or its one line of errors) has the pattern.
expect() {
    name=$1 want=$2 pattern=$3
    shift 3
    "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    if [ "$got" -eq "$want" ] && cat "$work/out" "$work/err" | grep -q -e "$pattern" &&
        { [ "$want" -eq 0 ] || [ "$(wc -l <"$work/err")" -eq 1 ]; }; then
        good
    else
        bad "$name: exit status $got"
    fi
}
cudasim=./cudasim program=build/tests/programs/reduction
expect 'a program' 0 'block barriers, of warps' $cudasim --counters $program
expect 'its lines' 0 'tests/programs/algorithms/reduction.cu' $cudasim --counters=lines $program
expect 'its file' 0 . $cudasim --counters-csv "$work/c.csv" $program
expect 'with rows' 0 ',BARRIERS,' cat "$work/c.csv"
# On a full disk the file that was there stays, and nothing is left beside it.
mkdir "$work/full" && echo before >"$work/full/c.csv"
expect 'a full disk' 2 "^cudasim: .*/c.csv cannot be written: File too large$" \
    sh -c "trap '' XFSZ; ulimit -f 1; $cudasim --counters-csv '$work/full/c.csv' $program"
expect 'what was there' 0 '^before$' cat "$work/full/c.csv"
expect 'no other file' 0 '^1$' sh -c "ls '$work/full' | grep -c ."
expect 'a full device' 2 '^cudasim: /dev/full cannot be written: No space left on device$' \
    $cudasim --counters-csv /dev/full $program
expect 'an explanation' 0 '^BARRIERS: ' $cudasim --explain barriers
expect 'no explanation' 2 "no metric is called 'x'" $cudasim --explain x
expect 'a metric mistyped' 2 "^cudasim: no metric is called 'barier': did you mean 'BARRIERS'? (--counters " \
    $cudasim --explain barier
expect "Nsight Compute's name mistyped" 2 "did you mean 'launch__registers_per_thread'? " \
    $cudasim --explain launch_registers_per_thread
expect 'nothing like a metric' 2 "^cudasim: no metric is called 'flops' (--counters shows their names)$" \
    $cudasim --explain flops
for typed in --conuters --counter --conuters=lines --trac --no-chek --explian --trace-block; do
    case $typed in
    --co*) meant=--counters ;;
    --trac) meant=--trace ;;
    --n*) meant=--no-check ;;
    --e*) meant=--explain ;;
    *) meant=--trace-blocks ;;
    esac
    expect "$typed" 2 "^cudasim: $typed: unknown option: did you mean $meant? (see --help)$" $cudasim $typed $program
done
expect 'an option that is none' 2 '^cudasim: --count: unknown option (see --help)$' $cudasim --count $program
expect 'no file named' 2 '^cudasim: --counters-csv: its argument is missing$' $cudasim --counters-csv
expect 'a form that is none' 2 "^cudasim: --counters: 'x' is unknown (known: table, lines)$" \
    $cudasim --counters=x $program
expect 'no program' 2 '^cudasim: which program?$' $cudasim --counters
CUDASIM_COUNTERS=yes expect 'the environment' 2 '^cudasim: CUDASIM_COUNTERS=yes is neither table nor lines$' \
    $cudasim $program

# The speed of light of the GPU that is modelled, or another one.
expect 'measured ceilings' 0 '^    ceilings measured on an NVIDIA H200, 1980 MHz$' $cudasim --counters $program
launch=$(sed -n 's/^launch_graph,\(.*\),us$/\1/p' devices/nvidia-h200.csv) # microseconds, with two decimals
expect 'no faster than an empty kernel' 0 "^    launch  *${launch}0  100 %\$" $cudasim --counters $program
expect 'in the file' 0 ",FLOOR_LAUNCH,\"launch\",,${launch}[0-9]*,us\$" cat "$work/c.csv"
expect 'explained' 0 '^FLOOR: no faster than$' $cudasim --explain floor
CUDASIM_CEILINGS=nvidia-h100 expect "another GPU's" 0 ' on an NVIDIA H100 80GB HBM3, ' $cudasim --counters $program
CUDASIM_DEVICE=sm_75 expect 'nobody measured' 0 'from the data sheet of an NVIDIA T4, 1590 MHz (nobody measured it: ' \
    $cudasim --counters $program
printf '# My GPU\nname,rate,unit\nclock,1000,MHz\nsms,1,SM\nlds_32,64,B/clk\n' >"$work/own.csv"
CUDASIM_CEILINGS=$work/own.csv expect 'a file of its own' 0 ' wavefronts, 0.5 a clock$' $cudasim --counters $program
echo 'l2_read,9,TB/s' >>"$work/own.csv"
CUDASIM_CEILINGS=$work/own.csv expect 'a faulty one' 2 \
    '^cudasim: CUDASIM_CEILINGS=.*/own.csv:6: no unit TB/s is known$' $cudasim $program
CUDASIM_CEILINGS=/nowhere/a.csv expect 'none' 2 \
    '^cudasim: CUDASIM_CEILINGS=/nowhere/a.csv cannot be read: No such file or directory$' $cudasim $program

# One host thread counts as many as four.
for threads in 1 4; do
    CUDASIM_THREADS=$threads expect "$threads threads" 0 . $cudasim --counters-csv "$work/$threads.csv" $program
done
if cmp -s "$work/1.csv" "$work/4.csv"; then good; else bad 'threads change the counts'; fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
