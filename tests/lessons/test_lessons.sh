#!/bin/sh
# What the lessons predict and their drawings show, counted in the simulator, and the program of docs/begin.md, which
# prints there what it prints. Last line: "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"

run python3 -B tests/lessons/check.py
added 'what is counted'
make -s build/begin/product >"$work/made" 2>&1 || cat "$work/made"
run cudasim/cudasim build/begin/product
same 'it ends well, and nothing is found' 0 "$status"
awk '/^\$ cudasim\/cudasim build\/begin\/product$/ { shown = 1; next } /^```/ { shown = 0 } shown' docs/begin.md \
    >"$work/page"
check 'the page shows what it prints' diff "$work/page" "$work/out"
ended
