#!/bin/sh
# Runs tests and sums their counts: run_tests.sh [PROGRAM|SCRIPT]... (default: all that `make test` is about)
#
# A C test is a cmocka program; a script ends with "N passed, N failed[, N skipped]" and its exit status says the same.
# One that crashes or runs nothing counts as failed. Last line: "N passed, N failed"; exit status 1 when any failed.
set -u
cd "$(dirname "$0")/.." || exit 1
logs=build/tests/log
mkdir -p "$logs"
passed=0 failed=0

if [ $# = 0 ]; then
    for source in tests/test_*.c; do [ -e "$source" ] && set -- "$@" "build/tests/$(basename "$source" .c)"; done
    for script in tests/test_*.sh; do [ -e "$script" ] && set -- "$@" "$script"; done
    [ -e scripts/notes.sh ] && set -- "$@" notes-check
    nvidia-smi -L 2>/dev/null | grep -q '^GPU ' && set -- "$@" scripts/test_gpu.sh
fi

# sum PATTERN: the sum of the numbers that PATTERN (a sed expression with one group) picks from the log.
sum() { sed -n "s/$1/\\1/p" "$log" | awk '{ n += $1 } END { print n + 0 }'; }

for test; do
    log=$logs/$(basename "$test").log
    case $test in
    notes-check) sh scripts/notes.sh --check >"$log" 2>&1 ;;
    *.sh) sh "$test" >"$log" 2>&1 ;;
    *) "./$test" >"$log" 2>&1 ;;
    esac </dev/null
    status=$? s=
    case $test in
    notes-check) p=$((status == 0)) f=$((status != 0)) ;;
    *.sh)
        p=$(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, [0-9]* failed.*/\1/p')
        f=$(tail -n 1 "$log" | sed -n 's/^[0-9]* passed, \([0-9]*\) failed.*/\1/p')
        s=$(tail -n 1 "$log" | sed -n 's/^[0-9]* passed, [0-9]* failed, \([0-9]* skipped\)$/\1/p')
        ;;
    *)
        p=$(sum '^\[  PASSED  \] \([0-9]*\) test.*')
        f=$(sum '^\[  FAILED  \] \([0-9]*\) test.*')
        ;;
    esac
    p=${p:-0} f=${f:-0} why=
    if [ "$status" != 0 ] && [ "$f" = 0 ]; then
        f=1 why=" (exit status $status)"
    elif [ "$((p + f))" = 0 ]; then
        f=1 why=" (it ran nothing)"
    fi
    passed=$((passed + p)) failed=$((failed + f))
    if [ "$f" = 0 ]; then
        echo "ok    $(basename "$test"): $p passed${s:+, $s}"
    else
        echo "FAIL  $(basename "$test"): $p passed, $f failed$why; the end of $log:"
        tail -n 40 "$log" | sed 's/^/      /'
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
