#!/bin/sh
# Runs tests, as many at once as there are processors, and sums their counts: run.sh [PROGRAM|SCRIPT]... (default: all
# that `make test` is about, and with TEST_ALL=1 in the environment, from `make test-all`, fuzzing, sanitizers and the
# installation, too).
#
# A C test is a cmocka program; a script ends with "N passed, N failed[, N skipped]" and its exit status says the same.
# One that crashes or runs nothing counts as failed. Logs are in build/log. Last line: "N passed, N failed"; exit status
# 1 when any failed.
set -u
cd "$(dirname "$0")/.." || exit 1
logs=build/log

# one TEST: runs it and prints how it went, with its counts in front.
if [ "${1:-}" = --one ]; then
    test=$2 name=$(basename "$2") s=
    log=$logs/$name.log
    case $test in *.sh) sh "$test" ;; *) "./$test" ;; esac </dev/null >"$log" 2>&1
    status=$?
    sum() { sed -n "s/$1/\\1/p" "$log" | awk '{ n += $1 } END { print n + 0 }'; }
    case $test in
    *.sh)
        p=$(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, [0-9]* failed.*/\1/p')
        f=$(tail -n 1 "$log" | sed -n 's/^[0-9]* passed, \([0-9]*\) failed.*/\1/p')
        s=$(tail -n 1 "$log" | sed -n 's/^[0-9]* passed, [0-9]* failed, \([0-9]* skipped\)$/\1/p')
        ;;
    *) p=$(sum '^\[  PASSED  \] \([0-9]*\) test.*') f=$(sum '^\[  FAILED  \] \([0-9]*\) test.*') ;;
    esac
    p=${p:-0} f=${f:-0} why=
    if [ "$status" != 0 ] && [ "$f" = 0 ]; then f=1 why=" (exit status $status)"; fi
    if [ "$((p + f))" = 0 ]; then f=1 why=" (it ran nothing)"; fi
    if [ "$f" = 0 ]; then
        said="ok    $name: $p passed${s:+, $s}"
    else
        said="FAIL  $name: $p passed, $f failed$why; the end of $log, without what passed:
$(grep -v '^ok ' "$log" | tail -n 40 | sed 's/^/      /')"
    fi
    printf '%s\n' "counts $p $f" "$said"
    exit 0
fi

if [ $# = 0 ]; then # the longest first, lest one be left alone at the end
    for test in tests/test_sanitizers.sh tests/test_fuzz.sh tests/test_install.sh \
        tests/test_*.sh tests/test_*.c tests/*/test_*.c; do
        case " $* " in *" $test "* | *" build/${test%.c} "*) continue ;; esac
        case $test in *_fuzz.sh | *_sanitizers.sh | *_install.sh) [ -n "${TEST_ALL:-}" ] || continue ;; esac
        case $test in *.c) test=build/${test%.c} ;; esac
        set -- "$@" "$test"
    done
fi
mkdir -p "$logs" || exit 1
trap 'exit 130' HUP INT TERM
printf '%s\n' "$@" | xargs -P "$(nproc 2>/dev/null || echo 1)" -n 1 sh tests/run.sh --one |
    awk '/^counts / { passed += $2; failed += $3; next } { print; fflush() }
         END { print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0 || passed == 0 }'
