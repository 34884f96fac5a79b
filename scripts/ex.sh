#!/bin/sh
# help: check your copy of an exercise, my/NAME: NAME=01_coalesce [HINT=1..3] [SHOW=diff] [RESET=1]; exercises/README.md
# MY: the folder of the copies (default my), for tests. Exit status: 0 done, 1 not yet, 2 bad arguments or no exercise
# of that name.
set -u
cd "$(dirname "$0")/.." || exit 2
. scripts/gpu.sh
fail() { echo "ex: $1" >&2; exit 2; }
value() { sed -n "s/^$2=//p" "exercises/$1/exercise.txt"; }
my=${MY:-my}

names=
for name in ${NAME:-}; do
    case $name in [1-9]) name=0$name ;; esac
    case $name in *[!a-z0-9_]*) fail "there is no exercise '$name'; make exercises lists them" ;; esac
    found=$(cd exercises && ls -d "$name"/ "$name"_*/ 2>/dev/null)
    [ -n "$found" ] || found=$(cd exercises && ls -d [0-9]*"$name"*/ 2>/dev/null)
    [ -n "$found" ] || fail "there is no exercise '$name'; make exercises lists them"
    # shellcheck disable=SC2086 # several names
    [ "$(echo "$found" | wc -l)" = 1 ] || fail "'$name' is a part of several names: $(echo $found | tr -d /)"
    names="$names ${found%/}"
done
[ -n "$names" ] || fail "NAME is not set, e.g. make ex NAME=01_coalesce; make exercises lists them"
case ${HINT:-} in '' | [1-3]) ;; *) fail "HINT=$HINT is not 1, 2 or 3" ;; esac
case ${SHOW:-} in '' | diff) ;; *) fail "SHOW=$SHOW is not diff" ;; esac
case ${RESET:-} in '' | 1) ;; *) fail "RESET=$RESET is not 1" ;; esac

# below: what it reads, with paths as they are seen from here.
below() { python3 -c 'import os, sys; sys.stdout.write(sys.stdin.read().replace(os.getcwd() + "/", ""))'; }

if [ -n "${HINT:-}${SHOW:-}" ]; then
    for name in $names; do
        [ -z "${HINT:-}" ] || echo "$name, hint $HINT: $(value "$name" "hint$HINT")" | fold -s -w 100
        [ -z "${SHOW:-}" ] || cat "exercises/$name/solution.patch"
    done
    exit 0
fi
if [ ! -e cudasim/build/libcudart.so.13 ]; then
    sh scripts/deps.sh --check cuda || exit 2
    sh scripts/make/first_build.sh sim '' >&2
fi
begin ex
folders='' programs='' copies=''
for name in $names; do
    [ -z "${RESET:-}" ] && [ -e "$my/$name/exercise.cu" ] || copies="$copies $name"
    folders="$folders $my/$name" programs="$programs build/$my/$name/run"
done
# shellcheck disable=SC2086 # several names
[ -z "$copies" ] || report exercises "$my" $copies || exit 2
for name in ${RESET:+$names}; do
    rm -f "$my/$name/state"
    echo "$my/$name/exercise.cu is as it was handed out"
done
# shellcheck disable=SC2086 # several programs
MAKEFLAGS='' make --no-print-directory -k -j"$(nproc)" EX="$folders" sim $programs >"$work/make" 2>&1 || {
    grep -v -e '^make' -e '^nvcc ' -e '^cc ' -e '^link ' "$work/make" | below >&2
    echo "ex: it does not build" >&2
    exit 1
}
# shellcheck disable=SC2086 # several names
PYTHONPATH=. python3 -B scripts/ex_check.py "$my" "$work" $names
