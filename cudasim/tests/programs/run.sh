#!/bin/sh
# Runs the programs of this directory's folders and compares what they print with NAME.expected.
#
#   run.sh [--sim] BUILD_DIR [NAME...]
#
# BUILD_DIR holds the built programs (build/tests/programs). With --sim each runs under the command, else
# directly, on the GPU. Exit 0 when all passed.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
sim=
if [ "$1" = --sim ]; then
    sim=$here/../../cudasim
    shift
fi
if [ $# -eq 0 ]; then
    echo "usage: run.sh [--sim] BUILD_DIR [NAME...]" >&2
    exit 2
fi
build=$(cd "$1" 2>/dev/null && pwd) || { echo "run.sh: no directory $1" >&2; exit 2; }
shift
if [ $# -eq 0 ]; then
    for source in "$here"/*/*.cu; do
        set -- "$@" "$(basename "$source" .cu)"
    done
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
passed=0
failed=0

fail() {
    echo "FAIL $1: $2"
    failed=$((failed + 1))
}

for name; do
    expected=$(ls "$here"/*/"$name.expected" 2>/dev/null)
    if [ ! -f "$expected" ]; then
        fail "$name" "no $name.expected"
        continue
    fi
    if [ ! -x "$build/$name" ]; then
        fail "$name" "not built in $build"
        continue
    fi
    # $sim is one word or none.
    check=1
    case $name in # programs that do wrong, and look at what comes of it
    async_errors | fatal_errors | sticky_error | device_assert) check=0 ;;
    esac
    CUDASIM_CHECK=$check timeout 60 ${sim:+"$sim"} "$build/$name" >"$scratch/out" 2>"$scratch/err"
    code=$?
    if ! diff -u "$expected" "$scratch/out" >"$scratch/diff"; then
        fail "$name" "output differs, exit code $code"
        sed 1,2d "$scratch/diff" | head -n 10
        head -n 3 "$scratch/err"
    elif [ $code -ne 0 ]; then
        fail "$name" "exit code $code"
        head -n 3 "$scratch/err"
    else
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
