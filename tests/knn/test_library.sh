#!/bin/sh
# libknn.so by python/knn.py, in the simulator: tests/knn/test_library.py, and the example. Last line: "N passed, N
# failed".
set -u
. "$(dirname "$0")/../case.sh"
LD_LIBRARY_PATH=$root/cudasim/build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
CUDASIM_LEAK_CHECK=1 # a finding ends a program with status 1
export LD_LIBRARY_PATH CUDASIM_LEAK_CHECK
run python3 -B tests/knn/test_library.py

added 'the library in Python'
run python3 -B python/example.py 2
same 'the example' '0 2' "$status $(grep -cE '^query [01]: point [01] at 0.0016, point ' "$work/out")"
run env KNN_LIBRARY="$work/none" python3 -B python/example.py
same 'without the library' 1 "$(grep -c '^ImportError: .*KNN_LIBRARY names another' "$work/out")"
ended
