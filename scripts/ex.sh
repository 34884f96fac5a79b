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

# below [FILE]: its lines, with paths as they are seen from here.
below() {
    HERE=$PWD/ awk '{
        for (; at = index($0, ENVIRON["HERE"]); $0 = substr($0, at + length(ENVIRON["HERE"])))
            printf "%s", substr($0, 1, at - 1)
        print
    }' "$@"
}

copied() { # copied NAME: makes the reader's copy if there is none, or with RESET=1 anew
    [ -n "${RESET:-}" ] || [ ! -e "$my/$1/exercise.cu" ] || return
    put "$my/$1/exercise.cu" <"exercises/$1/exercise.cu"
    [ -z "${RESET:-}" ] || { rm -f "$my/$1/state"; echo "$my/$1/exercise.cu is as it was handed out"; }
}

# best NAME GOALS: keeps the least value of each counter in the reader's state, of solutions that reach all goals: what
# misses one may well be below another that no solution can reach.
best() {
    {
        cut -f 2 "$2"
        [ ! -e "$my/$1/state" ] || sed 1d "$my/$1/state"
    } | awk '
        NF == 2 && (!($1 in least) || $2 < least[$1]) { least[$1] = $2 }
        END { for (m in least) print m, least[m] }' | sort
}

# without NAME: a line for each pattern that the kernel's PTX should have and has not (ptx=PATTERN | WHAT THAT MEANS),
# or has and should not have (ptx=!PATTERN | ...).
without() {
    value "$1" ptx | while IFS='|' read -r pattern words; do
        pattern=${pattern% }
        found=$(grep -aEc -e "${pattern#!}" "build/$my/$1/run")
        case $pattern in "!"*) [ "$found" = 0 ] ;; *) [ "$found" != 0 ] ;; esac || echo "kernel   $words"
    done
}

