#!/bin/sh
# Fuzzes the readers of data files briefly, and tests the replay that replaces libFuzzer where there is none.
# `make fuzz` runs longer. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0
add() { # COMMAND...: its output, and the counts it ends with
    "$@" >"$work/out" 2>&1
    sed '$d' "$work/out"
    counts=$(tail -n 1 "$work/out" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    if [ -z "$counts" ]; then
        tail -n 1 "$work/out"
        counts="0 1"
    fi
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
}
add env FUZZ_SECONDS=6 sh scripts/fuzz.sh csv npy
if [ -x build/fuzz/fuzz_csv ]; then add env FUZZ_CC=gcc FUZZ_SECONDS=6 sh scripts/fuzz.sh csv npy; fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
