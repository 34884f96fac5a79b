#!/bin/sh
# Times the simulator (tests/bench) and prints a table that compares with its targets. To miss a target of seconds is
# not a failure, since machines differ. The exit status is 1 if something cannot be run, or a kind of instruction takes
# more than twice as many adds as was recorded: with AVX-512 only, as that was.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset CUDASIM_DEVICE CUDASIM_ISA CUDASIM_WATCHDOG LD_PRELOAD
export CUDASIM_CHECK=0
failed=0
one="" two=""
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then one="taskset -c 0"; fi
if [ -n "$one" ] && taskset -c 0,1 true 2>/dev/null; then two="taskset -c 0,1"; fi

row() { # WHAT MEASURED UNIT [OPERATOR TARGET]
    awk -v what="$1" -v x="$2" -v unit="$3" -v op="${4:-}" -v target="${5:-}" 'BEGIN {
        met = op == "<=" ? x <= target : op == "<" ? x < target : x >= target
        printf "%-46s %9s %-4s %s\n", what, x, unit,
               op == "" ? "" : op " " target " " unit (met ? "   met" : "   MISSED")
    }'
}
bad() { echo "$1 cannot be run:" && sed 's/^/    /' "$work/err" && failed=1; }

# What each kernel of tests/bench/sim.cu took an instruction, in those of add_chain, with the instruction set
# `adds_isa`. Others take more: theirs are printed, and held to nothing.
adds_isa=v4
adds="fma_chain 1.4 integer 1.7 shared_load 1.2 global_coalesced 1.2 global_strided 5.9 global_u16 1.2 global_u64 1.5 \
    global_v4 5.2 generic 1.2 global_store 1.5 shared_store 1.3 shuffle 4.0 shuffle64 4.4 atomic_add 5.2 \
    atomic_apart 22 divergent 4.7"

echo "The simulator on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
echo
echo "A warp's instruction (32 lanes), one thread"
# shellcheck disable=SC2086 # words
mixes() { CUDASIM_THREADS=1 $one ./cudasim build/tests/bench/sim >"$work/mixes" 2>"$work/err"; }
held=1
if (export CUDASIM_ISA=$adds_isa && mixes) ||
    { grep -q "^cudasim: CUDASIM_ISA=$adds_isa: this " "$work/err" && held=0 && mixes; }; then
    [ $held = 1 ] || echo "recorded with AVX-512, which this processor or simulator has not: held to nothing"
    awk -v recorded="$adds" -v held=$held '
        BEGIN { split(recorded, words); for (k = 1; k in words; k += 2) was[words[k]] = words[k + 1] }
        $1 == "add_chain" { add = $2 }
        {
            slow = held && $1 in was && $2 / add > 2 * was[$1]
            printf "%-46s %9s ns   %5.1f adds%s\n", $1, $2, $2 / add,
                   $1 in was ? ", recorded " was[$1] (slow ? "   TWICE AS SLOW" : "") : ""
            bad = bad || slow
        }
        END { exit bad }' "$work/mixes" || failed=1
else
    bad "build/tests/bench/sim"
fi

echo
echo "Launches of 4 blocks of 2 threads (20,000), and a warp's start"
for threads in 1 2; do
    on=$one
    [ "$threads" = 1 ] || on=$two
    # shellcheck disable=SC2086 # words
    if CUDASIM_THREADS=$threads $on ./cudasim build/tests/bench/launches >"$work/starts" 2>"$work/err"; then
        while read -r name value unit; do
            target=0.2
            [ "$name" = launches ] || target=150
            row "$name, threads: $threads" "$value" "$unit" "<=" "$target"
        done <"$work/starts"
    else
        bad "build/tests/bench/launches"
    fi
done

echo
echo "Matrix products of tensor cores, 512^3, one thread"
for program in sim_matrix wgmma; do
    # shellcheck disable=SC2086 # words
    if CUDASIM_THREADS=1 $one ./cudasim build/tests/bench/$program >"$work/products" 2>"$work/err"; then
        while read -r name s; do row "$name" "$s" s "<=" 0.5; done <"$work/products"
    else
        bad "build/tests/bench/$program"
    fi
done
exit $failed
