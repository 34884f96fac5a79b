#!/bin/sh
# The readers of a program's bytes fuzzed for a moment, and the replay that stands in where there is no libFuzzer. `make
# fuzz` takes longer. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
FUZZ_SECONDS=15
export FUZZ_SECONDS
passed=0 failed=0
for compiler in clang gcc; do
    said=$(FUZZ_CC=$compiler sh tests/fuzz.sh ptx fatbin 2>&1)
    counts=$(echo "$said" | sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    echo "$said" | sed '$d'
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
    case $said in *'no clang with libFuzzer'*) break ;; esac # that was the replay
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
