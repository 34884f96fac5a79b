#!/bin/sh
# help: check every step, and the checking itself, on the GPU; needs no test library (SHAPES=20 random ones of each set)
# Verifies every step on the GPU, shape after shape, after trying the verification itself on kernels that are known to
# be wrong, and the measuring on small sizes (tests/gpu). Last line: "N passed, N failed[, N skipped]".
set -eu
. "$(dirname "$0")/../../tests/case.sh"
. scripts/gpu.sh
need_gpu test-gpu
need_step test-gpu STEPS ${STEPS:-}
case ${SHAPES:-20} in
0* | *[!0-9]*) echo "test-gpu: SHAPES is '$SHAPES', not a whole number from 1 on, e.g. SHAPES=400" >&2; exit 2 ;;
esac
build_steps ${STEPS:-}
tensorcore=
case "${STEPS:-step06}" in *step06*) tensorcore=build/tests/tensorcore/run ;; esac
# shellcheck disable=SC2086 # one target or two
MAKEFLAGS='' make --no-print-directory -j"$(nproc)" build/tests/gpu/faults $tensorcore >&2
log=$work/out skipped=0

# tally NAME COMMAND...: runs it and adds the counts of its last line.
tally() {
    name=$1
    shift
    status=0
    "$@" >"$log" || status=$?
    last=$(tail -n 1 "$log")
    count() { echo "$last" | sed -n "s/^\(.*, \)\{0,1\}\([0-9][0-9]*\) $1.*/\2/p"; }
    p=$(count passed) f=$(count failed) s=$(count skipped)
    if [ "$status" != 0 ] || [ -z "$p" ] || [ "${f:-1}" != 0 ]; then
        cat "$log"
        if [ "${f:-0}" = 0 ]; then f=1; fi # it crashed or said nothing
        echo "FAIL $name: ${last:-no output} (exit status $status)"
    else
        echo "ok $name: $last"
    fi
    passed=$((passed + ${p:-0})) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
}

tally faults build/tests/gpu/faults
tally measure env STEPS="${STEPS:-}" sh tests/gpu/measure.sh
if [ -n "$tensorcore" ]; then tally tensorcore "$tensorcore" special; fi
case "${STEPS:-step08}" in
*step08*)
    tally optdigits sh tests/gpu/optdigits.sh
    for how in "--queries-at-once 1" "--queries-at-once 3" "--transfers --pieces 3" "--transfers --pieces 4 --pageable"
    do # shellcheck disable=SC2086 # several words
        tally "step08 $how" ./step08/run --sweep check --method best $how
    done
    tally ranks env SIM= RANKS="2 4" sh tests/knn/test_ranks.sh
    ;;
esac

for step in ${STEPS:-step[0-9][0-9]}; do
    tally "$step" "./$step/run" --sweep check
    for name in $("./$step/run" --list | sed -n 's/^--show \([^ ]*\).*/\1/p'); do # does the GPU do that?
        ends "$step --show $name" 0 '' "./$step/run" --show "$name"
    done
    # Shapes that nobody chose, by seeds that no kernel was tuned by.
    sed 1d plots/random_sets.csv >"$work/sets"
    while IFS=, read -r of dtype layout spread max multiple _ seed _; do
        case $step in "$of"*) ;; *) continue ;; esac
        tally "$step random $seed" "./$step/run" --variant best --dtype "$dtype" --layout "$layout" --sweep random \
            --spread "$spread" --max "$max" --multiple "$multiple" --count "${SHAPES:-20}" --seed "9$seed" --verify-only
    done <"$work/sets"
done
[ "$skipped" != 0 ] || skipped=
ended
