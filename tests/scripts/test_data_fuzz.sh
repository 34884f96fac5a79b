#!/bin/sh
# Fuzzes the readers of data files briefly, and tests the replay that replaces libFuzzer where there is none.
# `make fuzz` runs longer. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"
add() { # COMMAND...: its output, and the counts it ends with
    run "$@"
    sed '$d' "$work/out"
    added "$*"
}
add env FUZZ_SECONDS=6 sh scripts/tests/fuzz.sh csv npy
if [ -x build/fuzz/libFuzzer.csv ]; then add env FUZZ_CC=gcc FUZZ_SECONDS=6 sh scripts/tests/fuzz.sh csv npy; fi
ended
