#!/bin/sh
# Predicted times, end to end: how they are asked for, what is said where they cannot be had, and that a program's own
# results and counts stay. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
unset CUDASIM_DEVICE CUDASIM_ISA CUDASIM_COUNTERS CUDASIM_COUNTERS_CSV CUDASIM_PREDICT CUDASIM_LIB LD_PRELOAD
work=$(mktemp -d "${TMPDIR:-/tmp}/predict.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0
# expect NAME STATUS PATTERN COMMAND...: its output or its errors have the pattern.
expect() {
    name=$1 want=$2 pattern=$3
    shift 3
    "$@" >"$work/out" 2>&1 </dev/null
    got=$?
    if [ "$got" -eq "$want" ] && grep -q -e "$pattern" "$work/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name: exit status $got"
        sed 's/^/    /' "$work/out"
    fi
}
cudasim=./cudasim program=build/tests/programs/reduction
expect 'an unknown form' 2 "^cudasim: --predict: 'x' is unknown" $cudasim --predict=x true
expect 'a variable' 2 '^cudasim: CUDASIM_PREDICT=x is neither only nor run nor request$' \
    env CUDASIM_PREDICT=x $cudasim $program
expect 'no nvdisasm' 0 '-  (nvdisasm is missing' env CUDASIM_NVDISASM=/nowhere $cudasim --predict=run $program
mkdir "$work/it's here"
mkdir "$work/tmp"
printf '#!/bin/sh\nreadlink "$5" >"${0%%/*}/asked"\n' >"$work/it's here/nvdisasm"
chmod +x "$work/it's here/nvdisasm"
TMPDIR=$work/tmp CUDASIM_NVDISASM="$work/it's here/nvdisasm" $cudasim --predict=run $program >/dev/null 2>&1
expect 'a quote in its path, and what it reads lay where TMPDIR says' 0 "^$work/tmp/cudasim-.* (deleted)" \
    cat "$work/it's here/asked"
expect 'no machine code' 0 '-  (the program has no machine code' $cudasim --predict=run build/tests/programs/multi_arch
# What a program prints and what it counts stay the same when its times are predicted, too.
$cudasim --counters-csv "$work/plain.csv" $program >"$work/plain" 2>&1
CUDASIM_COUNTERS_CSV=$work/too.csv $cudasim --predict=run $program 2>&1 | sed '/^Predicted/,$d' >"$work/too"
expect 'its output' 0 identical diff -s "$work/plain" "$work/too"
expect 'its counts' 0 identical diff -s "$work/plain.csv" "$work/too.csv"
if command -v "${CUDASIM_NVDISASM:-nvdisasm}" >/dev/null 2>&1; then
    expect 'a time' 0 'blocks of .* threads: about [0-9.]* us' $cudasim --predict=run $program
    expect 'a parameter that lies apart from others' 0 '^  chase.*: about [0-9][0-9]\.[0-9]* us$' \
        $cudasim --predict=run $program
    $cudasim --predict $program >"$work/first"
    $cudasim --predict $program >"$work/second"
    expect 'the same time in every run' 0 identical diff -s "$work/first" "$work/second"
    expect 'another GPU' 0 '^Predicted, on an NVIDIA A100, not validated (' \
        env CUDASIM_DEVICE=sm_80 $cudasim --predict=run $program
    expect 'and its times' 0 '^  chase.*: about [0-9][0-9]\.[0-9]* us$' \
        env CUDASIM_DEVICE=sm_80 $cudasim --predict=run $program
    expect 'an H100' 0 '^Predicted, on an NVIDIA H100 80GB HBM3 (' \
        env CUDASIM_CEILINGS=nvidia-h100 $cudasim --predict=run $program
    expect 'what bounds it' 1 '^until its last  *[0-9]*%  .*[a-z], [0-9]*%$' $cudasim --why $program
    expect 'a trace' 1 '"cat": "pipe", .*"shared load"' \
        sh -c "CUDASIM_PREDICT_TRACE=$work/json $cudasim --predict $program
        cat $work/json; exit 1"
    expect 'a trace nowhere' 2 '^cudasim: CUDASIM_PREDICT_TRACE=/none/x cannot be written$' \
        env CUDASIM_PREDICT_TRACE=/none/x $cudasim --predict $program
    expect 'no kernel is run' 1 'about [0-9.]* us' $cudasim --predict $program
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
