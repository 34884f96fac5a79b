#!/bin/sh
# Every PTX instruction against what an H200 gave, copies by im2col maps against an H100 (tests/conformance/golden);
# with TEST_ALL=1 (make test-all) in each instruction set of this machine. Cases not recorded yet run, too, and count
# as skipped. Ends with "N passed, N failed[, N skipped]".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset CUDASIM_DEVICE CUDASIM_THREADS CUDASIM_ISA CUDASIM_WATCHDOG CUDASIM_LIB LD_PRELOAD
passed=0 failed=0 skipped=0

golden=tests/conformance/golden/nvidia-h200.gz
others=tests/conformance/golden/nvidia-h100.gz
for isa in default ${TEST_ALL:+baseline v3 v4}; do
    if [ $isa != default ]; then export CUDASIM_LIB=build/all/libcudart.so.13 CUDASIM_ISA=$isa; fi
    CUDASIM_ROWS=$work/rows ./cudasim build/tests/conformance/run --check "$golden" "$others" >"$work/out" 2>&1
    status=$?
    if grep -q "CUDASIM_ISA=$isa: this \(processor does not have it\|simulator was built for baseline\)" \
        "$work/out"; then
        echo "skipped: $(head -n 1 "$work/out")"
        continue
    fi
    counts=$(tail -n 1 "$work/out" |
        sed -n -e 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' \
            -e 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2 0/p')
    if [ -z "$counts" ]; then
        echo "FAIL $isa: exit status $status, and no counts at its end:"
        tail -n 20 "$work/out"
        failed=$((failed + 1))
        continue
    fi
    # shellcheck disable=SC2086 # three words
    set -- $counts
    if [ "$isa" = default ] || [ "$2" != 0 ]; then sed '$d' "$work/out" | tail -n 200; fi
    echo "$isa: $1 passed, $2 failed, $3 skipped"
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
done
unset CUDASIM_LIB CUDASIM_ISA

# No instruction that the simulator knows is without a case. What these do is no result (tests/machine/test_machine.c),
# or that of other instructions (tests/isa/test_affine.c).
without=$(grep -v -x -e trap -e op_trap -e brkpt -e pmevent -e griddepcontrol -e op_dot "$work/rows" | tr '\n' ' ')
if [ -s "$work/rows" ] && [ -z "$without" ]; then
    passed=$((passed + 1))
else
    echo "FAIL rows of src/isa/ops.def without a case in tests/conformance: ${without:-all}"
    failed=$((failed + 1))
fi

# Recordings of one device can be joined, one of another is refused.
run="./cudasim build/tests/conformance/run"
if $run --record "$work/or" --only or.b32 >/dev/null && $run --record "$work/xor" --only xor.b32 >/dev/null &&
    $run --merge "$work/both" "$work/xor" "$work/or" >/dev/null &&
    $run --check "$work/both" --only or.b32 >/dev/null; then
    passed=$((passed + 1))
else
    echo "FAIL joining two recordings"
    failed=$((failed + 1))
fi
if ! $run --merge "$work/other" "$golden" "$work/or" >"$work/out" 2>&1 &&
    grep -q "not of the same device" "$work/out" &&
    [ ! -e "$work/other" ]; then
    passed=$((passed + 1))
else
    echo "FAIL joining recordings of two devices"
    failed=$((failed + 1))
fi
if [ "$skipped" = 0 ]; then echo "$passed passed, $failed failed"; else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ] && [ "$passed" != 0 ]
