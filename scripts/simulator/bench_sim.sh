#!/bin/sh
# Times steps in the simulator and prints a table that compares with its targets: the median of RUNS (5) runs of each.
# To miss a target is not a failure, since machines differ. The exit status is 1 if something cannot be run.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/../.." || exit 1
runs=${RUNS:-5}
case $runs in '' | *[!0-9]* | 0) echo "bench-sim: RUNS=$runs is not a count" >&2; exit 2 ;; esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset CUDASIM_DEVICE CUDASIM_ISA CUDASIM_WATCHDOG LD_PRELOAD
export CUDASIM_CHECK=0 # but where checking is what is timed
failed=0
one="" two=""
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then one="taskset -c 0"; fi
if [ -n "$one" ] && taskset -c 0,1 true 2>/dev/null; then two="taskset -c 0,1"; fi

median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)]; else exit 1 }'; }
row() { # WHAT MEASURED UNIT [OPERATOR TARGET]
    awk -v what="$1" -v x="$2" -v unit="$3" -v op="${4:-}" -v target="${5:-}" 'BEGIN {
        met = op == "<=" ? x <= target : op == "<" ? x < target : x >= target
        printf "%-46s %9s %-4s %s\n", what, x, unit,
            op == "" ? "" : op " " target " " unit (met ? "   met" : "   MISSED")
    }'
}
bad() { echo "$1 cannot be run:" && sed 's/^/    /' "$work/err" && failed=1; }

# timed THREADS STEP VARIANT SIZE [OPTION]: the median of the seconds that its kernel took, as the step says.
timed() {
    threads=$1 dir=$(ls -d "$2"_*) variant=$3 size=$4 option=${5:-}
    on=$one
    [ "$threads" = 1 ] || on=$two
    : >"$work/times"
    for _ in $(seq "$runs"); do
        # shellcheck disable=SC2086 # words
        CUDASIM_THREADS=$threads $on "$dir/run" --sim $option --variant "$variant" --size "$size" >"$work/out" \
            2>"$work/err" ||
            { cat "$work/out" >>"$work/err"; return 1; }
        awk -v v="$variant" '$1 == v { print $5 }' "$work/out" >>"$work/times"
    done
    median <"$work/times"
}
# sgemm STEP VARIANT SIZE [TARGET]: a row of one thread.
sgemm() {
    if s=$(timed 1 "$1" "$2" "$3"); then row "$1 $2 $3^3" "$s" s ${4:+"<=" "$4"}; else bad "$1 $2"; fi
}

# peak PROGRAM...: the most memory it ever held, in MB.
peak() {
    "$@" >"$work/out" 2>"$work/err" &
    pid=$! most=0
    while kill -0 "$pid" 2>/dev/null; do
        now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null)
        [ "${now:-0}" -le "$most" ] || most=$now
        sleep 0.02
    done
    wait "$pid" || return 1
    echo $((most / 1000))
}

echo "The simulator on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), median of $runs runs, one thread"
sgemm step01 coalesced 256 0.012
sgemm step01 coalesced 512 0.09
sgemm step01 uncoalesced 256 0.12
sgemm step01 uncoalesced 512 0.8
for dir in step0[2-5]_*; do
    step=${dir%%_*}
    for variant in $("$dir/run" --sim --list 2>/dev/null | awk 'NR > 0 && /^[a-z][a-z0-9_]* / { print $1 }'); do
        target=
        [ "$variant" != stream_k ] || target=0.25
        sgemm "$step" "$variant" 512 $target
    done
done
for pair in step01:coalesced step01:uncoalesced step03:tile8x8_256t step04:coalesced_store step05:serpentine \
    step06:swizzle; do
    step=${pair%:*} variant=${pair#*:}
    if a=$(timed 1 "$step" "$variant" 512) && b=$(timed 1 "$step" "$variant" 512 --counters) &&
        c=$(CUDASIM_CHECK=1 timed 1 "$step" "$variant" 512); then
        row "$step $variant 512^3, counted to not" "$(echo "$b $a" | awk '{ printf "%.2f", $1 / $2 }')" x "<=" 1.5
        row "$step $variant 512^3, checked to not" "$(echo "$c $a" | awk '{ printf "%.2f", $1 / $2 }')" x "<=" 3
    else
        bad "$step $variant"
    fi
done
# What nothing has written stays in registers to the end: copies in a ring that the last steps do not fill.
s8="--sim-device sm_80 --dtype s8 --layout tn --m 1537 --n 1541 --k 188 --lda 192 --ldb 1552 --ldc 1544"
if a=$(timed 1 step06 best 1 "$s8") && b=$(CUDASIM_CHECK=1 timed 1 step06 best 1 "$s8"); then
    row "step06 best, s8 on sm_80, checked to not" "$(echo "$b $a" | awk '{ printf "%.2f", $1 / $2 }')" x "<=" 3
else
    bad "step06 best"
fi
# A launch long enough that its start does not matter: a host's scheduler may leave both threads on one processor for
# the first 8 ms, a quarter of 512^3.
if [ "$(getconf _NPROCESSORS_ONLN)" -ge 2 ]; then
    for pair in step01:coalesced step05:stream_k; do
        step=${pair%:*} variant=${pair#*:}
        if a=$(timed 1 "$step" "$variant" 1024) && b=$(timed 2 "$step" "$variant" 1024); then
            row "$step $variant 1024^3, 2 threads to 1" "$(echo "$a $b" | awk '{ printf "%.2f", $1 / $2 }')" x ">=" 1.8
        else
            bad "$step $variant"
        fi
    done
else
    echo "one processor here: no comparison of threads"
fi
for step in 01 05; do
    if most=$(peak "$(ls -d step${step}_*)/run" --sim --size 512); then
        row "step$step 512^3, peak memory" "$most" MB "<" 500
    else
        bad "step$step"
    fi
done

exit $failed