# wrong_first FILE: what a run says of its wrong result, up to the first wrong element.
wrong_first() {
    sed -n 's/^exercise: /    /p; s/^exercise  *\([0-9]* of .* neighbours\)/    \1/p
        /^  first/{s//      first/p;q;}' "$1"
    ! grep -q '^  first.*got nan' "$1" || echo "      (nan: results begin so, and so do the words around operands)"
}

# median PROGRAM [OPTION]...: the milliseconds of its kernel on the GPU; its exit status. What it says: $work/gpu.
median() {
    rm -f "$work/time.csv"
    timeout 120 "$@" --no-baseline --csv "$work/time.csv" >"$work/gpu" 2>&1 </dev/null || return
    report column "$work/time.csv" ms_median
}

# timed NAME: on a GPU, the milliseconds of the reader's kernel and of the step's; status 1 if the former is wrong
# there.
timed() {
    nvidia-smi -L 2>/dev/null | grep -q '^GPU ' || return 0
    gpu=$(value "$1" gpu)
    rung=$(value "$1" step)
    [ -n "$gpu" ] && [ -n "$rung" ] || return 0
    ended=0
    # shellcheck disable=SC2086 # several options
    mine=$(median "build/$my/$1/run" $gpu) || ended=$?
    if [ "$ended" = 1 ]; then
        echo "time      WRONG on the GPU, with $gpu"
        wrong_first "$work/gpu"
        return 1
    fi
    [ "$ended" != 124 ] || echo "it still ran after 120 s" >>"$work/gpu"
    [ -e "${rung% *}/run" ] || echo "ex: builds $rung, whose time stands beside yours" >&2
    if [ -n "$mine" ] && build_steps "${rung% *}" 2>"$work/gpu"; then
        # shellcheck disable=SC2086 # several options
        theirs=$(median "${rung% *}/run" --variant "${rung#* }" $gpu)
    else
        theirs=
    fi
    if [ -n "$mine" ] && [ -n "$theirs" ]; then
        echo "time      $mine ms; $rung takes $theirs ms ($gpu)"
    else
        echo "time      not measured: $(grep . "$work/gpu" | tail -n 1)"
    fi
}

simulated() { # simulated NAME: runs the copy; what it says, counts and ends with are files in $work
    status=0 first=1 at=
    value "$1" run >"$work/runs"
    while [ "$status" = 0 ] && read -r options; do
        [ -n "$first" ] || at=", with $options"
        # shellcheck disable=SC2086 # several options
        CUDASIM_LIB=$PWD/cudasim/build/libcudart.so.13 CUDASIM_WATCHDOG=${CUDASIM_WATCHDOG:-10} "build/$my/$1/run" \
            --sim $options ${first:+--counters-csv "$work/$1.csv"} >"$work/$1.out" 2>&1 </dev/null || status=$?
        first=
    done <"$work/runs"
    echo "$status$at" >"$work/$1.status"
}

# counted NAME...: of those that were counted, what each goal's line is (report goals), in $work/NAME.csv.goals.
counted() {
    for name; do
        # shellcheck disable=SC2046 # a word a goal
        [ ! -s "$work/$name.csv" ] || set -- "$@" -- "$work/$name.csv" $(value "$name" goal | sed 's/  */=/')
        shift
    done
    [ $# = 0 ] || report goals "$@"
}

check() { # check NAME: says what came of its run; status 0 if all is as it should be
    done=1
    read -r status <"$work/$1.status"
    at=${status#"${status%%,*}"} status=${status%%,*}
    echo "$1: $(value "$1" title). You edit $my/$1/exercise.cu; lesson: $(value "$1" lesson)"
    below "$work/$1.out" >"$work/said"
    if [ "$status" = 0 ]; then
        echo "result    right"
    elif grep -q 'WRONG RESULT\|neighbours are not among' "$work/said"; then
        done=0
        echo "result    WRONG$at"
        wrong_first "$work/said"
    elif grep -q '^cudasim: [0-9]* finding' "$work/said" && [ "$status" = 1 ]; then
        echo "result    right, this time"
    else
        done=0
        echo "result    STOPPED (exit status $status)$at"
        sed -n 's/^exercise exercise, .*: \([^:]*(cuda[A-Za-z]*)\).*/    \1/p' "$work/said"
    fi
    if grep -q '^cudasim: ' "$work/said"; then
        done=0
        echo "checks    FOUND$at"
        awk '# the first two, and how many there are
            /inlined from common/ { next }
            /^cudasim: [0-9]+ finding/ { sub(/^cudasim: /, "    "); print; next }
            /^cudasim: / { n++; sub(/^cudasim: /, "    "); if (n <= 2) print; next }
            /^    / && (n == 1 || n == 2) { print "  " $0 }' "$work/said"
    else
        echo "checks    nothing found"
    fi
    cat "$work/$1.csv.goals" >"$work/goals" 2>/dev/null
    cut -f 3 "$work/goals" | sed 's/^/counters  /'
    ! grep -q '^missed' "$work/goals" || done=0
    without "$1" >"$work/without"
    cat "$work/without"
    [ ! -s "$work/without" ] || done=0
    [ "$status" != 0 ] || timed "$1" || done=0
    if [ "$done" = 1 ]; then
        best "$1" "$work/goals" >"$work/best"
    else
        sed 1d "$my/$1/state" >"$work/best" 2>/dev/null
    fi
    if [ "$done" = 1 ]; then
        echo "done      compare with ours: make ex NAME=$1 SHOW=diff"
    else
        echo "not yet   a hint: make ex NAME=$1 HINT=1"
    fi
    {
        if [ "$done" = 1 ]; then echo 'done'; else echo 'to do'; fi
        cat "$work/best"
    } | put "$my/$1/state" || exit 2
    [ "$done" = 1 ]
}

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
folders='' programs=''
for name in $names; do
    copied "$name"
    folders="$folders $my/$name" programs="$programs build/$my/$name/run"
done
# shellcheck disable=SC2086 # several programs
MAKEFLAGS='' make --no-print-directory -k -j"$(nproc)" EX="$folders" sim $programs >"$work/make" 2>&1 || {
    grep -v -e '^make' -e '^nvcc ' -e '^cc ' -e '^link ' "$work/make" | below >&2
    echo "ex: it does not build" >&2
    exit 1
}
left=0
for name in $names; do simulated "$name"; done
# shellcheck disable=SC2086 # several names
counted $names
for name in $names; do check "$name" || left=1; done
exit $left
