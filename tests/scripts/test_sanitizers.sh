#!/bin/sh
# Runs what `make test-sanitizers` builds: every step over a part of the check list, with the simulator linked into it,
# under AddressSanitizer and UndefinedBehaviorSanitizer, and on four host threads under ThreadSanitizer; and the tests
# of the readers of data files (asan). The simulator's own tests: make -C cudasim test-sanitizers.
#
#   test_sanitizers.sh [asan] [tsan]     (default: both)
#
# Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"
unset CUDASIM_LIB
[ $# != 0 ] || set -- asan tsan

# There is one set of instrumented handlers, which is taken. Leaks: the runtime keeps its modules to the end of the
# program, and programs that fail on purpose free nothing, so only the tests look for them.
export CUDASIM_THREADS=4
# Reports go to files of their own: some tests put stderr elsewhere for a while.
export UBSAN_OPTIONS="print_stacktrace=1 log_path=$work/report"
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 allocator_may_return_null=1 log_path=$work/report"

# clean NAME COMMAND...: the command succeeds and no sanitizer says a word.
clean() {
    name=$1
    shift
    rm -f "$work"/report*
    run timeout 900 "$@"
    cat "$work"/report* >>"$work/out" 2>/dev/null
    [ "$status" = 0 ] && ! grep -qE 'WARNING: ThreadSanitizer|ERROR: (Address|Leak)Sanitizer|runtime error:' "$work/out"
    counted $? "$name: exit status $status"
}

for kind; do
    case $kind in
    asan | tsan) ;;
    *) echo "sanitizers: '$kind' is neither asan nor tsan" >&2; exit 2 ;;
    esac
    [ -e "build/$kind/step01_naive/run" ] ||
        { echo "sanitizers: nothing in build/$kind: make test-sanitizers" >&2; exit 2; }
    if [ "$kind" = asan ]; then
        for program in build/asan/tests/*/test_*; do
            [ -x "$program" ] || continue
            clean "asan $(basename "$program")" env -u KL_TEST_ALL \
                ASAN_OPTIONS="detect_leaks=1 log_path=$work/report" "$program"
        done
    fi
    export ASAN_OPTIONS="detect_leaks=0 allocator_may_return_null=1 log_path=$work/report"
    for program in build/"$kind"/step*/run; do
        every=15
        case $kind/$program in tsan/*/step06*) every=75 ;; esac # it has the list once for each type and layout
        clean "$kind $(basename "$(dirname "$program")")" "$program" --sweep check --every $every --sim
    done
    clean "$kind step05_doublebuffer of 300" "build/$kind/step05_doublebuffer/run" --m 300 --n 520 --k 96 --sim
done
ended
