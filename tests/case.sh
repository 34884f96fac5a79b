# shellcheck shell=sh
# Shared by the tests in shell, which source it first. The current folder becomes the project's, $root; $work is a
# folder of the test's own, and nothing in the environment tells the simulator what to do. The last line of a test is
# `ended`.
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
unset CUDASIM_CEILINGS CUDASIM_DEVICE CUDASIM_ISA CUDASIM_CHECK CUDASIM_WATCHDOG CUDASIM_COUNTERS \
    CUDASIM_COUNTERS_CSV CUDASIM_EXPLAIN CUDASIM_PREDICT CUDASIM_PREDICT_TRACE CUDASIM_TRACE CUDASIM_TRACE_BLOCKS \
    LD_PRELOAD
CUDASIM_LIB=$root/cudasim/build/libcudart.so.13
export CUDASIM_LIB
work=$(mktemp -d "${TMPDIR:-/tmp}/test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
passed=0 failed=0

# counted RESULT NAME: the case went well if RESULT is 0; else its name, and what the last command said.
counted() {
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "FAIL $2"
    cat "$work/out" "$work/err" 2>/dev/null | tail -n 30 | cut -c 1-300 | sed 's/^/    /'
}

# check NAME CONDITION, or check NAME COMMAND ARGUMENT...: a command line, or a command and its arguments.
check() {
    name=$1
    shift
    if [ $# = 1 ]; then eval "$1"; else "$@"; fi
    counted $? "$name"
}

# same NAME WANTED GOT
same() {
    [ "$2" = "$3" ]
    counted $? "$1: '$3', wanted '$2'"
}

# run COMMAND...: its output is in $work/out, its exit status in $status.
run() { status=0 && "$@" >"$work/out" 2>&1 </dev/null || status=$?; }
said() { grep -q -e "$1" "$work/out"; }
lines() { [ "$(wc -l <"$work/out")" = "$1" ]; }

# ends NAME STATUS PATTERN COMMAND...: with this exit status, and a line of output like PATTERN (an extended
# expression).
ends() {
    name=$1 wanted=$2 pattern=$3
    shift 3
    run "$@"
    [ "$status" = "$wanted" ] && { [ -z "$pattern" ] || grep -Eq -e "$pattern" "$work/out"; }
    counted $? "$name: exit status $status, wanted $wanted and a line like '$pattern':"
}

# line NAME STATUS PATTERN COMMAND...: the same, and no other line.
line() {
    ends "$@"
    same "$1: it takes one line" 1 "$(grep -c '' "$work/out")"
}

# expect NAME STATUS PATTERN ARGUMENT...: as ends, of $program in the simulator.
expect() {
    name=$1 wanted=$2 pattern=$3
    shift 3
    ends "$name" "$wanted" "$pattern" "${program:?}" --sim "$@"
}

# added NAME: the counts that $work/out ends with, of which one at least passed, and $status agrees.
added() {
    counts=$(tail -n 1 "$work/out" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p')
    if [ -z "$counts" ] || [ "${counts% *}" = 0 ] || [ "$status" != "$((${counts#* } != 0))" ]; then
        counted 1 "$1: exit status $status"
        return
    fi
    grep FAIL "$work/out"
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
}

# logged NAME COMMAND...: a case, in a shell of its own, whose output is told where it fails.
logged() {
    what=$1
    shift
    ("$@") >"$work/log" 2>&1
    result=$?
    rm -f "$work/err"
    mv "$work/log" "$work/out"
    counted $result "$what"
}

# cases FUNCTION...: each is such a case, and begins with $prepare.
prepare=:
cases() { for each; do logged "$each" eval "$prepare && $each"; done; }

# fake FILE [LINE]...: a program in sh, of these lines or of stdin.
fake() {
    { echo '#!/bin/sh'; if [ $# -gt 1 ]; then (shift && printf '%s\n' "$@"); else cat; fi; } >"$1"
    chmod +x "$1"
}

# hide_gpu: no GPU is found from here on, by an nvidia-smi that fails, in $work/bin.
hide_gpu() {
    mkdir -p "$work/bin"
    fake "$work/bin/nvidia-smi" 'exit 9'
    PATH=$work/bin:$PATH
}

# fake_gpu FOLDER NAME: programs there find one GPU, of that name (or FAKE_NAME) and compute capability 9.0 (FAKE_CC),
# and a make that has nothing to do.
fake_gpu() {
    mkdir -p "$1"
    fake "$1/nvidia-smi" <<END
case \$* in
-L) echo "GPU 0: made up" ;;
*gpu=name*) echo "\${FAKE_NAME:-$2}" ;;
*compute_cap*) echo "\${FAKE_CC:-9.0}" ;;
*driver*) echo 580.1 ;;
esac
END
    fake "$1/make" :
}

# same_bits SAYS PROGRAM ARGUMENT...: the same bits (tests/steps/bits.h) on one host thread, which takes the blocks in
# one order, and on three; a line of output is like SAYS. What else is wrong other cases find.
same_bits() {
    says=$1
    shift
    for threads in 1 3; do
        BITS=1 CUDASIM_CHECK=0 CUDASIM_THREADS=$threads run "$@"
        [ "$status" = 0 ] && said "$says"
        counted $? "$*: bits, $threads threads"
        grep '^bits' "$work/out" >"$work/bits.$threads"
    done
    cmp "$work/bits.1" "$work/bits.3" >"$work/out" 2>&1 && [ -s "$work/bits.1" ]
    counted $? "$*: the same bits in another order"
}

ended() {
    echo "$passed passed, $failed failed${skipped:+, $skipped skipped}"
    [ "$failed" = 0 ] && [ "$passed" != 0 ]
}
