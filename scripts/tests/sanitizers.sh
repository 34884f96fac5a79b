#!/bin/sh
# Runs what `make test-sanitizers` builds: every step over a part of the check list, with the simulator linked into it,
# under AddressSanitizer and UndefinedBehaviorSanitizer, and on four host threads under ThreadSanitizer; and the tests
# of the readers of data files (asan). The simulator's own tests: make -C cudasim test-sanitizers.
#
#   sanitizers.sh [asan] [tsan]     (default: both)
#
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
[ $# != 0 ] || set -- asan tsan
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0

# There is one set of instrumented handlers, which is taken. Leaks: the runtime keeps its modules to the end of the
# program, and programs that fail on purpose free nothing, so only the tests look for them.
export CUDASIM_THREADS=4
unset CUDASIM_ISA CUDASIM_DEVICE CUDASIM_WATCHDOG LD_PRELOAD
# Reports go to files of their own: some tests put stderr elsewhere for a while.
export UBSAN_OPTIONS="print_stacktrace=1 log_path=$work/report"
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 allocator_may_return_null=1 log_path=$work/report"

ok() { echo "ok $1"; passed=$((passed + 1)); }
fail() { # NAME WHY: and what was said
    echo "FAIL $1: $2"
    cat "$work/err" "$work/out" | head -n 60 | sed 's/^/    /'
    failed=$((failed + 1))
}
# run NAME COMMAND...: the command succeeds and no sanitizer says a word; its output in $work/out and $work/err.
run() {
    name=$1
    shift
    rm -f "$work"/report*
    timeout 900 "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    cat "$work"/report* >>"$work/err" 2>/dev/null
    if grep -q -E 'WARNING: ThreadSanitizer|ERROR: (Address|Leak)Sanitizer|runtime error:' "$work/err"; then
        fail "$name" "$(grep -m 1 -E 'Sanitizer|runtime error:' "$work/err")"
    elif [ "$status" != 0 ]; then
        fail "$name" "exit status $status"
    else
        ok "$name"
    fi
}

for kind; do
    case $kind in
    asan | tsan) ;;
    *) echo "sanitizers: '$kind' is neither asan nor tsan" >&2; exit 2 ;;
    esac
    [ -e "build/$kind/step01_naive/run" ] || { echo "sanitizers: nothing in build/$kind: make test-sanitizers" >&2; \
        exit 2; }
    if [ "$kind" = asan ]; then
        for program in build/asan/tests/*/test_*; do
            [ -x "$program" ] || continue
            run "asan $(basename "$program")" env -u KL_TEST_ALL ASAN_OPTIONS="detect_leaks=1 log_path=$work/report" \
                "$program"
        done
    fi
    export ASAN_OPTIONS="detect_leaks=0 allocator_may_return_null=1 log_path=$work/report"
    for program in build/"$kind"/step*/run; do
        every=15
        case $kind/$program in tsan/*/step06*) every=75 ;; esac # it has the list once for each type and layout
        run "$kind $(basename "$(dirname "$program")")" "$program" --sweep check --every $every --sim
    done
    run "$kind step05_doublebuffer of 300" "build/$kind/step05_doublebuffer/run" --m 300 --n 520 --k 96 --sim
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
