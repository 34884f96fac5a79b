# shellcheck shell=sh
# Shared by the tests that run a step in the simulator; to be sourced with `run` set to its program. Makes $work; the
# last line of such a test is `ended`.
cd "$(dirname "$0")/.." || exit 1
CUDASIM_LIB=$PWD/cudasim/build/libcudart.so.13
export CUDASIM_LIB
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0

# counted RESULT MESSAGE: the case went well if RESULT is 0.
counted() {
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "$2"
    head -n 30 "$work/out" | sed 's/^/    /'
}

# expect NAME STATUS PATTERN ARGUMENTS...: the exit status, and a line of the output (an extended expression).
expect() {
    name=$1 status=$2 pattern=$3
    shift 3
    "$run" --sim "$@" >"$work/out" 2>&1
    got=$?
    [ "$got" = "$status" ] && grep -Eq -e "$pattern" "$work/out"
    counted $? "$name: status $got, wanted $status and a line like '$pattern':"
}

# same NAME WANTED GOT
same() {
    [ "$2" = "$3" ]
    counted $? "$1: '$3', wanted '$2'"
}

# check NAME COMMAND...
check() {
    name=$1
    shift
    "$@"
    counted $? "FAIL $name"
}

ended() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
