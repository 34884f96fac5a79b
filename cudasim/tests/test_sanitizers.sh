#!/bin/sh
# Runs what `make test-sanitizers` builds: the simulator under AddressSanitizer and UndefinedBehaviorSanitizer, and on
# four host threads under ThreadSanitizer.
#
#   test_sanitizers.sh [asan] [tsan]     (default: both)
#
# The C tests (asan), and some of tests/programs, whose output must also be right. A program with a race must be
# reported. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
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
# A program asks for more memory than there is, and wants to be told.
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
    elif [ -n "${expected:-}" ] && ! cmp -s "$expected" "$work/out"; then
        fail "$name" "the output is not $expected"
    else
        ok "$name"
    fi
}

for kind; do
    case $kind in
    asan | tsan) ;;
    *) echo "sanitizers: '$kind' is neither asan nor tsan" >&2; exit 2 ;;
    esac
    [ -e "build/$kind/tests/sanitizers/race" ] ||
        { echo "sanitizers: nothing in build/$kind: make test-sanitizers" >&2; exit 2; }
    if [ "$kind" = asan ]; then
        for program in build/asan/tests/test_* build/asan/tests/*/test_*; do
            if [ ! -x "$program" ] || [ -d "$program" ]; then continue; fi
            run "asan $(basename "$program")" env -u TEST_ALL \
                ASAN_OPTIONS="detect_leaks=1 log_path=$work/report" "$program"
        done
    fi
    export ASAN_OPTIONS="detect_leaks=0 allocator_may_return_null=1 log_path=$work/report"
    for program in build/"$kind"/tests/programs/*; do
        [ -x "$program" ] || continue
        name=$(basename "$program")
        expected=$(ls tests/programs/*/"$name.expected") check=1
        case $name in device_assert | sticky_error) check=0 ;; esac # they fail on purpose, which is a finding
        run "$kind $name" env CUDASIM_CHECK=$check "$program"
    done
    expected=
    if [ "$kind" = tsan ]; then
        rm -f "$work"/report*
        build/tsan/tests/sanitizers/race >"$work/out" 2>"$work/err"
        cat "$work"/report* >>"$work/err" 2>/dev/null
        if grep -q 'WARNING: ThreadSanitizer: data race' "$work/err"; then
            ok "tsan sees a race of blocks"
        else
            fail "tsan sees a race of blocks" "no report"
        fi
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
